//! What a call comes to when the server answers, and when it does not.

use super::{Does, Fake, call, connect, lines::said};
use picoflow::{ToolContext, prelude::*};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

fn fake(does: impl Fn() -> Does + Send + Sync + 'static) -> Fake {
    Fake::new(move |_, method, _| match method {
        "tools/list" => Does::list(&["tool"]),
        _ => does(),
    })
}

#[tokio::test]
async fn a_tools_error_is_the_tools_error() {
    let mut result = said("no such file");
    result["isError"] = true.into();
    let (_client, tools) = connect(fake(move || Does::Answer(result.clone())).server).await;
    let output = call(&tools, "tool", json!({})).await;
    assert!(output.is_error);
    assert_eq!(output.text(), "no such file");
}

#[tokio::test]
async fn an_error_of_the_protocol_is_told_to_the_model() {
    let (_client, tools) = connect(fake(|| Does::Fail(-32602, "`path` is missing")).server).await;
    let output = call(&tools, "tool", json!({})).await;
    assert!(output.is_error);
    assert_eq!(output.text(), "`path` is missing (code -32602)");
}

#[tokio::test(start_paused = true)]
async fn a_call_without_an_answer_ends_in_time_and_is_given_up() {
    let fake = fake(|| Does::Nothing);
    let server = fake.server.clone().timeout(Duration::from_millis(100));
    let (_client, tools) = connect(server).await;
    let output = call(&tools, "tool", json!({})).await;
    assert!(output.is_error);
    assert_eq!(
        output.text(),
        "The server `fake` gave no answer within 100ms. It is not known whether the tool ran."
    );
    fake.hears("notifications/cancelled").await;
    assert_eq!(fake.heard("tools/call"), 1);
}

#[tokio::test]
async fn whoever_cancels_a_call_tells_the_server() {
    let fake = fake(|| Does::Nothing);
    let (_client, tools) = connect(fake.server.clone()).await;
    let stop = CancellationToken::new();
    let cx = ToolContext::default().with_cancellation(stop.clone());
    let cancel = async {
        fake.hears("tools/call").await;
        stop.cancel();
    };
    let (output, ()) = tokio::join!(tools[0].execute(json!({}), &cx), cancel);
    assert!(output.is_error);
    assert_eq!(output.text(), "cancelled");
    fake.hears("notifications/cancelled").await;
}
