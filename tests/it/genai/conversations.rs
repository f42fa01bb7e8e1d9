//! Whole turns: what a provider wants back is stored with its calls, and goes back with the answers to them.

use super::{
    model_at,
    server::{Answer, Server},
};
use picoflow::{Engine, genai::Protocol, prelude::*, testing::check_history};
use picoflow_tests::trip::{PROVIDER, TripFlow};

#[tokio::test]
async fn signed_thoughts_are_stored_with_their_calls_and_go_back_with_the_answers() {
    let usage = json!({ "input_tokens": 1, "output_tokens": 1 });
    let thinks = json!({
        "model": "m", "stop_reason": "tool_use", "usage": usage,
        "content": [
            { "type": "thinking", "thinking": "Rome it is.", "signature": "sealed" },
            { "type": "redacted_thinking", "data": "hidden" },
            { "type": "text", "text": "Let me see." },
            { "type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": { "city": "Rome" } },
        ],
    });
    let says = json!({
        "model": "m", "stop_reason": "end_turn", "usage": usage, "content": [{ "type": "text", "text": "Sunny." }],
    });
    let server = Server::start([Answer::json(&thinks), Answer::json(&says)]).await;
    let model = model_at(PROVIDER, Protocol::Anthropic, &server);
    let engine = Engine::builder().flow(TripFlow).model(model).build().await.unwrap();
    let reply = engine.run(Turn::new("TripFlow").message("Rome?")).await.unwrap();
    assert_eq!(reply.text, "Sunny.");
    let told = &server.asked()[1].body["messages"];
    assert_eq!(told[1]["content"], thinks["content"]);
    assert_eq!(told[2]["content"][0]["content"], "Rome: sunny, 21 degrees");

    let session = engine.session(&reply.session).await.unwrap().unwrap();
    check_history(&session).unwrap();
    let document = serde_json::to_string(&session).unwrap();
    assert!(document.contains("sealed") && document.contains("hidden"));
    // The next turn of the same model tells it again.
    let next = Turn::new("TripFlow").session(&reply.session).message("And now?");
    engine.run(next).await.unwrap();
    assert_eq!(server.last().body["messages"][1]["content"], thinks["content"]);
}
