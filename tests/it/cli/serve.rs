//! `serve`: a process that others talk to.

use super::{App, read_until, signal};
use crate::support::{PATIENCE, until};
use std::{
    io::{Read, Write},
    net::TcpStream,
    process::{Child, Output},
    thread,
};

/// The program while it serves.
struct Server {
    process: Child,
    /// Host and port.
    address: String,
}

impl Server {
    fn start(app: &App, args: &[&str]) -> Self {
        Self::start_at(app, "127.0.0.1:0", args)
    }

    fn start_at(app: &App, address: &str, args: &[&str]) -> Self {
        let args = [&["serve", "--address", address], args].concat();
        let mut process = app.command(&args).env("BOT_SECRET", "open-sesame").spawn().unwrap();
        let url = read_until(process.stdout.as_mut().unwrap(), "\n");
        let address = url.strip_prefix("http://").and_then(|url| url.strip_suffix("/\n")).unwrap();
        Self { address: address.to_owned(), process }
    }

    fn end(self) -> Output {
        self.process.wait_with_output().unwrap()
    }
}

/// A response, head and body.
fn send(address: &str, head: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let length = body.len();
    write!(
        stream,
        "{head}\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    response
}

fn turn(address: &str, message: &str) -> String {
    let body = format!(r#"{{ "flowName": "TalkFlow", "message": "{message}" }}"#);
    send(address, "POST /ai/run HTTP/1.1", &body)
}

#[test]
fn the_flows_are_served_until_ctrl_c_in_the_same_store() {
    let app = App::new();
    let server = Server::start(&app, &[]);
    let response = turn(&server.address, "Hi");
    assert!(
        response.starts_with("HTTP/1.1 200") && response.contains("You said: Hi"),
        "{response}"
    );
    signal(&server.process, "INT");
    assert_eq!(server.end().status.code(), Some(0));
    assert!(app.run(&["sessions", "list"], "").ok().stdout.contains("TalkFlow"));
}

#[test]
fn sigterm_lets_a_turn_that_runs_come_to_its_end() {
    let app = App::new();
    let server = Server::start(&app, &[]);
    let address = server.address.clone();
    let client = thread::spawn(move || turn(&address, "hold"));
    app.await_held();
    signal(&server.process, "TERM");
    // Nobody new is let in by now.
    until("nobody is let in", || TcpStream::connect(&server.address).is_err());
    app.open_gate();
    let response = client.join().unwrap();
    assert!(response.starts_with("HTTP/1.1 200") && response.contains("Done."), "{response}");
    let ended = server.end();
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    assert!(app.run(&["sessions", "list"], "").ok().stdout.contains("running"));
}

#[test]
fn a_second_signal_does_not_wait_and_leaves_nothing_of_the_turn() {
    let app = App::new();
    let mut server = Server::start(&app, &[]);
    let mut stream = TcpStream::connect(&server.address).unwrap();
    let body = r#"{ "flowName": "TalkFlow", "message": "hold" }"#;
    let head = "POST /ai/run HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json";
    write!(stream, "{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len()).unwrap();
    app.await_held();
    signal(&server.process, "TERM");
    read_until(server.process.stderr.as_mut().unwrap(), "once more ends them\n");
    signal(&server.process, "INT");
    assert_eq!(server.end().status.code(), Some(1));
    assert_eq!(app.run(&["sessions", "list"], "").ok().stdout.lines().count(), 1);
}

#[test]
fn the_secret_of_the_environment_is_asked_for_and_not_told() {
    let app = App::new();
    let server = Server::start(&app, &["--secret-from", "BOT_SECRET"]);
    assert!(turn(&server.address, "Hi").starts_with("HTTP/1.1 401"));
    let head = "GET /ai/sessions HTTP/1.1\r\nauthorization: Bearer open-sesame";
    assert!(send(&server.address, head, "").starts_with("HTTP/1.1 200"));
    signal(&server.process, "TERM");
    let ended = server.end();
    assert!(!String::from_utf8_lossy(&ended.stderr).contains("sesame"), "{ended:?}");
}

#[test]
fn a_secret_that_is_missing_or_cannot_be_sent_is_an_error() {
    let app = App::new();
    let args = ["serve", "--address", "127.0.0.1:0", "--secret-from", "NO_SUCH_SECRET"];
    app.run(&args, "").fails(1, "there is no such environment variable");
    for secret in ["", "two words", "geheim-ß"] {
        let mut command = app.command(&args);
        let ran = command.env("NO_SUCH_SECRET", secret).output().unwrap();
        let told = String::from_utf8(ran.stderr).unwrap();
        assert_eq!(ran.status.code(), Some(1));
        assert!(told.contains("a secret is one or more visible ASCII characters"), "{told}");
        assert!(secret.is_empty() || !told.contains(secret), "{told}");
    }
}

#[test]
fn others_are_served_only_by_a_secret_or_a_word() {
    let app = App::new();
    for address in ["0.0.0.0:0", "[::]:0"] {
        app.run(&["serve", "--address", address], "").fails(1, "--secret-from VARIABLE");
    }
    for args in [&["--open"][..], &["--secret-from", "BOT_SECRET"]] {
        let server = Server::start_at(&app, "0.0.0.0:0", args);
        assert!(server.address.starts_with("0.0.0.0:"));
        signal(&server.process, "TERM");
        assert_eq!(server.end().status.code(), Some(0));
    }
    let both = ["serve", "--open", "--secret-from", "BOT_SECRET"];
    app.run(&both, "").fails(2, "cannot be used with");
}

#[test]
fn an_address_that_is_none_or_is_taken_is_an_error() {
    let app = App::new();
    app.run(&["serve", "--address", "8080"], "").fails(1, "`8080` is no address");
    let server = Server::start(&app, &[]);
    app.run(&["serve", "--address", &server.address], "").fails(1, "cannot listen on");
    signal(&server.process, "TERM");
    server.end();
}

#[test]
fn inside_is_shown_on_request_alone() {
    let app = App::new();
    for (args, expected) in [(&[][..], "HTTP/1.1 403"), (&["--inside"], "HTTP/1.1 200")] {
        let server = Server::start(&app, args);
        let graph = send(&server.address, "GET /ai/flows/TalkFlow/graph HTTP/1.1", "");
        assert!(graph.starts_with(expected), "{graph}");
        // What is printed is an address for a browser.
        let page = send(&server.address, "GET / HTTP/1.1", "");
        assert!(page.starts_with("HTTP/1.1 200") && page.contains("<!doctype html>"), "{page}");
        signal(&server.process, "TERM");
        server.end();
    }
}

#[test]
fn other_hosts_are_served_once_they_are_named() {
    let app = App::new();
    let foreign = "GET /ai/flows HTTP/1.1\r\nhost: bot.example.com";
    let ask = |address: &str| {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        write!(stream, "{foreign}\r\nconnection: close\r\n\r\n").unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        response
    };
    for (args, expected) in [(&[][..], "403"), (&["--host", "bot.example.com"], "200")] {
        let server = Server::start(&app, args);
        let response = ask(&server.address);
        assert!(response.starts_with(&format!("HTTP/1.1 {expected}")), "{response}");
        signal(&server.process, "TERM");
        server.end();
    }
    let wrong = ["serve", "--address", "127.0.0.1:0", "--host", "http://bot.example.com"];
    app.run(&wrong, "").fails(2, "`http://bot.example.com` is not a host");
}

/// What a server tells whose database breaks while it serves.
fn told_of_a_broken_database(is_heard: bool) -> String {
    let app = App::new();
    let mut command = app.command(&["serve", "--address", "127.0.0.1:0"]);
    if is_heard {
        command.env("SUBSCRIBER", "");
    }
    let mut process = command.spawn().unwrap();
    let url = read_until(process.stdout.as_mut().unwrap(), "\n");
    let address = url.strip_prefix("http://").and_then(|url| url.strip_suffix("/\n")).unwrap();
    assert!(turn(address, "Hi").starts_with("HTTP/1.1 200"));
    let database = rusqlite::Connection::open(app.path("store.sqlite")).unwrap();
    database.execute_batch("DROP TABLE session").unwrap();
    let response = turn(address, "my secret is pL4nt3d");
    assert!(response.starts_with("HTTP/1.1 503"), "{response}");
    signal(&process, "TERM");
    String::from_utf8(process.wait_with_output().unwrap().stderr).unwrap()
}

#[test]
fn a_database_that_breaks_is_told_on_standard_error() {
    let told = told_of_a_broken_database(false);
    let line = told.lines().find(|line| line.starts_with("picoflow: error: ")).unwrap();
    assert!(
        line.contains("has no table `session`") && line.contains("SESSION_STORE_ERROR"),
        "{told}"
    );
    assert!(!told.contains("pL4nt3d"), "{told}");
    let heard = told_of_a_broken_database(true);
    assert!(!heard.contains("picoflow: "), "{heard}");
}
