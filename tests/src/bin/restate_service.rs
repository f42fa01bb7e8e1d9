//! Serves the story's sessions and batches of it to Restate.
//!
//! `restate_service DIRECTORY PORT [CALL before|after]` keeps the effects of handlers and the calls of the model in the
//! directory. With a call, it says `here` when it comes to that one and waits to be killed.
#![expect(clippy::print_stdout, reason = "the test reads it")]

use picoflow::{
    BoxError, BoxFuture,
    model::{ChatModel, ChatRequest, ModelError},
    prelude::*,
    restate::{
        self,
        restate_sdk::prelude::{Endpoint, HttpServer},
    },
    session::MemoryStore,
};
use picoflow_tests::{
    faults::{Fault, Faults, Faulty, Kind, Moment},
    lines::Lines,
    story::{self, Narrator},
};
use std::{future::pending, net::Ipv4Addr, path::Path, sync::Arc};
use tokio::net::TcpListener;

/// A model whose calls are noted before it hears of them.
struct Noted {
    inner: Faulty<Narrator>,
    asked: Lines,
}

impl ChatModel for Noted {
    fn generate(&self, request: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        if let Err(error) = self.asked.add(request.step.as_str()) {
            return Box::pin(async { Err(ModelError::permanent(error)) });
        }
        self.inner.generate(request)
    }
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let args: Vec<_> = std::env::args().skip(1).collect();
    let (directory, port, fault) = match &*args {
        [directory, port] => (directory, port, None),
        [directory, port, at, moment] => {
            let moment = if moment == "before" { Moment::Before } else { Moment::After };
            (directory, port, Some(Fault { at: at.parse()?, moment, kind: Kind::Death }))
        }
        _ => return Err("usage: restate_service DIRECTORY PORT [CALL before|after]".into()),
    };
    let file = |name| Path::new(directory).join(name);
    let faults = Faults::new(fault);
    let model = Noted {
        inner: Faulty { inner: Narrator, faults: faults.clone() },
        asked: Lines::open(&file("asked"))?,
    };
    let ledger = Arc::new(Lines::open(&file("effects"))?);
    let engine = story::builder(Arc::new(MemoryStore::new()), ledger, &faults).model(model);
    let engine = engine.build().await?;
    let endpoint = Endpoint::builder().bind(restate::sessions(&engine)).bind(restate::batches());
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port.parse()?)).await?;
    tokio::select! {
        () = HttpServer::new(endpoint.build()).serve(listener) => {}
        () = faults.death() => {
            println!("here");
            pending::<()>().await;
        }
    }
    Ok(())
}
