//! A server that echoes the key: it is in nothing that is told, stored, recorded or logged.

mod bodies;

use super::{
    collect,
    failures::{ALL, hello},
    model_at,
    server::{Answer, Server},
};
use crate::secrets::{Searched, is_in, key, logged, search_error, search_shown};
use bodies::{body, broken, events};
use futures_util::StreamExt;
use genai::{
    Client, ModelIden, ServiceTarget,
    adapter::AdapterKind,
    chat::{ChatMessage, ChatRequest},
    resolver::{AuthData, Endpoint as Address},
};
use picoflow::{
    SqliteStore, TurnEvent, genai::Protocol, model::ChatModel, prelude::*, testing::Recorder,
};
use std::{fs, path::Path, time::Duration};

const REPLY: &str = "Your key is ….";

struct Chat {
    provider: &'static str,
}

struct Talk;

impl Step for Talk {
    const ID: StepId = StepId::new("Talk");

    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "Talk.".into()
    }
}

impl Flow for Chat {
    const ID: FlowId = FlowId::new("Chat");

    fn model(&self) -> ModelRef {
        ModelRef::new(self.provider, "m")
    }

    fn steps(&self) -> Steps {
        Steps::new().add(Talk)
    }

    fn limits(&self) -> Limits {
        Limits::default().attempts(2).retry_delay(Duration::ZERO)
    }
}

/// A turn as a whole and one as a stream, both recorded and stored. Returns what was shown.
async fn turns(
    provider: &'static str,
    protocol: Protocol,
    answer: Answer,
    folder: &Path,
) -> Vec<String> {
    let server = Server::start([answer]).await;
    let files = fs::read_dir(folder).unwrap().count();
    let model = model_at(provider, protocol, &server);
    let model = Recorder::create(folder.join(format!("{files}.jsonl")), model).unwrap();
    let store = Searched(SqliteStore::open(folder.join("sessions.db")).await.unwrap());
    let engine = Engine::builder().flow(Chat { provider }).model(model).store(store);
    let engine = engine.build().await.unwrap();
    let turn = || Turn::new("Chat").message("Hi");

    let mut shown = Vec::new();
    let ran = engine.run(turn()).await;
    search_shown("a turn", &ran);
    match ran {
        Ok(reply) => shown.push(reply.text),
        Err(error) => search_error(&error),
    }
    let mut events = engine.stream(turn());
    while let Some(event) = events.next().await {
        search_shown("an event", &event);
        match event {
            Ok(TurnEvent::Replied { reply }) => shown.push(reply.text),
            Ok(_) => {}
            Err(error) => search_error(&error),
        }
    }
    shown
}

/// What the files of a folder hold.
fn files(folder: &Path) -> String {
    let files = fs::read_dir(folder).unwrap().map(|file| fs::read(file.unwrap().path()).unwrap());
    files.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect()
}

#[tokio::test]
async fn a_key_in_a_reply_is_neither_told_nor_stored_nor_recorded() {
    let folder = tempfile::tempdir().unwrap();
    for (provider, protocol) in ALL {
        let shown = turns(provider, protocol, Answer::json(&body(protocol)), folder.path()).await;
        // The body of a reply is no stream: who asked for one is told an error.
        assert!(
            !shown.is_empty() && shown.iter().all(|text| text == REPLY),
            "{provider}: {shown:?}"
        );
        for size in [1, 7, 1_000] {
            let server = Server::start([Answer::events(events(protocol, size))]).await;
            let model = model_at(provider, protocol, &server);
            let (text, reply) = collect(model.stream(hello(provider))).await;
            assert_eq!((&*text, &*reply.unwrap().text), (REPLY, REPLY), "{provider} {size}");
            let answer = Answer::events(events(protocol, size));
            let shown = turns(provider, protocol, answer, folder.path()).await;
            assert!(shown.iter().any(|text| text == REPLY), "{provider}: {shown:?}");
        }
    }
    let files = files(folder.path());
    assert!(files.contains(REPLY) && !is_in(&files));
}

#[tokio::test]
async fn a_key_in_an_error_or_a_broken_reply_is_neither_told_nor_stored_nor_recorded() {
    let folder = tempfile::tempdir().unwrap();
    for (provider, protocol) in ALL {
        for answer in broken(protocol) {
            let shown = turns(provider, protocol, answer.clone(), folder.path()).await;
            assert_eq!(shown, [""; 0], "{provider}: {answer:?}");
        }
    }
    let files = files(folder.path());
    assert!(files.contains("Wrong key: ….") && !is_in(&files));
}

#[tokio::test]
async fn what_genai_logs_of_a_body_is_not_heard_from_picoflow() {
    let refused = Answer::json(&json!({ "error": { "message": key(Protocol::Anthropic) } }));
    let streamed = Answer::events(events(Protocol::Anthropic, 7));

    // By itself it logs an event that it does not know as it is, which is found.
    let server = Server::start([streamed.clone()]).await;
    let target = ServiceTarget {
        endpoint: Address::from_owned(server.url()),
        auth: AuthData::from_single(key(Protocol::Anthropic)),
        model: ModelIden::new(AdapterKind::Anthropic, "m"),
    };
    let request = ChatRequest::new(vec![ChatMessage::user("Hi")]);
    // For the client, which has no TLS of its own. An error says that there is one already.
    drop(rustls::crypto::ring::default_provider().install_default());
    let client = Client::builder().with_reqwest(reqwest::Client::new()).build().unwrap();
    let records = logged(async {
        let mut stream = client.exec_chat_stream(target, request, None).await.unwrap().stream;
        while let Some(event) = stream.next().await {
            event.unwrap();
        }
    });
    let records = records.await;
    assert!(records.iter().any(|record| record.starts_with("genai::") && is_in(record)));

    let server = Server::start([refused.status(500), streamed]).await;
    let model = model_at("anthropic", Protocol::Anthropic, &server);
    let engine = Engine::builder().flow(Chat { provider: "anthropic" }).model(model);
    let engine = engine.build().await.unwrap();
    let records = logged(async {
        let mut turn = engine.stream(Turn::new("Chat").message("Hi"));
        while let Some(event) = turn.next().await {
            event.unwrap();
        }
    });
    let records = records.await;
    assert!(!records.iter().any(|record| record.starts_with("genai::") || is_in(record)));
    // picoflow's own is heard: the attempt, and the provider's status.
    let attempt = "attempt 1 of 2: the model could not be reached: anthropic answered 500: …";
    assert!(records.iter().any(|record| record.contains(attempt)), "{records:?}");
}
