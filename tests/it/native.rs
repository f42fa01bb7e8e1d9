//! Native tools: by themselves, and in a flow.
#![expect(clippy::unused_async, reason = "both forms of a handler are under test")]

use crate::support::{Talk, TestFlow};
use picoflow::{
    native::ToolSource,
    prelude::*,
    testing::{Rule, ScriptedModel},
};
use std::{
    error::Error,
    fmt,
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio_util::sync::CancellationToken;

/// Greet someone by name
#[tool]
fn greet(name: String) -> String {
    format!("Hello, {name}!")
}

/// Add two numbers
#[tool]
async fn add(a: i64, b: i64) -> Json<i64> {
    Json(a + b)
}

#[derive(Debug)]
struct OrderError(&'static str);

impl fmt::Display for OrderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Error for OrderError {}

#[derive(Serialize)]
struct Order {
    id: String,
    status: &'static str,
}

fn reason_schema() -> Value {
    json!({
        "type": "object",
        "properties": { "id": { "type": "string" }, "reason": { "type": "string", "minLength": 3 } },
        "required": ["id", "reason"]
    })
}

#[derive(Default)]
struct Orders {
    calls: AtomicUsize,
}

#[tools]
impl Orders {
    /// Fetch an order by id
    #[tool]
    async fn lookup_order(&self, id: String) -> Result<Json<Order>, OrderError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        if id.is_empty() {
            return Err(OrderError("table `orders` is locked"));
        }
        let status = "shipped";
        Ok(Json(Order { id, status }))
    }

    #[tool("cancel_order", description = "Cancel an order", schema = reason_schema)]
    async fn cancel(&self, cx: &ToolContext, id: String, reason: String) -> String {
        format!("cancelled {id}: {reason} by {}", cx.call_id().unwrap_or("nobody"))
    }

    /// How many orders were looked up
    #[tool]
    fn count(&self) -> Json<usize> {
        Json(self.calls.load(Ordering::Relaxed))
    }

    /// Refuses
    #[tool]
    fn refuse(&self) -> Result<String, ToolError> {
        Err(ToolError::feedback("Not on Sundays."))
    }

    /// Panics
    #[tool]
    async fn explode(&self) -> String {
        panic!("the boiler")
    }

    /// Never answers
    #[tool]
    async fn hang(&self) -> String {
        std::future::pending().await
    }

    fn helper(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }
}

fn find<'a>(tools: &'a [NativeTool], name: &str) -> &'a NativeTool {
    tools.iter().find(|tool| tool.name() == name).unwrap()
}

fn orders() -> Vec<NativeTool> {
    collect_tools(Arc::new(Orders::default()))
}

#[tokio::test]
async fn a_free_function_is_a_tool_wherever_it_is_linked() {
    let tools = collect_linked_tools().unwrap();
    let tool = find(&tools, "greet");
    assert_eq!(tool.description(), "Greet someone by name");
    assert_eq!(tool.source(), ToolSource::Native);
    assert_eq!(tool.input_schema()["required"], json!(["name"]));
    let out = tool.execute(json!({ "name": "Muthu" }), &ToolContext::default()).await;
    assert_eq!(out.output, "Hello, Muthu!");
    assert!(!out.is_error);
    // It is still a function.
    assert_eq!(greet("Ann".to_owned()), "Hello, Ann!");

    let out =
        find(&tools, "add").execute(json!({ "a": 2, "b": 40 }), &ToolContext::default()).await;
    assert_eq!(out.output, 42);
}

#[test]
fn linked_tools_are_ordered_by_module_and_name() {
    let tools = collect_linked_tools().unwrap();
    let own: Vec<_> =
        tools.iter().map(NativeTool::name).filter(|name| ["add", "greet"].contains(name)).collect();
    assert_eq!(own, ["add", "greet"]);
}

