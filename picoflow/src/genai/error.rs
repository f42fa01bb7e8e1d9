//! What providers refuse, and how it is told.

/// Why a provider gave no reply: the source of the [`ModelError`](crate::model::ModelError)s of
/// [`GenaiModel`](super::GenaiModel).
///
/// No text in it holds the provider's key.
///
/// ```
/// use picoflow::{genai::ProviderError, model::ModelError};
///
/// /// Whether the account is the trouble.
/// fn is_account(error: &ModelError) -> bool {
///     let source = std::error::Error::source(error).and_then(|source| source.downcast_ref());
///     matches!(source, Some(ProviderError::Status { status: 401 | 402 | 403, .. }))
/// }
/// let error = ProviderError::Status {
///     provider: "openai".to_owned(),
///     status: 401,
///     code: Some("invalid_api_key".to_owned()),
///     message: "Incorrect API key provided.".to_owned(),
/// };
/// assert_eq!(error.to_string(), "openai answered 401 (invalid_api_key): Incorrect API key provided.");
/// assert!(is_account(&ModelError::permanent(error)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProviderError {
    /// It answered with an HTTP status that is an error.
    #[error("{provider} answered {status}{}: {message}", in_brackets(code.as_deref()))]
    Status {
        /// The provider.
        provider: String,
        /// The HTTP status.
        status: u16,
        /// The provider's own word for it.
        code: Option<String>,
        /// What it says.
        message: String,
    },
    /// It reported an error inside of a reply.
    #[error("{provider} broke off{}: {message}", in_brackets(code.as_deref()))]
    Failed {
        /// The provider.
        provider: String,
        /// The provider's own word for it.
        code: Option<String>,
        /// What it says.
        message: String,
    },
    /// The network gave no answer.
    #[error("{provider} could not be reached: {reason}")]
    Unreachable {
        /// The provider.
        provider: String,
        /// Why.
        reason: String,
    },
    /// The reply ended before it was complete, or cannot be read.
    #[error("the reply of {provider} is incomplete: {reason}")]
    Incomplete {
        /// The provider.
        provider: String,
        /// Why.
        reason: String,
    },
    /// The reply is longer than the model may write: give it more `max_tokens`, or ask for less.
    #[error(
        "the reply of {provider} was cut off ({reason}): allow more `max_tokens`, or ask for less"
    )]
    Truncated {
        /// The provider.
        provider: String,
        /// The provider's own word for it.
        reason: String,
    },
    /// There is no key.
    #[error(
        "there is no key for {provider}: set {variable}, or give `GenaiModel::builder().key(\"{provider}\", …)`"
    )]
    MissingKey {
        /// The provider.
        provider: String,
        /// The environment variable that would hold it.
        variable: String,
    },
    /// No provider has this name.
    #[error(
        "there is no provider `{provider}`: give its address by `GenaiModel::builder().endpoint(\"{provider}\", …)`, or take one of {known}"
    )]
    UnknownProvider {
        /// The name.
        provider: String,
        /// The names that there are.
        known: String,
    },
    /// A parameter of the [`ModelRef`](crate::ModelRef) that cannot be passed on.
    #[error("the parameter `{name}` cannot be given to {provider}: {reason}")]
    Parameter {
        /// The provider.
        provider: String,
        /// The parameter.
        name: String,
        /// Why not.
        reason: String,
    },
    /// The request cannot be put in the provider's form.
    #[error("the request cannot be put to {provider}: {reason}")]
    Request {
        /// The provider.
        provider: String,
        /// Why not.
        reason: String,
    },
    /// There is no HTTP client to be had.
    #[error("there is no HTTP client: {0}")]
    Client(String),
}

fn in_brackets(code: Option<&str>) -> String {
    code.map_or_else(String::new, |code| format!(" ({code})"))
}
