//! A crate of an older edition.

#![expect(
    clippy::missing_errors_doc,
    reason = "the functions are tools, and their errors are for the model"
)]
#![expect(clippy::unused_async, reason = "what matters is how the future of a handler is written")]

use picoflow::prelude::*;

/// A result with one parameter, as many crates have it.
pub type Result<T> = std::result::Result<T, ToolError>;

/// A step.
#[derive(Debug)]
pub struct AskName;

#[tools]
impl Step for AskName {
    async fn on_enter(&self, cx: &mut Cx<'_>) -> HookResult {
        cx.save_state(json!({ "entered": true }));
        Ok(())
    }

    /// Capture the name, word by word
    #[tool(define)]
    async fn save_words(
        &self,
        cx: &mut Cx<'_>,
        gen: String,
        r#type: Option<u8>,
    ) -> Result<ToolResponse> {
        cx.save_state(json!({ "gen": gen, "type": r#type }));
        Ok(stay_with(gen))
    }

    #[tool("a", define, description = "One of two")]
    #[tool("b", define, description = "The other one")]
    async fn gen(&self, call: ToolCall) -> ToolResponse {
        stay_with(call.name())
    }

    #[tools(["b", "a"])]
    async fn both(&self, calls: &[ToolCall]) -> Result<ToolResponse> {
        let first: Value = calls[0].args()?;
        Ok(go("Greet").with_state(json!({ "first": first, "count": calls.len() })))
    }
}

/// A step that calls no model.
#[derive(Debug)]
pub struct Greet;

#[tools]
impl LogicStep for Greet {
    async fn run_logic(&self, cx: &mut Cx<'_>) -> HookResult<StepResponse> {
        let gen = &cx.step_state(AskName::ID)["gen"];
        let text = format!("Hello, {}!", gen.as_str().unwrap_or("you"));
        Ok(finish(text))
    }
}

/// The flow.
#[derive(Debug)]
pub struct OlderFlow;

#[tools]
impl Flow for OlderFlow {
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
    async fn leave(&self) -> ToolResponse {
        finish("Bye.")
    }
}

/// Native tools.
#[derive(Debug)]
pub struct Orders;

#[tools]
impl Orders {
    /// Fetch an order by its id
    #[tool]
    async fn lookup_order(&self, gen: String) -> Result<String> {
        Ok(format!("order {gen}"))
    }
}

/// Greet someone by name
#[tool]
pub async fn greet(gen: String) -> Result<String> {
    Ok(format!("Hello, {gen}!"))
}
