//! What exporters in memory have got.

use opentelemetry_sdk::{
    metrics::{
        InMemoryMetricExporter, SdkMeterProvider,
        data::{AggregatedMetrics, Histogram, MetricData, ResourceMetrics, ScopeMetrics},
    },
    trace::{InMemorySpanExporter, SdkTracerProvider, SpanData},
};
use picoflow::otel::{
    Telemetry,
    opentelemetry::{KeyValue, Value, metrics::MeterProvider, trace::TracerProvider},
};
use std::collections::BTreeMap;
use tracing::subscriber::DefaultGuard;
use tracing_subscriber::{Layer, filter::filter_fn, layer::SubscriberExt, registry};

/// For each set of attributes how often something was measured, and what it sums up to.
pub(super) type Points = BTreeMap<String, (u64, f64)>;

/// Collects what the thread of the test tells.
pub(super) struct Seen {
    spans: InMemorySpanExporter,
    metrics: InMemoryMetricExporter,
    tracers: SdkTracerProvider,
    meters: SdkMeterProvider,
    _subscriber: DefaultGuard,
}

impl Seen {
    /// Spans, without the events of `tracing` in them.
    pub(super) fn new() -> Self {
        Self::filtered(false)
    }

    /// Spans with the events in them.
    pub(super) fn with_events() -> Self {
        Self::filtered(true)
    }

    fn filtered(has_events: bool) -> Self {
        let (spans, metrics) = (InMemorySpanExporter::default(), InMemoryMetricExporter::default());
        let tracers = SdkTracerProvider::builder().with_simple_exporter(spans.clone()).build();
        let meters = SdkMeterProvider::builder().with_periodic_exporter(metrics.clone()).build();
        let layer = tracing_opentelemetry::layer().with_tracer(tracers.tracer("test"));
        let layer = layer.with_filter(filter_fn(move |meta| has_events || meta.is_span()));
        let subscriber = tracing::subscriber::set_default(registry().with(layer));
        Self { spans, metrics, tracers, meters, _subscriber: subscriber }
    }

    pub(super) fn telemetry(&self) -> Telemetry {
        Telemetry::new().meter(&self.meters.meter("picoflow"))
    }

    /// The spans that have ended, in the order in which they began.
    pub(super) fn spans(&self) -> Vec<SpanData> {
        self.tracers.force_flush().unwrap();
        let mut spans = self.spans.get_finished_spans().unwrap();
        spans.sort_by_key(|span| span.start_time);
        spans
    }

    /// The one span of this name.
    pub(super) fn span(&self, name: &str) -> SpanData {
        let mut spans = self.spans();
        spans.retain(|span| span.name == name);
        assert_eq!(spans.len(), 1, "{name} among {:?}", self.tree());
        spans.remove(0)
    }

    /// Each span by its name, behind those of the spans that it is in.
    pub(super) fn tree(&self) -> Vec<String> {
        let spans = self.spans();
        let path = |span: &SpanData| {
            let (mut names, mut at) = (vec![span.name.to_string()], span);
            while let Some(outer) =
                spans.iter().find(|outer| outer.span_context.span_id() == at.parent_span_id)
            {
                names.insert(0, outer.name.to_string());
                at = outer;
            }
            names.join(" > ")
        };
        spans.iter().map(path).collect()
    }

    /// Each histogram: its unit, and for each set of attributes how often, and how much.
    pub(super) fn histograms(&self) -> BTreeMap<String, (String, Points)> {
        self.meters.force_flush().unwrap();
        let finished = self.metrics.get_finished_metrics().unwrap();
        let latest = finished.last().unwrap();
        let metrics = latest.scope_metrics().flat_map(ScopeMetrics::metrics);
        let read = metrics.map(|metric| {
            let points = match metric.data() {
                AggregatedMetrics::F64(MetricData::Histogram(data)) => points(data, |sum| sum),
                #[expect(clippy::cast_precision_loss, reason = "a few tokens")]
                AggregatedMetrics::U64(MetricData::Histogram(data)) => {
                    points(data, |sum| sum as f64)
                }
                other => panic!("{other:?}"),
            };
            (metric.name().to_owned(), (metric.unit().to_owned(), points))
        });
        read.collect()
    }

    /// The upper bounds of a histogram's buckets.
    pub(super) fn buckets(&self, name: &str) -> Vec<f64> {
        self.meters.force_flush().unwrap();
        let finished = self.metrics.get_finished_metrics().unwrap();
        let metrics = finished.iter().flat_map(ResourceMetrics::scope_metrics);
        let mut metrics = metrics.flat_map(ScopeMetrics::metrics);
        let metric = metrics.find(|metric| metric.name() == name).unwrap();
        match metric.data() {
            AggregatedMetrics::F64(MetricData::Histogram(data)) => {
                data.data_points().next().unwrap().bounds().collect()
            }
            AggregatedMetrics::U64(MetricData::Histogram(data)) => {
                data.data_points().next().unwrap().bounds().collect()
            }
            other => panic!("{other:?}"),
        }
    }
}

fn points<T: Copy>(data: &Histogram<T>, number: impl Fn(T) -> f64) -> Points {
    let points = data.data_points().map(|point| {
        let mut of: Vec<_> = point.attributes().map(pair).collect();
        of.sort_unstable();
        (of.join(" "), (point.count(), number(point.sum())))
    });
    points.collect()
}

fn pair(attribute: &KeyValue) -> String {
    format!("{}={}", attribute.key, attribute.value)
}

/// An attribute of a span.
pub(super) fn attribute(span: &SpanData, key: &str) -> Option<Value> {
    let mut with_key = span.attributes.iter().filter(|attribute| attribute.key.as_str() == key);
    // What is recorded twice, such as the id of a session, counts as it was last.
    with_key.next_back().map(|attribute| attribute.value.clone())
}

/// An attribute of a span that is a text.
pub(super) fn text(span: &SpanData, key: &str) -> String {
    match attribute(span, key) {
        Some(Value::String(text)) => text.as_str().to_owned(),
        other => panic!("{key} of {} is {other:?}", span.name),
    }
}

/// An attribute of a span that is a number.
pub(super) fn number(span: &SpanData, key: &str) -> i64 {
    match attribute(span, key) {
        Some(Value::I64(number)) => number,
        other => panic!("{key} of {} is {other:?}", span.name),
    }
}
