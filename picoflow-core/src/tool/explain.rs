//! What is wrong with a value that fits no branch of a choice.

use super::{
    Parsed,
    error::ArgumentFault,
    shape::{Kinds, Rest, Shape, Shapes, is_one_of},
};
use crate::text::segment;
use jsonschema::{ValidationError, error::ValidationErrorKind};
use serde_json::Value;

/// How many forms of a choice are told that a value fits none of, and how many names.
const MOST_FORMS: usize = 4;
const MOST_NAMES: usize = 30;

/// How deep choices in choices are followed.
const MOST_LEVELS: usize = 16;

/// The faults behind one error of the validator, each at its place.
pub(super) fn faults(
    error: &ValidationError<'_>,
    arguments: &Parsed<'_>,
    shapes: &Shapes,
) -> Vec<ArgumentFault> {
    Explainer { arguments, shapes }.faults(error, MOST_LEVELS)
}

struct Explainer<'a> {
    arguments: &'a Parsed<'a>,
    shapes: &'a Shapes,
}

impl Explainer<'_> {
    fn faults(&self, error: &ValidationError<'_>, levels: usize) -> Vec<ArgumentFault> {
        let path = error.instance_path().as_str();
        let plain = || vec![ArgumentFault::new(path.to_owned(), error.to_string())];
        let (ValidationErrorKind::AnyOf { context }
        | ValidationErrorKind::OneOfNotValid { context }) = error.kind()
        else {
            return plain();
        };
        let Some(levels) = levels.checked_sub(1) else {
            return plain();
        };
        let place = error.schema_path().as_str();
        let Some(value) = pointed(self.arguments, path) else {
            return plain();
        };
        let choice = self.shapes.branches(place, context.len());
        let branches: Vec<Branch<'_>> = choice
            .into_iter()
            .enumerate()
            .map(|(index, place)| Branch { index, shapes: self.shapes.always(place) })
            .collect();
        match self.meant(value, &branches) {
            Meant::Fault { below, message } => {
                let path = below
                    .map_or_else(|| path.to_owned(), |name| format!("{path}/{}", segment(name)));
                vec![ArgumentFault::new(path, message)]
            }
            Meant::Branches(meant) => {
                let of_branches: Vec<Vec<ArgumentFault>> = meant
                    .into_iter()
                    .filter_map(|index| context.get(index))
                    .map(|errors| {
                        errors.iter().flat_map(|error| self.faults(error, levels)).collect()
                    })
                    .filter(|faults: &Vec<_>| !faults.is_empty())
                    .collect();
                match <[_; 1]>::try_from(of_branches) {
                    Ok([only]) => only,
                    Err(several) if several.is_empty() => plain(),
                    Err(several) => {
                        let forms = several.iter().take(MOST_FORMS).map(|faults| {
                            let faults: Vec<_> = faults.iter().map(ToString::to_string).collect();
                            format!("({})", faults.join(", "))
                        });
                        let forms = forms.collect::<Vec<_>>().join(" or ");
                        let message = format!("fits none of {} forms: {forms}", several.len());
                        vec![ArgumentFault::new(path.to_owned(), message)]
                    }
                }
            }
        }
    }
}

/// What a value that fits no branch is taken for.
enum Meant<'s> {
    /// One of these branches, which say what is wrong.
    Branches(Vec<usize>),
    /// None: it names a variant that is not there.
    Fault {
        /// The field that names it; `None`: the value itself.
        below: Option<&'s str>,
        message: String,
    },
}

