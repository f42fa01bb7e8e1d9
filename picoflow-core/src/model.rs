//! What the runtime asks of a language model.

mod event;
mod failure;
mod output;
mod reference;
mod usage;

pub use event::ModelEvent;
pub use failure::{Block, BlockPhase, BlockReason, ModelFailure, Recovery};
pub use output::ModelOutput;
pub(crate) use output::without_fence;
pub use reference::ModelRef;
pub use usage::Usage;

use crate::{BoxError, BoxFuture, BoxStream, StepId, ToolCall, ToolDefinition, session::Message};
use futures_util::{StreamExt, stream};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// A language model, or what stands in for one.
///
/// [`ChatRequest::prompt`] shows one in a turn.
///
/// ```
/// use picoflow_core::{BoxFuture, model::{ChatModel, ChatRequest, ModelError, ModelReply}};
///
/// struct Echo;
///
/// impl ChatModel for Echo {
///     fn generate(&self, request: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
///         Box::pin(async move {
///             let said = request.latest().map_or("", |message| &message.content);
///             Ok(ModelReply::text(format!("You said: {said}")))
///         })
///     }
/// }
/// ```
pub trait ChatModel: Send + Sync + 'static {
    /// Answers a request.
    ///
    /// # Errors
    /// When there is no answer. [`ModelError::is_transient`] decides whether the call is tried again.
    fn generate(&self, request: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>>;

    /// Answers a request bit by bit. What comes before an error or before the end is no reply: only
    /// [`ModelEvent::Reply`] is, which comes once and last. A stream that ends without it has failed.
    ///
    /// A model that cannot stream gives the whole text of [`generate`](Self::generate) at once.
    ///
    /// See [`ModelEvent`] for an example.
    fn stream(&self, request: ChatRequest) -> BoxStream<'_, Result<ModelEvent, ModelError>> {
        let events = stream::once(self.generate(request)).flat_map(|reply| {
            stream::iter(match reply {
                Ok(reply) if reply.text.is_empty() => vec![Ok(ModelEvent::Reply(reply))],
                Ok(reply) => {
                    vec![Ok(ModelEvent::Text(reply.text.clone())), Ok(ModelEvent::Reply(reply))]
                }
                Err(error) => vec![Err(error)],
            })
        });
        Box::pin(events)
    }
}

impl<M: ChatModel + ?Sized> ChatModel for Arc<M> {
    fn generate(&self, request: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        (**self).generate(request)
    }

    fn stream(&self, request: ChatRequest) -> BoxStream<'_, Result<ModelEvent, ModelError>> {
        (**self).stream(request)
    }
}

/// One model call.
///
/// See [`prompt`](ChatRequest::prompt) for an example.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ChatRequest {
    /// Which model, with its parameters.
    pub model: ModelRef,
    /// The step that asks.
    pub step: StepId,
    /// What the answer is for.
    pub purpose: Purpose,
    /// The history: the step's prompt as a system message at index 0, if it has one; then, also as a system message, the
    /// summary of what was said before, if there is one; then the conversation. A provider that takes one system text
    /// alone is given both in one.
    pub messages: Arc<Vec<Arc<Message>>>,
    /// The tools on offer.
    pub tools: Arc<[Arc<ToolDefinition>]>,
    /// Whether the model may, must or must not call one.
    pub tool_choice: ToolChoice,
    /// The JSON schema that the reply's text must fit, if any.
    pub output_schema: Option<Value>,
    /// Fires when nobody waits for the reply any more.
    pub cancellation: CancellationToken,
}

impl ChatRequest {
    /// A request without messages, tools and schema, for tests of a [`ChatModel`]. The engine makes its own.
    ///
    /// ```
    /// use picoflow_core::{ModelRef, model::ChatRequest};
    ///
    /// let request = ChatRequest::new(ModelRef::new("openai", "gpt-4o-mini"));
    /// assert_eq!((request.prompt(), request.tools.len()), ("", 0));
    /// ```
    pub fn new(model: ModelRef) -> Self {
        Self {
            model,
            step: StepId::new(""),
            purpose: Purpose::default(),
            messages: Arc::default(),
            tools: Arc::default(),
            tool_choice: ToolChoice::default(),
            output_schema: None,
            cancellation: CancellationToken::new(),
        }
    }

