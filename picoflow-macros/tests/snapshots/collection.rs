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
    const TOOLS: &'static [::picoflow::__private::NativeRow<Self>] = &[
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
            #[schemars(crate = "__picoflow_schemars", rename = "lookup_order")]
            struct __PicoflowArguments {
                id: String,
            }
            ::picoflow::__private::NativeRow {
                tool: "lookup_order",
                description: "Fetch an order by id",
                schema: ::core::option::Option::Some(
                    ::picoflow::__private::schema_of::<__PicoflowArguments>,
                ),
                strict: false,
                lenient: false,
                handler: |__picoflow_step, __picoflow_cx, __picoflow_call| ::picoflow::__private::Box::pin(async move {
                    let __picoflow_arguments = match ::picoflow::__private::arguments::<
                        __PicoflowArguments,
                    >(&__picoflow_call) {
                        ::core::result::Result::Ok(__picoflow_arguments) => {
                            __picoflow_arguments
                        }
                        ::core::result::Result::Err(__picoflow_error) => {
                            return <::picoflow::__private::ToolOutput as ::core::convert::From<
                                _,
                            >>::from(__picoflow_error);
                        }
                    };
                    let __picoflow_answer = Self::lookup_order(
                            __picoflow_step,
                            __picoflow_arguments.id,
                        )
                        .await;
                    ::picoflow::__private::IntoToolOutput::into_tool_output(
                        __picoflow_answer,
                    )
                }),
            }
        },
        #[cfg(unix)]
        ::picoflow::__private::NativeRow {
            tool: "cancel_order",
            description: CANCEL,
            schema: ::core::option::Option::Some(|| ::core::convert::Into::into(
                a_schema(),
            )),
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
    ];
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