impl Explainer<'_> {
    fn meant<'b>(&self, value: &'b Parsed<'_>, branches: &'b [Branch<'_>]) -> Meant<'b> {
        let fault = |below, message| Meant::Fault { below, message };
        // `null` beside a type is an option: whoever sends something else means the type.
        let is_null = |branch: &&Branch<'_>| branch.kinds() == Kinds::NULL;
        let branches: Vec<_> = branches.iter().filter(|branch| !is_null(branch)).collect();
        let kind = Kinds::of(value);
        let of_kind: Vec<_> =
            branches.iter().filter(|branch| branch.kinds().has(kind)).copied().collect();
        if let Parsed::Object(fields) = value {
            if let Some(tag) = self.tag(&of_kind) {
                let Some((_, variant)) = fields.iter().find(|(name, _)| name == tag) else {
                    let names = self.tagged(&of_kind, tag);
                    return fault(None, format!("missing field `{tag}`, {}", one_of(&names)));
                };
                let meant: Vec<_> = of_kind
                    .iter()
                    .filter(|branch| {
                        let values = self.values(branch, tag);
                        values.is_none_or(|values| is_one_of(variant, values))
                    })
                    .map(|branch| branch.index)
                    .collect();
                if meant.is_empty() {
                    let names = self.tagged(&of_kind, tag);
                    return fault(Some(tag), unknown(variant, &names));
                }
                return Meant::Branches(meant);
            }
            let keys: Vec<_> = of_kind.iter().filter_map(|branch| branch.key()).collect();
            if !keys.is_empty() && keys.len() == of_kind.len() {
                let has = |key: &str| fields.iter().any(|(name, _)| name == key);
                let meant = of_kind.iter().filter(|branch| branch.key().is_some_and(has));
                let meant: Vec<_> = meant.map(|branch| branch.index).collect();
                if meant.is_empty() {
                    let names = names(&branches);
                    return match fields.as_slice() {
                        [(name, _)] if names.iter().any(|known| known == name) => {
                            let way_out = format!("expected the text \"{name}\"");
                            fault(None, format!("variant `{name}` has no content, {way_out}"))
                        }
                        [(name, _)] => {
                            fault(None, unknown(&Parsed::Text(name.as_ref().into()), &names))
                        }
                        _ => fault(None, format!("no variant is named, {}", one_of(&names))),
                    };
                }
                return Meant::Branches(meant);
            }
        }
        let is_listed = |branch: &&Branch<'_>| branch.values().is_some();
        if of_kind.is_empty() || of_kind.iter().all(is_listed) {
            let names = names(&branches);
            if of_kind.is_empty() {
                let kinds = branches.iter().fold(Kinds::NONE, |all, branch| all | branch.kinds());
                let wanted = if names.is_empty() {
                    format!("expected {}", kinds.names().join(" or "))
                } else {
                    one_of(&names)
                };
                return fault(None, format!("invalid type: {}, {wanted}", shown(value)));
            }
            if let Parsed::Text(text) = value
                && names.iter().any(|known| known == text)
            {
                let way_out = format!("expected an object, {{\"{text}\": …}}");
                return fault(None, format!("variant `{text}` has content, {way_out}"));
            }
            if !names.is_empty() {
                return fault(None, unknown(value, &names));
            }
        }
        Meant::Branches(of_kind.into_iter().map(|branch| branch.index).collect())
    }

    /// The property that tells `branches` apart: each requires it, and lists its values.
    fn tag<'b>(&self, branches: &[&'b Branch<'_>]) -> Option<&'b str> {
        let (first, others) = branches.split_first()?;
        let mut names = first.shapes.iter().flat_map(|shape| &shape.required);
        let is_tag = |name: &&String| {
            self.values(first, name).is_some()
                && others.iter().all(|branch| {
                    branch.shapes.iter().any(|shape| shape.is_required(name))
                        && self.values(branch, name).is_some()
                })
        };
        names.find(is_tag).map(String::as_str)
    }

    /// The values that the property `name` may have by `branch`, where it lists them.
    fn values(&self, branch: &Branch<'_>, name: &str) -> Option<&Vec<Value>> {
        let mut places = branch.shapes.iter().filter_map(|shape| shape.property(name));
        places.find_map(|place| {
            let shapes = self.shapes.always(place);
            shapes.into_iter().find_map(|shape| shape.values.as_ref())
        })
    }

    fn tagged(&self, branches: &[&Branch<'_>], tag: &str) -> Vec<String> {
        let values = branches.iter().filter_map(|branch| self.values(branch, tag)).flatten();
        values.map(written).collect()
    }
}

/// One branch of a choice.
struct Branch<'s> {
    index: usize,
    /// The schema, and what holds with it.
    shapes: Vec<&'s Shape>,
}

impl<'s> Branch<'s> {
    fn kinds(&self) -> Kinds {
        self.shapes.iter().fold(Kinds::ALL, |kinds, shape| kinds & shape.kinds)
    }

    /// The values that it may be, where it lists them.
    fn values(&self) -> Option<&'s Vec<Value>> {
        self.shapes.iter().find_map(|shape| shape.values.as_ref())
    }

    /// The one key of a variant whose name stands outside of its content.
    fn key(&self) -> Option<&'s str> {
        self.shapes.iter().find_map(|shape| match (&shape.properties, shape.required.as_slice()) {
            (Some(properties), [only]) if properties.len() == 1 => {
                (shape.rest == Rest::Closed).then_some(&**only)
            }
            _ => None,
        })
    }
}

/// The names of all variants that stand by themselves or outside of their content.
fn names(branches: &[&Branch<'_>]) -> Vec<String> {
    let of_branch = |branch: &&Branch<'_>| {
        let listed = branch.values().into_iter().flatten().map(written);
        listed.chain(branch.key().map(str::to_owned)).collect::<Vec<_>>()
    };
    branches.iter().flat_map(of_branch).collect()
}

