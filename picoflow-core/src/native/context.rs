//! What a native tool knows of the call.

use tokio_util::sync::CancellationToken;

/// What a native tool knows of the call, besides its arguments.
///
/// ```
/// use picoflow_core::native::ToolContext;
///
/// let cx = ToolContext::default().with_call_id("call_1");
/// assert_eq!(cx.call_id(), Some("call_1"));
/// assert!(!cx.cancellation().is_cancelled());
/// ```
#[derive(Clone, Debug, Default)]
pub struct ToolContext {
    cancellation: CancellationToken,
    call_id: Option<String>,
    session: Option<String>,
    idempotency_key: Option<String>,
}

impl ToolContext {
    /// The same with a token that tells the tool to stop.
    ///
    /// ```
    /// use picoflow_core::ToolContext;
    /// use tokio_util::sync::CancellationToken;
    ///
    /// let token = CancellationToken::new();
    /// let cx = ToolContext::default().with_cancellation(token.clone());
    /// token.cancel();
    /// assert!(cx.cancellation().is_cancelled());
    /// ```
    #[must_use]
    pub fn with_cancellation(mut self, token: CancellationToken) -> Self {
        self.cancellation = token;
        self
    }

    /// The same with the id of the model's call.
    /// See [`ToolContext`] for an example.
    #[must_use]
    pub fn with_call_id(mut self, id: impl Into<String>) -> Self {
        self.call_id = Some(id.into());
        self
    }

    /// The same with the session that the call belongs to.
    ///
    /// ```
    /// use picoflow_core::ToolContext;
    ///
    /// assert_eq!(ToolContext::default().with_session("s-1").session(), Some("s-1"));
    /// ```
    #[must_use]
    pub fn with_session(mut self, id: impl Into<String>) -> Self {
        self.session = Some(id.into());
        self
    }

    /// The same with a name for what the call does, see [`Cx::idempotency_key`](crate::Cx::idempotency_key).
    ///
    /// ```
    /// use picoflow_core::ToolContext;
    ///
    /// let cx = ToolContext::default().with_idempotency_key("s-1/3/refund/1");
    /// assert_eq!(cx.idempotency_key(), Some("s-1/3/refund/1"));
    /// ```
    #[must_use]
    pub fn with_idempotency_key(mut self, key: impl Into<String>) -> Self {
        self.idempotency_key = Some(key.into());
        self
    }

    /// Fires when nobody waits for the tool any more. A tool that has not started by then never does.
    /// See [`with_cancellation`](ToolContext::with_cancellation) for an example.
    pub const fn cancellation(&self) -> &CancellationToken {
        &self.cancellation
    }

    /// The id of the model's call, where there is a model.
    pub fn call_id(&self) -> Option<&str> {
        self.call_id.as_deref()
    }

    /// A name for what the call does that every attempt at the turn gives it again, where there is a turn.
    pub fn idempotency_key(&self) -> Option<&str> {
        self.idempotency_key.as_deref()
    }

    /// The session, where there is one.
    pub fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }
}
