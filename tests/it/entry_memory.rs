//! What becomes of a namespace when its step is entered.

use crate::support::{Talk, TestFlow, lines, warnings};
use picoflow::{
    model::{ModelError, Purpose},
    prelude::*,
    testing::{Rule, ScriptedModel},
};

/// Goes to `Next` or back, with or without what travels along.
struct Home;

#[tools]
impl Step for Home {
    /// Go there
    #[tool(define)]
    fn leave(&self) -> ToolResponse {
        go(Away::ID)
    }

    /// Go there with a text
    #[tool(define)]
    fn send(&self) -> ToolResponse {
        go(Away::ID).with_message("brought along")
    }

    /// Go there and say so
    #[tool(define)]
    fn tell(&self) -> ToolResponse {
        direct_to(Away::ID, "You are there.")
    }

    /// Run it as a child
    #[tool(define)]
    async fn child(&self, cx: &mut Cx<'_>) -> Result<ToolResponse, ToolError> {
        cx.run_step(Away::ID, Some("work")).await?;
        Ok(stay_with("done"))
    }

    /// Run it as two branches
    #[tool(define)]
    async fn branches(&self, cx: &mut Cx<'_>) -> Result<ToolResponse, ToolError> {
        let work = |key| Child::new(Away::ID).key(key).message("work");
        let batch = cx.run_steps([work("a"), work("b")]).await?;
        assert_eq!(batch.rejected().count(), 0);
        Ok(stay_with("done"))
    }
}

struct Away;

#[tools]
impl Step for Away {
    async fn on_enter(&self, cx: &mut Cx<'_>) -> HookResult {
        // Two branches cannot write the same field.
        if cx.parallel().is_some() {
            return Ok(());
        }
        let memory = cx.memory();
        let (messages, summary) = (memory.conversation().len(), memory.summary.clone());
        cx.save_state(json!({ "messages": messages, "summary": summary }));
        Ok(())
    }

    /// Go back
    #[tool(define)]
    fn back(&self) -> ToolResponse {
        go(Home::ID)
    }
}

/// Calls the tool that the user names; sums up as `summary 1` and so on.
fn script() -> ScriptedModel {
    let mut all = ScriptedModel::new();
    for tool in ["leave", "send", "tell", "child", "branches", "back"] {
        all = all.on_call(Rule::new().latest(tool), [(tool, json!({}))]);
    }
    all.on(Rule::new(), "Yes.").on(Rule::summary(), "so far")
}

/// Both steps in one namespace, or each in its own.
async fn talk(is_shared: bool, policy: OnEntry) -> Talk {
    let (home, away) = if is_shared { ("all", "all") } else { ("home", "away") };
    let compaction = Compaction::new();
    let steps = Steps::new()
        .add(Home.memory(home).compaction(compaction.clone()))
        .add(Away.memory(away).compaction(compaction).on_entry(policy));
    Talk::new(steps, script()).await
}

#[tokio::test]
async fn by_default_a_history_stays() {
    let mut talk = talk(false, OnEntry::default()).await;
    for text in ["leave", "hello", "back", "leave"] {
        talk.say(text).await;
    }
    assert_eq!(talk.state("Away").await["messages"], 7);
    assert_eq!(talk.memory("away").await[0], "human: Start");
}

#[tokio::test]
async fn a_step_that_resets_begins_anew_each_time_it_is_entered() {
    let mut talk = talk(false, OnEntry::Reset).await;
    for text in ["leave", "hello"] {
        talk.say(text).await;
    }
    // Not at a turn that finds it current.
    assert_eq!(talk.memory("away").await, ["human: Start", "ai: Yes.", "human: hello", "ai: Yes."]);
    talk.say("back").await;
    talk.say("leave").await;
    assert_eq!(talk.state("Away").await["messages"], 0);
    assert_eq!(talk.memory("away").await, ["human: Start", "ai: Yes."]);
    assert!(talk.memory("home").await.len() > 2);
}

