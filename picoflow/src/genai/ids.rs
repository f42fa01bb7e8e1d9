//! Ids of calls and names of tools as a provider takes them: a history may hold those of another one.

use super::Protocol;
use ::genai::adapter::AdapterKind;
use std::{
    borrow::Cow,
    hash::{DefaultHasher, Hash, Hasher},
};

/// The id of a call in a request to `kind`. The same id always becomes the same.
pub(super) fn wire_id(kind: AdapterKind, id: &str) -> Cow<'_, str> {
    const MOST: usize = 64;
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    match kind {
        // Nine letters and digits, or it is refused.
        AdapterKind::Mistral if id.len() == 9 && id.chars().all(|c| c.is_ascii_alphanumeric()) => {
            Cow::Borrowed(id)
        }
        AdapterKind::Mistral => Cow::Owned(format!("{:09}", hash(id) % 1_000_000_000)),
        // genai tells the ids that it made up itself by their form.
        AdapterKind::Gemini => Cow::Borrowed(id),
        _ if id.len() <= MOST && !id.is_empty() && id.chars().all(is_plain) => Cow::Borrowed(id),
        _ => Cow::Owned(format!("call_{:016x}", hash(id))),
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

fn hash(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_keeps_its_form_where_that_is_taken() {
        assert_eq!(wire_id(AdapterKind::OpenAI, "call_1"), "call_1");
        assert_eq!(wire_id(AdapterKind::Mistral, "aB3dE6gH9"), "aB3dE6gH9");
        assert_eq!(wire_id(AdapterKind::Gemini, "call#add#0"), "call#add#0");
    }

    #[test]
    fn an_id_of_another_provider_gets_a_form_that_is_taken() {
        let id = wire_id(AdapterKind::Mistral, "toolu_01").into_owned();
        assert!(id.len() == 9 && id.chars().all(|letter| letter.is_ascii_digit()), "{id}");
        assert_ne!(id, wire_id(AdapterKind::Mistral, "toolu_02"));
        let id = wire_id(AdapterKind::Anthropic, "call#add#0").into_owned();
        assert!(id.starts_with("call_") && !id.contains('#'), "{id}");
        assert!(wire_id(AdapterKind::OpenAIResp, &"x".repeat(100)).len() <= 64);
    }
}
