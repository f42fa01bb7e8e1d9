//! What can go wrong in a tool.

use crate::BoxError;
use std::fmt;

/// Why a tool call failed, and who gets to know.
///
/// Any error converts into one by `?`. Such an error is *internal*: the model gets a general sentence,
/// the session's `error` list and the trace get the real one, what the handler wrote is undone, and the
/// step stays. [`ToolError::feedback`] goes to the model as it is and keeps what the handler wrote.
/// [`ToolError::abort`] fails the turn.
///
/// ```
/// use picoflow_core::ToolError;
///
/// fn parse(year: &str) -> Result<u16, ToolError> {
///     if year.len() != 4 {
///         return Err(ToolError::feedback("Give the year with four digits."));
///     }
///     Ok(year.parse::<u16>()?) // internal: the model does not see `invalid digit`
/// }
///
/// assert_eq!(parse("99").unwrap_err().to_string(), "Give the year with four digits.");
/// assert_eq!(parse("2000").unwrap(), 2000);
/// ```
pub struct ToolError(pub(crate) Failure);

/// The kinds of [`ToolError`].
pub(crate) enum Failure {
    /// For the model, as it is.
    Feedback(String),
    /// The arguments do not fit.
    Arguments(Vec<ArgumentFault>),
    /// Not for the model.
    Internal(BoxError),
    /// The turn fails.
    Abort(BoxError),
}

/// One place of the arguments that does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ArgumentFault {
    /// JSON pointer into the arguments; empty for the whole.
    pub(crate) path: String,
    /// What was expected, and what came.
    pub(crate) message: String,
}

impl ArgumentFault {
    /// How much of a message is kept, in bytes: it quotes the value that does not fit, which may be of any size.
    const MOST: usize = 400;

    pub(crate) fn new(path: String, mut message: String) -> Self {
        if message.len() > Self::MOST {
            // What was expected stands at the end.
            let tail = message.ceil_char_boundary(message.len() - Self::MOST / 2);
            let tail = message.split_off(tail);
            message.truncate(message.floor_char_boundary(Self::MOST / 2));
            message.push('…');
            message.push_str(&tail);
        }
        Self { path, message }
    }
}

impl ToolError {
    /// An error that the model is told word for word.
    ///
    /// ```
    /// assert_eq!(picoflow_core::ToolError::feedback("Which year?").to_string(), "Which year?");
    /// ```
    pub fn feedback(text: impl Into<String>) -> Self {
        Self(Failure::Feedback(text.into()))
    }

    /// An error that fails the turn.
    ///
    /// ```
    /// use picoflow_core::{ToolError, ToolResult};
    ///
    /// fn charge(is_reachable: bool) -> ToolResult {
    ///     if !is_reachable {
    ///         return Err(ToolError::abort("the payment service is gone"));
    ///     }
    ///     Ok(picoflow_core::stay())
    /// }
    ///
    /// assert!(charge(true).is_ok());
    /// assert_eq!(charge(false).unwrap_err().to_string(), "the payment service is gone");
    /// ```
    pub fn abort(error: impl Into<BoxError>) -> Self {
        Self(Failure::Abort(error.into()))
    }

    /// An error that only the session's `error` list and the trace show. `?` does the same.
    ///
    /// ```
    /// assert_eq!(picoflow_core::ToolError::internal("disk full").to_string(), "disk full");
    /// ```
    pub fn internal(error: impl Into<BoxError>) -> Self {
        Self(Failure::Internal(error.into()))
    }

    /// A name for programs, as in [`TurnError::code`](crate::TurnError::code). It does not change.
    ///
    /// ```
    /// use picoflow_core::ToolError;
    ///
    /// assert_eq!(ToolError::feedback("Which year?").code(), "TOOL_FEEDBACK");
    /// assert_eq!(ToolError::internal("disk full").code(), "TOOL_FAILED");
    /// assert_eq!(ToolError::abort("the payment service is gone").code(), "TOOL_ABORTED");
    /// ```
    pub const fn code(&self) -> &'static str {
        match &self.0 {
            Failure::Feedback(_) => "TOOL_FEEDBACK",
            Failure::Arguments(_) => "TOOL_ARGUMENTS",
            Failure::Internal(_) => "TOOL_FAILED",
            Failure::Abort(_) => "TOOL_ABORTED",
        }
    }

    pub(crate) const fn arguments(faults: Vec<ArgumentFault>) -> Self {
        Self(Failure::Arguments(faults))
    }
}

impl<E: std::error::Error + Send + Sync + 'static> From<E> for ToolError {
    fn from(error: E) -> Self {
        Self::internal(error)
    }
}

impl fmt::Display for ArgumentFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.path {
            "" => f.write_str(&self.message),
            path => write!(f, "at `{path}`: {}", self.message),
        }
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Failure::Feedback(text) => f.write_str(text),
            Failure::Arguments(faults) => {
                for (i, fault) in faults.iter().enumerate() {
                    let separator = if i == 0 { "" } else { "; " };
                    write!(f, "{separator}{fault}")?;
                }
                Ok(())
            }
            Failure::Internal(error) | Failure::Abort(error) => error.fmt(f),
        }
    }
}

impl fmt::Debug for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, value): (_, &dyn fmt::Debug) = match &self.0 {
            Failure::Feedback(text) => ("Feedback", text),
            Failure::Arguments(faults) => ("Arguments", faults),
            Failure::Internal(error) => ("Internal", error),
            Failure::Abort(error) => ("Abort", error),
        };
        f.debug_tuple(kind).field(value).finish()
    }
}