#[tokio::test]
async fn in_a_shared_namespace_the_reply_that_led_there_is_forgotten_too() {
    let mut talk = talk(true, OnEntry::Reset).await;
    talk.say("hello").await;
    talk.say("leave").await;
    assert_eq!(talk.state("Away").await["messages"], 0);
    assert_eq!(talk.memory("all").await, ["human: Start", "ai: Yes."]);
    // Without a reset the reply stays, and its answer is what the next step answers.
    talk.say("back").await;
    assert_eq!(
        talk.memory("all").await[2..],
        ["human: back", "ai: [back]", "tool: input validated", "ai: Yes."]
    );
}

#[tokio::test]
async fn what_travels_along_comes_after_the_reset() {
    for is_shared in [false, true] {
        let name = if is_shared { "all" } else { "away" };
        let mut there = talk(is_shared, OnEntry::Reset).await;
        there.say("hello").await;
        there.say("send").await;
        assert_eq!(there.memory(name).await, ["human: brought along", "ai: Yes."]);

        let mut told = talk(is_shared, OnEntry::Reset).await;
        told.say("hello").await;
        assert_eq!(told.say("tell").await.text, "You are there.");
        assert_eq!(told.memory(name).await, ["ai: You are there."]);
        told.say("hello").await;
    }
}

