//! A limit of time for what is mostly ready at once.

use std::{
    future::{Future, poll_fn},
    pin::pin,
    task::Poll,
    time::Duration,
};
use tokio::time::{Instant, sleep_until};

/// What `work` comes to within `limit`; `None`: it took longer. What is ready at once needs no timer. The time for which
/// it blocks its thread counts.
pub(crate) async fn within<F: Future>(limit: Duration, work: F) -> Option<F::Output> {
    let mut work = pin!(work);
    let mut timer = pin!(None);
    let end = Instant::now().checked_add(limit);
    poll_fn(|cx| {
        if let Poll::Ready(done) = work.as_mut().poll(cx) {
            return Poll::Ready(Some(done));
        }
        if let (None, Some(end)) = (&*timer, end) {
            timer.set(Some(sleep_until(end)));
        }
        match timer.as_mut().as_pin_mut() {
            Some(timer) => timer.poll(cx).map(|()| None),
            // No clock goes that far.
            None => Poll::Pending,
        }
    })
    .await
}
