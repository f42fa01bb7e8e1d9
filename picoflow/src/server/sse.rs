//! A turn as server-sent events.

use super::{running::Running, wire::Envelope};
use crate::{
    TurnError, TurnEvent,
    web::{Details, Problem},
};
use axum::{
    http::{HeaderName, HeaderValue},
    response::{
        IntoResponse, Response, Sse,
        sse::{Event, KeepAlive},
    },
};
use futures_util::{Stream, StreamExt, stream};
use serde::Serialize;
use std::time::Duration;
use tokio::sync::mpsc;

/// Tells proxies that gather responses to pass this one on as it comes.
const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// Runs the turn and sends what happens. A client that reads slowly does not hold it up, and one that leaves cancels it.
pub(super) fn respond(
    mut turn: impl Stream<Item = Result<TurnEvent, TurnError>> + Send + Unpin + 'static,
    running: Running,
    is_inside: bool,
    named: Option<String>,
) -> Response {
    // It holds no more than what one turn can say.
    let (sender, mut receiver) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        let mut running = Some(running);
        loop {
            let item = tokio::select! {
                biased;
                () = sender.closed() => return,
                item = turn.next() => item,
            };
            let event = match item {
                None => return,
                Some(Ok(TurnEvent::Replied { reply })) => {
                    let mut reply = *reply;
                    if let Some(running) = running.take() {
                        running.end(Ok(&reply));
                    }
                    reply.events.clear();
                    json("replied", &Envelope::new(reply, is_inside))
                }
                Some(Ok(event)) if is_inside || is_for_user(&event) => named_by_itself(&event),
                Some(Ok(_)) => continue,
                Some(Err(error)) => {
                    if let Some(running) = running.take() {
                        running.end(Err(&error));
                    }
                    let problem = Problem::from(error).session(named.clone());
                    json("error", &Details::from(problem))
                }
            };
            if sender.send(event).is_err() {
                return;
            }
        }
    });
    let events = stream::poll_fn(move |cx| receiver.poll_recv(cx));
    let alive = KeepAlive::new().interval(Duration::from_secs(15));
    let no_buffering = [(BUFFERING, HeaderValue::from_static("no"))];
    (no_buffering, Sse::new(events).keep_alive(alive)).into_response()
}

fn json(name: &str, data: &impl Serialize) -> Result<Event, axum::Error> {
    Event::default().event(name).json_data(data)
}

/// The event under the name that its JSON has.
fn named_by_itself(event: &TurnEvent) -> Result<Event, axum::Error> {
    let data = serde_json::to_value(event).map_err(axum::Error::new)?;
    json(data["event"].as_str().unwrap_or("other"), &data)
}

/// Whether the event tells nothing of what is inside.
const fn is_for_user(event: &TurnEvent) -> bool {
    matches!(event, TurnEvent::ModelCalled { .. } | TurnEvent::Text { .. } | TurnEvent::Said { .. })
}
