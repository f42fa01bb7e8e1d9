//! Whatever a model does and whatever handlers decide, what always holds holds.

use crate::support::{Talk, TestFlow, definition, run_paused};
use picoflow::{
    BoxFuture, IntoStepEntry,
    model::{ChatModel, ChatRequest, ModelError},
    prelude::*,
    session::Memory,
};
use proptest::{collection::vec, prelude::*};
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

/// What the model may call. The last one does not exist.
const TOOLS: [&str; 16] = [
    "remain",
    "go_first",
    "go_second",
    "go_apart",
    "go_logic",
    "go_loaded",
    "say",
    "say_there",
    "end",
    "err",
    "tell",
    "give_up",
    "erase",
    "child",
    "batch",
    "invented",
];

/// What no provider takes as a name. Letter by letter, the first is a tool.
const BAD_NAMES: [&str; 6] =
    ["go.first", "functions.say there", "multi_tool_use.parallel", "größe", "", " "];

/// The base of the steps: a tool for each thing that a handler can do.
struct Everything;

#[tools]
impl Step for Everything {
    fn define_tools(&self) -> Vec<ToolDefinition> {
        TOOLS[..15].iter().map(|name| definition(name)).collect()
    }

    #[tool]
    fn remain(&self, cx: &mut Cx<'_>) -> ToolResponse {
        cx.save_state(json!({ "remained": true }));
        stay()
    }

    #[tool]
    fn go_first(&self) -> ToolResponse {
        go(First::ID)
    }

    #[tool]
    fn go_second(&self) -> ToolResponse {
        go(Second::ID)
    }

    #[tool]
    fn go_apart(&self) -> ToolResponse {
        go(Apart::ID)
    }

    #[tool]
    fn go_logic(&self) -> ToolResponse {
        go(Logic::ID)
    }

    #[tool]
    fn go_loaded(&self) -> ToolResponse {
        go(Second::ID)
            .with_state(json!({ "loaded": 1 }))
            .with_prompt("Loaded.")
            .with_message("Forwarded.")
            .with_content_type("text/html")
            .saying("On the way.")
            .with_tool_feedback("Loaded.")
    }

    #[tool]
    fn say(&self) -> ToolResponse {
        direct("Said.").with_message("Noted.")
    }

    #[tool]
    fn say_there(&self) -> ToolResponse {
        direct_to(Apart::ID, "Said there.").with_message("Noted there.")
    }

    #[tool]
    fn end(&self) -> ToolResponse {
        finish("Ended.")
    }

    #[tool]
    fn err(&self, cx: &mut Cx<'_>) -> Result<ToolResponse, ToolError> {
        cx.erase_memory();
        cx.mark_completed();
        Err(ToolError::internal("broken"))
    }

    #[tool]
    fn tell(&self) -> Result<ToolResponse, ToolError> {
        Err(ToolError::feedback("Not so."))
    }

    #[tool]
    fn give_up(&self) -> Result<ToolResponse, ToolError> {
        Err(ToolError::abort("enough"))
    }

    #[tool]
    fn erase(&self, cx: &mut Cx<'_>) -> ToolResponse {
        cx.erase_memory();
        stay()
    }

    #[tool]
    async fn child(&self, cx: &mut Cx<'_>) -> Result<ToolResponse, ToolError> {
        cx.run_step(Child1::ID, None).await?;
        Ok(stay_with("The child answered."))
    }

    #[tool]
    async fn batch(&self, cx: &mut Cx<'_>) -> Result<ToolResponse, ToolError> {
        let child = |key| Child::new(Child1::ID).key(key).message("Work.");
        cx.run_steps([child("a"), child("b")]).await?;
        Ok(stay())
    }

    #[tools(["remain", "tell"])]
    fn both(&self, calls: &[ToolCall]) -> ToolResponse {
        stay_with(format!("{} at once", calls.len()))
    }
}

macro_rules! steps {
    ($($name:ident)*) => {$(
        struct $name(Everything);

        #[tools]
        impl Step for $name {
            fn base(&self) -> Option<&dyn AnyStep> {
                Some(&self.0)
            }

            fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
                concat!("The prompt of ", stringify!($name)).into()
            }
        }
    )*};
}

steps!(First Second Apart);

struct Logic;

#[tools]
impl LogicStep for Logic {
    async fn run_logic(&self, _cx: &mut Cx<'_>) -> HookResult<StepResponse> {
        Ok(go(Apart::ID).with_message("From logic."))
    }
}

/// On the namespace of the steps that start it.
struct Child1;

#[tools]
impl Step for Child1 {}

/// What becomes of the histories: on entry, step by step, and in the end.
#[derive(Clone, Debug)]
struct Histories {
    on_entry: [OnEntry; 4],
    compaction: Option<Compaction>,
}

