//! Which steps there are, and where a session begins.

use crate::steps::{
    AddressStep, ConcurStep1, ConcurStep2, ConcurStep3, ConcurStep4, DOBStep, FavoritesStep,
    FooLogicStep, GooLogicStep, InContextStep, NameStep, PresidentStep, WeatherStep,
};
use picoflow::prelude::*;

pub(crate) struct BasicFlow;

#[tools]
impl Flow for BasicFlow {
    fn model(&self) -> ModelRef {
        ModelRef::new("offline", "rules")
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
