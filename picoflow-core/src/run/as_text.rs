//! Tool calls that a model wrote as its text, where nobody runs them.

use super::{Run, ask::Asked, calls::is_offered};
use crate::{flow::CompiledStep, model::without_fence, session::Level};
use serde_json::{Deserializer, Map, Value};

/// The code of the warning.
const CODE: &str = "TOOL_CALL_AS_TEXT";

/// What templates of models put before and behind a call. Behind it may be nothing: many servers cut the end off.
const TAGS: [(&str, &str); 9] = [
    ("<tool_call>", "</tool_call>"),
    ("<tool_calls>", "</tool_calls>"),
    ("<function_call>", "</function_call>"),
    ("<functioncall>", "</functioncall>"),
    ("<tools>", "</tools>"),
    ("<|tool_call|>", "<|/tool_call|>"),
    ("<|python_tag|>", "<|eom_id|>"),
    ("[TOOL_CALLS]", "[/TOOL_CALLS]"),
    ("functools", ""),
];

impl Run {
    /// Warns of a reply that is nothing but calls of offered tools, written as text. It stays the text that it is.
    pub(super) fn warn_of_text(&mut self, step: &CompiledStep, asked: &Asked) {
        if asked.structured.is_some() {
            return;
        }
        let is_tool = |name: &str| is_offered(step, name, &asked.hidden);
        let Some(tool) = written_call(&asked.reply.text, &is_tool) else {
            return;
        };
        let text = format!(
            "the model wrote a call of tool '{tool}' as its text, which runs nothing: a server that knows the model's format for tool calls, or another model, makes it a call"
        );
        let extra = [("step", step.id.as_str()), ("code", CODE), ("tool", &*tool)];
        let extra = extra.map(|(key, value)| (key.to_owned(), Value::from(value)));
        self.note(Level::Warn, text, extra.into_iter().collect());
    }
}

/// The first tool that `text` calls, if the text is calls of tools and nothing else.
fn written_call(text: &str, is_tool: &impl Fn(&str) -> bool) -> Option<String> {
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    // What almost every reply fails at.
    if !text.starts_with(['{', '[', '<', '`', '~', 'f']) {
        return None;
    }
    // What the model thought is no part of what it says.
    let text = match text.strip_prefix("<think>").and_then(|rest| rest.split_once("</think>")) {
        Some((_, said)) => said.trim(),
        None => text,
    };
    let text = inside_fence(text);
    if text.starts_with('{') || text.starts_with('[') && !text.starts_with("[TOOL") {
        return called(text, is_tool);
    }
    let mut first = None;
    let mut rest = text;
    while !rest.is_empty() {
        let (tool, behind) = if let Some(named) = rest.strip_prefix("<function=") {
            let (tool, inside) = named.split_once('>')?;
            let (arguments, behind) = split(inside, "</function>");
            let is_call = is_tool(tool) && serde_json::from_str::<Map<_, _>>(arguments).is_ok();
            (is_call.then(|| tool.to_owned())?, behind)
        } else {
            let (open, close) = TAGS.iter().find(|(open, _)| rest.starts_with(open))?;
            let (inside, behind) = split(rest.strip_prefix(open)?, close);
            (called(inside_fence(inside), is_tool)?, behind)
        };
        first.get_or_insert(tool);
        rest = behind.trim_start();
    }
    first
}

/// The inside of a fence, also of one that is not closed or stands in one line.
fn inside_fence(text: &str) -> &str {
    let text = without_fence(text);
    let Some((fence, rest)) =
        ["```", "~~~"].iter().find_map(|fence| Some((fence, text.strip_prefix(fence)?)))
    else {
        return text;
    };
    let language = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(0);
    let inside = rest.split_at(language).1.trim();
    inside.strip_suffix(fence).unwrap_or(inside).trim()
}

/// What stands before `end` and what stands behind it.
fn split<'t>(text: &'t str, end: &str) -> (&'t str, &'t str) {
    if end.is_empty() { (text, "") } else { text.split_once(end).unwrap_or((text, "")) }
}

