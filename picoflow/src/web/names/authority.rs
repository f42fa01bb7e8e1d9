//! Hosts, ports and origins, as heads of requests and settings have them.

use std::net::{IpAddr, Ipv6Addr};

/// A name or an address, and a port if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Authority {
    host: Host,
    port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Host {
    Address(IpAddr),
    /// In small letters, without the dot of the root.
    Name(String),
}

impl Authority {
    pub(super) fn parse(text: &str) -> Option<Self> {
        if let Some(rest) = text.strip_prefix('[') {
            let (address, port) = rest.split_once(']')?;
            let address = address.parse::<Ipv6Addr>().ok()?;
            let port = match port {
                "" => None,
                port => parse_port(port.strip_prefix(':')?).ok()?,
            };
            return Some(Self { host: Host::Address(IpAddr::V6(address).to_canonical()), port });
        }
        let (host, port) = match text.split_once(':') {
            Some((host, port)) => (host, parse_port(port).ok()?),
            None => (text, None),
        };
        let host = host.strip_suffix('.').unwrap_or(host);
        if let Ok(address) = host.parse::<IpAddr>() {
            return Some(Self { host: Host::Address(address), port });
        }
        let is_label = |label: &str| {
            !label.is_empty()
                && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
        };
        host.split('.')
            .all(is_label)
            .then(|| Self { host: Host::Name(host.to_ascii_lowercase()), port })
    }

    /// Whether it names this machine.
    pub(super) fn is_local(&self) -> bool {
        match &self.host {
            Host::Address(address) => address.is_loopback(),
            Host::Name(name) => name == "localhost",
        }
    }

    pub(super) const fn is_address(&self) -> bool {
        matches!(self.host, Host::Address(_))
    }

    /// Whether `other` is the same host, at the same port if this one has a port.
    pub(super) fn is_reached_by(&self, other: &Self) -> bool {
        let is_same_port = |port| match other.port {
            Some(other) => other == port,
            None => matches!(port, 80 | 443),
        };
        self.host == other.host && self.port.is_none_or(is_same_port)
    }
}

/// A port; none where nothing stands behind the colon.
fn parse_port(text: &str) -> Result<Option<u16>, ()> {
    match text {
        "" => Ok(None),
        text if text.bytes().all(|byte| byte.is_ascii_digit()) => {
            text.parse().map(Some).map_err(|_| ())
        }
        _ => Err(()),
    }
}

/// Where a page is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// Nowhere that has a name, such as a file.
    Null,
    /// With the port that the scheme stands for, if none is written.
    Of { scheme: String, authority: Authority },
}

impl Origin {
    pub(super) fn parse(text: &str) -> Option<Self> {
        if text == "null" {
            return Some(Self::Null);
        }
        let (scheme, authority) = text.split_once("://")?;
        let mut authority = Authority::parse(authority)?;
        let scheme = scheme.to_ascii_lowercase();
        authority.port = authority.port.or_else(|| default_port(&scheme));
        Some(Self::Of { scheme, authority })
    }

    pub(super) const fn authority(&self) -> Option<&Authority> {
        match self {
            Self::Null => None,
            Self::Of { authority, .. } => Some(authority),
        }
    }

    /// The host with the port that this origin's scheme stands for, if it has none.
    pub(super) fn with_port(&self, host: &Authority) -> Authority {
        let mut host = host.clone();
        if let Self::Of { scheme, .. } = self {
            host.port = host.port.or_else(|| default_port(scheme));
        }
        host
    }
}

fn default_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    }
}

/// An origin of the settings, which may leave the port open: `http://localhost:*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OriginRule {
    origin: Origin,
    any_port: bool,
}

impl OriginRule {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.strip_suffix('/').unwrap_or(text);
        let (text, any_port) = match text.strip_suffix(":*") {
            Some(text) => (text, true),
            None => (text, false),
        };
        Some(Self { origin: Origin::parse(text)?, any_port })
    }

    pub(super) fn allows(&self, origin: &Origin) -> bool {
        match (&self.origin, origin) {
            (Origin::Of { scheme, authority }, Origin::Of { scheme: other, authority: page })
                if self.any_port =>
            {
                scheme == other && authority.host == page.host
            }
            (rule, origin) => rule == origin,
        }
    }
}
