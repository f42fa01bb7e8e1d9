//! An HTTP client that keeps our secrets from rmcp, which logs and tells what it is answered: whatever a server quotes of them
//! is taken out before.

use super::{connect::with_sources, secrets::Secrets};
use crate::quiet::quiet;
use futures_util::{StreamExt, stream};
use reqwest::{
    Client, Error as HttpError,
    header::{HeaderName, HeaderValue},
};
use rmcp::{
    model::ClientJsonRpcMessage,
    transport::{
        common::client_side_sse::BoxedSseResponse,
        streamable_http_client::{
            AuthRequiredError, HttpStatusError, InsufficientScopeError, SseError,
            StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
            StreamableHttpResponseLimits,
        },
    },
};
use std::{collections::HashMap, error::Error, io, sync::Arc};

type Headers = HashMap<HeaderName, HeaderValue>;
type Failure = StreamableHttpError<HttpError>;

/// The client, and what it sends that nobody else may see.
#[derive(Clone)]
pub(super) struct Clean {
    client: Client,
    secrets: Arc<Secrets>,
}

impl Clean {
    pub(super) fn new(client: Client, secrets: Arc<Secrets>) -> Self {
        Self { client, secrets }
    }

    fn answer(
        &self,
        answer: StreamableHttpPostResponse,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        Ok(match answer {
            StreamableHttpPostResponse::Json(message, session) => {
                let message = self.secrets.redacted(message).map_err(|_| unread())?;
                StreamableHttpPostResponse::Json(message, self.session(session)?)
            }
            StreamableHttpPostResponse::Sse(events, session) => {
                let session = self.session(session)?;
                StreamableHttpPostResponse::Sse(self.events(events), session)
            }
            other => other,
        })
    }

    /// The id of a session, which is logged and has to be sent back as it is.
    fn session(&self, id: Option<String>) -> Result<Option<String>, Failure> {
        if id.as_ref().is_some_and(|id| self.secrets.is_in(id)) {
            let reason = "the id of its session holds a secret that it was sent";
            return Err(StreamableHttpError::UnexpectedServerResponse(reason.into()));
        }
        Ok(id)
    }

    fn events(&self, events: BoxedSseResponse) -> BoxedSseResponse {
        let secrets = Arc::clone(&self.secrets);
        let events = stream::unfold(events, |mut events| async {
            let event = quiet(events.next()).await?;
            Some((event, events))
        });
        let clean = events.map(move |event| match event {
            Ok(mut event) => {
                let parts = [&mut event.event, &mut event.data, &mut event.id];
                parts.into_iter().flatten().for_each(|part| secrets.redact(part));
                Ok(event)
            }
            Err(error) => match quoted(&error, &secrets) {
                Some(told) => Err(SseError::Body(Box::new(io::Error::other(told)))),
                None => Err(error),
            },
        });
        clean.boxed()
    }

    fn failure(&self, failure: Failure) -> Failure {
        let scrubbed = |text: String| self.secrets.scrubbed(&text);
        let failure = match failure {
            StreamableHttpError::UnexpectedServerResponse(text) => {
                StreamableHttpError::UnexpectedServerResponse(scrubbed(text.into_owned()).into())
            }
            StreamableHttpError::UnexpectedContentType(kind) => {
                StreamableHttpError::UnexpectedContentType(kind.map(scrubbed))
            }
            StreamableHttpError::AuthRequired(error) => StreamableHttpError::AuthRequired(
                AuthRequiredError::new(scrubbed(error.www_authenticate_header)),
            ),
            StreamableHttpError::InsufficientScope(error) => {
                StreamableHttpError::InsufficientScope(InsufficientScopeError::new(
                    scrubbed(error.www_authenticate_header),
                    error.required_scope.map(scrubbed),
                ))
            }
            StreamableHttpError::HttpStatus(error) => StreamableHttpError::HttpStatus(
                HttpStatusError::new(error.status, error.retry_after.map(scrubbed)),
            ),
            // Our own name for the server is told with it.
            StreamableHttpError::Client(error) => StreamableHttpError::Client(error.without_url()),
            other => other,
        };
        match quoted(&failure, &self.secrets) {
            Some(told) => StreamableHttpError::UnexpectedServerResponse(told.into()),
            None => failure,
        }
    }
}

/// What an error tells, without the secrets, if it holds one.
fn quoted(error: &(dyn Error + 'static), secrets: &Secrets) -> Option<String> {
    let mut errors = std::iter::successors(Some(error), |&error| error.source());
    let is_quoted = errors.any(|error| secrets.is_in(&format!("{error} {error:?}")));
    is_quoted.then(|| secrets.scrubbed(&with_sources(error)))
}

/// For a message that says nothing any more without a secret.
fn unread() -> Failure {
    let reason = "a message that cannot be read without a secret that was sent";
    StreamableHttpError::UnexpectedServerResponse(reason.into())
}

impl StreamableHttpClient for Clean {
    type Error = HttpError;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        auth: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let limits = StreamableHttpResponseLimits::default();
        self.post_message_with_response_limits(uri, message, session, auth, headers, limits).await
    }

    async fn post_message_with_response_limits(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        auth: Option<String>,
        headers: Headers,
        limits: StreamableHttpResponseLimits,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let client = &self.client;
        let sent =
            client.post_message_with_response_limits(uri, message, session, auth, headers, limits);
        self.answer(quiet(sent).await.map_err(|failure| self.failure(failure))?)
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        auth: Option<String>,
        headers: Headers,
    ) -> Result<(), Failure> {
        let sent = self.client.delete_session(uri, session, auth, headers);
        quiet(sent).await.map_err(|failure| self.failure(failure))
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        auth: Option<String>,
        headers: Headers,
    ) -> Result<BoxedSseResponse, Failure> {
        let limit = StreamableHttpResponseLimits::default().max_sse_event_size;
        self.get_stream_with_max_sse_event_size(uri, session, last_event, auth, headers, limit)
            .await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        auth: Option<String>,
        headers: Headers,
        limit: usize,
    ) -> Result<BoxedSseResponse, Failure> {
        let client = &self.client;
        let sent = client
            .get_stream_with_max_sse_event_size(uri, session, last_event, auth, headers, limit);
        let events = quiet(sent).await.map_err(|failure| self.failure(failure))?;
        Ok(self.events(events))
    }
}
