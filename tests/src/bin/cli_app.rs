//! A program with nothing but the [command line](picoflow::cli) of picoflow, over a model that can be held.
//!
//! Its environment says the rest: `STORE` is the file of its sessions, `FLOWS=two` adds a second flow, which has a step that
//! nobody reaches, and a turn on `hold` waits until the file `GATE` is there, after it has made the file `GATE.began`. With
//! `SUBSCRIBER`, the program hears its own traces, and keeps them to itself.

use futures_util::{StreamExt, stream};
use picoflow::{
    BoxError, BoxFuture, BoxStream, SqliteStore, cli,
    model::{ChatModel, ChatRequest, ModelError, ModelEvent},
    prelude::*,
};
use std::{env, fs, path::Path, process::ExitCode, time::Duration};

struct Talk;

#[tools]
impl Step for Talk {
    fn prompt(&self, cx: &Cx<'_>) -> Prompt {
        format!("config: {}", cx.context()["config"]).into()
    }

    /// Add a dish
    #[tool(define)]
    fn add(&self, cx: &mut Cx<'_>, dish: String) -> Result<ToolResponse, ToolError> {
        if dish == "soup" {
            return Err(ToolError::feedback("the soup is off"));
        }
        if dish == "fish" {
            return Err(ToolError::internal("no fish for ann@example.com"));
        }
        cx.warn(format!("only one {dish} is left"));
        Ok(stay_with(format!("{dish} is on the list")))
    }

    /// Pay
    #[tool(define)]
    fn pay(&self) -> ToolResponse {
        direct("That makes three.")
    }

    /// End the conversation
    #[tool(define)]
    fn leave(&self) -> ToolResponse {
        go(TerminateSessionStep::ID)
    }
}

struct TalkFlow;

#[tools]
impl Flow for TalkFlow {
    fn model(&self) -> ModelRef {
        ModelRef::new("test", "held")
    }

    fn steps(&self) -> Steps {
        Steps::new().add(Talk).add(TerminateSessionStep)
    }
}

struct Lost;

#[tools]
impl Step for Lost {}

struct OtherFlow;

#[tools]
impl Flow for OtherFlow {
    fn model(&self) -> ModelRef {
        ModelRef::new("test", "held")
    }

    fn steps(&self) -> Steps {
        Steps::new().add(Talk).add(Lost).add(TerminateSessionStep)
    }
}

struct HeldModel;

impl ChatModel for HeldModel {
    fn generate(&self, request: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        Box::pin(async move {
            let said = request.latest().map_or("", |message| &message.content);
            let call =
                |tool, arguments| ModelReply::calls([ToolCall::new("call_1", tool, &arguments)]);
            Ok(match said {
                "hold" => {
                    held().await.map_err(ModelError::permanent)?;
                    ModelReply::text("One moment. Done.")
                }
                "break" => return Err(ModelError::permanent("\x1b[2Jbroken")),
                "fail" => return Err(ModelError::permanent("out of order")),
                "config" => ModelReply::text(request.prompt()),
                "steer" => ModelReply::text("\x1b[2Jcleared"),
                "pay" => call("pay", json!({})),
                "bye" => call("leave", json!({})),
                dish => match dish.strip_prefix("add ") {
                    Some(dish) => call("add", json!({ "dish": dish })),
                    None => ModelReply::text(format!("You said: {said}")),
                },
            })
        })
    }

    fn stream(&self, request: ChatRequest) -> BoxStream<'_, Result<ModelEvent, ModelError>> {
        let is_held = request.latest().is_some_and(|message| message.content == "hold");
        let first = is_held.then(|| Ok(ModelEvent::Text("One moment. ".to_owned())));
        let rest = stream::once(self.generate(request)).flat_map(move |reply| {
            let text = match &reply {
                Ok(_) if is_held => Some("Done.".to_owned()),
                Ok(reply) => Some(reply.text.clone()).filter(|text| !text.is_empty()),
                Err(_) => None,
            };
            let text = text.map(|text| Ok(ModelEvent::Text(text)));
            stream::iter(text.into_iter().chain([reply.map(ModelEvent::Reply)]))
        });
        Box::pin(stream::iter(first).chain(rest))
    }
}

/// Waits for the gate.
async fn held() -> Result<(), BoxError> {
    let gate = env::var("GATE")?;
    fs::write(format!("{gate}.began"), "")?;
    while !Path::new(&gate).exists() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Result<ExitCode, BoxError> {
    if env::var_os("SUBSCRIBER").is_some() {
        tracing::subscriber::set_global_default(tracing::subscriber::NoSubscriber::default())?;
    }
    let mut engine = Engine::builder().flow(TalkFlow).model(HeldModel);
    if env::var("FLOWS").is_ok_and(|flows| flows == "two") {
        engine = engine.flow(OtherFlow);
    }
    if let Ok(store) = env::var("STORE") {
        engine = engine.store(SqliteStore::open(store).await?);
    }
    Ok(cli::main(engine.build().await?).await)
}
