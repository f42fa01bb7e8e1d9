#[cfg(feature = "billing")]
impl SupportStep {
    #[allow(
        clippy::missing_const_for_fn,
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unused_self
    )]
    pub(crate) fn refund(&self) -> ToolResponse {
        stay()
    }
}
#[cfg(feature = "billing")]
#[automatically_derived]
impl ::picoflow::__private::check::Part<4613189061923820124u64> for SupportStep {
    const BLOCK: ::picoflow::__private::Block = {
        let () = <Self as ::picoflow::__private::check::Listed<
            4613189061923820124u64,
        >>::LISTED;
        ::picoflow::__private::Block {
            tools: &[
                ::picoflow::__private::ToolRow {
                    tool: "refund",
                    method: "refund",
                    overrides: false,
                },
            ],
            groups: &[],
            definitions: &[],
            hooks: &[],
            plain: &[],
            references: &[],
        }
    };
    #[doc(hidden)]
    fn __methods() -> &'static [::picoflow::__private::Method<Self>]
    where
        for<'__picoflow> Self: ::picoflow::__private::check::Shared,
    {
        const {
            &[
                ::picoflow::__private::Method {
                    name: "refund",
                    handler: ::picoflow::__private::Handler::One(|
                        __picoflow_step,
                        __picoflow_cx,
                        __picoflow_call|
                    ::picoflow::__private::Box::pin(async move {
                        let __picoflow_answer = Self::refund(__picoflow_step);
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
}
#[tool(__consumed)]
const _: () = ();
