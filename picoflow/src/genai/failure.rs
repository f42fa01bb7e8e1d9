//! From what went wrong at a provider to a [`ModelError`].

use super::{
    ProviderError,
    ending::Ending,
    provider::Target,
    wait::{asked_wait, detailed_wait},
};
use crate::{
    model::{Block, BlockPhase, BlockReason, ModelError, Usage},
    secret::scrubbed,
};
use ::genai::{Error as Fault, webc};
use reqwest::{StatusCode, header::HeaderMap};
use serde_json::Value;
use std::{error::Error, time::Duration};

impl Target {
    /// What a failed call is to picoflow. genai's own error is not kept: its text holds whole requests.
    pub(super) fn failure(&self, fault: Fault) -> ModelError {
        match fault {
            Fault::HttpError { status, body, headers, .. } => self.refused(status, &body, &headers),
            Fault::WebModelCall { webc_error, .. } | Fault::WebAdapterCall { webc_error, .. } => {
                match webc_error {
                    webc::Error::ResponseFailedStatus { status, body, headers } => {
                        self.refused(status, &body, &headers)
                    }
                    webc::Error::Reqwest(error) => self.unreachable(&error),
                    webc::Error::ResponseFailedNotJson { content_type, .. } => {
                        ModelError::permanent(self.incomplete(format!(
                            "it is `{content_type}` and no JSON: is the address right?"
                        )))
                    }
                    webc::Error::ResponseFailedInvalidJson { cause, .. } => {
                        ModelError::transient(self.incomplete(cause))
                    }
                    webc::Error::JsonValueExt(error) => {
                        ModelError::transient(self.incomplete(error.to_string()))
                    }
                }
            }
            Fault::WebStream { error, cause, .. } => match error.downcast::<Fault>() {
                Ok(fault) => self.failure(*fault),
                Err(error) => match error.downcast::<reqwest::Error>() {
                    Ok(error) => self.unreachable(&error),
                    Err(_) => ModelError::transient(self.incomplete(cause)),
                },
            },
            Fault::ChatResponse { body, .. } => self.reported(&body),
            Fault::StreamParse { serde_error, .. } => {
                ModelError::transient(self.incomplete(serde_error.to_string()))
            }
            Fault::ChatResponseGeneration { cause, .. } => {
                ModelError::transient(self.incomplete(cause))
            }
            other => ModelError::permanent(ProviderError::Request {
                provider: self.provider.clone(),
                reason: self.scrubbed(&other.to_string()),
            }),
        }
    }

    /// A reply that cannot be used as it is.
    pub(super) fn incomplete(&self, reason: impl AsRef<str>) -> ProviderError {
        ProviderError::Incomplete {
            provider: self.provider.clone(),
            reason: self.scrubbed(reason.as_ref()),
        }
    }

    pub(super) fn scrubbed(&self, text: &str) -> String {
        scrubbed(text, self.key.as_slice())
    }

    /// The network, or an address that is none.
    fn unreachable(&self, error: &reqwest::Error) -> ModelError {
        // The address may hold what nobody else should read; the reasons behind the error do not.
        let mut reason = if error.is_timeout() { "it took too long" } else { "" }.to_owned();
        let mut source = error.source();
        while let Some(error) = source {
            reason = error.to_string();
            source = error.source();
        }
        if reason.is_empty() {
            "the request failed".clone_into(&mut reason);
        }
        let error_kind = ProviderError::Unreachable {
            provider: self.provider.clone(),
            reason: self.scrubbed(&reason),
        };
        if error.is_builder() {
            ModelError::permanent(error_kind)
        } else {
            ModelError::transient(error_kind)
        }
    }

    /// An HTTP status that is an error.
    fn refused(&self, status: StatusCode, body: &str, headers: &HeaderMap) -> ModelError {
        let body: Value = serde_json::from_str(body).unwrap_or_else(|_| Value::from(body));
        let Report { code, message, .. } = Report::of(&body);
        if let Some(block) = blocked(code.as_deref(), &body) {
            return ModelError::blocked(block);
        }
        let error = ProviderError::Status {
            provider: self.provider.clone(),
            status: status.as_u16(),
            code: code.map(|code| self.scrubbed(&code)),
            message: self.scrubbed(&message),
        };
        if is_passing(status.as_u16()) {
            let retry_after = asked_wait(headers).or_else(|| detailed_wait(&body));
            waiting(error, retry_after)
        } else {
            ModelError::permanent(error)
        }
    }

