//! What a call cost.

use crate::model::Usage;
use ::genai::chat;

/// The counts of genai; `thought` is how much was reasoning where genai does not know.
pub(super) fn usage(given: &chat::Usage, thought: u64) -> Usage {
    let count = |count: Option<i32>| count.and_then(|count| u64::try_from(count).ok());
    let read = given.prompt_tokens_details.as_ref();
    let wrote = given.completion_tokens_details.as_ref();
    let reasoning = count(wrote.and_then(|details| details.reasoning_tokens)).unwrap_or(thought);
    // A model that did nothing but think has no count of its own with Gemini.
    let output = count(given.completion_tokens).unwrap_or(reasoning);
    let mut usage = Usage::new(count(given.prompt_tokens).unwrap_or(0), output);
    if let Some(total) = count(given.total_tokens) {
        usage.total_tokens = total;
    }
    usage.reasoning_tokens = reasoning;
    usage.visible_output_tokens = output.saturating_sub(reasoning);
    usage.cached_input_tokens = count(read.and_then(|details| details.cached_tokens)).unwrap_or(0);
    usage.cache_creation_input_tokens =
        count(read.and_then(|details| details.cache_creation_tokens)).unwrap_or(0);
    usage
}

/// Whether the provider counted anything.
pub(super) fn is_counted(usage: &chat::Usage) -> bool {
    usage.prompt_tokens.is_some() || usage.completion_tokens.is_some()
}
