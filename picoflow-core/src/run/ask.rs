//! One reply of a model: the request, and the attempts at it.

use super::{
    Env, Run,
    journal::keep_reply,
    listener::streamed,
    offer::{chosen_model, offer},
    recover::Recovered,
    within,
};
use crate::{
    CallSite, Cx, Hidden, StepResponse, TurnError, TurnEvent, Verdict,
    flow::CompiledStep,
    model::{
        Block, ChatRequest, ModelError, ModelFailure, ModelOutput, ModelRef, ModelReply, Purpose,
        ToolChoice, without_fence,
    },
    session::{Message, MessageKind, SUMMARY},
    tool::{Node, Parsed, ToolValidator, fit_value},
};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::{collections::HashMap, sync::Arc};

/// What the reference product tells a model that said nothing.
const NUDGE: &str = "Follow system prompt and respond properly.";

/// What asking came to.
pub(super) enum Asking {
    Replied(Asked),
    /// What a hook said in place of a reply.
    Recovered {
        response: StepResponse,
        hook: &'static str,
        /// Whether it is the flow's hook.
        is_flow: bool,
        /// Whether the step wants JSON.
        is_structured: bool,
    },
}

/// A reply that was taken, with what it answers.
pub(super) struct Asked {
    pub(super) reply: ModelReply,
    pub(super) hidden: Hidden,
    /// The reply's text parsed, if the step has an output schema.
    pub(super) structured: Option<Value>,
}

impl Asked {
    /// The reply as `on_response` gets it.
    pub(super) fn output(&self) -> ModelOutput {
        match &self.structured {
            Some(value) => ModelOutput::Structured(value.clone()),
            None => ModelOutput::Text(self.reply.text.clone()),
        }
    }
}

/// How often models were asked in a turn, retries aside.
#[derive(Default)]
pub(super) struct Rounds {
    all: u32,
    by_step: HashMap<usize, u32>,
    /// The models that steps were given in place of their own.
    pub(super) others: HashMap<usize, ModelRef>,
    /// The prompt that a child's handler gave the child.
    pub(super) prompt: Option<String>,
}

impl Rounds {
    /// Counts one more. A step's own limit bounds its own rounds; a step that may take more than the flow allows for a
    /// whole turn may take them.
    fn count(&mut self, env: &Env, step: &CompiledStep, at: usize) -> Result<(), TurnError> {
        let own = self.by_step.entry(at).or_default();
        let own_limit = step.limits.model_rounds;
        let limit = own_limit.max(env.flow.limits.model_rounds);
        if *own >= own_limit || self.all >= limit {
            return Err(TurnError::Limit {
                step: step.id.clone(),
                what: "model rounds",
                limit: if *own >= own_limit { own_limit } else { limit },
            });
        }
        *own += 1;
        self.all += 1;
        Ok(())
    }
}

/// Why a reply is not taken.
struct Refusal {
    /// For the session and the error.
    reason: String,
    /// For the model.
    nudge: String,
}

/// Why there is no reply, after all attempts.
pub(super) enum Stopped {
    Blocked(Box<Block>),
    Failed(ModelFailure),
}

impl Run {
    /// Asks the step's model until it gives a reply that can be used, or a hook answers in its place.
    pub(super) async fn ask(
        &mut self,
        env: &Env,
        at: usize,
        rounds: &mut Rounds,
    ) -> Result<Asking, TurnError> {
        let step = env.step(at)?;
        rounds.count(env, step, at)?;
        // Before the first call the session has just been loaded.
        if rounds.all > 1 {
            env.check_revision().await?;
        }
        let (mut request, hidden) = self.request(env, step, at, rounds)?;
        let schema = compile_schema(step, &request)?;
        if schema.is_some() && !request.tools.is_empty() {
            self.warn(
                &step.id,
                "the step offers tools beside an output schema: providers differ in what they do",
            );
        }
        loop {
            let mut most = step.limits.attempts.max(1);
            if let Some(other) = rounds.others.get(&at) {
                request.tools = offer(step, &hidden, other.is_strict());
                request.model = other.clone();
                most = 1;
            }
            let stopped = match self.attempts(env, at, &request, schema.as_ref(), most).await? {
                Ok((reply, structured)) => {
                    return Ok(Asking::Replied(Asked { reply, hidden, structured }));
                }
                Err(stopped) => stopped,
            };
            let known = rounds.others.contains_key(&at);
            match self.recover(env, at, stopped, known).await? {
                Recovered::Answer { response, hook, is_flow } => {
                    let is_structured = schema.is_some();
                    return Ok(Asking::Recovered { response, hook, is_flow, is_structured });
                }
                Recovered::Other(model) => {
                    rounds.others.insert(at, model);
                }
            }
        }
    }

