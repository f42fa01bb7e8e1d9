//! What becomes of a model that does not answer.

use super::{ModelError, ModelRef, ModelReply, Usage};
use crate::StepResponse;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A provider's refusal to answer, by its rules or by the model itself. Asking again would meet it again.
///
/// ```
/// use picoflow_core::model::{Block, BlockPhase, BlockReason, ModelError};
///
/// let block = Block::new(BlockPhase::Reply, BlockReason::Safety).raw_reason("SAFETY");
/// let error = ModelError::blocked(block);
/// assert!(!error.is_transient());
/// assert_eq!(error.to_string(), "the provider refused to answer: its safety rules stopped the reply (SAFETY)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Block {
    /// What was refused.
    pub phase: BlockPhase,
    /// Why, in words that all providers share.
    pub reason: BlockReason,
    /// Why, in the provider's own word.
    pub raw_reason: Option<String>,
    /// What the call cost all the same.
    #[serde(default)]
    pub usage: Usage,
}

/// What a provider refused.
///
/// See [`Block`] for an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum BlockPhase {
    /// The request.
    Prompt,
    /// The model's reply to it.
    Reply,
}

/// Why a provider refused.
///
/// See [`Block`] for an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum BlockReason {
    /// Its rules about harm.
    Safety,
    /// The reply would have repeated protected text.
    Recitation,
    /// The model itself declined.
    Refusal,
    /// Something else.
    Other,
}

impl Block {
    /// A refusal at this place, for this reason.
    /// See [`Block`] for an example.
    pub const fn new(phase: BlockPhase, reason: BlockReason) -> Self {
        Self { phase, reason, raw_reason: None, usage: Usage::new(0, 0) }
    }

    /// The same with the provider's own word.
    /// See [`Block`] for an example.
    #[must_use]
    pub fn raw_reason(mut self, reason: impl Into<String>) -> Self {
        self.raw_reason = Some(reason.into());
        self
    }

    /// The same with what the call cost.
    ///
    /// ```
    /// use picoflow_core::model::{Block, BlockPhase, BlockReason, Usage};
    ///
    /// let block = Block::new(BlockPhase::Prompt, BlockReason::Other).usage(Usage::new(12, 0));
    /// assert_eq!(block.usage.input_tokens, 12);
    /// ```
    #[must_use]
    pub const fn usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }
}

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.phase {
            BlockPhase::Prompt => "the request",
            BlockPhase::Reply => "the reply",
        };
        match self.reason {
            BlockReason::Safety => write!(f, "its safety rules stopped {what}"),
            BlockReason::Recitation => write!(f, "protected text stopped {what}"),
            BlockReason::Refusal => write!(f, "the model declined {what}"),
            BlockReason::Other => write!(f, "it stopped {what}"),
        }?;
        self.raw_reason.as_ref().map_or(Ok(()), |raw| write!(f, " ({raw})"))
    }
}

/// Why a step got no reply from its model, for [`Step::on_model_error`](crate::Step::on_model_error).
///
/// See that hook for an example.
#[derive(Debug)]
#[non_exhaustive]
pub enum ModelFailure {
    /// The last attempt was an error.
    Failed {
        /// Which.
        error: ModelError,
        /// How often the model was asked.
        attempts: u32,
        /// Whether attempts were left that `should_retry`, or the kind of the error, declined.
        declined: bool,
    },
    /// The last reply said nothing and called nothing.
    Empty {
        /// It.
        reply: ModelReply,
        /// How often the model was asked.
        attempts: u32,
    },
    /// The last reply was refused, by `check_response` or by the output schema.
    Refused {
        /// It.
        reply: ModelReply,
        /// Why.
        reason: String,
        /// How often the model was asked.
        attempts: u32,
    },
}

/// What [`Step::on_model_error`](crate::Step::on_model_error) makes of a failure.
///
/// See that hook for an example.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Recovery {
    /// Nothing: the flow's hook is asked next, and then the turn fails.
    #[default]
    Pass,
    /// This in place of a reply.
    Answer(StepResponse),
    /// Another model for the rest of this step's turn, with one attempt for each call. It is not stored. A second one
    /// is not asked: the turn fails.
    RetryWith(ModelRef),
}

impl From<StepResponse> for Recovery {
    fn from(response: StepResponse) -> Self {
        Self::Answer(response)
    }
}
