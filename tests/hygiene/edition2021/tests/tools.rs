//! The tools run: expansions do what they say, and not only compile.

use picoflow::{
    prelude::*,
    testing::{Rule, ScriptedModel, check_history},
};
use picoflow_hygiene_edition2021::OlderFlow;

#[tokio::test(flavor = "current_thread")]
async fn every_tool_of_the_flow_runs() {
    let calls = [
        ("save_words", json!({ "gen": "Ann", "type": 1 })),
        ("lookup_order", json!({ "gen": "A-1" })),
    ];
    let model = ScriptedModel::new()
        .on_call(Rule::new().latest("Hi"), calls)
        .on_call(Rule::new().latest("order A-1"), [("a", json!({})), ("b", json!({}))]);
    let engine = Engine::builder().flow(OlderFlow).model(model).build();
    let engine = engine.await.expect("the flow is sound");
    let reply = engine.run(Turn::new("OlderFlow").message("Hi")).await;
    let reply = reply.expect("the turn ends");
    assert_eq!(reply.text, "Hello, Ann!");
    let session = engine.session(&reply.session).await.expect("the store answers");
    check_history(&session.expect("it is stored")).expect("every call is answered");
}

#[tokio::test(flavor = "current_thread")]
async fn linked_functions_are_found_and_run() {
    let tools = collect_linked_tools().expect("names are distinct");
    let names: Vec<_> = tools.iter().map(NativeTool::name).collect();
    assert_eq!(names, ["greet"]);
    let cx = ToolContext::default();
    let out = tools[0].execute(json!({ "gen": "Ann" }), &cx).await;
    assert_eq!(out.output, "Hello, Ann!");
}
