//! Two hundred streams at once: the time to the first text, by genai alone and by an engine over it.
//!
//! A server on a thread of its own answers with a reply that a provider streamed, event by event, once with the pauses of a
//! model and once without any, which leaves nothing but what the clients cost. The two clients take turns. Fails when, with
//! pauses, the 99th percentile of the engine is more than 1.5 times that of genai. Takes the number of rounds.
#![expect(clippy::print_stdout, reason = "it is what the bench is for")]
#![expect(
    clippy::unwrap_used,
    reason = "a bench that cannot set its case up has nothing to measure"
)]

use futures_util::StreamExt;
use genai::{
    Client, ModelIden, ServiceTarget,
    adapter::AdapterKind,
    chat::{ChatMessage, ChatOptions, ChatRequest, ChatStreamEvent},
    resolver::{AuthData, Endpoint as Address},
};
use picoflow::{
    TurnEvent,
    genai::{Endpoint, GenaiModel, Protocol},
    prelude::*,
};
use std::{
    env,
    future::Future,
    io,
    net::SocketAddr,
    sync::{Arc, mpsc},
    thread,
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    runtime::{Builder, Runtime},
    sync::Barrier,
    task::JoinSet,
    time::sleep,
};

/// What the server says: the stream of a real provider.
const REPLY: &str = include_str!("../recordings/anthropic-messages-stream-text.sse");

/// How many streams are open at once.
const STREAMS: usize = 200;

/// How much later than genai's the engine's first text may come, at the 99th percentile.
const MOST: f64 = 1.5;

const PROMPT: &str = "Say something.";

fn main() {
    let rounds = env::args().find_map(|argument| argument.parse().ok()).unwrap_or(20);
    println!("{STREAMS} streams at once, {rounds} rounds of each; time to the first text in ms");
    println!("{:<16}{:<10}{:>8}{:>8}{:>8}", "the server", "client", "median", "p99", "most");
    let paced = Pauses { first: Duration::from_millis(50), next: Duration::from_millis(20) };
    let at_once = Pauses { first: Duration::ZERO, next: Duration::ZERO };
    let ratio = measure("pauses", paced, rounds);
    measure("does not pause", at_once, rounds);
    assert!(ratio <= MOST, "{ratio:.2} times as long as genai alone");
}

/// Prints two lines and returns how the 99th percentiles relate.
fn measure(name: &str, pauses: Pauses, rounds: usize) -> f64 {
    let address = serve(pauses);
    let runtime = Builder::new_multi_thread().enable_all().build().unwrap();
    let (bare, engine) = (Arc::new(Bare::new(address)), runtime.block_on(engine(address)));
    let (mut alone, mut whole) = (Vec::new(), Vec::new());
    // What is measured first is a round of each that opens the connections, and does not count.
    for round in 0..=rounds {
        let by_genai = || {
            let bare = Arc::clone(&bare);
            round_of(&runtime, move || {
                let bare = Arc::clone(&bare);
                async move { bare.first_text().await }
            })
        };
        let by_engine = || {
            let engine = engine.clone();
            round_of(&runtime, move || first_text(engine.clone()))
        };
        let (one, other) = if round % 2 == 0 {
            let one = by_genai();
            (one, by_engine())
        } else {
            let other = by_engine();
            (by_genai(), other)
        };
        if round > 0 {
            alone.extend(one);
            whole.extend(other);
        }
    }
    let (alone, whole) = (Times::of(alone), Times::of(whole));
    alone.print(name, "genai");
    whole.print("", "engine");
    let ratio = whole.milliseconds(99) / alone.milliseconds(99);
    println!("{:<16}{:<10}{:>16.2}", "", "ratio", ratio);
    ratio
}

/// Opens all streams at the same moment; the times to their first texts.
fn round_of<F>(runtime: &Runtime, stream: impl Fn() -> F) -> Vec<Duration>
where
    F: Future<Output = Duration> + Send + 'static,
{
    runtime.block_on(async {
        let start = Arc::new(Barrier::new(STREAMS));
        let mut streams = JoinSet::new();
        for _ in 0..STREAMS {
            let (start, stream) = (Arc::clone(&start), stream());
            streams.spawn(async move {
                start.wait().await;
                stream.await
            });
        }
        streams.join_all().await
    })
}

/// genai, without picoflow.
struct Bare {
    client: Client,
    target: ServiceTarget,
    request: ChatRequest,
    options: ChatOptions,
}