    /// The step's prompt; empty if it has none.
    ///
    /// ```
    /// use picoflow_core::{BoxFuture, model::{ChatModel, ChatRequest, ModelError, ModelReply}};
    ///
    /// /// Says what it was asked, and by which prompt.
    /// struct Mirror;
    ///
    /// impl ChatModel for Mirror {
    ///     fn generate(&self, request: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
    ///         let latest = request.latest().map_or("nothing", |message| &message.content);
    ///         let text = format!("{} / {latest} / {} tools", request.prompt(), request.tools.len());
    ///         Box::pin(async move { Ok(ModelReply::text(text)) })
    ///     }
    /// }
    /// # use picoflow_core::*;
    /// # struct Ask;
    /// # impl Step for Ask {
    /// #     const ID: StepId = StepId::new("Ask");
    /// #     fn prompt(&self, _cx: &Cx<'_>) -> Prompt { "Ask.".into() }
    /// # }
    /// # struct AskFlow;
    /// # impl Flow for AskFlow {
    /// #     const ID: FlowId = FlowId::new("AskFlow");
    /// #     fn model(&self) -> ModelRef { ModelRef::new("none", "none") }
    /// #     fn steps(&self) -> Steps { Steps::new().add(Ask) }
    /// # }
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
    /// # let engine = Engine::builder().flow(AskFlow).model(Mirror).build().await?;
    /// let reply = engine.run(Turn::new("AskFlow").message("Hi")).await?;
    /// assert_eq!(reply.text, "Ask. / Hi / 0 tools");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn prompt(&self) -> &str {
        match self.messages.first() {
            Some(first) if first.is_system() && !first.is_summary() => &first.content,
            _ => "",
        }
    }

    /// The message that tells what was said before the conversation that follows, if a
    /// [`Compaction`](crate::Compaction) made room.
    /// See [`Compaction`](crate::Compaction) for an example.
    pub fn summary(&self) -> Option<&Message> {
        let mut system = self.messages.iter().take_while(|message| message.is_system());
        system.find(|message| message.is_summary()).map(|message| &**message)
    }

    /// The newest message of the conversation.
    /// See [`prompt`](ChatRequest::prompt) for an example.
    pub fn latest(&self) -> Option<&Message> {
        let latest = self.messages.last().map(|message| &**message);
        latest.filter(|message| !message.is_system())
    }
}

/// What a [`ChatRequest`] is for.
///
/// ```
/// use picoflow_core::model::Purpose;
///
/// assert_eq!(Purpose::default(), Purpose::Reply);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Purpose {
    /// A step's reply.
    #[default]
    Reply,
    /// A summary, for a [`Compaction`](crate::Compaction).
    Summary,
}

/// Whether the model may, must or must not call a tool.
///
/// ```
/// use picoflow_core::model::ToolChoice;
///
/// assert_eq!(ToolChoice::default(), ToolChoice::Auto);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolChoice {
    /// It may.
    #[default]
    Auto,
    /// It must.
    Required,
    /// It must not.
    None,
}

/// What a model answered.
///
/// ```
/// use picoflow_core::{ToolCall, model::{ModelReply, Usage}};
/// use serde_json::json;
///
/// let call = ToolCall::new("call_1", "set_color", &json!({ "color": "blue" }));
/// let reply = ModelReply::calls([call]).with_usage(Usage::new(120, 12));
/// assert_eq!((&*reply.text, reply.tool_calls.len(), reply.usage.total_tokens), ("", 1, 132));
/// assert_eq!(ModelReply::text("Hello.").tool_calls, []);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModelReply {
    /// The text; JSON text when the request had an output schema.
    #[serde(default)]
    pub text: String,
    /// The calls, in the order in which they run.
    #[serde(default)]
    pub tool_calls: Vec<ToolCall>,
    /// What the call cost.
    #[serde(default)]
    pub usage: Usage,
    /// What the provider wants back with the next request, such as signed reasoning, in a form that the model's client
    /// alone understands. It is stored with the reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<Value>,
}

