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
    ::picoflow::__private::inventory::submit! {
        ::picoflow::__private::LinkedTool { tool : "greet", description :
        "Greet someone by name", schema :
        ::core::option::Option::Some(::picoflow::__private::SchemaRow::Fields(&
        [::picoflow::__private::FieldRow::of:: < String > ("name",
        ::core::option::Option::Some("Who"))])), strict : false, lenient : false, handler
        : | __picoflow_cx, __picoflow_call | ::picoflow::__private::Box::pin(async move {
        let mut __picoflow_faults = ::picoflow::__private::Faults::NONE; let
        __picoflow_field_name = ::picoflow::__private::field:: < String > (&
        __picoflow_call, "name", & mut __picoflow_faults); let
        (::core::option::Option::Some(__picoflow_field_name),) = (__picoflow_field_name,)
        else { let __picoflow_error = __picoflow_faults.into_error(); return <
        ::picoflow::__private::ToolOutput as ::core::convert::From < _ >>
        ::from(__picoflow_error); }; let __picoflow_answer = greet(__picoflow_field_name,
        __picoflow_cx). await;
        ::picoflow::__private::IntoToolOutput::into_tool_output(__picoflow_answer) }),
        module : ::core::module_path!(), file : ::core::file!(), line : ::core::line!(),
        }
    }
    ::picoflow::__private::inventory::submit! {
        ::picoflow::__private::LinkedTool { tool : "hello", description :
        "Greet someone by name", schema :
        ::core::option::Option::Some(::picoflow::__private::SchemaRow::Fields(&
        [::picoflow::__private::FieldRow::of:: < String > ("name",
        ::core::option::Option::Some("Who"))])), strict : false, lenient : false, handler
        : | __picoflow_cx, __picoflow_call | ::picoflow::__private::Box::pin(async move {
        let mut __picoflow_faults = ::picoflow::__private::Faults::NONE; let
        __picoflow_field_name = ::picoflow::__private::field:: < String > (&
        __picoflow_call, "name", & mut __picoflow_faults); let
        (::core::option::Option::Some(__picoflow_field_name),) = (__picoflow_field_name,)
        else { let __picoflow_error = __picoflow_faults.into_error(); return <
        ::picoflow::__private::ToolOutput as ::core::convert::From < _ >>
        ::from(__picoflow_error); }; let __picoflow_answer = greet(__picoflow_field_name,
        __picoflow_cx). await;
        ::picoflow::__private::IntoToolOutput::into_tool_output(__picoflow_answer) }),
        module : ::core::module_path!(), file : ::core::file!(), line : ::core::line!(),
        }
    }
};
#[tool(__consumed)]
const _: () = ();
