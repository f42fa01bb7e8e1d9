//! Replies without the key: a gateway that echoes what it was sent must not get it into a session.

use super::provider::Target;
use crate::{
    ModelReply, ToolCall,
    secret::{GAP, Secret, beginning, redact, redact_all},
};

impl Target {
    /// The key, if no reply would hold it by chance.
    fn sought(&self) -> Option<&str> {
        self.key.as_ref().and_then(Secret::sought)
    }

    /// Takes the key out of a reply.
    pub(super) fn redact(&self, reply: &mut ModelReply) {
        let Some(key) = self.sought() else {
            return;
        };
        redact(&mut reply.text, key);
        for call in &mut reply.tool_calls {
            let parts = [call.id(), call.name(), call.arguments()];
            if parts.iter().any(|part| part.contains(key)) {
                let [id, name, arguments] = parts.map(|part| part.replace(key, GAP));
                *call = ToolCall::from_text(id, name, arguments);
            }
        }
        if let Some(kept) = &mut reply.reasoning {
            redact_all(kept, key);
        }
    }
}

/// A text that comes bit by bit. An end that may be the beginning of the key is held back until the next bit has come.
#[derive(Debug, Default)]
pub(super) struct Held(String);

impl Held {
    /// What of it may be shown, now that there is another bit.
    pub(super) fn push(&mut self, bit: String, target: &Target) -> String {
        let Some(key) = target.sought() else {
            return bit;
        };
        let mut text = std::mem::take(&mut self.0);
        if text.is_empty() {
            text = bit;
        } else {
            text.push_str(&bit);
        }
        redact(&mut text, key);
        self.0 = text.split_off(text.len() - beginning(&text, key));
        text
    }

    /// What is left of it when it is over.
    pub(super) fn rest(&mut self) -> String {
        std::mem::take(&mut self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::genai::provider::{Endpoint, Protocol, Providers};
    use serde_json::json;

    const KEY: &str = "sk-planted-012345";

    fn target(key: &str) -> Target {
        let mut providers = Providers::default();
        let endpoint = Endpoint::new(Protocol::OpenAiChat, "http://localhost").key(key);
        providers.endpoints.insert("local".to_owned(), endpoint);
        providers.target("local").unwrap()
    }

    #[test]
    fn a_reply_is_freed_of_the_key_wherever_it_stands() {
        let mut reply = ModelReply::text(format!("Your key is {KEY}."));
        reply.tool_calls = vec![
            ToolCall::from_text(KEY, KEY, format!("{{\"key\": \"{KEY}\"")),
            ToolCall::new("1", "t", &json!({})),
        ];
        reply.reasoning = Some(json!({ "parts": [{ "text": KEY }], "count": 1 }));
        target(KEY).redact(&mut reply);
        assert_eq!(reply.text, "Your key is ….");
        assert_eq!(
            reply.tool_calls,
            [ToolCall::from_text("…", "…", "{\"key\": \"…\""), ToolCall::new("1", "t", &json!({}))]
        );
        assert_eq!(reply.reasoning, Some(json!({ "parts": [{ "text": "…" }], "count": 1 })));
    }

    #[test]
    fn a_word_is_no_key_that_a_reply_would_be_freed_of() {
        let mut reply = ModelReply::text("Ask lm-studio.");
        target("lm-studio").redact(&mut reply);
        assert_eq!(reply.text, "Ask lm-studio.");
    }

    #[test]
    fn a_key_in_bits_of_any_size_is_not_shown() {
        let text = format!("s, sk-, sk-planned, {KEY}{KEY}sk-é");
        let (target, chars) = (target(KEY), text.chars().collect::<Vec<_>>());
        for size in 1..=chars.len() {
            let mut held = Held::default();
            let mut shown = String::new();
            for bit in chars.chunks(size) {
                shown.push_str(&held.push(bit.iter().collect(), &target));
                assert!(text.replace(KEY, "…").starts_with(&shown), "{size}: {shown}");
            }
            shown.push_str(&held.rest());
            assert_eq!(shown, "s, sk-, sk-planned, ……sk-é", "{size}");
        }
        assert_eq!(Held::default().push("a whole bit".to_owned(), &target), "a whole bit");
    }

    #[test]
    fn an_end_that_begins_the_key_comes_when_the_text_is_over() {
        let mut held = Held::default();
        assert_eq!(held.push("Thanks".to_owned(), &target(KEY)), "Thank");
        assert_eq!(held.rest(), "s");
        assert_eq!(held.rest(), "");
    }
}
