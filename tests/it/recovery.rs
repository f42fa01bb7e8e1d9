//! What a step and its flow make of a model that gives no reply.

use crate::support::{Journal, Talk, TestFlow, events, lines, warnings};
use picoflow::{
    BoxFuture, Host, TurnError,
    model::{
        Block, BlockPhase, BlockReason, ChatModel, ChatRequest, ModelError, ModelFailure, Recovery,
        Usage,
    },
    prelude::*,
    session::MemoryStore,
    testing::{Rule, ScriptedModel},
};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

type OnError = fn(&ModelFailure) -> Recovery;
type OnBlock = fn(&Block) -> Option<StepResponse>;

/// The hooks of a step or a flow, each with its name in a journal.
#[derive(Clone)]
struct Hooks {
    owner: &'static str,
    journal: Journal,
    retry: fn(&ModelError) -> Option<bool>,
    error: OnError,
    block: OnBlock,
}

impl Hooks {
    fn new(owner: &'static str, journal: &Journal) -> Self {
        Self {
            owner,
            journal: journal.clone(),
            retry: |_| None,
            error: |_| Recovery::Pass,
            block: |_| None,
        }
    }

    fn retry(&self, error: &ModelError) -> Option<bool> {
        self.journal.add(format!("{} retry: {error}", self.owner));
        (self.retry)(error)
    }

    fn error(&self, failure: &ModelFailure) -> Recovery {
        let what = match failure {
            ModelFailure::Failed { attempts, declined, .. } => {
                format!("failed {attempts}{}", if *declined { " declined" } else { "" })
            }
            ModelFailure::Empty { attempts, .. } => format!("empty {attempts}"),
            ModelFailure::Refused { attempts, reply, reason } => {
                format!("refused {attempts} {:?} {reason}", reply.text)
            }
            _ => "?".to_owned(),
        };
        self.journal.add(format!("{} error: {what}", self.owner));
        (self.error)(failure)
    }

    fn block(&self, block: &Block) -> Option<StepResponse> {
        self.journal.add(format!("{} block: {block}", self.owner));
        (self.block)(block)
    }
}

struct Ask(Hooks);

#[tools]
impl Step for Ask {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "Ask.".into()
    }

    fn check_response(&self, _cx: &Cx<'_>, reply: &ModelReply) -> Verdict {
        match &*reply.text {
            "bad" => Verdict::Retry("it is bad.".to_owned()),
            _ => Verdict::Accept,
        }
    }

    fn should_retry(&self, _cx: &Cx<'_>, error: &ModelError) -> Option<bool> {
        self.0.retry(error)
    }

    async fn on_model_error(
        &self,
        cx: &mut Cx<'_>,
        failure: &ModelFailure,
    ) -> HookResult<Recovery> {
        cx.save_state(json!({ "failed": true }));
        Ok(self.0.error(failure))
    }

    async fn on_model_blocked(
        &self,
        _cx: &mut Cx<'_>,
        block: &Block,
    ) -> HookResult<Option<StepResponse>> {
        Ok(self.0.block(block))
    }

    async fn on_response(&self, _cx: &mut Cx<'_>, output: ModelOutput) -> HookResult<StepResponse> {
        self.0.journal.add("on_response");
        Ok(output.into_text().into())
    }

    /// Pay
    #[tool(define)]
    fn pay(&self) -> ToolResponse {
        self.0.journal.add("paid");
        stay_with("paid")
    }
}

struct Other;

#[tools]
impl Step for Other {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "Other.".into()
    }
}

/// Adds nothing of its own: every hook is the base's.
struct Derived(Ask);

#[tools]
impl Step for Derived {
    fn base(&self) -> Option<&dyn AnyStep> {
        Some(&self.0)
    }
}

struct AskFlow {
    step: Hooks,
    flow: Hooks,
    is_derived: bool,
}

