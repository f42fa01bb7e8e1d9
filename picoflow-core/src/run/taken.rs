//! A reply as it is taken: in a form that every later request can send again, whichever model it goes to.

use super::Run;
use crate::{
    ToolCall,
    flow::CompiledStep,
    model::ModelReply,
    session::Memory,
    text::shortened,
    tool::{is_tool_name, tool_name},
};
use std::{borrow::Cow, sync::Arc};

/// How many letters of a tool name that a model made up are shown.
const SHOWN: usize = 200;

/// The calls that were taken in this turn.
#[derive(Clone, Default)]
pub(super) struct Taken {
    /// Their ids, each with the namespace that it is kept in. A reply is remembered when its handlers are done, and their
    /// children may use the same namespace before that.
    ids: Vec<(Arc<str>, String)>,
    /// How many ids were made up.
    made_up: u64,
    /// By namespace and id, the names that no provider takes back, as the model wrote them.
    words: Vec<(Arc<str>, String, String)>,
}

impl Run {
    /// Brings a reply with calls into the form in which it is handled, stored and sent again.
    pub(super) fn take_reply(&mut self, step: &CompiledStep, reply: &mut ModelReply) {
        if reply.text.trim().is_empty() {
            reply.text.clear();
        }
        self.take_calls(step, &mut reply.tool_calls);
    }

    /// The same for the calls alone.
    pub(crate) fn take_calls(&mut self, step: &CompiledStep, calls: &mut [ToolCall]) {
        self.normalise(step, calls);
        self.tell_apart(step, calls);
        for call in calls {
            // What the step exposes was checked when the flow was built.
            if !step.tools.contains_key(call.name()) && !is_tool_name(call.name()) {
                self.rename(step, call);
            }
        }
    }

    /// Gives the call a name that every provider takes, and that is none of the flow's tools.
    fn rename(&mut self, step: &CompiledStep, call: &mut ToolCall) {
        let steps = &self.env.flow.steps;
        let is_taken = |name: &str| steps.iter().any(|step| step.tools.contains_key(name));
        let name = tool_name(call.name(), is_taken);
        let word = shortened(call.name(), SHOWN).into_owned();
        self.taken.words.push((Arc::clone(&step.namespace), call.id().to_owned(), word));
        call.set_name(name);
    }

    /// The name of the tool as the model wrote it, in a length that can be shown.
    pub(super) fn word_of<'c>(&self, step: &CompiledStep, call: &'c ToolCall) -> Cow<'c, str> {
        let mut words = self.taken.words.iter();
        let word = words.find(|(namespace, id, _)| *namespace == step.namespace && id == call.id());
        word.map_or_else(|| shortened(call.name(), SHOWN), |(_, _, word)| Cow::Owned(word.clone()))
    }

    /// Replaces ids that are missing, or that the step's history has already.
    fn tell_apart(&mut self, step: &CompiledStep, calls: &mut [ToolCall]) {
        let is_used = {
            let memory = self.draft.memory.get(&step.namespace);
            let stored = memory.into_iter().flat_map(Memory::call_ids);
            let own = self.taken.ids.iter().filter(|(namespace, _)| *namespace == step.namespace);
            used(calls, stored.chain(own.map(|(_, id)| &**id)))
        };
        for is_kept in [true, false] {
            for (call, _) in calls.iter_mut().zip(&is_used).filter(|(_, used)| **used != is_kept) {
                if !is_kept {
                    call.set_id(self.new_id());
                }
                self.taken.ids.push((Arc::clone(&step.namespace), call.id().to_owned()));
            }
        }
    }

    /// An id that this turn has not seen. No other turn of the session makes up the same, even if the host's random numbers
    /// are always one number.
    fn new_id(&mut self) -> String {
        loop {
            self.taken.made_up += 1;
            let turn = self.env.turn.rotate_left(32);
            let number = self.env.host.random().wrapping_add(turn).wrapping_add(self.taken.made_up);
            let id = format!("call_{number:016x}");
            if self.taken.ids.iter().all(|(_, known)| *known != id) {
                return id;
            }
        }
    }
}

/// Which of `calls` need another id: those without one, and those whose id is among `ids` or is that of a call before.
fn used<I: AsRef<str>>(calls: &[ToolCall], ids: impl Iterator<Item = I>) -> Vec<bool> {
    let mut own: Vec<(&str, usize)> =
        calls.iter().enumerate().map(|(place, call)| (call.id(), place)).collect();
    own.sort_unstable();
    let mut is_used = vec![false; calls.len()];
    let mut mark = |place: usize| {
        if let Some(is_used) = is_used.get_mut(place) {
            *is_used = true;
        }
    };
    for (at, &(id, place)) in own.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|before| own.get(before));
        if id.is_empty() || before.is_some_and(|&(before, _)| before == id) {
            mark(place);
        }
    }
    for id in ids {
        let id = id.as_ref();
        let first = own.partition_point(|&(own, _)| own < id);
        if let Some(&(_, place)) = own.get(first).filter(|&&(own, _)| own == id) {
            mark(place);
        }
    }
    is_used
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(ids: &[&str]) -> Vec<ToolCall> {
        ids.iter().map(|id| ToolCall::from_text(*id, "t", "{}")).collect()
    }

    #[test]
    fn an_id_is_used_once() {
        for (own, history, expected) in [
            (vec!["a", "b"], vec!["c"], vec![false, false]),
            (vec!["b", "a", "b", ""], vec![], vec![false, false, true, true]),
            (vec!["b", "a", "b"], vec!["b", "x"], vec![true, false, true]),
            (vec!["a"], vec!["a", "a"], vec![true]),
            (vec![""], vec![""], vec![true]),
            (vec![], vec!["a"], vec![]),
        ] {
            assert_eq!(used(&calls(&own), history.into_iter()), expected, "{own:?}");
        }
    }
}
