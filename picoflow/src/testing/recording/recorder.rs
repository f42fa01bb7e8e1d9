//! Writes down what a model is asked and what it answers.

use super::{
    Asked, Bit, RecordedCall,
    turn::{Answer, RecordedTurn},
};
use crate::{
    BoxFuture, BoxStream, ModelReply, Reply, Turn,
    model::{ChatModel, ChatRequest, ModelError, ModelEvent},
};
use futures_util::{StreamExt, stream};
use serde::Serialize;
use std::{
    borrow::Cow,
    env, fmt,
    fs::File,
    io::{self, Write},
    path::Path,
    sync::{Mutex, PoisonError},
    time::Instant,
};

/// What stands for a secret.
const REMOVED: &str = "[removed]";

/// A secret has at least so many bytes: a shorter one would be found in ordinary text.
const SHORTEST: usize = 8;

/// A model whose calls are written to a file, for [`Replay`](super::Replay).
///
/// The value of every environment variable whose name ends with `KEY`, `TOKEN`, `SECRET` or `PASSWORD` is written as
/// `[removed]` wherever it comes, and so is what [`without`](Self::without) is given. Everything else of the conversation
/// is in the file: record with data that everybody may see.
///
/// ```
/// use picoflow::{prelude::*, testing::{Recorder, Replay, Rule, ScriptedModel}};
/// # struct Ask;
/// # #[tools] impl Step for Ask {}
/// # struct AskFlow;
/// # impl Flow for AskFlow {
/// #     const ID: FlowId = FlowId::new("AskFlow");
/// #     fn model(&self) -> ModelRef { ModelRef::new("openai", "gpt-4o-mini") }
/// #     fn steps(&self) -> Steps { Steps::new().add(Ask) }
/// # }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let file = std::env::temp_dir().join(format!("picoflow-recorder-{}.jsonl", std::process::id()));
/// # let real_model = ScriptedModel::new().on(Rule::new().latest("Hi"), "Hello.");
///
/// // Once, with a real model:
/// let model = Recorder::create(&file, real_model)?;
/// let engine = Engine::builder().flow(AskFlow).model(model).build().await?;
/// assert_eq!(engine.run(Turn::new("AskFlow").message("Hi")).await?.text, "Hello.");
///
/// // In the tests, without one:
/// let engine = Engine::builder().flow(AskFlow).model(Replay::open(&file)?).build().await?;
/// assert_eq!(engine.run(Turn::new("AskFlow").message("Hi")).await?.text, "Hello.");
/// # std::fs::remove_file(file)?;
/// # Ok(())
/// # }
/// ```
pub struct Recorder<M> {
    model: M,
    file: Mutex<File>,
    secrets: Vec<String>,
}

impl<M: ChatModel> Recorder<M> {
    /// Writes to a new file.
    /// See [`Recorder`] for an example.
    ///
    /// # Errors
    /// When it cannot be created.
    pub fn create(path: impl AsRef<Path>, model: M) -> io::Result<Self> {
        let file = Mutex::new(File::create(path)?);
        let ends = ["KEY", "TOKEN", "SECRET", "PASSWORD"];
        let secrets = env::vars_os().filter_map(|(name, value)| {
            let name = name.to_string_lossy().to_uppercase();
            ends.iter().any(|end| name.ends_with(end)).then(|| value.into_string().ok())?
        });
        let recorder = Self { model, file, secrets: Vec::new() };
        Ok(secrets.fold(recorder, Self::without))
    }

    /// Keeps one more text out of the file. One of less than eight bytes is ignored: it would be found everywhere.
    ///
    /// ```
    /// # use picoflow::testing::{Recorder, ScriptedModel};
    /// # let file = std::env::temp_dir().join(format!("picoflow-without-{}.jsonl", std::process::id()));
    /// let model = Recorder::create(&file, ScriptedModel::new())?.without("customer 4711-0815");
    /// assert!(!format!("{model:?}").contains("4711"));
    /// # std::fs::remove_file(file)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub fn without(mut self, secret: impl Into<String>) -> Self {
        let secret = secret.into();
        if secret.len() >= SHORTEST {
            // As it stands in a text of JSON.
            let quoted = serde_json::Value::from(secret).to_string();
            self.secrets.push(quoted.trim_matches('"').to_owned());
            // One that holds another one goes first.
            self.secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        }
        self
    }

    /// Writes down a turn behind its calls, so that [`Replay::run`](super::Replay::run) can hold the conversation again;
    /// without a reply, it failed or was cancelled, and its calls count for nothing. A file has one conversation, from
    /// its start, each turn after the other.
    ///
    /// # Errors
    /// When the file cannot be written.
    ///
    #[doc = include_str!("../../docs/recorder_turn.md")]
    pub fn turn(&self, turn: &Turn, reply: Option<&Reply>) -> io::Result<()> {
        self.put(&RecordedTurn { turn: Cow::Borrowed(turn), reply: reply.map(Answer::from) })
    }

    fn write(
        &self,
        asked: &Asked,
        said: Vec<(u64, Bit)>,
        result: Result<ModelReply, ModelError>,
        began: Instant,
    ) -> Result<ModelReply, ModelError> {
        let (asked, took_ms) = (Cow::Borrowed(asked), milliseconds(began));
        let call = RecordedCall { asked, said, result, took_ms };
        match self.put(&call) {
            Ok(()) => call.result,
            Err(error) => Err(ModelError::permanent(format!("the call was not recorded: {error}"))),
        }
    }

    fn put(&self, line: &impl Serialize) -> io::Result<()> {
        let mut text = serde_json::to_string(line)?;
        for secret in &self.secrets {
            text = text.replace(secret, REMOVED);
        }
        text.push('\n');
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(text.as_bytes())
    }
}

fn milliseconds(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX)
}

impl<M: ChatModel> ChatModel for Recorder<M> {
    fn generate(&self, request: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        Box::pin(async move {
            let (asked, began) = (Asked::from(&request), Instant::now());
            let result = self.model.generate(request).await;
            self.write(&asked, Vec::new(), result, began)
        })
    }

    fn stream(&self, request: ChatRequest) -> BoxStream<'_, Result<ModelEvent, ModelError>> {
        let (asked, began) = (Asked::from(&request), Instant::now());
        let events = Some((self.model.stream(request), Vec::new()));
        Box::pin(stream::unfold((events, asked), move |(events, asked)| async move {
            let (mut events, mut said) = events?;
            let end = match events.next().await {
                Some(Ok(ModelEvent::Reply(reply))) => Ok(reply),
                Some(Ok(event)) => {
                    match &event {
                        ModelEvent::Text(text) => {
                            said.push((milliseconds(began), Bit::Text(text.clone())));
                        }
                        ModelEvent::Reasoning(text) => {
                            said.push((milliseconds(began), Bit::Reasoning(text.clone())));
                        }
                        _ => {}
                    }
                    return Some((Ok(event), (Some((events, said)), asked)));
                }
                Some(Err(error)) => Err(error),
                None => Err(ModelError::transient("the stream ended before the reply")),
            };
            let end = self.write(&asked, said, end, began).map(ModelEvent::Reply);
            Some((end, (None, asked)))
        }))
    }
}

impl<M> fmt::Debug for Recorder<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").field("secrets", &self.secrets.len()).finish_non_exhaustive()
    }
}
