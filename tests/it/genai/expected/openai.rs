//! What the replies in the two protocols of OpenAI hold, its own and those of `OpenRouter` and xAI.

use super::{Row, cut, error, keeps, part, refusal, reply};
use serde_json::json;

pub(super) fn openai_chat() -> Vec<Row> {
    vec![
        reply(
            "openai-chat-stream-parallel.sse",
            "",
            &[("alpha", json!({"value":"red"})), ("beta", json!({"value":"blue"}))],
            [90, 42, 132, 0, 0],
        ),
        refusal(
            "openai-chat-stream-refusal.sse",
            "I'm very sorry, but I can't assist with that.",
            [49, 12, 61, 0, 0],
        ),
        reply("openai-chat-stream-text.sse", "cobalt", &[], [12, 4, 16, 0, 0]),
        reply(
            "openai-chat-stream-tool.sse",
            "",
            &[("add", json!({"x":3,"y":4}))],
            [160, 154, 314, 128, 0],
        ),
        cut("openai-chat-stream-truncated.sse", "length"),
        error("openai-chat-unary-error.json", 400, "decimal_above_max_value"),
        reply(
            "openai-chat-unary-parallel.json",
            "",
            &[
                ("lookup_cache_policy", json!({"topic":"prefix"})),
                ("lookup_cache_policy", json!({"topic":"breakpoint"})),
            ],
            [4466, 47, 4513, 0, 4352],
        ),
        refusal(
            "openai-chat-unary-refusal.json",
            "I'm sorry, I cannot assist with that request.",
            [49, 11, 60, 0, 0],
        ),
        reply("openai-chat-unary-text.json", "lantern-42", &[], [44, 4, 48, 0, 0]),
        reply("openai-chat-unary-tool.json", "", &[("ping", json!({}))], [42, 10, 52, 0, 0]),
        cut("openai-chat-unary-truncated.json", "length"),
    ]
}

pub(super) fn openai_responses() -> Vec<Row> {
    vec![
        reply(
            "openai-responses-stream-parallel.sse",
            "The final number is 2.",
            &[],
            [224, 9, 233, 0, 0],
        ),
        keeps(
            reply(
                "openai-responses-stream-reasoning.sse",
                "crimson-harbor",
                &[],
                [232, 78, 310, 67, 0],
            ),
            "encrypted_content_REDACTED_5",
        ),
        refusal(
            "openai-responses-stream-refusal.sse",
            "I'm very sorry, but I can't assist with that.",
            [43, 13, 56, 0, 0],
        ),
        reply("openai-responses-stream-text.sse", "pong", &[], [15, 2, 17, 0, 0]),
        reply(
            "openai-responses-stream-tool.sse",
            "",
            &[("add", json!({"x":3,"y":4}))],
            [172, 18, 190, 0, 0],
        ),
        cut("openai-responses-stream-truncated.sse", "max_output_tokens"),
        error("openai-responses-unary-error.json", 400, "model_not_found"),
        reply(
            "openai-responses-unary-parallel.json",
            "",
            &[("lookup_harbor_label", json!({})), ("lookup_orchard_label", json!({}))],
            [155, 46, 201, 0, 0],
        ),
        part(
            "openai-responses-unary-reasoning.json",
            "**138 km from Station A**.",
            [73, 496, 569, 163, 0],
        ),
        refusal(
            "openai-responses-unary-refusal.json",
            "I'm sorry, I can't assist with that.",
            [43, 11, 54, 0, 0],
        ),
        reply("openai-responses-unary-text.json", "First probe.", &[], [23, 4, 27, 0, 0]),
        keeps(
            reply(
                "openai-responses-unary-tool.json",
                "",
                &[("get_weather", json!({"city":"Tokyo, Japan"}))],
                [148, 30, 178, 8, 0],
            ),
            "encrypted_content_REDACTED_1",
        ),
        cut("openai-responses-unary-truncated.json", "max_output_tokens"),
    ]
}

pub(super) fn openrouter() -> Vec<Row> {
    vec![
        reply(
            "openrouter-chat-stream-parallel.sse",
            "",
            &[("lookup_harbor_label", json!({})), ("lookup_orchard_label", json!({}))],
            [157, 46, 203, 0, 0],
        ),
        refusal(
            "openrouter-chat-stream-refusal.sse",
            "I'm sorry, I can't assist with that request.",
            [49, 11, 60, 0, 0],
        ),
        reply("openrouter-chat-stream-tool.sse", "", &[("ping", json!({}))], [66, 2, 68, 0, 0]),
        cut("openrouter-chat-stream-truncated.sse", "length"),
        error("openrouter-chat-unary-error.json", 400, "400"),
        reply(
            "openrouter-chat-unary-parallel.json",
            "",
            &[("lookup_harbor_label", json!({})), ("lookup_orchard_label", json!({}))],
            [157, 45, 202, 0, 0],
        ),
        refusal(
            "openrouter-chat-unary-refusal.json",
            "I'm sorry, I can't assist with that request.",
            [49, 11, 60, 0, 0],
        ),
        reply(
            "openrouter-chat-unary-tool.json",
            "",
            &[("submit", json!({"names":[]}))],
            [153, 12, 165, 0, 0],
        ),
        cut("openrouter-chat-unary-truncated.json", "max_output_tokens"),
    ]
}

pub(super) fn xai() -> Vec<Row> {
    vec![
        reply(
            "xai-responses-stream-parallel.sse",
            "The status word is azure.",
            &[],
            [575, 190, 765, 184, 256],
        ),
        reply(
            "xai-responses-stream-tool.sse",
            "",
            &[("ping", json!({}))],
            [226, 241, 467, 237, 128],
        ),
        error("xai-responses-unary-error.json", 400, "invalid-argument"),
        reply(
            "xai-responses-unary-parallel.json",
            "Production-readiness complete: EMPTY-OK MANIFEST-OK LABELS-OK ESCAPE-OK.",
            &[],
            [899, 55, 954, 34, 832],
        ),
        reply(
            "xai-responses-unary-tool.json",
            "",
            &[("submit", json!({"name":"Bob Johnson","age":55,"profession":"retired teacher"}))],
            [371, 229, 600, 205, 320],
        ),
    ]
}
