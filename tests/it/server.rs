//! Flows over HTTP: what each route says to good and bad requests, who may see what, and what holds under load.

mod access;
mod ends;
mod headers;
mod inside;
mod keys;
mod load;
mod log;
mod names;
mod openapi;
mod run;
mod stream;
mod words;

use crate::support::{found, within};
use picoflow::{
    prelude::*,
    server::HttpService,
    session::{MemoryStore, SessionStore},
};
use picoflow_tests::desk::{DeskFlow, DeskModel, OtherFlow};
use reqwest::{Client, RequestBuilder, Response, StatusCode, header::HeaderMap};
use std::{net::SocketAddr, sync::Arc};
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_util::sync::CancellationToken;

/// A service on a port of its own.
struct Served {
    address: SocketAddr,
    engine: Engine,
    model: DeskModel,
    client: Client,
    stop: CancellationToken,
    serving: JoinHandle<std::io::Result<()>>,
}

impl Served {
    async fn new(settings: impl FnOnce(HttpService) -> HttpService) -> Self {
        Self::on(MemoryStore::new(), settings).await
    }

    async fn on(
        store: impl SessionStore,
        settings: impl FnOnce(HttpService) -> HttpService,
    ) -> Self {
        // Only other tests of this process may have done so before.
        drop(rustls::crypto::ring::default_provider().install_default());
        let model = DeskModel::default();
        let builder = Engine::builder().flow(DeskFlow).flow(OtherFlow);
        let engine = builder.model(model.clone()).store(store).build().await.unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let stop = CancellationToken::new();
        let service = settings(HttpService::new(&engine));
        let serving = tokio::spawn(service.serve(listener, stop.clone()));
        Self { address, engine, model, client: Client::new(), stop, serving }
    }

    async fn open() -> Self {
        Self::new(|service| service).await
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    fn get(&self, path: &str) -> RequestBuilder {
        self.client.get(self.url(path))
    }

    fn post(&self, path: &str) -> RequestBuilder {
        self.client.post(self.url(path))
    }

    /// A turn of the desk, of a new session if none is named.
    fn run(&self, session: Option<&str>, message: &str) -> RequestBuilder {
        let request = self.post("/ai/run");
        let request = request.json(&json!({ "flowName": "DeskFlow", "message": message }));
        match session {
            Some(id) => request.header("CHAT_SESSION_ID", id),
            None => request,
        }
    }

    /// A turn that is expected to have a reply.
    async fn say(&self, session: Option<&str>, message: &str) -> Value {
        let heard = hear(self.run(session, message)).await;
        assert_eq!(heard.status, StatusCode::OK, "{}", heard.text);
        heard.json()
    }

    /// Returns when so many turns wait in the model.
    async fn waits(&self, count: usize) {
        let mut waiting = self.model.waiting();
        let reached = waiting.wait_for(|waiting| *waiting == count);
        within("the turns wait", reached).await.unwrap();
    }

    /// Sends this again until it is not answered by the status.
    async fn hear_other_than(
        &self,
        status: StatusCode,
        request: impl Fn() -> RequestBuilder,
    ) -> Heard {
        found("another answer", async || {
            Some(hear(request()).await).filter(|heard| heard.status != status)
        })
        .await
    }

    async fn stop(self) {
        self.stop.cancel();
        within("it stops", self.serving).await.unwrap().unwrap();
    }
}

/// A whole response.
struct Heard {
    status: StatusCode,
    headers: HeaderMap,
    text: String,
}

impl Heard {
    async fn of(response: Response) -> Self {
        let (status, headers) = (response.status(), response.headers().clone());
        Self { status, headers, text: response.text().await.unwrap() }
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// It is a problem of this status and code, and its body is of the kind that problems have.
    #[track_caller]
    fn check_problem(&self, status: u16, code: &str) -> Value {
        assert_eq!(self.status, status, "{}", self.text);
        assert_eq!(self.header("content-type"), Some("application/problem+json"));
        let problem = self.json();
        assert_eq!(problem["code"], code, "{problem}");
        assert_eq!(problem["status"], status);
        assert_eq!(problem["type"], "about:blank");
        assert_eq!((&problem["success"], &problem["completed"]), (&json!(false), &json!(false)));
        assert_eq!(problem["message"], problem["detail"]);
        problem
    }
}

async fn hear(request: RequestBuilder) -> Heard {
    Heard::of(request.send().await.unwrap()).await
}

/// A session that the store has.
async fn stored(engine: &Engine, id: &str) -> Arc<picoflow::session::Session> {
    Arc::new(engine.session(id).await.unwrap().unwrap())
}
