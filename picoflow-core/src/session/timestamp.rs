//! Points in time as documents hold them.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::{
    fmt,
    str::FromStr,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// A point in time with the precision of a document: milliseconds, UTC, written like
/// `2026-02-11T09:14:02.113Z`.
///
/// ```
/// use picoflow_core::session::Timestamp;
///
/// let time: Timestamp = "2026-02-11T09:14:02.113Z".parse()?;
/// assert_eq!(time.to_string(), "2026-02-11T09:14:02.113Z");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(SystemTime);

/// The last moment that the written form can hold, 9999-12-31T23:59:59.999Z.
const LATEST_MILLIS: u64 = 253_402_300_799_999;

impl From<SystemTime> for Timestamp {
    /// Cuts to milliseconds. A time before 1970 or after 9999 becomes the nearest one that can be written.
    fn from(time: SystemTime) -> Self {
        let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
        let millis = u64::try_from(since.as_millis()).unwrap_or(LATEST_MILLIS);
        Self(UNIX_EPOCH + Duration::from_millis(millis.min(LATEST_MILLIS)))
    }
}

impl From<Timestamp> for SystemTime {
    fn from(time: Timestamp) -> Self {
        time.0
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        humantime::format_rfc3339_millis(self.0).fmt(f)
    }
}

impl FromStr for Timestamp {
    type Err = humantime::TimestampError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        humantime::parse_rfc3339(text).map(Self::from)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_that_cannot_be_written_becomes_the_nearest_one() {
        let before = UNIX_EPOCH - Duration::from_secs(5);
        assert_eq!(Timestamp::from(before).to_string(), "1970-01-01T00:00:00.000Z");
        let after = UNIX_EPOCH + Duration::from_millis(LATEST_MILLIS + 1);
        assert_eq!(Timestamp::from(after).to_string(), "9999-12-31T23:59:59.999Z");
    }

    #[test]
    fn only_milliseconds_are_kept() {
        let time = Timestamp::from(UNIX_EPOCH + Duration::from_nanos(1_234_567));
        assert_eq!(time.to_string().parse(), Ok(time));
    }
}
