//! Which call of a turn it is: a name that every attempt at the turn gives it again.

use super::Run;
use crate::ToolDefinition;
use serde::{Deserialize, Serialize};
use std::{mem, sync::Arc};

/// What a handler handles.
#[derive(Clone)]
pub(super) enum Handled {
    Tool(Arc<ToolDefinition>),
    /// The names of a group, joined.
    Group(Arc<str>),
    /// A name out of a journal.
    Named(Arc<str>),
}

impl Handled {
    fn name(&self) -> &str {
        match self {
            Self::Tool(definition) => definition.name(),
            Self::Group(name) | Self::Named(name) => name,
        }
    }
}

/// The handlers that started in a run.
#[derive(Default)]
pub(crate) struct Started {
    counts: Vec<(Handled, u32)>,
    /// How often `run_steps` was called.
    batches: u32,
    /// How often a model was asked, attempts included, as far as a journal counts it.
    asked: u32,
    /// The one at work, and its number among those of its tool.
    current: Option<(Handled, u32)>,
}

impl Started {
    /// Counts one more. Returns the one that it runs inside of, for [`leave`](Self::leave).
    pub(super) fn enter(&mut self, handled: Handled) -> Option<(Handled, u32)> {
        let known = self.counts.iter_mut().find(|(known, _)| known.name() == handled.name());
        let number = if let Some((_, count)) = known {
            *count += 1;
            *count
        } else {
            self.counts.push((handled.clone(), 1));
            1
        };
        self.current.replace((handled, number))
    }

    /// The counts, for a journal.
    pub(super) fn counts(&self) -> Counts {
        let calls = self.counts.iter().map(|(handled, count)| (handled.name().into(), *count));
        Counts { calls: calls.collect(), batches: self.batches, asked: self.asked }
    }

    /// Puts the counts where they were after a handler that does not run again.
    pub(super) fn set_counts(&mut self, counts: Counts) {
        let calls = counts.calls.into_iter().map(|(name, count)| (Handled::Named(name), count));
        self.counts = calls.collect();
        (self.batches, self.asked) = (counts.batches, counts.asked);
    }

    pub(super) fn leave(&mut self, outer: Option<(Handled, u32)>) {
        drop(mem::replace(&mut self.current, outer));
    }
}

/// How many calls of each name a run has seen.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Counts {
    calls: Vec<(Arc<str>, u32)>,
    batches: u32,
    asked: u32,
}

impl Run {
    /// The name of the next attempt at a model call. No tool has a colon in its name.
    pub(super) fn model_key(&mut self) -> String {
        self.started.asked += 1;
        let (session, turn, scope) = (&self.env.session, self.env.turn, &self.scope);
        format!("{session}/{turn}/{scope}:model/{}", self.started.asked)
    }

    /// What the names of the calls in the branches of one more `run_steps` begin with.
    pub(super) fn scope_of_batch(&mut self) -> String {
        self.started.batches += 1;
        format!("{}{}:", self.scope, self.started.batches)
    }

    /// `session/turn/tool/number`, with the branch in front of the tool; outside a handler, the step in its place.
    pub(crate) fn idempotency_key(&self, at: usize) -> String {
        let (session, turn, scope) = (&self.env.session, self.env.turn, &self.scope);
        if let Some((handled, number)) = &self.started.current {
            format!("{session}/{turn}/{scope}{}/{number}", handled.name())
        } else {
            let step = self.env.flow.steps.get(at).map_or("", |step| step.id.as_str());
            format!("{session}/{turn}/{scope}{step}")
        }
    }
}
