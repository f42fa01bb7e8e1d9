//! What the transitions of a reply come to.

use super::{
    Env, Run,
    dispatch::{Answer, Dispatched},
};
use crate::{
    Cx, OnEntry, StepId, StepResponse, ToolResponse, TurnError, TurnEvent,
    flow::CompiledStep,
    model::ModelReply,
    response::{Action, Luggage, Travels},
    session::{Message, MessageKind, REASONING, SequenceEntry},
    storable::is_too_deep_for_a_field,
};
use serde_json::{Map, Value};

/// Why a step that goes on is not given a message of the assistant.
pub(super) const UNANSWERABLE: &str = "`with_message` was given a message of the assistant for a step that stays, whose model would have nothing to answer: give it a text, or `with_tool_feedback`";

/// How the turn goes on.
pub(super) enum Next {
    /// With another pass of whatever step is current; `prior` is the step it came from, if the cursor moved.
    Pass { prior: Option<StepId> },
    /// Not at all: this is the reply.
    End(String),
}

/// What a reply adds to the memory of the step that received it.
pub(super) struct Heard<'a> {
    pub(super) reply: ModelReply,
    pub(super) answers: &'a [Answer],
}

/// One response with the step it leads to.
struct Decided {
    action: Action,
    travels: Travels,
    /// Where state, prompt and message go.
    destination: usize,
}

impl Run {
    /// Applies what the handlers of one reply decided, in the fixed order of effects.
    pub(super) async fn settle(
        &mut self,
        env: &Env,
        at: usize,
        reply: ModelReply,
        dispatched: Dispatched,
    ) -> Result<Next, TurnError> {
        let heard = Heard { reply, answers: &dispatched.answers };
        let responses = dispatched.responses.into_iter();
        let responses = responses.map(|response: ToolResponse| (response.action, response.travels));
        self.apply(env, at, responses.collect(), Some(heard)).await
    }

    /// Applies what `on_response` or `run_logic` decided.
    pub(super) async fn settle_hook(
        &mut self,
        env: &Env,
        at: usize,
        response: StepResponse,
        reply: Option<ModelReply>,
    ) -> Result<Next, TurnError> {
        let step = env.step(at)?;
        if let Some(reason) = &response.travels.fault {
            return Err(misuse(step, reason.clone()));
        }
        // A text that the hook answers with takes the reply's place in the memory.
        let is_replaced = matches!(response.action, Action::Text(_) | Action::Finish(_));
        let heard = reply.filter(|_| !is_replaced).map(|reply| Heard { reply, answers: &[] });
        let responses = vec![(response.action, response.travels)];
        self.apply(env, at, responses, heard).await
    }

    async fn apply(
        &mut self,
        env: &Env,
        at: usize,
        responses: Vec<(Action, Travels)>,
        mut heard: Option<Heard<'_>>,
    ) -> Result<Next, TurnError> {
        let step = env.step(at)?;
        let decided = decide(env, at, responses)?;
        for text in decided.iter().flat_map(|one| &one.travels.saying) {
            self.emit(TurnEvent::Said { text: text.clone() });
        }
        let target = self.winner(env, at, &decided)?;
        let prior = match target {
            Some(target) => Some(self.go(env, at, target, &mut heard).await?),
            None => None,
        };
        let arrived = target.unwrap_or(at);
        for one in &decided {
            self.carry(one, arrived);
        }
        if let Some(heard) = heard {
            self.remember(step, heard);
        }
        // What travels to a step that lost against another target stays behind with it.
        for one in decided.iter().filter(|one| one.destination == arrived || one.destination == at)
        {
            if let Some(message) = &one.travels.message {
                let destination = env.step(one.destination)?;
                self.push_message(destination, message.clone());
            }
        }
        match content(&decided) {
            Some((ends, content)) => {
                let place = if ends.destination == arrived { arrived } else { at };
                let ai = MessageKind::Ai { tool_calls: Vec::new() };
                let destination = env.step(place)?;
                let is_direct = !matches!(ends.action, Action::Text(_));
                let additional = is_direct.then(|| ("direct".to_owned(), Value::Bool(true)));
                self.push_with(destination, ai, content.to_owned(), Map::from_iter(additional));
                if matches!(ends.action, Action::Finish(_)) {
                    self.draft.edit().is_completed = true;
                }
                Ok(Next::End(content.to_owned()))
            }
            None => Ok(Next::Pass { prior }),
        }
    }

    /// The last target that is another step. `stay` never undoes a `go`.
    fn winner(
        &mut self,
        env: &Env,
        at: usize,
        decided: &[Decided],
    ) -> Result<Option<usize>, TurnError> {
        let mut targets: Vec<usize> = Vec::new();
        for one in decided.iter().filter(|one| one.destination != at) {
            targets.retain(|&target| target != one.destination);
            targets.push(one.destination);
        }
        if targets.len() > 1 {
            let steps = targets.iter().filter_map(|&target| env.flow.steps.get(target));
            let names: Vec<_> = steps.map(|step| step.id.as_str()).collect();
            let applied = names.last().copied().unwrap_or_default();
            let text = format!("competing transitions: {}; applied {applied}", names.join(", "));
            let step = env.step(at)?;
            self.warn(&step.id, text);
        }
        Ok(targets.last().copied())
    }

