//! What tests of a flow need: a scripted model, scenarios, and a check of histories.

mod scenario;
mod script;

pub use picoflow_core::{
    HarnessReply, StepHarness,
    session::{HistoryFault, check_history},
};
pub use scenario::{Scenario, ScenarioError, ScenarioTurn};
pub use script::{Rule, ScriptedModel};
