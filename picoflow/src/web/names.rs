//! By which names a service is reached, and from which pages: the one rule of the HTTP service and of the MCP service.
//!
//! A web page that its owner lets point to this machine (DNS rebinding) sends requests for its own name, and one that calls
//! from elsewhere names its origin. Both are refused before anything is read.

mod authority;

use super::Problem;
use authority::{Authority, Origin, OriginRule};
use axum::http::{
    HeaderMap, StatusCode, Uri, Version,
    header::{HOST, ORIGIN},
};
use std::net::SocketAddr;

/// The names and origins that a service's settings allow.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    pub(crate) hosts: Vec<String>,
    pub(crate) origins: Vec<String>,
}

/// By which names a service is reached that its settings do not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Those of this machine: `localhost`, `127.0.0.1`, `[::1]`.
    Local,
    /// Those, and addresses: nobody can make an address point elsewhere.
    Addresses,
    /// All, since the service asks who calls.
    Any,
}

impl Reach {
    /// Of a service that listens here, and asks who calls or does not.
    pub(crate) fn on(address: SocketAddr, asks_who_calls: bool) -> Self {
        if address.ip().to_canonical().is_loopback() {
            Self::Local
        } else if asks_who_calls {
            Self::Any
        } else {
            Self::Addresses
        }
    }
}

/// A text of the settings that is not what it should be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum InvalidName {
    #[error(
        "`{0}` is not a host: write a name such as `bot.example.com` or `bot.example.com:8080`"
    )]
    Host(String),
    #[error("`{0}` is not an origin: write one such as `https://app.example.com`")]
    Origin(String),
}

/// Who is let in, by the names in a request's head.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    reach: Reach,
    hosts: Vec<Authority>,
    origins: Vec<OriginRule>,
    any_origin: bool,
}

/// The text, if a service can be reached by it as a host.
#[cfg(feature = "cli")]
pub(crate) fn checked_host(text: &str) -> Result<String, InvalidName> {
    let names = Names { hosts: vec![text.to_owned()], origins: Vec::new() };
    let (_, wrong) = names.rule(Reach::Local);
    wrong.into_iter().next().map_or_else(|| Ok(text.to_owned()), Err)
}

impl Names {
    /// The rule, and what is wrong with the settings. What is wrong allows nothing.
    pub(crate) fn rule(&self, reach: Reach) -> (Rule, Vec<InvalidName>) {
        let mut wrong = Vec::new();
        let mut rule = Rule { reach, hosts: Vec::new(), origins: Vec::new(), any_origin: false };
        if reach == Reach::Any && !self.hosts.is_empty() {
            rule.reach = Reach::Addresses;
        }
        for host in &self.hosts {
            // Also an address of version 6 without brackets.
            let parsed = Authority::parse(host).or_else(|| Authority::parse(&format!("[{host}]")));
            match parsed {
                _ if host == "*" => rule.reach = Reach::Any,
                Some(host) => rule.hosts.push(host),
                None => wrong.push(InvalidName::Host(host.clone())),
            }
        }
        for origin in &self.origins {
            match OriginRule::parse(origin) {
                _ if origin == "*" => rule.any_origin = true,
                Some(origin) => rule.origins.push(origin),
                None => wrong.push(InvalidName::Origin(origin.clone())),
            }
        }
        (rule, wrong)
    }
}

