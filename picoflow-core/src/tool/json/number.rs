//! Numbers with all their digits: `serde_json` hands over as a float what is written as one, or has more than 64 bits.

use super::Json;
use crate::text::segment;
use std::borrow::Cow;

/// A whole number that is written as a float, or has more than 64 bits.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Whole<'t> {
    /// As it was written.
    pub(super) text: Cow<'t, str>,
    /// The nearest float.
    pub(super) float: f64,
    /// `None`: beyond 128 bits.
    pub(super) value: Option<Integer>,
}

/// An integer of up to 128 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Integer {
    Unsigned(u128),
    /// Below zero.
    Negative(i128),
}

impl Whole<'_> {
    /// Whether it is written without a point and an exponent. `-0` counts as a float, since an integer has no sign
    /// at zero.
    pub(crate) fn is_written_as_integer(&self) -> bool {
        !self.text.contains(['.', 'e', 'E']) && self.text != "-0"
    }

    /// The nearest float.
    pub(crate) const fn float(&self) -> f64 {
        self.float
    }
}

impl<'t> Json<'t> {
    /// The number that `text` writes, which is a number of JSON; `None` if it is beyond every float.
    pub(in crate::tool) fn number(text: Cow<'t, str>) -> Option<Self> {
        if let Ok(value) = text.parse() {
            return Some(Self::Unsigned(value));
        }
        if text != "-0"
            && let Ok(value) = text.parse()
        {
            return Some(Self::Negative(value));
        }
        let float: f64 = text.parse().ok().filter(|float: &f64| float.is_finite())?;
        Some(match whole(&text) {
            Some(found) => {
                let value = match found {
                    Found::Integer(value) => Some(value),
                    Found::Beyond => None,
                };
                Self::Whole(Box::new(Whole { text, float, value }))
            }
            None => Self::Float(float),
        })
    }

    /// Whether there is a whole number in it that is no integer as it is written.
    pub(crate) fn has_whole(&self) -> bool {
        match self {
            Self::Whole(_) => true,
            Self::Array(items) => items.iter().any(Self::has_whole),
            Self::Object(fields) => fields.iter().any(|(_, value)| value.has_whole()),
            _ => false,
        }
    }

    /// The same number, written as an integer; `None` if it has more than 128 bits.
    pub(crate) fn integer(whole: &Whole<'_>) -> Option<Self> {
        let text = match whole.value? {
            Integer::Unsigned(value) => value.to_string(),
            Integer::Negative(value) => value.to_string(),
        };
        Self::number(text.into())
    }
}

/// A whole number.
enum Found {
    Integer(Integer),
    /// It has more than 128 bits.
    Beyond,
}

impl Found {
    fn of<E>(parsed: Result<Integer, E>) -> Self {
        parsed.map_or(Self::Beyond, Self::Integer)
    }
}

/// The whole number that `text` writes, if it is one.
fn whole(text: &str) -> Option<Found> {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    let (mantissa, exponent) = digits.split_once(['e', 'E']).unwrap_or((digits, "0"));
    let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let after = after.trim_end_matches('0');
    let digits = format!("{before}{after}");
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Some(Found::Integer(Integer::Unsigned(0)));
    }
    // What an `i64` does not hold is a float of no use, or zero, or refused.
    let exponent: i64 = exponent.parse().ok()?;
    let shift = exponent.checked_sub(i64::try_from(after.len()).ok()?)?;
    let digits = match usize::try_from(shift) {
        // As many digits as 128 bits can have.
        Ok(zeros) if digits.len().saturating_add(zeros) > 39 => return Some(Found::Beyond),
        Ok(zeros) => format!("{digits}{}", "0".repeat(zeros)),
        Err(_) => {
            let cut = usize::try_from(shift.unsigned_abs()).ok()?;
            let kept = digits.len().checked_sub(cut).filter(|kept| *kept > 0)?;
            let (kept, rest) = digits.split_at(kept);
            if rest.contains(|digit| digit != '0') {
                return None;
            }
            kept.to_owned()
        }
    };
    Some(if sign > 0 {
        Found::of(digits.parse().map(Integer::Unsigned))
    } else {
        Found::of(format!("-{digits}").parse().map(Integer::Negative))
    })
}

/// Gives the floats of `value` their digits back, which stand in `text` in the same order.
pub(super) fn restore<'t>(value: &mut Json<'t>, text: &'t str) {
    assign(value, &mut Numbers { rest: text });
}

fn assign<'t>(value: &mut Json<'t>, numbers: &mut Numbers<'t>) {
    match value {
        Json::Unsigned(_) | Json::Negative(_) => {
            numbers.next();
        }
        Json::Float(_) => {
            if let Some(number) = numbers.next().and_then(|text| Json::number(text.into())) {
                *value = number;
            }
        }
        // Numbers that came as texts, see `NUMBER`: none of this text is one of ours.
        Json::Whole(_) | Json::Null | Json::Bool(_) | Json::Text(_) => {}
        Json::Array(items) => items.iter_mut().for_each(|item| assign(item, numbers)),
        Json::Object(fields) => fields.iter_mut().for_each(|(_, value)| assign(value, numbers)),
    }
}

