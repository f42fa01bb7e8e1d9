//! Every way to write a tool, under strict lints.
#![deny(
    warnings,
    missing_docs,
    missing_debug_implementations,
    elided_lifetimes_in_paths,
    let_underscore_drop,
    non_ascii_idents,
    redundant_lifetimes,
    single_use_lifetimes,
    trivial_casts,
    unnameable_types,
    unreachable_pub,
    unused_import_braces,
    unused_lifetimes,
    unused_qualifications
)]

use picoflow::prelude::*;
use serde_json::{Value, json};

/// Who it is.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct UserName {
    /// The whole name
    name: String,
}

/// A step.
#[derive(Debug)]
pub struct NameStep {
    greeting: &'static str,
}

/// Why the handler failed.
#[derive(Debug)]
pub struct NameError;

impl From<NameError> for ToolError {
    fn from(_: NameError) -> Self {
        Self::feedback("no name")
    }
}

const STOP: &str = "Stop now";

fn no_fields() -> Value {
    json!({ "type": "object", "properties": {} })
}

#[tools]
impl Step for NameStep {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        self.greeting().into()
    }

    async fn on_enter(&self, _cx: &mut Cx<'_>) -> HookResult {
        Ok(())
    }

    /// Capture name of user.
    ///
    ///   * first
    ///   * last
    #[tool(define)]
    async fn user_name(&self, cx: &mut Cx<'_>, Args(user): Args<UserName>) -> ToolResponse {
        cx.save_state(json!({ "name": user.name }));
        stay()
    }

    #[tool("leave")]
    #[tool(name = "stop", define, description = STOP, schema = no_fields)]
    fn end_chat(&self) -> ToolResponse {
        go(Self::ID)
    }

    #[tool]
    async fn raw(&self, call: ToolCall, user: Args<Value>) -> Result<ToolResponse, NameError> {
        if user.0.is_null() {
            return Err(NameError);
        }
        Ok(stay_with(call.name()))
    }

    #[tool(define, description = "Everything at once")]
    fn named(
        &self,
        call: &ToolCall,
        /// The first name
        #[schemars(length(min = 1))]
        first: String,
        cx: &Cx<'_>,
        #[serde(default)] mut tags: Vec<String>,
        age: Option<u8>,
    ) -> Result<ToolResponse, ToolError> {
        let _ = (call, cx, age);
        tags.push(first);
        Ok(stay_with(tags.join(" ")))
    }

    #[tool]
    fn explicit_lifetimes<'a>(&'a self, cx: &'a mut Cx<'_>, call: &'a ToolCall) -> ToolResponse {
        let _ = (self, cx, call);
        stay()
    }

    #[tool]
    fn typed_receiver(self: &Self) -> ToolResponse {
        stay()
    }

    #[tools(["b", "a"])]
    #[tools(["c"])]
    async fn both(&self, calls: &[ToolCall], _cx: &mut Cx<'_>) -> Result<ToolResponse, ToolError> {
        let first: UserName = calls[0].args()?;
        Ok(stay_with(first.name))
    }

    #[tools(["d"])]
    fn without_calls(&self) -> ToolResponse {
        stay()
    }

    fn by_name(&self, _cx: &Cx<'_>, _call: ToolCall) -> ToolResponse {
        stay()
    }

    async fn by_name_too(&self, Args(user): Args<UserName>) -> Result<ToolResponse, NameError> {
        Ok(stay_with(user.name))
    }

    fn group_by_name(&self, _calls: &[ToolCall]) -> ToolResponse {
        stay()
    }

    fn greeting(&self) -> &'static str {
        self.greeting
    }

    /// Helpers may be public, associated, generic, anything.
    pub fn helper<T: ToString>(value: T) -> String {
        value.to_string() + Self::END
    }

    const END: &'static str = "!";
}

fn main() {
    let block = &NameStep::TABLE.blocks[0];
    let by_name: Vec<_> = NameStep::__methods(0)
        .iter()
        .filter(|method| method.by_name)
        .map(|method| method.name)
        .collect();
    assert_eq!(by_name, ["by_name", "by_name_too"]);
    let tools: Vec<_> = block
        .tools
        .iter()
        .map(|row| (row.tool, row.method))
        .collect();
    assert_eq!(
        tools[..3],
        [
            ("user_name", "user_name"),
            ("leave", "end_chat"),
            ("stop", "end_chat")
        ]
    );
    let groups: Vec<_> = block.groups.iter().map(|row| row.names).collect();
    assert_eq!(groups, [&["a", "b"][..], &["c"], &["d"]]);
    let definitions: Vec<_> = block
        .definitions
        .iter()
        .map(|row| row.description)
        .collect();
    assert_eq!(
        definitions,
        [
            "Capture name of user.\n\n  * first\n  * last",
            "Stop now",
            "Everything at once"
        ]
    );
    assert_eq!(NameStep::helper(1), "1!");
    assert_eq!(NameStep::ID, "NameStep");
    let _ = NameStep { greeting: "Hello" };
}