    /// Asks up to `most` times. Returns the reply with its parsed text, if there is a schema.
    async fn attempts(
        &mut self,
        env: &Env,
        at: usize,
        request: &ChatRequest,
        schema: Option<&ToolValidator>,
        most: u32,
    ) -> Result<Result<(ModelReply, Option<Value>), Stopped>, TurnError> {
        let step = env.step(at)?;
        let mut refusal: Option<Refusal> = None;
        let mut attempt = 1;
        loop {
            let failure = match self.attempt(env, step, request, refusal.as_ref(), attempt).await? {
                Ok(reply) => {
                    self.record.usage.add(&reply.usage);
                    match self.judge(step, at, &reply, schema)? {
                        Ok(structured) => return Ok(Ok((reply, structured))),
                        Err(refused) if attempt < most => {
                            let reason = &refused.reason;
                            self.warn(&step.id, format!("attempt {attempt} of {most}: {reason}"));
                            refusal = Some(refused);
                            attempt += 1;
                            continue;
                        }
                        Err(_) if reply.is_empty() => {
                            ModelFailure::Empty { reply, attempts: attempt }
                        }
                        Err(Refusal { reason, .. }) => {
                            ModelFailure::Refused { reply, reason, attempts: attempt }
                        }
                    }
                }
                // A model that gives up because nobody waits is no failure.
                Err(_) if env.cancellation.is_cancelled() => return Err(TurnError::Cancelled),
                Err(ModelError::Blocked(block)) => {
                    self.record.usage.add(&block.usage);
                    return Ok(Err(Stopped::Blocked(block)));
                }
                Err(error) => {
                    let wait = self.wait(env, at, &error, attempt)?;
                    let Some(wait) = wait.filter(|_| attempt < most) else {
                        let declined = attempt < most;
                        let failed = ModelFailure::Failed { error, attempts: attempt, declined };
                        return Ok(Err(Stopped::Failed(failed)));
                    };
                    self.warn(&step.id, format!("attempt {attempt} of {most}: {error}"));
                    env.host.sleep(wait).await;
                    attempt += 1;
                    continue;
                }
            };
            return Ok(Err(Stopped::Failed(failure)));
        }
    }

    fn request(
        &mut self,
        env: &Env,
        step: &CompiledStep,
        at: usize,
        rounds: &Rounds,
    ) -> Result<(ChatRequest, Hidden), TurnError> {
        let cx = Cx::new(self, at);
        let own = step.step.dyn_prompt(&cx);
        let hidden = step.step.dyn_hide_tools(&cx);
        let output_schema = step.step.dyn_output_schema(&cx);
        let chosen = step.step.dyn_model(&cx);
        self.check_fault()?;
        let attached = rounds.prompt.as_deref();
        let attached = attached.or_else(|| self.draft.prompts.get(&at).map(|prompt| &**prompt));
        let prompt = attached.or(own.as_str()).map(str::to_owned);
        self.set_system(step, prompt);
        self.check_hidden(step, &hidden);
        let model = match chosen {
            Some(chosen) => chosen_model(env, step, &chosen)?,
            None => step.model.clone(),
        };
        let tools = offer(step, &hidden, model.is_strict());
        let request = ChatRequest {
            model,
            step: step.id.clone(),
            purpose: Purpose::Reply,
            messages: self.seen(step),
            tools,
            tool_choice: ToolChoice::Auto,
            output_schema,
            cancellation: env.cancellation.clone(),
        };
        Ok((request, hidden))
    }

    /// What the model gets to see: the history, with the summary behind the prompt.
    fn seen(&self, step: &CompiledStep) -> Arc<Vec<Arc<Message>>> {
        let Some(memory) = self.draft.memory.get(&step.namespace) else {
            return Arc::default();
        };
        let mut messages = Arc::clone(&memory.messages);
        if let Some(summary) = &memory.summary {
            let text = format!("Summary of the conversation so far:\n{summary}");
            let mark = Map::from_iter([(SUMMARY.to_owned(), Value::Bool(true))]);
            let summary = Arc::new(self.message(step, MessageKind::System, text, mark));
            let place = usize::from(messages.first().is_some_and(|first| first.is_system()));
            Arc::make_mut(&mut messages).insert(place, summary);
        }
        messages
    }

    /// Makes `prompt` the system message of the step's namespace.
    fn set_system(&mut self, step: &CompiledStep, prompt: Option<String>) {
        let memory = self.draft.memory.get(&step.namespace);
        let first = memory.and_then(|memory| memory.messages.first());
        let known = first.filter(|first| first.is_system());
        if known.map(|message| &message.content) == prompt.as_ref() {
            return;
        }
        let has_one = known.is_some();
        let message =
            prompt.map(|text| Arc::new(self.message(step, MessageKind::System, text, Map::new())));
        let messages = self.draft.edit().messages(&step.namespace);
        messages.splice(..usize::from(has_one), message);
    }

