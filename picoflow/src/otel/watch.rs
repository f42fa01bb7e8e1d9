//! Work that is reported whatever its end is.

use crate::BoxFuture;
use futures_util::FutureExt;
use std::panic::{AssertUnwindSafe, resume_unwind};
use tracing::{Instrument, Span};

/// What is told of a piece of work that comes to an end `T`.
pub(super) trait Report<T>: Send {
    fn span(&self) -> &Span;

    /// It came to its end.
    fn ended(&mut self, result: &T);

    /// It came to none.
    fn cut(&mut self, how: Cut);
}

/// Why work came to no end.
#[derive(Clone, Copy)]
pub(super) enum Cut {
    /// Nobody waits for it any more.
    Dropped,
    Panicked,
}

/// Runs `work` in the span of its report. Nothing is reported of what is never polled, such as a call that a host
/// answers out of a journal.
pub(super) async fn watch<T, R: Report<T>>(
    start: impl FnOnce() -> R + Send,
    work: BoxFuture<'_, T>,
) -> T {
    let mut open = Open { report: Some(start()), cut: R::cut };
    let span = open.report.as_ref().map_or_else(Span::none, |report| report.span().clone());
    let end = AssertUnwindSafe(work).catch_unwind().instrument(span).await;
    let report = open.report.take();
    match end {
        Ok(result) => {
            if let Some(mut report) = report {
                report.ended(&result);
            }
            result
        }
        Err(panic) => {
            if let Some(mut report) = report {
                report.cut(Cut::Panicked);
            }
            resume_unwind(panic)
        }
    }
}

/// A report of work that has not come to its end.
struct Open<R> {
    report: Option<R>,
    cut: fn(&mut R, Cut),
}

impl<R> Drop for Open<R> {
    fn drop(&mut self) {
        if let Some(report) = &mut self.report {
            (self.cut)(report, Cut::Dropped);
        }
    }
}
