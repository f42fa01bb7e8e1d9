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
                        tool: "b",
                        method: "b",
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
                        ::picoflow::__private::Method {
                            name: "b",
                            handler: ::picoflow::__private::Handler::One(|
                                __picoflow_step,
                                __picoflow_cx,
                                __picoflow_call|
                            ::picoflow::__private::Box::pin(async move {
                                let __picoflow_answer = Self::b(__picoflow_step);
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
impl NameStep {
    fn a(&mut self) -> ToolResponse {
        stay()
    }
    #[allow(
        clippy::missing_const_for_fn,
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unused_self
    )]
    fn b(&self) -> ToolResponse {
        stay()
    }
}
::core::compile_error! {
    "a tool takes `&self`: steps are shared by all sessions, and state belongs in `cx`"
}
::core::compile_error! {
    "Unknown field: `nme`. Did you mean `name`?"
}
const _: () = ::picoflow::__private::check::step::<NameStep>();
#[tool(__consumed)]
const _: () = ();
