//! The end of a service, wanted and not.

use super::{Heard, Served, hear};
use crate::support::{found, within};
use futures_util::future::join_all;
use picoflow::{
    SqliteStore,
    prelude::*,
    session::{SessionQuery, SessionStore},
};
use reqwest::{Client, header::ACCEPT};
use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, ChildStdout, Command, ExitStatus, Stdio},
};
use tokio::task::{JoinHandle, spawn_blocking};

/// How many turns are running when it ends.
const RUNNING: usize = 50;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_lets_running_turns_end_and_takes_no_more() {
    let served = Served::open().await;
    let running = (0..RUNNING).map(|i| {
        let request = served.run(None, "wait");
        // Every other one is streamed.
        let request =
            if i % 2 == 0 { request } else { request.header(ACCEPT, "text/event-stream") };
        tokio::spawn(hear(request))
    });
    let running: Vec<_> = running.collect();
    let idle = served.client.get(served.url("/health")).send().await.unwrap();
    drop(idle);
    served.waits(RUNNING).await;

    served.stop.cancel();
    is_closed(&served.url("/health")).await;
    assert!(!served.serving.is_finished(), "turns are still running");

    served.model.open(RUNNING);
    for heard in join_all(running).await {
        let heard: Heard = heard.unwrap();
        assert_eq!(heard.status, 200);
        assert!(heard.text.contains("waited"), "{}", heard.text);
    }
    within("it ends", served.serving).await.unwrap().unwrap();
    let stored = served.engine.sessions(&SessionQuery::default()).await.unwrap();
    assert_eq!(stored.len(), RUNNING);
}

/// Nothing connects any more.
async fn is_closed(url: &str) {
    found("it takes no more connections", async || Client::new().get(url).send().await.err()).await;
}

/// A service in a process of its own.
struct Process {
    child: Child,
    /// What it says.
    said: BufReader<ChildStdout>,
    url: String,
    client: Client,
}

impl Process {
    fn start(file: &Path) -> Self {
        drop(rustls::crypto::ring::default_provider().install_default());
        let mut child = Command::new(env!("CARGO_BIN_EXE_serving"))
            .arg(file)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (mut said, mut line) = (BufReader::new(child.stdout.take().unwrap()), String::new());
        said.read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("at ").unwrap_or_else(|| panic!("{line}"));
        Self { child, said, url: format!("http://{address}/ai/run"), client: Client::new() }
    }

    /// A turn with a key.
    async fn run(&self, session: Option<&str>, key: &str, message: &str) -> reqwest::Result<Value> {
        run((self.client.clone(), self.url.clone()), session, key, message).await
    }

    /// Starts a turn that waits, of each session and with each key.
    fn start_waiting(
        &self,
        turns: impl Iterator<Item = (Option<String>, String)>,
    ) -> Vec<JoinHandle<reqwest::Result<Value>>> {
        let start = |(session, key): (Option<String>, String)| {
            let process = (self.client.clone(), self.url.clone());
            tokio::spawn(async move { run(process, session.as_deref(), &key, "wait").await })
        };
        turns.map(start).collect()
    }

    /// Returns when so many turns wait.
    async fn waits(mut self, count: usize) -> Self {
        let reading = spawn_blocking(move || {
            let mut line = String::new();
            while line != format!("waiting {count}\n") {
                line.clear();
                assert_ne!(self.said.read_line(&mut line).unwrap(), 0, "it has ended");
            }
            self
        });
        within("the turns wait", reading).await.unwrap()
    }

    fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
    }

    async fn end(mut self) -> ExitStatus {
        let ended = spawn_blocking(move || self.child.wait().unwrap());
        within("the process ends", ended).await.unwrap()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

async fn run(
    (client, url): (Client, String),
    session: Option<&str>,
    key: &str,
    message: &str,
) -> reqwest::Result<Value> {
    let request = json!({ "flowName": "DeskFlow", "message": message });
    let request = client.post(url).json(&request).header("Idempotency-Key", key);
    let request = match session {
        Some(id) => request.header("CHAT_SESSION_ID", id),
        None => request,
    };
    let text = request.send().await?.error_for_status()?.text().await?;
    Ok(serde_json::from_str(&text).unwrap())
}

fn key(turn: &str, i: usize) -> String {
    format!("{turn}-of-session-{i:04}")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kill_during_running_turns_loses_no_finished_one() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("sessions.sqlite");
    let process = Process::start(&file);
    let first = join_all((0..RUNNING).map(async |i| {
        let reply = process.run(None, &key("first", i), &format!("keep n{i}")).await.unwrap();
        reply["session"].as_str().unwrap().to_owned()
    }));
    let sessions = first.await;
    let turns = sessions.iter().enumerate().map(|(i, id)| (Some(id.clone()), key("second", i)));
    let running = process.start_waiting(turns);
    drop(process.waits(RUNNING).await);
    for turn in running {
        assert!(turn.await.unwrap().is_err(), "the process was killed before");
    }

    let process = Process::start(&file);
    let store = SqliteStore::open(&file).await.unwrap();
    for (i, session) in sessions.iter().enumerate() {
        let stored = store.load(session).await.unwrap().unwrap();
        assert_eq!(stored.turns, 1);
        assert_eq!(stored.state("Desk").unwrap()["note"], format!("n{i}"));
        let again = process.run(None, &key("first", i), &format!("keep n{i}")).await.unwrap();
        assert_eq!(again["replayed"], true);
        let next = process.run(Some(session), &key("second", i), "Hi").await.unwrap();
        assert_eq!((&next["replayed"], &next["message"]), (&json!(false), &json!("You said: Hi")));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_is_told_to_end_finishes_its_turns() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("sessions.sqlite");
    let process = Process::start(&file);
    let running = process.start_waiting((0..RUNNING).map(|i| (None, key("only", i))));
    let process = process.waits(RUNNING).await;
    process.signal("TERM");
    is_closed(&process.url).await;
    process.signal("USR1");
    for turn in running {
        assert_eq!(turn.await.unwrap().unwrap()["message"], "waited");
    }
    assert!(process.end().await.success());
    let store = SqliteStore::open(&file).await.unwrap();
    let stored = store.list(&SessionQuery::default()).await.unwrap();
    assert_eq!(stored.len(), RUNNING);
}
