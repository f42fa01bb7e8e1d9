//! What a provider wants back of its reasoning, in the form in which sessions keep it.
//!
//! ```json
//! { "provider": "anthropic", "model": "claude-…", "parts": [{ "signature": "…" }, { "text": "…" }], "calls": [[]] }
//! ```

use crate::ModelRef;
use ::genai::chat::ContentPart;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What was kept, as genai takes it.
pub(super) struct Kept {
    /// Before the text.
    pub(super) parts: Vec<ContentPart>,
    /// The signatures of each call.
    pub(super) signatures: Vec<Vec<String>>,
}

#[derive(Serialize, Deserialize)]
struct Document {
    provider: String,
    model: String,
    #[serde(default)]
    parts: Vec<Part>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    calls: Vec<Vec<String>>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Part {
    Signature(String),
    Text(String),
    Block(Value),
}

/// What to keep of a reply; `None` if there is nothing.
pub(super) fn written(model: &ModelRef, kept: Kept) -> Option<Value> {
    let parts: Vec<_> = kept
        .parts
        .into_iter()
        .filter_map(|part| match part {
            ContentPart::ThoughtSignature(text) => Some(Part::Signature(text)),
            ContentPart::ReasoningContent(text) => Some(Part::Text(text)),
            ContentPart::Custom(custom) => Some(Part::Block(custom.data)),
            _ => None,
        })
        .collect();
    let calls =
        if kept.signatures.iter().all(Vec::is_empty) { Vec::new() } else { kept.signatures };
    if parts.is_empty() && calls.is_empty() {
        return None;
    }
    let document = Document {
        provider: model.provider().to_owned(),
        model: model.name().to_owned(),
        parts,
        calls,
    };
    serde_json::to_value(document).ok()
}

/// What was kept, if it is of this very model: nobody else understands it.
pub(super) fn read(kept: &Value, model: &ModelRef) -> Option<Kept> {
    let document = Document::deserialize(kept).ok()?;
    if (&*document.provider, &*document.model) != (model.provider(), model.name()) {
        return None;
    }
    let parts = document.parts.into_iter().map(|part| match part {
        Part::Signature(text) => ContentPart::ThoughtSignature(text),
        Part::Text(text) => ContentPart::ReasoningContent(text),
        Part::Block(block) => ContentPart::from_custom(block, None),
    });
    Some(Kept { parts: parts.collect(), signatures: document.calls })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_kept_goes_back_to_the_same_model_alone() {
        let model = ModelRef::new("anthropic", "claude");
        let kept = Kept {
            parts: vec![
                ContentPart::ThoughtSignature("s".to_owned()),
                ContentPart::ReasoningContent("t".to_owned()),
                ContentPart::from_custom(json!({ "type": "redacted_thinking" }), None),
            ],
            signatures: vec![vec![], vec!["c".to_owned()]],
        };
        let value = written(&model, kept).unwrap();
        let back = read(&value, &model).unwrap();
        assert_eq!((back.parts.len(), back.signatures.len()), (3, 2));
        assert!(read(&value, &ModelRef::new("anthropic", "other")).is_none());
        assert!(read(&value, &ModelRef::new("openai", "claude")).is_none());
        assert!(read(&json!({ "signature": "somebody else's" }), &model).is_none());
    }

    #[test]
    fn nothing_is_kept_of_nothing() {
        let kept = Kept { parts: Vec::new(), signatures: vec![Vec::new()] };
        assert_eq!(written(&ModelRef::new("p", "m"), kept), None);
    }
}
