//! How large a document is.

use super::{Session, compact};
use serde_json::Value;
use std::io;

/// The size of the document in bytes, if it may be more than `limit`.
///
/// A document is only written out to be measured where a glance at its texts does not tell.
pub(crate) fn larger_than(session: &Session, limit: usize) -> Option<usize> {
    // Escapes make a text up to six times as long, and every part has names and braces around it.
    if glance(session).saturating_mul(8) < limit {
        return None;
    }
    let mut counter = Counter(0);
    // What cannot be written out is the store's to report.
    serde_json::to_writer(&mut counter, session).ok()?;
    (counter.0 > limit).then_some(counter.0)
}

/// The bytes in the document's texts, and some for what is around them.
fn glance(session: &Session) -> usize {
    let messages = session.flow.memory.values().flat_map(|memory| memory.messages.iter());
    let messages = messages.map(|message| {
        let parts = 1 + message.tool_calls().len();
        PART * parts + compact::weight(message) + weight(&message.additional)
    });
    let summaries = session.flow.memory.values();
    let summaries: usize =
        summaries.filter_map(|memory| memory.summary.as_ref()).map(|it| it.len()).sum();
    let states = session.flow.steps.iter().map(|step| PART + value(&step.state));
    let lists = [&session.log, &session.warn, &session.error].into_iter().flatten();
    let entries = lists.map(|entry| PART + entry.message.len() + weight(&entry.extra));
    let moves = PART * session.flow.sequence.len();
    PART + messages.chain(states).chain(entries).sum::<usize>()
        + moves
        + summaries
        + value(&session.flow.context)
}

/// What a part of a document takes without its texts.
const PART: usize = 64;

fn value(it: &Value) -> usize {
    match it {
        Value::String(text) => text.len() + 2,
        Value::Array(items) => items.iter().map(value).sum::<usize>() + 2,
        Value::Object(fields) => weight(fields) + 2,
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
    }
}

fn weight(fields: &serde_json::Map<String, Value>) -> usize {
    fields.iter().map(|(key, field)| key.len() + 4 + value(field)).sum()
}

/// Counts what is written to it.
struct Counter(usize);

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
