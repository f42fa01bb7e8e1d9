//! What the model of the trip says, call by call, and what breaks on the way.

use crate::secrets::Searched;
use futures_util::{StreamExt, stream};
use picoflow::{
    BoxFuture, BoxStream, TurnError,
    genai::{GenaiModel, ProviderError},
    model::{BlockPhase, ChatModel, ChatRequest, ModelError, ModelEvent, ModelReply},
    prelude::*,
    testing::{Rule, ScriptedModel},
};
use std::{
    collections::VecDeque,
    error::Error,
    sync::{Mutex, MutexGuard},
};

/// What the model says at one call.
#[derive(Clone, Debug)]
pub(super) enum Line {
    Says(&'static str),
    Calls(&'static str, Value),
}

/// All that it says in the scenario: two calls in each turn, and one in the last.
pub(super) fn lines() -> [Line; 7] {
    use Line::{Calls, Says};
    [
        Calls("get_weather", json!({ "city": "Lisbon" })),
        Says("Sunny in Lisbon, 21 degrees."),
        Calls("choose_city", json!({ "city": "Lisbon" })),
        Says("How many people will travel?"),
        Calls("set_guests", json!({ "count": 4 })),
        Says("What is your name?"),
        Calls("book", json!({ "name": "Ada Lovelace" })),
    ]
}

/// The same by a model without a provider.
pub(super) fn scripted() -> ScriptedModel {
    let once = || Rule::new().times(1);
    lines().into_iter().fold(ScriptedModel::new(), |model, line| match line {
        Line::Says(text) => model.on(once(), text),
        Line::Calls(tool, arguments) => model.on_call(once(), [(tool, arguments)]),
    })
}

/// What breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// 429 once, with a wait of a second.
    RateLimit,
    /// 500 twice.
    Down,
    /// 500 for as long as the engine tries.
    Outage,
    /// 400.
    BadRequest,
    /// The connection is cut.
    Cut,
    /// The stream ends without an end.
    Truncated,
    /// The reply is no JSON.
    Garbled,
    /// Half a second before the first token.
    SlowStart,
    /// The arguments of a call are half of what they should be.
    HalfArguments,
    /// A call of a tool that was not offered.
    UnknownTool,
    /// The provider's filter or the model itself refuses.
    Refusal,
}

/// What comes of a fault.
pub(super) enum Outcome {
    /// The session is as without it, after so many attempts that failed.
    Passes(usize),
    /// The model is told what was wrong with its call, in words with these among them, while the step stays.
    Told(&'static str),
    /// The turn fails, and the session is as it was before it.
    Fails(fn(&TurnError) -> bool),
}

impl Fault {
    pub(super) const ALL: [Self; 11] = [
        Self::RateLimit,
        Self::Down,
        Self::Outage,
        Self::BadRequest,
        Self::Cut,
        Self::Truncated,
        Self::Garbled,
        Self::SlowStart,
        Self::HalfArguments,
        Self::UnknownTool,
        Self::Refusal,
    ];

    /// The line that it strikes. What fails a turn strikes in the third one.
    const fn strikes(self) -> usize {
        match self {
            Self::SlowStart => 0,
            Self::Cut => 1,
            Self::RateLimit => 2,
            Self::Down | Self::Truncated => 3,
            Self::Outage | Self::BadRequest | Self::HalfArguments | Self::UnknownTool => 4,
            Self::Garbled | Self::Refusal => 5,
        }
    }

    pub(super) fn outcome(self) -> Outcome {
        match self {
            Self::SlowStart => Outcome::Passes(0),
            Self::RateLimit | Self::Cut | Self::Truncated | Self::Garbled => Outcome::Passes(1),
            Self::Down => Outcome::Passes(2),
            Self::HalfArguments => Outcome::Told("Invalid arguments for tool 'set_guests'"),
            Self::UnknownTool => Outcome::Told("unknown_tool"),
            Self::Outage => Outcome::Fails(|error| status(error) == Some((500, true))),
            Self::BadRequest => Outcome::Fails(|error| status(error) == Some((400, false))),
            Self::Refusal => Outcome::Fails(|error| {
                matches!(error, TurnError::Blocked { step, block }
                    if *step == "NameStep" && block.phase == BlockPhase::Reply)
            }),
        }
    }
}

/// The provider's status that failed a turn, and whether another try might help.
fn status(error: &TurnError) -> Option<(u16, bool)> {
    let TurnError::Model { source, .. } = error else {
        return None;
    };
    match source.source()?.downcast_ref()? {
        ProviderError::Status { status, .. } => Some((*status, source.is_transient())),
        _ => None,
    }
}

/// One call: what is said, and what breaks.
#[derive(Debug)]
pub(super) struct Cue {
    pub(super) line: Line,
    pub(super) fault: Option<Fault>,
}

/// The whole conversation with one fault, or with none.
pub(super) fn cues(fault: Option<Fault>) -> VecDeque<Cue> {
    let mut cues: VecDeque<_> = lines().map(|line| Cue { line, fault: None }).into_iter().collect();
    if let Some(fault) = fault {
        let at = fault.strikes();
        cues[at].fault = Some(fault);
        if matches!(fault.outcome(), Outcome::Told(_)) {
            let line = cues[at].line.clone();
            cues.insert(at + 1, Cue { line, fault: None });
        }
    }
    cues
}

/// A server that can be told what to say next.
pub(super) trait Simulator: Send + Sync + 'static {
    fn cue<'a>(&'a self, cue: &'a Cue) -> BoxFuture<'a, ()>;
}

/// A real client of a simulator, which is told what to say before each call, but not before another attempt at one.
pub(super) struct Cued<S> {
    model: Searched<GenaiModel>,
    simulator: S,
    cues: Mutex<VecDeque<Cue>>,
    last: Mutex<Option<(StepId, usize)>>,
}

impl<S: Simulator> Cued<S> {
    pub(super) fn new(model: Searched<GenaiModel>, simulator: S, cues: VecDeque<Cue>) -> Self {
        Self { model, simulator, cues: Mutex::new(cues), last: Mutex::default() }
    }

    /// What was not asked for.
    pub(super) fn rest(&self) -> MutexGuard<'_, VecDeque<Cue>> {
        self.cues.lock().unwrap()
    }

    async fn cue(&self, request: &ChatRequest) {
        let call = (request.step.clone(), request.messages.len());
        let last = self.last.lock().unwrap().replace(call.clone());
        if last == Some(call) {
            return;
        }
        let cue = self.rest().pop_front().unwrap();
        self.simulator.cue(&cue).await;
    }
}

impl<S: Simulator> ChatModel for Cued<S> {
    fn generate(&self, request: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        Box::pin(async {
            self.cue(&request).await;
            self.model.generate(request).await
        })
    }

    fn stream(&self, request: ChatRequest) -> BoxStream<'_, Result<ModelEvent, ModelError>> {
        let cued = stream::once(async {
            self.cue(&request).await;
            self.model.stream(request)
        });
        Box::pin(cued.flatten())
    }
}
