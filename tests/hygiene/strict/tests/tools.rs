//! The tools run: expansions do what they say, and not only compile.
#![expect(clippy::shadow_reuse, reason = "what is strict is the code with the tools")]

use picoflow::{
    prelude::*,
    testing::{Rule, ScriptedModel, check_history},
};
use picoflow_hygiene_strict::StrictFlow;

#[tokio::test(flavor = "current_thread")]
async fn every_tool_of_the_flow_runs() {
    let calls = [
        ("save_words", json!({ "first": "Ann", "times": "3" })),
        ("echo", json!({ "text": "again" })),
        ("lookup_order", json!({ "id": "A-1" })),
        ("cancel_order", json!({ "id": "A-2", "copies": "2" })),
    ];
    let model = ScriptedModel::new()
        .on_call(Rule::new().latest("Hi"), calls)
        .on_call(
            Rule::new().latest("order A-2 x2 stopped=false"),
            [("both_a", json!({})), ("both_b", json!({}))],
        )
        .on_call(Rule::new().latest("2 at once"), [("save_user", json!({ "name": "Ann" }))]);
    let engine = Engine::builder().flow(StrictFlow::new()).model(model).build();
    let engine = engine.await.expect("the flow is sound");
    let reply = engine.run(Turn::new("StrictFlow").message("Hi")).await;
    let reply = reply.expect("the turn ends");
    assert_eq!(reply.text, "Hello, Ann!");
    assert!(reply.completed);
    let session = engine.session(&reply.session).await.expect("the store answers");
    check_history(&session.expect("it is stored")).expect("every call is answered");
}

#[tokio::test(flavor = "current_thread")]
async fn linked_functions_are_found_and_run() {
    let tools = collect_linked_tools().expect("names are distinct");
    let cases = [
        ("greet", json!({ "name": "Ann" }), json!("Hello, Ann!")),
        (
            "register",
            json!({ "name": "Bob" }),
            json!({ "user": { "name": "Bob" }, "call": "register" }),
        ),
        ("version", json!({}), json!("1")),
    ];
    assert_eq!(tools.len(), cases.len());
    for (tool, (name, arguments, output)) in tools.iter().zip(cases) {
        assert_eq!(tool.name(), name);
        let out = tool.execute(arguments, &ToolContext::default()).await;
        assert_eq!(out.output, output);
    }
}
