//! Values that a way of reading could lose: nothing is dropped, rounded or taken for something else without a word.

#![expect(dead_code, reason = "values are shown whole")]

use super::Desk;
use picoflow::prelude::*;
use std::{collections::BTreeMap, fmt::Write};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "kind")]
enum Part {
    Count { n: i64 },
    Name { text: String },
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Loose {
    Whole { n: u32 },
    Named { text: String },
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Parts {
    parts: Vec<Flat>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Flat {
    id: u32,
    #[serde(flatten)]
    part: Option<Part>,
}

#[derive(Default)]
struct Shelf;

#[tools]
impl Step for Shelf {
    /// Takes an id with a part or without
    #[tool(define)]
    fn flat(&self, Args(flat): Args<Flat>) -> Json<String> {
        Json(format!("{flat:?}"))
    }

    /// Takes parts by number
    #[tool(define)]
    fn numbered(&self, parts: BTreeMap<u32, Part>) -> Json<String> {
        Json(format!("{parts:?}"))
    }

    /// Takes what fits first
    #[tool(define)]
    fn loose(&self, value: Loose) -> Json<String> {
        Json(format!("{value:?}"))
    }

    /// Takes what fits first, from the raw call
    #[tool(define)]
    fn raw(&self, call: &ToolCall) -> Result<Json<String>, ToolError> {
        Ok(Json(format!("{:?}", call.args::<Loose>()?)))
    }

    /// Takes a wide integer
    #[tool(define)]
    fn wide(&self, count: u128) -> Json<String> {
        Json(count.to_string())
    }

    /// Takes a small float
    #[tool(define)]
    fn small(&self, ratio: f32) -> Json<String> {
        Json(ratio.to_string())
    }

    /// Takes prices by name
    #[tool(define)]
    fn prices(&self, prices: BTreeMap<String, i64>) -> Json<String> {
        Json(format!("{prices:?}"))
    }

    /// Takes anything
    #[tool(define)]
    fn anything(&self, Args(value): Args<Value>) -> Json<String> {
        Json(value.to_string())
    }

    /// Counts the parts that are there
    #[tool(define)]
    fn count(&self, Args(all): Args<Parts>) -> Json<usize> {
        let known = all.parts.iter().enumerate();
        let is_whole = |(index, flat): &(usize, &Flat)| matches!((usize::try_from(flat.id), &flat.part), (Ok(id), Some(Part::Count { n: 5 })) if id == *index);
        Json(known.filter(is_whole).count())
    }
}

#[tokio::test]
async fn json_in_a_string_keeps_every_digit_and_what_comes_twice() {
    let mut desk = Desk::new::<Shelf>().await;
    let inner = r#"{"count": 18446744073709551617}"#;
    assert_eq!(desk.call("wide", &format!("{inner:?}")).await, "\"18446744073709551617\"");
    let told = desk.call("wide", &format!("{:?}", r#"{"count": 1, "count": 2}"#)).await;
    assert!(told.contains("duplicate field `count`"), "{told}");
}

#[tokio::test]
async fn a_whole_number_is_an_integer_in_every_place() {
    let mut desk = Desk::new::<Shelf>().await;
    for n in ["0", "-0", "0.0", "-0.0", "0e5"] {
        let told = desk.call("loose", &format!(r#"{{"value":{{"n":{n}}}}}"#)).await;
        assert_eq!(told, "\"Whole { n: 0 }\"", "{n}");
        let told = desk.call("raw", &format!(r#"{{"n":{n}}}"#)).await;
        assert_eq!(told, "\"Whole { n: 0 }\"", "{n}");
        let arguments = format!(r#"{{"parts":{{"7":{{"kind":"Count","n":{n}}}}}}}"#);
        assert_eq!(desk.call("numbered", &arguments).await, "\"{7: Count { n: 0 }}\"", "{n}");
    }
}

#[tokio::test]
async fn a_long_list_is_read_to_its_end() {
    let mut desk = Desk::new::<Shelf>().await;
    let parts = (0..10_000).fold(String::new(), |mut parts, id| {
        let before = if id == 0 { "" } else { "," };
        write!(parts, r#"{before}{{"id":{id},"kind":"Count","n":5.0}}"#).unwrap();
        parts
    });
    assert_eq!(desk.call("count", &format!(r#"{{"parts":[{parts}]}}"#)).await, "10000");
}

#[tokio::test]
async fn what_a_map_would_drop_is_refused() {
    let mut desk = Desk::new::<Shelf>().await;
    for (tool, arguments) in [
        ("prices", r#"{"prices":{"a":1,"b":2,"a":3}}"#),
        ("anything", r#"{"a":1,"a":2}"#),
        ("anything", r#"{"b":[{"a":1,"a":2}]}"#),
    ] {
        let told = desk.call(tool, arguments).await;
        assert!(told.contains("duplicate field `a`"), "{arguments}: {told}");
    }
}

#[tokio::test]
async fn a_number_that_a_small_float_cannot_hold_is_refused() {
    let mut desk = Desk::new::<Shelf>().await;
    let told = desk.call("small", r#"{"ratio":1e39}"#).await;
    assert!(told.contains("at `/ratio`: number out of range"), "{told}");
    assert_eq!(desk.call("small", r#"{"ratio":0.5}"#).await, "\"0.5\"");
}

#[cfg(feature = "validate")]
#[tokio::test]
async fn a_flattened_choice_is_whole_or_absent() {
    let mut desk = Desk::new::<Shelf>().await;
    for (arguments, expected) in [
        (r#"{"id":1}"#, "Flat { id: 1, part: None }"),
        (r#"{"id":1,"kind":null,"n":null}"#, "Flat { id: 1, part: None }"),
        (r#"{"id":1,"kind":"Count","n":5.0}"#, "Flat { id: 1, part: Some(Count { n: 5 }) }"),
    ] {
        assert_eq!(desk.call("flat", arguments).await, format!("\"{expected}\""), "{arguments}");
    }
    for arguments in [
        r#"{"id":1,"kind":"Count"}"#,
        r#"{"id":1,"n":5}"#,
        r#"{"id":1,"kind":"Cuont","n":5}"#,
        r#"{"id":1,"kind":"Count","n":5.5}"#,
    ] {
        let told = desk.call("flat", arguments).await;
        assert!(told.starts_with("Invalid arguments"), "{arguments}: {told}");
    }
}
