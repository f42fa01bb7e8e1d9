//! Why a reply ended, in the words of all providers.

use crate::model::BlockReason;

/// What the end of a reply means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The model had said what it had to say.
    Complete,
    /// It was not allowed to say more.
    Truncated,
    /// A rule stopped it.
    Blocked(BlockReason),
    /// Something went wrong.
    Failed,
}

impl Ending {
    pub(super) fn of(word: &str) -> Self {
        match word {
            _ if is_truncation(word) => Self::Truncated,
            "refusal" => Self::Blocked(BlockReason::Refusal),
            "RECITATION" | "IMAGE_RECITATION" => Self::Blocked(BlockReason::Recitation),
            "content_filter"
            | "content-filter"
            | "safety"
            | "sensitive"
            | "SAFETY"
            | "BLOCKLIST"
            | "PROHIBITED_CONTENT"
            | "SPII"
            | "IMAGE_SAFETY"
            | "IMAGE_PROHIBITED_CONTENT"
            | "MODEL_ARMOR"
            | "guardrail_intervened" => Self::Blocked(BlockReason::Safety),
            "LANGUAGE" | "OTHER" | "IMAGE_OTHER" | "BLOCKED_REASON_UNSPECIFIED" => {
                Self::Blocked(BlockReason::Other)
            }
            "error"
            | "ERROR"
            | "failed"
            | "cancelled"
            | "abort"
            | "timeout"
            | "network_error"
            | "insufficient_system_resource"
            | "in_progress"
            | "queued"
            | "pause_turn"
            | "load"
            | "unload"
            | "FINISH_REASON_UNSPECIFIED"
            | "MALFORMED_FUNCTION_CALL"
            | "MALFORMED_RESPONSE"
            | "UNEXPECTED_TOOL_CALL"
            | "TOO_MANY_TOOL_CALLS"
            | "MISSING_THOUGHT_SIGNATURE"
            | "NO_IMAGE" => Self::Failed,
            // Compatible servers have many words for an end.
            _ => Self::Complete,
        }
    }
}

/// Whether the word says that the model ran out of tokens.
pub(super) fn is_truncation(word: &str) -> bool {
    matches!(
        word,
        "length"
            | "max_tokens"
            | "MAX_TOKENS"
            | "max_output_tokens"
            | "max_completion_tokens"
            | "max_length"
            | "model_length"
            | "model_context_window_exceeded"
            | "incomplete"
    )
}
