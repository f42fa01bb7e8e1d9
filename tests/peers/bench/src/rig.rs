//! rig: `ToolSet` with `#[rig_tool]` functions, and `Agent::prompt` over an in-process model.

use crate::{ANSWER, ARGUMENTS, CALLS, MESSAGE, PROMPT, Row, expect};
use futures_util::stream;
use peers_tools::rig::{one, ten, two_hundred};
use rig_agent::{
    Agent, AgentBuilder,
    completion::{CompletionRequest, CompletionResponse, Usage},
    tool::{ToolContext, ToolSet},
};
use rig_core::{
    driver::{Exchange, Model, Opened, Opening, Transport},
    memory::InMemoryConversationMemory,
    message::{AssistantContent, Message, Origin, ToolCall, ToolFunction, ToolName, UserContent},
    test_utils::{MockFrame, MockScript},
};
use std::hint::black_box;

/// Calls `add`, and says what came of it. `calls` is off for a model that only talks.
#[derive(Clone, Copy)]
struct Scripted {
    calls: bool,
}

impl Transport<MockScript> for Scripted {
    fn send(&self, request: CompletionRequest, _exchange: Exchange) -> Opening<MockFrame> {
        let is_answered = match request.chat_history.last() {
            Some(Message::User { content }) => {
                content.iter().any(|item| matches!(item, UserContent::ToolResult(_)))
            }
            _ => false,
        };
        let content = if self.calls && !is_answered {
            let name = ToolName::new("add").expect("a name");
            let arguments = serde_json::from_str(ARGUMENTS).unwrap_or_default();
            let function = ToolFunction::new(name, arguments);
            AssistantContent::ToolCall(ToolCall::from_wire("call_1", function))
        } else {
            AssistantContent::text(ANSWER)
        };
        let origin = Origin::new("in-process", "scripted", "");
        let response =
            CompletionResponse::new(vec![content], Usage::new(), origin, serde_json::Value::Null);
        let frame = MockFrame::Response(Box::new(response));
        Opening::ready(Opened::new(stream::iter([Ok(frame)])))
    }
}

fn builder(calls: bool) -> AgentBuilder {
    AgentBuilder::new(Model::new(MockScript::new("scripted"), Scripted { calls })).preamble(PROMPT)
}

pub(crate) async fn add(rows: &mut Vec<Row>) {
    for (case, count, tool, sum) in CALLS {
        let set = if count == 10 { ten::set() } else { two_hundred::set() };
        let mut state = (set, ToolContext::new());
        let result = state.0.execute(tool, ARGUMENTS, &mut state.1).await;
        expect(&serde_json::to_string(result.output()), sum);
        rows.push(Row::new(
            case,
            "rig",
            state,
            async move |(set, context): &mut (ToolSet, ToolContext)| {
                black_box(set.execute(black_box(tool), black_box(ARGUMENTS), context).await);
            },
        ));
    }
    let set = two_hundred::set();
    assert_eq!(set.tool_definitions().len(), 200);
    rows.push(Row::new(
        "list 200 definitions",
        "rig, `ToolSet::tool_definitions`",
        set,
        async |set: &mut ToolSet| {
            black_box(set.tool_definitions());
        },
    ));
    add_turns(rows).await;
}

async fn add_turns(rows: &mut Vec<Row>) {
    let agent = builder(true).tool(one::Add).build();
    let reply = agent.prompt(MESSAGE).max_turns(2).await.expect("a turn");
    expect(&reply.output(), ANSWER);
    expect(&serde_json::to_value(&reply.messages), "Number(42)");
    let case = "turn with one tool call, new conversation";
    rows.push(Row::new(case, "rig, no memory", agent, async |agent: &mut Agent| {
        black_box(agent.prompt(MESSAGE).max_turns(2).await.is_ok());
    }));
    rows.push(Row::prepared(
        case,
        "rig, in-memory memory",
        remembering(),
        async |(agent, conversations): &mut (Agent, Vec<String>), times| {
            *agent = remembering().0;
            conversations.extend((0..times).map(|number| format!("conversation-{number}")));
        },
        go_on,
    ));
    rows.push(Row::prepared(
        "turn with one tool call, second of a conversation",
        "rig, in-memory memory",
        remembering(),
        async |state: &mut (Agent, Vec<String>), times| {
            state.0 = remembering().0;
            let conversations = || (0..times).map(|number| format!("conversation-{number}"));
            state.1.extend(conversations());
            for _ in 0..times {
                go_on(state).await;
            }
            state.1.extend(conversations());
        },
        go_on,
    ));

    let agent = builder(false).tool(one::Add).build();
    expect(&agent.prompt(MESSAGE).await.map(|reply| reply.output()), ANSWER);
    rows.push(Row::new(
        "turn with a text reply, 1 tool",
        "rig, no memory",
        agent,
        async |agent: &mut Agent| {
            black_box(agent.prompt(MESSAGE).max_turns(2).await.is_ok());
        },
    ));
    let agent = two_hundred::agent(builder(false)).build();
    rows.push(Row::new(
        "turn with a text reply, 200 tools",
        "rig, no memory",
        agent,
        async |agent: &mut Agent| {
            black_box(agent.prompt(MESSAGE).max_turns(2).await.is_ok());
        },
    ));
}

fn remembering() -> (Agent, Vec<String>) {
    let memory = InMemoryConversationMemory::new();
    (builder(true).memory(memory).tool(one::Add).build(), Vec::new())
}

/// The next turn of the next conversation.
async fn go_on((agent, conversations): &mut (Agent, Vec<String>)) {
    let conversation = conversations.pop().expect("one for each time");
    agent.prompt(MESSAGE).conversation(conversation).max_turns(2).await.expect("a turn");
}
