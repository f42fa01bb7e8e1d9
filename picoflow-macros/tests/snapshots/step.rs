impl Step for NameStep {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "Ask.".into()
    }
    const ID: ::picoflow::__private::StepId = ::picoflow::__private::StepId::new(
        "NameStep",
    );
    #[doc(hidden)]
    const TABLE: ::picoflow::__private::ToolTable = ::picoflow::__private::ToolTable {
        blocks: &[
            ::picoflow::__private::Block {
                tools: &[
                    ::picoflow::__private::ToolRow {
                        tool: "user_name",
                        method: "user_name",
                        overrides: false,
                    },
                ],
                groups: &[],
                definitions: &[
                    ::picoflow::__private::DefinitionRow {
                        tool: "user_name",
                        method: "user_name",
                        description: "Capture name of user",
                        schema: ::core::option::Option::None,
                        strict: false,
                        lenient: false,
                    },
                ],
                hooks: &["prompt"],
                plain: &[],
                references: &[
                    ::picoflow::__private::Reference {
                        method: "user_name",
                        target: ::picoflow::__private::Target::Type("DobStep"),
                        purpose: ::picoflow::__private::Purpose::Go,
                    },
                ],
            },
        ],
        parts: &[],
    };
    #[doc(hidden)]
    fn __methods(
        __picoflow_block: usize,
    ) -> &'static [::picoflow::__private::Method<Self>]
    where
        for<'__picoflow> Self: ::picoflow::__private::check::Shared,
    {
        match __picoflow_block {
            0 => {
                const {
                    &[
                        ::picoflow::__private::Method {
                            name: "user_name",
                            handler: ::picoflow::__private::Handler::One(|
                                __picoflow_step,
                                __picoflow_cx,
                                __picoflow_call|
                            ::picoflow::__private::Box::pin(async move {
                                let __picoflow_arguments = match ::picoflow::__private::arguments::<
                                    UserName,
                                >(&__picoflow_call) {
                                    ::core::result::Result::Ok(__picoflow_arguments) => {
                                        __picoflow_arguments
                                    }
                                    ::core::result::Result::Err(__picoflow_error) => {
                                        return ::core::result::Result::Err(__picoflow_error);
                                    }
                                };
                                let __picoflow_answer = Self::user_name(
                                        __picoflow_step,
                                        __picoflow_cx,
                                        ::picoflow::__private::Args(__picoflow_arguments),
                                    )
                                    .await;
                                ::picoflow::__private::IntoToolResponse::into_tool_response(
                                    __picoflow_answer,
                                )
                            })),
                            by_name: false,
                            schema: ::core::option::Option::Some(
                                ::picoflow::__private::SchemaRow::Whole(
                                    ::picoflow::__private::schema_of::<UserName>,
                                ),
                            ),
                        },
                    ]
                }
            }
            _ => &[],
        }
    }
}
impl NameStep {
    /// Capture name of user
    #[allow(
        clippy::missing_const_for_fn,
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unused_self
    )]
    async fn user_name(
        &self,
        cx: &mut Cx<'_>,
        Args(user): Args<UserName>,
    ) -> ToolResponse {
        go(DobStep::ID)
    }
}
const _: () = ::picoflow::__private::check::step::<NameStep>();
#[tool(__consumed)]
const _: () = ();