    /// Moves the cursor from `at` to `target`. Returns the step it came from.
    async fn go(
        &mut self,
        env: &Env,
        at: usize,
        target: usize,
        heard: &mut Option<Heard<'_>>,
    ) -> Result<StepId, TurnError> {
        let from = env.step(at)?;
        let to = env.step(target)?;
        let limit = env.flow.limits.transitions;
        if self.transitions >= limit {
            return Err(TurnError::Limit { step: from.id.clone(), what: "transitions", limit });
        }
        self.transitions += 1;
        let left = from.step.dyn_on_exit(&mut Cx::new(self, at)).await;
        self.checked(&from.id, "on_exit", left)?;
        // A transition's prompt lasts as long as the step that it was given to.
        self.draft.edit().prompts.remove(&at);
        self.record.moves.push(SequenceEntry { level: 1, step_name: to.id.clone() });
        self.draft.edit().current = target;
        self.emit(TurnEvent::Moved { from: from.id.clone(), to: to.id.clone() });
        // What led to a step that forgets is forgotten with the rest.
        if to.on_entry != OnEntry::Keep
            && to.namespace == from.namespace
            && let Some(heard) = heard.take()
        {
            self.remember(from, heard);
        }
        self.enter_memory(env, target).await?;
        if to.on_entry == OnEntry::Restart {
            self.draft.edit().content_types.remove(&target);
        }
        let entered = to.step.dyn_on_enter(&mut Cx::new(self, target)).await;
        self.checked(&to.id, "on_enter", entered)?;
        Ok(from.id.clone())
    }

    /// Prompt, state and content type.
    fn carry(&mut self, one: &Decided, arrived: usize) {
        let Luggage { state, prompt, content_type, .. } = &*one.travels;
        let is_there = one.destination == arrived;
        if let Some(prompt) = prompt.as_ref().filter(|_| is_there) {
            self.draft.edit().prompts.insert(one.destination, prompt.as_str().into());
        }
        if let Some(state) = state {
            self.draft.edit().merge_state(one.destination, state.clone());
        }
        if let Some(content_type) = content_type.as_ref().filter(|_| is_there) {
            let types = &mut self.draft.edit().content_types;
            types.insert(one.destination, content_type.clone());
        }
    }

    /// Adds a reply and the answers to its calls: together, so that no history is ever seen without them.
    pub(super) fn remember(&mut self, step: &CompiledStep, heard: Heard<'_>) {
        let ModelReply { text, tool_calls, reasoning, .. } = heard.reply;
        let answers: Vec<_> = tool_calls
            .iter()
            .zip(heard.answers)
            .map(|(call, answer)| {
                let kind = MessageKind::Tool {
                    call_id: call.id().to_owned(),
                    name: call.name().to_owned(),
                    status: answer.status,
                };
                (kind, answer.feedback.clone())
            })
            .collect();
        let kept = reasoning.filter(|reasoning| !is_too_deep_for_a_field(reasoning));
        let kept = kept.map(|reasoning| (REASONING.to_owned(), reasoning));
        self.push_with(step, MessageKind::Ai { tool_calls }, text, Map::from_iter(kept));
        for (kind, feedback) in answers {
            self.push(step, kind, feedback);
        }
    }
}

/// Resolves every target before any of them takes effect.
fn decide(
    env: &Env,
    at: usize,
    responses: Vec<(Action, Travels)>,
) -> Result<Vec<Decided>, TurnError> {
    let step = env.step(at)?;
    let decide = |(action, travels): (Action, Travels)| {
        let destination = match &action {
            Action::Go(target) | Action::DirectTo(target, _) => env.flow.place(target)?,
            Action::Result(_) => {
                return Err(misuse(
                    step,
                    "`direct_result` answers for a child of `run_step` or `run_steps` only: use `go`, `stay` or `direct`".to_owned(),
                ));
            }
            _ => at,
        };
        let goes_on = matches!(action, Action::Go(_) | Action::Stay) && destination == at;
        if goes_on && travels.message.as_ref().is_some_and(Message::is_ai) {
            return Err(misuse(step, UNANSWERABLE.to_owned()));
        }
        Ok(Decided { action, travels, destination })
    };
    responses.into_iter().map(decide).collect()
}

/// The content that ends the turn: of `finish`, else of `direct_to`, else of `direct`; the last of its kind.
fn content(decided: &[Decided]) -> Option<(&Decided, &str)> {
    let rank = |action: &Action| match action {
        Action::Finish(_) => 3,
        Action::DirectTo(..) => 2,
        Action::Direct(_) | Action::Text(_) => 1,
        _ => 0,
    };
    let best = decided.iter().max_by_key(|one| rank(&one.action))?;
    match &best.action {
        Action::Finish(text)
        | Action::DirectTo(_, text)
        | Action::Direct(text)
        | Action::Text(text) => Some((best, text)),
        _ => None,
    }
}

pub(super) fn misuse(step: &CompiledStep, reason: String) -> TurnError {
    TurnError::Misuse { step: step.id.clone(), reason }
}
