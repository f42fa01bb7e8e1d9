//! One line in the log for each request, when it is over: after the last byte of its response, and after its turn. Where the
//! program hears no traces, what failed and who was refused is told all the same.

use super::problem::Failure;
use crate::{Reply, Spent, TurnError, status::status};
use axum::{
    body::{Body, Bytes},
    extract::{MatchedPath, Request},
    http::Method,
    response::Response,
};
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use std::{
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    task::{Context, Poll},
    time::Instant,
};
use tracing::dispatcher;

/// The line of a request. It is written when the last clone is dropped.
#[derive(Clone)]
pub(crate) struct Line(Arc<Written>);

/// A request's line as its handlers see it. It does not keep the line from being written.
#[derive(Clone)]
pub(crate) struct Seen(Weak<Written>);

struct Written {
    start: Instant,
    /// None for a call that does not come in an HTTP request.
    method: Option<Method>,
    /// The route's template, so that the log holds no ids but those that are said to be.
    route: Option<MatchedPath>,
    fields: Mutex<Fields>,
}

#[derive(Default)]
struct Fields {
    /// Of the response, if there is one.
    status: Option<u16>,
    /// What the failure of a turn would be as a response.
    failed: Option<u16>,
    code: Option<&'static str>,
    error: Option<String>,
    flow: Option<String>,
    session: Option<String>,
    tool: Option<String>,
    tokens: Option<u64>,
    model_calls: Option<u32>,
    outcome: Option<&'static str>,
}

impl Line {
    pub(crate) fn begin(request: &Request) -> Self {
        Self::new(Some(request.method().clone()), request.extensions().get().cloned())
    }

    fn new(method: Option<Method>, route: Option<MatchedPath>) -> Self {
        let fields = Mutex::default();
        Self(Arc::new(Written { start: Instant::now(), method, route, fields }))
    }

    pub(crate) fn seen(&self) -> Seen {
        Seen(Arc::downgrade(&self.0))
    }

    /// The response, whose end is the end of the request.
    pub(crate) fn ends_with(self, response: Response) -> Response {
        let failure = response.extensions().get::<Failure>().cloned();
        {
            let mut fields = self.0.fields();
            fields.status = Some(response.status().as_u16());
            if let Some(Failure { code, cause }) = failure {
                fields.code = Some(code);
                fields.error = cause;
            }
        }
        response.map(|body| Body::new(Watched { body, _line: self }))
    }

    /// The line of a call that does not come in an HTTP request.
    #[cfg(feature = "mcp")]
    pub(crate) fn of_call() -> Self {
        Self::new(None, None)
    }

    /// A tool is called. One that does not end was cancelled.
    #[cfg(feature = "mcp")]
    pub(crate) fn tool(&self, name: &str) {
        let mut fields = self.0.fields();
        fields.tool = Some(name.to_owned());
        fields.outcome = Some("cancelled");
    }

    /// The tool has ended. A turn has said more of it already.
    #[cfg(feature = "mcp")]
    pub(crate) fn tool_ended(&self, is_error: bool) {
        let mut fields = self.0.fields();
        if fields.flow.is_none() {
            fields.outcome = Some(if is_error { "failed" } else { "replied" });
        }
    }
}

impl Seen {
    /// The line, if it is not written yet.
    pub(crate) fn line(&self) -> Option<Line> {
        self.0.upgrade().map(Line)
    }
}

impl Written {
    // Nothing that holds the lock can leave the fields half changed.
    fn fields(&self) -> MutexGuard<'_, Fields> {
        self.fields.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn method(&self) -> &str {
        self.method.as_ref().map_or("tools/call", Method::as_str)
    }

    /// What went wrong, where the program hears no traces.
    fn report(&self, fields: &Fields, status: Option<u16>) {
        let (method, route) = (self.method(), self.route.as_ref().map_or("", MatchedPath::as_str));
        let code = fields.code.unwrap_or("no code");
        match (status, &fields.error) {
            (Some(status @ 500..), Some(error)) => {
                crate::__report!(ERROR, status = status, code = code, "{method} {route}: {error}");
            }
            (Some(status @ 500..), None) => {
                crate::__report!(ERROR, status = status, code = code, "{method} {route} failed");
            }
            (Some(status @ (401 | 403 | 429)), error) => {
                let why = error.as_deref().unwrap_or("it was refused");
                crate::__report!(WARN, status = status, code = code, "{method} {route}: {why}");
            }
            _ => {}
        }
    }
}

macro_rules! write {
    ($level:ident, $line:expr, $fields:expr) => {{
        let (line, fields) = ($line, $fields);
        tracing::$level!(
            method = line.method(),
            route = line.route.as_ref().map(MatchedPath::as_str),
            // What nginx calls it when nobody waits any more.
            status = fields.status.or(line.method.as_ref().map(|_| 499)),
            ms = u64::try_from(line.start.elapsed().as_millis()).unwrap_or(u64::MAX),
            flow = fields.flow,
            session = fields.session,
            tool = fields.tool,
            tokens = fields.tokens,
            model_calls = fields.model_calls,
            outcome = fields.outcome,
            code = fields.code,
            error = fields.error,
            "request"
        );
    }};
}

impl Drop for Written {
    fn drop(&mut self) {
        let fields = std::mem::take(&mut *self.fields());
        let status = fields.failed.max(fields.status);
        if !dispatcher::has_been_set() {
            return self.report(&fields, status);
        }
        match status {
            Some(500..) => write!(error, &*self, fields),
            Some(401 | 403 | 429) => write!(warn, &*self, fields),
            _ => write!(info, &*self, fields),
        }
    }
}

/// A turn in a line. One that is dropped before it has ended was cancelled.
pub(crate) struct TurnLine {
    line: Line,
    spent: Spent,
}

impl TurnLine {
    /// A turn of this flow, and of this session unless the turn is to name a new one.
    pub(crate) fn begin(line: Line, flow: &str, session: Option<&str>, spent: Spent) -> Self {
        let mut fields = line.0.fields();
        fields.flow = Some(flow.to_owned());
        fields.session = session.map(str::to_owned);
        fields.outcome = Some("cancelled");
        drop(fields);
        Self { line, spent }
    }

    pub(crate) fn end(self, result: Result<&Reply, &TurnError>) {
        let mut fields = self.line.0.fields();
        match result {
            Ok(reply) => {
                fields.session = Some(reply.session.clone());
                fields.outcome = Some(match reply {
                    Reply { replayed: true, .. } => "replayed",
                    Reply { completed: true, .. } => "completed",
                    _ => "replied",
                });
            }
            Err(error) => {
                let status = status(error);
                fields.failed = Some(status);
                fields.code = Some(error.code());
                fields.error = Some(error.to_string()).filter(|_| status >= 500);
                let is_cancelled = matches!(error, TurnError::Cancelled);
                fields.outcome = Some(if is_cancelled { "cancelled" } else { "failed" });
            }
        }
    }
}

impl Drop for TurnLine {
    fn drop(&mut self) {
        let mut fields = self.line.0.fields();
        fields.tokens = Some(self.spent.usage().total_tokens);
        fields.model_calls = Some(self.spent.model_calls());
    }
}

/// A body that keeps the line of its request open.
struct Watched {
    body: Body,
    _line: Line,
}

impl HttpBody for Watched {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
