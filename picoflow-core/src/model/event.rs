//! What a model says while it answers.

use super::ModelReply;

/// One bit of a reply on its way, see [`ChatModel::stream`](super::ChatModel::stream).
///
/// ```
/// use futures_util::StreamExt;
/// use picoflow_core::{BoxFuture, model::{ChatModel, ChatRequest, ModelError, ModelEvent, ModelReply}};
///
/// /// Answers at once: what it streams is its whole text, then the reply.
/// struct Hello;
///
/// impl ChatModel for Hello {
///     fn generate(&self, _request: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
///         Box::pin(async { Ok(ModelReply::text("Hello.")) })
///     }
/// }
/// # use picoflow_core::ModelRef;
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let request = ChatRequest::new(ModelRef::new("none", "none"));
/// let events: Vec<_> = Hello.stream(request).map(Result::unwrap).collect().await;
/// let reply = ModelReply::text("Hello.");
/// assert_eq!(events, [ModelEvent::Text("Hello.".to_owned()), ModelEvent::Reply(reply)]);
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ModelEvent {
    /// More of the text.
    Text(String),
    /// More of what the model thinks before it answers.
    Reasoning(String),
    /// The whole reply: the last event.
    Reply(ModelReply),
}
