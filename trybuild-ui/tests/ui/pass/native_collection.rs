//! Native tools: every way to write one, under strict lints.
#![deny(
    warnings,
    missing_docs,
    missing_debug_implementations,
    elided_lifetimes_in_paths,
    single_use_lifetimes,
    unnameable_types,
    unreachable_pub,
    unused_lifetimes,
    unused_qualifications
)]
#![forbid(unsafe_code)]

use picoflow::prelude::*;
use std::sync::Arc;

/// What is looked up.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub struct Order {
    id: String,
}

/// Why it is not found.
#[derive(Debug)]
pub struct OrderError;

impl From<OrderError> for ToolError {
    fn from(_: OrderError) -> Self {
        Self::feedback("no such order")
    }
}

/// The tools.
#[derive(Debug)]
pub struct Orders {
    count: usize,
}

const CANCEL: &str = "Cancel an order";

fn empty() -> Value {
    json!({ "type": "object", "properties": {} })
}

#[tools]
impl Orders {
    /// Without tools, a collection is a type like any other.
    pub const fn new() -> Self {
        Self { count: 0 }
    }

    /// Fetch an order by id
    #[tool]
    pub async fn lookup_order(&self, id: String) -> Result<Json<Order>, OrderError> {
        if id.is_empty() {
            return Err(OrderError);
        }
        Ok(Json(Order { id }))
    }

    #[tool("cancel_order", description = CANCEL, lenient)]
    fn cancel(
        &self,
        cx: &ToolContext,
        /// Which one
        #[schemars(length(min = 1))]
        id: String,
        #[serde(default)] copies: u8,
        reason: Option<String>,
    ) -> String {
        let id = cx.call_id().unwrap_or(&id);
        format!("{id} {copies} {reason:?} {}", self.count)
    }

    /// Put in an order
    #[tool(define, strict)]
    #[tool(name = "place_order")]
    fn order(&self, Args(order): Args<Order>, call: &ToolCall) -> Result<String, ToolError> {
        Ok(order.id + call.name())
    }

    /// Say the version
    #[tool(schema = empty)]
    const fn version(&self) -> &'static str {
        Self::VERSION
    }

    /// Say it raw
    #[tool]
    async fn raw<'a>(&'a self, call: ToolCall, cx: &'a ToolContext) -> picoflow::ToolOutput {
        let _ = (self, cx);
        picoflow::ToolOutput::value(call.name())
    }

    const VERSION: &'static str = "1";

    /// Looks like a handler of a step, and is no tool.
    pub fn helper(&self, _call: ToolCall) -> ToolResponse {
        stay()
    }

    /// Neither is this.
    pub fn generic<T: ToString>(value: T) -> String {
        value.to_string()
    }
}

fn main() {
    let tools = collect_tools(Arc::new(Orders::new()));
    let texts: Vec<_> = tools
        .iter()
        .map(|tool| (tool.name(), tool.description()))
        .collect();
    let expected = [
        ("lookup_order", "Fetch an order by id"),
        ("cancel_order", "Cancel an order"),
        ("order", "Put in an order"),
        ("place_order", "Put in an order"),
        ("version", "Say the version"),
        ("raw", "Say it raw"),
    ];
    assert_eq!(texts, expected);
    let schema = tools[1].input_schema();
    assert_eq!(schema["required"], json!(["id"]));
    assert_eq!(schema["properties"]["id"]["description"], "Which one");
    assert_eq!(*tools[4].input_schema(), empty());
    assert_eq!(tools[5].input_schema()["properties"], json!({}));
    assert_eq!(Orders::generic(1), "1");
}
