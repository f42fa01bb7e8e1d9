//! Which model, as a flow names it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt;

/// A model by provider and name, with parameters such as `temperature`.
///
/// It is stored in every session, so it holds no credentials: a parameter that is named like one fails the
/// engine's build.
///
/// ```
/// use picoflow_core::ModelRef;
///
/// let model = ModelRef::new("openai", "gpt-4o-mini").param("temperature", 0.2);
/// assert_eq!(model.to_string(), "openai:gpt-4o-mini");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelRef {
    provider: String,
    name: String,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    params: Map<String, Value>,
    #[serde(default, rename = "strictTools", skip_serializing_if = "is_false")]
    is_strict: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
const fn is_false(flag: &bool) -> bool {
    !*flag
}

impl ModelRef {
    /// The model `name` of `provider`.
    /// See [`ModelRef`] for an example.
    pub fn new(provider: impl Into<String>, name: impl Into<String>) -> Self {
        Self { provider: provider.into(), name: name.into(), params: Map::new(), is_strict: false }
    }

    /// Tells this model the strict form of every tool, see [`strict_form`](crate::strict_form).
    ///
    /// ```
    /// use picoflow_core::ModelRef;
    ///
    /// let model = ModelRef::new("openai", "gpt-4o-mini");
    /// assert_ne!(model.clone().strict_tools(), model);
    /// ```
    #[must_use]
    pub const fn strict_tools(mut self) -> Self {
        self.is_strict = true;
        self
    }

    pub(crate) const fn is_strict(&self) -> bool {
        self.is_strict
    }

    /// Sets a parameter that the provider knows.
    ///
    /// ```
    /// use picoflow_core::ModelRef;
    ///
    /// let model = ModelRef::new("openai", "gpt-4o-mini").param("temperature", 0.2);
    /// assert_eq!(model.params()["temperature"], 0.2);
    /// ```
    #[must_use]
    pub fn param(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.params.insert(name.into(), value.into());
        self
    }

    /// The provider.
    pub fn provider(&self) -> &str {
        &self.provider
    }

    /// The model's name at the provider.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The parameters.
    pub const fn params(&self) -> &Map<String, Value> {
        &self.params
    }

    /// Whether both name one model of one provider.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        (&self.provider, &self.name) == (&other.provider, &other.name)
    }

    /// This model with the parameters of `base` beneath its own, if it is the same model.
    pub(crate) fn inherit(&self, base: &Self) -> Self {
        if !self.is_same(base) {
            return self.clone();
        }
        let mut model = base.clone();
        model.is_strict |= self.is_strict;
        model.params.extend(self.params.clone());
        model
    }

    /// The first thing that is wrong with it, if any.
    pub(crate) fn fault(&self) -> Option<String> {
        if self.name.trim().is_empty() {
            return Some("has no model name".to_owned());
        }
        if self.provider.trim().is_empty() {
            return Some(format!("names no provider for the model `{}`", self.name));
        }
        let secret = find_secret(&self.params)?;
        Some(format!(
            "has the parameter `{secret}`, which looks like a credential and would be stored in every session: give it to the model client instead"
        ))
    }
}

impl fmt::Display for ModelRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.provider, self.name)
    }
}

/// Names that the reference product strips before it stores a model.
const SECRETS: [&str; 8] = [
    "apikey",
    "api_key",
    "authorization",
    "credential",
    "credentials",
    "password",
    "secret",
    "token",
];

fn find_secret(map: &Map<String, Value>) -> Option<&str> {
    map.iter().find_map(|(name, value)| {
        if SECRETS.contains(&&*name.to_ascii_lowercase()) {
            return Some(&**name);
        }
        value.as_object().and_then(find_secret)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_credential_among_the_parameters_is_a_fault_at_any_depth() {
        let model = ModelRef::new("p", "m").param("headers", json!({ "Authorization": "x" }));
        assert!(model.fault().unwrap().contains("`Authorization`"));
        assert_eq!(ModelRef::new("p", "m").param("top_p", 1).fault(), None);
    }
}
