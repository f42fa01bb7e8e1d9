//! Something to measure.

use futures_util::future::LocalBoxFuture;
use std::fmt;

/// One line of the table.
pub struct Row {
    /// What is done; rows of one case are compared with each other.
    pub case: String,
    /// Who does it.
    pub contender: String,
    /// How.
    pub work: Box<dyn Work>,
}

/// Something that can be done any number of times.
pub trait Work {
    /// Gets ready for `times` runs. It is not measured.
    fn prepare(&mut self, times: usize) -> LocalBoxFuture<'_, ()>;

    /// Does it `times` times.
    fn run(&mut self, times: usize) -> LocalBoxFuture<'_, ()>;
}

/// Work that is done by a closure on a state that another one prepares.
struct Repeat<S, P, O> {
    state: S,
    prepare: P,
    once: O,
}

impl<S, P, O> Work for Repeat<S, P, O>
where
    P: AsyncFnMut(&mut S, usize),
    O: AsyncFnMut(&mut S),
{
    fn prepare(&mut self, times: usize) -> LocalBoxFuture<'_, ()> {
        Box::pin((self.prepare)(&mut self.state, times))
    }

    fn run(&mut self, times: usize) -> LocalBoxFuture<'_, ()> {
        Box::pin(async move {
            for _ in 0..times {
                (self.once)(&mut self.state).await;
            }
        })
    }
}

impl Row {
    /// A row whose state needs no preparation.
    pub(crate) fn new<S: 'static>(
        case: impl Into<String>,
        contender: impl Into<String>,
        state: S,
        once: impl AsyncFnMut(&mut S) + 'static,
    ) -> Self {
        Self::prepared(case, contender, state, async |_: &mut S, _| {}, once)
    }

    pub(crate) fn prepared<S: 'static>(
        case: impl Into<String>,
        contender: impl Into<String>,
        state: S,
        prepare: impl AsyncFnMut(&mut S, usize) + 'static,
        once: impl AsyncFnMut(&mut S) + 'static,
    ) -> Self {
        Self {
            case: case.into(),
            contender: contender.into(),
            work: Box::new(Repeat { state, prepare, once }),
        }
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.case, self.contender)
    }
}