fn histories() -> impl Strategy<Value = Histories> {
    let entry = |may_sum_up| {
        let most = if may_sum_up { 3_usize } else { 2 };
        (0..most).prop_map(|at| [OnEntry::Keep, OnEntry::Reset, OnEntry::Summarise][at])
    };
    let entries = move |sums_up| [entry(sums_up), entry(sums_up), entry(sums_up), entry(sums_up)];
    let short = (1..5_usize, 1..4_usize).prop_map(|(recent, more)| {
        Compaction::new().recent_messages(recent).min_messages(recent + more)
    });
    prop_oneof![
        Just(Histories { on_entry: [OnEntry::Keep; 4], compaction: None }),
        entries(false).prop_map(|on_entry| Histories { on_entry, compaction: None }),
        (entries(true), short)
            .prop_map(|(on_entry, short)| Histories { on_entry, compaction: Some(short) }),
    ]
}

/// The flow whose steps keep their histories.
pub(crate) fn flow() -> TestFlow {
    flow_with(&Histories { on_entry: [OnEntry::Keep; 4], compaction: None })
}

fn flow_with(histories: &Histories) -> TestFlow {
    let entries = [
        First(Everything).memory("shared"),
        Second(Everything).memory("shared"),
        Apart(Everything).into_step_entry(),
        Child1.memory("shared"),
    ];
    let mut steps = Steps::new();
    for (entry, policy) in entries.into_iter().zip(histories.on_entry) {
        let entry = entry.on_entry(policy);
        steps = steps.add(match &histories.compaction {
            Some(compaction) => entry.compaction(compaction.clone()),
            None => entry,
        });
    }
    TestFlow::new(steps.add(Logic))
}

/// Gives one reply after the other, then a text for ever.
#[derive(Default)]
pub(crate) struct Replies(Mutex<VecDeque<ModelReply>>);

impl Replies {
    pub(crate) fn set(&self, replies: Vec<ModelReply>) {
        *self.0.lock().unwrap() = replies.into();
    }
}

impl ChatModel for Replies {
    fn generate(&self, _request: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        let next = self.0.lock().unwrap().pop_front();
        Box::pin(async { Ok(next.unwrap_or_else(|| ModelReply::text("Done."))) })
    }
}

pub(crate) fn reply() -> impl Strategy<Value = ModelReply> {
    let arguments = prop_oneof![
        6 => Just("{}"),
        1 => Just(""),
        1 => Just("null"),
        1 => Just("{\"a\":"),
        1 => Just("[1]"),
        1 => Just("\"{}\""),
    ];
    let id = prop_oneof![
        4 => "[a-z]{8}",
        2 => "call_[01]",
        1 => Just("same".to_owned()),
        1 => Just(String::new()),
    ];
    let name = prop_oneof![
        14 => (0..TOOLS.len()).prop_map(|tool| TOOLS[tool].to_owned()),
        1 => prop::sample::select(BAD_NAMES.to_vec()).prop_map(str::to_owned),
        1 => "[a-z ]{100}",
    ];
    let call = (id, name, arguments)
        .prop_map(|(id, name, arguments)| ToolCall::from_text(id, name, arguments));
    prop_oneof![
        6 => (vec(call, 1..4), "(| \\n|Let me see.)").prop_map(|(calls, text)| {
            let mut reply = ModelReply::calls(calls);
            reply.text = text;
            reply
        }),
        2 => Just(ModelReply::text("A text.")),
        1 => Just(ModelReply::text(" ")),
    ]
}

/// Every check of `Talk` after every turn, and a few more.
async fn converse(replies: Vec<ModelReply>, histories: Histories) {
    let model = Arc::new(Replies(Mutex::new(replies.into())));
    let mut talk = Talk::of(flow_with(&histories), Arc::clone(&model)).await;
    let mut next = talk.opening().message("Hi");
    for _ in 0..12 {
        let Ok(reply) = talk.run(next.clone()).await else {
            continue;
        };
        let session = talk.session().await;
        let mut moves = session.flow.sequence.iter().rev();
        let last = moves.find(|entry| entry.level == 1).unwrap();
        assert_eq!(last.step_name, session.flow.current_step);
        assert_eq!(session.is_completed(), reply.completed);
        let ends_with_the_reply = |memory: &Memory| {
            let last = memory.last();
            last.is_some_and(|last| last.is_ai() && last.content == reply.text)
        };
        assert!(session.flow.memory.values().any(ends_with_the_reply), "{reply:?}");
        next = if reply.completed { talk.opening().message("Hi") } else { talk.turn("And?") };
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_conversation_leaves_valid_sessions(
        replies in vec(reply(), 1..30),
        histories in histories(),
    ) {
        run_paused(converse(replies, histories));
    }
}
