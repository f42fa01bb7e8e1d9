/// Greet someone by name
#[allow(
    clippy::missing_const_for_fn,
    clippy::needless_pass_by_value,
    clippy::trivially_copy_pass_by_ref,
    clippy::unused_self
)]
pub(crate) async fn greet(name: String, cx: &ToolContext) -> String {
    String::new()
}
const _: () = {
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
    #[schemars(crate = "__picoflow_schemars", rename = "greet")]
    struct __PicoflowArguments {
        /// Who
        name: String,
    }
    ::picoflow::__private::inventory::submit! {
        ::picoflow::__private::LinkedTool { tool : "greet", description :
        "Greet someone by name", schema :
        ::core::option::Option::Some(::picoflow::__private::schema_of:: <
        __PicoflowArguments >), strict : false, lenient : false, handler : |
        __picoflow_cx, __picoflow_call | ::picoflow::__private::Box::pin(async move { let
        __picoflow_arguments = match ::picoflow::__private::arguments:: <
        __PicoflowArguments > (& __picoflow_call) {
        ::core::result::Result::Ok(__picoflow_arguments) => __picoflow_arguments,
        ::core::result::Result::Err(__picoflow_error) => return <
        ::picoflow::__private::ToolOutput as ::core::convert::From < _ >>
        ::from(__picoflow_error), }; let __picoflow_answer = greet(__picoflow_arguments
        .name, __picoflow_cx). await;
        ::picoflow::__private::IntoToolOutput::into_tool_output(__picoflow_answer) }),
        module : ::core::module_path!(), file : ::core::file!(), line : ::core::line!(),
        }
    }
    ::picoflow::__private::inventory::submit! {
        ::picoflow::__private::LinkedTool { tool : "hello", description :
        "Greet someone by name", schema :
        ::core::option::Option::Some(::picoflow::__private::schema_of:: <
        __PicoflowArguments >), strict : false, lenient : false, handler : |
        __picoflow_cx, __picoflow_call | ::picoflow::__private::Box::pin(async move { let
        __picoflow_arguments = match ::picoflow::__private::arguments:: <
        __PicoflowArguments > (& __picoflow_call) {
        ::core::result::Result::Ok(__picoflow_arguments) => __picoflow_arguments,
        ::core::result::Result::Err(__picoflow_error) => return <
        ::picoflow::__private::ToolOutput as ::core::convert::From < _ >>
        ::from(__picoflow_error), }; let __picoflow_answer = greet(__picoflow_arguments
        .name, __picoflow_cx). await;
        ::picoflow::__private::IntoToolOutput::into_tool_output(__picoflow_answer) }),
        module : ::core::module_path!(), file : ::core::file!(), line : ::core::line!(),
        }
    }
};
#[tool(__consumed)]
const _: () = ();