impl AskFlow {
    fn new(journal: &Journal) -> Self {
        Self {
            step: Hooks::new("step", journal),
            flow: Hooks::new("flow", journal),
            is_derived: false,
        }
    }
}

#[tools]
impl Flow for AskFlow {
    fn model(&self) -> ModelRef {
        ModelRef::new("test", "large")
    }

    fn steps(&self) -> Steps {
        let ask = Ask(self.step.clone());
        let steps = Steps::new();
        let steps = if self.is_derived { steps.add(Derived(ask)) } else { steps.add(ask) };
        steps.add(Other)
    }

    fn limits(&self) -> Limits {
        Limits::default().retry_delay(Duration::ZERO)
    }

    fn should_retry(&self, _cx: &Cx<'_>, error: &ModelError) -> Option<bool> {
        self.flow.retry(error)
    }

    async fn on_model_error(
        &self,
        cx: &mut Cx<'_>,
        failure: &ModelFailure,
    ) -> HookResult<Recovery> {
        assert_eq!(cx.state()["failed"], true, "the step's hook ran before, in the same context");
        Ok(self.flow.error(failure))
    }

    async fn on_model_blocked(
        &self,
        _cx: &mut Cx<'_>,
        block: &Block,
    ) -> HookResult<Option<StepResponse>> {
        Ok(self.flow.block(block))
    }
}

fn down() -> ModelError {
    ModelError::transient("503")
}

fn wrong() -> ModelError {
    ModelError::permanent("401")
}

fn blocked() -> ModelError {
    let block = Block::new(BlockPhase::Prompt, BlockReason::Safety).usage(Usage::new(7, 0));
    ModelError::blocked(block)
}

/// Fails always, with this.
fn always(error: fn() -> ModelError) -> ScriptedModel {
    ScriptedModel::new().answer(Rule::new(), move |_| Err(error()))
}

fn small() -> Recovery {
    Recovery::RetryWith(ModelRef::new("test", "small"))
}

fn asked(talk: &Talk) -> Vec<String> {
    talk.requests().iter().map(|request| request.model.name().to_owned()).collect()
}

#[tokio::test]
async fn the_step_then_the_flow_then_the_kind_of_the_error_decide_whether_to_ask_again() {
    for (step, flow, error, times) in [
        (None, None, down as fn() -> ModelError, 3),
        (None, None, wrong, 1),
        (Some(false), Some(true), down, 1),
        (Some(true), Some(false), wrong, 3),
        (None, Some(false), down, 1),
        (None, Some(true), wrong, 3),
    ] {
        let journal = Journal::default();
        let mut tested = AskFlow::new(&journal);
        let decide = |decision| match decision {
            None => |_: &ModelError| None,
            Some(true) => |_: &ModelError| Some(true),
            Some(false) => |_: &ModelError| Some(false),
        };
        (tested.step.retry, tested.flow.retry) = (decide(step), decide(flow));
        let mut talk = Talk::of(tested, always(error)).await;
        let failed = talk.fail("Hi").await;
        assert_eq!(failed.code(), "MODEL_FAILED");
        assert_eq!(talk.requests().len(), times, "{step:?} {flow:?} {failed}");
        let journal = journal.take();
        assert_eq!(journal.iter().any(|line| line.starts_with("flow retry")), step.is_none());
        let declined = if times == 1 { " declined" } else { "" };
        let told = format!("step error: failed {times}{declined}");
        assert!(journal.contains(&told), "{journal:?}");
    }
}

