//! What models write where the schema wants something slightly else.

use super::{
    Parsed, ToolCall, ToolValidator,
    shape::{Kinds, MOST_DEPTH, Matcher, Place, Shapes},
};
use serde_json::Value;
use std::borrow::Cow;

/// Brings the arguments of `call` closer to the tool's schema, without guessing: `null` for an optional property that
/// knows no `null` means that it is absent, a whole number is written as an integer where the schema wants one, and,
/// if the tool is lenient, a number in a string is that number. Anything else stays as it is and fails where it is
/// checked.
pub(crate) fn fit(call: &mut ToolCall, validator: &ToolValidator, is_lenient: bool) {
    let text = call.arguments();
    if !(is_lenient || text.contains("null") || may_have_floats(text)) {
        return;
    }
    if let Some(fitted) = fitted(text, validator.shapes(), is_lenient) {
        call.set_arguments(fitted);
    }
}

/// The reply `text` with what is `null` for an absent property taken out; `None` if it fits as it is, or is no JSON.
pub fn without_absent(text: &str, schema: &Value) -> Option<String> {
    fitted(text, &Shapes::compile(schema), false)
}

fn fitted(text: &str, shapes: &Shapes, is_lenient: bool) -> Option<String> {
    let mut value = Parsed::parse(text).ok()?;
    let is_changed = fit_value(&mut value, shapes, is_lenient);
    is_changed.then(|| serde_json::to_string(&value).ok()).flatten()
}

/// The same for a value. Returns whether anything changed.
pub(crate) fn fit_value(value: &mut Parsed<'_>, shapes: &Shapes, is_lenient: bool) -> bool {
    let fitter = Fitter { shapes, matcher: Matcher::new(shapes, value, is_lenient), is_lenient };
    fitter.fit(value, &[Shapes::ROOT], MOST_DEPTH)
}

/// The digits of the shortest numbers that may have more than 64 bits.
const LONG: usize = 19;

/// Whether a digit is followed by what makes a float of a number, a number may have more than 64 bits, or it may be `-0`.
#[expect(clippy::needless_bitwise_bool, reason = "a lazy operator is a branch for each byte")]
fn may_have_floats(text: &str) -> bool {
    let bytes = text.as_bytes();
    let after = |places: usize| bytes.get(places..).unwrap_or_default().iter();
    // Without a branch for each byte, so that the compiler takes many at a time.
    let pairs = bytes.iter().zip(after(1));
    let has_float = pairs.fold(false, |found, (digit, next)| {
        found
            | (digit.is_ascii_digit() & ((*next == b'.') | (*next | 0x20 == b'e')))
            | ((*digit == b'-') & (*next == b'0'))
    });
    let far = bytes.iter().zip(after(9)).zip(after(LONG - 1));
    has_float
        || far.fold(false, |found, ((first, middle), last)| {
            found | (first.is_ascii_digit() & middle.is_ascii_digit() & last.is_ascii_digit())
        })
}

struct Fitter<'a> {
    shapes: &'a Shapes,
    matcher: Matcher<'a>,
    is_lenient: bool,
}

