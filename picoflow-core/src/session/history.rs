//! What every provider demands of a history.

use super::{Message, MessageKind, Session};
use crate::{ToolCall, model::ChatRequest, tool::is_tool_name};
use std::{collections::HashSet, sync::Arc};

/// A place where a history is one that providers refuse.
///
/// See [`check_history`] for an example.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("memory `{namespace}`, message {index}: {fault}")]
pub struct HistoryFault {
    /// The namespace.
    pub namespace: String,
    /// Index of the message.
    pub index: usize,
    /// What is wrong there.
    pub fault: String,
}

/// Checks every namespace of a session: an assistant message with calls is directly followed by one tool
/// message per call, in the order of the calls; no tool message stands anywhere else; each call has an id that no other
/// call of the history has, and names a tool by 1 to 64 of `A-Z`, `a-z`, `0-9`, `_`, `-`; a system message stands only at
/// index 0.
///
/// The documentation of the providers demands it: OpenAI and Anthropic refuse a call without its answer, a repeated id,
/// and a name of other letters. The runtime keeps this at every await and in every session that it stores. It is public so
/// that your tests can hold your own stores and tools to it.
///
/// # Errors
/// The first fault, with its place.
///
/// ```
/// use picoflow_core::session::{Session, check_history};
///
/// # let document = r#"{ "id": "s", "revision": 0, "version": 1, "runStatus": "running",
/// #   "createdOn": "2026-02-11T09:14:02.113Z", "saveOn": "2026-02-11T09:14:02.113Z",
/// #   "flow": { "name": "F", "model": { "provider": "p", "name": "m" }, "currentStep": "S", "memory": { "S": {
/// #   "messages": [
/// #   { "id": "S|t|1", "type": "ai", "content": "", "timestamp": "2026-02-11T09:14:02.113Z",
/// #     "tool_calls": [{ "name": "t", "args": {}, "id": "c1" }] } ] } } } }"#;
/// let session: Session = serde_json::from_str(document)?;
/// let fault = check_history(&session).unwrap_err();
/// assert_eq!(fault.to_string(), "memory `S`, message 0: call `c1` has no answer behind it");
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn check_history(session: &Session) -> Result<(), HistoryFault> {
    session.flow.memory.iter().try_for_each(|(name, memory)| {
        check_messages(&memory.messages).map_err(|(index, fault)| HistoryFault {
            namespace: name.to_string(),
            index,
            fault,
        })
    })
}

/// The same for what a model gets to see: behind the prompt there may be the summary of a
/// [`Compaction`](crate::Compaction).
///
/// # Errors
/// The first fault, with the step in place of a namespace.
/// See [`Compaction`](crate::Compaction) for an example.
pub fn check_request(request: &ChatRequest) -> Result<(), HistoryFault> {
    let fault = |(index, fault)| HistoryFault { namespace: request.step.to_string(), index, fault };
    let place = request.messages.iter().take(2).position(|message| message.is_summary());
    match place {
        None => check_messages(&request.messages).map_err(fault),
        Some(place) => {
            let mut messages = request.messages.to_vec();
            messages.remove(place);
            let shifted = |(index, reason): (usize, String)| {
                fault((index + usize::from(index >= place), reason))
            };
            check_messages(&messages).map_err(shifted)
        }
    }
}

pub(super) fn check_messages(messages: &[Arc<Message>]) -> Result<(), (usize, String)> {
    let mut next = 0;
    let mut ids = HashSet::new();
    while let Some(message) = messages.get(next) {
        match &message.kind {
            MessageKind::System if next > 0 => {
                return Err((next, "a system message that is not the first".to_owned()));
            }
            MessageKind::Tool { call_id, .. } => {
                return Err((next, format!("an answer to `{call_id}` without its call")));
            }
            MessageKind::System | MessageKind::Human => {}
            MessageKind::Ai { tool_calls } => {
                for (i, call) in tool_calls.iter().enumerate() {
                    let answer = messages.get(next + 1 + i).map(|message| &message.kind);
                    check_call(call, answer).map_err(|fault| (next, fault))?;
                    if !ids.insert(call.id()) {
                        return Err((next, format!("two calls with the id `{}`", call.id())));
                    }
                }
                next += tool_calls.len();
            }
        }
        next += 1;
    }
    Ok(())
}

