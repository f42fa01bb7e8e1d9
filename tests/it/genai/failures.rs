//! What goes wrong at a provider, and what becomes of it.

use super::{
    ask, collect, model_at, model_of,
    server::{Answer, Server},
};
use picoflow::{
    genai::{GenaiModel, Protocol, ProviderError},
    model::{ChatModel, ChatRequest, ModelError, ModelReply},
    prelude::*,
};
use std::time::Duration;

pub(super) const ALL: [(&str, Protocol); 5] = [
    ("openai", Protocol::OpenAiChat),
    ("openai-responses", Protocol::OpenAiResponses),
    ("anthropic", Protocol::Anthropic),
    ("gemini", Protocol::Gemini),
    ("ollama", Protocol::Ollama),
];

pub(super) fn hello(provider: &str) -> ChatRequest {
    ask(provider, "m", &[json!({ "type": "human", "content": "Hi" })])
}

/// The same answer to a call and to a stream.
pub(super) async fn both(
    provider: &str,
    protocol: Protocol,
    answer: Answer,
) -> [Result<ModelReply, ModelError>; 2] {
    let server = Server::start([answer]).await;
    let model = model_at(provider, protocol, &server);
    let whole = model.generate(hello(provider)).await;
    let (_, streamed) = collect(model.stream(hello(provider))).await;
    [whole, streamed]
}

pub(super) async fn streamed(
    provider: &str,
    protocol: Protocol,
    events: &str,
) -> Result<ModelReply, ModelError> {
    let server = Server::start([Answer::events(events)]).await;
    collect(model_at(provider, protocol, &server).stream(hello(provider))).await.1
}

fn source(error: &ModelError) -> &ProviderError {
    std::error::Error::source(error).unwrap().downcast_ref().unwrap()
}

#[tokio::test]
async fn a_status_decides_whether_another_try_may_help() {
    for (provider, protocol) in ALL {
        for (status, is_transient) in [
            (400, false),
            (401, false),
            (402, false),
            (403, false),
            (404, false),
            (408, true),
            (413, false),
            (422, false),
            (429, true),
            (500, true),
            (502, true),
            (503, true),
            (504, true),
            (529, true),
        ] {
            let body = json!({ "error": { "message": "No.", "code": "no" } });
            for reply in both(provider, protocol, Answer::json(&body).status(status)).await {
                let error = reply.unwrap_err();
                assert_eq!(error.is_transient(), is_transient, "{provider} {status}: {error}");
                let wanted = ProviderError::Status {
                    provider: provider.to_owned(),
                    status,
                    code: Some("no".to_owned()),
                    message: "No.".to_owned(),
                };
                assert_eq!(*source(&error), wanted);
            }
        }
    }
}

#[tokio::test]
async fn the_wait_that_a_provider_asks_for_is_kept() {
    for (provider, protocol) in ALL {
        let answer = Answer::new(429, "text/plain", "Slow down").header("Retry-After", "7");
        for reply in both(provider, protocol, answer).await {
            let Err(ModelError::Transient { retry_after, source }) = reply else {
                panic!("{provider}: {reply:?}");
            };
            assert_eq!(retry_after, Some(Duration::from_secs(7)), "{provider}");
            assert!(source.to_string().ends_with("Slow down"), "{source}");
        }
    }
}

