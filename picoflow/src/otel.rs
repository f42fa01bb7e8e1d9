#![doc = include_str!("docs/otel.md")]

mod chat;
mod content;
mod instruments;
mod provider;
mod tool;
mod turn;
mod watch;

use self::{
    chat::ChatReport, instruments::Instruments, tool::ToolReport, turn::TurnReport, watch::watch,
};
use crate::{
    BoxFuture, CallSite, Host, Journal, ModelReply, Reply, SystemHost, ToolResult, TurnError,
    TurnSite,
    model::{ModelError, Usage},
};
/// The version of opentelemetry whose meters [`Telemetry::meter`] takes.
#[doc(no_inline)]
pub use opentelemetry;
use opentelemetry::{InstrumentationScope, global, metrics::Meter};
use std::{
    fmt,
    sync::Arc,
    time::{Duration, SystemTime},
};
use tokio::time::Instant;
use tracing::Span;

/// A host that tells what it sees of turns, model calls and tool calls, as spans and metrics.
///
/// See the [module](self) for an example.
#[derive(Clone)]
pub struct Telemetry {
    host: Arc<dyn Host>,
    shared: Arc<Shared>,
}

/// What is the same for all engines of one `Telemetry`.
#[derive(Clone)]
struct Shared {
    instruments: Arc<Instruments>,
    records_content: bool,
}

impl Telemetry {
    /// Watches turns that run on the [`SystemHost`].
    ///
    /// Metrics go to OpenTelemetry's global meter provider, as it is now: set that first, or see
    /// [`meter`](Self::meter).
    /// See the [module](self) for an example.
    pub fn new() -> Self {
        Self::over(SystemHost)
    }

    /// Watches turns that run on `host`, which is still asked for everything. What it answers in the place of a model or a
    /// tool is no call and not reported.
    ///
    /// ```
    /// use picoflow::{Host, SystemHost, otel::Telemetry};
    /// use std::time::SystemTime;
    ///
    /// struct Still;
    /// impl Host for Still {
    ///     fn now(&self) -> SystemTime {
    ///         SystemTime::UNIX_EPOCH
    ///     }
    /// }
    ///
    /// assert_eq!(Telemetry::over(Still).now(), SystemTime::UNIX_EPOCH);
    /// ```
    pub fn over(host: impl Host) -> Self {
        let scope = InstrumentationScope::builder("picoflow");
        let scope = scope.with_version(env!("CARGO_PKG_VERSION")).build();
        let instruments = Arc::new(Instruments::of(&global::meter_with_scope(scope)));
        let shared = Shared { instruments, records_content: false };
        Self { host: Arc::new(host), shared: Arc::new(shared) }
    }

    /// Measures with this meter in place of the global provider's.
    /// See the [module](self) for an example.
    #[must_use]
    pub fn meter(mut self, meter: &Meter) -> Self {
        Arc::make_mut(&mut self.shared).instruments = Arc::new(Instruments::of(meter));
        self
    }

    /// Puts into the spans what is said too: prompts, messages, arguments, results, and the texts of errors. Without
    /// this they hold names, ids and numbers alone.
    /// See the [module](self) for an example.
    #[must_use]
    pub fn record_content(mut self) -> Self {
        Arc::make_mut(&mut self.shared).records_content = true;
        self
    }
}

impl Default for Telemetry {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Telemetry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Telemetry")
            .field("records_content", &self.shared.records_content)
            .finish_non_exhaustive()
    }
}

// The host is given what is watched, and not the other way round, so that what it answers by itself is not reported.
impl Host for Telemetry {
    fn now(&self) -> SystemTime {
        self.host.now()
    }

    fn random(&self) -> u64 {
        self.host.random()
    }

    fn session_id(&self) -> String {
        self.host.session_id()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()> {
        self.host.sleep(duration)
    }

    fn turn<'a>(
        &'a self,
        site: TurnSite<'a>,
        turn: BoxFuture<'a, Result<Reply, TurnError>>,
    ) -> BoxFuture<'a, Result<Reply, TurnError>> {
        let start = move || TurnReport::start(&self.shared, site);
        self.host.turn(site, Box::pin(watch(start, turn)))
    }

    fn model_call<'a>(
        &'a self,
        site: CallSite<'a>,
        call: BoxFuture<'a, Result<ModelReply, ModelError>>,
    ) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        let Some(request) = site.request else {
            return self.host.model_call(site, call);
        };
        // The limit counts from here.
        let begun = Instant::now();
        let start = move || ChatReport::start(&self.shared, site, request, begun);
        self.host.model_call(site, Box::pin(watch(start, call)))
    }

    fn tool_call<'a>(
        &'a self,
        site: CallSite<'a>,
        call: BoxFuture<'a, ToolResult>,
    ) -> BoxFuture<'a, ToolResult> {
        let begun = Instant::now();
        let start = move || ToolReport::start(&self.shared, site, begun);
        self.host.tool_call(site, Box::pin(watch(start, call)))
    }

    fn journal(&self) -> Option<&dyn Journal> {
        self.host.journal()
    }

    fn around(&self, other: Arc<dyn Host>) -> Arc<dyn Host> {
        Arc::new(Self { host: self.host.around(other), shared: Arc::clone(&self.shared) })
    }
}

impl Shared {
    /// Whether to write down what was said, for a span that somebody collects.
    fn wants_content(&self, span: &Span) -> bool {
        self.records_content && !span.is_disabled()
    }

    /// Tells what an error says, which may quote what was said.
    fn describe(&self, span: &Span, error: &dyn fmt::Display) {
        if self.wants_content(span) {
            span.record("otel.status_description", error.to_string());
        }
    }
}

/// Tells that the work failed, and how.
fn fail(span: &Span, code: &'static str) {
    span.record("otel.status_code", "ERROR").record("error.type", code);
}

/// Tells the tokens that the model told of.
fn record_usage(span: &Span, usage: &Usage) {
    for (name, count) in [
        ("gen_ai.usage.input_tokens", usage.input_tokens),
        ("gen_ai.usage.output_tokens", usage.output_tokens),
        ("gen_ai.usage.cache_read.input_tokens", usage.cached_input_tokens),
        ("gen_ai.usage.cache_creation.input_tokens", usage.cache_creation_input_tokens),
        ("gen_ai.usage.reasoning.output_tokens", usage.reasoning_tokens),
    ] {
        if count > 0 {
            // As `i64`, since an unsigned number would be exported as a text.
            span.record(name, i64::try_from(count).unwrap_or(i64::MAX));
        }
    }
}
