//! What all benches share: a flow, a step of ten tools, and a model that costs next to nothing.

use picoflow::{
    BoxFuture,
    model::{ChatModel, ChatRequest, ModelError},
    prelude::*,
    session::MessageKind,
};
use std::future::ready;

/// A step whose tools take named parameters.
macro_rules! named {
    ($step:ident: $($name:ident)*) => {
        pub(crate) struct $step;

        #[tools]
        impl Step for $step {
            $(
                /// Add two numbers
                #[tool(define)]
                fn $name(&self, a: i64, b: i64) -> Json<i64> {
                    Json(a.wrapping_add(b))
                }
            )*
        }
    };
}

/// Ten names, as a step of ten tools has them.
macro_rules! ten {
    ($make:ident $step:ident) => {
        $make! { $step:
            tool_0000 tool_0001 tool_0002 tool_0003 tool_0004 tool_0005 tool_0006 tool_0007 tool_0008 tool_0009
        }
    };
}

ten!(named Named10);

/// A call of a tool that adds.
pub(crate) fn call(tool: &str) -> ToolCall {
    ToolCall::from_text("call_1", tool, r#"{"a":2,"b":40}"#)
}

/// A flow that is nothing but its steps.
pub(crate) struct BenchFlow(pub(crate) Steps);

impl Flow for BenchFlow {
    const ID: FlowId = FlowId::new("BenchFlow");

    fn model(&self) -> ModelRef {
        ModelRef::new("bench", "scripted")
    }

    fn steps(&self) -> Steps {
        self.0.clone()
    }
}

/// Where the benched turns begin: ten tools of its base and one that leaves.
pub(crate) struct Desk(pub(crate) Named10);

#[tools]
impl Step for Desk {
    fn base(&self) -> Option<&dyn AnyStep> {
        Some(&self.0)
    }

    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "Add what the user wants added, with the tools. Do not guess.".into()
    }

    /// Go on to the next step
    #[tool(define)]
    fn leave(&self) -> ToolResponse {
        go(Landing::ID)
    }
}

/// Where a transition leads.
pub(crate) struct Landing;

#[tools]
impl Step for Landing {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "Sum up what was done.".into()
    }
}

/// The steps of the benched turns.
pub(crate) fn desk() -> BenchFlow {
    BenchFlow(Steps::new().add(Desk(Named10)).add(Landing))
}

/// What the user says, which decides what the model does.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ask {
    /// One reply in text.
    Text,
    /// A call of one tool, then a text.
    One,
    /// Eight calls in one reply, then a text.
    Eight,
    /// A call of a tool that goes to another step, which replies in text.
    Leave,
}

impl Ask {
    pub(crate) const ALL: [Self; 4] = [Self::Text, Self::One, Self::Eight, Self::Leave];

    pub(crate) const fn message(self) -> &'static str {
        match self {
            Self::Text => "What can you do for me? Please tell me in a sentence.",
            Self::One => "How much is two and forty?",
            Self::Eight => "How much is two and forty, eight times over?",
            Self::Leave => "That is all, thank you.",
        }
    }

    /// A new turn of this session.
    pub(crate) fn turn(self, session: &str) -> Turn {
        Turn::new(BenchFlow::ID).session(session).message(self.message())
    }

    /// How many tools a turn calls.
    pub(crate) fn count(self) -> usize {
        self.calls().len()
    }

    fn calls(self) -> Vec<ToolCall> {
        match self {
            Self::Text => Vec::new(),
            Self::One => vec![call("tool_0009")],
            Self::Eight => calls(8),
            Self::Leave => vec![ToolCall::from_text("call_1", "leave", "{}")],
        }
    }
}

/// A new session of so many messages, made by turns.
pub(crate) async fn conversation(engine: &Engine, messages: usize) -> String {
    let opening = Turn::new(BenchFlow::ID).message(Ask::Text.message());
    let id = engine.run(opening).await.unwrap().session;
    for _ in 1..messages / 2 {
        engine.run(Ask::Text.turn(&id)).await.unwrap();
    }
    id
}

/// Calls of the first tools, one of each.
pub(crate) fn calls(count: usize) -> Vec<ToolCall> {
    (0..count).map(numbered).collect()
}

fn numbered(at: usize) -> ToolCall {
    ToolCall::from_text(format!("call_{at}"), format!("tool_{at:04}"), r#"{"a":2,"b":40}"#)
}

/// Answers a known question of the user with its calls, and everything else with a text.
pub(crate) struct Scripted;

impl ChatModel for Scripted {
    fn generate(&self, request: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        let latest = request.latest().filter(|latest| matches!(latest.kind, MessageKind::Human));
        let asked = latest
            .and_then(|latest| Ask::ALL.into_iter().find(|ask| ask.message() == latest.content));
        let calls = asked.map_or_else(Vec::new, Ask::calls);
        let reply = if calls.is_empty() {
            ModelReply::text(
                "I can add two numbers for you, as often as you like: just tell me which ones.",
            )
        } else {
            ModelReply::calls(calls)
        };
        Box::pin(ready(Ok(reply)))
    }
}