#[tokio::test]
async fn every_failure_comes_to_the_step_and_then_to_the_flow_and_then_fails_the_turn() {
    let model = |text: &'static str| ScriptedModel::new().on(Rule::new(), text);
    for (model, told, code) in [
        (always(wrong), "failed 1 declined", "MODEL_FAILED"),
        (model(""), "empty 3", "MODEL_NO_REPLY"),
        (
            model("bad"),
            "refused 3 \"bad\" `check_response` refused the reply: it is bad.",
            "MODEL_NO_REPLY",
        ),
    ] {
        let journal = Journal::default();
        let mut talk = Talk::of(AskFlow::new(&journal), model).await;
        assert_eq!(talk.fail("Hi").await.code(), code);
        let journal = journal.take();
        let journal: Vec<_> = journal.iter().filter(|line| !line.contains("retry")).collect();
        assert_eq!(journal, [&format!("step error: {told}"), &format!("flow error: {told}")]);
    }
}

#[tokio::test]
async fn an_answer_or_a_transition_of_either_hook_stands_in_for_the_reply() {
    let from: [(OnError, OnError, &str); 3] = [
        (|_| Recovery::Answer("from the step".into()), |_| unreachable!(), "from the step"),
        (|_| Recovery::Pass, |_| Recovery::Answer("from the flow".into()), "from the flow"),
        (|_| Recovery::Answer(go("Other")), |_| unreachable!(), "from the other step"),
    ];
    for (step, flow, text) in from {
        let journal = Journal::default();
        let mut tested = AskFlow::new(&journal);
        (tested.step.error, tested.flow.error) = (step, flow);
        let model = ScriptedModel::new()
            .answer(Rule::new().step("Ask"), |_| Err(wrong()))
            .on(Rule::new(), "from the other step");
        let mut talk = Talk::of(tested, model).await;
        let reply = talk.say("Hi").await;
        assert_eq!(reply.text, text);
        assert!(!journal.take().contains(&"on_response".to_owned()));
        assert!(warnings(&reply)[0].starts_with("`on_model_error` answered: step `Ask`"));
        assert_eq!(talk.state("Ask").await, json!({ "failed": true }));
    }
}

#[tokio::test]
async fn another_model_is_asked_once_for_each_call_until_the_turn_ends_and_is_not_stored() {
    let journal = Journal::default();
    let mut tested = AskFlow::new(&journal);
    tested.step.error = |_| small();
    let is_large = |request: &ChatRequest| request.model.name() == "large";
    let model = ScriptedModel::new().answer(Rule::new(), move |request| {
        if is_large(request) {
            return Err(down());
        }
        Ok(match request.latest().map_or("", |latest| &*latest.content) {
            "pay" => ModelReply::calls([ToolCall::new("1", "pay", &json!({}))]),
            _ => ModelReply::text("Done."),
        })
    });
    let mut talk = Talk::of(tested, model).await;
    let reply = talk.say("pay").await;
    assert_eq!(reply.text, "Done.");
    assert_eq!(asked(&talk), ["large", "large", "large", "small", "small"]);
    let [.., before, after] = &*talk.requests() else { unreachable!() };
    assert_eq!(lines(&before.messages), ["system: Ask.", "human: pay"]);
    assert_eq!(before.tools, after.tools);
    assert_eq!(journal.take().iter().filter(|line| *line == "paid").count(), 1);
    assert_eq!(talk.session().await.flow.model.name(), "large");
    // The next turn begins with the step's own model.
    talk.say("Hi").await;
    assert_eq!(asked(&talk)[5..], ["large", "large", "large", "small"]);
}

#[tokio::test]
async fn a_second_other_model_is_not_asked() {
    let journal = Journal::default();
    let mut tested = AskFlow::new(&journal);
    tested.step.error = |_| small();
    let mut talk = Talk::of(tested, always(down)).await;
    let error = talk.fail("Hi").await;
    assert!(matches!(&error, TurnError::Model { step, .. } if *step == "Ask"), "{error}");
    assert_eq!(asked(&talk), ["large", "large", "large", "small"]);
    let told = journal.take();
    let told: Vec<_> = told.iter().filter(|line| line.contains(" error")).collect();
    assert_eq!(told, ["step error: failed 3", "step error: failed 1"]);
}

