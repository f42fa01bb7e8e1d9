impl Step for Desk {
    fn native_tools(&self) -> Vec<NativeTool> {
        ::picoflow::__private::owned::<Self>(|| { self.tools.clone() })
    }
    const ID: ::picoflow::__private::StepId = ::picoflow::__private::StepId::new("Desk");
    #[doc(hidden)]
    const TABLE: ::picoflow::__private::ToolTable = ::picoflow::__private::ToolTable {
        blocks: &[
            ::picoflow::__private::Block {
                tools: &[],
                groups: &[],
                definitions: &[],
                hooks: &["native_tools"],
                plain: &[
                    ::picoflow::__private::PlainRow {
                        method: "leave",
                        fault: {
                            use ::picoflow::__private::Unfit as _;
                            const _: bool = ::picoflow::__private::Probe::<()>::ANSWERS;
                            if ::picoflow::__private::Probe::<String>::FIELD.is_none() {
                                ::core::option::Option::Some(
                                    "its parameter `reason` cannot be read from the arguments of a call",
                                )
                            } else if ::picoflow::__private::Probe::<Reply>::ANSWERS {
                                ::core::option::Option::None
                            } else {
                                ::core::option::Option::Some(
                                    "it does not return `ToolResponse`, `Json<T>` or a `Result` of those with an error that converts into `ToolError`",
                                )
                            }
                        },
                        is_documented: true,
                        is_called: false,
                    },
                    ::picoflow::__private::PlainRow {
                        method: "farewell",
                        fault: {
                            use ::picoflow::__private::Unfit as _;
                            const _: bool = ::picoflow::__private::Probe::<()>::ANSWERS;
                            if ::picoflow::__private::Probe::<Json<u8>>::ANSWERS {
                                ::core::option::Option::None
                            } else {
                                ::core::option::Option::Some(
                                    "it does not return `ToolResponse`, `Json<T>` or a `Result` of those with an error that converts into `ToolError`",
                                )
                            }
                        },
                        is_documented: true,
                        is_called: true,
                    },
                ],
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
                            use ::picoflow::__private::Unfit as _;
                            const _: bool = ::picoflow::__private::Probe::<()>::ANSWERS;
                            ::picoflow::__private::Method {
                                name: "leave",
                                handler: ::picoflow::__private::Handler::One(|
                                    __picoflow_step,
                                    __picoflow_cx,
                                    __picoflow_call|
                                ::picoflow::__private::Box::pin(async move {
                                    let mut __picoflow_faults = ::picoflow::__private::Faults::NONE;
                                    let __picoflow_field_reason = ::picoflow::__private::Probe::<
                                        String,
                                    >::field(
                                        &__picoflow_call,
                                        "reason",
                                        &mut __picoflow_faults,
                                    );
                                    let (
                                        ::core::option::Option::Some(__picoflow_field_reason),
                                    ) = (__picoflow_field_reason,) else {
                                        let __picoflow_error = __picoflow_faults.into_error();
                                        return ::core::result::Result::Err(__picoflow_error);
                                    };
                                    let __picoflow_answer = Self::leave(
                                            __picoflow_step,
                                            __picoflow_cx,
                                            __picoflow_field_reason,
                                        )
                                        .await;
                                    ::picoflow::__private::Probe(__picoflow_answer).reply()
                                })),
                                by_name: true,
                                schema: ::core::option::Option::Some(
                                    ::picoflow::__private::SchemaRow::Fields(
                                        &[
                                            ::picoflow::__private::FieldRow::probed(
                                                "reason",
                                                ::picoflow::__private::Probe::<String>::FIELD,
                                            ),
                                        ],
                                    ),
                                ),
                            }
                        },
                        {
                            use ::picoflow::__private::Unfit as _;
                            const _: bool = ::picoflow::__private::Probe::<()>::ANSWERS;
                            ::picoflow::__private::Method {
                                name: "farewell",
                                handler: ::picoflow::__private::Handler::One(|
                                    __picoflow_step,
                                    __picoflow_cx,
                                    __picoflow_call|
                                ::picoflow::__private::Box::pin(async move {
                                    let __picoflow_answer = Self::farewell(__picoflow_step);
                                    ::picoflow::__private::Probe(__picoflow_answer).reply()
                                })),
                                by_name: true,
                                schema: ::core::option::Option::None,
                            }
                        },
                    ]
                }
            }
            _ => &[],
        }
    }
}
impl Desk {
    /// Leave
    #[allow(
        clippy::missing_const_for_fn,
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unused_self
    )]
    async fn leave(&self, cx: &mut Cx<'_>, reason: String) -> Reply {
        self.farewell()
    }
    /// Says good bye.
    #[allow(
        clippy::missing_const_for_fn,
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unused_self
    )]
    pub fn farewell(&self) -> Json<u8> {
        Json(1)
    }
}
const _: () = ::picoflow::__private::check::step::<Desk>();
