//! One turn on one session of one store, held open in its model call until a line comes in: what the race of two
//! processes is made of.
//!
//! `racing_turn STORE SESSION NAME` says `ready` when the turn has read the session in the [store](picoflow_tests::open::open)
//! and asks its model, waits for a line, and says `ok` or the error's code.
#![expect(clippy::print_stdout, reason = "the test reads it")]

use picoflow::{
    BoxFuture,
    model::{ChatModel, ChatRequest, ModelError},
    prelude::*,
};
use picoflow_tests::open::open;
use std::{
    error::Error,
    io::{Write, stdin, stdout},
};

struct Talk;

#[tools]
impl Step for Talk {}

struct RaceFlow;

impl Flow for RaceFlow {
    const ID: FlowId = FlowId::new("RaceFlow");

    fn model(&self) -> ModelRef {
        ModelRef::new("test", "held")
    }

    fn steps(&self) -> Steps {
        Steps::new().add(Talk)
    }
}

struct HeldModel(String);

impl ChatModel for HeldModel {
    fn generate(&self, _request: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        Box::pin(async move {
            println!("ready");
            stdout().flush().map_err(ModelError::permanent)?;
            stdin().read_line(&mut String::new()).map_err(ModelError::permanent)?;
            Ok(ModelReply::text(format!("reply to {}", self.0)))
        })
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(store), Some(session), Some(name)) = (args.next(), args.next(), args.next()) else {
        return Err("usage: racing_turn STORE SESSION NAME; - as SESSION starts one".into());
    };
    let engine = Engine::builder()
        .flow(RaceFlow)
        .model(HeldModel(name.clone()))
        .store(open(&store).await?)
        .build()
        .await?;
    let turn = Turn::new(RaceFlow::ID).message(&name);
    let turn = if session == "-" { turn } else { turn.session(session) };
    match engine.run(turn).await {
        Ok(reply) => println!("ok {}", reply.session),
        Err(error) => println!("{}", error.code()),
    }
    Ok(())
}
