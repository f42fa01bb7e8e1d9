impl Step for NameStep {
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
                definitions: &[],
                hooks: &[],
                plain: &[],
                references: &[],
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
                        {
                            use ::picoflow::__private::schemars as __picoflow_schemars;
                            use ::picoflow::__private::serde as __picoflow_serde;
                            use ::core::convert::Into as _;
                            fn schema() {}
                            const _: fn() = schema;
                            fn generator() {}
                            const _: fn() = generator;
                            #[derive(
                                ::picoflow::__private::serde::Deserialize,
                                ::picoflow::__private::schemars::JsonSchema
                            )]
                            #[serde(crate = "__picoflow_serde")]
                            #[schemars(
                                crate = "__picoflow_schemars",
                                rename = "user_name"
                            )]
                            struct __PicoflowArguments {
                                /// Complete name
                                #[schemars(length(min = 3))]
                                name: String,
                                r#type: Option<u8>,
                            }
                            ::picoflow::__private::Method {
                                name: "user_name",
                                handler: ::picoflow::__private::Handler::One(|
                                    __picoflow_step,
                                    __picoflow_cx,
                                    __picoflow_call|
                                ::picoflow::__private::Box::pin(async move {
                                    let __picoflow_arguments = match ::picoflow::__private::arguments::<
                                        __PicoflowArguments,
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
                                        ::picoflow::__private::CallView::call(&__picoflow_call),
                                        __picoflow_arguments.name,
                                        __picoflow_arguments.r#type,
                                    );
                                    ::picoflow::__private::IntoToolResponse::into_tool_response(
                                        __picoflow_answer,
                                    )
                                })),
                                by_name: false,
                                schema: ::core::option::Option::Some(
                                    ::picoflow::__private::SchemaRow::Whole(
                                        ::picoflow::__private::schema_of::<__PicoflowArguments>,
                                    ),
                                ),
                            }
                        },
                    ]
                }
            }
            _ => &[],
        }
    }
}
impl NameStep {
    #[allow(
        clippy::missing_const_for_fn,
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unused_self
    )]
    fn user_name(
        &self,
        call: &ToolCall,
        name: String,
        r#type: Option<u8>,
    ) -> Result<ToolResponse, NameError> {
        stay()
    }
}
const _: () = ::picoflow::__private::check::step::<NameStep>();
#[tool(__consumed)]
const _: () = ();
