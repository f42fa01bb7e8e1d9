//! The examples as a person runs them: programs of their own.

use picoflow::prelude::*;
use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::LazyLock,
};

/// The examples by name, with all features, as `cargo test --workspace --all-features` builds them anyway.
static BINARIES: LazyLock<BTreeMap<String, PathBuf>> = LazyLock::new(|| {
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--workspace", "--all-features", "--examples"])
        .args(["--message-format", "json"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let text = String::from_utf8_lossy(&built.stdout);
    let messages = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let executable = |message: Value| {
        let name = message["target"]["name"].as_str()?.to_owned();
        Some((name, PathBuf::from(message["executable"].as_str()?)))
    };
    messages.filter_map(executable).collect()
});

fn built(name: &str) -> &'static Path {
    BINARIES.get(name).unwrap_or_else(|| panic!("no {name} in {:?}", BINARIES.keys()))
}

/// What a program says to these lines.
fn talk(mut command: Command, lines: &str) -> Output {
    let mut process = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that refuses its arguments may be gone before it is written to.
    drop(process.stdin.take().unwrap().write_all(lines.as_bytes()));
    process.wait_with_output().unwrap()
}

fn shop(store: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(built("shop_support"));
    command.arg("--store").arg(store).args(arguments);
    command
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn a_customer_and_a_supervisor_use_the_shop_from_two_terminals() {
    let directory = tempfile::tempdir().unwrap();
    let store = directory.path().join("shop.sqlite");
    let asked = text(&talk(shop(&store, &[]), "ann@example.com 97201\nreturn W101\nand now?\n"));
    assert!(asked.contains("has not decided yet"), "{asked}");
    let session = asked.rsplit_once("session: ").unwrap().1.split(']').next().unwrap();

    let wrong = talk(shop(&store, &["--approve", "W999"]), "");
    assert!(!wrong.status.success());
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("W999"), "{wrong:?}");
    assert_eq!(text(&talk(shop(&store, &["--approve", "W101"]), "")), "W101 is approved\n");

    let after = text(&talk(shop(&store, &["--session", session]), "and now?\nbye\n5\n"));
    assert!(after.contains("899.00 USD are on their way"), "{after}");
    assert!(after.contains("Good bye!"), "{after}");
}

#[test]
fn a_flow_asks_the_tools_of_a_server_in_another_process() {
    let said = text(&talk(Command::new(built("mcp_tools")), ""));
    let expected = "How warm is it in Phoenix?\nThe server says: 41 degrees\n\
                    And in Atlantis?\nThe server says: There is no station in Atlantis.\n";
    assert_eq!(said, expected);
}

/// A process that ends with its test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already.
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

#[tokio::test]
async fn an_app_gives_each_of_its_users_the_own_orders() {
    drop(rustls::crypto::ring::default_provider().install_default());
    let mut process = Command::new(built("embed_in_axum"))
        .arg("127.0.0.1:0")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut url = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut url).unwrap();
    let _running = Running(process);
    let url = url.trim();
    let client = reqwest::Client::new();
    let home = client.get(url).send().await.unwrap().text().await.unwrap();
    assert!(home.starts_with("The shop."), "{home}");

    let ask = async |cookie: &str| {
        let request = json!({ "flowName": "ShopFlow", "message": "orders" });
        let request = client.post(format!("{url}/assistant/ai/run")).json(&request);
        let response = request.header("cookie", cookie).send().await.unwrap();
        (response.status().as_u16(), response.json::<Value>().await.unwrap())
    };
    let (_, ann) = ask("user=ann").await;
    assert_eq!(ann["message"], "Your orders: one lamp, on its way.");
    let (_, bob) = ask("user=bob").await;
    assert_eq!(bob["message"], "Your orders: two chairs, delivered.");
    let (status, nobody) = ask("user=eve").await;
    assert_eq!((status, &nobody["code"]), (401, &json!("UNAUTHORIZED")));
}

/// A streamed reply in the protocol of `OpenAI`'s chat.
#[cfg(feature = "genai")]
fn said(delta: &Value, finish_reason: &str) -> crate::genai::server::Answer {
    let chunk = |delta: &Value, reason: Option<&str>| {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": reason });
        let chunk = json!({
            "id": "c", "object": "chat.completion.chunk", "created": 0, "model": "small", "choices": [choice],
        });
        format!("data: {chunk}\n\n")
    };
    let events = [chunk(delta, None), chunk(&json!({}), Some(finish_reason))].concat();
    crate::genai::server::Answer::events(events + "data: [DONE]\n\n")
}

#[cfg(feature = "genai")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_program_shows_what_the_model_says_and_runs_what_it_calls() {
    let text = |text: &str| said(&json!({ "role": "assistant", "content": text }), "stop");
    let call = |tool: &str, arguments: Value| {
        let function = json!({ "name": tool, "arguments": arguments.to_string() });
        let call = json!({ "index": 0, "id": "call", "type": "function", "function": function });
        said(&json!({ "role": "assistant", "content": null, "tool_calls": [call] }), "tool_calls")
    };
    let server = crate::genai::server::Server::start([
        text("Hello! Who are you?"),
        call("user_name", json!({ "name": "Ann" })),
        text("How old are you, Ann?"),
        call("user_age", json!({ "years": 41 })),
    ])
    .await;
    let mut command = Command::new(built("start"));
    command.arg(format!("{}v1#small", server.url()));
    let output = tokio::task::spawn_blocking(|| talk(command, "Hi\nAnn\n41\n")).await.unwrap();
    let expected = "Hello! Who are you?\nHow old are you, Ann?\n41! Thank you, and good bye.\n";
    assert_eq!(self::text(&output), expected);
}