#[tokio::test]
async fn a_history_may_be_summed_up_on_entry() {
    let mut own = talk(false, OnEntry::Summarise).await;
    own.say("leave").await;
    // There was nothing yet.
    assert_eq!(own.state("Away").await, json!({ "messages": 0, "summary": null }));
    for text in ["hello", "back", "leave"] {
        own.say(text).await;
    }
    assert_eq!(own.state("Away").await, json!({ "messages": 0, "summary": "so far" }));
    assert_eq!(own.memory("away").await, ["human: Start", "ai: Yes."]);
    assert!(own.last_request().summary().is_some());

    let mut shared = talk(true, OnEntry::Summarise).await;
    shared.say("hello").await;
    shared.say("leave").await;
    assert_eq!(shared.state("Away").await, json!({ "messages": 0, "summary": "so far" }));
    let requests = shared.requests();
    let request = requests.iter().find(|request| request.purpose == Purpose::Summary).unwrap();
    // With the reply that led here, its calls and their answers.
    let text = &request.latest().unwrap().content;
    assert!(text.contains(r#""calls":[{"tool":"leave""#) && text.contains("input validated"));
}

#[tokio::test]
async fn without_a_summary_the_history_stays_with_a_warning() {
    let model = ScriptedModel::new()
        .answer(Rule::summary(), |_| Err(ModelError::permanent("out of order")))
        .on_call(Rule::new().latest("leave"), [("leave", json!({}))])
        .on(Rule::new(), "Yes.");
    let compaction = Compaction::new();
    let steps = Steps::new()
        .add(Home.memory("all").compaction(compaction.clone()))
        .add(Away.memory("all").compaction(compaction).on_entry(OnEntry::Summarise));
    let mut talk = Talk::new(steps, model).await;
    let reply = talk.say("leave").await;
    assert!(warnings(&reply)[0].contains("out of order"));
    assert_eq!(
        talk.memory("all").await,
        ["human: leave", "ai: [leave]", "tool: input validated", "ai: Yes."]
    );
}

#[tokio::test]
async fn a_child_that_resets_begins_anew() {
    let mut talk = talk(false, OnEntry::Reset).await;
    talk.say("child").await;
    talk.say("child").await;
    assert_eq!(talk.state("Away").await["messages"], 0);
    assert_eq!(talk.memory("away").await, ["human: work", "ai: Yes."]);
}

#[tokio::test]
async fn a_child_that_resets_a_namespace_it_shares_forgets_its_callers_history() {
    let mut talk = talk(true, OnEntry::Reset).await;
    talk.say("hello").await;
    talk.say("child").await;
    // The reply that waited for the child is added afterwards, as ever, with its answer.
    assert_eq!(
        talk.memory("all").await,
        ["human: work", "ai: Yes.", "ai: [child]", "tool: done", "ai: Yes."]
    );
}

#[tokio::test]
async fn a_branch_forgets_its_own_copy() {
    for policy in [OnEntry::Reset, OnEntry::Summarise] {
        let mut talk = talk(true, policy).await;
        talk.say("hello").await;
        talk.say("branches").await;
        assert_eq!(
            talk.memory("all").await,
            [
                "human: hello",
                "ai: Yes.",
                "human: branches",
                "ai: [branches]",
                "tool: done",
                "ai: Yes."
            ]
        );
        let requests = talk.requests();
        let replies = requests.iter().filter(|request| request.purpose == Purpose::Reply);
        let seen: Vec<_> = replies.map(|request| lines(&request.messages)).collect();
        let of_branches = seen.iter().filter(|lines| lines.last().unwrap() == "human: work");
        let conversations: Vec<_> = of_branches
            .map(|lines| lines.iter().filter(|line| !line.starts_with("system")).count())
            .collect();
        assert_eq!(conversations, [1, 1]);
    }
}

#[tokio::test]
async fn summaries_in_branches_are_paid_for() {
    let mut talk = talk(true, OnEntry::Summarise).await;
    talk.say("hello").await;
    // Two summaries, two branches, the call and the reply: each reads 10 tokens.
    assert_eq!(talk.say("branches").await.usage.input_tokens, 60);
}

#[tokio::test]
async fn a_reset_is_undone_with_the_handler_that_failed() {
    struct Fails;

    #[tools]
    impl Step for Fails {
        /// Run it as a child, in vain
        #[tool(define)]
        async fn child(&self, cx: &mut Cx<'_>) -> Result<ToolResponse, ToolError> {
            cx.run_step(Away::ID, Some("work")).await?;
            Err(ToolError::internal("out of order"))
        }
    }

    let steps =
        Steps::new().add(Fails.memory("all")).add(Away.memory("all").on_entry(OnEntry::Reset));
    let mut talk = Talk::new(steps, script()).await;
    talk.say("hello").await;
    talk.say("child").await;
    assert_eq!(talk.memory("all").await[..2], ["human: hello", "ai: Yes."]);
}

#[tokio::test]
async fn a_transition_to_itself_is_no_entry_and_a_start_forgets_nothing() {
    struct Again;

    #[tools]
    impl Step for Again {
        async fn on_start(&self, cx: &mut Cx<'_>) -> HookResult {
            assert!(cx.memory().messages.is_empty());
            Ok(())
        }

        /// Go nowhere
        #[tool(define)]
        fn again(&self) -> ToolResponse {
            go(Again::ID)
        }
    }

    let steps = Steps::new().add(Again.on_entry(OnEntry::Reset));
    let script = ScriptedModel::new()
        .on_call(Rule::new().latest("again"), [("again", json!({}))])
        .on(Rule::new(), "Yes.");
    let mut talk = Talk::of(TestFlow::new(steps), script).await;
    talk.say("hello").await;
    talk.say("again").await;
    assert_eq!(talk.memory("Again").await[..2], ["human: hello", "ai: Yes."]);
}

#[tokio::test]
async fn erased_memory_loses_its_summary_too() {
    struct Erases;

    #[tools]
    impl Step for Erases {
        /// Forget
        #[tool(define)]
        fn forget(&self, cx: &mut Cx<'_>) -> ToolResponse {
            assert!(cx.memory().summary.is_some());
            cx.erase_memory();
            direct("Forgotten.")
        }
    }

    let compaction = Compaction::new().min_messages(4).recent_messages(1);
    let steps = Steps::new().add(Erases.compaction(compaction));
    let script = ScriptedModel::new()
        .on(Rule::summary(), "so far")
        .on_call(Rule::new().latest("forget"), [("forget", json!({}))])
        .on(Rule::new(), "Yes.");
    let mut talk = Talk::new(steps, script).await;
    talk.say("one").await;
    talk.say("two").await;
    talk.say("forget").await;
    let session = talk.session().await;
    assert_eq!(session.flow.memory["Erases"].summary, None);
}