/// Where the first number stands that is beyond every float, as a JSON pointer.
pub(crate) fn beyond_floats(text: &str) -> Option<String> {
    // A key, or the index of an item, for each container that is open.
    let mut open: Vec<String> = Vec::new();
    let mut rest = text;
    let mut key = String::new();
    while let Some(start) = rest.chars().next() {
        match start {
            '{' | '[' => open.push(if start == '[' { "0".to_owned() } else { String::new() }),
            '}' | ']' => {
                open.pop();
            }
            '"' => {
                let mut strings = serde_json::Deserializer::from_str(rest).into_iter::<String>();
                key = strings.next()?.ok()?;
                rest = rest.get(strings.byte_offset()..)?;
                continue;
            }
            ':' => {
                *open.last_mut()? = segment(&std::mem::take(&mut key));
            }
            ',' => {
                let place = open.last_mut()?;
                if let Ok(index) = place.parse::<usize>() {
                    *place = (index + 1).to_string();
                }
            }
            '-' | '0'..='9' => {
                let mut numbers = Numbers { rest };
                if numbers.next()?.parse().is_ok_and(f64::is_infinite) {
                    return Some(open.iter().flat_map(|place| ["/", place]).collect());
                }
                rest = numbers.rest;
                continue;
            }
            _ => {}
        }
        rest = rest.get(start.len_utf8()..)?;
    }
    None
}

/// The numbers of a JSON text.
struct Numbers<'t> {
    rest: &'t str,
}

impl<'t> Iterator for Numbers<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        loop {
            let start = self.rest.find(|c: char| c == '"' || c == '-' || c.is_ascii_digit())?;
            let rest = self.rest.get(start..)?;
            let Some(mut inside) = rest.strip_prefix('"') else {
                let is_of_number = |c: char| c.is_ascii_digit() || "+-.eE".contains(c);
                let end = rest.find(|c| !is_of_number(c)).unwrap_or(rest.len());
                let (number, rest) = rest.split_at_checked(end)?;
                self.rest = rest;
                return Some(number);
            };
            loop {
                let end = inside.find(['"', '\\'])?;
                let is_escape = inside.as_bytes().get(end) == Some(&b'\\');
                inside = inside.get(end + 1..)?;
                if !is_escape {
                    break;
                }
                let mut escaped = inside.chars();
                escaped.next();
                inside = escaped.as_str();
            }
            self.rest = inside;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digits(text: &str) -> Option<String> {
        match Json::parse(text).unwrap() {
            Json::Unsigned(value) => Some(value.to_string()),
            Json::Negative(value) => Some(value.to_string()),
            Json::Whole(whole) => match whole.value {
                Some(Integer::Unsigned(value)) => Some(value.to_string()),
                Some(Integer::Negative(value)) => Some(value.to_string()),
                None => Some("beyond".to_owned()),
            },
            _ => None,
        }
    }

    #[test]
    fn whole_numbers_have_all_their_digits() {
        for (text, expected) in [
            ("0.0", "0"),
            ("-0.0", "0"),
            ("-0", "0"),
            ("0e999999999999", "0"),
            ("96230.0", "96230"),
            ("9.623e4", "96230"),
            ("1E+3", "1000"),
            ("12000e-3", "12"),
            ("-1.50e1", "-15"),
            ("9007199254740993.0", "9007199254740993"),
            ("1.8446744073709551617e19", "18446744073709551617"),
            ("340282366920938463463374607431768211455", "340282366920938463463374607431768211455"),
            ("340282366920938463463374607431768211456", "beyond"),
            (
                "-170141183460469231731687303715884105728.0",
                "-170141183460469231731687303715884105728",
            ),
            ("1e300", "beyond"),
        ] {
            assert_eq!(digits(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["1.5", "1e-3", "12300e-3", "1e-999", "0.1e0", "1e-99999999999999999999"] {
            assert_eq!(digits(text), None, "{text}");
        }
    }

    #[test]
    fn a_number_beyond_every_float_is_found() {
        for (text, place) in [
            ("1e999", Some("")),
            (r#"{"a":{"b":1},"5":["x,y",2,{"c/\"":[-1e999]}]}"#, Some("/5/2/c~1\"/0")),
            (r#"{"a":[1,1e300],"b":"1e999"}"#, None),
        ] {
            assert_eq!(beyond_floats(text).as_deref(), place, "{text}");
        }
    }

    #[test]
    fn every_float_gets_its_own_digits() {
        let text =
            r#"{"1.5": "2.5 \" 3.5 \\", "a": [1, -2.0, "\\", {"é4": 5e1}], "b": 0.5, "c": 1e2}"#;
        let Json::Object(fields) = Json::parse(text).unwrap() else { panic!() };
        assert_eq!(fields[2].1, Json::Float(0.5));
        let Json::Whole(last) = &fields[3].1 else { panic!() };
        assert_eq!(last.text, "1e2");
        let Json::Array(items) = &fields[1].1 else { panic!() };
        assert!(matches!(&items[1], Json::Whole(whole) if whole.text == "-2.0"));
        assert!(matches!(&items[3], Json::Object(inner) if inner[0].1 != Json::Float(50.0)));
    }
}