/// Under what an object keeps a list of calls.
const LISTS: [&str; 5] = ["tool_calls", "tool_uses", "function_calls", "toolCalls", "calls"];

/// What templates of models put before the names of tools.
const PREFIXES: [&str; 4] = ["functions.", "default_api.", "tools.", "tool."];

/// The first tool that JSON calls: one call, a list of them, or several one after the other.
fn called(json: &str, is_tool: &impl Fn(&str) -> bool) -> Option<String> {
    let mut first = None;
    for value in Deserializer::from_str(json).into_iter::<Value>() {
        let tools = match value.ok()? {
            Value::Array(calls) => calls.iter().map(tool_of).collect::<Option<Vec<_>>>()?,
            call => match LISTS.iter().find_map(|key| call.get(*key)?.as_array()) {
                Some(calls) => calls.iter().map(tool_of).collect::<Option<Vec<_>>>()?,
                None => vec![tool_of(&call)?],
            },
        };
        for tool in tools {
            let bare = || PREFIXES.iter().find_map(|prefix| tool.strip_prefix(prefix));
            let tool = if is_tool(&tool) { &tool } else { bare().filter(|tool| is_tool(tool))? };
            first.get_or_insert_with(|| tool.to_owned());
        }
    }
    first
}

/// The tool that an object calls.
fn tool_of(call: &Value) -> Option<String> {
    let call = call.as_object()?;
    let keys = ["function", "tool_call", "function_call", "functionCall", "toolCall", "tool"];
    match keys.iter().find_map(|key| call.get(*key)) {
        Some(Value::Object(inner)) => named(inner),
        // `{"function": "look_up", "arguments": …}`
        Some(Value::String(name)) => has_arguments(call).then(|| name.clone()),
        _ => named(call),
    }
}

fn named(call: &Map<String, Value>) -> Option<String> {
    let keys =
        ["name", "tool", "tool_name", "toolName", "function_name", "action", "recipient_name"];
    let name = keys.iter().find_map(|key| call.get(*key))?.as_str()?;
    has_arguments(call).then(|| name.to_owned())
}

