//! What a server at an address is sent and nobody else may see: the values of headers, and what is secret in the address.

use crate::secret::{Secret, redact, redact_all, scrubbed};
use reqwest::Url;
use rmcp::model::ServerJsonRpcMessage;
use serde_json::Value;
use std::{collections::BTreeSet, fmt::Write as _};

/// Headers whose values are no keys.
const PLAIN: [&str; 6] =
    ["accept", "accept-language", "content-type", "origin", "referer", "user-agent"];

/// The secrets, in every form in which a server may quote them. The longest come first, for one may hold another.
#[derive(Clone, Debug)]
pub(super) struct Secrets(Vec<Secret>);

impl Secrets {
    pub(super) fn of(url: &str, headers: &[(String, String)]) -> Self {
        let mut secrets = BTreeSet::new();
        for (name, value) in headers {
            if !PLAIN.iter().any(|plain| name.eq_ignore_ascii_case(plain)) {
                secrets.insert(value.trim().to_owned());
                // A token behind its scheme.
                secrets
                    .extend(value.trim().split_once(' ').map(|(_, token)| token.trim().to_owned()));
            }
            if name.eq_ignore_ascii_case("cookie") {
                let cookies = value.split(';').filter_map(|cookie| cookie.split_once('='));
                secrets.extend(cookies.map(|(_, value)| value.trim().to_owned()));
            }
        }
        if let Ok(url) = Url::parse(url) {
            secrets.extend(url.password().map(str::to_owned));
            secrets.extend(url.query_pairs().map(|(_, value)| value.into_owned()));
        }
        let mut secrets: Vec<_> = secrets.iter().flat_map(|secret| forms(secret)).collect();
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        Self(secrets.into_iter().map(Secret::new).collect())
    }

    fn sought(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(Secret::sought)
    }

    /// Whether one is in a text of the server's.
    pub(super) fn is_in(&self, text: &str) -> bool {
        self.sought().any(|secret| text.contains(secret))
    }

    /// A text that is told without them, and no longer than an error should be.
    pub(super) fn scrubbed(&self, text: &str) -> String {
        scrubbed(text, &self.0)
    }

    /// Takes them out of what may be a message.
    pub(super) fn redact(&self, text: &mut String) {
        for secret in self.sought() {
            redact(text, secret);
        }
        // Any character can be written in another way.
        if text.contains('\\')
            && let Ok(mut value) = serde_json::from_str(text)
            && self.redact_all(&mut value)
        {
            *text = value.to_string();
        }
    }

    fn redact_all(&self, value: &mut Value) -> bool {
        self.sought().fold(false, |found, secret| redact_all(value, secret) | found)
    }

    /// A message without them.
    pub(super) fn redacted(
        &self,
        message: ServerJsonRpcMessage,
    ) -> serde_json::Result<ServerJsonRpcMessage> {
        if self.sought().next().is_none() {
            return Ok(message);
        }
        let mut value = serde_json::to_value(&message)?;
        if self.redact_all(&mut value) { serde_json::from_value(value) } else { Ok(message) }
    }
}

/// The secret as it is, in JSON of two kinds, and in an address.
fn forms(secret: &str) -> BTreeSet<String> {
    let in_json = Value::from(secret).to_string();
    let in_json = in_json.trim_matches('"');
    let mut in_address = String::new();
    for byte in secret.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            in_address.push(char::from(byte));
        } else {
            // To write to a string does not fail.
            let _ = write!(in_address, "%{byte:02X}");
        }
    }
    [secret.to_owned(), in_json.to_owned(), in_json.replace('/', "\\/"), in_address].into()
}

/// An address as it may be shown.
pub(super) fn shown(url: &str) -> String {
    let shown = url.split(['?', '#']).next().unwrap_or_default();
    let Some((scheme, rest)) = shown.split_once("://") else { return shown.to_owned() };
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = host.rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{host}{path}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "aGVs/bG8+d29y=bGQ";

    fn secrets() -> Secrets {
        let headers = [
            ("Authorization", format!("Bearer {TOKEN}")),
            ("cookie", "a=b; session=0123456789abcdef".to_owned()),
            ("accept", "application/json".to_owned()),
        ];
        let headers = headers.map(|(name, value)| (name.to_owned(), value));
        Secrets::of("https://me:password-of-mine@localhost/?key=of%20the%20address&v=1", &headers)
    }

    #[test]
    fn a_secret_is_found_in_every_form() {
        let quotes = [
            TOKEN,
            "Bearer aGVs/bG8+d29y=bGQ",
            "aGVs\\/bG8+d29y=bGQ",
            "aGVs%2FbG8%2Bd29y%3DbGQ",
            "0123456789abcdef",
            "password-of-mine",
            "of the address",
            "of%20the%20address",
        ];
        for quote in quotes {
            assert_eq!(secrets().scrubbed(&format!("no {quote}!")), "no …!", "{quote}");
        }
        assert!(!secrets().is_in("application/json, Bearer, v=1, b"));
        let mut written = r#"{"token":"\u0061GVs\/bG8+d29y=bGQ","lines":"a\nb"}"#.to_owned();
        secrets().redact(&mut written);
        assert_eq!(written, r#"{"token":"…","lines":"a\nb"}"#);
        assert_eq!(format!("{:?}", secrets()).matches('…').count(), secrets().0.len());
    }

    #[test]
    fn an_address_is_shown_without_what_may_be_secret() {
        assert_eq!(shown("https://me:pw@host:1/mcp?key=1#2"), "https://host:1/mcp");
        assert_eq!(shown("http://host"), "http://host");
        assert_eq!(shown("nothing?key=1"), "nothing");
    }
}
