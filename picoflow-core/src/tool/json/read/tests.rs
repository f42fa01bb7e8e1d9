//! What is read, against `serde_json` on the text itself.

use super::*;
use serde::de::DeserializeOwned;
use serde_json::{Value, value::RawValue};
use std::{
    collections::{BTreeMap, HashMap},
    fmt::Debug,
};

#[derive(Debug, Deserialize, PartialEq)]
struct Id(u32);

#[derive(Debug, Deserialize, PartialEq)]
enum Plain {
    Unit,
    Newtype(u8),
    Tuple(u8, String),
    Struct { a: Option<u8> },
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(tag = "kind")]
enum Tagged {
    Unit,
    Struct { a: i64 },
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(tag = "kind", content = "of")]
enum Adjacent {
    Unit,
    Newtype(Vec<u8>),
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(untagged)]
enum Untagged {
    Number(f64),
    Text(String),
    List(Vec<Self>),
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Closed {
    a: u8,
    #[serde(default)]
    b: Option<String>,
}

#[derive(Debug, Deserialize, PartialEq)]
struct Open {
    a: Id,
    b: Option<Box<Self>>,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

const TEXTS: &[&str] = &[
    "null",
    "true",
    "0",
    "-1",
    "300",
    "1.5",
    "1e3",
    "18446744073709551615",
    "\"\"",
    "\"Unit\"",
    "\"x\"",
    "\"7\"",
    "\"a\\nb\"",
    "[]",
    "[1]",
    "[1,2]",
    "[1,\"x\"]",
    "[[1],\"x\",[2.5]]",
    "[null]",
    "{}",
    r#"{"a":1}"#,
    r#"{"a":null}"#,
    r#"{"a":1,"b":null}"#,
    r#"{"a":1,"b":"x"}"#,
    r#"{"a":1,"b":{"a":2,"z":[1]}}"#,
    r#"{"Newtype":5}"#,
    r#"{"Newtype":500}"#,
    r#"{"Newtype":[1]}"#,
    r#"{"Tuple":[1,"x"]}"#,
    r#"{"Tuple":[1]}"#,
    r#"{"Tuple":[1,"x",2]}"#,
    r#"{"Struct":{}}"#,
    r#"{"Struct":{"a":3}}"#,
    r#"{"Unit":null}"#,
    r#"{"Unit":1}"#,
    r#"{"Newtype":1,"Unit":null}"#,
    r#"{"kind":"Unit"}"#,
    r#"{"kind":"Struct","a":-4}"#,
    r#"{"a":-4,"kind":"Struct"}"#,
    r#"{"kind":"Newtype","of":[1,2]}"#,
    r#"{"of":[1,2],"kind":"Newtype"}"#,
    r#"{"1":"x","2":"y"}"#,
    r#"{"true":1}"#,
    r#"{"1.5":1}"#,
    r#"{"Unit":7}"#,
];

/// Whatever `serde_json` reads from a text is read from the parsed text too, and the other way round.
fn reads_the_same<T: DeserializeOwned + Debug + PartialEq>() {
    for text in TEXTS {
        // A whole number is an integer, however it is written.
        let whole = if text == &"1e3" { "1000" } else { text };
        let direct = serde_json::from_str::<T>(text).or_else(|_| serde_json::from_str(whole));
        let parsed = Json::parse(text).unwrap();
        let read = T::deserialize(Node::of(&parsed));
        let kind = std::any::type_name::<T>();
        assert_eq!(
            read.as_ref().ok(),
            direct.as_ref().ok(),
            "{kind} of {text}: {read:?} {direct:?}"
        );
    }
}

#[test]
fn every_type_reads_the_same_as_from_the_text() {
    reads_the_same::<bool>();
    reads_the_same::<u8>();
    reads_the_same::<i64>();
    reads_the_same::<u64>();
    reads_the_same::<f32>();
    reads_the_same::<f64>();
    reads_the_same::<u128>();
    reads_the_same::<i128>();
    reads_the_same::<char>();
    reads_the_same::<String>();
    reads_the_same::<()>();
    reads_the_same::<Option<u8>>();
    reads_the_same::<Option<Option<u8>>>();
    reads_the_same::<Id>();
    reads_the_same::<(u8, String)>();
    reads_the_same::<[u8; 2]>();
    reads_the_same::<Vec<u8>>();
    reads_the_same::<Vec<Option<u8>>>();
    reads_the_same::<HashMap<u32, String>>();
    reads_the_same::<HashMap<bool, u8>>();
    reads_the_same::<BTreeMap<String, Value>>();
    reads_the_same::<Plain>();
    reads_the_same::<Tagged>();
    reads_the_same::<Adjacent>();
    reads_the_same::<Untagged>();
    reads_the_same::<Closed>();
    reads_the_same::<Open>();
}

#[test]
fn a_number_out_of_range_says_the_range() {
    let error = |text: &str| {
        let parsed = Json::parse(text).unwrap();
        i64::deserialize(Node::of(&parsed)).unwrap_err().to_string()
    };
    for (text, found) in [
        ("9223372036854775808", "integer `9223372036854775808`"),
        ("1e19", "floating point `10000000000000000000.0`"),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
    ] {
        let text = error(text);
        assert!(text.contains(found), "{text}");
        assert!(text.contains("-9223372036854775808 to 9223372036854775807"), "{text}");
    }
    assert_eq!(error("1.5"), "invalid type: floating point `1.5`, expected i64");
}

#[test]
fn a_value_never_rounds_an_integer() {
    for text in ["18446744073709551616", "-9223372036854775809", &"9".repeat(60)] {
        let text = format!(r#"{{"a":{text}}}"#);
        let parsed = Json::parse(&text).unwrap();
        let error = Value::deserialize(Node::of(&parsed)).unwrap_err();
        assert_eq!(error.path(), "/a");
    }
    let parsed = Json::parse("[18446744073709551615,-9223372036854775808,1.0,1e30]").unwrap();
    let value = Value::deserialize(Node::of(&parsed)).unwrap();
    assert_eq!(value.to_string(), "[18446744073709551615,-9223372036854775808,1.0,1e+30]");
}

#[test]
fn a_key_that_comes_twice_is_refused_and_raw_values_hold_the_same() {
    let text = r#"{"a":[1,{"b":null}]}"#;
    let parsed = Json::parse(text).unwrap();
    let raw = Box::<RawValue>::deserialize(Node::of(&parsed)).unwrap();
    assert_eq!(raw.get(), text);
    // `serde_json` keeps the last.
    let parsed = Json::parse(r#"{"x":{"a":1,"a":2}}"#).unwrap();
    let error = Value::deserialize(Node::of(&parsed)).unwrap_err();
    assert_eq!((error.path(), error.to_string()), ("/x".into(), "duplicate field `a`".into()));
    let fields: Vec<_> = (0..20).chain([7]).map(|name| format!("\"{name}\":0")).collect();
    let text = format!("{{{}}}", fields.join(","));
    let parsed = Json::parse(&text).unwrap();
    let error = BTreeMap::<u8, u8>::deserialize(Node::of(&parsed)).unwrap_err();
    assert_eq!(error.to_string(), "duplicate field `7`");
}

#[test]
fn the_path_goes_through_every_kind_of_container() {
    let path = |text: &str| {
        let parsed = Json::parse(text).unwrap();
        BTreeMap::<String, Vec<Plain>>::deserialize(Node::of(&parsed)).unwrap_err().path()
    };
    assert_eq!(path(r#"{"x/y":[{"Struct":{"a":"no"}}]}"#), "/x~1y/0/Struct/a");
    assert_eq!(path(r#"{"x":["Unit",{"Tuple":[1,2]}]}"#), "/x/1/Tuple/1");
    assert_eq!(path("[]"), "");
}

#[test]
fn what_is_missing_reads_as_an_option_alone() {
    assert_eq!(Option::<u8>::deserialize(Node::MISSING).unwrap(), None);
    assert!(u8::deserialize(Node::MISSING).is_err());
    assert!(Value::deserialize(Node::MISSING).is_err());
    assert!(Vec::<u8>::deserialize(Node::MISSING).is_err());
}
