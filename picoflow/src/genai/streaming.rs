//! A reply on its way.

use super::{
    GenaiModel, Protocol,
    notes::Listener,
    provider::Target,
    reply::{Came, Heard},
};
use crate::model::{ChatRequest, ModelError, ModelEvent, ModelReply};
use ::genai::chat::{ChatStream, ChatStreamEvent, StreamEnd, ToolCall};
use futures_util::StreamExt;
use serde_json::Value;
use std::sync::Arc;

/// A reply that is being read.
pub(super) struct Live {
    model: GenaiModel,
    target: Target,
    request: ChatRequest,
    stream: ChatStream,
    listener: Arc<Listener>,
    heard: Heard,
    /// The reply behind the last of its text.
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
        let stream = opened.await.map_err(|fault| target.failure(fault))?.stream;
        Ok(Live {
            model: self.clone(),
            target,
            request,
            stream,
            listener,
            heard: Heard::default(),
            last: None,
        })
    }
}

impl Live {
    /// The next event; none after the reply or an error.
    pub(super) async fn next(mut self) -> (Result<ModelEvent, ModelError>, Option<Self>) {
        if let Some(reply) = self.last.take() {
            return (Ok(ModelEvent::Reply(reply)), None);
        }
        loop {
            let event = match self.stream.next().await {
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
                    self.heard.text.push_str(&chunk.content);
                    return (Ok(ModelEvent::Text(chunk.content)), Some(self));
                }
                ChatStreamEvent::ReasoningChunk(chunk) if self.is_wanted() => {
                    self.heard.reasoning.get_or_insert_default().push_str(&chunk.content);
                    return (Ok(ModelEvent::Reasoning(chunk.content)), Some(self));
                }
                ChatStreamEvent::ToolCallChunk(chunk)
                    if self.target.protocol == Protocol::Anthropic =>
                {
                    self.keep(chunk.tool_call);
                }
                ChatStreamEvent::End(_) if self.listener.notes().goes_on => {
                    return self.again().await;
                }
                ChatStreamEvent::End(end) => return (self.end(end).map(ModelEvent::Reply), None),
                _ => {}
            }
        }
    }

    /// Asks again for the whole reply. genai stops to read at the first finish, of which Gemini sends one after each run
    /// of code.
    async fn again(mut self) -> (Result<ModelEvent, ModelError>, Option<Self>) {
        let reply = match self.model.ask(self.request.clone()).await {
            Ok(reply) => reply,
            Err(error) => return (Err(error), None),
        };
        match reply.text.strip_prefix(&*self.heard.text) {
            Some("") => (Ok(ModelEvent::Reply(reply)), None),
            Some(rest) => {
                let rest = ModelEvent::Text(rest.to_owned());
                self.last = Some(reply);
                (Ok(rest), Some(self))
            }
            None => {
                let broken = self.target.incomplete("it goes on behind a run of code");
                (Err(ModelError::transient(broken)), None)
            }
        }
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

    fn end(&mut self, end: StreamEnd) -> Result<ModelReply, ModelError> {
        let notes = std::mem::take(&mut *self.listener.notes());
        let mut heard = std::mem::take(&mut self.heard);
        heard.content = end.captured_content.unwrap_or_default();
        heard.usage = end.captured_usage.unwrap_or_default();
        self.target.reply(&self.request, heard, notes, Came::InBits)
    }
}