#[tokio::test]
async fn a_line_that_is_cut_is_worth_another_try() {
    for (provider, protocol) in ALL {
        for answer in [
            Answer::new(200, "application/json", r#"{"choices":["#).cut(),
            Answer::new(200, "application/json", r#"{"choices":["#),
            Answer::new(200, "application/json", "").cut(),
        ] {
            for reply in both(provider, protocol, answer).await {
                assert!(
                    reply.as_ref().is_err_and(ModelError::is_transient),
                    "{provider}: {reply:?}"
                );
            }
        }
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_worth_another_try_and_an_address_that_is_none_is_not() {
    for (provider, protocol) in ALL {
        for (address, is_transient) in [("http://127.0.0.1:1/", true), ("http://[", false)] {
            let model = model_of(provider, protocol, address);
            let whole = model.generate(hello(provider)).await.unwrap_err();
            let (_, streamed) = collect(model.stream(hello(provider))).await;
            for error in [whole, streamed.unwrap_err()] {
                assert_eq!(error.is_transient(), is_transient, "{provider}: {error}");
            }
        }
    }
}

#[tokio::test]
async fn a_page_in_place_of_a_reply_is_not_a_reply() {
    for (provider, protocol) in ALL {
        let answer = Answer::new(200, "text/html", "<html>Sign in</html>");
        for reply in both(provider, protocol, answer).await {
            assert!(reply.is_err(), "{provider}: {reply:?}");
        }
    }
}

#[tokio::test]
async fn an_error_in_the_middle_of_a_stream_is_the_providers() {
    for (provider, protocol, events, code, is_transient) in [
        (
            "openai",
            Protocol::OpenAiChat,
            "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hel\"}}]}\n\ndata: {\"error\":{\"code\":502,\"message\":\"down\"}}\n\ndata: [DONE]\n\n",
            "502",
            true,
        ),
        (
            "openai",
            Protocol::OpenAiChat,
            "data: {\"error\":{\"type\":\"invalid_request_error\",\"message\":\"down\"}}\n\n",
            "invalid_request_error",
            false,
        ),
        (
            "anthropic",
            Protocol::Anthropic,
            "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"down\"}}\n\n",
            "overloaded_error",
            true,
        ),
        (
            "openai-responses",
            Protocol::OpenAiResponses,
            "event: error\ndata: {\"type\":\"error\",\"code\":\"server_error\",\"message\":\"down\"}\n\n",
            "server_error",
            true,
        ),
        (
            "openai-responses",
            Protocol::OpenAiResponses,
            "event: response.failed\ndata: {\"type\":\"response.failed\",\"response\":{\"id\":\"r\",\"model\":\"m\",\"status\":\"failed\",\"error\":{\"code\":\"invalid_prompt\",\"message\":\"down\"}}}\n\n",
            "invalid_prompt",
            false,
        ),
        (
            "gemini",
            Protocol::Gemini,
            "data: {\"error\":{\"code\":503,\"message\":\"down\",\"status\":\"UNAVAILABLE\"}}\n\n",
            "UNAVAILABLE",
            true,
        ),
        ("ollama", Protocol::Ollama, "{\"error\":\"down\"}\n", "", true),
    ] {
        let error = streamed(provider, protocol, events).await.unwrap_err();
        assert_eq!(error.is_transient(), is_transient, "{events}: {error}");
        let ProviderError::Failed { code: word, message, .. } = source(&error) else {
            panic!("{events}: {error:?}");
        };
        assert_eq!((word.as_deref().unwrap_or_default(), &**message), (code, "down"), "{events}");
    }
}

#[tokio::test]
async fn an_error_in_a_body_that_says_ok_is_an_error() {
    for (provider, protocol, body) in [
        ("openai", Protocol::OpenAiChat, json!({ "error": { "message": "down", "code": 500 } })),
        (
            "openai",
            Protocol::OpenAiChat,
            json!({ "choices": [{ "index": 0, "message": { "content": "Hel" }, "finish_reason": "error" }] }),
        ),
        (
            "openai-responses",
            Protocol::OpenAiResponses,
            json!({ "id": "r", "model": "m", "status": "failed", "output": [], "error": { "code": "server_error", "message": "down" } }),
        ),
        ("ollama", Protocol::Ollama, json!({ "error": "down" })),
        ("gemini", Protocol::Gemini, json!({ "error": { "code": 500, "message": "down" } })),
    ] {
        let server = Server::start([Answer::json(&body)]).await;
        let reply = model_at(provider, protocol, &server).generate(hello(provider)).await;
        assert!(reply.as_ref().is_err_and(ModelError::is_transient), "{body}: {reply:?}");
    }
}

#[tokio::test]
async fn a_missing_key_and_an_unknown_provider_say_what_to_do() {
    let model = GenaiModel::new().unwrap();
    let error = model.generate(hello("requesty")).await.unwrap_err();
    assert!(!error.is_transient());
    assert!(error.to_string().contains("REQUESTY_API_KEY"), "{error}");
    let error = model.generate(hello("opnai")).await.unwrap_err();
    assert!(matches!(source(&error), ProviderError::UnknownProvider { .. }), "{error:?}");
}
