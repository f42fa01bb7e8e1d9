impl<T: Send + Sync + 'static> Step for flows::Generic<T>
where
    T: Clone,
{
    const ID: StepId = StepId::new("Other");
    #[doc(hidden)]
    const TABLE: ::picoflow::__private::ToolTable = ::picoflow::__private::ToolTable {
        blocks: &[
            ::picoflow::__private::Block {
                tools: &[
                    ::picoflow::__private::ToolRow {
                        tool: "leave",
                        method: "end_chat",
                        overrides: true,
                    },
                    ::picoflow::__private::ToolRow {
                        tool: "stop",
                        method: "end_chat",
                        overrides: false,
                    },
                ],
                groups: &[
                    #[cfg(feature = "pairs")]
                    ::picoflow::__private::GroupRow {
                        names: &["a", "b"],
                        method: "both",
                    },
                ],
                definitions: &[
                    ::picoflow::__private::DefinitionRow {
                        tool: "stop",
                        method: "end_chat",
                        description: STOP,
                        schema: ::core::option::Option::Some(
                            ::picoflow::__private::SchemaRow::Whole(|| ::core::convert::Into::into(
                                no_fields(),
                            )),
                        ),
                        strict: false,
                        lenient: false,
                    },
                ],
                hooks: &[],
                plain: &[
                    ::picoflow::__private::PlainRow {
                        method: "by_name",
                        fault: ::core::option::Option::None,
                        is_documented: false,
                        is_called: false,
                    },
                    ::picoflow::__private::PlainRow {
                        method: "group_by_name",
                        fault: ::core::option::Option::None,
                        is_documented: false,
                        is_called: false,
                    },
                    ::picoflow::__private::PlainRow {
                        method: "helper",
                        fault: ::core::option::Option::Some(
                            "it does not return `ToolResponse`, `Json<T>` or a `Result` of those with an error that converts into `ToolError`",
                        ),
                        is_documented: false,
                        is_called: false,
                    },
                ],
                references: &[
                    ::picoflow::__private::Reference {
                        method: "end_chat",
                        target: ::picoflow::__private::Target::Id("End"),
                        purpose: ::picoflow::__private::Purpose::Go,
                    },
                    ::picoflow::__private::Reference {
                        method: "helper",
                        target: ::picoflow::__private::Target::Type("Generic"),
                        purpose: ::picoflow::__private::Purpose::Mention,
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
                            name: "end_chat",
                            handler: ::picoflow::__private::Handler::One(|
                                __picoflow_step,
                                __picoflow_cx,
                                __picoflow_call|
                            ::picoflow::__private::Box::pin(async move {
                                let __picoflow_answer = Self::end_chat(__picoflow_step);
                                ::picoflow::__private::IntoToolResponse::into_tool_response(
                                    __picoflow_answer,
                                )
                            })),
                            by_name: false,
                            schema: ::core::option::Option::None,
                        },
                        #[cfg(feature = "pairs")]
                        ::picoflow::__private::Method {
                            name: "both",
                            handler: ::picoflow::__private::Handler::Group(|
                                __picoflow_step,
                                __picoflow_cx,
                                __picoflow_calls|
                            ::picoflow::__private::Box::pin(async move {
                                let __picoflow_answer = Self::both(
                                        __picoflow_step,
                                        __picoflow_calls,
                                        __picoflow_cx,
                                    )
                                    .await;
                                ::picoflow::__private::IntoToolResponse::into_tool_response(
                                    __picoflow_answer,
                                )
                            })),
                            by_name: false,
                            schema: ::core::option::Option::None,
                        },
                        ::picoflow::__private::Method {
                            name: "by_name",
                            handler: ::picoflow::__private::Handler::One(|
                                __picoflow_step,
                                __picoflow_cx,
                                __picoflow_call|
                            ::picoflow::__private::Box::pin(async move {
                                let __picoflow_answer = Self::by_name(
                                        __picoflow_step,
                                        ::picoflow::__private::CallView::to_call(&__picoflow_call),
                                    )
                                    .await;
                                ::picoflow::__private::IntoToolResponse::into_tool_response(
                                    __picoflow_answer,
                                )
                            })),
                            by_name: true,
                            schema: ::core::option::Option::None,
                        },
                        ::picoflow::__private::Method {
                            name: "group_by_name",
                            handler: ::picoflow::__private::Handler::Group(|
                                __picoflow_step,
                                __picoflow_cx,
                                __picoflow_calls|
                            ::picoflow::__private::Box::pin(async move {
                                let __picoflow_answer = Self::group_by_name(
                                    __picoflow_step,
                                    __picoflow_calls,
                                );
                                ::picoflow::__private::IntoToolResponse::into_tool_response(
                                    __picoflow_answer,
                                )
                            })),
                            by_name: false,
                            schema: ::core::option::Option::None,
                        },
                    ]
                }
            }
            _ => &[],
        }
    }
}
impl<T: Send + Sync + 'static> flows::Generic<T>
where
    T: Clone,
{
    const LIMIT: usize = 3;
    #[allow(
        clippy::missing_const_for_fn,
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unused_self
    )]
    fn end_chat(&self) -> ToolResponse {
        direct_to("End", "Bye.")
    }
    #[cfg(feature = "pairs")]
    #[allow(
        clippy::missing_const_for_fn,
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unused_self
    )]
    async fn both(&self, calls: &[ToolCall], cx: &Cx<'_>) -> ToolResponse {
        stay()
    }
    #[allow(
        clippy::missing_const_for_fn,
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unused_self
    )]
    async fn by_name(&self, call: ToolCall) -> ToolResponse {
        stay()
    }
    #[allow(
        clippy::missing_const_for_fn,
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unused_self
    )]
    fn group_by_name(&self, calls: &[ToolCall]) -> ToolResponse {
        stay()
    }
    pub fn helper(&self) -> bool {
        self.last == Self::ID
    }
}
#[tool(__consumed)]
const _: () = ();
#[tools(__consumed)]
const _: () = ();
