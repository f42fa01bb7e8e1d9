//! The page: a chat, and beside it what goes on inside of the flow.
//!
//! Its files know each other, and the routes of the service, by addresses relative to their own, so that it works wherever
//! the router is nested. It is written without a build step: what is here is what a browser runs.

use super::caller::hex;
use axum::{
    Router,
    http::{
        HeaderMap, HeaderName, HeaderValue, StatusCode,
        header::{
            CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH,
            REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
        },
    },
    response::{IntoResponse, Response},
    routing::{MethodRouter, get},
};
use sha2::{Digest, Sha256};

/// Scripts, styles and data come from this service and from nowhere else, nothing is inline, and no script can make a text
/// into HTML.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

const HTML: File = File { kind: "text/html; charset=utf-8", text: include_str!("page/index.html") };

/// What the page is made of besides its HTML.
const FILES: [(&str, File); 9] = [
    ("/page/page.css", File { kind: CSS, text: include_str!("page/page.css") }),
    ("/page/icon.svg", File { kind: "image/svg+xml", text: include_str!("page/icon.svg") }),
    ("/page/page.js", File { kind: JS, text: include_str!("page/page.js") }),
    ("/page/service.js", File { kind: JS, text: include_str!("page/service.js") }),
    ("/page/chat.js", File { kind: JS, text: include_str!("page/chat.js") }),
    ("/page/steps.js", File { kind: JS, text: include_str!("page/steps.js") }),
    ("/page/inside.js", File { kind: JS, text: include_str!("page/inside.js") }),
    ("/page/kept.js", File { kind: JS, text: include_str!("page/kept.js") }),
    ("/page/element.js", File { kind: JS, text: include_str!("page/element.js") }),
];

const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";

#[derive(Clone, Copy)]
struct File {
    kind: &'static str,
    text: &'static str,
}

/// The page at each of these paths, all of them in the folder of the service's routes, and its files.
pub(super) fn router<S: Clone + Send + Sync + 'static>(paths: &[&str]) -> Router<S> {
    let files = if paths.is_empty() { &[] } else { FILES.as_slice() };
    let page = paths.iter().map(|path| (*path, HTML));
    page.chain(files.iter().copied())
        .fold(Router::new(), |router, (path, file)| router.route(path, file.served()))
}

impl File {
    fn served<S: Clone + Send + Sync + 'static>(self) -> MethodRouter<S> {
        let tag = format!("\"{}\"", hex(&Sha256::digest(self.text)[..16]));
        get(async move |headers: HeaderMap| self.respond(&tag, &headers))
    }

    /// The file, unless the browser has it.
    fn respond(self, tag: &str, headers: &HeaderMap) -> Response {
        let known = headers.get_all(IF_NONE_MATCH).iter().filter_map(|known| known.to_str().ok());
        // A proxy that compresses makes the tag a weak one.
        let is_known = known.flat_map(|known| known.split(',')).any(|known| {
            let known = known.trim();
            known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag
        });
        let mut response = if is_known {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            ([(CONTENT_TYPE, self.kind)], self.text).into_response()
        };
        let headers = response.headers_mut();
        for (name, value) in [
            (CACHE_CONTROL, "no-cache"),
            (CONTENT_SECURITY_POLICY, POLICY),
            (OPENER_POLICY, "same-origin"),
            (REFERRER_POLICY, "no-referrer"),
            (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
        if let Ok(tag) = HeaderValue::try_from(tag) {
            headers.insert(ETAG, tag);
        }
        response
    }
}
