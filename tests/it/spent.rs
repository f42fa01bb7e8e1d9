//! What a turn costs, for those who pay also when it gives no reply.

use crate::support::TestFlow;
use picoflow::{
    BoxFuture, Spent,
    model::{ChatModel, ChatRequest, ModelError, Usage},
    prelude::*,
};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

struct Parent;

#[tools]
impl Step for Parent {
    /// Ask two children
    #[tool(define)]
    async fn both(&self, cx: &mut Cx<'_>) -> Result<ToolResponse, ToolError> {
        let child = |key| Child::new(Worker::ID).key(key).message("work");
        cx.run_steps([child("a"), child("b")]).await?;
        Ok(stay_with("done"))
    }
}

struct Worker;

#[tools]
impl Step for Worker {}

/// 15 tokens for each reply; after the children it does not answer.
struct Costly(CancellationToken);

impl ChatModel for Costly {
    fn generate(&self, request: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        Box::pin(async move {
            let latest = request.latest().map(|latest| latest.content.clone());
            let reply = match latest.as_deref() {
                Some("work") => ModelReply::text("worked"),
                Some("done") => {
                    self.0.cancel();
                    std::future::pending().await
                }
                Some("fail") => return Err(ModelError::permanent("no")),
                _ => ModelReply::calls([ToolCall::new("1", "both", &json!({}))]),
            };
            Ok(reply.with_usage(Usage::new(12, 3)))
        })
    }
}

async fn engine(asked: &CancellationToken) -> Engine {
    let flow = TestFlow::new(Steps::new().add(Parent).add(Worker));
    Engine::builder().flow(flow).model(Costly(asked.clone())).build().await.unwrap()
}

#[track_caller]
fn check(spent: &Spent, calls: u32, answered: u64) {
    assert_eq!(
        (spent.model_calls(), spent.usage().total_tokens),
        (calls, 15 * answered),
        "{spent:?}"
    );
}

#[tokio::test]
async fn dropped_turn_counts_with_its_children() {
    let asked = CancellationToken::new();
    let engine = engine(&asked).await;
    let spent = Spent::default();
    let turn = Turn::new(TestFlow::ID).message("Hi").spent(&spent);
    tokio::select! {
        result = engine.run(turn) => panic!("{result:?}"),
        () = asked.cancelled() => {}
    }
    check(&spent, 4, 3);
}

#[tokio::test(start_paused = true)]
async fn turns_that_fail_count_together() {
    let asked = CancellationToken::new();
    let engine = engine(&asked).await;
    let spent = Spent::default();
    let late = Turn::new(TestFlow::ID).message("Hi").timeout(Duration::from_secs(1)).spent(&spent);
    assert_eq!(engine.run(late).await.unwrap_err().code(), "TURN_TIMED_OUT");
    check(&spent, 4, 3);
    let failing = Turn::new(TestFlow::ID).message("fail").spent(&spent);
    assert_eq!(engine.run(failing).await.unwrap_err().code(), "MODEL_FAILED");
    check(&spent, 5, 3);
}
