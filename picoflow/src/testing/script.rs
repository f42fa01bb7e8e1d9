//! A model that says what a test tells it to say.

use picoflow_core::{
    BoxFuture, StepId, ToolCall,
    model::{ChatModel, ChatRequest, ModelError, ModelReply, Purpose, Usage},
};
use serde_json::Value;
use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
};

/// A model that answers by rules: the first rule that matches a request answers it.
///
/// A request without a rule fails with the step, the prompt and the latest message that had none.
///
/// Clones share their rules and counts, so a test can keep one and give the other to the engine.
///
/// ```
/// use picoflow::{prelude::*, testing::{Rule, ScriptedModel}};
///
/// # struct Ask;
/// # impl Step for Ask {
/// #     const ID: StepId = StepId::new("Ask");
/// # }
/// # struct AskFlow;
/// # impl Flow for AskFlow {
/// #     const ID: FlowId = FlowId::new("AskFlow");
/// #     fn model(&self) -> ModelRef { ModelRef::new("test", "script") }
/// #     fn steps(&self) -> Steps { Steps::new().add(Ask) }
/// # }
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// let model = ScriptedModel::new()
///     .on(Rule::new().step("Ask").latest("Hi"), "Hello!")
///     .on(Rule::new().latest("bye"), "Good bye.");
/// let engine = Engine::builder().flow(AskFlow).model(model.clone()).build().await?;
/// let reply = engine.run(Turn::new("AskFlow").message("Hi")).await?;
/// assert_eq!(reply.text, "Hello!");
///
/// let error = engine.run(Turn::new("AskFlow").message("What?")).await.unwrap_err();
/// assert!(error.to_string().contains("What?"));
/// assert_eq!(model.calls(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct ScriptedModel {
    rules: Vec<Arc<Scripted>>,
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    calls: AtomicUsize,
    ids: AtomicU64,
}

/// Which requests a reply is for.
///
/// All conditions of a rule must hold; a rule without any matches every request for a reply. Requests for a summary have
/// rules of their own: [`Rule::summary`].
///
/// ```
/// use picoflow::{prelude::*, testing::{Rule, ScriptedModel}};
/// use picoflow::model::{ModelError, ModelReply};
///
/// # struct Ask;
/// # impl Step for Ask {
/// #     const ID: StepId = StepId::new("Ask");
/// #     fn prompt(&self, _cx: &Cx<'_>) -> Prompt { "Ask politely.".into() }
/// # }
/// # struct AskFlow;
/// # impl Flow for AskFlow {
/// #     const ID: FlowId = FlowId::new("AskFlow");
/// #     fn model(&self) -> ModelRef { ModelRef::new("test", "script") }
/// #     fn steps(&self) -> Steps { Steps::new().add(Ask) }
/// # }
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// let model = ScriptedModel::new()
///     // Once; after that a later rule takes over.
///     .answer(Rule::new().times(1), |_request| Err(ModelError::permanent("out of order")))
///     .on_call(Rule::new().latest("Book it"), [("book_room", json!({ "nights": 2 }))])
///     .on_call_text(Rule::new().latest("broken"), [("book_room", "{\"nights\":")])
///     .answer(Rule::new().step("Ask").prompt("politely"), |request| {
///         Ok(ModelReply::text(format!("You said: {}", request.latest().unwrap().content)))
///     });
/// let engine = Engine::builder().flow(AskFlow).model(model).build().await?;
/// assert!(engine.run(Turn::new("AskFlow").message("Hi")).await.is_err());
/// let reply = engine.run(Turn::new("AskFlow").message("Hi")).await?;
/// assert_eq!(reply.text, "You said: Hi");
/// // `book_room` is no tool of this step, and the model is told so.
/// let reply = engine.run(Turn::new("AskFlow").message("Book it")).await?;
/// assert!(reply.text.starts_with("You said: Tool 'book_room' does not exist"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Rule {
    step: Option<StepId>,
    prompt: Vec<String>,
    latest: Vec<String>,
    times: Option<usize>,
    purpose: Purpose,
}

type Answer = dyn Fn(&ChatRequest) -> Result<ModelReply, ModelError> + Send + Sync;

struct Scripted {
    rule: Rule,
    answer: Box<Answer>,
    used: AtomicUsize,
}

impl Rule {
    /// Matches every request for a reply.
    /// See [`Rule`] for an example.
    pub fn new() -> Self {
        Self::default()
    }

    /// Matches the requests of a [`Compaction`](picoflow_core::Compaction) for a summary, which no other rule matches.
    /// See [`Compaction`](picoflow_core::Compaction) for a model without rules.
    ///
    /// ```
    /// use picoflow::testing::{Rule, ScriptedModel};
    ///
    /// let model = ScriptedModel::new()
    ///     .on(Rule::summary(), "They talked about the weather.")
    ///     .on(Rule::new(), "Hello!");
    /// assert_eq!(model.calls(), 0);
    /// ```
    pub fn summary() -> Self {
        Self { purpose: Purpose::Summary, ..Self::default() }
    }

