//! What a provider says and genai does not pass on: refusals, why a reply ended, the text of arguments, errors inside of
//! a reply. It is read from the JSON that genai hands out beside its own reading, whole or frame by frame.

mod anthropic;
mod chat;
mod gemini;
mod ollama;
mod responses;

use super::Protocol;
use ::genai::chat::{ChatFrameSink, FrameCtx, RawFrameRef, Usage};
use serde_json::Value;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What was read so far.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// Why the reply ended, in the provider's word.
    pub(super) finish: Option<String>,
    /// What the model said in place of an answer.
    pub(super) refusal: String,
    /// Why the request was refused, in the provider's word.
    pub(super) blocked: Option<String>,
    /// The calls, if the protocol sends arguments as text.
    pub(super) calls: Vec<Call>,
    /// The text, where genai may lose it.
    pub(super) text: String,
    /// What it cost.
    pub(super) usage: Option<Usage>,
    /// How much of that was reasoning, where genai does not count it.
    pub(super) reasoning_tokens: u64,
    /// What the provider wants back as it is.
    pub(super) blocks: Vec<Value>,
    /// An error inside of the reply.
    pub(super) error: Option<Value>,
    /// The frame at hand belongs to an alternative reply, which nobody asked for.
    pub(super) is_alternative: bool,
    /// A frame was no JSON, which genai skips in one protocol.
    pub(super) is_garbled: bool,
    /// The reply goes on where genai stops to read.
    pub(super) goes_on: bool,
}

/// A call with its arguments as they were sent.
#[derive(Debug, Default)]
pub(super) struct Call {
    pub(super) index: Option<u64>,
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: String,
}

impl Notes {
    /// Reads one whole body.
    pub(super) fn body(protocol: Protocol, body: &Value) -> Self {
        let mut notes = Self::default();
        match protocol {
            Protocol::OpenAiChat => chat::body(&mut notes, body),
            Protocol::OpenAiResponses => responses::body(&mut notes, body),
            Protocol::Anthropic => anthropic::body(&mut notes, body),
            Protocol::Gemini => gemini::read(&mut notes, body),
            Protocol::Ollama => ollama::read(&mut notes, body),
        }
        notes.goes_on = false;
        notes
    }

    /// Reads a whole body of events: what a server sends that streams without being asked.
    pub(super) fn events(protocol: Protocol, body: &str) -> Self {
        let mut notes = Self::default();
        for data in body.lines().filter_map(|line| line.strip_prefix("data:")) {
            if let Ok(frame) = serde_json::from_str(data) {
                notes.frame(protocol, &frame);
            }
        }
        notes
    }

    /// Whether there is nothing in it that could be a reply.
    pub(super) const fn is_empty(&self) -> bool {
        self.finish.is_none() && self.blocked.is_none() && self.error.is_none()
    }

    fn frame(&mut self, protocol: Protocol, frame: &Value) {
        match protocol {
            Protocol::OpenAiChat => chat::frame(self, frame),
            Protocol::OpenAiResponses => responses::frame(self, frame),
            Protocol::Anthropic => anthropic::frame(self, frame),
            Protocol::Gemini => gemini::read(self, frame),
            Protocol::Ollama => ollama::read(self, frame),
        }
    }

    fn fail(&mut self, error: &Value) {
        if !error.is_null() && self.error.is_none() {
            self.error = Some(error.clone());
        }
    }
}

/// Takes notes of a stream.
#[derive(Debug)]
pub(super) struct Listener {
    protocol: Protocol,
    notes: Mutex<Notes>,
}

impl Listener {
    pub(super) fn new(protocol: Protocol) -> Self {
        Self { protocol, notes: Mutex::default() }
    }

    pub(super) fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ChatFrameSink for Listener {
    fn on_frame(&self, _stream: &FrameCtx, frame: RawFrameRef<'_>) {
        let data = frame.data.trim();
        // A comment, and the end in the words of OpenAI.
        if data.is_empty() || data == "[DONE]" {
            return;
        }
        match frame.json() {
            Some(value) => self.notes().frame(self.protocol, &value),
            None => self.notes().is_garbled = true,
        }
    }
}

/// The text at `key`, unless it is empty.
fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str).filter(|text| !text.is_empty())
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
