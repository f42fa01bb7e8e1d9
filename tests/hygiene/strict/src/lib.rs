//! A crate with every lint that a strict user may turn on.

use picoflow::prelude::{
    Args, Cx, Deserialize, Flow, HookResult, Json, JsonSchema, LogicStep, ModelRef, NativeTool,
    Prompt, Serialize, Step, StepResponse, Steps, ToolCall, ToolContext, ToolError, ToolResponse,
    Value, collect_tools, finish, go, json, stay, stay_with, tool, tools,
};
use std::{future::ready, sync::Arc};

/// Who it is.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(crate = "picoflow::prelude::serde")]
#[schemars(crate = "picoflow::prelude::schemars")]
#[non_exhaustive]
pub struct User {
    /// The whole name
    pub name: String,
}

/// A step with every form of a tool.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct AskName;

#[tools(parts("more"))]
impl Step for AskName {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "Ask for the name.".into()
    }

    /// Capture the name of the user
    #[tool(define, strict)]
    fn save_user(&self, cx: &mut Cx<'_>, Args(user): Args<User>) -> ToolResponse {
        cx.save_state(json!({ "user": user }));
        go(Greet::ID)
    }

    /// Capture the name, word by word
    #[tool(define)]
    async fn save_words(
        &self,
        cx: &mut Cx<'_>,
        /// The first name
        #[schemars(length(min = 1))]
        first: String,
        #[serde(default)] others: Vec<String>,
    ) -> Result<ToolResponse, ToolError> {
        if first.is_empty() {
            return Err(ToolError::feedback("no name"));
        }
        ready(()).await;
        cx.save_state(json!({ "first": first, "others": others }));
        Ok(stay())
    }

    /// Not a description: the attributes bring their own.
    #[tool("both_a", define, description = "One of two")]
    #[tool("both_b", define, description = "The other one", schema = empty)]
    fn single(&self, call: &ToolCall) -> ToolResponse {
        stay_with(call.name())
    }

    /// Not a description: the attributes bring their own.
    #[tools(["both_b", "both_a"])]
    fn both(&self, calls: &[ToolCall]) -> ToolResponse {
        stay_with(format!("{} at once", calls.len()))
    }
}

#[tools(part = "more")]
impl AskName {
    /// Give back what was given
    #[tool(define)]
    fn echo(&self, Args(value): Args<Value>) -> Json<Value> {
        Json(value)
    }
}

/// A schema by hand.
fn empty() -> Value {
    json!({ "type": "object", "properties": {} })
}

/// A step that calls no model.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Greet;

#[tools]
impl LogicStep for Greet {
    async fn run_logic(&self, cx: &mut Cx<'_>) -> HookResult<StepResponse> {
        let user = cx.step_state(AskName::ID).get("user");
        let name = user.and_then(|known| known.get("name")?.as_str());
        let text = format!("Hello, {}!", name.unwrap_or("you"));
        Ok(finish(text))
    }
}

/// The flow, with a tool of its own and native ones.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct StrictFlow;

impl StrictFlow {
    /// The flow.
    #[must_use]
    pub const fn new() -> Self {
        Self
    }
}

impl Default for StrictFlow {
    fn default() -> Self {
        Self::new()
    }
}

#[tools]
impl Flow for StrictFlow {
    fn model(&self) -> ModelRef {
        ModelRef::new("test", "script")
    }

    fn steps(&self) -> Steps {
        Steps::new().add(AskName).add(Greet)
    }

    fn native_tools(&self) -> Vec<NativeTool> {
        collect_tools(Arc::new(Orders { prefix: "order" }))
    }

    /// Leave the conversation
    #[tool(define)]
    fn leave(&self, reason: Option<String>) -> ToolResponse {
        finish(reason.unwrap_or_default())
    }
}

/// Native tools.
#[derive(Clone, Copy, Debug)]
pub struct Orders {
    /// What stands before an id.
    prefix: &'static str,
}

#[tools]
impl Orders {
    /// Fetch an order by its id
    #[tool]
    fn lookup_order(&self, id: String) -> Result<Json<Value>, ToolError> {
        if id.is_empty() {
            return Err(ToolError::feedback("no id"));
        }
        Ok(Json(json!({ "id": self.label(&id) })))
    }

    /// Not a description: the attributes bring their own.
    #[tool("cancel_order", description = "Cancel an order", lenient)]
    fn cancel(&self, cx: &ToolContext, id: String, copies: u8) -> String {
        let stopped = cx.cancellation().is_cancelled();
        format!("{} x{copies} stopped={stopped}", self.label(&id))
    }

    /// The version of the shop
    #[tool("shop_version")]
    fn version(&self) -> &'static str {
        "1"
    }

    /// A helper.
    fn label(&self, id: &str) -> String {
        format!("{} {id}", self.prefix)
    }
}

/// The version of this crate
#[tool]
fn version() -> &'static str {
    "1"
}

/// Greet someone by name
#[tool]
fn greet(name: String) -> String {
    format!("Hello, {name}!")
}

/// Register someone
#[tool("register", strict)]
#[must_use]
pub fn register_user(Args(user): Args<User>, call: ToolCall) -> Json<Value> {
    Json(json!({ "user": user, "call": call.name() }))
}
