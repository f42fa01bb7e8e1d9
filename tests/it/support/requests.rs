//! Requests byte by byte, and the lines that the log has of them.

use serde_json::{Map, Value};
use std::{
    fmt,
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::{sleep, timeout},
};
use tracing::{
    Dispatch, Event, Metadata, Subscriber,
    dispatcher::DefaultGuard,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};

/// More than anything here takes.
pub(crate) const LONG: Duration = Duration::from_secs(30);

/// What comes back for these bytes until the service closes, however it does.
pub(crate) async fn raw(address: SocketAddr, bytes: impl AsRef<[u8]>) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    // The service may stop reading before all is sent.
    stream.write_all(bytes.as_ref()).await.ok();
    let mut heard = Vec::new();
    timeout(LONG, stream.read_to_end(&mut heard)).await.expect("the service closes").ok();
    String::from_utf8_lossy(&heard).into_owned()
}

/// The status of a response.
#[track_caller]
pub(crate) fn status(heard: &str) -> u16 {
    let status = heard.get(9..12).and_then(|status| status.parse().ok());
    status.unwrap_or_else(|| panic!("{heard}"))
}

/// What is logged in this thread, while this is held.
pub(crate) struct Log {
    events: Arc<Mutex<Vec<Value>>>,
    _guard: DefaultGuard,
}

impl Log {
    pub(crate) fn new() -> Self {
        let events = Arc::default();
        let dispatch = Dispatch::new(Heard(Arc::clone(&events)));
        Self { events, _guard: tracing::dispatcher::set_default(&dispatch) }
    }

    pub(crate) fn requests(&self) -> Vec<Value> {
        let events = self.events.lock().unwrap();
        events.iter().filter(|event| event["message"] == "request").cloned().collect()
    }

    /// All that is logged, as text.
    pub(crate) fn text(&self) -> String {
        let events = self.events.lock().unwrap();
        events.iter().map(Value::to_string).collect::<Vec<_>>().join("\n")
    }

    /// The lines of so many requests, as soon as they are there.
    pub(crate) async fn wait(&self, count: usize) -> Vec<Value> {
        let written = timeout(LONG, async {
            while self.requests().len() < count {
                sleep(Duration::from_millis(2)).await;
            }
        });
        written.await.unwrap_or_else(|_| panic!("{count} lines are due: {}", self.text()));
        self.requests()
    }
}

struct Heard(Arc<Mutex<Vec<Value>>>);

impl Subscriber for Heard {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("picoflow")
    }
    fn new_span(&self, _span: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _span: &Id, _values: &Record<'_>) {}
    fn record_follows_from(&self, _span: &Id, _follows: &Id) {}
    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields(Map::new());
        event.record(&mut fields);
        fields.0.insert("level".to_owned(), event.metadata().level().as_str().into());
        self.0.lock().unwrap().push(fields.0.into());
    }
    fn enter(&self, _span: &Id) {}
    fn exit(&self, _span: &Id) {}
}

struct Fields(Map<String, Value>);

impl Visit for Fields {
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.insert(field.name().to_owned(), value.into());
    }
    fn record_i64(&mut self, field: &Field, value: i64) {
        self.0.insert(field.name().to_owned(), value.into());
    }
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.into());
    }
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}").into());
    }
}
