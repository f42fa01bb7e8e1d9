//! toolnexus: a toolkit of `define_typed_tool`, and the loop of its client over its in-process model.

use crate::{ANSWER, ARGUMENTS, CALLS, MESSAGE, PROMPT, Row, expect};
use peers_tools::AddArgs;
use serde_json::{Value, json};
use std::{hint::black_box, sync::Arc};
use toolnexus::{
    BuiltinsConfig, ToolContext, Toolkit, ToolkitOptions,
    client::{
        Client, InProcessOptions, InProcessRequest, InProcessResponse, InProcessToolCall,
        create_in_process_client,
    },
    create_toolkit, define_typed_tool,
};

/// One closure serves all tools, since a toolkit does not see the difference.
async fn toolkit(count: i64) -> Toolkit {
    // As its README writes one: it clones the schema for each call.
    let schema = json!({
        "type": "object",
        "properties": { "a": { "type": "integer" }, "b": { "type": "integer" } },
        "required": ["a", "b"],
    });
    let tools = (0..count).map(|number| {
        let (name, description) = match number {
            0 => ("add".to_owned(), "Add two numbers".to_owned()),
            _ => (format!("tool_{number}"), format!("Add two numbers and {number}")),
        };
        let sum = move |AddArgs { a, b }, _context| async move {
            Ok::<_, String>((a + b + number).to_string())
        };
        define_typed_tool(name, description, schema.clone(), sum)
    });
    let builtins = BuiltinsConfig { enabled: Some(false), ..BuiltinsConfig::default() };
    let options = ToolkitOptions {
        extra_tools: tools.collect(),
        builtins: Some(builtins),
        ..ToolkitOptions::default()
    };
    let toolkit = create_toolkit(options).await.expect("a toolkit");
    assert_eq!(i64::try_from(toolkit.tools().len()), Ok(count));
    toolkit
}

/// Calls `add`, and says what came of it. `calls` is off for a model that only talks.
fn client(calls: bool) -> Client {
    create_in_process_client(InProcessOptions {
        model: "scripted".to_owned(),
        system_prompt: PROMPT.to_owned(),
        generate: Some(Arc::new(move |request: InProcessRequest| {
            let is_answered = request.messages.last().is_some_and(|last| last["role"] == "tool");
            Box::pin(async move {
                Ok(if calls && !is_answered {
                    let call = InProcessToolCall {
                        id: "call_1".to_owned(),
                        name: "add".to_owned(),
                        arguments: Value::String(ARGUMENTS.to_owned()),
                    };
                    InProcessResponse { tool_calls: vec![call], ..InProcessResponse::default() }
                } else {
                    InProcessResponse { content: ANSWER.to_owned(), ..InProcessResponse::default() }
                })
            })
        })),
        ..InProcessOptions::default()
    })
}

pub(crate) async fn add(rows: &mut Vec<Row>) {
    for (case, count, tool, sum) in CALLS {
        let toolkit = toolkit(if count == 10 { 10 } else { 200 }).await;
        let arguments = || serde_json::from_str::<Value>(black_box(ARGUMENTS)).unwrap_or_default();
        expect(&toolkit.execute(tool, arguments(), ToolContext::default()).await, sum);
        rows.push(Row::new(case, "toolnexus", toolkit, async move |toolkit: &mut Toolkit| {
            let context = ToolContext::default();
            black_box(toolkit.execute(black_box(tool), arguments(), context).await);
        }));
    }
    let case = "list 200 definitions";
    rows.push(Row::new(
        case,
        "toolnexus, `Toolkit::to_openai`",
        toolkit(200).await,
        async |toolkit: &mut Toolkit| {
            black_box(toolkit.to_openai());
        },
    ));
    rows.push(Row::new(
        case,
        "toolnexus, `Toolkit::tools`",
        toolkit(200).await,
        async |toolkit: &mut Toolkit| {
            black_box(toolkit.tools());
        },
    ));
    add_turns(rows).await;
}

struct Talk {
    client: Client,
    toolkit: Toolkit,
    conversations: Vec<String>,
}

impl Talk {
    async fn new(calls: bool, tools: i64) -> Self {
        Self { client: client(calls), toolkit: toolkit(tools).await, conversations: Vec::new() }
    }

    async fn run(&mut self) {
        black_box(self.client.run(MESSAGE, &self.toolkit).await.is_ok());
    }

    /// The next turn of the next conversation.
    async fn go_on(&mut self) {
        let conversation = self.conversations.pop().expect("one for each time");
        self.client.ask(MESSAGE, &self.toolkit, &conversation).await.expect("a turn");
    }

    fn converse(&mut self, times: usize) {
        let conversations = (0..times).map(|number| format!("conversation-{number}"));
        self.conversations.extend(conversations);
    }
}

async fn add_turns(rows: &mut Vec<Row>) {
    let talk = Talk::new(true, 1).await;
    let reply = talk.client.run(MESSAGE, &talk.toolkit).await;
    expect(&reply, ANSWER);
    expect(&reply, "output: \"42\"");
    let case = "turn with one tool call, new conversation";
    rows.push(Row::new(case, "toolnexus, no store", talk, Talk::run));
    rows.push(Row::prepared(
        case,
        "toolnexus, in-memory store",
        Talk::new(true, 1).await,
        async |talk: &mut Talk, times| {
            talk.client = client(true);
            talk.converse(times);
        },
        Talk::go_on,
    ));
    rows.push(Row::prepared(
        "turn with one tool call, second of a conversation",
        "toolnexus, in-memory store",
        Talk::new(true, 1).await,
        async |talk: &mut Talk, times| {
            talk.client = client(true);
            talk.converse(times);
            for _ in 0..times {
                talk.go_on().await;
            }
            talk.converse(times);
        },
        Talk::go_on,
    ));
    for tools in [1, 200] {
        let case =
            format!("turn with a text reply, {tools} tool{}", if tools == 1 { "" } else { "s" });
        let talk = Talk::new(false, tools).await;
        rows.push(Row::new(case, "toolnexus, no store", talk, Talk::run));
    }
}
