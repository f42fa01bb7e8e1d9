//! What tests of a flow need: a scripted model, recordings of a real one, scenarios, a check of histories. And what the author of a store needs.

mod conformance;
mod recording;
mod scenario;
mod script;

pub use conformance::{StoreFault, StoreFaults, store_conformance, store_conformance_across};
pub use picoflow_core::{
    HarnessReply, StepHarness,
    session::{HistoryFault, check_history, check_request},
};
pub use recording::{NotRecorded, Recorder, Replay, ReplayError};
pub use scenario::{Scenario, ScenarioError, ScenarioTurn};
pub use script::{Rule, ScriptedModel};
