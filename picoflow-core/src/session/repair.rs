//! Histories that were stored before every call had a name and an id that providers take.

use super::{Memory, Message, MessageKind, Session};
use crate::{
    CompiledFlow, ToolCall,
    tool::{is_tool_name, tool_name},
};
use serde::Deserialize;
use std::{
    borrow::Cow,
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

/// Whether the calls of a history have to be looked at before a provider gets them. It says nothing of what a history
/// holds, so that two of them are equal all the same.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Doubt(bool);

impl PartialEq for Doubt {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

/// A [`Memory`] as it is read. The calls are looked at here, where every message is touched anyway, and not in each turn.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Stored {
    #[serde(default)]
    messages: Arc<Vec<Arc<Message>>>,
    #[serde(default)]
    summary: Option<Arc<str>>,
    #[serde(default)]
    summarized_through_id: Option<Arc<str>>,
}

impl From<Stored> for Memory {
    fn from(stored: Stored) -> Self {
        let Stored { messages, summary, summarized_through_id } = stored;
        let doubt = Doubt(!can_be_sent(&messages));
        Self { messages, summary, summarized_through_id, doubt }
    }
}

/// Whether every call has a name that providers take and an id of its own.
fn can_be_sent(messages: &[Arc<Message>]) -> bool {
    let mut ids = HashSet::new();
    messages.iter().all(|message| match &message.kind {
        MessageKind::Ai { tool_calls } => tool_calls.iter().all(|call| {
            is_tool_name(call.name()) && !call.id().is_empty() && ids.insert(call.id())
        }),
        MessageKind::Tool { name, .. } => is_tool_name(name),
        _ => true,
    })
}

/// A namespace in which calls were given other names or ids, and how many.
pub(crate) type Repaired = (Arc<str>, usize);

impl Memory {
    /// The ids of its calls.
    pub(crate) fn call_ids(&self) -> impl Iterator<Item = &str> {
        self.messages.iter().flat_map(|message| message.tool_calls()).map(ToolCall::id)
    }

    /// Gives each call, and its answer, a name that providers take and an id of its own. Returns how many calls needed it.
    fn repair(&mut self, is_tool: &impl Fn(&str) -> bool) -> usize {
        let mut taken: HashSet<String> = self.call_ids().map(str::to_owned).collect();
        let mut seen = HashSet::new();
        let mut made_up = 0_u64;
        let mut new_id = || loop {
            made_up += 1;
            let id = format!("call_{made_up:016x}");
            if taken.insert(id.clone()) {
                return id;
            }
        };
        let mut repaired = 0;
        let messages = Arc::make_mut(&mut self.messages);
        let mut rest: &mut [Arc<Message>] = messages;
        while let Some((message, behind)) = rest.split_first_mut() {
            rest = behind;
            if message.tool_calls().is_empty() {
                continue;
            }
            let MessageKind::Ai { tool_calls } = &mut Arc::make_mut(message).kind else {
                continue;
            };
            for (place, call) in tool_calls.iter_mut().enumerate() {
                let is_named = is_tool_name(call.name());
                let has_id = !call.id().is_empty() && seen.insert(call.id().to_owned());
                let answer = rest.get_mut(place).filter(|answer| answer.kind.answers(call.id()));
                let is_answered_by_name = answer.as_ref().is_none_or(|answer| {
                    matches!(&answer.kind, MessageKind::Tool { name, .. } if is_tool_name(name))
                });
                if is_named && has_id && is_answered_by_name {
                    continue;
                }
                repaired += 1;
                if !is_named {
                    call.set_name(tool_name(call.name(), is_tool));
                }
                if !has_id {
                    call.set_id(new_id());
                }
                if let Some(answer) = answer
                    && let MessageKind::Tool { call_id, name, .. } = &mut Arc::make_mut(answer).kind
                {
                    call.id().clone_into(call_id);
                    call.name().clone_into(name);
                }
            }
        }
        self.doubt = Doubt(false);
        repaired
    }
}

/// Repairs what providers would refuse in the histories of a session that was just read. They would refuse every later
/// turn of it.
pub(crate) fn repair(session: &mut Cow<'_, Session>, flow: &CompiledFlow) -> Vec<Repaired> {
    let is_in_doubt = |memory: &BTreeMap<Arc<str>, Memory>| memory.values().any(|one| one.doubt.0);
    if !is_in_doubt(&session.flow.memory) {
        return Vec::new();
    }
    let is_tool = |name: &str| flow.steps.iter().any(|step| step.tools.contains_key(name));
    let memory = &mut session.to_mut().flow.memory;
    let doubtful = memory.iter_mut().filter(|(_, memory)| memory.doubt.0);
    let repaired = doubtful.map(|(name, memory)| (Arc::clone(name), memory.repair(&is_tool)));
    repaired.filter(|(_, count)| *count > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::history::check_messages;
    use serde_json::{Value, json};

    fn message(kind: &str, extra: Value) -> Value {
        let mut message = json!({ "id": "S|1", "type": kind, "content": "", "timestamp": "2026-02-11T09:14:02.113Z" });
        if let (Some(map), Value::Object(extra)) = (message.as_object_mut(), extra) {
            map.extend(extra);
        }
        message
    }

    fn ai(calls: &[(&str, &str)]) -> Value {
        let calls = calls.iter().map(|(id, name)| json!({ "id": id, "name": name, "args": {} }));
        message("ai", json!({ "tool_calls": calls.collect::<Vec<_>>() }))
    }

    fn tool(id: &str, name: &str) -> Value {
        message("tool", json!({ "tool_call_id": id, "name": name }))
    }

    fn memory(messages: &[Value]) -> Memory {
        serde_json::from_value(json!({ "messages": messages, "summary": "Before." })).unwrap()
    }

    #[test]
    fn what_providers_take_is_left_as_it_is() {
        let memory = memory(&[
            message("system", json!({})),
            message("human", json!({})),
            ai(&[("1", "a"), ("2", "a")]),
            tool("1", "a"),
            tool("2", "a"),
        ]);
        assert!(!memory.doubt.0);
    }

    #[test]
    fn every_call_gets_a_name_and_an_id_of_its_own() {
        let long = "x".repeat(100);
        let mut memory = memory(&[
            message("human", json!({ "additional_kwargs": { "images": [1] } })),
            ai(&[("1", "look up"), ("1", "a"), ("", &long)]),
            tool("1", "look up"),
            tool("1", "a"),
            tool("", ""),
            ai(&[("1", "a")]),
            tool("1", ""),
            ai(&[("call_0000000000000001", "a")]),
            tool("call_0000000000000001", "a"),
        ]);
        assert!(memory.doubt.0);
        assert_eq!(memory.repair(&|name| name == "look_up"), 4);
        assert!(!memory.doubt.0);
        assert_eq!(check_messages(&memory.messages), Ok(()));
        let names: Vec<_> = memory.messages.iter().flat_map(|one| one.tool_calls()).collect();
        let names: Vec<_> = names.iter().map(|call| call.name()).collect();
        assert_eq!(names, ["look_up_2", "a", &long[..64], "a", "a"]);
        let ids: Vec<_> = memory.call_ids().collect();
        assert_eq!((ids[0], ids[4]), ("1", "call_0000000000000001"));
        assert_eq!(memory.messages[0].additional["images"], json!([1]));
        assert_eq!(memory.summary.as_deref(), Some("Before."));
    }

    #[test]
    fn a_call_without_its_answer_is_not_given_one() {
        let mut memory = memory(&[ai(&[("1", "a b")]), message("human", json!({}))]);
        assert_eq!(memory.repair(&|_| false), 1);
        assert_eq!(memory.messages.len(), 2);
        assert!(check_messages(&memory.messages).is_err());
    }
}
