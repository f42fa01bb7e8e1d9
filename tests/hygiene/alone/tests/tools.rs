//! The tools run: expansions do what they say, and not only compile.

use picoflow::{
    prelude::*,
    testing::{Rule, ScriptedModel, check_history},
};
use picoflow_hygiene_alone::AloneFlow;

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
        .on_call(
            Rule::new().latest("2 at once"),
            [("save_user", json!({ "name": "Ann", "age": null }))],
        );
    let engine = Engine::builder().flow(AloneFlow).model(model).build();
    let engine = engine.await.expect("the flow is sound");
    let reply = engine.run(Turn::new("AloneFlow").message("Hi")).await;
    let reply = reply.expect("the turn ends");
    assert_eq!(reply.text, "Hello, Ann!");
    assert!(reply.completed);
    let session = engine.session(&reply.session).await.expect("the store answers");
    check_history(&session.expect("it is stored")).expect("every call is answered");
}

#[tokio::test(flavor = "current_thread")]
async fn linked_functions_are_found_and_run() {
    let tools = collect_linked_tools().expect("names are distinct");
    let names: Vec<_> = tools.iter().map(NativeTool::name).collect();
    assert_eq!(names, ["greet", "register"]);
    let cx = ToolContext::default();
    let out = tools[0].execute(json!({ "name": "Ann" }), &cx).await;
    assert_eq!(out.output, "Hello, Ann!");
    let out = tools[0].execute(json!({}), &cx).await;
    assert!(out.is_error, "{out:?}");
    let out = tools[1].execute(json!({ "name": "Bob" }), &cx).await;
    assert_eq!(out.output, json!({ "user": { "name": "Bob", "age": null }, "call": "register" }));
}
