//! A flow to be served: a desk whose model does what it is told to.

use futures_util::{StreamExt, stream};
use picoflow::{
    BoxFuture, BoxStream,
    model::{Block, BlockPhase, BlockReason, ChatModel, ChatRequest, ModelError, ModelEvent},
    prelude::*,
};
use std::sync::Arc;
use tokio::sync::{Semaphore, watch};

/// What no client may ever see.
pub const SECRET: &str = "key s3cret";

/// The flow.
#[derive(Debug)]
pub struct DeskFlow;

impl Flow for DeskFlow {
    const ID: FlowId = FlowId::new("DeskFlow");

    fn model(&self) -> ModelRef {
        ModelRef::new("test", "desk")
    }

    fn steps(&self) -> Steps {
        Steps::new().add(Desk).add(Back)
    }

    fn limits(&self) -> Limits {
        Limits::default().message_bytes(500_000)
    }
}

/// Another flow with the same steps.
#[derive(Debug)]
pub struct OtherFlow;

impl Flow for OtherFlow {
    const ID: FlowId = FlowId::new("OtherFlow");

    fn model(&self) -> ModelRef {
        DeskFlow.model()
    }

    fn steps(&self) -> Steps {
        DeskFlow.steps()
    }
}

struct Desk;

#[tools]
impl Step for Desk {
    fn prompt(&self, cx: &Cx<'_>) -> Prompt {
        format!("Config: {}", cx.context()["config"]).into()
    }

    /// Keep a note
    #[tool(define)]
    fn keep(&self, cx: &mut Cx<'_>, note: String) -> ToolResponse {
        cx.save_state(json!({ "note": note }));
        cx.warn("a note is kept");
        stay_with("kept")
    }

    /// Go to the back
    #[tool(define)]
    fn back(&self) -> ToolResponse {
        go(Back::ID).saying("One moment.")
    }

    /// Answer with a page
    #[tool(define)]
    fn page(&self) -> ToolResponse {
        direct("<h1>Hi</h1>").with_content_type(ContentType::HTML)
    }

    /// Answer with what is no media type
    #[tool(define)]
    fn odd(&self) -> ToolResponse {
        direct("odd").with_content_type("a\nb")
    }

    /// End
    #[tool(define)]
    fn end(&self) -> ToolResponse {
        finish("Good bye.")
    }
}

struct Back;

impl Step for Back {
    const ID: StepId = StepId::new("Back");
}

/// Does what the latest message says: `wait` for [`open`](DeskModel::open), `words` and how many of them, `fail`, `block`, a
/// tool's name, `config`, `images`; anything else it says again.
#[derive(Clone, Debug)]
pub struct DeskModel(Arc<Gate>);

#[derive(Debug)]
struct Gate {
    open: Semaphore,
    /// How many wait for it.
    waiting: watch::Sender<usize>,
}

impl Default for DeskModel {
    fn default() -> Self {
        Self(Arc::new(Gate { open: Semaphore::new(0), waiting: watch::Sender::new(0) }))
    }
}

/// One that waits, or is dropped.
struct Waiting<'a>(&'a watch::Sender<usize>);

impl<'a> Waiting<'a> {
    fn new(count: &'a watch::Sender<usize>) -> Self {
        count.send_modify(|count| *count += 1);
        Self(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

impl DeskModel {
    /// Lets this many of those that wait go on.
    pub fn open(&self, count: usize) {
        self.0.open.add_permits(count);
    }

    /// How many calls wait at any time.
    pub fn waiting(&self) -> watch::Receiver<usize> {
        self.0.waiting.subscribe()
    }

    async fn answer(&self, request: &ChatRequest) -> Result<ModelReply, ModelError> {
        if request.step == Back::ID {
            return Ok(ModelReply::text("This is the back."));
        }
        let latest = request.latest().ok_or_else(|| ModelError::permanent("nothing is asked"))?;
        let text = latest.content.clone();
        let call = |name: &str, arguments: Value| {
            Ok(ModelReply::calls([ToolCall::new(format!("c-{name}"), name, &arguments)]))
        };
        match *text.split(' ').collect::<Vec<_>>() {
            ["wait"] => {
                let _waiting = Waiting::new(&self.0.waiting);
                if let Ok(permit) = self.0.open.acquire().await {
                    permit.forget();
                }
                Ok(ModelReply::text("waited"))
            }
            ["words", count] => {
                let count = count.parse().map_err(|_| ModelError::permanent("how many?"))?;
                Ok(ModelReply::text("w ".repeat(count)))
            }
            ["fail"] => Err(ModelError::permanent(SECRET)),
            ["block"] => {
                Err(ModelError::blocked(Block::new(BlockPhase::Prompt, BlockReason::Safety)))
            }
            ["keep", note] => call("keep", json!({ "note": note })),
            [tool @ ("back" | "page" | "odd" | "end")] => call(tool, json!({})),
            ["config"] => Ok(ModelReply::text(request.prompt())),
            ["images"] => Ok(ModelReply::text(format!("{} images", latest.images().len()))),
            _ => Ok(ModelReply::text(format!("You said: {text}"))),
        }
    }
}

impl ChatModel for DeskModel {
    fn generate(&self, request: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        Box::pin(async move { self.answer(&request).await })
    }

    /// Word by word; what waits says a word before.
    fn stream(&self, request: ChatRequest) -> BoxStream<'_, Result<ModelEvent, ModelError>> {
        let waits = request.latest().is_some_and(|latest| latest.content == "wait");
        let before = waits.then(|| Ok(ModelEvent::Text("Wait … ".to_owned())));
        let answer = stream::once(async move { self.answer(&request).await }).flat_map(|reply| {
            let text = reply.as_ref().map_or_else(|_| String::new(), |reply| reply.text.clone());
            let words: Vec<_> = text.split_inclusive(' ').map(str::to_owned).collect();
            let words = words.into_iter().map(|word| Ok(ModelEvent::Text(word)));
            stream::iter(words.chain([reply.map(ModelEvent::Reply)]))
        });
        Box::pin(stream::iter(before).chain(answer))
    }
}
