//! What errors say to a person at a terminal: which command helps, and nothing about Rust.

use crate::{TurnError, model::ModelError, session::StoreError, testing::ReplayError};
use std::{env, error::Error, path::Path};

/// The name by which this program was started.
pub(super) fn program() -> String {
    let path = env::args_os().next();
    let name = path.as_deref().map(Path::new).and_then(Path::file_stem);
    name.map_or_else(|| "this program".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// An error for the person who gave the command.
pub(super) fn words(error: &(dyn Error + 'static)) -> String {
    if let Some(error) = error.downcast_ref::<TurnError>() {
        turn(error)
    } else if let Some(error) = error.downcast_ref::<StoreError>() {
        store(error)
    } else if let Some(error) = error.downcast_ref::<ReplayError>() {
        replay(error)
    } else {
        error.to_string()
    }
}

fn turn(error: &TurnError) -> String {
    let program = program();
    match error {
        TurnError::UnknownFlow { flow } => {
            format!("there is no flow `{flow}`: `{program} check` shows the flows")
        }
        TurnError::UnknownSession { session } => format!(
            "session `{session}` does not exist: `{program} sessions list` shows those that do"
        ),
        TurnError::EndedSession { session } => {
            format!("session `{session}` has ended: leave `--session` out to start a new one")
        }
        TurnError::FlowMismatch { session, actual, asked } => format!(
            "session `{session}` belongs to flow `{actual}`, not `{asked}`: leave `--flow` out"
        ),
        TurnError::Migration { session, flow, from, to, source } => format!(
            "session `{session}` is of version {from} of flow `{flow}`, and this program could not bring it to version {to}: leave `--session` out to start a new one. Its author should know: {source}"
        ),
        TurnError::Conflict { session } => {
            format!("session `{session}` was changed or removed meanwhile: say it again")
        }
        TurnError::EmptyMessage => "the message is empty: say something".to_owned(),
        TurnError::MessageTooLarge { bytes, limit } => {
            format!("the message has {bytes} bytes, and the flow takes {limit}: send less at once")
        }
        TurnError::SessionTooLarge { session, bytes, limit } => format!(
            "session `{session}` would have {bytes} bytes, and {limit} are allowed: leave `--session` out to start a new one"
        ),
        TurnError::ConfigTooDeep { limit } => {
            format!("`--config` has more than {limit} levels of objects and arrays: nest it less")
        }
        TurnError::Model { step, source } => format!("step `{step}`: {}", model(source)),
        TurnError::Blocked { step, block } => {
            format!("step `{step}`: the provider refused to answer: {block}")
        }
        TurnError::UnknownStep { .. } | TurnError::Hook { .. } | TurnError::Panicked { .. } => {
            fault(&error.to_string())
        }
        TurnError::Invariant { session, flow, .. } => format!(
            "session `{session}` does not fit flow `{flow}` as this program has it now: leave `--session` out to start a new one. Its author should know: a step or a flow has another name than before"
        ),
        TurnError::Misuse { step, reason } => fault(&format!("step `{step}`: {reason}")),
        TurnError::Store(error) => store(error),
        _ => error.to_string(),
    }
}

/// A fault in the program's own code, which its user cannot repair.
fn fault(text: &str) -> String {
    format!("the program failed, and its author should know: {text}")
}

fn model(error: &ModelError) -> String {
    #[cfg(feature = "genai")]
    if let ModelError::Permanent(source) | ModelError::Transient { source, .. } = error
        && let Some(error) = source.downcast_ref()
    {
        return provider(error);
    }
    error.to_string()
}

#[cfg(feature = "genai")]
fn provider(error: &crate::genai::ProviderError) -> String {
    use crate::genai::ProviderError;
    match error {
        ProviderError::MissingKey { provider, variable } => {
            format!("there is no key for {provider}: set the environment variable {variable}")
        }
        ProviderError::UnknownProvider { provider, known } => {
            format!("there is no provider `{provider}`: take one of {known}")
        }
        _ => error.to_string(),
    }
}

fn store(error: &StoreError) -> String {
    match error {
        StoreError::Unreadable { session, .. } => {
            format!("{error}; `{} sessions end {session}` removes it", program())
        }
        StoreError::TimedOut(limit) => {
            format!("the session store took longer than {limit:?}: try again")
        }
        _ => error.to_string(),
    }
}

fn replay(error: &ReplayError) -> String {
    match error {
        ReplayError::NoTurns => format!(
            "the recording does not say what the user said: make one by `{} chat --record FILE`",
            program()
        ),
        ReplayError::Turn { turn: number, source } => format!("turn {number}: {}", turn(source)),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::words;
    use crate::{TurnError, model::ModelError, session::StoreError, testing::ReplayError};
    use std::{error::Error, time::Duration};

    /// What is Rust to a reader: a path, a call, a method in backticks.
    fn is_rust(text: &str) -> bool {
        text.contains("::") || text.contains("()")
    }

    fn session() -> String {
        "s-1".to_owned()
    }

    #[test]
    fn errors_name_commands_and_no_rust() {
        let turns = vec![
            TurnError::UnknownFlow { flow: "Desk".into() },
            TurnError::UnknownSession { session: session() },
            TurnError::EndedSession { session: session() },
            TurnError::FlowMismatch { session: session(), actual: "A".into(), asked: "B".into() },
            TurnError::Conflict { session: session() },
            TurnError::EmptyMessage,
            TurnError::MessageTooLarge { bytes: 2, limit: 1 },
            TurnError::SessionTooLarge { session: session(), bytes: 2, limit: 1 },
            TurnError::ConfigTooDeep { limit: 1 },
            TurnError::ConfigMismatch { session: session() },
            TurnError::UnknownStep { target: "Ask".into(), flow: "Desk".into() },
            TurnError::Limit { step: "Ask".into(), what: "transitions", limit: 1 },
            TurnError::Model { step: "Ask".into(), source: ModelError::transient("503") },
            TurnError::NoReply { step: "Ask".into(), attempts: 3, reason: "it was empty".into() },
            TurnError::Panicked { message: "oh".into() },
            TurnError::TimedOut { limit: Duration::from_secs(1) },
            TurnError::Store(StoreError::TimedOut(Duration::from_secs(1))),
            TurnError::Store(StoreError::Unreadable { session: session(), source: "x".into() }),
        ];
        let mut errors: Vec<Box<dyn Error>> = turns.into_iter().map(Into::into).collect();
        errors.push(StoreError::failed("disk full").into());
        errors.push(ReplayError::NoTurns.into());
        let inner = Box::new(TurnError::UnknownFlow { flow: "Desk".into() });
        errors.push(ReplayError::Turn { turn: 1, source: inner }.into());
        for error in errors {
            let text = words(&*error);
            assert!(!text.is_empty() && !is_rust(&text), "{text}");
        }
        assert!(is_rust(&TurnError::EmptyMessage.to_string()));
    }

    #[cfg(feature = "genai")]
    #[test]
    fn a_missing_key_names_its_variable() {
        let source = crate::genai::ProviderError::MissingKey {
            provider: "openai".to_owned(),
            variable: "OPENAI_API_KEY".to_owned(),
        };
        let source = ModelError::permanent(source);
        let text = words(&TurnError::Model { step: "Ask".into(), source });
        let expected = "there is no key for openai: set the environment variable OPENAI_API_KEY";
        assert_eq!(text, format!("step `Ask`: {expected}"));
    }
}
