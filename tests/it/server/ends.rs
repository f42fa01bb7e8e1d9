//! The end of a service, wanted and not.

use super::{Heard, Served, hear};
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
    process::{Child, Command, ExitStatus, Stdio},
    time::Duration,
};
use tokio::time::{sleep, timeout};

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
    sleep(Duration::from_millis(500)).await;

    served.stop.cancel();
    timeout(Duration::from_secs(5), async {
        while Client::new().get(served.url("/health")).send().await.is_ok() {
            sleep(Duration::from_millis(10)).await;
        }
    })
    .await
    .expect("it takes no more connections");
    assert!(!served.serving.is_finished(), "turns are still running");

    served.model.open(RUNNING);
    for heard in join_all(running).await {
        let heard: Heard = heard.unwrap();
        assert_eq!(heard.status, 200);
        assert!(heard.text.contains("waited"), "{}", heard.text);
    }
    timeout(Duration::from_secs(5), served.serving).await.unwrap().unwrap().unwrap();
    let stored = served.engine.sessions(&SessionQuery::default()).await.unwrap();
    assert_eq!(stored.len(), RUNNING);
}

/// A service in a process of its own.
struct Process {
    child: Child,
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
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("at ").unwrap_or_else(|| panic!("{line}"));
        Self { child, url: format!("http://{address}/ai/run"), client: Client::new() }
    }

    /// A turn with a key.
    async fn run(&self, session: Option<&str>, key: &str, message: &str) -> reqwest::Result<Value> {
        let request = json!({ "flowName": "DeskFlow", "message": message });
        let request = self.client.post(&self.url).json(&request).header("Idempotency-Key", key);
        let request = match session {
            Some(id) => request.header("CHAT_SESSION_ID", id),
            None => request,
        };
        let text = request.send().await?.error_for_status()?.text().await?;
        Ok(serde_json::from_str(&text).unwrap())
    }

    fn terminate(mut self) -> ExitStatus {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").arg(id).status().unwrap().success());
        self.child.wait().unwrap()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        self.child.kill().ok();
        self.child.wait().ok();
    }
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
    let running = sessions.iter().enumerate().map(|(i, session)| {
        let (url, client) = (process.url.clone(), process.client.clone());
        let session = session.clone();
        tokio::spawn(async move {
            let request = json!({ "flowName": "DeskFlow", "message": "slow 5000" });
            let request =
                client.post(url).json(&request).header("Idempotency-Key", key("second", i));
            request.header("CHAT_SESSION_ID", session).send().await
        })
    });
    let running: Vec<_> = running.collect();
    sleep(Duration::from_millis(500)).await;
    drop(process);
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
    let running = (0..RUNNING).map(|i| {
        let (url, client) = (process.url.clone(), process.client.clone());
        tokio::spawn(async move {
            let request = json!({ "flowName": "DeskFlow", "message": "slow 1500" });
            let request = client.post(url).json(&request).header("Idempotency-Key", key("only", i));
            request.send().await.unwrap().error_for_status().unwrap().text().await.unwrap()
        })
    });
    let running: Vec<_> = running.collect();
    sleep(Duration::from_millis(500)).await;
    let ended = tokio::task::spawn_blocking(|| process.terminate());
    for turn in running {
        assert!(turn.await.unwrap().contains("slow 1500"));
    }
    assert!(ended.await.unwrap().success());
    let store = SqliteStore::open(&file).await.unwrap();
    let stored = store.list(&SessionQuery::default()).await.unwrap();
    assert_eq!(stored.len(), RUNNING);
}
