//! The tools run: expansions do what they say, and not only compile.

use flow::{
    prelude::*,
    testing::{Rule, ScriptedModel, check_history},
};
use picoflow_hygiene_renamed::RenamedFlow;

#[tokio::test(flavor = "current_thread")]
async fn every_tool_of_the_flow_runs() {
    let calls = [
        ("save_words", json!({ "first": "Ann", "others": ["Bob"] })),
        ("echo", json!({ "text": "again" })),
        ("lookup_order", json!({ "id": "A-1" })),
    ];
    let model = ScriptedModel::new()
        .on_call(Rule::new().latest("Hi"), calls)
        .on_call(Rule::new().latest("order A-1 known=true"), [("a", json!({})), ("b", json!({}))])
        .on_call(Rule::new().latest("2 at once"), [("save_user", json!({ "name": "Ann" }))]);
    let engine = Engine::builder().flow(RenamedFlow).model(model).build();
    let engine = engine.await.expect("the flow is sound");
    let reply = engine.run(Turn::new("RenamedFlow").message("Hi")).await;
    let reply = reply.expect("the turn ends");
    assert_eq!(reply.text, "Hello, Ann!");
    let session = engine.session(&reply.session).await.expect("the store answers");
    check_history(&session.expect("it is stored")).expect("every call is answered");
}

#[tokio::test(flavor = "current_thread")]
async fn linked_functions_are_found_and_run() {
    let tools = collect_linked_tools().expect("names are distinct");
    let names: Vec<_> = tools.iter().map(NativeTool::name).collect();
    assert_eq!(names, ["greet", "hello"]);
    for tool in tools {
        let cx = ToolContext::default();
        let out = tool.execute(json!({ "name": "Ann" }), &cx).await;
        assert_eq!(out.output, "Hello, Ann!");
    }
}
