//! All that any crate logs, searched for secrets.

use super::search;
use std::{
    fmt::{Debug, Write},
    sync::{
        Arc, Mutex, Once,
        atomic::{AtomicU64, Ordering},
    },
};
use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    level_filters::LevelFilter,
    span::{Attributes, Id, Record},
    subscriber::Interest,
};

/// How many records were searched.
static SEARCHED: AtomicU64 = AtomicU64::new(0);

/// Begins to search whatever is logged in this process.
pub(super) fn watch() {
    static BEGUN: Once = Once::new();
    BEGUN.call_once(|| {
        let look: fn(&str) = |record| {
            search("a log", record);
            SEARCHED.fetch_add(1, Ordering::Relaxed);
        };
        tracing::subscriber::set_global_default(Watch::new(look)).unwrap();
        log::set_boxed_logger(Box::new(Watch::new(look))).unwrap();
        log::set_max_level(log::LevelFilter::Trace);
    });
}

/// What is logged while `work` is done, on this thread.
pub(crate) async fn logged(work: impl Future<Output = ()>) -> Vec<String> {
    let records = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&records);
    let watch = Watch::new(move |record: &str| kept.lock().unwrap().push(record.to_owned()));
    let watching = tracing::subscriber::set_default(watch);
    work.await;
    drop(watching);
    std::mem::take(&mut *records.lock().unwrap())
}

/// Hands on every record of every level, behind its target.
struct Watch<F> {
    look: F,
    spans: AtomicU64,
}

impl<F: Fn(&str)> Watch<F> {
    fn new(look: F) -> Self {
        Self { look, spans: AtomicU64::new(1) }
    }
}

/// The fields of a record.
struct Fields(String);

impl Fields {
    fn of(metadata: &Metadata<'_>) -> Self {
        Self(format!("{} {}", metadata.target(), metadata.name()))
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, " {field}={value:?}").unwrap();
    }
}

impl<F: Fn(&str) + 'static> Subscriber for Watch<F> {
    fn register_callsite(&self, _metadata: &'static Metadata<'static>) -> Interest {
        Interest::always()
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::TRACE)
    }

    fn enabled(&self, _metadata: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut fields = Fields::of(span.metadata());
        span.record(&mut fields);
        (self.look)(&fields.0);
        Id::from_u64(self.spans.fetch_add(1, Ordering::Relaxed))
    }

    fn record(&self, _span: &Id, values: &Record<'_>) {
        let mut fields = Fields(String::new());
        values.record(&mut fields);
        (self.look)(&fields.0);
    }

    fn record_follows_from(&self, _span: &Id, _follows: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::of(event.metadata());
        event.record(&mut fields);
        (self.look)(&fields.0);
    }

    fn enter(&self, _span: &Id) {}

    fn exit(&self, _span: &Id) {}
}

impl<F: Fn(&str) + Send + Sync> log::Log for Watch<F> {
    fn enabled(&self, _metadata: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        (self.look)(&format!("{} {}", record.target(), record.args()));
    }

    fn flush(&self) {}
}

#[test]
fn a_secret_is_found_in_every_field_of_events_and_spans_and_in_the_records_of_log() {
    use log::Log;

    let key = super::token();
    let records = Arc::new(Mutex::new(Vec::new()));
    let found = Arc::clone(&records);
    let watch = || {
        let found = Arc::clone(&found);
        Watch::new(move |record: &str| {
            if super::is_in(record) {
                found.lock().unwrap().push(record.to_owned());
            }
        })
    };
    tracing::subscriber::with_default(watch(), || {
        tracing::trace!("nothing in {}", "it");
        tracing::trace!("1: {key}");
        tracing::trace!(field = key, "2");
        tracing::trace!(field = ?key.as_bytes(), "3");
        let error = std::io::Error::other(key);
        tracing::error!(error = &error as &(dyn std::error::Error + 'static), "4");
        let span = tracing::trace_span!("5", field = %key, later = tracing::field::Empty);
        span.record("later", key);
    });
    let args = format_args!("6: {key}").to_string();
    watch().log(&log::Record::builder().args(format_args!("{args}")).build());
    let records = records.lock().unwrap();
    assert_eq!(records.len(), 7, "{records:?}");
}

#[test]
fn once_there_is_a_key_whatever_any_thread_logs_is_searched() {
    super::token();
    let searched = || SEARCHED.load(Ordering::Relaxed);
    for log in [|| tracing::trace!("by tracing"), || log::trace!("by log")] {
        let before = searched();
        std::thread::spawn(log).join().unwrap();
        assert!(searched() > before);
    }
}
