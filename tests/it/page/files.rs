//! What is served, where, and with which headers.

use super::{Served, basic_flow};
use picoflow::server::{
    HttpService,
    axum::{Router, routing::get},
};
use reqwest::{Client, Response, StatusCode};
use std::net::Ipv4Addr;
use tokio::net::TcpListener;

/// Without TLS, which nothing here speaks.
fn client() -> Client {
    drop(rustls::crypto::ring::default_provider().install_default());
    Client::new()
}

async fn fetch(url: &str) -> Response {
    client().get(url).send().await.unwrap()
}

async fn text(url: &str) -> String {
    let response = fetch(url).await;
    assert_eq!(response.status(), StatusCode::OK, "{url}");
    response.text().await.unwrap()
}

/// The values of the attributes that name a file.
fn named(html: &str) -> Vec<&str> {
    let parts =
        [" href=\"", " src=\""].into_iter().flat_map(|attribute| html.split(attribute).skip(1));
    parts.map(|rest| rest.split('"').next().unwrap()).collect()
}

#[tokio::test]
async fn the_page_is_at_the_root_of_a_listener_of_its_own_with_all_that_it_names() {
    let served = Served::new(HttpService::new(&basic_flow().await).page(true)).await;
    let html = text(&served.url("/")).await;
    assert_eq!(text(&served.url("/page")).await, html);
    let mut files = named(&html);
    assert!(files.contains(&"page/page.js") && files.contains(&"page/page.css"), "{files:?}");
    assert!(!html.contains("style=") && !html.contains("<style"), "inline styles");
    assert_eq!(html.matches("<script").count(), html.matches(" src=\"page/page.js\"").count());
    let mut read = 0;
    while let Some(file) = files.get(read).copied() {
        let content = text(&served.url(&format!("/{file}"))).await;
        for import in content.split(" from \"./").skip(1) {
            let import = import.split('"').next().unwrap();
            let import: &str = Box::leak(format!("page/{import}").into_boxed_str());
            if !files.contains(&import) {
                files.push(import);
            }
        }
        read += 1;
    }
    assert!(read > 8, "{files:?}");
}

#[tokio::test]
async fn a_browser_is_told_to_run_nothing_but_the_page_and_to_ask_whether_it_has_changed() {
    let served = Served::new(HttpService::new(&basic_flow().await).page(true)).await;
    for (path, kind) in [
        ("/", "text/html; charset=utf-8"),
        ("/page/page.js", "text/javascript; charset=utf-8"),
        ("/page/page.css", "text/css; charset=utf-8"),
        ("/page/icon.svg", "image/svg+xml"),
    ] {
        let response = fetch(&served.url(path)).await;
        let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
        assert_eq!(header("content-type"), kind);
        assert_eq!(header("x-content-type-options"), "nosniff");
        assert_eq!(header("cache-control"), "no-cache");
        let policy = header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{policy}");
        assert!(
            !policy.contains("unsafe") && policy.contains("frame-ancestors 'none'"),
            "{policy}"
        );
        let tag = header("etag");
        for known in [tag.clone(), format!("\"x\", W/{tag}")] {
            let again = client().get(served.url(path)).header("if-none-match", known);
            let again = again.send().await.unwrap();
            assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
            assert_eq!(again.headers()["etag"], *tag);
        }
        let other = client().get(served.url(path)).header("if-none-match", "\"x\"");
        assert_eq!(other.send().await.unwrap().status(), StatusCode::OK);
    }
}

#[tokio::test]
async fn a_router_leaves_the_root_to_the_app_that_it_is_merged_into_or_nested_in() {
    let engine = basic_flow().await;
    let app = Router::new()
        .route("/", get(async || "our shop"))
        .merge(HttpService::new(&engine).page(true).router())
        .nest("/assistant", HttpService::new(&engine).page(true).router());
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let root = format!("http://{}", listener.local_addr().unwrap());
    let serving = tokio::spawn(async { picoflow::server::axum::serve(listener, app).await });
    assert_eq!(text(&root).await, "our shop");
    assert!(text(&format!("{root}/page")).await.starts_with("<!doctype html>"));
    assert!(text(&format!("{root}/assistant/page")).await.starts_with("<!doctype html>"));
    text(&format!("{root}/assistant/page/page.js")).await;
    serving.abort();
}

#[tokio::test]
async fn page_is_served_on_request_alone() {
    let engine = basic_flow().await;
    for service in [HttpService::new(&engine), HttpService::new(&engine).page(true).page(false)] {
        let served = Served::new(service).await;
        for path in ["/", "/page", "/page/page.js"] {
            assert_eq!(fetch(&served.url(path)).await.status(), StatusCode::NOT_FOUND, "{path}");
        }
    }
}

#[tokio::test]
async fn whoever_calls_gets_the_page_since_it_is_where_a_token_is_asked_for() {
    let service = HttpService::new(&basic_flow().await).page(true).bearer("secret");
    let served = Served::new(service).await;
    text(&served.url("/")).await;
    assert_eq!(fetch(&served.url("/ai/flows")).await.status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn another_method_on_the_page_is_a_problem_like_on_any_route() {
    let served = Served::new(HttpService::new(&basic_flow().await).page(true)).await;
    let response = client().post(served.url("/")).send().await.unwrap();
    assert_eq!(response.status(), StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(response.headers()["content-type"], "application/problem+json");
}
