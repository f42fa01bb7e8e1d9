//! Steps that begin afresh when they are entered.

use crate::support::{Lab, Setup, Talk, TestFlow, outcomes, warnings, worker};
use picoflow::{
    prelude::*,
    testing::{Rule, ScriptedModel},
};

/// Sends the user to `Booking`, in all kinds of ways.
struct Menu;

#[tools]
impl Step for Menu {
    /// Book
    #[tool(define)]
    fn book(&self) -> ToolResponse {
        go(Booking::ID)
    }

    /// Book, with what is known
    #[tool(define)]
    fn book_with(&self) -> ToolResponse {
        go(Booking::ID)
            .with_state(json!({ "guests": 2 }))
            .with_prompt("Book for two.")
            .with_message("For two.")
            .with_content_type(ContentType::HTML)
    }

    /// Save first, then book
    #[tool(define)]
    fn book_ahead(&self, cx: &mut Cx<'_>) -> ToolResponse {
        cx.save_step_state(Booking::ID, json!({ "guests": 3 }));
        go(Booking::ID)
    }

    /// Book in a child
    #[tool(define)]
    async fn book_in_child(&self, cx: &mut Cx<'_>) -> Result<Json<Value>, ToolError> {
        Ok(Json(cx.run_step(Booking::ID, None).await?))
    }

    /// Save first, then book in a child
    #[tool(define)]
    async fn hint_child(&self, cx: &mut Cx<'_>) -> Result<Json<Value>, ToolError> {
        cx.save_step_transient(Booking::ID, json!({ "hint": 1 }));
        Ok(Json(cx.run_step(Booking::ID, None).await?))
    }
}

struct Booking;

#[tools]
impl Step for Booking {
    async fn on_enter(&self, cx: &mut Cx<'_>) -> HookResult {
        let seen = json!({
            "found": cx.state().clone(),
            "transient": cx.transient().clone(),
            "messages": cx.memory().conversation().len(),
            "summary": cx.memory().summary.clone(),
        });
        cx.save_state(json!({ "seen": seen }));
        Ok(())
    }

    /// Keep the date
    #[tool(define)]
    fn date(&self, cx: &mut Cx<'_>) -> ToolResponse {
        cx.save_state(json!({ "date": "tomorrow" }));
        cx.save_transient(json!({ "asked": true }));
        stay()
    }

    /// Go back
    #[tool(define)]
    fn back(&self) -> ToolResponse {
        go(Menu::ID)
    }

    /// Go back and come again
    #[tool(define)]
    fn again(&self) -> ToolResponse {
        go("Turn")
    }
}

/// Sends the user back at once.
struct Turn;

impl LogicStep for Turn {
    const ID: StepId = StepId::new("Turn");

    async fn run_logic(&self, _cx: &mut Cx<'_>) -> HookResult<StepResponse> {
        Ok(go(Booking::ID))
    }
}

async fn talk(policy: OnEntry) -> Talk {
    let mut model = ScriptedModel::new();
    for tool in
        ["book", "book_with", "book_ahead", "book_in_child", "hint_child", "date", "back", "again"]
    {
        model = model.on_call(Rule::new().latest(format!("use {tool}.")), [(tool, json!({}))]);
    }
    let model = model.on(Rule::new(), "Yes.");
    let steps = Steps::new().add(Menu).add(Booking.on_entry(policy)).add(Turn);
    Talk::new(steps, model).await
}

fn nothing() -> Value {
    json!({ "found": {}, "transient": null, "messages": 0, "summary": null })
}

#[tokio::test]
async fn a_restart_forgets_state_and_history() {
    for (policy, date, messages) in
        [(OnEntry::Restart, None, 0), (OnEntry::Reset, Some("tomorrow"), 0)]
    {
        let mut talk = talk(policy).await;
        for text in ["use book.", "use date.", "use back.", "use book."] {
            talk.say(text).await;
        }
        let state = talk.state("Booking").await;
        assert_eq!(state["date"].as_str(), date, "{policy:?}");
        assert_eq!(state["seen"]["messages"], messages);
        assert_eq!(talk.memory("Booking").await, ["human: Start", "ai: Yes."]);
    }
}

#[tokio::test]
async fn a_restart_forgets_transient_state_within_a_turn() {
    let mut talk = talk(OnEntry::Restart).await;
    talk.say("use book.").await;
    talk.say("use date.").await;
    talk.say("use again.").await;
    let seen = talk.state("Booking").await["seen"].clone();
    assert_eq!(seen["found"], json!({}));
    assert!(seen["transient"].get("asked").is_none(), "{seen}");
}

#[tokio::test]
async fn what_the_transition_brings_is_added_after_a_restart() {
    let mut talk = talk(OnEntry::Restart).await;
    for text in ["use book.", "use date.", "use back."] {
        talk.say(text).await;
    }
    let reply = talk.say("use book_with.").await;
    assert_eq!(reply.content_type, ContentType::HTML);
    assert_eq!(talk.last_request().prompt(), "Book for two.");
    assert_eq!(
        talk.state("Booking").await,
        json!({ "seen": nothing(), "guests": 2, "_prompt": "Book for two." })
    );
    assert_eq!(talk.memory("Booking").await, ["human: For two.", "ai: Yes."]);
    assert_eq!(warnings(&reply), [""; 0]);
}

