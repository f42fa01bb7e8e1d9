//! What each recording holds, read from its body by eye.

mod openai;

use openai::{openai_chat, openai_responses, openrouter, xai};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What one recording holds.
pub(crate) struct Expected {
    pub(crate) holds: Holds,
    /// Input, output, total, reasoning, read from the cache.
    pub(crate) usage: [u64; 5],
    /// Something of what the provider wants back.
    pub(crate) keeps: Option<&'static str>,
}

pub(crate) enum Holds {
    /// This text and these calls.
    Reply { text: String, calls: Vec<(&'static str, Value)> },
    /// This in a long text, and no call.
    Part(&'static str),
    /// The model declined in these words.
    Refusal(&'static str),
    /// It was cut off, for which the provider has this word.
    Truncated(&'static str),
    /// This status and word.
    Error(u16, &'static str),
}

type Row = (&'static str, Expected);

/// What is expected of each file.
pub(crate) fn expectations() -> BTreeMap<&'static str, Expected> {
    let rows: [Vec<Row>; 10] = [
        anthropic(),
        deepseek(),
        gemini(),
        groq(),
        mistral(),
        ollama(),
        openai_chat(),
        openai_responses(),
        openrouter(),
        xai(),
    ];
    rows.into_iter().flatten().collect()
}

fn reply(file: &'static str, text: &str, calls: &[(&'static str, Value)], usage: [u64; 5]) -> Row {
    let holds = Holds::Reply { text: text.to_owned(), calls: calls.to_vec() };
    (file, Expected { holds, usage, keeps: None })
}

/// A reply with something that the provider wants back.
fn keeps((file, expected): Row, keeps: &'static str) -> Row {
    (file, Expected { keeps: Some(keeps), ..expected })
}

fn part(file: &'static str, part: &'static str, usage: [u64; 5]) -> Row {
    (file, Expected { holds: Holds::Part(part), usage, keeps: None })
}

fn refusal(file: &'static str, words: &'static str, usage: [u64; 5]) -> Row {
    (file, Expected { holds: Holds::Refusal(words), usage, keeps: None })
}

fn cut(file: &'static str, word: &'static str) -> Row {
    (file, Expected { holds: Holds::Truncated(word), usage: [0; 5], keeps: None })
}

fn error(file: &'static str, status: u16, code: &'static str) -> Row {
    (file, Expected { holds: Holds::Error(status, code), usage: [0; 5], keeps: None })
}

fn anthropic() -> Vec<Row> {
    vec![
        reply(
            "anthropic-messages-stream-parallel.sse",
            "I'll call both tools simultaneously right away!",
            &[("lookup_harbor_label", json!({})), ("lookup_orchard_label", json!({}))],
            [700, 70, 770, 0, 0],
        ),
        part(
            "anthropic-messages-stream-reasoning.sse",
            r"- 22 = \boxed{44}$$",
            [54, 390, 444, 173, 0],
        ),
        reply(
            "anthropic-messages-stream-text.sse",
            "stream cache probe ready",
            &[],
            [4565, 7, 4572, 0, 4562],
        ),
        keeps(
            reply(
                "anthropic-messages-stream-tool.sse",
                "Sure! Let me check the current weather in Tokyo right away!",
                &[("get_weather", json!({"city":"Tokyo, Japan"}))],
                [671, 113, 784, 41, 0],
            ),
            "signature_REDACTED_2",
        ),
        cut("anthropic-messages-stream-truncated.sse", "max_tokens"),
        error("anthropic-messages-unary-error.json", 400, "invalid_request_error"),
        reply(
            "anthropic-messages-unary-parallel.json",
            "I'll look everything up at once! Let me fetch the policy, inventory, and shipping rates all simultaneously.",
            &[
                ("database_lookup", json!({"query":"customer_policy"})),
                ("database_lookup", json!({"query":"product_inventory"})),
                ("database_lookup", json!({"query":"shipping_rates"})),
            ],
            [1431, 154, 1585, 0, 0],
        ),
        keeps(
            reply("anthropic-messages-unary-reasoning.json", "READY", &[], [603, 15, 618, 8, 0]),
            "signature_REDACTED_1",
        ),
        reply(
            "anthropic-messages-unary-text.json",
            "The paper proposes a solution to the double-spending problem using a peer-to-peer distributed timestamp server to generate computational proof of the chronological order of transactions.",
            &[],
            [22_590, 53, 22_643, 0, 0],
        ),
        reply(
            "anthropic-messages-unary-tool.json",
            "",
            &[(
                "record_batch",
                json!({"batch_id":"123e4567-e89b-12d3-a456-426614174000","due_date":"2026-09-21","items":[{"quantity":2,"sku":"red"},{"quantity":3,"sku":"blue"}]}),
            )],
            [869, 127, 996, 0, 0],
        ),
        cut("anthropic-messages-unary-truncated.json", "max_tokens"),
    ]
}

fn deepseek() -> Vec<Row> {
    vec![
        reply(
            "deepseek-chat-stream-parallel.sse",
            "",
            &[("lookup_harbor_label", json!({})), ("lookup_orchard_label", json!({}))],
            [404, 48, 452, 0, 384],
        ),
        reply(
            "deepseek-chat-stream-tool.sse",
            "Step 3: join_labels.",
            &[(
                "join_labels",
                json!({"labels":["north","beta gamma","quote:\"delta\"","slash\\path"],"separator":"|"}),
            )],
            [1003, 85, 1088, 0, 768],
        ),
        cut("deepseek-chat-stream-truncated.sse", "length"),
        error("deepseek-chat-unary-error.json", 400, "invalid_request_error"),
        keeps(
            reply(
                "deepseek-chat-unary-parallel.json",
                "",
                &[
                    ("get_weather", json!({"city":"Tokyo"})),
                    ("get_air_quality", json!({"city":"Tokyo"})),
                ],
                [492, 103, 595, 25, 384],
            ),
            "The user wants weather and air quality for Tokyo.",
        ),
        keeps(
            reply(
                "deepseek-chat-unary-tool.json",
                "",
                &[("get_weather", json!({"city":"Tokyo"}))],
                [460, 82, 542, 37, 0],
            ),
            "whether to pack an umbrella or sunscreen",
        ),
        cut("deepseek-chat-unary-truncated.json", "length"),
    ]
}

fn gemini() -> Vec<Row> {
    vec![
        error("gemini-gemini-stream-error.sse", 404, "NOT_FOUND"),
        reply(
            "gemini-gemini-stream-parallel.sse",
            "",
            &[("lookup_harbor_label", json!({})), ("lookup_orchard_label", json!({}))],
            [170, 26, 196, 0, 0],
        ),
        part(
            "gemini-gemini-stream-reasoning.sse",
            r"The final answer is $\boxed{44}$.",
            [45, 1861, 1906, 1343, 0],
        ),
        reply(
            "gemini-gemini-stream-text.sse",
            "The first number is 121932631112635269.\nThe second number is 63.",
            &[],
            [665, 304, 969, 211, 0],
        ),
        keeps(
            reply(
                "gemini-gemini-stream-tool.sse",
                "",
                &[("subtract", json!({"x":2,"y":5}))],
                [148, 77, 225, 59, 0],
            ),
            "signature_REDACTED_1",
        ),
        cut("gemini-gemini-stream-truncated.sse", "MAX_TOKENS"),
        error("gemini-gemini-unary-error.json", 400, "INVALID_ARGUMENT"),
        keeps(
            reply(
                "gemini-gemini-unary-parallel.json",
                "",
                &[("add", json!({"x":3,"y":5})), ("subtract", json!({"x":10,"y":4}))],
                [193, 137, 330, 100, 0],
            ),
            "signature_REDACTED_1",
        ),
        reply("gemini-gemini-unary-reasoning.json", "5040", &[], [33, 240, 273, 235, 0]),
        reply(
            "gemini-gemini-unary-text.json",
            "{\n  \"title\": \"Seattle Rust Meetup\",\n  \"category\": \"Technology\",\n  \"summary\": \"A regular meetup for Rust enthusiasts in the Seattle area to discuss projects, share knowledge, and network.\"\n}",
            &[],
            [14, 48, 62, 0, 0],
        ),
        keeps(
            reply(
                "gemini-gemini-unary-tool.json",
                "",
                &[("subtract", json!({"x":50,"y":8}))],
                [161, 65, 226, 46, 0],
            ),
            "signature_REDACTED_3",
        ),
        cut("gemini-gemini-unary-truncated.json", "MAX_TOKENS"),
    ]
}

fn groq() -> Vec<Row> {
    vec![
        reply(
            "groq-chat-stream-parallel.sse",
            "",
            &[("lookup_harbor_label", json!(null)), ("lookup_orchard_label", json!(null))],
            [359, 35, 394, 0, 0],
        ),
        reply(
            "groq-chat-stream-tool.sse",
            "",
            &[(
                "join_labels",
                json!({"labels":["north","beta gamma","quote:\"delta\"","slash\\path"],"separator":"|"}),
            )],
            [880, 32, 912, 0, 0],
        ),
        cut("groq-chat-stream-truncated.sse", "length"),
        error("groq-chat-unary-error.json", 404, "model_not_found"),
        reply(
            "groq-chat-unary-parallel.json",
            "",
            &[("lookup_harbor_label", json!(null)), ("lookup_orchard_label", json!(null))],
            [359, 35, 394, 0, 0],
        ),
        reply(
            "groq-chat-unary-tool.json",
            "",
            &[("lookup_orchard_label", json!({}))],
            [304, 5, 309, 0, 0],
        ),
        cut("groq-chat-unary-truncated.json", "length"),
    ]
}

fn mistral() -> Vec<Row> {
    vec![
        reply(
            "mistral-chat-stream-tool.sse",
            "",
            &[("alpha", json!({"value":"red"})), ("beta", json!({"value":"blue"}))],
            [160, 19, 179, 0, 0],
        ),
        cut("mistral-chat-stream-truncated.sse", "length"),
        error("mistral-chat-unary-error.json", 400, "3051"),
        reply(
            "mistral-chat-unary-parallel.json",
            "",
            &[("alpha", json!({"value":"red"})), ("beta", json!({"value":"blue"}))],
            [160, 19, 179, 0, 0],
        ),
        reply(
            "mistral-chat-unary-tool.json",
            "",
            &[(
                "record_payload",
                json!({"label":"café 東京","values":[3,5,8],"meta":{"active":true}}),
            )],
            [159, 35, 194, 0, 0],
        ),
        cut("mistral-chat-unary-truncated.json", "length"),
    ]
}

fn ollama() -> Vec<Row> {
    vec![
        reply(
            "ollama-ollama-unary-parallel.json",
            &thoughts(),
            &[
                ("repeat_text", json!({"text":"banana","times":3})),
                ("repeat_text", json!({"text":"banana","times":3})),
            ],
            [203, 1332, 1535, 0, 0],
        ),
        reply(
            "ollama-ollama-unary-tool.json",
            "",
            &[(
                "final_result",
                json!({"city":"Tokyo","summary":"Tokyo is currently sunny with light clouds, 72°F (22°C), 45% humidity, and 8 mph NW wind."}),
            )],
            [835, 662, 1497, 0, 0],
        ),
    ]
}

/// What the model thought aloud before its calls: four thousand characters that nobody wants to read twice.
fn thoughts() -> String {
    let body =
        std::fs::read(format!("{}/ollama-ollama-unary-parallel.json", super::FOLDER)).unwrap();
    let body: Value = serde_json::from_slice(&body).unwrap();
    let text = body["message"]["content"].as_str().unwrap();
    assert!(
        text.starts_with("Okay, let's see.") && text.ends_with("So the answer is:\n\n"),
        "{text}"
    );
    text.to_owned()
}
