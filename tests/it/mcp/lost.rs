//! Connections that are lost, and lists that change.

use super::{Does, Fake, call, connect, lines::said, to};
use crate::{
    secrets::{search, token},
    support::{lasting_port, settled, within},
};
use picoflow::{
    mcp::{McpError, McpServer, McpService},
    no_arguments,
    prelude::*,
};
use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};
use tokio::{net::TcpListener, sync::Barrier, task::JoinHandle};
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn a_connection_that_is_gone_is_opened_again_by_the_next_call() {
    let fake = Fake::new(|at, method, _| match method {
        "tools/list" => Does::list(&["tool"]),
        _ if at == 1 => Does::AnswerAndLeave(said("first")),
        _ => Does::text("second"),
    });
    let (client, tools) = connect(fake.server.clone()).await;
    let seen = client.changes();
    assert_eq!(call(&tools, "tool", json!({})).await.text(), "first");
    fake.hears("left").await;
    settled().await;
    assert_eq!(call(&tools, "tool", json!({})).await.text(), "second");
    assert_eq!(fake.heard("initialize"), 2);
    assert!(client.changed(seen).await > seen);
}

#[tokio::test]
async fn a_call_whose_outcome_is_not_known_is_not_repeated() {
    let fake = Fake::new(|at, method, _| match method {
        "tools/list" => Does::list(&["tool"]),
        _ if at == 1 => Does::Leave,
        _ => Does::text("second"),
    });
    let (_client, tools) = connect(fake.server.clone()).await;
    let output = call(&tools, "tool", json!({})).await;
    assert!(output.is_error);
    assert_eq!(
        output.text(),
        "The server `fake` was lost during the call. It is not known whether the tool ran."
    );
    assert_eq!(fake.heard("tools/call"), 1);
    // The model may decide to call it again.
    assert_eq!(call(&tools, "tool", json!({})).await.text(), "second");
}

#[tokio::test]
async fn a_server_that_stays_away_is_an_error_for_the_model() {
    let opened = Arc::new(AtomicUsize::default());
    let count = Arc::clone(&opened);
    let ping = ToolDefinition::new("ping", "Answer", no_arguments());
    let service = McpService::new().tools([NativeTool::new(ping, |_, _| async { "pong" })]);
    let server = McpServer::streams(move || {
        let (service, at) = (service.clone(), count.fetch_add(1, Ordering::Relaxed));
        async move {
            if at > 0 {
                return Err(io::Error::other("s3cret details"));
            }
            let (ours, theirs) = tokio::io::duplex(4096);
            let (reader, writer) = tokio::io::split(theirs);
            tokio::spawn(service.serve(reader, writer));
            Ok(tokio::io::split(ours))
        }
    });
    let (client, tools) = connect(server.name("away")).await;
    client.close().await;
    let output = call(&tools, "ping", json!({})).await;
    assert!(output.is_error);
    assert_eq!(output.text(), "The server `away` could not be reached. The tool did not run.");
    assert_eq!(opened.load(Ordering::Relaxed), 3, "once more, and no more");
}

#[tokio::test]
async fn a_tool_that_is_gone_is_an_error_for_the_model_and_a_change_that_can_be_seen() {
    let fake = Fake::new({
        let lists = AtomicUsize::default();
        move |_, method, _| match method {
            "tools/list" if lists.fetch_add(1, Ordering::Relaxed) == 0 => Does::list(&["a", "b"]),
            "tools/list" => Does::list(&["a", "c"]),
            _ => Does::Change(said("done")),
        }
    });
    let (client, tools) = connect(fake.server.clone()).await;
    let seen = client.changes();
    assert_eq!(call(&tools, "a", json!({})).await.text(), "done");
    let seen = client.changed(seen).await;
    let output = call(&tools, "b", json!({})).await;
    assert!(output.is_error);
    assert_eq!(output.text(), "The server `fake` does not have the tool `b` any more.");
    assert_eq!(fake.heard("tools/call"), 1, "a tool that is gone is not called");
    // A new list has what is new.
    assert_eq!(super::names(&client.tools().await.unwrap()), ["a", "c"]);
    assert_eq!(client.changes(), seen);
}

async fn serve(address: SocketAddr, stop: &CancellationToken) -> JoinHandle<Result<(), McpError>> {
    let ping = ToolDefinition::new("ping", "Answer", no_arguments());
    let service = McpService::new().tools([NativeTool::new(ping, |_, _| async { "pong" })]);
    let listener = TcpListener::bind(address).await.unwrap();
    tokio::spawn(service.serve_http(listener, stop.clone()))
}

#[tokio::test]
async fn a_service_that_is_started_anew_is_found_again_over_http() {
    let stop = CancellationToken::new();
    let address = (Ipv4Addr::LOCALHOST, lasting_port()).into();
    let serving = serve(address, &stop).await;
    let server = McpServer::http(format!("http://{address}/mcp")).bearer(token());
    let (_client, tools) = connect(server).await;
    assert_eq!(call(&tools, "ping", json!({})).await.text(), "pong");

    stop.cancel();
    within("it ends", serving).await.unwrap().unwrap();
    settled().await;
    let output = call(&tools, "ping", json!({})).await;
    assert!(output.is_error);
    assert!(output.text().ends_with("could not be reached. The tool did not run."), "{output:?}");
    search("an answer", &format!("{output:?}"));

    let stop = CancellationToken::new();
    serve(address, &stop).await;
    assert_eq!(call(&tools, "ping", json!({})).await.text(), "pong");
    stop.cancel();
}

#[tokio::test]
async fn calls_run_side_by_side_on_one_connection() {
    let all = Arc::new(Barrier::new(20));
    let meet = ToolDefinition::new("meet", "Wait for all others", no_arguments());
    let meet = NativeTool::new(meet, move |_, _| {
        let all = Arc::clone(&all);
        async move {
            all.wait().await;
            "done"
        }
    });
    let (_client, tools) = connect(to(McpService::new().tools([meet]))).await;
    let calls = (0..20).map(|_| call(&tools, "meet", json!({})));
    let outputs = within("all meet", futures_util::future::join_all(calls)).await;
    assert!(outputs.iter().all(|output| output.text() == "done"));
}
