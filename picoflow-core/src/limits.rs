//! What a turn may cost.

use std::time::Duration;

/// Bounds of a turn.
///
/// `Flow::limits` sets them for a flow, `Step::limits` for a step.
///
/// ```
/// use picoflow_core::Limits;
/// use std::time::Duration;
///
/// let limits = Limits::default().model_rounds(4).tool_timeout(Duration::from_secs(5));
/// assert_ne!(limits, Limits::default());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub(crate) model_rounds: u32,
    pub(crate) transitions: u32,
    pub(crate) attempts: u32,
    pub(crate) retry_delay: Duration,
    pub(crate) model_timeout: Duration,
    pub(crate) tool_timeout: Duration,
    pub(crate) store_timeout: Duration,
    pub(crate) nesting: u32,
    pub(crate) invocations: u32,
    pub(crate) child_timeout: Duration,
    pub(crate) child_grace: Duration,
    pub(crate) message_bytes: usize,
    pub(crate) result_bytes: usize,
    pub(crate) document_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            model_rounds: 16,
            transitions: 32,
            attempts: 3,
            retry_delay: Duration::from_millis(500),
            model_timeout: Duration::from_mins(2),
            tool_timeout: Duration::from_mins(1),
            store_timeout: Duration::from_secs(30),
            nesting: 8,
            invocations: 256,
            child_timeout: Duration::from_mins(5),
            child_grace: Duration::from_secs(5),
            message_bytes: 256 * 1024,
            result_bytes: 1024 * 1024,
            document_bytes: 16 * 1024 * 1024,
        }
    }
}

macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident: $kind:ty,)*) => {
        impl Limits {
            $(
                $(#[$doc])*
                #[must_use]
                pub const fn $name(mut self, $name: $kind) -> Self {
                    self.$name = $name;
                    self
                }
            )*
        }
    };
}

setters! {
    /// Model calls in one turn, retries aside. Default 16. A flow's value bounds the whole turn, a step's value the calls
    /// of that step; a child counts its own.
    ///
    /// ```
    /// use picoflow_core::Limits;
    ///
    /// assert_ne!(Limits::default().model_rounds(4), Limits::default());
    /// ```
    model_rounds: u32,
    /// Transitions in one turn, those of logic steps included. Default 32. Only a flow's value counts.
    ///
    /// ```
    /// use picoflow_core::Limits;
    ///
    /// assert_ne!(Limits::default().transitions(8), Limits::default());
    /// ```
    transitions: u32,
    /// Attempts at one reply: the first one and the retries after a transient error, an empty reply, a reply
    /// that does not parse, or one that `check_response` refused. Default 3, at least 1.
    ///
    /// ```
    /// use picoflow_core::Limits;
    ///
    /// assert_ne!(Limits::default().attempts(1), Limits::default());
    /// ```
    attempts: u32,
    /// The wait before the first retry after an error. It doubles with each further one, up to 30 s (or this, if it is
    /// longer), and is shortened by up to a half at random, so that many sessions do not come back at once. A provider
    /// that asks for another wait gets it, unless it is longer than `model_timeout`: then there is no retry. Default
    /// 500 ms.
    ///
    /// ```
    /// use picoflow_core::Limits;
    /// use std::time::Duration;
    ///
    /// assert_ne!(Limits::default().retry_delay(Duration::ZERO), Limits::default());
    /// ```
    retry_delay: Duration,
    /// How long one model call may take. Default 120 s.
    ///
    /// ```
    /// use picoflow_core::Limits;
    /// use std::time::Duration;
    ///
    /// assert_ne!(Limits::default().model_timeout(Duration::from_secs(30)), Limits::default());
    /// ```
    model_timeout: Duration,
    /// How long one tool call may take. Default 60 s. It is looked at whenever the handler waits: one that blocks its
    /// thread cannot be stopped, counts if it is done without a wait, and is cut off at its next wait if it is too late.
    /// Meanwhile the sessions on other threads go on: hand such work to `tokio::task::spawn_blocking`.
    ///
    /// ```
    /// use picoflow_core::Limits;
    /// use std::time::Duration;
    ///
    /// assert_ne!(Limits::default().tool_timeout(Duration::from_secs(5)), Limits::default());
    /// ```
    tool_timeout: Duration,
    /// How long one call of the session store may take in a turn. Default 30 s. Only a flow's value counts. The turn then
    /// fails with [`StoreError::TimedOut`](crate::session::StoreError::TimedOut); a write may still be done.
    ///
    /// ```
    /// use picoflow_core::Limits;
    /// use std::time::Duration;
    ///
    /// assert_ne!(Limits::default().store_timeout(Duration::from_secs(5)), Limits::default());
    /// ```
    store_timeout: Duration,
    /// Depth of children in children. Default 8, as in the reference product. Only a flow's value counts.
    ///
    /// ```
    /// use picoflow_core::Limits;
    ///
    /// assert_ne!(Limits::default().nesting(2), Limits::default());
    /// ```
    nesting: u32,
    /// Children in one turn, over all depths. Default 256, as in the reference product. Only a flow's value counts.
    ///
    /// ```
    /// use picoflow_core::Limits;
    ///
    /// assert_ne!(Limits::default().invocations(16), Limits::default());
    /// ```
    invocations: u32,
    /// How long a step may take as a child of `run_steps`. Default 5 min. A step's value bounds that step, and
    /// [`Child::timeout`](crate::Child::timeout) comes before it.
    ///
    /// ```
    /// use picoflow_core::Limits;
    /// use std::time::Duration;
    ///
    /// assert_ne!(Limits::default().child_timeout(Duration::from_secs(20)), Limits::default());
    /// ```
    child_timeout: Duration,
    /// How long a step that runs as a child of `run_steps` may go on when it is told to come to an end. Then it is
    /// stopped where it waits. Default 5 s.
    ///
    /// ```
    /// use picoflow_core::Limits;
    /// use std::time::Duration;
    ///
    /// assert_ne!(Limits::default().child_grace(Duration::ZERO), Limits::default());
    /// ```
    child_grace: Duration,
    /// Size of the user's message in bytes. Default 256 KiB. Only a flow's value counts.
    ///
    /// ```
    /// use picoflow_core::Limits;
    ///
    /// assert_ne!(Limits::default().message_bytes(4096), Limits::default());
    /// ```
    message_bytes: usize,
    /// Size of what a tool tells the model, in bytes. Of a longer result the model is told that it is too long, and by
    /// how much. Default 1 MiB.
    ///
    /// ```
    /// use picoflow_core::Limits;
    ///
    /// assert_ne!(Limits::default().result_bytes(16 * 1024), Limits::default());
    /// ```
    result_bytes: usize,
    /// Size of the stored session, in bytes of JSON. A turn that would make it larger fails, and the session stays as it
    /// was. Default 16 MiB. Only a flow's value counts.
    ///
    /// ```
    /// use picoflow_core::Limits;
    ///
    /// assert_ne!(Limits::default().document_bytes(1024 * 1024), Limits::default());
    /// ```
    document_bytes: usize,
}
