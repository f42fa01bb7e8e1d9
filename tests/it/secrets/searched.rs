//! Models and stores that search what passes through them.

use super::{search, search_error, search_shown};
use futures_util::StreamExt;
use picoflow::{
    BoxFuture, BoxStream,
    model::{ChatModel, ChatRequest, ModelError, ModelEvent, ModelReply},
    session::{Session, SessionQuery, SessionStore, SessionSummary, StoreError},
};

/// What a model answers, and what a store is given, is searched for secrets.
#[derive(Clone, Debug)]
pub(crate) struct Searched<T>(pub(crate) T);

impl<M: ChatModel> ChatModel for Searched<M> {
    fn generate(&self, request: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        Box::pin(async {
            let result = self.0.generate(request).await;
            if let Err(error) = &result {
                search_error(error);
            }
            search_shown("a reply", &result);
            result
        })
    }

    fn stream(&self, request: ChatRequest) -> BoxStream<'_, Result<ModelEvent, ModelError>> {
        let (mut text, mut reasoning) = (String::new(), String::new());
        let events = self.0.stream(request).inspect(move |event| {
            match event {
                Ok(ModelEvent::Text(bit)) => text.push_str(bit),
                Ok(ModelEvent::Reasoning(bit)) => reasoning.push_str(bit),
                Ok(_) => {}
                Err(error) => search_error(error),
            }
            search("the text of a stream", &text);
            search("the reasoning of a stream", &reasoning);
            search_shown("an event", event);
        });
        Box::pin(events)
    }
}

impl<S: SessionStore> SessionStore for Searched<S> {
    fn prepare(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        self.0.prepare()
    }

    fn load<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Session>, StoreError>> {
        self.0.load(id)
    }

    fn revision<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<u64>, StoreError>> {
        self.0.revision(id)
    }

    fn create<'a>(&'a self, session: &'a Session) -> BoxFuture<'a, Result<(), StoreError>> {
        search("a session", &serde_json::to_string(session).unwrap());
        self.0.create(session)
    }

    fn save<'a>(
        &'a self,
        session: &'a Session,
        expected_revision: u64,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        search("a session", &serde_json::to_string(session).unwrap());
        self.0.save(session, expected_revision)
    }

    fn delete<'a>(
        &'a self,
        id: &'a str,
        expected_revision: Option<u64>,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        self.0.delete(id, expected_revision)
    }

    fn list<'a>(
        &'a self,
        query: &'a SessionQuery,
    ) -> BoxFuture<'a, Result<Vec<SessionSummary>, StoreError>> {
        self.0.list(query)
    }
}