/// Checks a call and what stands in the place of its answer.
fn check_call(call: &ToolCall, answer: Option<&MessageKind>) -> Result<(), String> {
    let id = call.id();
    if id.is_empty() {
        return Err(format!("a call of `{}` without an id", call.name()));
    }
    let Some(MessageKind::Tool { call_id, name, .. }) = answer.filter(|answer| answer.answers(id))
    else {
        return Err(format!("call `{id}` has no answer behind it"));
    };
    match [("call", call.name()), ("the answer to", name)]
        .iter()
        .find(|(_, name)| !is_tool_name(name))
    {
        Some((what, name)) => Err(format!(
            "{what} `{call_id}` names the tool `{name}`: providers take 1 to 64 of `A-Z`, `a-z`, `0-9`, `_`, `-`"
        )),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{Timestamp, ToolStatus};
    use serde_json::{Map, json};
    use std::time::UNIX_EPOCH;

    fn message(kind: MessageKind) -> Arc<Message> {
        Arc::new(Message {
            id: String::new(),
            timestamp: Timestamp::from(UNIX_EPOCH),
            content: String::new(),
            kind,
            additional: Map::new(),
        })
    }

    fn ai(ids: &[&str]) -> Arc<Message> {
        let call = |id: &&str| ToolCall::new(*id, "t", &json!({}));
        message(MessageKind::Ai { tool_calls: ids.iter().map(call).collect() })
    }

    fn tool(id: &str) -> Arc<Message> {
        message(MessageKind::Tool {
            call_id: id.to_owned(),
            name: "t".to_owned(),
            status: ToolStatus::Success,
        })
    }

    #[test]
    fn answered_calls_are_fine() {
        let human = message(MessageKind::Human);
        let system = message(MessageKind::System);
        let history =
            [system, human.clone(), ai(&["1", "2"]), tool("1"), tool("2"), human, ai(&[])];
        assert_eq!(check_messages(&history), Ok(()));
    }

    #[test]
    fn an_id_is_of_one_call_in_the_whole_history() {
        let history = [ai(&["1"]), tool("1"), message(MessageKind::Human), ai(&["1"]), tool("1")];
        let (place, fault) = check_messages(&history).unwrap_err();
        assert_eq!((place, &*fault), (3, "two calls with the id `1`"));
        let (place, fault) = check_messages(&[ai(&[""]), tool("")]).unwrap_err();
        assert_eq!((place, &*fault), (0, "a call of `t` without an id"));
    }

    #[test]
    fn a_call_and_its_answer_name_a_tool_that_providers_take() {
        let called = |call: &str, answer: &str| {
            let calls = vec![ToolCall::new("1", call, &json!({}))];
            let kind = MessageKind::Tool {
                call_id: "1".to_owned(),
                name: answer.to_owned(),
                status: ToolStatus::Error,
            };
            check_messages(&[message(MessageKind::Ai { tool_calls: calls }), message(kind)])
        };
        assert_eq!(called("look_up", "look_up"), Ok(()));
        for bad in ["", "look up", "a.b", &"a".repeat(65)] {
            let (place, fault) = called(bad, "t").unwrap_err();
            assert_eq!(place, 0);
            assert!(fault.starts_with(&format!("call `1` names the tool `{bad}`")), "{fault}");
            let (_, fault) = called("t", bad).unwrap_err();
            assert!(fault.starts_with("the answer to `1` names the tool"), "{fault}");
        }
    }

    #[test]
    fn every_other_shape_is_a_fault_at_its_place() {
        let human = message(MessageKind::Human);
        let system = message(MessageKind::System);
        for (history, place) in [
            (vec![ai(&["1"])], 0),
            (vec![ai(&["1"]), human.clone(), tool("1")], 0),
            (vec![ai(&["1", "2"]), tool("2"), tool("1")], 0),
            (vec![ai(&["1", "1"]), tool("1"), tool("1")], 0),
            (vec![human.clone(), tool("1")], 1),
            (vec![ai(&["1"]), tool("1"), tool("1")], 2),
            (vec![human, system], 1),
        ] {
            assert_eq!(check_messages(&history).unwrap_err().0, place);
        }
    }
}
