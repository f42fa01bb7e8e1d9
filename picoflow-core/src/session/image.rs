//! Images that the user shows.

use serde::{Deserialize, Serialize};

/// An image in a message of the user, see [`Message::images`](super::Message::images).
///
/// ```
/// use picoflow_core::session::Image;
///
/// let image = Image::url("image/png", "https://example.com/cat.png");
/// assert_eq!(serde_json::to_string(&image)?, r#"{"mediaType":"image/png","url":"https://example.com/cat.png"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Image {
    /// Its media type, such as `image/png`.
    pub media_type: String,
    /// Where it is.
    #[serde(flatten)]
    pub source: ImageSource,
}

/// Where an [`Image`] is.
///
/// See [`Image`] for an example.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ImageSource {
    /// Here, in base64.
    Data(String),
    /// At this address, which the provider reads. Not every provider does.
    Url(String),
}

impl Image {
    /// An image as base64.
    ///
    /// ```
    /// use picoflow_core::session::{Image, ImageSource};
    ///
    /// let image = Image::data("image/gif", "R0lGODlhAQABAAAAACw=");
    /// assert!(matches!(image.source, ImageSource::Data(_)));
    /// ```
    pub fn data(media_type: impl Into<String>, base64: impl Into<String>) -> Self {
        Self { media_type: media_type.into(), source: ImageSource::Data(base64.into()) }
    }

    /// An image at an address.
    /// See [`Image`] for an example.
    pub fn url(media_type: impl Into<String>, url: impl Into<String>) -> Self {
        Self { media_type: media_type.into(), source: ImageSource::Url(url.into()) }
    }
}
