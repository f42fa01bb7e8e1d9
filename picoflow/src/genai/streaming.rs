//! A reply on its way.

use super::{
    GenaiModel, Protocol,
    notes::Listener,
    provider::Target,
    redact::Held,
    reply::{Came, Heard},
};
use crate::{
    model::{ChatRequest, ModelError, ModelEvent, ModelReply},
    quiet::quiet,
};
use ::genai::chat::{ChatStream, ChatStreamEvent, StreamEnd, ToolCall};
use futures_util::StreamExt;
use serde_json::Value;
use std::{collections::VecDeque, sync::Arc};

/// A reply that is being read.
pub(super) struct Live {
    model: GenaiModel,
    target: Target,
    request: ChatRequest,
    stream: ChatStream,
    listener: Arc<Listener>,
    heard: Heard,
    text: Held,
    reasoning: Held,
    /// What is left to be shown, when all of it is there.
    rest: VecDeque<ModelEvent>,
    /// The reply behind it.
    last: Option<ModelReply>,
}

impl GenaiModel {
    /// Sends the request.
    pub(super) async fn open(&self, request: ChatRequest) -> Result<Live, ModelError> {
        let target = self.target(&request)?;
        let (put, options) = target.request(&request).map_err(ModelError::permanent)?;
        let listener = Arc::new(Listener::new(target.protocol));
        let options = options.with_raw_frame_sink_arc(Arc::clone(&listener) as _);
        let opened = async {
            let service = target.service(&self.client, request.model.name()).await?;
            self.client.exec_chat_stream(service, put, Some(&options)).await
        };
        let stream = quiet(opened).await.map_err(|fault| target.failure(fault))?.stream;
        Ok(Live {
            model: self.clone(),
            target,
            request,
            stream,
            listener,
            heard: Heard::default(),
            text: Held::default(),
            reasoning: Held::default(),
            rest: VecDeque::new(),
            last: None,
        })
    }
}

impl Live {
    /// The next event; none after the reply or an error.
    pub(super) async fn next(mut self) -> (Result<ModelEvent, ModelError>, Option<Self>) {
        loop {
            if let Some(event) = self.rest.pop_front() {
                return (Ok(event), Some(self));
            }
            if let Some(reply) = self.last.take() {
                return (Ok(ModelEvent::Reply(reply)), None);
            }
            let event = match quiet(self.stream.next()).await {
                Some(Ok(event)) => event,
                Some(Err(fault)) => return (Err(self.failure(fault)), None),
                None => {
                    let broken = self.target.incomplete("it broke off");
                    return (
                        Err(self.noted().unwrap_or_else(|| ModelError::transient(broken))),
                        None,
                    );
                }
            };
            if self.listener.notes().is_garbled {
                let broken = self.target.incomplete("an event of it is no JSON");
                return (Err(ModelError::transient(broken)), None);
            }
            match event {
                ChatStreamEvent::Chunk(chunk) if self.is_wanted() => {
                    let text = self.text.push(chunk.content, &self.target);
                    if let Some(event) = self.text(text) {
                        return (Ok(event), Some(self));
                    }
                }
                ChatStreamEvent::ReasoningChunk(chunk) if self.is_wanted() => {
                    let text = self.reasoning.push(chunk.content, &self.target);
                    if let Some(event) = self.reasoning(text) {
                        return (Ok(event), Some(self));
                    }
                }
                ChatStreamEvent::ToolCallChunk(chunk)
                    if self.target.protocol == Protocol::Anthropic =>
                {
                    self.keep(chunk.tool_call);
                }
                ChatStreamEvent::End(end) => {
                    let goes_on = self.listener.notes().goes_on;
                    let ended = if goes_on { self.again().await } else { self.end(end) };
                    if let Err(error) = ended {
                        return (Err(error), None);
                    }
                }
                _ => {}
            }
        }
    }

    /// Shows a bit of the text.
    fn text(&mut self, text: String) -> Option<ModelEvent> {
        self.heard.text.push_str(&text);
        (!text.is_empty()).then_some(ModelEvent::Text(text))
    }

    /// Shows a bit of the reasoning.
    fn reasoning(&mut self, text: String) -> Option<ModelEvent> {
        if text.is_empty() {
            return None;
        }
        self.heard.reasoning.get_or_insert_default().push_str(&text);
        Some(ModelEvent::Reasoning(text))
    }

    /// Asks again for the whole reply. genai stops to read at the first finish, of which Gemini sends one after each run
    /// of code.
    async fn again(&mut self) -> Result<(), ModelError> {
        let reply = self.model.ask(self.request.clone()).await?;
        let Some(rest) = reply.text.strip_prefix(&*self.heard.text) else {
            let broken = self.target.incomplete("it goes on behind a run of code");
            return Err(ModelError::transient(broken));
        };
        let rest = self.text(rest.to_owned());
        self.rest.extend(rest);
        self.last = Some(reply);
        Ok(())
    }

    fn is_wanted(&self) -> bool {
        !self.listener.notes().is_alternative
    }

    /// Keeps the arguments so far, as they were sent.
    fn keep(&mut self, call: ToolCall) {
        let Value::String(text) = call.fn_arguments else {
            return;
        };
        let arguments = &mut self.heard.arguments;
        match arguments.iter_mut().find(|(id, _)| *id == call.call_id) {
            Some((_, known)) => *known = text,
            None => arguments.push((call.call_id, text)),
        }
    }

    /// An error that the provider reported, which says more than genai's.
    fn noted(&self) -> Option<ModelError> {
        let notes = self.listener.notes();
        notes.error.as_ref().map(|error| self.target.reported(error))
    }

    fn failure(&self, fault: ::genai::Error) -> ModelError {
        // A request that Gemini refused has no candidates, which genai takes for an error.
        let notes = std::mem::take(&mut *self.listener.notes());
        if notes.error.is_some() || notes.blocked.is_some() {
            let refused =
                self.target.reply(&self.request, Heard::default(), notes, Came::InBits).err();
            return refused.unwrap_or_else(|| self.target.failure(fault));
        }
        self.target.failure(fault)
    }

    fn end(&mut self, end: StreamEnd) -> Result<(), ModelError> {
        let (reasoning, text) = (self.reasoning.rest(), self.text.rest());
        let held = [self.reasoning(reasoning), self.text(text)];
        let notes = std::mem::take(&mut *self.listener.notes());
        let mut heard = std::mem::take(&mut self.heard);
        heard.content = end.captured_content.unwrap_or_default();
        heard.usage = end.captured_usage.unwrap_or_default();
        self.last = Some(self.target.reply(&self.request, heard, notes, Came::InBits)?);
        self.rest.extend(held.into_iter().flatten());
        Ok(())
    }
}
