//! Compactions that the build refuses.

use crate::{
    build_report::faults,
    compaction::{Talks, short},
    support::TestFlow,
};
use picoflow::{flow::BuildFault, prelude::*};

struct Other;

#[tools]
impl Step for Other {}

struct Decides;

impl LogicStep for Decides {
    const ID: StepId = StepId::new("Decides");

    async fn run_logic(&self, _cx: &mut Cx<'_>) -> HookResult<StepResponse> {
        Ok(go(Talks::ID))
    }
}

async fn texts(steps: Steps) -> Vec<String> {
    let faults = faults(TestFlow::new(steps)).await;
    faults.iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn steps_of_one_namespace_ask_for_the_same() {
    let long = || short().min_messages(40);
    for (first, second) in [
        (Talks.memory("all").compaction(short()), Other.memory("all").compaction(long())),
        (Talks.memory("all").compaction(short()), Other.memory("all")),
        (Talks.memory("all"), Other.memory("all").compaction(short())),
        (Talks.compaction(short()), Other.memory("Talks")),
    ] {
        let namespace = if format!("{first:?}").contains("\"all\"") { "all" } else { "Talks" };
        let found = faults(TestFlow::new(Steps::new().add(first).add(second))).await;
        let fault = BuildFault::Compactions {
            namespace: namespace.to_owned(),
            first: Talks::ID,
            second: Other::ID,
        };
        assert_eq!(found, [fault]);
        assert!(found[0].to_string().contains("give both the same"), "{}", found[0]);
    }
}

#[tokio::test]
async fn steps_that_ask_for_the_same_and_logic_steps_beside_them_are_fine() {
    let steps = Steps::new()
        .add(Talks.memory("all").compaction(short()))
        .add(Decides.memory("all"))
        .add(Other.memory("all").compaction(short()).on_entry(OnEntry::Summarise));
    let engine = Engine::builder().flow(TestFlow::new(steps));
    engine.model(picoflow::testing::ScriptedModel::new()).build().await.unwrap();
}

#[tokio::test]
async fn settings_that_leave_nothing_to_do_are_faults() {
    for (compaction, part) in [
        (short().recent_messages(4), "nothing is left to sum up"),
        (short().recent_messages(5), "nothing is left to sum up"),
        (Compaction::new().min_messages(0).recent_messages(0), "nothing is left to sum up"),
        (short().summary_bytes(0), "takes no summary"),
        (short().prompt(" \n"), "has a blank prompt"),
    ] {
        let found = texts(Steps::new().add(Talks.compaction(compaction))).await;
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("step `Talks`: its compaction "), "{}", found[0]);
        assert!(found[0].contains(part), "{}", found[0]);
    }
}

#[tokio::test]
async fn a_model_that_cannot_be_used_is_a_fault_also_for_a_summary() {
    let compaction = short().model(ModelRef::new("", "small"));
    let found = texts(Steps::new().add(Talks.compaction(compaction))).await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("the model of the compaction of step `Talks`"), "{}", found[0]);
}

#[tokio::test]
async fn a_step_that_sums_up_on_entry_needs_a_compaction() {
    let found = faults(TestFlow::new(Steps::new().add(Talks.on_entry(OnEntry::Summarise)))).await;
    assert_eq!(found, [BuildFault::NoCompaction { step: Talks::ID }]);
    assert!(found[0].to_string().contains("`.compaction(Compaction::new())`"), "{}", found[0]);
    let steps = Steps::new().add(Talks).add(Decides.on_entry(OnEntry::Summarise));
    assert_eq!(
        faults(TestFlow::new(steps)).await,
        [BuildFault::NoCompaction { step: Decides::ID }]
    );
}
