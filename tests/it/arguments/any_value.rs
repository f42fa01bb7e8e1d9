//! Any value of many types, in any way of writing it, against `serde_json`.

use super::Desk;
use crate::support::Talk;
use picoflow::{
    prelude::*,
    testing::{Rule, ScriptedModel},
};
use proptest::{collection::btree_map, collection::vec, option, prelude::*, sample::select};
use serde::{Serialize, de::DeserializeOwned};
use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    fmt::Debug,
    num::{NonZeroI64, NonZeroU32},
};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Integers {
    a: u8,
    b: i8,
    c: u16,
    d: i16,
    e: u32,
    f: i32,
    g: u64,
    h: i64,
    n: NonZeroU32,
    z: NonZeroI64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Wide {
    u: u128,
    i: i128,
    list: Vec<u128>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Lists {
    list: Vec<i64>,
    pair: (u8, i32, String),
    maybe: Option<Vec<Option<u16>>>,
    fixed: [i16; 2],
    set: BTreeSet<u32>,
    deep: Vec<Options>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Maps {
    by_name: BTreeMap<String, i64>,
    by_number: BTreeMap<u32, u8>,
    deep: BTreeMap<String, Vec<Options>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Options {
    x: Option<i64>,
    inner: Option<Box<Self>>,
    #[serde(default)]
    defaulted: u8,
    ratio: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
enum Outside {
    Unit,
    Newtype(i64),
    Tuple(u8, Option<i32>),
    Struct {
        n: u16,
        maybe: Option<i8>,
        #[serde(default)]
        defaulted: u8,
    },
    Inner(Options),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Inside {
    Unit,
    Struct {
        n: i64,
        maybe: Option<u32>,
        #[serde(default)]
        defaulted: u8,
        ratio: f64,
    },
    Inner(Options),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "t", content = "c")]
enum Beside {
    Unit,
    Newtype(u64),
    Struct {
        n: i64,
        #[serde(default)]
        defaulted: u8,
    },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Untagged {
    Integer(i64),
    Text(String),
    Struct {
        n: i64,
        maybe: Option<u8>,
        #[serde(default)]
        defaulted: u8,
    },
    List(Vec<i32>),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Choices {
    outside: Outside,
    inside: Inside,
    beside: Option<Beside>,
    untagged: Vec<Untagged>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind")]
enum Tagged {
    Unit,
    Struct {
        n: i64,
        maybe: Option<u32>,
        #[serde(default)]
        defaulted: u8,
    },
    Float {
        n: f64,
        inner: Option<Options>,
    },
}

/// Without a variant that takes its fields from another type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct ClosedChoices {
    outside: Outside,
    tagged: Vec<Tagged>,
    beside: Option<Beside>,
    untagged: Vec<Untagged>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct FlatChoice {
    id: u32,
    #[serde(flatten)]
    how: Inside,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct FlatMap {
    id: i8,
    #[serde(flatten)]
    rest: BTreeMap<String, i64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct FlatStruct {
    a: i32,
    #[serde(flatten)]
    inner: Options,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Closed {
    a: i64,
    b: Option<f32>,
}

fn integers() -> impl Strategy<Value = Integers> {
    let small = (any::<u8>(), any::<i8>(), any::<u16>(), any::<i16>(), any::<u32>(), any::<i32>());
    let large = (any::<u64>(), any::<i64>(), 1..u32::MAX, 1..i64::MAX);
    (small, large).prop_map(|((a, b, c, d, e, f), (g, h, n, z))| Integers {
        a,
        b,
        c,
        d,
        e,
        f,
        g,
        h,
        n: NonZeroU32::new(n).unwrap(),
        z: NonZeroI64::new(-z).unwrap(),
    })
}

fn wide() -> impl Strategy<Value = Wide> {
    (any::<u128>(), any::<i128>(), vec(any::<u128>(), 0..3)).prop_map(|(u, i, list)| Wide {
        u,
        i,
        list,
    })
}

fn options() -> impl Strategy<Value = Options> {
    let leaf = (option::of(any::<i64>()), 0..3_u8, option::of(half()));
    let leaf = leaf.prop_map(|(x, defaulted, ratio)| Options { x, inner: None, defaulted, ratio });
    leaf.prop_recursive(3, 6, 1, |inner| {
        (
            option::of(any::<i64>()),
            option::of(inner.prop_map(Box::new)),
            0..3_u8,
            option::of(half()),
        )
            .prop_map(|(x, inner, defaulted, ratio)| Options {
                x,
                inner,
                defaulted,
                ratio,
            })
    })
}

/// A float that is written without loss, whole or not.
fn half() -> impl Strategy<Value = f64> {
    any::<i16>().prop_map(|halves| f64::from(halves) / 2.0)
}

fn word() -> impl Strategy<Value = String> {
    select(vec!["", "a", "null", "1.0", "2e5", "\"quoted\\", "ä\n", "12345678901234567890123"])
        .prop_map(str::to_owned)
}

fn lists() -> impl Strategy<Value = Lists> {
    let list = (vec(any::<i64>(), 0..4), (any::<u8>(), any::<i32>(), word()));
    let maybe = option::of(vec(option::of(any::<u16>()), 0..3));
    let rest = (any::<[i16; 2]>(), vec(any::<u32>(), 0..3), vec(options(), 0..3));
    (list, maybe, rest).prop_map(|((list, pair), maybe, (fixed, set, deep))| Lists {
        list,
        pair,
        maybe,
        fixed,
        set: set.into_iter().collect(),
        deep,
    })
}

fn maps() -> impl Strategy<Value = Maps> {
    let by_name = btree_map(word(), any::<i64>(), 0..3);
    let deep = btree_map(word(), vec(options(), 0..3), 0..3);
    (by_name, btree_map(any::<u32>(), any::<u8>(), 0..3), deep)
        .prop_map(|(by_name, by_number, deep)| Maps { by_name, by_number, deep })
}

fn outside() -> impl Strategy<Value = Outside> {
    prop_oneof![
        Just(Outside::Unit),
        any::<i64>().prop_map(Outside::Newtype),
        (any::<u8>(), option::of(any::<i32>())).prop_map(|(a, b)| Outside::Tuple(a, b)),
        (any::<u16>(), option::of(any::<i8>()), 0..3_u8)
            .prop_map(|(n, maybe, defaulted)| Outside::Struct { n, maybe, defaulted }),
        options().prop_map(Outside::Inner),
    ]
}

fn inside() -> impl Strategy<Value = Inside> {
    prop_oneof![
        Just(Inside::Unit),
        (any::<i64>(), option::of(any::<u32>()), 0..3_u8, half())
            .prop_map(|(n, maybe, defaulted, ratio)| Inside::Struct { n, maybe, defaulted, ratio }),
        options().prop_map(Inside::Inner),
    ]
}

fn beside() -> impl Strategy<Value = Beside> {
    prop_oneof![
        Just(Beside::Unit),
        any::<u64>().prop_map(Beside::Newtype),
        (any::<i64>(), 0..3_u8).prop_map(|(n, defaulted)| Beside::Struct { n, defaulted }),
    ]
}

fn untagged() -> impl Strategy<Value = Untagged> {
    prop_oneof![
        any::<i64>().prop_map(Untagged::Integer),
        word().prop_map(Untagged::Text),
        (any::<i64>(), option::of(any::<u8>()), 0..3_u8)
            .prop_map(|(n, maybe, defaulted)| Untagged::Struct { n, maybe, defaulted }),
        vec(any::<i32>(), 0..3).prop_map(Untagged::List),
    ]
}

fn choices() -> impl Strategy<Value = Choices> {
    (outside(), inside(), option::of(beside()), vec(untagged(), 0..3)).prop_map(
        |(outside, inside, beside, untagged)| Choices { outside, inside, beside, untagged },
    )
}

fn closed_choices() -> impl Strategy<Value = ClosedChoices> {
    let tagged = prop_oneof![
        Just(Tagged::Unit),
        (any::<i64>(), option::of(any::<u32>()), 0..3_u8)
            .prop_map(|(n, maybe, defaulted)| Tagged::Struct { n, maybe, defaulted }),
        (half(), option::of(options())).prop_map(|(n, inner)| Tagged::Float { n, inner }),
    ];
    (outside(), vec(tagged, 0..3), option::of(beside()), vec(untagged(), 0..3)).prop_map(
        |(outside, tagged, beside, untagged)| ClosedChoices { outside, tagged, beside, untagged },
    )
}

fn flat_choice() -> impl Strategy<Value = FlatChoice> {
    (any::<u32>(), inside()).prop_map(|(id, how)| FlatChoice { id, how })
}

fn flat_map() -> impl Strategy<Value = FlatMap> {
    let names = select(vec!["a", "b", "null", "1.0"]).prop_map(str::to_owned);
    (any::<i8>(), btree_map(names, any::<i64>(), 0..3)).prop_map(|(id, rest)| FlatMap { id, rest })
}

fn flat_struct() -> impl Strategy<Value = FlatStruct> {
    (any::<i32>(), options()).prop_map(|(a, inner)| FlatStruct { a, inner })
}

fn closed() -> impl Strategy<Value = Closed> {
    (any::<i64>(), option::of(any::<i16>().prop_map(f32::from))).prop_map(|(a, b)| Closed { a, b })
}

/// `value` as an argument, written in another way: whole numbers as floats, what is `null` left out.
fn written(value: &impl Serialize, ways: &[u8]) -> String {
    let mut ways = ways.iter().copied().cycle();
    let mut way = move || ways.next().unwrap_or(0);
    // Numbers of more than 64 bits are in no `Value`.
    let text = match serde_json::to_value(value) {
        Ok(mut value) => {
            leave_out(&mut value, &mut way);
            value.to_string()
        }
        Err(_) => serde_json::to_string(value).unwrap(),
    };
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find(|c: char| c == '"' || c == '-' || c.is_ascii_digit()) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = if rest.starts_with('"') {
            let escaped = |at: usize| {
                rest[..at].bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
            };
            let mut quotes = rest.match_indices('"').skip(1).map(|(at, _)| at);
            quotes.find(|at| !escaped(*at)).unwrap() + 1
        } else {
            rest.find(|c: char| !(c.is_ascii_digit() || "+-.eE".contains(c))).unwrap_or(rest.len())
        };
        let (token, after) = rest.split_at(end);
        let is_integer = !token.starts_with('"') && !token.contains(['.', 'e']);
        out.push_str(&if is_integer { number(token, way()) } else { token.to_owned() });
        rest = after;
    }
    out + rest
}

/// An integer in one of the ways to write it.
fn number(digits: &str, way: u8) -> String {
    match way % 5 {
        0 => format!("{digits}.0"),
        1 => format!("{digits}e0"),
        2 if digits != "0" => format!("{digits}0e-1"),
        3 => match digits.strip_suffix('0').filter(|rest| !rest.is_empty() && *rest != "-") {
            Some(rest) => format!("{rest}E+1"),
            None => format!("{digits}.00"),
        },
        _ => digits.to_owned(),
    }
}

/// Leaves some of the fields out that are `null`.
fn leave_out(value: &mut Value, way: &mut impl FnMut() -> u8) {
    match value {
        Value::Object(map) => {
            map.retain(|_, value| !(value.is_null() && way().is_multiple_of(2)));
            map.values_mut().for_each(|value| leave_out(value, way));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| leave_out(item, way)),
        _ => {}
    }
}

/// Everything that the strict form asks for: all fields, `null` for what could be left out.
fn strictly(value: &impl Serialize) -> Option<String> {
    let mut value = serde_json::to_value(value).ok()?;
    defaults(&mut value);
    Some(value.to_string())
}

fn defaults(value: &mut Value) {
    match value {
        Value::Object(map) => {
            for (name, value) in map.iter_mut() {
                if name == "defaulted" && *value == 0 {
                    *value = Value::Null;
                }
                defaults(value);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(defaults),
        _ => {}
    }
}

fn same<T: DeserializeOwned + PartialEq + Debug>(told: &str, value: &T, text: &str) {
    let inner: Result<String, _> = serde_json::from_str(told);
    let inner = inner.unwrap_or_else(|_| panic!("{text}: {told}"));
    assert_eq!(&serde_json::from_str::<T>(&inner).unwrap(), value, "{text}");
}

/// What the model is told of the strict tool, and whether it is strict.
async fn told<S: Step + Default>() -> (Value, bool) {
    let script = ScriptedModel::new().on(Rule::new(), "done");
    let mut talk = Talk::new(Steps::new().add(S::default()), script).await;
    talk.say("go").await;
    let request = talk.last_request();
    let tool = request.tools.iter().find(|tool| tool.name() == "strict_whole").unwrap();
    (tool.schema().clone(), tool.is_strict())
}

macro_rules! types {
    ($($name:ident: $type:ty, $values:expr, $is_strict:literal;)*) => {$(
        mod $name {
            use super::*;

            #[derive(Default)]
            struct Takes;

            #[tools]
            impl Step for Takes {
                /// The whole object
                #[tool(define)]
                fn whole(&self, Args(value): Args<$type>) -> Json<String> {
                    Json(serde_json::to_string(&value).unwrap())
                }

                /// One parameter
                #[tool(define)]
                fn named(&self, value: $type) -> Json<String> {
                    Json(serde_json::to_string(&value).unwrap())
                }

                /// The whole object, for a model that writes numbers as strings
                #[tool(define, lenient)]
                fn lenient(&self, Args(value): Args<$type>) -> Json<String> {
                    Json(serde_json::to_string(&value).unwrap())
                }

                /// The whole object, strictly
                #[tool(define, strict)]
                fn strict_whole(&self, Args(value): Args<$type>) -> Json<String> {
                    Json(serde_json::to_string(&value).unwrap())
                }

                /// A list, strictly
                #[tool(define, strict)]
                fn strict_list(&self, values: Vec<$type>) -> Json<String> {
                    Json(serde_json::to_string(&values).unwrap())
                }

                /// Read by the handler
                #[tools(["whole", "named"])]
                fn both(&self, calls: &[ToolCall]) -> Result<Json<String>, ToolError> {
                    let whole = calls[0].args::<$type>()?;
                    Ok(Json(serde_json::to_string(&whole)?))
                }
            }

            #[test]
            fn any_value_arrives_as_it_was_written() {
                let runtime = tokio::runtime::Runtime::new().unwrap();
                let desk = RefCell::new(runtime.block_on(Desk::new::<Takes>()));
                let (strict, is_strict) = runtime.block_on(told::<Takes>());
                assert_eq!(is_strict, $is_strict, "{strict}");
                let config = ProptestConfig { cases: 48, ..ProptestConfig::default() };
                let seeds = vec(any::<u8>(), 1..20);
                proptest!(config, |(value in $values, ways in seeds)| {
                    let mut desk = desk.borrow_mut();
                    let text = written(&value, &ways);
                    for tool in ["whole", "lenient", "strict_whole"] {
                        let told = runtime.block_on(desk.call(tool, &text));
                        same(&told, &value, &text);
                    }
                    let call = ToolCall::from_text("1", "whole", &*text);
                    assert_eq!(&call.args::<$type>().unwrap(), &value, "{text}");
                    let named = format!("{{\"value\":{text}}}");
                    same(&runtime.block_on(desk.call("named", &named)), &value, &named);
                    let told = runtime.block_on(desk.both(&text, &named));
                    same(&told, &value, &text);
                    if let Some(text) = strictly(&value) {
                        let sent = serde_json::from_str(&text).unwrap();
                        if is_strict {
                            assert!(jsonschema::is_valid(&strict, &sent), "{strict}: {text}");
                        }
                        let told = runtime.block_on(desk.call("strict_whole", &text));
                        same(&told, &value, &text);
                        let list = format!("{{\"values\":[{text}]}}");
                        let told = runtime.block_on(desk.call("strict_list", &list));
                        same(&told, &vec![value.clone()], &list);
                    }
                    assert_eq!(desk.warnings(), [""; 0]);
                });
            }
        }
    )*};
}

types! {
    of_integers: Integers, integers(), true;
    of_wide_integers: Wide, wide(), true;
    of_lists: Lists, lists(), true;
    of_maps: Maps, maps(), false;
    of_options: Options, options(), true;
    of_choices: Choices, choices(), false;
    of_closed_choices: ClosedChoices, closed_choices(), true;
    of_a_flattened_choice: FlatChoice, flat_choice(), false;
    of_a_flattened_map: FlatMap, flat_map(), false;
    of_a_flattened_struct: FlatStruct, flat_struct(), true;
    of_a_closed_struct: Closed, closed(), true;
}
