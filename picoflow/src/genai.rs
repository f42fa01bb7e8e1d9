#![doc = include_str!("docs/genai.md")]

mod ending;
mod error;
mod failure;
mod history;
mod ids;
mod named;
mod notes;
mod options;
mod provider;
mod reasoning;
mod redact;
mod reply;
mod request;
mod schema;
mod streaming;
mod usage;
mod wait;

pub use error::ProviderError;
pub use provider::{Endpoint, Protocol};

use crate::{
    BoxFuture, BoxStream, ModelReply, http,
    model::{ChatModel, ChatRequest, ModelError, ModelEvent},
    quiet::quiet,
    secret::Secret,
};
use ::genai::{Client, webc};
use futures_util::{StreamExt, stream};
use notes::Notes;
use provider::{Providers, Target};
use reply::{Came, Heard};
use std::{fmt, sync::Arc};

/// The models of many providers: OpenAI, Anthropic, Gemini, Ollama, Mistral, Groq and others, and every server that
/// speaks the protocol of one of them.
///
/// The [`ModelRef`](crate::ModelRef) of a flow or step says which: its provider's name and the model's. See the [module's
/// documentation](self) for both, and for the parameters.
///
/// ```no_run
/// use picoflow::{ModelRef, genai::GenaiModel, prelude::*};
///
/// # struct Ask;
/// # impl Step for Ask {
/// #     const ID: StepId = StepId::new("Ask");
/// #     fn prompt(&self, _cx: &Cx<'_>) -> Prompt { "Ask.".into() }
/// # }
/// struct AskFlow;
///
/// impl Flow for AskFlow {
///     const ID: FlowId = FlowId::new("AskFlow");
///
///     fn model(&self) -> ModelRef {
///         ModelRef::new("anthropic", "claude-sonnet-4-6").param("max_tokens", 2_000)
///     }
///
///     fn steps(&self) -> Steps {
///         Steps::new().add(Ask)
///     }
/// }
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// // The key is in ANTHROPIC_API_KEY.
/// let engine = Engine::builder().flow(AskFlow).model(GenaiModel::new()?).build().await?;
/// println!("{}", engine.run(Turn::new("AskFlow").message("Hi")).await?.text);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct GenaiModel {
    client: Client,
    providers: Arc<Providers>,
}

impl GenaiModel {
    /// All providers, with the keys that the environment holds. It is read when a provider is first asked.
    ///
    /// # Errors
    /// When there is no HTTP client to be had.
    ///
    /// See [`GenaiModel`] for an example.
    pub fn new() -> Result<Self, ProviderError> {
        Self::builder().build()
    }

    /// Sets keys and addresses.
    /// See [`GenaiModelBuilder`] for an example.
    pub fn builder() -> GenaiModelBuilder {
        GenaiModelBuilder::default()
    }

    fn target(&self, request: &ChatRequest) -> Result<Target, ModelError> {
        self.providers.target(request.model.provider()).map_err(ModelError::permanent)
    }

    async fn ask(&self, request: ChatRequest) -> Result<ModelReply, ModelError> {
        let target = self.target(&request)?;
        let (put, options) = target.request(&request).map_err(ModelError::permanent)?;
        let asked = async {
            let service = target.service(&self.client, request.model.name()).await?;
            self.client.exec_chat(service, put, Some(&options)).await
        };
        match quiet(asked).await {
            Ok(response) => {
                let body = response.captured_raw_body.unwrap_or_default();
                let heard = Heard {
                    text: response.content.texts().concat(),
                    reasoning: response.reasoning_content,
                    content: response.content,
                    usage: response.usage,
                    arguments: Vec::new(),
                };
                let notes = Notes::body(target.protocol, &body);
                target.reply(&request, heard, notes, Came::Whole)
            }
            // A body that genai cannot read, such as one with arguments that are no JSON: a model's mistake.
            Err(::genai::Error::ChatResponseGeneration { response_body, cause, .. }) => {
                let notes = Notes::body(target.protocol, &response_body);
                if notes.is_empty() {
                    return Err(ModelError::transient(target.incomplete(cause)));
                }
                target.reply(&request, Heard::default(), notes, Came::Whole)
            }
            // A server that streams without being asked.
            Err(::genai::Error::WebModelCall {
                webc_error: webc::Error::ResponseFailedNotJson { content_type, body },
                ..
            }) if content_type.starts_with("text/event-stream") => {
                let notes = Notes::events(target.protocol, &body);
                target.reply(&request, Heard::default(), notes, Came::Whole)
            }
            Err(fault) => Err(target.failure(fault)),
        }
    }
}

impl ChatModel for GenaiModel {
    fn generate(&self, request: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        Box::pin(self.ask(request))
    }

    fn stream(&self, request: ChatRequest) -> BoxStream<'_, Result<ModelEvent, ModelError>> {
        let opened = stream::once(self.open(request)).flat_map(|opened| match opened {
            Ok(live) => stream::unfold(Some(live), async |live| Some(live?.next().await)).boxed(),
            Err(error) => stream::iter([Err(error)]).boxed(),
        });
        Box::pin(opened)
    }
}

impl fmt::Debug for GenaiModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GenaiModel").field("providers", &self.providers).finish_non_exhaustive()
    }
}

/// Sets the keys and addresses of a [`GenaiModel`].
///
/// ```
/// use picoflow::genai::{Endpoint, GenaiModel, Protocol};
///
/// let model = GenaiModel::builder()
///     .key("openai", "sk-s3cret")
///     .endpoint("local", Endpoint::new(Protocol::OpenAiChat, "http://127.0.0.1:8080/v1"))
///     .build()?;
/// let shown = format!("{model:?}");
/// assert!(shown.contains("http://127.0.0.1:8080/v1/") && !shown.contains("s3cret"));
/// # Ok::<(), picoflow::genai::ProviderError>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct GenaiModelBuilder {
    providers: Providers,
}

impl GenaiModelBuilder {
    /// The key of a provider, in place of the one in the environment.
    /// See [`GenaiModelBuilder`] for an example.
    pub fn key(mut self, provider: impl Into<String>, key: impl Into<String>) -> Self {
        self.providers.keys.insert(provider.into(), Secret::new(key));
        self
    }

    /// Where the provider of this name is. A name that picoflow knows gets another address, any other name becomes a
    /// provider.
    /// See [`GenaiModelBuilder`] for an example.
    pub fn endpoint(mut self, provider: impl Into<String>, endpoint: Endpoint) -> Self {
        self.providers.endpoints.insert(provider.into(), endpoint);
        self
    }

    /// The model.
    ///
    /// # Errors
    /// When there is no HTTP client to be had.
    ///
    /// See [`GenaiModelBuilder`] for an example.
    pub fn build(self) -> Result<GenaiModel, ProviderError> {
        let client = http_client()?;
        let client = Client::builder().with_reqwest(client).build();
        Ok(GenaiModel {
            client: client.map_err(|error| ProviderError::Client(error.to_string()))?,
            providers: Arc::new(self.providers),
        })
    }
}

/// An HTTP client with the TLS of the rest of picoflow.
fn http_client() -> Result<reqwest::Client, ProviderError> {
    let client = http::client().map_err(|error| ProviderError::Client(error.to_string()))?;
    let client = client.http2_adaptive_window(true).build();
    client.map_err(|error| ProviderError::Client(error.to_string()))
}
