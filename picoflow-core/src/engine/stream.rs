//! A turn as a stream of what happens in it.

use super::{Engine, Turn};
use crate::{TurnError, TurnEvent, run::Listener};
use futures_util::{Stream, stream};
use std::task::Poll;

impl Engine {
    /// Runs one turn, as [`run`](Engine::run) does, and yields what happens while it happens. The last item is
    /// [`TurnEvent::Replied`], or the error; the session that is stored is the same as without the stream.
    ///
    /// In order:
    ///
    /// 1. [`ModelCalled`](TurnEvent::ModelCalled), with each attempt at a model call; then
    ///    [`Reasoning`](TurnEvent::Reasoning) and [`Text`](TurnEvent::Text) as the model says it. A text is of the
    ///    `ModelCalled` before it; the next one begins anew, also when the reply was refused. What stands in the end is
    ///    [`Reply::text`](crate::Reply::text), which a handler or a hook may have said. What a child says, and what a step
    ///    with an output schema says, is not for the user and not in the stream.
    /// 2. For each call of the reply [`ToolStarted`](TurnEvent::ToolStarted), whatever its handler causes (children,
    ///    warnings), [`ToolEnded`](TurnEvent::ToolEnded) and [`ToolCalled`](TurnEvent::ToolCalled). The calls of a group
    ///    start together and end together.
    /// 3. [`Said`](TurnEvent::Said) and [`Moved`](TurnEvent::Moved), and then from the start again, or
    ///    [`Replied`](TurnEvent::Replied).
    ///
    /// Of children that run side by side, calls start and end when they do; all else comes when the batch is joined, in the
    /// order of the request. The events without `Text`, `Reasoning`, `ToolStarted`, `ToolEnded` and `Replied` are
    /// those of [`Reply::events`](crate::Reply::events), in the same order.
    ///
    /// Nothing runs until the stream is polled, and a turn waits for whoever takes its events. Dropping the stream cancels
    /// the turn.
    ///
    #[doc = include_str!("../docs/engine_stream.md")]
    pub fn stream(
        &self,
        turn: Turn,
    ) -> impl Stream<Item = Result<TurnEvent, TurnError>> + Send + Unpin + use<> {
        let (engine, listener) = (self.clone(), Listener::default());
        let heard = listener.clone();
        let turn = Turn { listener: Some(listener), ..turn };
        let mut work = Some(Box::pin(async move { engine.run(turn).await }));
        let mut last = None;
        stream::poll_fn(move |cx| {
            loop {
                if let Some(event) = heard.pop() {
                    return Poll::Ready(Some(Ok(event)));
                }
                let Some(running) = &mut work else {
                    return Poll::Ready(last.take());
                };
                match running.as_mut().poll(cx) {
                    Poll::Ready(ended) => {
                        work = None;
                        last =
                            Some(ended.map(|reply| TurnEvent::Replied { reply: Box::new(reply) }));
                    }
                    Poll::Pending => {
                        return heard
                            .pop()
                            .map_or(Poll::Pending, |event| Poll::Ready(Some(Ok(event))));
                    }
                }
            }
        })
    }
}
