//! Ids of calls and names of tools as a provider takes them: a history may hold those of another one.

use super::Protocol;
use ::genai::adapter::AdapterKind;
use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    hash::{DefaultHasher, Hash, Hasher},
};

/// The ids of a request's calls in the form that its provider takes. Two calls never get the same, and a call and its
/// answer always do.
pub(super) struct WireIds {
    kind: AdapterKind,
    /// By the id in the history.
    known: HashMap<String, String>,
    taken: HashSet<String>,
}

impl WireIds {
    pub(super) fn new(kind: AdapterKind) -> Self {
        Self { kind, known: HashMap::new(), taken: HashSet::new() }
    }

    pub(super) fn of(&mut self, id: &str) -> String {
        if let Some(known) = self.known.get(id) {
            return known.clone();
        }
        let mut wire = if is_taken_by(self.kind, id) { id.to_owned() } else { self.made_up(id, 0) };
        let mut attempt = 0_u64;
        while !self.taken.insert(wire.clone()) {
            attempt += 1;
            wire = self.made_up(id, attempt);
        }
        self.known.insert(id.to_owned(), wire.clone());
        wire
    }

    /// One id for each `id` and `attempt`, the same in every request.
    fn made_up(&self, id: &str, attempt: u64) -> String {
        let mut hasher = DefaultHasher::new();
        id.hash(&mut hasher);
        if attempt > 0 {
            attempt.hash(&mut hasher);
        }
        let hash = hasher.finish();
        match self.kind {
            AdapterKind::Mistral => format!("{:09}", hash % 1_000_000_000),
            _ => format!("call_{hash:016x}"),
        }
    }
}

/// Whether the provider takes the id as it is.
fn is_taken_by(kind: AdapterKind, id: &str) -> bool {
    /// OpenAI's limit for chat completions, the lowest of all.
    const MAX: usize = 40;
    let is_plain = |letter: u8| letter.is_ascii_alphanumeric() || b"_-".contains(&letter);
    match kind {
        // Nine letters and digits, or it is refused.
        AdapterKind::Mistral => {
            id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric())
        }
        // genai tells the ids that it made up itself by their form.
        AdapterKind::Gemini => !id.is_empty(),
        _ => (1..=MAX).contains(&id.len()) && id.bytes().all(is_plain),
    }
}

/// The name of a tool in a request. genai takes some names for tools that providers run themselves.
pub(super) fn wire_name(protocol: Protocol, name: &str) -> Cow<'_, str> {
    let is_taken = match protocol {
        Protocol::OpenAiResponses | Protocol::Anthropic => name == "web_search",
        Protocol::Gemini => {
            ["googleSearch", "googleSearchRetrieval", "codeExecution", "urlContext"].contains(&name)
        }
        Protocol::OpenAiChat | Protocol::Ollama => false,
    };
    if is_taken { Cow::Owned(format!("{name}_tool")) } else { Cow::Borrowed(name) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wire_id(kind: AdapterKind, id: &str) -> String {
        WireIds::new(kind).of(id)
    }

    #[test]
    fn an_id_keeps_its_form_where_that_is_taken() {
        assert_eq!(wire_id(AdapterKind::OpenAI, "call_1"), "call_1");
        assert_eq!(wire_id(AdapterKind::Mistral, "aB3dE6gH9"), "aB3dE6gH9");
        assert_eq!(wire_id(AdapterKind::Gemini, "call#add#0"), "call#add#0");
    }

    #[test]
    fn an_id_of_another_provider_gets_a_form_that_is_taken() {
        let id = wire_id(AdapterKind::Mistral, "toolu_01");
        assert!(id.len() == 9 && id.chars().all(|letter| letter.is_ascii_digit()), "{id}");
        assert_ne!(id, wire_id(AdapterKind::Mistral, "toolu_02"));
        let id = wire_id(AdapterKind::Anthropic, "call#add#0");
        assert!(id.starts_with("call_") && !id.contains('#'), "{id}");
        assert!(wire_id(AdapterKind::OpenAI, &"x".repeat(41)).len() <= 40);
        for kind in [AdapterKind::OpenAI, AdapterKind::Mistral, AdapterKind::Gemini] {
            assert_ne!(wire_id(kind, ""), "");
        }
    }

    #[test]
    fn no_two_calls_of_a_request_get_one_id() {
        let numbers = 0..200_000;
        let mut ids = WireIds::new(AdapterKind::Mistral);
        let wire: HashSet<_> = numbers.clone().map(|n| ids.of(&format!("toolu_{n}"))).collect();
        assert_eq!(wire.len(), numbers.len());
        assert!(wire.iter().all(|id| id.len() == 9));
        // Two of these have one hash of nine digits.
        let plain: HashSet<_> =
            numbers.map(|n| wire_id(AdapterKind::Mistral, &format!("toolu_{n}"))).collect();
        assert!(plain.len() < 200_000);
        assert_eq!(ids.of("toolu_7"), ids.of("toolu_7"));
    }

    #[test]
    fn an_id_that_another_call_was_given_is_replaced() {
        for kind in [AdapterKind::Mistral, AdapterKind::OpenAI] {
            let mut ids = WireIds::new(kind);
            let first = ids.of("a call of another provider");
            assert_ne!(ids.of(&first), first);
        }
    }
}
