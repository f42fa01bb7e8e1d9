//! Sessions on a real Restate server, served by a process that is killed.

use crate::support::{Told, lasting_port, prepared, tell, until};
use picoflow::{
    Reply,
    prelude::*,
    restate::{BatchProgress, BatchReply, BatchRequest, TurnRequest},
    session::{Session, check_history},
};
use picoflow_tests::{
    faults::{Moment, Place},
    story::{self, TURNS},
};
use reqwest::{Client, StatusCode};
use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader},
    net::{Ipv4Addr, TcpStream},
    process::{Child, Command, Stdio},
};
use tempfile::TempDir;
use tokio::sync::{Mutex, MutexGuard};

/// The server's ingress and admin addresses.
fn server() -> (String, String) {
    ["PICOFLOW_TEST_RESTATE_INGRESS", "PICOFLOW_TEST_RESTATE_ADMIN"]
        .map(|variable| prepared(variable, "scripts/restate"))
        .into()
}

/// Restate calls the service that was registered last.
static TURN: Mutex<()> = Mutex::const_new(());

/// The process that Restate calls, in all its lives.
struct Service {
    _turn: MutexGuard<'static, ()>,
    client: Client,
    ingress: String,
    directory: TempDir,
    port: u16,
    process: Child,
}

impl Service {
    async fn new() -> Self {
        let (ingress, admin) = server();
        let turn = TURN.lock().await;
        // Without one, an HTTP client that may be asked for TLS is none.
        drop(rustls::crypto::ring::default_provider().install_default());
        let directory = TempDir::new().unwrap();
        let port = lasting_port();
        let process = start(&directory, port, None);
        let service =
            Self { _turn: turn, client: Client::new(), ingress, directory, port, process };
        let own = json!({ "uri": format!("http://127.0.0.1:{port}"), "force": true });
        let admin = service.client.post(format!("{admin}/deployments")).json(&own);
        let registered = admin.send().await.unwrap();
        assert_eq!(registered.status(), StatusCode::CREATED);
        service
    }

    /// Kills the process and starts another one.
    fn restart(&mut self, death: Option<(usize, Moment)>) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        self.process = start(&self.directory, self.port, death);
    }

    /// Waits until the process comes to the call at which it is to die, kills it there, and starts another one.
    fn kill_there(&mut self) {
        let output = self.process.stdout.take().unwrap();
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line).unwrap();
        assert_eq!(line, "here\n");
        self.restart(None);
    }

    async fn call<T: serde::de::DeserializeOwned>(
        &self,
        path: &str,
        body: Option<Value>,
    ) -> Result<T, (StatusCode, Value)> {
        let request = self.client.post(format!("{}/{path}", self.ingress));
        let request = match body {
            Some(body) => request.json(&body),
            None => request,
        };
        let response = request.send().await.unwrap();
        let status = response.status();
        let body = response.text().await.unwrap();
        let body: Value =
            if body.is_empty() { Value::Null } else { serde_json::from_str(&body).unwrap() };
        if status.is_success() {
            Ok(serde_json::from_value(body).unwrap())
        } else {
            Err((status, body))
        }
    }

    async fn turn(&self, session: &str, number: usize) -> Reply {
        let handler = if number == 0 { "start" } else { "turn" };
        let request = json!(TurnRequest::new("Story").message(TURNS[number]));
        self.call(&format!("Session/{session}/{handler}"), Some(request)).await.unwrap()
    }

    async fn session(&self, session: &str) -> Option<Session> {
        self.call(&format!("Session/{session}/session"), None).await.unwrap()
    }

    /// The lines of a file of the process, and how often each is there.
    fn lines(&self, file: &str) -> BTreeMap<String, usize> {
        let text = fs::read_to_string(self.directory.path().join(file)).unwrap_or_default();
        let mut lines = BTreeMap::new();
        for line in text.lines() {
            *lines.entry(line.to_owned()).or_default() += 1;
        }
        lines
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

fn start(directory: &TempDir, port: u16, death: Option<(usize, Moment)>) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_restate_service"));
    command.arg(directory.path()).arg(port.to_string()).stdout(Stdio::piped());
    if let Some((call, moment)) = death {
        let moment = if moment == Moment::Before { "before" } else { "after" };
        command.args([&*call.to_string(), moment]);
    }
    let mut process = command.spawn().unwrap();
    until("the service listens", || {
        assert_eq!(process.try_wait().unwrap(), None, "it has ended");
        TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok()
    });
    process
}