    /// An error inside of a reply.
    pub(super) fn reported(&self, error: &Value) -> ModelError {
        let Report { code, status, message } = Report::of(error);
        if let Some(block) = blocked(code.as_deref(), error) {
            return ModelError::blocked(block);
        }
        let status = status.or_else(|| code.as_deref()?.parse().ok());
        let passes = status.map_or_else(|| is_passing_word(code.as_deref()), is_passing);
        let failed = ProviderError::Failed {
            provider: self.provider.clone(),
            code: code.map(|code| self.scrubbed(&code)),
            message: self.scrubbed(&message),
        };
        if passes { waiting(failed, detailed_wait(error)) } else { ModelError::permanent(failed) }
    }

    /// A reply that ended for another reason than that it was complete.
    pub(super) fn ended(&self, word: &str, ending: Ending, usage: Usage) -> Option<ModelError> {
        let provider = self.provider.clone();
        match ending {
            Ending::Complete => None,
            Ending::Truncated => Some(ModelError::permanent(ProviderError::Truncated {
                provider,
                reason: self.scrubbed(word),
            })),
            Ending::Blocked(reason) => Some(ModelError::blocked(
                Block::new(BlockPhase::Reply, reason).raw_reason(self.scrubbed(word)).usage(usage),
            )),
            Ending::Failed => Some(ModelError::transient(ProviderError::Failed {
                provider,
                code: Some(self.scrubbed(word)),
                message: "the model gave up".to_owned(),
            })),
        }
    }
}

fn waiting(error: ProviderError, retry_after: Option<Duration>) -> ModelError {
    match ModelError::transient(error) {
        ModelError::Transient { source, .. } => ModelError::Transient { source, retry_after },
        other => other,
    }
}

/// Whether another try may meet another answer.
const fn is_passing(status: u16) -> bool {
    matches!(status, 408 | 409 | 425 | 429 | 500..=599)
}

/// The same by the provider's word; what nobody knows may pass.
fn is_passing_word(code: Option<&str>) -> bool {
    let lasting = [
        "invalid_request_error",
        "invalid_prompt",
        "authentication_error",
        "permission_error",
        "not_found_error",
        "request_too_large",
        "billing_error",
        "insufficient_quota",
        "model_not_found",
        "context_length_exceeded",
        "INVALID_ARGUMENT",
        "FAILED_PRECONDITION",
        "PERMISSION_DENIED",
        "UNAUTHENTICATED",
        "NOT_FOUND",
    ];
    code.is_none_or(|code| !lasting.contains(&code))
}

/// A request that a filter in front of the model refused.
fn blocked(code: Option<&str>, error: &Value) -> Option<Block> {
    let inner = error.pointer("/error/innererror/code").and_then(Value::as_str);
    let words = ["content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation"];
    let word = [code, inner].into_iter().flatten().find(|word| words.contains(word))?;
    Some(Block::new(BlockPhase::Prompt, BlockReason::Safety).raw_reason(word))
}

/// What an error says.
struct Report {
    code: Option<String>,
    status: Option<u16>,
    message: String,
}

impl Report {
    /// Reads the forms in which the providers put their errors.
    fn of(value: &Value) -> Self {
        // Gemini puts it into a list where the client did not ask for events.
        let value = value.as_array().and_then(|all| all.first()).unwrap_or(value);
        let inner = value.get("error").filter(|error| error.is_object()).unwrap_or(value);
        let text =
            |key: &str| inner.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        let number = inner.get("code").and_then(Value::as_u64);
        let kind = text("type").filter(|kind| *kind != "error");
        let word = text("code").or_else(|| text("status")).or(kind).map(str::to_owned);
        let message = text("message").or_else(|| text("error")).or_else(|| text("detail"));
        Self {
            code: word.or_else(|| number.map(|number| number.to_string())),
            status: number.and_then(|number| u16::try_from(number).ok()),
            message: match (message, value) {
                (Some(message), _) => message.to_owned(),
                (None, Value::String(text)) if !text.trim().is_empty() => text.trim().to_owned(),
                (None, Value::Null | Value::String(_)) => "it says nothing".to_owned(),
                (None, other) => other.to_string(),
            },
        }
    }
}
