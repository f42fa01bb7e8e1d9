//! What a server's tool answered, as a model reads it.

use crate::{ToolError, ToolOutput};
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::Value;

const UNKNOWN: &str = "[content of an unknown kind: not shown]";

/// The texts of the result, short notes for what is no text, and its data as JSON unless a text says the same.
pub(super) fn output(result: CallToolResult) -> ToolOutput {
    let data = result.structured_content;
    let mut parts: Vec<String> = result.content.iter().map(shown).collect();
    if let Some(data) = &data {
        parts.retain(|part| serde_json::from_str::<Value>(part).ok().as_ref() != Some(data));
    }
    let output = match data {
        Some(data) if parts.is_empty() => data,
        data => {
            parts.extend(data.map(|data| data.to_string()));
            Value::String(parts.join("\n"))
        }
    };
    if result.is_error == Some(true) {
        return ToolError::feedback(ToolOutput::value(output).text()).into();
    }
    ToolOutput::value(output)
}

fn shown(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => format!("[image, {}: not shown]", image.mime_type),
        ContentBlock::Audio(audio) => format!("[audio, {}: not shown]", audio.mime_type),
        ContentBlock::ResourceLink(link) => format!("[resource `{}`: {}]", link.name, link.uri),
        ContentBlock::Resource(embedded) => match &embedded.resource {
            ResourceContents::TextResourceContents { uri, text, .. } => {
                format!("[resource {uri}]\n{text}")
            }
            ResourceContents::BlobResourceContents { uri, mime_type, .. } => {
                let kind = mime_type.as_deref().unwrap_or("of unknown type");
                format!("[resource {uri}, {kind}: not shown]")
            }
            _ => UNKNOWN.to_owned(),
        },
        _ => UNKNOWN.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(result: Value) -> ToolOutput {
        output(serde_json::from_value(result).unwrap())
    }

    #[test]
    fn texts_are_joined_and_what_is_no_text_is_noted() {
        let read = read(json!({ "content": [
            { "type": "text", "text": "one" },
            { "type": "image", "data": "aGk=", "mimeType": "image/png" },
            { "type": "audio", "data": "aGk=", "mimeType": "audio/wav" },
            { "type": "resource_link", "uri": "file:///a", "name": "a" },
            { "type": "resource", "resource": { "uri": "file:///b", "text": "two" } },
            { "type": "resource", "resource": { "uri": "file:///c", "blob": "aGk=" } },
        ]}));
        assert_eq!(
            read.text(),
            "one\n[image, image/png: not shown]\n[audio, audio/wav: not shown]\n[resource `a`: file:///a]\n[resource file:///b]\ntwo\n[resource file:///c, of unknown type: not shown]"
        );
        assert!(!read.is_error);
    }

    #[test]
    fn data_is_json_and_said_once() {
        let data = json!({ "left": 3 });
        let both = read(
            json!({ "content": [{ "type": "text", "text": "{ \"left\": 3 }" }], "structuredContent": data }),
        );
        assert_eq!(both.output, data);
        let apart = read(
            json!({ "content": [{ "type": "text", "text": "Three." }], "structuredContent": data }),
        );
        assert_eq!(apart.output, "Three.\n{\"left\":3}");
        assert_eq!(read(json!({ "content": [] })).output, "");
    }

    #[test]
    fn an_error_stays_one() {
        let read = read(
            json!({ "content": [{ "type": "text", "text": "no such file" }], "isError": true }),
        );
        assert!(read.is_error);
        assert_eq!(read.text(), "no such file");
    }
}
