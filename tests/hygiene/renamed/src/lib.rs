//! A crate that calls picoflow by another name.

#![expect(
    unused_qualifications,
    reason = "types are known by the last segment of their path, whatever the crate is called"
)]
#![expect(clippy::unused_async, reason = "what matters is how the future of a handler is written")]

use flow::prelude::*;

/// Who it is.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(crate = "flow::prelude::serde")]
#[schemars(crate = "flow::prelude::schemars")]
pub struct User {
    /// The whole name
    pub name: String,
}

/// A step with every form of a tool.
#[derive(Debug)]
pub struct AskName;

#[flow::tools(crate = ::flow, parts("more"))]
impl Step for AskName {
    /// Capture the name of the user
    #[flow::tool(define)]
    async fn save_user(&self, cx: &mut flow::Cx<'_>, Args(user): flow::Args<User>) -> ToolResponse {
        cx.save_state(json!({ "user": user }));
        go("Greet")
    }

    /// Capture the name, word by word
    #[tool(define)]
    fn save_words(&self, first: String, #[serde(default)] others: Vec<String>) -> ToolResponse {
        stay_with(format!("{first} and {} more", others.len()))
    }

    #[tool("a", define, description = "One of two")]
    #[tool("b", define, description = "The other one", schema = flow::no_arguments)]
    fn single(&self, call: &flow::ToolCall) -> ToolResponse {
        stay_with(call.name())
    }

    #[tools(["b", "a"])]
    fn both(&self, calls: &[ToolCall]) -> ToolResponse {
        stay_with(format!("{} at once", calls.len()))
    }
}

#[tools(crate = flow, part = "more")]
impl AskName {
    /// Give back what was given
    #[tool(define)]
    fn echo(&self, Args(value): Args<Value>) -> Json<Value> {
        Json(value)
    }
}

/// A step that calls no model.
#[derive(Debug)]
pub struct Greet;

#[tools(crate = ::flow)]
impl LogicStep for Greet {
    async fn run_logic(&self, cx: &mut Cx<'_>) -> HookResult<StepResponse> {
        let name = &cx.step_state(AskName::ID)["user"]["name"];
        let text = format!("Hello, {}!", name.as_str().unwrap_or("you"));
        Ok(finish(text))
    }
}

/// The flow, with a tool of its own and native ones.
#[derive(Debug)]
pub struct RenamedFlow;

#[tools(crate = ::flow)]
impl Flow for RenamedFlow {
    fn model(&self) -> ModelRef {
        ModelRef::new("test", "script")
    }

    fn steps(&self) -> Steps {
        Steps::new().add(AskName).add(Greet)
    }

    fn native_tools(&self) -> Vec<NativeTool> {
        collect_tools(std::sync::Arc::new(Orders))
    }

    /// Leave the conversation
    #[tool(define)]
    fn leave(&self, reason: Option<String>) -> ToolResponse {
        finish(reason.unwrap_or_default())
    }
}

/// Native tools.
#[derive(Debug)]
pub struct Orders;

#[tools(crate = ::flow)]
impl Orders {
    /// Fetch an order by its id
    #[tool]
    async fn lookup_order(&self, cx: &flow::ToolContext, id: String) -> Result<String, ToolError> {
        let known = cx.call_id().is_some();
        Ok(format!("order {id} known={known}"))
    }
}

/// Greet someone by name
#[flow::tool(crate = ::flow)]
#[tool("hello", description = "The same")]
pub fn greet(name: String) -> String {
    format!("Hello, {name}!")
}