impl ModelReply {
    /// A reply that is a text.
    /// See [`ModelReply`] for an example.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// A reply that calls tools.
    /// See [`ModelReply`] for an example.
    pub fn calls(calls: impl IntoIterator<Item = ToolCall>) -> Self {
        Self { tool_calls: calls.into_iter().collect(), ..Self::default() }
    }

    /// The same with what it cost.
    /// See [`ModelReply`] for an example.
    #[must_use]
    pub fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    /// The same with what the provider wants back, see [`reasoning`](Self::reasoning).
    ///
    /// ```
    /// use picoflow_core::ModelReply;
    /// use serde_json::json;
    ///
    /// let reply = ModelReply::text("Hello.").with_reasoning(json!({ "signature": "x" }));
    /// assert_eq!(reply.reasoning.unwrap()["signature"], "x");
    /// ```
    #[must_use]
    pub fn with_reasoning(mut self, reasoning: impl Into<Value>) -> Self {
        self.reasoning = Some(reasoning.into());
        self
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.tool_calls.is_empty() && self.text.trim().is_empty()
    }
}

/// Why a model did not answer.
///
/// ```
/// use picoflow_core::model::ModelError;
///
/// assert!(ModelError::transient("503").is_transient());
/// assert!(!ModelError::permanent("no such model").is_transient());
/// ```
///
/// As JSON its source is a text: that is what is left of it when it is read again.
///
/// ```
/// # use picoflow_core::model::ModelError;
/// let json = serde_json::to_string(&ModelError::transient("503"))?;
/// assert_eq!(json, r#"{"transient":{"source":"503","retry_after":null}}"#);
/// assert!(serde_json::from_str::<ModelError>(&json)?.is_transient());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ModelError {
    /// Worth another try: the network, a rate limit, an overloaded server.
    #[error("the model could not be reached: {source}")]
    Transient {
        /// Why.
        #[serde(with = "text")]
        source: BoxError,
        /// How long the provider asks to wait.
        retry_after: Option<Duration>,
    },
    /// Another try would fail the same way.
    #[error("the model call failed: {0}")]
    Permanent(
        #[source]
        #[serde(with = "text")]
        BoxError,
    ),
    /// The provider refused to answer.
    #[error("the provider refused to answer: {0}")]
    Blocked(Box<Block>),
    /// It took longer than the step's limit.
    #[error("the model did not answer within {0:?}")]
    TimedOut(Duration),
}

impl ModelError {
    /// An error that is worth another try.
    /// See [`ModelError`] for an example.
    pub fn transient(error: impl Into<BoxError>) -> Self {
        Self::Transient { source: error.into(), retry_after: None }
    }

    /// An error that another try would meet again.
    /// See [`ModelError`] for an example.
    pub fn permanent(error: impl Into<BoxError>) -> Self {
        Self::Permanent(error.into())
    }

    /// A refusal of the provider.
    /// See [`Block`] for an example.
    pub fn blocked(block: Block) -> Self {
        Self::Blocked(Box::new(block))
    }

    /// A name for programs, as in [`TurnError::code`](crate::TurnError::code). It does not change.
    ///
    /// ```
    /// assert_eq!(picoflow_core::model::ModelError::transient("503").code(), "MODEL_UNAVAILABLE");
    /// ```
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Transient { .. } => "MODEL_UNAVAILABLE",
            Self::Permanent(_) => "MODEL_FAILED",
            Self::Blocked(_) => "MODEL_BLOCKED",
            Self::TimedOut(_) => "MODEL_TIMED_OUT",
        }
    }

    /// Whether another try may help.
    /// See [`ModelError`] for an example.
    pub const fn is_transient(&self) -> bool {
        matches!(self, Self::Transient { .. } | Self::TimedOut(_))
    }
}

/// An error as its text.
mod text {
    use crate::BoxError;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(error: &BoxError, json: S) -> Result<S::Ok, S::Error> {
        json.collect_str(error)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(json: D) -> Result<BoxError, D::Error> {
        String::deserialize(json).map(Into::into)
    }
}