#[tokio::test]
async fn a_failure_after_a_tool_has_run_does_not_run_it_again() {
    let journal = Journal::default();
    let mut tested = AskFlow::new(&journal);
    tested.step.error = |_| small();
    let model = ScriptedModel::new()
        .on_call(Rule::new().latest("pay"), [("pay", json!({}))])
        .answer(Rule::new(), |request| match request.model.name() {
            "large" => Err(down()),
            _ => Ok(ModelReply::text("Paid, says the small one.")),
        });
    let mut talk = Talk::of(tested, model).await;
    assert_eq!(talk.say("pay").await.text, "Paid, says the small one.");
    assert_eq!(journal.take().iter().filter(|line| *line == "paid").count(), 1);
    assert_eq!(
        talk.memory("Ask").await,
        ["human: pay", "ai: [pay]", "tool: paid", "ai: Paid, says the small one."]
    );
}

#[tokio::test]
async fn a_refusal_of_the_provider_is_not_tried_again_and_has_hooks_of_its_own() {
    let answers: [(OnBlock, OnBlock, Option<&str>); 4] = [
        (|_| Some("from the step".into()), |_| unreachable!(), Some("from the step")),
        (|_| None, |_| Some("from the flow".into()), Some("from the flow")),
        (|_| Some(go("Other")), |_| unreachable!(), Some("from the other step")),
        (|_| None, |_| None, None),
    ];
    for (step, flow, text) in answers {
        let journal = Journal::default();
        let mut tested = AskFlow::new(&journal);
        (tested.step.block, tested.flow.block) = (step, flow);
        tested.step.retry = |_| Some(true);
        tested.step.error = |_| unreachable!();
        let model = ScriptedModel::new()
            .answer(Rule::new().step("Ask"), |_| Err(blocked()))
            .on(Rule::new(), "from the other step");
        let mut talk = Talk::of(tested, model).await;
        let turn = talk.turn("Hi");
        let result = talk.run(turn).await;
        match (result, text) {
            (Ok(reply), Some(text)) => {
                assert_eq!(reply.text, text);
                // A scripted reply reports 10.
                let other = if text == "from the other step" { 10 } else { 0 };
                assert_eq!(reply.usage.input_tokens, 7 + other);
                assert_eq!(events(&reply)[0], "model Ask");
                let told = "the provider refused to answer: its safety rules stopped the request";
                assert_eq!(warnings(&reply)[0], told);
            }
            (Err(error), None) => {
                let expected = BlockReason::Safety;
                assert!(
                    matches!(&error, TurnError::Blocked { step, block } if *step == "Ask" && block.reason == expected),
                    "{error}"
                );
                assert_eq!(error.code(), "MODEL_BLOCKED");
            }
            (result, text) => panic!("{result:?} for {text:?}"),
        }
        let told = journal.take();
        assert!(told.iter().all(|line| line.contains("block")), "{told:?}");
    }
}

#[tokio::test]
async fn a_derived_step_has_the_hooks_of_its_base() {
    let journal = Journal::default();
    let mut tested = AskFlow::new(&journal);
    tested.is_derived = true;
    tested.step.error = |_| Recovery::Answer("from the base".into());
    tested.step.block = |_| Some("from the base too".into());
    let model = ScriptedModel::new()
        .answer(Rule::new().latest("block"), |_| Err(blocked()))
        .answer(Rule::new(), |_| Err(down()));
    let mut talk = Talk::of(tested, model).await;
    assert_eq!(talk.say("Hi").await.text, "from the base");
    assert_eq!(talk.say("block").await.text, "from the base too");
    assert_eq!(talk.state("Derived").await, json!({ "failed": true }));
    assert!(journal.take().contains(&"step retry: the model could not be reached: 503".to_owned()));
}

/// Runs `Ask` as a child.
struct Parent;