impl Fitter<'_> {
    /// Fits `value` to the schemas at `places`, of which one at least is meant. Returns whether anything changed.
    fn fit(&self, value: &mut Parsed<'_>, places: &[Place], depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        let kinds = match value {
            Parsed::Whole(_) | Parsed::Text(_) => self.kinds(places),
            _ => Kinds::NONE,
        };
        match value {
            Parsed::Object(_) | Parsed::Array(_) => {
                let mut found = Vec::new();
                for place in places {
                    self.matcher.collect(value, *place, MOST_DEPTH, &mut found);
                }
                self.fit_inside(value, &found, depth)
            }
            Parsed::Whole(whole) => {
                let is_integer = kinds.has(Kinds::INTEGER) && !kinds.has(Kinds::FRACTION);
                // Where a number of any kind is wanted, the nearest float is what is read.
                let is_float = kinds.has(Kinds::FRACTION) && kinds != Kinds::ALL;
                let fitted = if is_integer {
                    Parsed::integer(whole)
                } else if is_float && whole.is_written_as_integer() {
                    Some(Parsed::Float(whole.float()))
                } else {
                    None
                };
                fitted.map(|fitted| *value = fitted).is_some()
            }
            Parsed::Text(text) if self.is_lenient => {
                let number = number(text);
                let is_wanted =
                    |number: &Parsed<'_>| !kinds.has(Kinds::TEXT) && kinds.has(Kinds::of(number));
                let Some(number) = number.filter(is_wanted) else {
                    return false;
                };
                *value = number;
                self.fit(value, places, depth);
                true
            }
            _ => false,
        }
    }

    fn fit_inside(&self, value: &mut Parsed<'_>, found: &[Place], depth: usize) -> bool {
        let shapes = || found.iter().filter_map(|place| self.shapes.get(*place));
        match value {
            Parsed::Object(fields) => {
                let before = fields.len();
                fields.retain(|(name, value)| {
                    if *value != Parsed::Null {
                        return true;
                    }
                    let properties: Vec<_> =
                        shapes().filter_map(|shape| shape.property(name)).collect();
                    properties.is_empty()
                        || shapes().any(|shape| shape.is_required(name))
                        || self.kinds(&properties).has(Kinds::NULL)
                });
                let mut is_changed = fields.len() != before;
                for (name, value) in fields.iter_mut() {
                    let places: Vec<_> = shapes().filter_map(|shape| shape.field(name)).collect();
                    is_changed |= !places.is_empty() && self.fit(value, &places, depth);
                }
                is_changed
            }
            Parsed::Array(items) => {
                let mut is_changed = false;
                for (index, item) in items.iter_mut().enumerate() {
                    let places: Vec<_> = shapes().filter_map(|shape| shape.item(index)).collect();
                    is_changed |= !places.is_empty() && self.fit(item, &places, depth);
                }
                is_changed
            }
            _ => false,
        }
    }

    /// What a value may be by one of `places` at least.
    fn kinds(&self, places: &[Place]) -> Kinds {
        let kinds = places.iter().map(|place| self.matcher.kinds(*place, MOST_DEPTH));
        kinds.fold(Kinds::NONE, |all, kinds| all | kinds)
    }
}

/// The number in `text`, if it is one and nothing else.
pub(super) fn number(text: &str) -> Option<Parsed<'static>> {
    let text = text.trim();
    let is_number = serde_json::from_str::<serde_json::Number>(text).is_ok();
    is_number.then(|| Parsed::number(Cow::Owned(text.to_owned()))).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ToolDefinition;
    use schemars::JsonSchema;
    use serde_json::json;

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Order {
        item: String,
        #[schemars(default)]
        count: u32,
        note: Option<String>,
        parts: Vec<Part>,
        best: Option<Part>,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Part {
        weight: f64,
        #[schemars(default)]
        size: u8,
    }

    fn fitted(tool: &ToolDefinition, arguments: &Value) -> Value {
        let mut call = ToolCall::new("1", "order", arguments);
        let validator = ToolValidator::compile(tool.schema()).unwrap();
        fit(&mut call, &validator, tool.is_lenient());
        serde_json::from_str(call.arguments()).unwrap()
    }

    #[test]
    fn null_for_an_optional_property_means_that_it_is_absent() {
        let tool = ToolDefinition::of::<Order>("order", "Order");
        let arguments = json!({
            "item": null, "count": null, "note": null,
            "parts": [{ "weight": null, "size": null }], "best": { "weight": 1.0, "size": null }
        });
        assert_eq!(
            fitted(&tool, &arguments),
            // What is required stays and fails; what may be `null` stays and is.
            json!({ "item": null, "note": null, "parts": [{ "weight": null }], "best": { "weight": 1.0 } })
        );
    }

    #[test]
    fn numbers_in_strings_are_numbers_only_for_a_lenient_tool() {
        let arguments = json!({ "item": "5", "count": "5", "parts": [{ "weight": " 1.5 " }], "best": { "weight": "2" } });
        let tool = ToolDefinition::of::<Order>("order", "Order");
        assert_eq!(fitted(&tool, &arguments), arguments);
        assert_eq!(
            fitted(&tool.lenient(), &arguments),
            json!({ "item": "5", "count": 5, "parts": [{ "weight": 1.5 }], "best": { "weight": 2 } })
        );
    }

    #[test]
    fn what_is_no_number_of_the_right_kind_stays_a_string() {
        let tool = ToolDefinition::of::<Order>("order", "Order").lenient();
        for count in ["5.5", "five", "", "0x5", "NaN", "5 items"] {
            let arguments = json!({ "item": "a", "count": count, "parts": [] });
            assert_eq!(fitted(&tool, &arguments), arguments);
        }
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        let schema =
            json!({ "type": "object", "properties": { "a": { "$ref": "#/properties/a" } } });
        let tool = ToolDefinition::new("t", "T", schema).lenient();
        assert_eq!(fitted(&tool, &json!({ "a": "1" })), json!({ "a": "1" }));
    }
}
