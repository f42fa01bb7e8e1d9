//! What model calls cost.

use serde::{Deserialize, Serialize};

/// Tokens, as providers count them.
///
/// ```
/// use picoflow_core::model::Usage;
///
/// assert_eq!(Usage::new(120, 12).total_tokens, 132);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Usage {
    /// Read.
    pub input_tokens: u64,
    /// Written, reasoning included.
    pub output_tokens: u64,
    /// Both.
    pub total_tokens: u64,
    /// Written as reasoning.
    pub reasoning_tokens: u64,
    /// Written as visible output.
    pub visible_output_tokens: u64,
    /// Read from the provider's cache.
    pub cached_input_tokens: u64,
    /// Written to the provider's cache.
    pub cache_creation_input_tokens: u64,
}

impl Usage {
    /// Counts of a call that read `input` and wrote `output` tokens.
    /// See [`Usage`] for an example.
    pub const fn new(input: u64, output: u64) -> Self {
        Self {
            input_tokens: input,
            output_tokens: output,
            total_tokens: input.saturating_add(output),
            reasoning_tokens: 0,
            visible_output_tokens: output,
            cached_input_tokens: 0,
            cache_creation_input_tokens: 0,
        }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.combine(other, u64::saturating_add);
    }

    /// What came on top of `before`.
    pub(crate) fn since(mut self, before: &Self) -> Self {
        self.combine(before, u64::saturating_sub);
        self
    }

    fn combine(&mut self, other: &Self, with: fn(u64, u64) -> u64) {
        for (own, other) in [
            (&mut self.input_tokens, other.input_tokens),
            (&mut self.output_tokens, other.output_tokens),
            (&mut self.total_tokens, other.total_tokens),
            (&mut self.reasoning_tokens, other.reasoning_tokens),
            (&mut self.visible_output_tokens, other.visible_output_tokens),
            (&mut self.cached_input_tokens, other.cached_input_tokens),
            (&mut self.cache_creation_input_tokens, other.cache_creation_input_tokens),
        ] {
            *own = with(*own, other);
        }
    }
}
