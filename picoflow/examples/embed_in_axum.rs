//! A shop's own axum app with an assistant in it: the app's login says who calls, and the assistant knows whose orders to
//! show. A script stands in for a model, so it answers `Hi` and `orders`.
//!
//! ```text
//! cargo run --features server,testing --example embed_in_axum
//! curl 127.0.0.1:8080/
//! curl 127.0.0.1:8080/assistant/ai/run --cookie user=ann --json '{ "flowName": "ShopFlow", "message": "orders" }'
//! ```
#![expect(clippy::print_stdout, reason = "it says where it is")]

use picoflow::{
    prelude::*,
    server::{
        Caller, HttpService,
        axum::{
            self, Router, extract::Request, http::header::COOKIE, middleware::map_request,
            routing::get,
        },
    },
    testing::{Rule, ScriptedModel},
};
use std::error::Error;
use tokio::{net::TcpListener, signal::ctrl_c};

struct Help;

#[tools]
impl Step for Help {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "Help the customer with their orders.".into()
    }

    /// The customer's orders
    #[tool(define)]
    fn orders(&self, cx: &mut Cx<'_>) -> ToolResponse {
        // What the login said, not what the model or the request says.
        let orders = match cx.context()["config"]["customer"].as_u64() {
            Some(1) => "one lamp, on its way",
            Some(2) => "two chairs, delivered",
            _ => "none",
        };
        stay_with(orders)
    }
}

struct ShopFlow;

impl Flow for ShopFlow {
    const ID: FlowId = FlowId::new("ShopFlow");

    fn model(&self) -> ModelRef {
        ModelRef::new("script", "shop")
    }

    fn steps(&self) -> Steps {
        Steps::new().add(Help)
    }
}

fn model() -> ScriptedModel {
    ScriptedModel::new()
        .on(Rule::new().latest("Hi"), "Hello! Shall I look up your orders?")
        .on_call(Rule::new().latest("orders"), [("orders", json!({}))])
        .answer(Rule::new(), |request| {
            let orders = request.latest().map(|message| &*message.content).unwrap_or_default();
            Ok(ModelReply::text(format!("Your orders: {orders}.")))
        })
}

/// The app's own login: here a cookie that says who it is, in a real one something that cannot be made up.
async fn login(mut request: Request) -> Request {
    let cookie = request.headers().get(COOKIE).and_then(|cookie| cookie.to_str().ok());
    let customer = match cookie.and_then(|cookie| cookie.strip_prefix("user=")) {
        Some("ann") => Some(("ann", 1)),
        Some("bob") => Some(("bob", 2)),
        _ => None,
    };
    if let Some((user, number)) = customer {
        let caller = Caller::user(user).config(json!({ "customer": number }));
        request.extensions_mut().insert(caller);
    }
    request
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let engine = Engine::builder().flow(ShopFlow).model(model()).build().await?;
    let assistant = HttpService::new(&engine).callers_from_extensions().router();
    let app = Router::new()
        .route("/", get(async || "The shop. Talk to its assistant at /assistant/ai/run."))
        .nest("/assistant", assistant.layer(map_request(login)));
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8080".to_owned());
    let listener = TcpListener::bind(address).await?;
    println!("http://{}", listener.local_addr()?);
    axum::serve(listener, app)
        .with_graceful_shutdown(async {
            // Without a signal to wait for, it serves until it is killed.
            if ctrl_c().await.is_err() {
                std::future::pending::<()>().await;
            }
        })
        .await?;
    Ok(())
}
