//! What is inside, and who may look.

use super::{Served, hear};
use picoflow::prelude::*;

#[tokio::test]
async fn whoever_may_look_inside_sees_how_a_reply_came_about() {
    let served = Served::new(|service| service.inside(true)).await;
    let reply = served.say(None, "keep it").await;
    let inside = &reply["inside"];
    assert_eq!(inside["step"], "Desk");
    let tool = inside["events"].as_array().unwrap().iter().find(|it| it["event"] == "tool_called");
    assert_eq!(tool.unwrap()["tool"], "keep");
    assert_eq!(inside["usage"]["totalTokens"], 0);

    let id = reply["session"].as_str().unwrap();
    let document = hear(served.get(&format!("/ai/sessions/{id}"))).await.json();
    assert_eq!(document, serde_json::to_value(&*super::stored(&served.engine, id).await).unwrap());
    hear(served.get("/ai/sessions/nope")).await.check_problem(404, "NOT_FOUND");
    hear(served.get("/ai/sessions/%ff")).await.check_problem(400, "REQUEST_INVALID");
}

#[tokio::test]
async fn a_flow_is_shown_as_data_and_as_a_picture() {
    let served = Served::new(|service| service.inside(true)).await;
    let graph = hear(served.get("/ai/flows/DeskFlow/graph")).await.json();
    let desk = &graph["steps"][0];
    assert_eq!(
        (&desk["step"], &desk["entry"], &desk["logic"]),
        (&json!("Desk"), &json!(true), &json!(false))
    );
    assert_eq!(desk["tools"], json!(["keep", "back", "page", "odd", "end"]));
    let edges = graph["edges"].as_array().unwrap();
    let edge =
        json!({ "from": "Desk", "to": "Back", "kind": "go", "method": "back", "tools": ["back"] });
    assert!(edges.contains(&edge), "{edges:?}");
    assert!(graph["svg"].as_str().unwrap().contains("<svg"));
    hear(served.get("/ai/flows/Nope/graph")).await.check_problem(404, "NOT_FOUND");
}

#[tokio::test]
async fn others_see_the_reply_alone() {
    // Whatever the program is built for.
    let served = Served::open().await;
    let reply = served.say(None, "keep it").await;
    assert!(reply.get("inside").is_none(), "{reply}");
    let id = reply["session"].as_str().unwrap();
    for path in [&*format!("/ai/sessions/{id}"), "/ai/flows/DeskFlow/graph"] {
        hear(served.get(path)).await.check_problem(403, "FORBIDDEN");
    }
}
