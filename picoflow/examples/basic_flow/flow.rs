//! Which steps there are, and where a session begins.

use crate::steps::{
    AddressStep, ConcurStep1, ConcurStep2, ConcurStep3, ConcurStep4, DOBStep, FavoritesStep,
    FooLogicStep, GooLogicStep, InContextStep, NameStep, PresidentStep, WeatherStep,
};
use picoflow::prelude::*;

/// Which model its steps ask.
pub(crate) struct BasicFlow(pub(crate) ModelRef);

impl BasicFlow {
    /// For the rules that stand in for a model.
    pub(crate) fn offline() -> Self {
        Self(ModelRef::new("offline", "rules"))
    }
}

#[tools]
impl Flow for BasicFlow {
    fn model(&self) -> ModelRef {
        self.0.clone()
    }

    fn steps(&self) -> Steps {
        Steps::new()
            .add(WeatherStep)
            .add(PresidentStep.memory("default"))
            .add(FooLogicStep)
            .add(GooLogicStep)
            .add(FavoritesStep.memory("default"))
            .add(NameStep.memory("default"))
            .add(InContextStep)
            .add(ConcurStep1)
            .add(ConcurStep2)
            .add(ConcurStep3)
            .add(ConcurStep4)
            .add(DOBStep.memory("default"))
            .add(AddressStep.memory("default"))
            .add(TerminateSessionStep.memory("end"))
    }

    fn initial_step(&self, context: &Value) -> Option<StepId> {
        let is_president = context["config"]["isPresident"] == true;
        is_president.then_some(PresidentStep::ID)
    }
}