#[test]
fn two_linked_tools_of_one_name_are_an_error_that_names_both_places() {
    // In a process of its own, since one name may not be linked twice into this one.
    let output = Command::new(env!("CARGO_BIN_EXE_linked_twice")).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    for part in ["`twin`", "linked_twice::first", "linked_twice::second", "linked_twice.rs:"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // Of one module alone there is one.
    for part in [
        r#"linked_twice::second: [("twin", Some("linked_twice::second"))]"#,
        "no tool is linked in module `linked_twice::sec`: there are tools in linked_twice::first, linked_twice::second",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[tokio::test]
async fn an_object_has_one_tool_for_each_annotated_method_in_their_order() {
    let tools = orders();
    let names: Vec<_> = tools.iter().map(NativeTool::name).collect();
    assert_eq!(names, ["lookup_order", "cancel_order", "count", "refuse", "explode", "hang"]);

    let out =
        find(&tools, "lookup_order").execute(json!({ "id": "A-1" }), &ToolContext::default()).await;
    assert_eq!(out.output, json!({ "id": "A-1", "status": "shipped" }));

    let cancel = find(&tools, "cancel_order");
    assert_eq!(*cancel.input_schema(), reason_schema());
    let cx = ToolContext::default().with_call_id("call_7");
    let out = cancel.execute(json!({ "id": "A-1", "reason": "customer request" }), &cx).await;
    assert_eq!(out.output, "cancelled A-1: customer request by call_7");
}

#[tokio::test]
async fn each_instance_has_its_own_state() {
    let (first, second) = (Arc::new(Orders::default()), Arc::new(Orders::default()));
    let (tools, others) = (collect_tools(Arc::clone(&first)), collect_tools(second));
    let cx = ToolContext::default();
    for _ in 0..3 {
        find(&tools, "lookup_order").execute(json!({ "id": "A-1" }), &cx).await;
    }
    assert_eq!(find(&tools, "count").execute(Value::Null, &cx).await.output, 3);
    assert_eq!(find(&others, "count").execute(Value::Null, &cx).await.output, 0);
    assert_eq!(first.helper(), 3);
}

#[test]
fn a_tool_without_parameters_has_exactly_the_empty_object_schema() {
    let tools = orders();
    assert_eq!(
        *find(&tools, "count").input_schema(),
        json!({ "type": "object", "properties": {} })
    );
}

#[tokio::test]
async fn arguments_are_checked_against_the_schema_before_the_handler_runs() {
    let tools = orders();
    let cx = ToolContext::default();
    for arguments in [json!({ "id": 5 }), json!({}), json!([]), json!("A-1"), Value::Null] {
        let out = find(&tools, "lookup_order").execute(arguments, &cx).await;
        assert!(out.is_error);
        assert!(out.text().contains("Invalid arguments"), "{}", out.text());
    }
    assert_eq!(find(&tools, "count").execute(Value::Null, &cx).await.output, 0);
}

#[cfg(feature = "validate")]
#[tokio::test]
async fn what_only_the_written_schema_forbids_is_refused_too() {
    let out = find(&orders(), "cancel_order")
        .execute(json!({ "id": "A-1", "reason": "no" }), &ToolContext::default())
        .await;
    assert!(out.is_error);
    assert!(out.text().contains("`/reason`"), "{}", out.text());
}

#[tokio::test]
async fn an_error_is_an_output_that_keeps_its_words_from_the_model() {
    let out =
        find(&orders(), "lookup_order").execute(json!({ "id": "" }), &ToolContext::default()).await;
    assert!(out.is_error);
    assert!(!out.text().contains("locked"), "{}", out.text());
    assert_eq!(out.error().unwrap().to_string(), "table `orders` is locked");

    let out = find(&orders(), "refuse").execute(json!({}), &ToolContext::default()).await;
    assert!(out.is_error);
    assert_eq!(out.output, "Not on Sundays.");
}

#[tokio::test]
async fn a_panic_is_an_output_and_the_tool_can_be_called_again() {
    let tools = orders();
    for _ in 0..2 {
        let out = find(&tools, "explode").execute(json!({}), &ToolContext::default()).await;
        assert!(out.is_error);
        assert!(out.error().unwrap().to_string().contains("the boiler"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_time_out_holds() {
    let tools = orders();
    let hang = find(&tools, "hang").clone().timeout(Duration::from_secs(5));
    let out = hang.execute(json!({}), &ToolContext::default()).await;
    assert!(out.is_error);
    assert!(out.error().unwrap().to_string().contains("5s"));
}

#[tokio::test]
async fn a_cancelled_context_keeps_the_handler_from_running() {
    let tools = orders();
    let token = CancellationToken::new();
    token.cancel();
    let cx = ToolContext::default().with_cancellation(token);
    let out = find(&tools, "lookup_order").execute(json!({ "id": "A-1" }), &cx).await;
    assert!(out.is_error);
    assert_eq!(out.output, "cancelled");
    assert_eq!(find(&tools, "count").execute(json!({}), &ToolContext::default()).await.output, 0);
}

#[tokio::test]
async fn a_cancellation_ends_a_handler_that_is_running() {
    let tools = orders();
    let token = CancellationToken::new();
    let cx = ToolContext::default().with_cancellation(token.clone());
    let running = find(&tools, "hang").execute(json!({}), &cx);
    let (out, ()) = tokio::join!(running, async { token.cancel() });
    assert_eq!(out.output, "cancelled");
}

// ---- in a flow

struct Desk;

#[tools]
impl Step for Desk {
    fn native_tools(&self) -> Vec<NativeTool> {
        orders()
    }

    /// Say good bye
    #[tool(define)]
    fn leave(&self) -> ToolResponse {
        finish("Bye.")
    }
}

struct Lobby;

#[tools]
impl Step for Lobby {
    /// Go to the desk
    #[tool(define)]
    fn to_desk(&self) -> ToolResponse {
        go(Desk::ID)
    }

    // Handles the flow's tool itself.
    #[tool("greet")]
    fn welcome(&self) -> ToolResponse {
        stay_with("welcome to the lobby")
    }
}

struct Shop;

#[tools]
impl Flow for Shop {
    fn model(&self) -> ModelRef {
        ModelRef::new("test", "script")
    }

    fn steps(&self) -> Steps {
        Steps::new().add(Lobby).add(Desk)
    }

    fn native_tools(&self) -> Vec<NativeTool> {
        let mut tools = collect_linked_tools().unwrap();
        tools.retain(|tool| ["greet", "add"].contains(&tool.name()));
        tools
    }
}

#[tokio::test]
async fn a_flows_native_tools_are_offered_everywhere_behind_a_steps_own() {
    let talk = Talk::of(Shop, ScriptedModel::new()).await;
    let flow = talk.engine.flow("Shop").unwrap();
    let names = |step: &str| -> Vec<String> {
        let tools = flow.step(step).unwrap().tools();
        tools.map(|tool| tool.name().to_owned()).collect()
    };
    assert_eq!(names("Lobby"), ["to_desk", "greet", "add"]);
    assert_eq!(
        names("Desk"),
        [
            "leave",
            "lookup_order",
            "cancel_order",
            "count",
            "refuse",
            "explode",
            "hang",
            "add",
            "greet"
        ]
    );
}

#[tokio::test]
async fn the_answer_of_a_native_tool_goes_back_to_the_model_and_the_step_stays() {
    let model = ScriptedModel::new()
        .on_call(Rule::new().latest("two and two"), [("add", json!({ "a": 2, "b": 2 }))])
        .on(Rule::new().latest("4"), "It is four.");
    let mut talk = Talk::of(Shop, model).await;
    let reply = talk.say("two and two").await;
    let session = talk.session().await;
    assert_eq!(reply.text, "It is four.");
    assert_eq!(session.flow.current_step, Lobby::ID);
}

#[tokio::test]
async fn a_step_that_handles_a_native_tools_name_comes_first() {
    let model = ScriptedModel::new()
        .on_call(Rule::new().latest("hello"), [("greet", json!({ "name": "Ann" }))])
        .on(Rule::new().latest("welcome to the lobby"), "ok");
    let mut talk = Talk::of(Shop, model).await;
    let reply = talk.say("hello").await;
    assert_eq!(reply.text, "ok");
}

#[tokio::test]
async fn an_error_of_a_native_tool_in_a_flow_is_noted_and_its_words_stay_from_the_model() {
    let model = ScriptedModel::new()
        .on_call(Rule::new().step("Lobby").latest("go"), [("to_desk", json!({}))])
        .on_call(Rule::new().step("Desk").latest("Start"), [("lookup_order", json!({ "id": "" }))])
        .on(Rule::new().step("Desk").latest("internal reason"), "Sorry.");
    let mut talk = Talk::of(Shop, model).await;
    let reply = talk.say("go").await;
    let session = talk.session().await;
    assert_eq!(reply.text, "Sorry.");
    assert_eq!(session.error.len(), 1);
    assert!(session.error[0].message.contains("is locked"));
}

#[tokio::test]
async fn a_tool_made_at_run_time_is_a_tool_like_any_other() {
    struct Host(Vec<NativeTool>);

    #[tools]
    impl Step for Host {
        fn native_tools(&self) -> Vec<NativeTool> {
            self.0.clone()
        }
    }

    let names = ["alpha", "beta"];
    let tools = names.map(|name| {
        let definition = ToolDefinition::new(name, "From a file", picoflow::no_arguments());
        NativeTool::new(definition, move |_args, cx: ToolContext| async move {
            format!("{name} for {}", cx.call_id().is_some())
        })
    });
    let model = ScriptedModel::new()
        .on_call(Rule::new().latest("go"), [("beta", json!({}))])
        .on(Rule::new().latest("beta for true"), "done");
    let mut talk = Talk::of(TestFlow::new(Steps::new().add(Host(tools.into()))), model).await;
    let reply = talk.say("go").await;
    assert_eq!(reply.text, "done");
}