#[tokio::test]
async fn what_was_saved_ahead_of_a_restart_is_lost_with_a_warning() {
    for tool in ["book_ahead", "hint_child"] {
        let mut talk = talk(OnEntry::Restart).await;
        let reply = talk.say(&format!("use {tool}.")).await;
        let seen = talk.state("Booking").await["seen"].clone();
        assert_eq!((&seen["found"], seen["transient"].get("hint")), (&json!({}), None), "{tool}");
        let warnings = warnings(&reply);
        assert!(warnings[0].contains("begins afresh"), "{warnings:?}");
        assert!(warnings[0].contains("`with_state`"), "{warnings:?}");
        let mut kept = self::talk(OnEntry::Reset).await;
        let reply = kept.say(&format!("use {tool}.")).await;
        assert_eq!(crate::support::warnings(&reply), [""; 0]);
    }
}

#[tokio::test]
async fn a_child_that_restarts_forgets_too() {
    let mut talk = talk(OnEntry::Restart).await;
    for text in ["use book.", "use date.", "use back.", "use book_in_child."] {
        talk.say(text).await;
    }
    assert_eq!(talk.state("Booking").await, json!({ "seen": nothing() }));
    assert_eq!(talk.memory("Booking").await, ["human: Start", "ai: Yes."]);
}

#[tokio::test]
async fn a_shared_history_is_forgotten_and_its_other_states_stay() {
    let model = ScriptedModel::new()
        .on_call(Rule::new().latest("use book."), [("book", json!({}))])
        .on_call(Rule::new().latest("use back."), [("back", json!({}))])
        .on(Rule::new(), "Yes.");
    let booking = Booking.memory("all").on_entry(OnEntry::Restart);
    let steps = Steps::new().add(Menu.memory("all")).add(booking).add(Turn);
    let mut talk = Talk::of(TestFlow::new(steps), model).await;
    talk.say("hello").await;
    talk.say("use book.").await;
    assert_eq!(talk.memory("all").await, ["human: Start", "ai: Yes."]);
    assert_eq!(talk.state("Booking").await, json!({ "seen": nothing() }));
}

/// The state of `Worker` after children do these operations, from `{ "old": 1, "sum": 5 }`.
async fn after(policy: OnEntry, ops: fn() -> Vec<Child>) -> (Vec<&'static str>, Value) {
    let setup = Setup {
        channels: || Channels::new().add("sum", Channel::sum()),
        entry: policy,
        ..Setup::default()
    };
    let turn = std::sync::atomic::AtomicU32::new(0);
    let mut lab = Lab::with(setup, move || {
        if turn.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 0 {
            vec![worker("first", json!([{ "save": { "old": 1 } }, { "give": ["sum", 5] }]))]
        } else {
            ops()
        }
    })
    .await;
    lab.start().await.1.unwrap();
    let (_, came) = lab.start().await;
    (outcomes(&came.unwrap()), lab.state().await)
}

#[tokio::test]
async fn branches_that_restart_agree_and_their_writes_stay() {
    let ops = || {
        vec![
            worker("a", json!([{ "save": { "a": 1 } }, { "give": ["sum", 1] }])),
            worker("b", json!([{ "save": { "old": 2 } }, { "give": ["sum", 2] }])),
            worker("c", json!([])),
        ]
    };
    let (outcomes, state) = after(OnEntry::Restart, ops).await;
    assert_eq!(outcomes, ["ok"; 3]);
    assert_eq!(state, json!({ "a": 1, "old": 2, "sum": 3 }));
    let (_, kept) = after(OnEntry::Keep, ops).await;
    assert_eq!(kept, json!({ "a": 1, "old": 2, "sum": 8 }));
}

#[tokio::test]
async fn a_branch_that_restarts_and_fails_leaves_the_state() {
    let ops = || vec![worker("a", json!([{ "fail": "no" }]))];
    let (outcomes, state) = after(OnEntry::Restart, ops).await;
    assert_eq!(outcomes, ["HOOK_FAILED"]);
    assert_eq!(state, json!({ "old": 1, "sum": 5 }));
}

#[tokio::test]
async fn a_nested_restart_reaches_the_outer_batch() {
    let ops = || {
        vec![worker(
            "a",
            json!([
                { "save": { "before": 1 } },
                { "give": ["sum", 1] },
                { "nest": [["x", [{ "save": { "inner": 1 } }, { "give": ["sum", 4] }]]] },
                { "save": { "after": 1 } }
            ]),
        )]
    };
    let (outcomes, state) = after(OnEntry::Restart, ops).await;
    assert_eq!(outcomes, ["ok"]);
    assert_eq!(state, json!({ "inner": 1, "after": 1, "sum": 4 }));
}
