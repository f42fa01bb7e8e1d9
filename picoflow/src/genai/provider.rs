//! Providers: which protocol they speak, where, and with which key.

use super::ProviderError;
use crate::secret::Secret;
use ::genai::{
    Client, ModelIden, ServiceTarget,
    adapter::AdapterKind,
    resolver::{AuthData, Endpoint as Address},
};
use std::{collections::BTreeMap, env};

/// What a server speaks.
///
/// See [`Endpoint`] for an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Protocol {
    /// OpenAI's chat completions, which most others speak too.
    OpenAiChat,
    /// OpenAI's responses.
    OpenAiResponses,
    /// Anthropic's messages.
    Anthropic,
    /// Google's `generateContent`.
    Gemini,
    /// Ollama's own.
    Ollama,
}

/// A server that speaks one of the known protocols.
///
/// ```
/// use picoflow::{ModelRef, genai::{Endpoint, GenaiModel, Protocol}};
///
/// let local = Endpoint::new(Protocol::OpenAiChat, "http://127.0.0.1:8080/v1");
/// let model = GenaiModel::builder().endpoint("local", local).build()?;
/// let name = ModelRef::new("local", "qwen2.5-coder");
/// # let _ = (model, name);
/// # Ok::<(), picoflow::genai::ProviderError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    protocol: Protocol,
    base: String,
    key: Option<Secret>,
}

impl Endpoint {
    /// The server at `base`, which is what stands before `chat/completions`, `responses`, `messages`, `models/…` or
    /// `api/chat`. It gets no key, unless it is given one.
    /// See [`Endpoint`] for an example.
    pub fn new(protocol: Protocol, base: impl Into<String>) -> Self {
        let mut base = base.into();
        // In front of a query such as `?api-version=…`, which the protocols of OpenAI may have.
        let end = base.find('?').unwrap_or(base.len());
        if !base.get(..end).is_some_and(|path| path.ends_with('/')) {
            base.insert(end, '/');
        }
        Self { protocol, base, key: None }
    }

    /// The same with a key.
    ///
    /// ```
    /// use picoflow::genai::{Endpoint, Protocol};
    ///
    /// let gateway = Endpoint::new(Protocol::Anthropic, "https://gateway.example/anthropic/v1").key("s3cret");
    /// assert!(!format!("{gateway:?}").contains("s3cret"));
    /// ```
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(Secret::new(key));
        self
    }
}

/// Where requests for a provider go.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) provider: String,
    pub(super) kind: AdapterKind,
    pub(super) protocol: Protocol,
    pub(super) key: Option<Secret>,
    /// Unless it is the kind's own.
    address: Option<Address>,
}

impl Target {
    /// The same for genai.
    pub(super) async fn service(
        &self,
        client: &Client,
        model: &str,
    ) -> Result<ServiceTarget, ::genai::Error> {
        let model = ModelIden::new(self.kind, model);
        let endpoint = match &self.address {
            Some(address) => address.clone(),
            None => client.resolve_service_target(model.clone()).await?.endpoint,
        };
        // Servers without keys do not mind one.
        let key = self.key.as_ref().map_or("none", Secret::reveal);
        Ok(ServiceTarget { endpoint, auth: AuthData::from_single(key), model })
    }
}

/// The providers that were given by hand.
#[derive(Clone, Debug, Default)]
pub(super) struct Providers {
    pub(super) keys: BTreeMap<String, Secret>,
    pub(super) endpoints: BTreeMap<String, Endpoint>,
}

impl Providers {
    /// # Errors
    /// When nobody knows the provider, or its key.
    pub(super) fn target(&self, provider: &str) -> Result<Target, ProviderError> {
        let own_key = self.keys.get(provider).cloned();
        let (kind, protocol, key, address) = match (self.endpoints.get(provider), known(provider)) {
            (Some(Endpoint { protocol, base, key }), known) => {
                // A server of a known provider's protocol that has its name is one of its kind.
                let same = known.filter(|row| row.2 == *protocol).map(|row| row.1);
                let kind = same.unwrap_or_else(|| plain(*protocol));
                let address = Address::from_owned(base.as_str());
                (kind, *protocol, key.clone().or(own_key), Some(address))
            }
            (None, Some(row)) => {
                let key = match own_key {
                    Some(key) => Some(key),
                    None => from_environment(row)?,
                };
                (row.1, row.2, key, row.4.map(Address::from_static))
            }
            (None, None) => {
                return Err(ProviderError::UnknownProvider {
                    provider: provider.to_owned(),
                    known: names(),
                });
            }
        };
        Ok(Target { provider: provider.to_owned(), kind, protocol, key, address })
    }
}

