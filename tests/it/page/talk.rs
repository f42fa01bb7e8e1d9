//! A flow for the page to show, and a model that says what a scenario asks it for.

use futures_util::{StreamExt, stream};
use picoflow::{
    BoxFuture, BoxStream, Engine,
    model::{ChatModel, ChatRequest, ModelError, ModelEvent, Usage},
    prelude::*,
};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use tokio::sync::Notify;

pub(super) const HTML: &str =
    r#"<img src=x onerror="window.broken = 1"><script>window.broken = 1</script><b>bold</b>"#;

struct Talk;

#[tools]
impl Step for Talk {
    /// Does the work
    #[tool(define)]
    fn work(&self, cx: &mut Cx<'_>) -> ToolResponse {
        cx.warn("the work is hard");
        go(Rest::ID).saying("One moment.")
    }

    /// Ends the conversation
    #[tool(define)]
    fn leave(&self) -> ToolResponse {
        finish("Good bye.")
    }
}

struct Rest;

#[tools]
impl Step for Rest {}

struct Tell;

#[tools]
impl Step for Tell {}

struct TalkFlow;

#[tools]
impl Flow for TalkFlow {
    fn model(&self) -> ModelRef {
        ModelRef::new("test", "talk")
    }

    fn steps(&self) -> Steps {
        Steps::new().add(Talk).add(Rest)
    }
}

struct TellFlow;

#[tools]
impl Flow for TellFlow {
    fn model(&self) -> ModelRef {
        ModelRef::new("test", "talk")
    }

    fn steps(&self) -> Steps {
        Steps::new().add(Tell)
    }
}

/// Says what the newest message asks for. Some of it waits in the middle until it may go on.
#[derive(Clone, Default)]
pub(super) struct Talker(Arc<State>);

#[derive(Default)]
struct State {
    gate: Notify,
    /// How many replies were dropped while they waited.
    stopped: AtomicUsize,
    stumbles: AtomicUsize,
    breaks: AtomicUsize,
}

impl Talker {
    pub(super) fn go_on(&self) {
        self.0.gate.notify_one();
    }

    pub(super) fn stopped(&self) -> usize {
        self.0.stopped.load(Ordering::SeqCst)
    }

    /// Waits, and counts if nobody waits for it any more.
    async fn gate(state: Arc<State>) {
        struct Waiting(Option<Arc<State>>);
        impl Drop for Waiting {
            fn drop(&mut self) {
                if let Some(state) = &self.0 {
                    state.stopped.fetch_add(1, Ordering::SeqCst);
                }
            }
        }
        let mut waiting = Waiting(Some(Arc::clone(&state)));
        state.gate.notified().await;
        waiting.0 = None;
    }

    /// Words, the gate, and what comes then.
    fn gated(
        &self,
        words: &str,
        then: Vec<Result<ModelEvent, ModelError>>,
    ) -> BoxStream<'static, Result<ModelEvent, ModelError>> {
        let words = stream::iter([Ok(ModelEvent::Text(words.to_owned()))]);
        let gate = Self::gate(Arc::clone(&self.0));
        let then = async move {
            gate.await;
            stream::iter(then)
        };
        Box::pin(words.chain(stream::once(then).flatten()))
    }
}

fn is_first(count: &AtomicUsize) -> bool {
    count.fetch_add(1, Ordering::SeqCst) == 0
}

fn said(text: &str) -> Vec<Result<ModelEvent, ModelError>> {
    let reply = ModelReply::text(text);
    vec![Ok(ModelEvent::Text(text.to_owned())), Ok(ModelEvent::Reply(reply))]
}

fn called<const N: usize>(tools: [&'static str; N]) -> Vec<Result<ModelEvent, ModelError>> {
    let calls = tools.into_iter().map(|tool| ToolCall::new(tool, tool, &json!({})));
    let reply = ModelReply::calls(calls).with_usage(Usage::new(1200, 34));
    vec![Ok(ModelEvent::Reasoning("Let me see.".to_owned())), Ok(ModelEvent::Reply(reply))]
}

impl ChatModel for Talker {
    fn generate(&self, _: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        Box::pin(async { Err(ModelError::permanent("the page streams")) })
    }

    fn stream(&self, request: ChatRequest) -> BoxStream<'_, Result<ModelEvent, ModelError>> {
        let latest = request.latest().map(|message| message.content.clone());
        let events = match (request.step.as_str(), latest.as_deref().unwrap_or_default()) {
            (_, "tell") => {
                let mut then = vec![Ok(ModelEvent::Text(" a time.".to_owned()))];
                then.push(Ok(ModelEvent::Reply(ModelReply::text("Once upon a time."))));
                return self.gated("Once upon", then);
            }
            (_, "stumble") if is_first(&self.0.stumbles) => {
                return self.gated("Wrong", vec![Err(ModelError::transient("it stumbled"))]);
            }
            (_, "stumble") => {
                let reply = ModelReply::text("Right.");
                return self.gated("Ri", vec![Ok(ModelEvent::Reply(reply))]);
            }
            (_, "break") if is_first(&self.0.breaks) => {
                vec![Err(ModelError::permanent("it broke"))]
            }
            (_, "break") => said("Mended."),
            (_, "html") => said(HTML),
            ("Talk", "work") => called(["work", "missing"]),
            ("Talk", "bye") => called(["leave"]),
            ("Rest", "Start") => said("All done."),
            _ => said("Yes."),
        };
        Box::pin(stream::iter(events))
    }
}

pub(super) async fn engine(model: &Talker) -> Engine {
    let builder = Engine::builder().flow(TalkFlow).flow(TellFlow).model(model.clone());
    builder.build().await.unwrap()
}