    /// Only requests of this step.
    /// See [`Rule`] for an example.
    pub fn step(mut self, step: impl Into<StepId>) -> Self {
        self.step = Some(step.into());
        self
    }

    /// Only prompts that hold this text.
    /// See [`Rule`] for an example.
    pub fn prompt(mut self, text: impl Into<String>) -> Self {
        self.prompt.push(text.into());
        self
    }

    /// Only requests whose latest message (the user's text, or the answer to a tool call) holds this text.
    /// See [`Rule`] for an example.
    pub fn latest(mut self, text: impl Into<String>) -> Self {
        self.latest.push(text.into());
        self
    }

    /// Matches so many times and never again, so that a later rule takes over.
    /// See [`Rule`] for an example.
    pub fn times(mut self, times: usize) -> Self {
        self.times = Some(times);
        self
    }

    fn matches(&self, request: &ChatRequest) -> bool {
        let latest = request.latest().map_or("", |message| &*message.content);
        self.purpose == request.purpose
            && self.step.as_ref().is_none_or(|step| *step == request.step)
            && self.prompt.iter().all(|text| request.prompt().contains(text))
            && self.latest.iter().all(|text| latest.contains(text))
    }
}

impl ScriptedModel {
    /// A model without rules: every request fails.
    /// See [`ScriptedModel`] for an example.
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers with a text.
    /// See [`ScriptedModel`] for an example.
    pub fn on(self, rule: Rule, text: impl Into<String>) -> Self {
        let text = text.into();
        self.answer(rule, move |_| Ok(ModelReply::text(&text).with_usage(Usage::new(10, 5))))
    }

    /// Answers with tool calls, each a name and its arguments. Ids are given by the model and never repeat.
    /// See [`Rule`] for an example.
    pub fn on_call(
        self,
        rule: Rule,
        calls: impl IntoIterator<Item = (&'static str, Value)>,
    ) -> Self {
        let calls: Vec<(String, String)> = calls
            .into_iter()
            .map(|(tool, arguments)| (tool.to_owned(), arguments.to_string()))
            .collect();
        self.on_call_text(rule, calls)
    }

    /// The same with the argument text of each call as a provider might send it, JSON or not.
    /// See [`Rule`] for an example.
    pub fn on_call_text(
        self,
        rule: Rule,
        calls: impl IntoIterator<Item = (impl Into<String>, impl Into<String>)>,
    ) -> Self {
        let calls: Vec<(String, String)> =
            calls.into_iter().map(|(tool, text)| (tool.into(), text.into())).collect();
        let state = Arc::clone(&self.state);
        self.answer(rule, move |_| {
            let calls = calls.iter().map(|(tool, text)| {
                let id = state.ids.fetch_add(1, Ordering::Relaxed) + 1;
                ToolCall::from_text(format!("call_{id}"), tool, text)
            });
            Ok(ModelReply::calls(calls).with_usage(Usage::new(10, 5)))
        })
    }

    /// Answers with whatever `answer` makes of the request, an error included.
    /// See [`Rule`] for an example.
    pub fn answer(
        mut self,
        rule: Rule,
        answer: impl Fn(&ChatRequest) -> Result<ModelReply, ModelError> + Send + Sync + 'static,
    ) -> Self {
        self.rules.push(Arc::new(Scripted {
            rule,
            answer: Box::new(answer),
            used: AtomicUsize::new(0),
        }));
        self
    }

    /// How often the model was called.
    /// See [`ScriptedModel`] for an example.
    pub fn calls(&self) -> usize {
        self.state.calls.load(Ordering::Relaxed)
    }
}

impl Scripted {
    /// Counts a use, unless there is none left.
    fn take(&self) -> bool {
        let limit = self.rule.times.unwrap_or(usize::MAX);
        let next = |used: usize| (used < limit).then_some(used.saturating_add(1));
        let taken = self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
        taken.is_ok()
    }
}

impl ChatModel for ScriptedModel {
    fn generate(&self, request: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        self.state.calls.fetch_add(1, Ordering::Relaxed);
        let mut rules = self.rules.iter();
        let rule = rules.find(|scripted| scripted.rule.matches(&request) && scripted.take());
        let reply = match rule {
            Some(scripted) => (scripted.answer)(&request),
            None => Err(ModelError::permanent(Unscripted::of(&request))),
        };
        Box::pin(std::future::ready(reply))
    }
}

/// A request that no rule of a [`ScriptedModel`] matches.
#[derive(Debug, thiserror::Error)]
#[error(
    "no rule of the scripted model matches. Step: {step}. Latest message: {latest:?}. Tools: {tools:?}. Prompt: {prompt:?}"
)]
struct Unscripted {
    step: StepId,
    latest: String,
    tools: Vec<String>,
    prompt: String,
}

impl Unscripted {
    fn of(request: &ChatRequest) -> Self {
        Self {
            step: request.step.clone(),
            latest: request.latest().map_or_else(String::new, |message| message.content.clone()),
            tools: request.tools.iter().map(|tool| tool.name().to_owned()).collect(),
            prompt: request.prompt().to_owned(),
        }
    }
}

impl fmt::Debug for Scripted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rule.fmt(f)
    }
}