#[tools]
impl Step for Parent {
    /// Ask
    #[tool(define)]
    async fn ask(&self, cx: &mut Cx<'_>) -> ToolResponse {
        match cx.run_step("Ask", Some("Hi")).await {
            Ok(Value::String(text)) => direct(text),
            other => direct(format!("{other:?}")),
        }
    }
}

#[tokio::test]
async fn what_a_hook_answers_is_the_answer_of_a_child_too() {
    let journal = Journal::default();
    let mut hooks = Hooks::new("step", &journal);
    hooks.error = |_| Recovery::Answer("recovered".into());
    let model = ScriptedModel::new()
        .on_call(Rule::new().step("Parent"), [("ask", json!({}))])
        .answer(Rule::new(), |_| Err(wrong()));
    let mut talk = Talk::new(Steps::new().add(Parent).add(Ask(hooks)), model).await;
    assert_eq!(talk.say("Hi").await.text, "recovered");
}

#[tokio::test]
async fn a_cancellation_is_not_recovered() {
    struct Slow;
    impl ChatModel for Slow {
        fn generate(&self, request: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
            Box::pin(async move {
                request.cancellation.cancelled().await;
                Err(wrong())
            })
        }
    }

    let journal = Journal::default();
    let mut tested = AskFlow::new(&journal);
    tested.step.error = |_| unreachable!();
    let talk = Talk::of(tested, Slow).await;
    let token = tokio_util::sync::CancellationToken::new();
    let turn = talk.turn("Hi").cancellation(token.clone());
    let (result, ()) = tokio::join!(talk.engine.run(turn), async {
        tokio::task::yield_now().await;
        token.cancel();
    });
    assert!(matches!(result, Err(TurnError::Cancelled)));
    assert_eq!(journal.take(), [""; 0]);
}

/// Keeps the waits, and gives these random numbers.
#[derive(Clone, Default)]
struct Waits {
    random: u64,
    waits: Arc<Mutex<Vec<Duration>>>,
}

impl Host for Waits {
    fn random(&self) -> u64 {
        self.random
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()> {
        self.waits.lock().unwrap().push(duration);
        Box::pin(async {})
    }
}

async fn waits(random: u64, limits: Limits, error: fn() -> ModelError) -> Vec<Duration> {
    let host = Waits { random, ..Waits::default() };
    let store = Arc::new(MemoryStore::new());
    let flow = TestFlow::new(Steps::new().add(Other)).limits(limits);
    let mut talk = Talk::open(flow, always(error), Arc::clone(&store), store, |builder| {
        builder.host(host.clone())
    })
    .await;
    talk.fail("Hi").await;
    let waits = host.waits.lock().unwrap();
    waits.clone()
}

#[tokio::test]
async fn waits_double_up_to_half_a_minute_and_are_shortened_by_up_to_a_half() {
    let limits = Limits::default().attempts(10);
    let seconds = [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0];
    let whole = seconds.map(Duration::from_secs_f64);
    assert_eq!(waits(1024, limits, down).await, whole);
    assert_eq!(waits(0, limits, down).await, whole.map(|wait| wait / 2));
    // A longer wait to begin with is kept.
    let minute = Duration::from_mins(1);
    assert_eq!(waits(1024, limits.attempts(3).retry_delay(minute), down).await, [minute; 2]);
    assert_eq!(
        waits(7, limits.attempts(3).retry_delay(Duration::ZERO), down).await,
        [Duration::ZERO; 2]
    );
}

#[tokio::test]
async fn a_provider_is_waited_for_as_long_as_it_asks_unless_that_is_too_long() {
    let short = || ModelError::Transient {
        source: "429".into(),
        retry_after: Some(Duration::from_secs(7)),
    };
    let long = || ModelError::Transient {
        source: "429".into(),
        retry_after: Some(Duration::from_mins(10)),
    };
    assert_eq!(waits(0, Limits::default(), short).await, [Duration::from_secs(7); 2]);
    assert_eq!(waits(0, Limits::default(), long).await, []);
}