impl Bare {
    fn new(address: SocketAddr) -> Self {
        // For the client, which has no TLS of its own. An error says that there is one already.
        drop(rustls::crypto::ring::default_provider().install_default());
        Self {
            client: Client::builder().with_reqwest(reqwest::Client::new()).build().unwrap(),
            target: ServiceTarget {
                endpoint: Address::from_owned(format!("http://{address}/v1/")),
                auth: AuthData::from_single("none"),
                model: ModelIden::new(AdapterKind::Anthropic, "m"),
            },
            request: ChatRequest::from_system(PROMPT).append_message(ChatMessage::user("Hi")),
            options: ChatOptions::default(),
        }
    }

    async fn first_text(&self) -> Duration {
        let (began, mut first) = (Instant::now(), None);
        let (target, request) = (self.target.clone(), self.request.clone());
        let opened = self.client.exec_chat_stream(target, request, Some(&self.options)).await;
        let mut events = opened.unwrap().stream;
        while let Some(event) = events.next().await {
            if let ChatStreamEvent::Chunk(_) = event.unwrap() {
                first.get_or_insert_with(|| began.elapsed());
            }
        }
        first.unwrap()
    }
}

struct Talk;

#[tools]
impl Step for Talk {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        PROMPT.into()
    }
}

struct TalkFlow;

#[tools]
impl Flow for TalkFlow {
    fn model(&self) -> ModelRef {
        ModelRef::new("local", "m")
    }

    fn steps(&self) -> Steps {
        Steps::new().add(Talk)
    }
}

async fn engine(address: SocketAddr) -> Engine {
    let endpoint = Endpoint::new(Protocol::Anthropic, format!("http://{address}/v1/")).key("none");
    let model = GenaiModel::builder().endpoint("local", endpoint).build().unwrap();
    Engine::builder().flow(TalkFlow).model(model).build().await.unwrap()
}

async fn first_text(engine: Engine) -> Duration {
    let (began, mut first) = (Instant::now(), None);
    let mut events = engine.stream(Turn::new("TalkFlow").message("Hi"));
    while let Some(event) = events.next().await {
        if let TurnEvent::Text { .. } = event.unwrap() {
            first.get_or_insert_with(|| began.elapsed());
        }
    }
    first.unwrap()
}

/// How long the server thinks, and how long it takes for each further event.
#[derive(Clone, Copy)]
struct Pauses {
    first: Duration,
    next: Duration,
}

/// A server on a thread of its own; it ends with the process.
fn serve(pauses: Pauses) -> SocketAddr {
    let (tell, told) = mpsc::channel();
    thread::spawn(move || {
        Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            tell.send(listener.local_addr().unwrap()).unwrap();
            while let Ok((line, _)) = listener.accept().await {
                tokio::spawn(answer(line, pauses));
            }
        });
    });
    told.recv().unwrap()
}

/// Answers the requests of one connection, one after the other.
async fn answer(mut line: TcpStream, pauses: Pauses) -> io::Result<()> {
    line.set_nodelay(true)?;
    let head =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    let mut asked = Vec::new();
    while read(&mut line, &mut asked).await? {
        line.write_all(head.as_bytes()).await?;
        let mut pause = pauses.first;
        for event in REPLY.split_inclusive("\n\n") {
            if !pause.is_zero() {
                sleep(pause).await;
            }
            pause = pauses.next;
            line.write_all(format!("{:x}\r\n{event}\r\n", event.len()).as_bytes()).await?;
        }
        line.write_all(b"0\r\n\r\n").await?;
    }
    Ok(())
}

/// Reads one request, whose length its head tells. False at the end of the connection.
async fn read(line: &mut TcpStream, asked: &mut Vec<u8>) -> io::Result<bool> {
    asked.clear();
    let mut whole = usize::MAX;
    while asked.len() < whole {
        if line.read_buf(asked).await? == 0 {
            return Ok(false);
        }
        if let Some(end) = asked.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(asked).to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            whole = end + 4 + length.and_then(|length| length.parse().ok()).unwrap_or(0);
        }
    }
    Ok(true)
}

/// Times, in order.
struct Times(Vec<Duration>);

impl Times {
    fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Self(times)
    }

    fn milliseconds(&self, percent: usize) -> f64 {
        let at = (self.0.len() * percent / 100).min(self.0.len() - 1);
        self.0.get(at).unwrap().as_secs_f64() * 1e3
    }

    fn print(&self, server: &str, client: &str) {
        let [median, late, last] = [50, 99, 100].map(|percent| self.milliseconds(percent));
        println!("{server:<16}{client:<10}{median:>8.1}{late:>8.1}{last:>8.1}");
    }
}
