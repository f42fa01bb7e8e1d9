//! Who hears of a turn while it runs.

use super::{Record, Run};
use crate::{
    StepId, ToolCall, TurnEvent,
    model::{ChatModel, ChatRequest, ModelError, ModelEvent, ModelReply},
    session::ToolStatus,
};
use futures_util::StreamExt;
use std::{
    collections::VecDeque,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// What a turn has to say and nobody has taken yet. The turn's future and the stream that polls it share one.
#[derive(Clone, Default)]
pub(crate) struct Listener(Arc<Mutex<VecDeque<TurnEvent>>>);

impl Listener {
    pub(crate) fn pop(&self) -> Option<TurnEvent> {
        self.queue().pop_front()
    }

    fn push(&self, event: TurnEvent) {
        self.queue().push_back(event);
    }

    // Nothing that holds the lock can leave the queue half changed.
    fn queue(&self) -> MutexGuard<'_, VecDeque<TurnEvent>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Listener")
    }
}

impl Run {
    /// Adds an event to the record; whoever listens hears of it at once. Those of a branch are heard when it is joined, in
    /// the order of the request.
    pub(super) fn emit(&mut self, event: TurnEvent) {
        if let Some(listener) = &self.env.listener
            && self.branch.is_none()
        {
            listener.push(event.clone());
        }
        self.record.events.push(event);
    }

    /// Takes over what was recorded elsewhere.
    pub(super) fn absorb(&mut self, mut record: Record) {
        record.forget_known(&self.record.once);
        for event in std::mem::take(&mut record.events) {
            self.emit(event);
        }
        self.record.extend(record);
    }

    /// Tells of calls whose handlers are about to run.
    pub(super) fn tell_started(&self, step: &StepId, calls: &[ToolCall]) {
        if let Some(listener) = &self.env.listener {
            for call in calls {
                listener.push(TurnEvent::ToolStarted {
                    step: step.clone(),
                    tool: call.name().to_owned(),
                    call: call.id().to_owned(),
                    arguments: call.arguments().to_owned(),
                });
            }
        }
    }

    /// Tells of a call that has its answer.
    pub(super) fn tell_ended(
        &self,
        step: &StepId,
        call: &ToolCall,
        status: ToolStatus,
        result: &str,
    ) {
        if let Some(listener) = &self.env.listener {
            listener.push(TurnEvent::ToolEnded {
                step: step.clone(),
                tool: call.name().to_owned(),
                call: call.id().to_owned(),
                status,
                result: result.to_owned(),
            });
        }
    }

    /// Who hears what the model says word by word: nobody, where it speaks to the flow and not to the user, as in a child
    /// and where JSON is due.
    pub(super) fn hearer(&self, request: &ChatRequest) -> Option<Listener> {
        let speaks_to_user =
            self.depth == 0 && self.branch.is_none() && request.output_schema.is_none();
        self.env.listener.clone().filter(|_| speaks_to_user)
    }
}

/// Asks the model bit by bit, and tells each bit. White space is told with the text behind it: what comes beside calls may
/// be nothing else.
pub(super) async fn streamed(
    model: &dyn ChatModel,
    request: ChatRequest,
    listener: Listener,
) -> Result<ModelReply, ModelError> {
    let step = request.step.clone();
    let mut events = model.stream(request);
    // The white space that the text begins with; `None` behind it.
    let mut held = Some(String::new());
    while let Some(event) = events.next().await {
        match event? {
            ModelEvent::Text(mut delta) => {
                if let Some(mut text) = held.take() {
                    let is_blank = delta.trim().is_empty();
                    text.push_str(&delta);
                    if is_blank {
                        held = Some(text);
                        continue;
                    }
                    delta = text;
                }
                listener.push(TurnEvent::Text { step: step.clone(), delta });
            }
            ModelEvent::Reasoning(delta) => {
                listener.push(TurnEvent::Reasoning { step: step.clone(), delta });
            }
            ModelEvent::Reply(reply) => return Ok(reply),
        }
    }
    Err(ModelError::transient("the stream ended before the reply"))
}