/// The document without what tells one session from another.
fn essence(session: &Session) -> Value {
    let mut essence = story::essence(session).unwrap();
    // A turn is sent again under Restate's own key.
    essence.as_object_mut().unwrap().remove("lastTurn");
    essence
}

fn check(session: &Session, told: &Told, number: usize, at: &str) {
    check_history(session).unwrap();
    let mut expected = told.sessions[number].clone();
    expected.as_object_mut().unwrap().remove("lastTurn");
    assert_eq!(essence(session), expected, "{at}");
}

#[tokio::test]
#[cfg_attr(not(prepared = "restate"), ignore = "needs Restate: run scripts/restate cargo test")]
async fn the_story_is_the_same_on_restate_as_embedded() {
    let service = Service::new().await;
    let told = tell().await;
    let id = "told";
    for (number, said) in TURNS.iter().enumerate() {
        let reply = service.turn(id, number).await;
        assert_eq!(reply.text, told.texts[number]);
        check(&service.session(id).await.unwrap(), &told, number, said);
    }
    let () = service.call(&format!("Session/{id}/delete"), None).await.unwrap();
    assert!(service.session(id).await.is_none());
}

#[tokio::test]
#[cfg_attr(not(prepared = "restate"), ignore = "needs Restate: run scripts/restate cargo test")]
async fn a_turn_that_fails_is_an_error_with_its_code_and_is_not_tried_again() {
    let service = Service::new().await;
    let hello = || json!(TurnRequest::new("Story").message("hello"));
    let turn = async |path: &str, body: Value| {
        let (status, body) = service.call::<Value>(path, Some(body)).await.unwrap_err();
        (status.as_u16(), body["message"].as_str().unwrap().to_owned())
    };
    let (status, text) = turn("Session/nobody/turn", hello()).await;
    assert_eq!((status, &text[..16]), (404, "SESSION_UNKNOWN:"));
    assert!(service.session("nobody").await.is_none());
    let (status, text) = turn("Session/x/start", json!(TurnRequest::new("None"))).await;
    assert_eq!((status, &text[..13]), (404, "FLOW_UNKNOWN:"));
    let (status, text) = turn("Session/x/start", json!({ "flow": "Story", "message": " " })).await;
    assert_eq!((status, &text[..14]), (400, "MESSAGE_EMPTY:"));
    assert_eq!(turn("Session/x/start", json!({ "message": "hello" })).await.0, 400);

    // The first turn, sent again, is answered with what it came to; after others it is refused.
    let first = service.turn("x", 0).await;
    let again = service.turn("x", 0).await;
    assert_eq!((again.text, again.replayed), (first.text, true));
    service.turn("x", 1).await;
    let (status, text) = turn("Session/x/start", hello()).await;
    assert_eq!((status, &text[..16]), (409, "TURN_TOKEN_USED:"));
}

