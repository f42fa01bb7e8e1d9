//! Who may call, and whose sessions are whose.

use super::{Served, hear};
use picoflow::{
    prelude::*,
    server::{Caller, axum},
    session::SessionQuery,
};
use reqwest::RequestBuilder;

fn known(token: &str) -> Option<Caller> {
    match token {
        "ann" => Some(Caller::user("ann")),
        "bob" => Some(Caller::user("bob")),
        "carl" => Some(Caller::user("carl").config(json!({ "customer": 4711 }))),
        "op" => Some(Caller::operator()),
        "broken" => panic!("the login is out of order"),
        _ => None,
    }
}

async fn served() -> Served {
    Served::new(|service| service.inside(true).authenticate(|token| async move { known(&token) }))
        .await
}

/// The same for a caller.
fn by(caller: &str, request: RequestBuilder) -> RequestBuilder {
    request.bearer_auth(caller)
}

async fn start(served: &Served, caller: &str) -> String {
    let reply = hear(by(caller, served.run(None, "Hi"))).await.json();
    reply["session"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn whoever_is_not_known_gets_nothing_but_health_and_the_description() {
    let served = served().await;
    let guarded = || {
        [
            served.run(None, "Hi"),
            served.post("/ai/end"),
            served.get("/ai/flows"),
            served.get("/ai/flows/DeskFlow/graph"),
            served.get("/ai/sessions"),
            served.get("/ai/sessions/s-1"),
        ]
    };
    let wrong: [fn(RequestBuilder) -> RequestBuilder; 6] = [
        |request| request,
        |request| request.bearer_auth("nobody"),
        |request| request.bearer_auth(""),
        |request| request.basic_auth("ann", Some("ann")),
        |request| request.header("authorization", "ann"),
        |request| request.header("authorization", b"Bearer \xff".as_slice()),
    ];
    for change in wrong {
        for request in guarded() {
            let heard = hear(change(request)).await;
            heard.check_problem(401, "UNAUTHORIZED");
            assert_eq!(heard.header("www-authenticate"), Some("Bearer"));
        }
    }
    for open in ["/health", "/ready", "/openapi.json"] {
        assert!(hear(served.get(open)).await.status.is_success(), "{open}");
    }
    // Nobody's turn has run.
    assert!(served.engine.sessions(&SessionQuery::default()).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_check_that_panics_fails_the_request_alone() {
    let served = served().await;
    hear(by("broken", served.get("/ai/flows"))).await.check_problem(500, "PANICKED");
    assert_eq!(hear(by("ann", served.get("/ai/flows"))).await.status, 200);
}

#[tokio::test]
async fn a_session_of_one_caller_is_to_another_as_if_it_were_not_there() {
    let served = served().await;
    let id = start(&served, "ann").await;
    let path = format!("/ai/sessions/{id}");

    let run = hear(by("bob", served.run(Some(&id), "Hi"))).await;
    let unknown = hear(by("bob", served.run(Some("nope"), "Hi"))).await;
    run.check_problem(404, "SESSION_UNKNOWN");
    assert_eq!(run.text.replace(&id, "nope"), unknown.text);
    hear(by("bob", served.get(&path))).await.check_problem(404, "NOT_FOUND");
    let list = hear(by("bob", served.get("/ai/sessions"))).await.json();
    assert_eq!(list, json!({ "sessions": [], "next": null }));
    let end = hear(by("bob", served.post("/ai/end")).header("CHAT_SESSION_ID", &id)).await;
    assert_eq!(end.status, 200);
    assert_eq!(super::stored(&served.engine, &id).await.turns, 1, "it is still there");

    for caller in ["ann", "op"] {
        assert_eq!(hear(by(caller, served.get(&path))).await.json()["id"], id);
        assert_eq!(hear(by(caller, served.run(Some(&id), "Hi"))).await.status, 200);
    }
}

#[tokio::test]
async fn a_key_of_one_caller_is_not_that_of_another() {
    let served = served().await;
    let with_key =
        |caller| by(caller, served.run(None, caller)).header("Idempotency-Key", "0123456789abcdef");
    let (ann, bob) = (hear(with_key("ann")).await.json(), hear(with_key("bob")).await.json());
    assert_ne!(ann["session"], bob["session"]);
    assert_eq!(bob["message"], "You said: bob");
}

#[tokio::test]
async fn a_caller_lists_the_own_sessions_page_by_page() {
    let served = served().await;
    let mut own = Vec::new();
    for _ in 0..5 {
        own.push(start(&served, "ann").await);
        start(&served, "bob").await;
        start(&served, "op").await;
    }
    own.sort();
    let (mut seen, mut after) = (Vec::new(), None::<String>);
    loop {
        let path = match &after {
            Some(after) => format!("/ai/sessions?limit=2&after={after}"),
            None => "/ai/sessions?limit=2".to_owned(),
        };
        let list = hear(by("ann", served.get(&path))).await.json();
        let page = list["sessions"].as_array().unwrap();
        assert!(page.len() <= 2);
        seen.extend(page.iter().map(|session| session["id"].as_str().unwrap().to_owned()));
        match list["next"].as_str() {
            Some(next) => after = Some(next.to_owned()),
            None => break,
        }
    }
    assert_eq!(seen, own);
    // What begins elsewhere leads nowhere else.
    for after in ["", "0", "zzz"] {
        let path = format!("/ai/sessions?after={after}");
        let list = hear(by("ann", served.get(&path))).await.json();
        let ids = list["sessions"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap());
        assert!(ids.into_iter().all(|id| own.iter().any(|it| it == id)), "{list}");
    }
    let all = hear(by("op", served.get("/ai/sessions"))).await.json();
    assert_eq!(all["sessions"].as_array().unwrap().len(), 15);
}

#[tokio::test]
async fn a_list_is_filtered_and_a_wrong_filter_is_told() {
    let served = served().await;
    let id = start(&served, "ann").await;
    start(&served, "ann").await;
    hear(by("ann", served.run(Some(&id), "end"))).await;
    let listed =
        async |query: &str| hear(by("ann", served.get(&format!("/ai/sessions?{query}")))).await;
    let ended = listed("status=completed&flow=DeskFlow").await.json();
    let ended = ended["sessions"].as_array().unwrap();
    assert_eq!(ended.len(), 1);
    assert_eq!(ended[0]["id"], id);
    assert_eq!(ended[0]["runStatus"], "completed");
    assert_eq!(ended[0]["currentStep"], "Desk");
    assert_eq!(listed("flow=OtherFlow").await.json()["sessions"], json!([]));
    for wrong in ["status=done", "limit=0", "limit=1001", "limit=x", "limit=-1", "page=2"] {
        listed(wrong).await.check_problem(400, "REQUEST_INVALID");
    }
}

#[tokio::test]
async fn an_open_service_lists_no_sessions() {
    let served = Served::open().await;
    hear(served.get("/ai/sessions")).await.check_problem(403, "FORBIDDEN");
}

#[tokio::test]
async fn a_flow_gets_to_know_its_caller_by_what_the_service_says() {
    let served = served().await;
    let reply = hear(by("carl", served.run(None, "config"))).await.json();
    assert_eq!(reply["message"], r#"Config: {"customer":4711}"#);
    let again = hear(by("carl", served.run(reply["session"].as_str(), "Hi"))).await;
    assert_eq!(again.status, 200);
    let forged = json!({ "flowName": "DeskFlow", "message": "Hi", "config": { "customer": 1 } });
    let forged = hear(by("carl", served.post("/ai/run").json(&forged))).await;
    forged.check_problem(400, "REQUEST_INVALID");
}

#[tokio::test]
async fn one_secret_makes_an_operator() {
    let served = Served::new(|service| service.inside(false).bearer("open sesame")).await;
    hear(by("open", served.get("/ai/sessions"))).await.check_problem(401, "UNAUTHORIZED");
    let id = start(&served, "open sesame").await;
    let list = hear(by("open sesame", served.get("/ai/sessions"))).await.json();
    assert_eq!(list["sessions"][0]["id"], id);
}

#[tokio::test]
async fn an_empty_secret_lets_nobody_in() {
    let served = Served::new(|service| service.bearer("")).await;
    for request in [served.get("/ai/flows"), by("", served.get("/ai/flows"))] {
        hear(request).await.check_problem(401, "UNAUTHORIZED");
    }
}

#[tokio::test]
async fn an_app_may_say_who_calls() {
    use axum::{Router, extract::Request, middleware::map_request};

    let engine = Served::open().await.engine.clone();
    let service = picoflow::server::HttpService::new(&engine).callers_from_extensions();
    let login = map_request(async |mut request: Request| {
        if let Some(user) = request.headers().get("cookie").cloned() {
            request.extensions_mut().insert(Caller::user(user.to_str().unwrap()));
        }
        request
    });
    let app = Router::new().nest("/bot", service.router().layer(login));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/bot/ai/sessions", listener.local_addr().unwrap());
    let serving = tokio::spawn(async { axum::serve(listener, app.into_make_service()).await });
    let client = reqwest::Client::new();
    hear(client.get(&url)).await.check_problem(401, "UNAUTHORIZED");
    let list = hear(client.get(&url).header("cookie", "ann")).await;
    assert_eq!(list.json()["sessions"], json!([]));
    serving.abort();
}