    /// Asks once. What a refused reply is answered with is not kept: the stored history holds what was said, not how
    /// often it took to say it.
    async fn attempt(
        &mut self,
        env: &Env,
        step: &CompiledStep,
        request: &ChatRequest,
        refusal: Option<&Refusal>,
        attempt: u32,
    ) -> Result<Result<ModelReply, ModelError>, TurnError> {
        let nudged = refusal.map(|Refusal { nudge, .. }| {
            let message = self.message(step, MessageKind::Human, nudge.clone(), Map::new());
            let mut request = request.clone();
            Arc::make_mut(&mut request.messages).push(Arc::new(message));
            request
        });
        self.emit(TurnEvent::ModelCalled { step: step.id.clone() });
        self.call_model(env, step, nudged.as_ref().unwrap_or(request), attempt).await
    }

    /// One model call within its time, unless a journal knows what it came to.
    pub(super) async fn call_model(
        &mut self,
        env: &Env,
        step: &CompiledStep,
        request: &ChatRequest,
        attempt: u32,
    ) -> Result<Result<ModelReply, ModelError>, TurnError> {
        let unknown = match self.recall_reply(env)? {
            Some(Ok(known)) => return Ok(known),
            Some(Err(unknown)) => Some(unknown),
            None => None,
        };
        let limit = step.limits.model_timeout;
        let branch = self.branch.as_ref().map(|branch| &*branch.id);
        let mut site =
            CallSite { request: Some(request), attempt, limit, ..env.site(step, branch) };
        let call = match self.hearer(request) {
            Some(listener) => {
                site.is_streamed = true;
                Box::pin(streamed(&*env.model, request.clone(), listener))
            }
            None => env.model.generate(request.clone()),
        };
        let call = env.host.model_call(site, call);
        if let Some(spent) = &env.spent {
            spent.asked();
        }
        let result = within(limit, call).await.unwrap_or(Err(ModelError::TimedOut(limit)));
        if let Some(spent) = &env.spent {
            spent.answered(&result);
        }
        if let Some(unknown) = unknown {
            Box::pin(keep_reply(unknown, &result)).await?;
        }
        Ok(result)
    }

    /// Whether to take the reply; if so, with its parsed text where there is a schema.
    fn judge(
        &mut self,
        step: &CompiledStep,
        at: usize,
        reply: &ModelReply,
        schema: Option<&ToolValidator>,
    ) -> Result<Result<Option<Value>, Refusal>, TurnError> {
        if reply.is_empty() {
            return Ok(Err(Refusal {
                reason: "the reply was empty".to_owned(),
                nudge: NUDGE.to_owned(),
            }));
        }
        let schema = schema.filter(|_| reply.tool_calls.is_empty());
        let structured = match schema.map(|schema| parse_structured(&reply.text, schema)) {
            Some(Err(reason)) => {
                return Ok(Err(Refusal {
                    nudge: format!(
                        "Your reply was refused: {reason}. Reply with JSON that fits the schema and nothing else."
                    ),
                    reason,
                }));
            }
            Some(Ok(value)) => Some(value),
            None => None,
        };
        let verdict = step.step.dyn_check_response(&Cx::new(self, at), reply);
        self.check_fault()?;
        Ok(match verdict {
            Verdict::Accept => Ok(structured),
            Verdict::Retry(reason) => Err(Refusal {
                nudge: format!("Your reply was refused: {reason} Reply again."),
                reason: format!("`check_response` refused the reply: {reason}"),
            }),
        })
    }
}

/// The output schema, ready to check replies with.
fn compile_schema(
    step: &CompiledStep,
    request: &ChatRequest,
) -> Result<Option<ToolValidator>, TurnError> {
    let schema = request.output_schema.as_ref().map(ToolValidator::compile);
    schema.transpose().map_err(|reason| TurnError::Misuse {
        step: step.id.clone(),
        reason: format!("what `output_schema` returns {reason}"),
    })
}

fn parse_structured(text: &str, schema: &ToolValidator) -> Result<Value, String> {
    let mut parsed =
        Parsed::parse(without_fence(text)).map_err(|error| format!("it is no JSON: {error}"))?;
    fit_value(&mut parsed, schema.shapes(), false);
    let checked = schema.check(&parsed);
    checked.map_err(|error| format!("it does not fit the schema: {error}"))?;
    Value::deserialize(Node::of(&parsed)).map_err(|error| error.to_string())
}
