//! A crate that depends on picoflow alone, and gets serde and schemars from it.
#![expect(clippy::unused_async, reason = "what matters is how the future of a handler is written")]

use picoflow::prelude::*;

/// Who it is.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(crate = "picoflow::prelude::serde")]
#[schemars(crate = "picoflow::prelude::schemars")]
pub struct User {
    /// The whole name
    pub name: String,
    /// In years
    pub age: Option<u8>,
}

/// A step with every form of a tool.
#[derive(Debug)]
pub struct AskName;

#[tools(parts("more"))]
impl Step for AskName {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "Ask for the name.".into()
    }

    /// Capture the name of the user
    #[tool(define, strict)]
    async fn save_user(&self, cx: &mut Cx<'_>, Args(user): Args<User>) -> ToolResponse {
        cx.save_state(json!({ "user": user }));
        go("Greet")
    }

    /// Capture the name, word by word
    #[tool(define, lenient)]
    fn save_words(
        &self,
        cx: &mut Cx<'_>,
        /// The first name
        #[schemars(length(min = 1))]
        first: String,
        #[serde(default)] others: Vec<String>,
        times: u32,
    ) -> Result<ToolResponse, ToolError> {
        if first == "nobody" {
            return Err(ToolError::feedback("Nobody is no name."));
        }
        cx.save_state(json!({ "first": first, "others": others, "times": times }));
        Ok(stay())
    }

    #[tool("both_a", define, description = "One of two")]
    #[tool(name = "both_b", define, description = "The other one", schema = empty)]
    fn single(&self, call: &ToolCall) -> ToolResponse {
        stay_with(call.name())
    }

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

fn empty() -> Value {
    json!({ "type": "object", "properties": {} })
}

/// A step that calls no model.
#[derive(Debug)]
pub struct Greet;

#[tools]
impl LogicStep for Greet {
    async fn run_logic(&self, cx: &mut Cx<'_>) -> HookResult<StepResponse> {
        let user = &cx.step_state(AskName::ID)["user"];
        let name = user["name"].as_str().unwrap_or("you");
        let text = format!("Hello, {name}!");
        Ok(finish(text))
    }
}

/// The flow, with a tool of its own and native ones.
#[derive(Debug)]
pub struct AloneFlow;

#[tools]
impl Flow for AloneFlow {
    fn model(&self) -> ModelRef {
        ModelRef::new("test", "script")
    }

    fn steps(&self) -> Steps {
        Steps::new().add(AskName).add(Greet)
    }

    fn native_tools(&self) -> Vec<NativeTool> {
        collect_tools(std::sync::Arc::new(Orders { prefix: "order" }))
    }

    /// Leave the conversation
    #[tool(define)]
    fn leave(&self, reason: Option<String>) -> ToolResponse {
        finish(reason.unwrap_or_default())
    }
}

/// Native tools.
#[derive(Debug)]
pub struct Orders {
    prefix: &'static str,
}

#[tools]
impl Orders {
    /// Fetch an order by its id
    #[tool]
    async fn lookup_order(&self, id: String) -> Result<Json<Value>, ToolError> {
        Ok(Json(json!({ "id": self.label(&id) })))
    }

    #[tool("cancel_order", description = "Cancel an order", lenient)]
    fn cancel(&self, cx: &ToolContext, id: String, copies: u8) -> String {
        let stopped = cx.cancellation().is_cancelled();
        format!("{} x{copies} stopped={stopped}", self.label(&id))
    }

    fn label(&self, id: &str) -> String {
        format!("{} {id}", self.prefix)
    }
}

/// Greet someone by name
#[tool]
pub fn greet(name: String) -> String {
    format!("Hello, {name}!")
}

/// Register someone
#[tool("register", strict)]
pub async fn register_user(Args(user): Args<User>, call: ToolCall) -> Json<Value> {
    Json(json!({ "user": user, "call": call.name() }))
}