/// Name, kind, protocol, other variables that hold the key, and an address that is not the kind's own.
type Row = (&'static str, AdapterKind, Protocol, &'static [&'static str], Option<&'static str>);

const KNOWN: [Row; 23] = {
    use AdapterKind as Kind;
    use Protocol::{Anthropic, Gemini, Ollama, OpenAiChat as Chat, OpenAiResponses as Responses};
    [
        ("openai", Kind::OpenAI, Chat, &[], None),
        ("openai-responses", Kind::OpenAIResp, Responses, &[], None),
        ("anthropic", Kind::Anthropic, Anthropic, &[], None),
        ("gemini", Kind::Gemini, Gemini, &["GOOGLE_API_KEY"], None),
        ("ollama", Kind::Ollama, Ollama, &[], None),
        ("aliyun", Kind::Aliyun, Chat, &[], None),
        ("deepseek", Kind::DeepSeek, Chat, &[], None),
        ("fireworks", Kind::Fireworks, Chat, &[], None),
        ("groq", Kind::Groq, Chat, &[], None),
        ("kimi", Kind::Kimi, Chat, &[], None),
        ("mimo", Kind::Mimo, Chat, &[], None),
        ("minimax", Kind::MiniMax, Anthropic, &[], None),
        ("mistral", Kind::Mistral, Chat, &[], None),
        ("moonshot", Kind::Moonshot, Chat, &[], None),
        ("nebius", Kind::Nebius, Chat, &[], None),
        ("ollama-cloud", Kind::OllamaCloud, Ollama, &[], None),
        ("openrouter", Kind::OpenRouter, Chat, &["OPENROUTER_API_KEY"], None),
        ("qwen", Kind::QwenCloud, Chat, &[], None),
        ("requesty", Kind::Requesty, Chat, &[], None),
        ("together", Kind::Together, Chat, &[], None),
        ("xai", Kind::Xai, Chat, &[], None),
        (
            "xai-responses",
            Kind::OpenAIResp,
            Responses,
            &["XAI_API_KEY"],
            Some("https://api.x.ai/v1/"),
        ),
        ("zai", Kind::Zai, Chat, &[], None),
    ]
};

fn known(provider: &str) -> Option<&'static Row> {
    KNOWN.iter().find(|row| row.0 == provider)
}

/// The provider whose models have names like this one: genai's guess, Ollama where it has none.
pub(super) fn of_model(name: &str) -> &'static str {
    let kind = AdapterKind::from_model(name).ok();
    let row = KNOWN.iter().find(|row| Some(row.1) == kind);
    row.map_or("ollama", |row| row.0)
}

fn names() -> String {
    KNOWN.map(|row| format!("`{}`", row.0)).join(", ")
}

/// The kind that has no more to it than the protocol.
const fn plain(protocol: Protocol) -> AdapterKind {
    match protocol {
        Protocol::OpenAiChat => AdapterKind::OpenAI,
        Protocol::OpenAiResponses => AdapterKind::OpenAIResp,
        Protocol::Anthropic => AdapterKind::Anthropic,
        Protocol::Gemini => AdapterKind::Gemini,
        Protocol::Ollama => AdapterKind::Ollama,
    }
}

/// The key that the environment holds; `None` if the provider takes none.
fn from_environment(row: &Row) -> Result<Option<Secret>, ProviderError> {
    let &(provider, kind, _, variables, address) = row;
    // Another address is another company's.
    let usual = kind.default_key_env_name().filter(|_| address.is_none());
    let mut variables = variables.iter().copied().chain(usual);
    let Some(first) = variables.clone().last() else {
        return Ok(None);
    };
    let filled = |name: &str| env::var(name).ok().filter(|key| !key.trim().is_empty());
    match variables.find_map(filled) {
        Some(key) => Ok(Some(Secret::new(key.trim()))),
        None => Err(ProviderError::MissingKey {
            provider: provider.to_owned(),
            variable: first.to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_with_a_known_name_is_of_its_kind() {
        let mut providers = Providers::default();
        for (name, protocol) in [
            ("mistral", Protocol::OpenAiChat),
            ("xai", Protocol::OpenAiResponses),
            ("mine", Protocol::Gemini),
        ] {
            providers
                .endpoints
                .insert(name.to_owned(), Endpoint::new(protocol, "http://localhost"));
        }
        let kind = |name| providers.target(name).map(|target| target.kind);
        assert_eq!(kind("mistral"), Ok(AdapterKind::Mistral));
        assert_eq!(kind("xai"), Ok(AdapterKind::OpenAIResp));
        assert_eq!(kind("mine"), Ok(AdapterKind::Gemini));
        let error = kind("nobody").unwrap_err().to_string();
        assert!(error.contains("`nobody`") && error.contains("`openai-responses`"), "{error}");
    }

    #[test]
    fn an_address_ends_with_a_slash_and_its_key_is_not_shown() {
        let endpoint = Endpoint::new(Protocol::Gemini, "http://localhost/v1").key("planted");
        assert_eq!(endpoint.base, "http://localhost/v1/");
        let endpoint = Endpoint::new(Protocol::OpenAiChat, "http://localhost/v1?api-version=1");
        assert_eq!(endpoint.base, "http://localhost/v1/?api-version=1");
        let endpoint = Endpoint::new(Protocol::OpenAiChat, "http://localhost/").key("planted");
        assert_eq!(endpoint.base, "http://localhost/");
        assert!(!format!("{endpoint:?}").contains("planted"));
    }
}
