//! Which call of a turn it is: a name that every attempt at the turn gives it again.

use super::Run;
use crate::ToolDefinition;
use std::{mem, sync::Arc};

/// What a handler handles.
#[derive(Clone)]
pub(super) enum Handled {
    Tool(Arc<ToolDefinition>),
    /// The names of a group, joined.
    Group(Arc<str>),
}

impl Handled {
    fn name(&self) -> &str {
        match self {
            Self::Tool(definition) => definition.name(),
            Self::Group(names) => names,
        }
    }
}

/// The handlers that started in a run.
#[derive(Default)]
pub(crate) struct Started {
    counts: Vec<(Handled, u32)>,
    /// How often `run_steps` was called.
    batches: u32,
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

    pub(super) fn leave(&mut self, outer: Option<(Handled, u32)>) {
        drop(mem::replace(&mut self.current, outer));
    }
}

impl Run {
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
