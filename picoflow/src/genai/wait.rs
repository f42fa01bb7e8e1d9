//! How long a provider asks to wait.

use reqwest::header::HeaderMap;
use serde_json::Value;
use std::time::{Duration, SystemTime};

/// The wait that the headers of an error ask for.
pub(super) fn asked_wait(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let millis = text("retry-after-ms").and_then(|text| text.parse::<f64>().ok());
    if let Some(wait) = millis.and_then(|millis| seconds(millis / 1_000.0)) {
        return Some(wait);
    }
    let text = text("retry-after")?;
    if let Ok(count) = text.parse::<f64>() {
        return seconds(count);
    }
    let until = httpdate::parse_http_date(text).ok()?;
    Some(until.duration_since(SystemTime::now()).unwrap_or_default())
}

/// The wait that Gemini writes into the details of an error, like `12.5s`.
pub(super) fn detailed_wait(error: &Value) -> Option<Duration> {
    let error = error.get("error").unwrap_or(error);
    let details = error.get("details")?.as_array()?;
    let text = details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
    seconds(text.strip_suffix('s')?.parse().ok()?)
}

fn seconds(count: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(count).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::{HeaderName, HeaderValue};
    use serde_json::json;

    fn asked(name: &'static str, value: &str) -> Option<Duration> {
        let value = HeaderValue::from_str(value).unwrap();
        asked_wait(&HeaderMap::from_iter([(HeaderName::from_static(name), value)]))
    }

    #[test]
    fn waits_are_read_in_every_form() {
        assert_eq!(asked("retry-after", "2"), Some(Duration::from_secs(2)));
        assert_eq!(asked("retry-after", "0.5"), Some(Duration::from_millis(500)));
        assert_eq!(asked("retry-after-ms", "1500"), Some(Duration::from_millis(1500)));
        assert_eq!(asked("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT"), Some(Duration::ZERO));
        let date = httpdate::fmt_http_date(SystemTime::now() + Duration::from_mins(1));
        let wait = asked("retry-after", &date).unwrap();
        assert!((50..=60).contains(&wait.as_secs()), "{wait:?}");
        for nonsense in ["", "-1", "soon", "NaN", "inf", "1e300"] {
            assert_eq!(asked("retry-after", nonsense), None, "{nonsense}");
        }
    }

    #[test]
    fn geminis_wait_stands_in_the_body() {
        let error =
            json!({ "error": { "details": [{ "@type": "x" }, { "retryDelay": "12.5s" }] } });
        assert_eq!(detailed_wait(&error), Some(Duration::from_millis(12_500)));
        assert_eq!(detailed_wait(&json!({ "error": { "details": [{ "retryDelay": 3 }] } })), None);
    }
}
