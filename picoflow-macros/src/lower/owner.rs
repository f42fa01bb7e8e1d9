//! What a tool belongs to.

/// What a tool belongs to: it decides what the tool may take and answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    /// A step, by its own block or by a part.
    Step,
    /// A flow.
    Flow,
    /// A collection of native tools.
    Collection,
    /// Nothing: the tool is a free function.
    Function,
}

impl Owner {
    /// Whether the tool has no conversation to act on.
    pub(super) fn is_native(self) -> bool {
        matches!(self, Self::Collection | Self::Function)
    }
}
