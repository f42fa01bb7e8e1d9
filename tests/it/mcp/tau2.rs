//! Two servers that others made, a shop's and an airline's, and the actions that are known to solve their tasks (tau2-bench, as
//! two Python packages, which `scripts/mcp` installs): each action does the same through a flow as on the server itself.

use crate::support::prepared;
use picoflow::{
    BoxFuture,
    mcp::McpServer,
    model::{ChatModel, ChatRequest, ModelError},
    prelude::*,
    session::{MessageKind, ToolStatus},
};
use std::{
    collections::VecDeque,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::{Arc, Mutex},
    time::Duration,
};

/// The server of a domain. It would write its whole state to a file after each call, which is of no interest here.
fn server(python: &Path, domain: &str) -> Command {
    let program = format!(
        "import tau2_{domain}_mcp.server as server\n\
         server._save_state = lambda *_: None\n\
         server._load_state = lambda *_: None\n\
         server.main()"
    );
    let mut command = Command::new(python);
    command.arg("-c").arg(program);
    command
}

/// The server itself, spoken to line by line.
struct Direct {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Direct {
    fn start(mut command: Command) -> Self {
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let input = process.stdin.take().unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        Self { process, input, output }
    }

    fn call(&mut self, name: &str, arguments: &Value) -> Value {
        let params = json!({ "name": name, "arguments": arguments });
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        writeln!(self.input, "{call}").unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str::<Value>(&line).unwrap()["result"].take()
    }
}

impl Drop for Direct {
    fn drop(&mut self) {
        // It may have ended already.
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// One action of a task.
#[derive(Clone, Debug)]
struct Action {
    name: String,
    arguments: Value,
}

/// The actions of each task, all on the one state.
fn tasks(python: &Path, domain: &str) -> Vec<Vec<Action>> {
    let print = format!(
        "import pathlib, tau2_{domain}_mcp as it\n\
         path = pathlib.Path(it.__file__).parent / 'data/tau2/domains/{domain}/tasks.json'\n\
         print(path.read_text())"
    );
    let printed = Command::new(python).arg("-c").arg(print).output().unwrap();
    let tasks: Value = serde_json::from_slice(&printed.stdout).unwrap();
    let action = |action: &Value| {
        let mut arguments = action["arguments"].clone();
        // One state for all: what some tasks have changed makes others fail.
        arguments["state_key"] = json!(format!("tau2/{domain}/all"));
        Action { name: action["name"].as_str().unwrap().to_owned(), arguments }
    };
    let actions = |task: &Value| {
        let actions = task["evaluation_criteria"]["actions"].as_array().cloned();
        actions.unwrap_or_default().iter().map(action).collect()
    };
    tasks.as_array().unwrap().iter().map(actions).collect()
}

/// Calls one known action after the other.
#[derive(Clone, Default)]
struct Actor(Arc<Mutex<VecDeque<Action>>>);

impl ChatModel for Actor {
    fn generate(&self, _request: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        let mut left = self.0.lock().unwrap();
        let number = left.len();
        let reply = left.pop_front().map_or_else(
            || ModelReply::text("done"),
            |Action { name, arguments }| {
                ModelReply::calls([ToolCall::new(format!("call-{number}"), name, &arguments)])
            },
        );
        Box::pin(async { Ok(reply) })
    }
}

struct Agent;

impl Step for Agent {
    const ID: StepId = StepId::new("Agent");
}

struct Domain(Vec<NativeTool>);

impl Flow for Domain {
    const ID: FlowId = FlowId::new("Domain");

    fn model(&self) -> ModelRef {
        ModelRef::new("test", "actor")
    }

    fn steps(&self) -> Steps {
        Steps::new().add(Agent)
    }

    fn native_tools(&self) -> Vec<NativeTool> {
        self.0.clone()
    }

    fn limits(&self) -> Limits {
        Limits::default().model_rounds(100)
    }
}

/// Runs all tasks of a domain both ways; says how many actions succeeded and how many were refused.
async fn compare(python: PathBuf, domain: &str, tools: usize) -> (usize, usize) {
    let mut direct = Direct::start(server(&python, domain));
    let ours = {
        let (python, domain) = (python.clone(), domain.to_owned());
        McpServer::stdio(move || server(&python, &domain))
    };
    let client = ours.timeout(Duration::from_mins(1)).connect().await.unwrap();
    let listed = client.tools().await.unwrap();
    assert_eq!(listed.len(), tools);
    let actor = Actor::default();
    let engine = Engine::builder().flow(Domain(listed)).model(actor.clone()).build().await.unwrap();

    let (mut succeeded, mut refused) = (0, 0);
    for actions in tasks(&python, domain) {
        actor.0.lock().unwrap().extend(actions.clone());
        let reply = engine.run(Turn::new(Domain::ID).message("Solve the task.")).await.unwrap();
        assert_eq!(reply.text, "done");
        let session = engine.session(&reply.session).await.unwrap().unwrap();
        let answers =
            session.flow.memory.values().flat_map(|memory| memory.messages.iter()).filter_map(
                |message| {
                    let MessageKind::Tool { name, status, .. } = &message.kind else { return None };
                    Some((name, *status, &message.content))
                },
            );
        let answers: Vec<_> = answers.collect();
        assert_eq!(answers.len(), actions.len());
        for (action, (name, status, content)) in actions.iter().zip(answers) {
            let expected = direct.call(&action.name, &action.arguments);
            assert_eq!(name, &action.name);
            let told: Value = serde_json::from_str(content)
                .unwrap_or_else(|error| panic!("{action:?}: {error}: {content}"));
            assert_eq!(told, expected["structuredContent"], "{action:?}");
            let is_refused = expected["isError"] == true;
            assert_eq!(status == ToolStatus::Error, is_refused, "{action:?}");
            if is_refused { refused += 1 } else { succeeded += 1 }
        }
        engine.delete_session(&reply.session).await.unwrap();
    }
    client.close().await;
    (succeeded, refused)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[cfg_attr(not(prepared = "mcp"), ignore = "needs the MCP servers: run scripts/mcp cargo test")]
async fn each_known_action_does_the_same_through_a_flow_as_on_the_server() {
    let python = PathBuf::from(prepared("PICOFLOW_TEST_MCP_PYTHON", "scripts/mcp"));
    let retail = compare(python.clone(), "retail", 18).await;
    let airline = compare(python, "airline", 16).await;
    assert_eq!((retail.0 + airline.0, retail.1 + airline.1), (610, 82), "{retail:?} {airline:?}");
}