/// Kills the process of a turn at one of its calls.
async fn killed(service: &mut Service, told: &Told, number: usize, call: usize, moment: Moment) {
    let at = format!("turn {number}, killed {moment:?} its call {call}");
    let id = format!("killed-{number}-{call}-{moment:?}");
    for earlier in 0..number {
        service.turn(&id, earlier).await;
    }
    service.restart(Some((call, moment)));
    let asked: usize = service.lines("asked").values().sum();
    let url = format!("{}/Session/{id}/turn", service.ingress);
    let request = TurnRequest::new("Story").message(TURNS[number]);
    let request = service.client.post(url).json(&request).send();
    let running = tokio::spawn(request);
    tokio::task::yield_now().await;
    tokio::task::block_in_place(|| service.kill_there());
    let reply: Reply = running.await.unwrap().unwrap().json().await.unwrap();

    assert_eq!(reply.text, told.texts[number], "{at}");
    assert!(!reply.replayed);
    check(&service.session(&id).await.unwrap(), told, number, &at);
    let models = reply.events.iter();
    let models = models.filter(|event| matches!(event, picoflow::TurnEvent::ModelCalled { .. }));
    let again = service.lines("asked").values().sum::<usize>() - asked - models.count();
    let effects = service.lines("effects");
    let doubled = effects.iter().filter(|(line, count)| line.contains(&id) && **count > 1).count();
    // Only what had not ended is done again: the call at which the process died, and one more where two children ran.
    let under_way = if TURNS[number] == "stock" { 2 } else { 1 };
    assert!(again + doubled <= under_way, "{at}: {again} model calls and {doubled} effects twice");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[cfg_attr(not(prepared = "restate"), ignore = "needs Restate: run scripts/restate cargo test")]
async fn a_process_killed_at_any_call_is_followed_by_one_that_repeats_none_that_has_ended() {
    let mut service = Service::new().await;
    let told = tell().await;
    let mut points = 0;
    // A plain tool, a batch of children in a tool, a move and a child in a tool.
    for number in [1, 4, 5] {
        let mut call = 0;
        let calls = calls_of(number).await;
        while call < calls {
            for moment in [Moment::Before, Moment::After] {
                killed(&mut service, &told, number, call, moment).await;
                points += 1;
            }
            call += 1;
        }
    }
    println!("{points} points at which the process was killed");
}

/// How many models and effects a turn of the story calls.
async fn calls_of(number: usize) -> usize {
    let mut telling = crate::support::Telling::new(None).await;
    for earlier in 0..number {
        drop(telling.attempt(earlier).await);
    }
    telling.faults.arm(None);
    drop(telling.attempt(number).await);
    telling.faults.calls().iter().filter(|place| **place != Place::Store).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[cfg_attr(not(prepared = "restate"), ignore = "needs Restate: run scripts/restate cargo test")]
async fn a_batch_gives_each_item_a_session_and_goes_on_after_a_kill() {
    let mut service = Service::new().await;
    let hello = || TurnRequest::new("Story").message("hello");
    let mut batch = BatchRequest::new().concurrency(3);
    for item in 0..12 {
        batch = batch.item(item.to_string(), hello());
    }
    let batch = json!(batch.item("bad", TurnRequest::new("None").message("hello")));

    service.restart(Some((6, Moment::After)));
    let url = format!("{}/Batch/b/run", service.ingress);
    let running = tokio::spawn(service.client.post(url).json(&batch).send());
    tokio::task::yield_now().await;
    tokio::task::block_in_place(|| service.kill_there());
    let reply: BatchReply = running.await.unwrap().unwrap().json().await.unwrap();

    assert_eq!(reply.items.len(), 13);
    for (key, item) in &reply.items {
        match item.reply() {
            Some(reply) => assert_eq!(
                (&*reply.text, &reply.session),
                ("Desk heard: hello", &format!("b:{key}"))
            ),
            None => assert_eq!(key, "bad"),
        }
    }
    assert!(
        json!(reply.items["bad"])["error"]["message"].as_str().unwrap().starts_with("FLOW_UNKNOWN")
    );
    let progress: BatchProgress = service.call("Batch/b/progress", None).await.unwrap();
    assert_eq!((progress.done, progress.failed, progress.total), (13, 1, 13));
    // What was answered when the process died was not asked again: at most three were under way.
    let asked: usize = service.lines("asked").values().sum();
    assert!((12..=15).contains(&asked), "{asked}");

    // Once more: every item is answered from its session.
    let again: BatchReply = service.call("Batch/b/run", Some(batch)).await.unwrap();
    assert!(again.items.values().filter_map(|item| item.reply()).all(|reply| reply.replayed));
    assert_eq!(service.lines("asked").values().sum::<usize>(), asked);

    let twice = json!(BatchRequest::new().item("a", hello()).item("a", hello()));
    let (status, body) = service.call::<Value>("Batch/c/run", Some(twice)).await.unwrap_err();
    assert_eq!(status, 400);
    assert!(body["message"].as_str().unwrap().contains("the key `a` is given to two items"));
}
