//! Content types of replies.

use serde::{Deserialize, Serialize};
use std::{borrow::Cow, fmt};

/// The media type of a reply, `text/plain` unless a transition says otherwise.
///
/// ```
/// use picoflow_core::ContentType;
///
/// assert_eq!(ContentType::default(), ContentType::PLAIN);
/// assert_eq!(ContentType::from("text/css").as_str(), "text/css");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ContentType(Cow<'static, str>);

impl ContentType {
    /// `text/plain`
    pub const PLAIN: Self = Self::new("text/plain");
    /// `text/html`
    pub const HTML: Self = Self::new("text/html");
    /// `text/markdown`
    pub const MARKDOWN: Self = Self::new("text/markdown");
    /// `text/csv`
    pub const CSV: Self = Self::new("text/csv");
    /// `application/json`
    pub const JSON: Self = Self::new("application/json");
    /// `application/xml`
    pub const XML: Self = Self::new("application/xml");
    /// `application/yaml`
    pub const YAML: Self = Self::new("application/yaml");

    /// Makes a content type of a media type known at compile time.
    ///
    /// ```
    /// use picoflow_core::ContentType;
    ///
    /// const RTF: ContentType = ContentType::new("text/rtf");
    /// assert_eq!(RTF.as_str(), "text/rtf");
    /// ```
    pub const fn new(media_type: &'static str) -> Self {
        Self(Cow::Borrowed(media_type))
    }

    /// The media type.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for ContentType {
    fn default() -> Self {
        Self::PLAIN
    }
}

impl From<&'static str> for ContentType {
    fn from(media_type: &'static str) -> Self {
        Self::new(media_type)
    }
}

impl From<String> for ContentType {
    fn from(media_type: String) -> Self {
        Self(Cow::Owned(media_type))
    }
}

impl fmt::Display for ContentType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
