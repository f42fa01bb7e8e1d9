//! The crates that talk to servers, without a voice: they log bodies, and what they do not know as it came.

use std::{
    future::{Future, poll_fn},
    pin::pin,
};
use tracing::dispatcher::{Dispatch, has_been_set, with_default};

/// Polls `future` where no subscriber hears what is logged.
///
/// Until the program has set a subscriber there is none to be kept from. To set an empty one then would count as the program's
/// own, and `tracing` would not pass records on to the crate `log` any more, for all of the process.
pub(crate) async fn quiet<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    poll_fn(|cx| {
        let mut poll = || future.as_mut().poll(cx);
        if has_been_set() { with_default(&Dispatch::none(), poll) } else { poll() }
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    };
    use tracing::{
        Event, Metadata, Subscriber,
        span::{Attributes, Id, Record},
    };

    /// Counts events.
    #[derive(Clone, Default)]
    struct Count(Arc<AtomicUsize>);

    impl Subscriber for Count {
        fn enabled(&self, _metadata: &Metadata<'_>) -> bool {
            true
        }
        fn new_span(&self, _span: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }
        fn record(&self, _span: &Id, _values: &Record<'_>) {}
        fn record_follows_from(&self, _span: &Id, _follows: &Id) {}
        fn event(&self, _event: &Event<'_>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
        fn enter(&self, _span: &Id) {}
        fn exit(&self, _span: &Id) {}
    }

    #[test]
    fn only_what_is_inside_is_not_heard() {
        let count = Count::default();
        let heard = Arc::clone(&count.0);
        let future = async {
            tracing::error!("before");
            quiet(async {
                tracing::error!("inside");
                // Polled for a second time.
                tokio::task::yield_now().await;
                tracing::error!("inside");
            })
            .await;
            tracing::error!("after");
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        with_default(&Dispatch::new(count), || runtime.block_on(future));
        assert_eq!(heard.load(Ordering::Relaxed), 2);
    }
}