impl Rule {
    /// Whether the request may be served.
    pub(crate) fn check(
        &self,
        version: Version,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Result<(), Problem> {
        let host = self.check_host(version, uri, headers)?;
        // Without a rule for hosts, there is one for origins only if some are named.
        if self.any_origin || (self.reach == Reach::Any && self.origins.is_empty()) {
            return Ok(());
        }
        for origin in headers.get_all(ORIGIN) {
            let told = String::from_utf8_lossy(origin.as_bytes());
            let origin = origin.to_str().ok().and_then(Origin::parse);
            if !origin.is_some_and(|origin| self.allows_origin(&origin, host.as_ref())) {
                let detail = format!(
                    "this service does not serve pages of `{told}`: call it from a page of its own, or have that origin allowed in its settings"
                );
                let cause = format!(
                    "a page of `{told}` was refused: if it may call, allow it by `origins` in the service's settings"
                );
                let problem = Problem::new(StatusCode::FORBIDDEN, "ORIGIN_REFUSED", detail);
                return Err(problem.cause(cause));
            }
        }
        Ok(())
    }

    /// The host that the request names. All places that name one are held against the rule, so that it does not matter which
    /// of them is believed later.
    fn check_host(
        &self,
        version: Version,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Result<Option<Authority>, Problem> {
        let mut headers = headers.get_all(HOST).iter();
        let header = headers.next();
        let named = uri.authority().map(axum::http::uri::Authority::as_str);
        if self.reach == Reach::Any {
            let named = named.or_else(|| header.and_then(|header| header.to_str().ok()));
            return Ok(named.and_then(Authority::parse));
        }
        if headers.next().is_some() {
            return Err(Problem::bad("the request has several `Host` headers: send one"));
        }
        // Before version 2 it is required beside a whole address too.
        if header.is_none() && (named.is_none() || version == Version::HTTP_11) {
            return Err(Problem::bad("the request has no `Host` header: send one"));
        }
        let header = header.map(|header| header.to_str().unwrap_or_default());
        let mut found = None;
        for text in named.into_iter().chain(header) {
            let host = Authority::parse(text).ok_or_else(|| {
                Problem::bad("the `Host` of the request is not a name or an address")
            })?;
            if !self.allows_host(&host) {
                return Err(refused_host(text));
            }
            found = found.or(Some(host));
        }
        Ok(found)
    }

    fn allows_host(&self, host: &Authority) -> bool {
        host.is_local()
            || (self.reach == Reach::Addresses && host.is_address())
            || self.hosts.iter().any(|named| named.is_reached_by(host))
    }

    fn allows_origin(&self, origin: &Origin, host: Option<&Authority>) -> bool {
        self.origins.iter().any(|rule| rule.allows(origin))
            || origin.authority().is_some_and(|page| {
                page.is_local()
                    || host.is_some_and(|host| page.is_reached_by(&origin.with_port(host)))
                    || self.hosts.iter().any(|named| named.is_reached_by(page))
            })
    }
}

fn refused_host(host: &str) -> Problem {
    let detail = format!(
        "this service is not reached as `{host}`: ask for `localhost` on its own machine, or have that host allowed in its settings"
    );
    let cause = format!(
        "a request for the host `{host}` was refused: if the service is reached by that name, allow it by `HttpService::hosts`, `McpService::host` or `serve --host`"
    );
    Problem::new(StatusCode::FORBIDDEN, "HOST_REFUSED", detail).cause(cause)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::{http::HeaderValue, response::IntoResponse};

    fn rule(reach: Reach, hosts: &[&str], origins: &[&str]) -> Rule {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let (rule, wrong) = Names { hosts: owned(hosts), origins: owned(origins) }.rule(reach);
        assert_eq!(wrong, []);
        rule
    }

    fn status(rule: &Rule, host: &str, origin: Option<&str>) -> u16 {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_bytes(host.as_bytes()).unwrap());
        if let Some(origin) = origin {
            headers.insert(ORIGIN, HeaderValue::from_bytes(origin.as_bytes()).unwrap());
        }
        let checked = rule.check(Version::HTTP_11, &Uri::from_static("/ai/run"), &headers);
        checked.map_or_else(|problem| problem.into_response().status().as_u16(), |()| 200)
    }

    #[test]
    fn names_of_this_machine_are_served() {
        let local = rule(Reach::Local, &[], &[]);
        for host in [
            "localhost",
            "LocalHost",
            "localhost.",
            "localhost:8080",
            "localhost.:8080",
            "localhost:",
            "127.0.0.1",
            "127.0.0.1:8080",
            "127.9.9.9",
            "[::1]",
            "[::1]:8080",
            "[0:0:0:0:0:0:0:1]",
            "[::ffff:127.0.0.1]:1",
        ] {
            assert_eq!(status(&local, host, None), 200, "{host}");
        }
    }

    #[test]
    fn other_names_are_refused() {
        let local = rule(Reach::Local, &[], &[]);
        for host in [
            "evil.example",
            "EVIL.example:8080",
            "localhost.evil.example",
            "evil.localhost.example",
            "127.0.0.1.evil.example",
            "xlocalhost",
            "localhostx",
            "192.168.1.5",
            "0.0.0.0",
            "[::]",
            "[fe80::1]",
            "10.0.0.1:8080",
            "127.1",
            "2130706433",
        ] {
            assert_eq!(status(&local, host, None), 403, "{host}");
        }
        for host in [
            "",
            ":8080",
            "localhost:x",
            "localhost:80:80",
            "localhost:99999",
            "ann@localhost",
            "[::1",
            "::1",
            "[::1]x",
            "localhost/evil",
            "local host",
            "localhost..",
            ".",
            "localh\u{f6}st",
            "%6cocalhost",
        ] {
            assert_eq!(status(&local, host, None), 400, "{host}");
        }
    }

    #[test]
    fn addresses_are_served_where_the_network_reaches() {
        let open = rule(Reach::Addresses, &[], &[]);
        for host in ["192.168.1.5:8080", "[fe80::1]:80", "0.0.0.0:8080", "localhost"] {
            assert_eq!(status(&open, host, None), 200, "{host}");
        }
        assert_eq!(status(&open, "evil.example", None), 403);
        let own = Some("http://192.168.1.5:8080");
        assert_eq!(status(&open, "192.168.1.5:8080", own), 200);
        assert_eq!(status(&open, "192.168.1.5:8080", Some("http://6.6.6.6")), 403);
        assert_eq!(status(&open, "192.168.1.5:8080", Some("http://192.168.1.5")), 403);
    }

    #[test]
    fn named_hosts_are_served_with_their_pages() {
        let named = rule(Reach::Local, &["Bot.example.com", "b.example:8443"], &[]);
        for (host, origin, expected) in [
            ("bot.example.com", None, 200),
            ("BOT.EXAMPLE.COM.:1234", None, 200),
            ("localhost:1", None, 200),
            ("b.example:8443", None, 200),
            ("b.example", None, 403),
            ("a.bot.example.com", None, 403),
            ("bot.example.com", Some("https://bot.example.com"), 200),
            // A proxy that passes the address it asks for.
            ("127.0.0.1:8080", Some("https://bot.example.com"), 200),
            ("127.0.0.1:8080", Some("https://b.example:8443"), 200),
            ("127.0.0.1:8080", Some("https://b.example"), 403),
            ("bot.example.com", Some("https://evil.example"), 403),
        ] {
            assert_eq!(status(&named, host, origin), expected, "{host} {origin:?}");
        }
    }

    #[test]
    fn pages_from_elsewhere_are_refused() {
        let local = rule(Reach::Local, &[], &[]);
        for origin in [
            "http://evil.example",
            "https://localhost.evil.example",
            "null",
            "",
            "http://",
            "localhost",
            "file://",
            "http://evil@localhost",
            "http://localhost/x",
            "http://localhost http://evil.example",
        ] {
            assert_eq!(status(&local, "localhost:8080", Some(origin)), 403, "{origin}");
        }
        for origin in [
            "http://localhost:8080",
            "HTTP://LOCALHOST:5173",
            "https://127.0.0.1",
            "http://[::1]:1",
        ] {
            assert_eq!(status(&local, "localhost:8080", Some(origin)), 200, "{origin}");
        }
    }

    #[test]
    fn named_origins_are_served() {
        let origins = ["https://app.example.com", "http://a.example:*", "null", "app://x"];
        for rule in [rule(Reach::Local, &[], &origins), rule(Reach::Any, &[], &origins)] {
            for (origin, expected) in [
                ("https://app.example.com", 200),
                ("https://app.example.com:443", 200),
                ("https://app.example.com:444", 403),
                ("http://app.example.com", 403),
                ("http://a.example:81", 200),
                ("null", 200),
                ("app://x", 200),
                ("https://evil.example", 403),
            ] {
                assert_eq!(status(&rule, "localhost", Some(origin)), expected, "{origin}");
            }
        }
    }

    #[test]
    fn any_name_is_served_on_request_and_to_known_callers() {
        for rule in [rule(Reach::Local, &["*"], &[]), rule(Reach::Any, &[], &[])] {
            assert_eq!(status(&rule, "evil.example", Some("http://evil.example")), 200);
            assert_eq!(status(&rule, "evil.example", Some("http://other.example")), 200);
        }
        // Who names hosts means them.
        let named = rule(Reach::Any, &["bot.example.com"], &[]);
        assert_eq!(status(&named, "evil.example", None), 403);
        assert_eq!(status(&named, "10.0.0.1", None), 200);
    }

    #[test]
    fn every_place_that_names_a_host_counts() {
        let local = rule(Reach::Local, &[], &[]);
        let check = |version, uri: &'static str, hosts: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for host in hosts {
                headers.append(HOST, HeaderValue::from_static(host));
            }
            let checked = local.check(version, &Uri::from_static(uri), &headers);
            checked.map_or_else(|problem| problem.into_response().status().as_u16(), |()| 200)
        };
        let (one, two) = (Version::HTTP_11, Version::HTTP_2);
        assert_eq!(check(one, "http://localhost/a", &["localhost"]), 200);
        assert_eq!(check(one, "http://evil.example/a", &["localhost"]), 403);
        assert_eq!(check(one, "http://localhost/a", &["evil.example"]), 403);
        assert_eq!(check(one, "http://localhost/a", &[]), 400);
        assert_eq!(check(two, "http://localhost/a", &[]), 200);
        assert_eq!(check(two, "http://evil.example/a", &[]), 403);
        assert_eq!(check(one, "/a", &["localhost", "localhost"]), 400);
        assert_eq!(check(one, "/a", &["localhost", "evil.example"]), 400);
        assert_eq!(check(one, "/a", &[]), 400);
        assert_eq!(check(Version::HTTP_10, "/a", &[]), 400);
    }

    #[test]
    fn settings_that_are_not_names_are_told() {
        let texts =
            |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let hosts = texts(&[
            "https://bot.example.com",
            "*.example.com",
            "",
            "a b",
            "gr\u{f6}\u{df}e.example",
        ]);
        let origins = texts(&["app.example.com", "https://", "https://*", "https://a.example/x"]);
        let names = Names { hosts: hosts.clone(), origins: origins.clone() };
        let (_, wrong) = names.rule(Reach::Local);
        let expected = hosts.into_iter().map(InvalidName::Host);
        let expected: Vec<_> =
            expected.chain(origins.into_iter().map(InvalidName::Origin)).collect();
        assert_eq!(wrong, expected);
    }
}
