//! The page in a browser: each test serves a flow and runs a scenario of `tests/browser` on it.

use super::{Served, basic_flow, talk};
use crate::support::prepared;
use picoflow::server::{
    Caller, HttpService,
    axum::{
        self, Router,
        routing::{get, post},
    },
};
use std::{net::Ipv4Addr, path::Path, process::Command};
use talk::Talker;
use tokio::{net::TcpListener, sync::Mutex};

/// One browser at a time: it paints by the processor that all other tests use too.
static BROWSER: Mutex<()> = Mutex::const_new(());

async fn run(scenario: &str, url: String) {
    // The scenario reads it from the environment.
    prepared("PICOFLOW_TEST_BROWSER", "scripts/browser");
    let _turn = BROWSER.lock().await;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("browser");
    let mut command = Command::new("node");
    command.arg(folder.join("page.mjs")).arg(scenario).arg(url);
    let ended = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    let texts =
        [ended.stdout, ended.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(ended.status.success(), "{scenario}:\n{}", texts.concat());
}

fn open(engine: &picoflow::Engine) -> HttpService {
    HttpService::new(engine).page(true).inside(true)
}

#[tokio::test]
#[cfg_attr(not(prepared = "browser"), ignore = "needs a browser: run scripts/browser cargo test")]
async fn a_whole_conversation_is_held_and_shown() {
    let served = Served::new(open(&basic_flow().await)).await;
    run("conversation", served.url("/")).await;
}

#[tokio::test]
#[cfg_attr(not(prepared = "browser"), ignore = "needs a browser: run scripts/browser cargo test")]
async fn a_turn_is_shown_while_it_runs_and_can_be_stopped_and_tried_again() {
    let talker = Talker::default();
    let (gate, count) = (talker.clone(), talker.clone());
    let app = Router::new()
        .route("/go-on", post(async move || gate.go_on()))
        .route("/stopped", get(async move || count.stopped().to_string()))
        .nest("/assistant", open(&talk::engine(&talker).await).router());
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let url = format!("http://{}/assistant/page", listener.local_addr().unwrap());
    let serving = tokio::spawn(async { axum::serve(listener, app).await });
    run("turns", url).await;
    serving.abort();
}

#[tokio::test]
#[cfg_attr(not(prepared = "browser"), ignore = "needs a browser: run scripts/browser cargo test")]
async fn a_token_is_asked_for_and_what_is_hidden_is_said_to_be() {
    let engine = talk::engine(&Talker::default()).await;
    let service = HttpService::new(&engine).page(true).inside(false);
    let service = service.authenticate(async |token: String| match &*token {
        "of-ann" => Some(Caller::user("ann")),
        "of-operator" => Some(Caller::operator()),
        _ => None,
    });
    run("access", Served::new(service).await.url("/")).await;
}

#[tokio::test]
#[cfg_attr(not(prepared = "browser"), ignore = "needs a browser: run scripts/browser cargo test")]
async fn the_keyboard_is_enough_and_so_are_the_ears() {
    let served = Served::new(open(&talk::engine(&Talker::default()).await)).await;
    run("keyboard", served.url("/")).await;
}
