//! What failures say: words for who calls, without the Rust of who wrote the service.

use super::{Served, hear};
use picoflow::prelude::*;

#[tokio::test]
async fn failures_give_no_rust_advice() {
    let served = Served::new(|service| service.body_bytes(700_000)).await;
    let id = served.say(None, "Hi").await["session"].as_str().unwrap().to_owned();
    let ended = served.say(None, "end").await["session"].as_str().unwrap().to_owned();
    let run = |session: Option<&str>, body: Value| {
        let request = served.post("/ai/run").json(&body);
        match session {
            Some(id) => request.header("Chat-Session-Id", id),
            None => request,
        }
    };
    let desk = |message: &str| json!({ "flowName": "DeskFlow", "message": message });
    let deep = (0..110).fold(json!(1), |inner, _| json!([inner]));
    for (request, code, way_out) in [
        (
            run(None, json!({ "flowName": "NoFlow", "message": "Hi" })),
            "FLOW_UNKNOWN",
            "list of flows",
        ),
        (run(Some("nope"), desk("Hi")), "SESSION_UNKNOWN", "leave the session out"),
        (run(Some(&ended), desk("Hi")), "SESSION_ENDED", "leave the session out"),
        (
            run(Some(&id), json!({ "flowName": "OtherFlow", "message": "Hi" })),
            "SESSION_FLOW_MISMATCH",
            "`DeskFlow`",
        ),
        (run(Some(&id), json!({ "flowName": "DeskFlow" })), "MESSAGE_EMPTY", "send a text"),
        (run(None, desk(&"x".repeat(600_000))), "MESSAGE_TOO_LARGE", "send less"),
        (
            run(Some(&id), json!({ "flowName": "DeskFlow", "message": "Hi", "config": 1 })),
            "SESSION_CONFIG_MISMATCH",
            "leave it out",
        ),
        (
            run(None, json!({ "flowName": "DeskFlow", "message": "Hi", "config": deep })),
            "CONFIG_TOO_DEEP",
            "nest it less",
        ),
        (run(None, desk("block")), "MODEL_BLOCKED", "in other words"),
        (run(None, desk("fail")), "MODEL_FAILED", "try it again"),
        (served.get(&format!("/ai/sessions/{id}")), "FORBIDDEN", "operator"),
        (served.get("/ai/flows/DeskFlow/graph"), "FORBIDDEN", "operator"),
        (served.get("/ai/sessions"), "FORBIDDEN", "everybody"),
    ] {
        let heard = hear(request).await;
        let problem = heard.json();
        assert_eq!(problem["code"], code, "{problem}");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains(way_out), "{detail}");
        for rust in ["::", "()", "(..)", "on_model", "Engine", "Limits", "Turn"] {
            assert!(!detail.contains(rust), "{detail}");
        }
    }
}
