//! Which model a request asks, and with which tools.

use super::{Env, Run};
use crate::{
    Hidden, ToolDefinition, TurnError, flow::CompiledStep, model::ModelRef, similar::most_like,
};
use std::sync::Arc;

impl Run {
    /// Warns of names that hide nothing, once in a turn.
    pub(super) fn check_hidden(&mut self, step: &CompiledStep, hidden: &Hidden) {
        let Hidden::Names(names) = hidden else {
            return;
        };
        for name in names.iter().filter(|name| !step.tools.contains_key(&***name)) {
            let nearest = most_like(name, step.tools().map(ToolDefinition::name));
            let hint = nearest.map_or_else(String::new, |near| format!(": did you mean `{near}`?"));
            let text = format!("`hide_tools` names `{name}`, which the step does not expose{hint}");
            self.warn_once(&step.id, text);
        }
    }
}

/// What the step offers at this call to a model that is told strict forms or not.
pub(super) fn offer(
    step: &CompiledStep,
    hidden: &Hidden,
    is_strict: bool,
) -> Arc<[Arc<ToolDefinition>]> {
    match hidden {
        Hidden::None => Arc::clone(step.told(is_strict)),
        Hidden::All => Arc::default(),
        Hidden::Names(_) => {
            let offered = step.told(is_strict).iter().filter(|tool| !hidden.hides(tool.name()));
            offered.cloned().collect()
        }
    }
}

/// The model that the step's hook chose, with the parameters beneath its own that the same model has in the flow.
pub(super) fn chosen_model(
    env: &Env,
    step: &CompiledStep,
    chosen: &ModelRef,
) -> Result<ModelRef, TurnError> {
    if let Some(reason) = chosen.fault() {
        let reason = format!("the model that `model` returns {reason}");
        return Err(TurnError::Misuse { step: step.id.clone(), reason });
    }
    let base = if chosen.is_same(&step.model) { &step.model } else { &env.flow.model };
    Ok(chosen.inherit(base))
}