/// Whether the object has arguments: an object, or one as text.
fn has_arguments(call: &Map<String, Value>) -> bool {
    let keys =
        ["arguments", "parameters", "args", "input", "tool_input", "tool_args", "action_input"];
    match keys.iter().find_map(|key| call.get(*key)) {
        Some(Value::Object(_) | Value::Null) => true,
        Some(Value::String(text)) => {
            text.trim().is_empty() || serde_json::from_str::<Map<String, Value>>(text).is_ok()
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> Option<String> {
        written_call(text, &|name| ["look_up", "leave"].contains(&name))
    }

    #[test]
    fn a_call_is_seen_in_every_usual_form() {
        for text in [
            r#"{"name": "look_up", "arguments": {"city": "LA"}}"#,
            r#"{"name": "look_up", "parameters": {"city": "LA"}}"#,
            r#"{"name": "look_up", "arguments": "{\"city\": \"LA\"}"}"#,
            r#"{"name": "look_up", "arguments": {}}"#,
            r#"{"function": {"name": "look_up", "arguments": {"city": "LA"}}}"#,
            r#"{"type": "function", "id": "1", "function": {"name": "look_up", "arguments": "{}"}}"#,
            r#"{"type": "function", "name": "look_up", "parameters": {"city": "LA"}}"#,
            r#"{"function": "look_up", "arguments": {"city": "LA"}}"#,
            r#"{"tool": "look_up", "args": {"city": "LA"}}"#,
            r#"[{"name": "look_up", "arguments": {}}, {"name": "leave", "arguments": {}}]"#,
            "{\"name\": \"look_up\", \"arguments\": {}}\n{\"name\": \"leave\", \"arguments\": {}}",
            "\n ```json\n{\"name\": \"look_up\", \"arguments\": {}}\n```\n",
            "```\n{\"name\": \"look_up\", \"arguments\": {}}\n```",
            "```tool_call\n{\"name\": \"look_up\", \"arguments\": {}}\n```",
            "<tool_call>\n{\"name\": \"look_up\", \"arguments\": {}}\n</tool_call>",
            "<tool_call>{\"name\": \"look_up\", \"arguments\": {}}",
            "<tool_call>{\"name\": \"look_up\", \"arguments\": {}}</tool_call>\n<tool_call>{\"name\": \"leave\", \"arguments\": {}}</tool_call>",
            "<tool_call>\n```json\n{\"name\": \"look_up\", \"arguments\": {}}\n```\n</tool_call>",
            "```xml\n<tool_call>{\"name\": \"look_up\", \"arguments\": {}}</tool_call>\n```",
            "<|python_tag|>{\"name\": \"look_up\", \"parameters\": {}}<|eom_id|>",
            "[TOOL_CALLS][{\"name\": \"look_up\", \"arguments\": {}}]",
            "[TOOL_CALLS] {\"name\": \"look_up\", \"arguments\": {}}",
            "<function=look_up>{\"city\": \"LA\"}</function>",
            "functools[{\"name\": \"look_up\", \"arguments\": {}}]",
            r#"{"tool_calls": [{"id": "1", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}]}"#,
            r#"{"role": "assistant", "content": null, "tool_calls": [{"name": "look_up", "arguments": {}}]}"#,
            r#"{"tool_uses": [{"recipient_name": "functions.look_up", "parameters": {}}]}"#,
            r#"{"name": "functions.look_up", "arguments": {}}"#,
            r#"{"functionCall": {"name": "look_up", "args": {}}}"#,
            r#"{"tool": {"name": "look_up", "arguments": {}}}"#,
            r#"{"action": "look_up", "action_input": {"city": "LA"}}"#,
            r#"{"tool_name": "look_up", "tool_args": {}}"#,
            "\u{feff}{\"name\": \"look_up\", \"arguments\": {}}",
            "<think>It asks.</think>\n{\"name\": \"look_up\", \"arguments\": {}}",
            "```json\n{\"name\": \"look_up\", \"arguments\": {}}",
            "```json {\"name\": \"look_up\", \"arguments\": {}}```",
            "~~~json\n{\"name\": \"look_up\", \"arguments\": {}}\n~~~",
        ] {
            assert_eq!(written(text).as_deref(), Some("look_up"), "{text}");
        }
    }

    #[test]
    fn a_text_is_a_text() {
        for text in [
            "",
            "Hello.",
            "for you",
            "functools",
            "<tool_call>",
            "<tool_call></tool_call>",
            "<function=elsewhere>{}</function>",
            "<function=look_up>LA</function>",
            "<p>Hello.</p>",
            "[]",
            "{}",
            "null",
            r#"I call {"name": "look_up", "arguments": {}}"#,
            r#"{"name": "look_up", "arguments": {}} is the call."#,
            "Here:\n```json\n{\"name\": \"look_up\", \"arguments\": {}}\n```",
            "```json\n{\"name\": \"look_up\", \"arguments\": {}}\n```\nDone.",
            "<tool_call>{\"name\": \"look_up\", \"arguments\": {}}</tool_call> Done.",
            r#"{"name": "elsewhere", "arguments": {}}"#,
            r#"[{"name": "look_up", "arguments": {}}, {"name": "elsewhere", "arguments": {}}]"#,
            r#"[{"name": "look_up", "arguments": {}}, 1]"#,
            r#"{"name": "look_up"}"#,
            r#"{"name": "look_up", "arguments": [1]}"#,
            r#"{"name": "look_up", "arguments": "LA"}"#,
            r#"{"city": "LA"}"#,
            r#"{"name": "look_up", "arguments": {"#,
            "{\"name\": 'look_up'}",
        ] {
            assert_eq!(written(text), None, "{text}");
        }
        assert_eq!(written(&"[".repeat(100_000)), None);
    }
}
