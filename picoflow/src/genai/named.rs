//! A model by one word, as somebody types it.

use super::{Endpoint, GenaiModel, Protocol, ProviderError, provider::of_model};
use crate::ModelRef;

/// What a server is called that is given by its address alone.
const SERVER: &str = "server";

impl GenaiModel {
    /// The model of this name, as somebody gives it on a command line, and how a flow refers to it:
    ///
    /// | written | means |
    /// | --- | --- |
    /// | `anthropic/claude-sonnet-4-6` | the model of a provider of the [module's list](super) |
    /// | `gpt-4o-mini` | the model of the provider whose models are named like this; Ollama's, if nobody's are |
    /// | `http://localhost:8080/v1#qwen3` | the model of a server that speaks OpenAI's chat completions, without a key; `default` without the last part |
    ///
    /// ```
    /// use picoflow::genai::GenaiModel;
    ///
    /// let (_, model) = GenaiModel::named("ollama/qwen3:4b")?;
    /// assert_eq!((model.provider(), model.name()), ("ollama", "qwen3:4b"));
    /// let (_, model) = GenaiModel::named("http://localhost:8080/v1#qwen3")?;
    /// assert_eq!((model.provider(), model.name()), ("server", "qwen3"));
    /// # Ok::<(), picoflow::genai::ProviderError>(())
    /// ```
    ///
    /// # Errors
    /// When nobody knows the provider, or when there is no key for it in the environment.
    pub fn named(name: &str) -> Result<(Self, ModelRef), ProviderError> {
        if name.starts_with("http://") || name.starts_with("https://") {
            let (address, model) = name.split_once('#').unwrap_or((name, "default"));
            let server = Endpoint::new(Protocol::OpenAiChat, address);
            let model = ModelRef::new(SERVER, model);
            return Ok((Self::builder().endpoint(SERVER, server).build()?, model));
        }
        let (provider, name) = name.split_once('/').unwrap_or_else(|| (of_model(name), name));
        let (all, model) = (Self::new()?, ModelRef::new(provider, name));
        all.providers.target(provider)?;
        Ok((all, model))
    }
}