fn written(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn unknown(value: &Parsed<'_>, names: &[String]) -> String {
    let found = match value {
        Parsed::Text(text) => text.clone().into_owned(),
        value => shown(value),
    };
    format!("unknown variant `{found}`, {}", one_of(names))
}

fn one_of(names: &[String]) -> String {
    let (first, more) = match names.split_at_checked(MOST_NAMES) {
        Some((first, [_, ..])) => (first, " and more"),
        _ => (names, ""),
    };
    match first {
        [only] => format!("expected `{only}`"),
        names => format!("expected one of `{}`{more}", names.join("`, `")),
    }
}

fn shown(value: &Parsed<'_>) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// The value at a JSON pointer.
fn pointed<'v, 't>(value: &'v Parsed<'t>, pointer: &str) -> Option<&'v Parsed<'t>> {
    pointer.split('/').skip(1).try_fold(value, |value, segment| match value {
        Parsed::Object(fields) => {
            let name = segment.replace("~1", "/").replace("~0", "~");
            fields.iter().find(|(field, _)| **field == name).map(|(_, value)| value)
        }
        Parsed::Array(items) => items.get(segment.parse::<usize>().ok()?),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use crate::tool::{Parsed, ToolValidator, schema_of};
    use schemars::JsonSchema;

    #[derive(JsonSchema)]
    #[serde(tag = "kind", rename_all = "lowercase")]
    #[expect(dead_code, reason = "only its schema is used")]
    enum Tagged {
        Pickup { at: u8 },
        Delivery { to: String },
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    enum Outside {
        Unit,
        /// Said of it
        Said,
        Newtype(u8),
        Struct {
            a: u8,
        },
    }

    #[derive(JsonSchema)]
    #[serde(tag = "t", content = "c")]
    #[expect(dead_code, reason = "only its schema is used")]
    enum Adjacent {
        A(u8),
        B,
    }

    #[derive(JsonSchema)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "only its schema is used")]
    enum Untagged {
        Number(u8),
        Struct { a: u8 },
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct All {
        d: Option<Tagged>,
        o: Option<Outside>,
        a: Vec<Adjacent>,
        u: Option<Untagged>,
        #[serde(flatten)]
        flat: Flat,
    }

    #[derive(JsonSchema)]
    #[serde(tag = "how")]
    #[expect(dead_code, reason = "only its schema is used")]
    enum Flat {
        Fast { km: u8 },
        Slow,
    }

    #[test]
    fn a_choice_says_where_and_which_variants_exist() {
        let validator = ToolValidator::compile(&schema_of::<All>()).unwrap();
        for (arguments, expected) in [
            (
                r#""d":{"kind":"piccup"}"#,
                "at `/d/kind`: unknown variant `piccup`, expected one of `pickup`, `delivery`",
            ),
            (
                r#""d":{"at":1}"#,
                "at `/d`: missing field `kind`, expected one of `pickup`, `delivery`",
            ),
            (r#""d":{"kind":"pickup","at":"x"}"#, "at `/d/at`: \"x\" is not of type \"integer\""),
            (r#""d":{"kind":"delivery"}"#, "at `/d`: \"to\" is a required property"),
            (r#""d":5"#, "at `/d`: invalid type: 5, expected object"),
            (
                r#""o":"Unt""#,
                "at `/o`: unknown variant `Unt`, expected one of `Unit`, `Said`, `Newtype`, `Struct`",
            ),
            (
                r#""o":{"Newtpe":1}"#,
                "at `/o`: unknown variant `Newtpe`, expected one of `Unit`, `Said`, `Newtype`, `Struct`",
            ),
            (
                r#""o":"Newtype""#,
                "at `/o`: variant `Newtype` has content, expected an object, {\"Newtype\": …}",
            ),
            (
                r#""o":{"Unit":null}"#,
                "at `/o`: variant `Unit` has no content, expected the text \"Unit\"",
            ),
            (r#""o":{"Struct":{"a":"x"}}"#, "at `/o/Struct/a`: \"x\" is not of type \"integer\""),
            (
                r#""o":7"#,
                "at `/o`: invalid type: 7, expected one of `Unit`, `Said`, `Newtype`, `Struct`",
            ),
            (r#""a":[{"t":"C"}]"#, "at `/a/0/t`: unknown variant `C`, expected one of `A`, `B`"),
            (r#""a":[{"t":"A","c":[]}]"#, "at `/a/0/c`: [] is not of type \"integer\""),
            (r#""u":"x""#, "at `/u`: invalid type: \"x\", expected integer or object"),
            (r#""u":{"b":1}"#, "at `/u`: \"a\" is a required property"),
        ] {
            let a = if arguments.starts_with("\"a\"") { "" } else { ",\"a\":[]" };
            let text = format!("{{{arguments}{a},\"how\":\"Slow\"}}");
            let error = validator.check(&Parsed::parse(&text).unwrap()).unwrap_err().to_string();
            assert_eq!(error, expected, "{text}");
        }
        let error = validator.check(&Parsed::parse(r#"{"a":[],"how":"Slw"}"#).unwrap());
        let error = error.unwrap_err().to_string();
        assert_eq!(error, "at `/how`: unknown variant `Slw`, expected one of `Fast`, `Slow`");
    }
}
