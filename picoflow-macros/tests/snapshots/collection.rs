impl<T: Send> Orders<T> {
    /// Fetch an order by id
    #[allow(
        clippy::missing_const_for_fn,
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unused_self
    )]
    async fn lookup_order(&self, id: String) -> Result<Json<Order>, OrderError> {
        self.fetch(id).await
    }
    #[cfg(unix)]
    #[allow(
        clippy::missing_const_for_fn,
        clippy::needless_pass_by_value,
        clippy::trivially_copy_pass_by_ref,
        clippy::unused_self
    )]
    fn cancel(&self, cx: &ToolContext, call: ToolCall) -> String {
        String::new()
    }
    fn helper(&self, call: ToolCall) -> ToolResponse {
        stay()
    }
}
#[automatically_derived]
impl<T: Send> ::picoflow::__private::ToolCollection for Orders<T> {
    const COLLECT: fn(
        ::picoflow::__private::Arc<Self>,
    ) -> ::picoflow::__private::Vec<::picoflow::__private::NativeTool> = ::picoflow::__private::collect_rows;
    #[doc(hidden)]
    fn __rows() -> &'static [::picoflow::__private::NativeRow<Self>]
    where
        for<'__picoflow> Self: ::picoflow::__private::check::Shared,
    {
        const {
            &[
                ::picoflow::__private::NativeRow {
                    tool: "lookup_order",
                    description: "Fetch an order by id",
                    schema: ::core::option::Option::Some(
                        ::picoflow::__private::SchemaRow::Fields(
                            &[
                                ::picoflow::__private::FieldRow::of::<
                                    String,
                                >("id", ::core::option::Option::None),
                            ],
                        ),
                    ),
                    strict: false,
                    lenient: false,
                    handler: |__picoflow_step, __picoflow_cx, __picoflow_call| ::picoflow::__private::Box::pin(async move {
                        let mut __picoflow_faults = ::picoflow::__private::Faults::NONE;
                        let __picoflow_field_id = ::picoflow::__private::field::<
                            String,
                        >(&__picoflow_call, "id", &mut __picoflow_faults);
                        let (::core::option::Option::Some(__picoflow_field_id),) = (
                            __picoflow_field_id,
                        ) else {
                            let __picoflow_error = __picoflow_faults.into_error();
                            return <::picoflow::__private::ToolOutput as ::core::convert::From<
                                _,
                            >>::from(__picoflow_error);
                        };
                        let __picoflow_answer = Self::lookup_order(
                                __picoflow_step,
                                __picoflow_field_id,
                            )
                            .await;
                        ::picoflow::__private::IntoToolOutput::into_tool_output(
                            __picoflow_answer,
                        )
                    }),
                },
                #[cfg(unix)]
                ::picoflow::__private::NativeRow {
                    tool: "cancel_order",
                    description: CANCEL,
                    schema: ::core::option::Option::Some(
                        ::picoflow::__private::SchemaRow::Whole(|| ::core::convert::Into::into(
                            a_schema(),
                        )),
                    ),
                    strict: true,
                    lenient: true,
                    handler: |__picoflow_step, __picoflow_cx, __picoflow_call| ::picoflow::__private::Box::pin(async move {
                        let __picoflow_answer = Self::cancel(
                            __picoflow_step,
                            __picoflow_cx,
                            ::picoflow::__private::CallView::to_call(&__picoflow_call),
                        );
                        ::picoflow::__private::IntoToolOutput::into_tool_output(
                            __picoflow_answer,
                        )
                    }),
                },
            ]
        }
    }
}
const _: () = ::picoflow::__private::check::distinct(
    &[
        ::picoflow::__private::ToolRow {
            tool: "lookup_order",
            method: "lookup_order",
            overrides: false,
        },
        #[cfg(unix)]
        ::picoflow::__private::ToolRow {
            tool: "cancel_order",
            method: "cancel",
            overrides: false,
        },
    ],
);
#[tool(__consumed)]
const _: () = ();
