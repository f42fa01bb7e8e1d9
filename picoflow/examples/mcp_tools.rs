//! Both sides of the Model Context Protocol in one program: a server that has tools, as its own process, and a flow that uses them
//! as its own. A script stands in for a model.
//!
//! ```text
//! cargo run --features mcp --example mcp_tools              ask what the weather is, by the tools of the server
//! cargo run --features mcp --example mcp_tools -- serve     be the server, on standard input and output
//! ```
#![expect(clippy::print_stdout, reason = "it talks to a person")]

use picoflow::{
    mcp::{McpServer, McpService},
    prelude::*,
    testing::{Rule, ScriptedModel},
};
use std::{error::Error, process::Command, sync::Arc};

/// What the server has.
struct Weather;

#[tools]
impl Weather {
    /// The temperature of a city, in degrees Celsius
    #[tool]
    fn temperature(&self, city: String) -> Result<String, ToolError> {
        match &*city {
            "Portland" => Ok("17 degrees".to_owned()),
            "Phoenix" => Ok("41 degrees".to_owned()),
            _ => Err(ToolError::feedback(format!("There is no station in {city}."))),
        }
    }
}

struct Ask;

impl Step for Ask {
    const ID: StepId = StepId::new("Ask");

    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "Answer questions about the weather.".into()
    }
}

/// A flow that uses tools from elsewhere.
struct Travel(Vec<NativeTool>);

impl Flow for Travel {
    const ID: FlowId = FlowId::new("Travel");

    fn model(&self) -> ModelRef {
        ModelRef::new("script", "travel")
    }

    fn steps(&self) -> Steps {
        Steps::new().add(Ask)
    }

    fn native_tools(&self) -> Vec<NativeTool> {
        self.0.clone()
    }
}

fn model() -> ScriptedModel {
    let call = |city: &str| [("weather_temperature", json!({ "city": city }))];
    ScriptedModel::new()
        .on_call(Rule::new().latest("Phoenix?"), call("Phoenix"))
        .on_call(Rule::new().latest("Atlantis?"), call("Atlantis"))
        .answer(Rule::new(), |request| {
            let told = request.latest().map(|message| &*message.content).unwrap_or_default();
            Ok(ModelReply::text(format!("The server says: {told}")))
        })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    if std::env::args().nth(1).as_deref() == Some("serve") {
        let tools = collect_tools(Arc::new(Weather));
        return Ok(McpService::new().name("weather").tools(tools).stdio().await?);
    }
    let program = std::env::current_exe()?;
    let server = McpServer::stdio(move || {
        let mut command = Command::new(&program);
        command.arg("serve");
        command
    });
    let client = server.prefix("weather_").allow(["temperature"]).connect().await?;
    let flow = Travel(client.tools().await?);
    let engine = Engine::builder().flow(flow).model(model()).build().await?;
    let mut session = None;
    for question in ["How warm is it in Phoenix?", "And in Atlantis?"] {
        let turn = Turn::new(Travel::ID).message(question);
        let turn = session.iter().fold(turn, |turn, id: &String| turn.session(id));
        let reply = engine.run(turn).await?;
        println!("{question}\n{}", reply.text);
        session = Some(reply.session);
    }
    client.close().await;
    Ok(())
}
