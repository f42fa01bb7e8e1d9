//! Mistakes in the flow's code on their way from a child to the step that started it, and to the turn.

use super::TurnError;
use crate::children::{BatchError, ChildError, ChildFailure};
use std::error::Error;

/// As many sources of an error as are looked through.
const MOST_SOURCES: usize = 32;

impl TurnError {
    /// The same once more, if it is a mistake in the flow's code, or a journal that keeps nothing: it fails the turn
    /// unless the step that started the child handles it.
    pub(crate) fn as_mistake(&self) -> Option<Self> {
        match self {
            Self::Misuse { step, reason } => {
                Some(Self::Misuse { step: step.clone(), reason: reason.clone() })
            }
            Self::UnknownStep { target, flow } => {
                Some(Self::UnknownStep { target: target.clone(), flow: flow.clone() })
            }
            Self::ChildTransition { step, builder, by, owner } => Some(Self::ChildTransition {
                step: step.clone(),
                builder,
                by: by.clone(),
                owner: owner.clone(),
            }),
            Self::Journal { key, source } => {
                Some(Self::Journal { key: key.clone(), source: source.to_string().into() })
            }
            _ => None,
        }
    }

    /// The mistake of a child that `error` passes on: the code that started the child did not handle it.
    pub(crate) fn passed_on(error: &(dyn Error + 'static)) -> Option<Self> {
        let chain = std::iter::successors(Some(error), |&error| error.source());
        chain.take(MOST_SOURCES).find_map(|error| match error.downcast_ref::<ChildError>() {
            Some(child) => child.failure.mistake(),
            None => error.downcast_ref::<BatchError>().and_then(BatchError::mistake),
        })
    }
}

impl ChildFailure {
    /// The mistake in the flow's code that it comes from.
    pub(crate) fn mistake(&self) -> Option<TurnError> {
        match self {
            Self::Failed(error) => error.as_mistake(),
            Self::NotKept(error) => error.mistake(),
            _ => None,
        }
    }
}

impl BatchError {
    /// The mistake in the flow's code that it comes from.
    pub(crate) fn mistake(&self) -> Option<TurnError> {
        match self {
            Self::Mutation { source, .. } => source.as_mistake(),
            Self::UnknownStep { step, flow, .. } => {
                Some(TurnError::UnknownStep { target: step.clone(), flow: flow.clone() })
            }
            Self::Rejected { batch } => {
                batch.rejected().find_map(|(_, error)| error.failure.mistake())
            }
            _ => None,
        }
    }
}
