//! Panics of the flow's own code, wherever they come from: its body, its drop, or the drop of what it panicked with.

use crate::TurnError;
use std::{
    any::Any,
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    task::{Context, Poll},
};

/// A future that may be dropped at any moment, as by a time-out, although its own drop may panic.
pub(crate) struct Careful<F>(Option<F>);

impl<F> Careful<F> {
    pub(crate) const fn new(work: F) -> Self {
        Self(Some(work))
    }
}

impl<F: Future + Unpin> Future for Careful<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.0 {
            Some(work) => Pin::new(work).poll(cx),
            None => Poll::Pending,
        }
    }
}

impl<F> Drop for Careful<F> {
    fn drop(&mut self) {
        if let Some(text) = discard(self.0.take()) {
            crate::__report!(
                WARN,
                "what a handler or a hook left panicked when it was dropped: {text}"
            );
        }
    }
}

pub(crate) fn panicked(panic: Box<dyn Any + Send>) -> TurnError {
    TurnError::Panicked { message: panic_text(panic) }
}

/// What a panic said.
pub(crate) fn panic_text(panic: Box<dyn Any + Send>) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let text = text.unwrap_or("no message").to_owned();
    drop(discard(panic));
    text
}

/// Drops it. Returns what its drop panicked with, if it did.
fn discard<T>(value: T) -> Option<String> {
    let panic = catch_unwind(AssertUnwindSafe(|| drop(value))).err()?;
    let text = panic.downcast_ref::<&str>().copied().unwrap_or("no message").to_owned();
    // Not dropped: that might panic again, and so on for ever.
    mem::forget(panic);
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::panic_any;

    /// Panics when it is dropped, with one more of its kind.
    struct Hydra(u32);

    impl Drop for Hydra {
        fn drop(&mut self) {
            if let Some(heads) = self.0.checked_sub(1) {
                panic_any(Self(heads));
            }
        }
    }

    #[test]
    fn a_payload_whose_drop_panics_is_dropped_all_the_same() {
        let panic = catch_unwind(|| panic_any(Hydra(3))).unwrap_err();
        assert_eq!(panic_text(panic), "no message");
    }

    #[test]
    fn a_future_whose_drop_panics_is_dropped_all_the_same() {
        let hydra = Hydra(2);
        drop(Careful::new(Box::pin(async move {
            drop(hydra);
        })));
    }
}
