//! Sessions on [Restate](https://restate.dev), a durable engine: a process that is killed in mid-turn is followed by one
//! that goes on where it was. No model call that was answered is made again, and no handler that has ended runs again.
//!
//! A session is a virtual object `Session`, whose key is the session's id:
//!
//! | handler | takes | does |
//! | --- | --- | --- |
//! | `Session/ID/start` | [`TurnRequest`] | the first turn. Sent again, it gives the stored reply |
//! | `Session/ID/turn` | [`TurnRequest`] | the next turn |
//! | `Session/ID/session` | | the document, or `null`; also while a turn runs |
//! | `Session/ID/delete` | | removes the session |
//!
//! Turns of one session queue in Restate. A turn that is sent again because its answer was lost takes Restate's own
//! `idempotency-key` header. Each model call and each handler is a step of Restate's journal. What hooks do is not: they
//! run again when a turn is resumed, so what they do besides the session should be fit to be done twice.
//!
//! A turn that fails is a terminal error of Restate, with the code of the [`TurnError`] in front of its text, and is
//! not retried: the session is as it was, but for a note. What Restate retries is a turn whose process died.
//!
//! A batch is a virtual object `Batch`: `Batch/ID/run` takes a [`BatchRequest`] and starts one session for each item, as
//! [`Engine::run_batch`] does, and `Batch/ID/progress` tells how far it is.
//!
//! ```no_run
//! # use picoflow::{prelude::*, testing::ScriptedModel};
//! use picoflow::restate::{self, restate_sdk::prelude::{Endpoint, HttpServer}};
//!
//! # struct MyStep;
//! # #[tools] impl Step for MyStep {}
//! # struct MyFlow;
//! # impl Flow for MyFlow {
//! #     const ID: FlowId = FlowId::new("MyFlow");
//! #     fn model(&self) -> ModelRef { ModelRef::new("openai", "gpt-4o-mini") }
//! #     fn steps(&self) -> Steps { Steps::new().add(MyStep) }
//! # }
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let model = ScriptedModel::new();
//! // The same engine that serves sessions without Restate. Its store is not used: Restate keeps the sessions.
//! let engine = Engine::builder().flow(MyFlow).model(model).build().await?;
//! let endpoint = Endpoint::builder().bind(restate::sessions(&engine)).bind(restate::batches());
//! HttpServer::new(endpoint.build()).listen_and_serve("0.0.0.0:9080".parse()?).await;
//! # Ok(())
//! # }
//! ```

mod batch;
mod journal;
mod object;

pub use batch::{BatchItem, BatchProgress, BatchReply, BatchRequest, ItemReply};
pub use object::TurnRequest;
/// The version of the SDK whose endpoints take [`sessions`] and [`batches`].
#[doc(no_inline)]
pub use restate_sdk;

use crate::Engine;
#[cfg(doc)]
use crate::TurnError;
use restate_sdk::{
    endpoint::ServiceOptions,
    service::{IntoServiceDefinition, ServiceDefinition},
};
use std::time::Duration;

/// How long Restate waits before it takes a call for dead that says nothing: a model may take its time.
const PATIENCE: Duration = Duration::from_hours(1);

/// The virtual object `Session`, for the flows and the model of this engine.
///
/// See the [module](self) for an example.
pub fn sessions(engine: &Engine) -> ServiceDefinition {
    let object = object::Sessions::new(engine.clone()).into_service_definition();
    object.options(ServiceOptions::new().inactivity_timeout(PATIENCE))
}

/// The virtual object `Batch`, which starts sessions of the object `Session`.
///
/// See the [module](self) for an example.
pub fn batches() -> ServiceDefinition {
    batch::Batches.into_service_definition()
}
