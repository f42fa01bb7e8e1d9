//! Numbers at the edges of what types hold.

use super::Desk;
use crate::support::Talk;
use picoflow::{
    ToolContext,
    native::NativeTool,
    no_arguments,
    prelude::*,
    testing::{Rule, ScriptedModel},
};

#[derive(Default)]
struct Till;

#[tools]
impl Step for Till {
    /// Takes a signed integer
    #[tool(define)]
    fn signed(&self, cents: i64) -> Json<i64> {
        Json(cents)
    }

    /// Takes a small integer
    #[tool(define)]
    fn small(&self, count: u8) -> Json<u8> {
        Json(count)
    }

    /// Takes a wide integer
    #[tool(define)]
    fn wide(&self, count: u128) -> Json<String> {
        Json(count.to_string())
    }

    /// Takes a float
    #[tool(define)]
    fn float(&self, ratio: f64) -> Json<String> {
        Json(ratio.to_string())
    }

    /// Takes anything
    #[tool(define)]
    fn raw(&self, Args(value): Args<Value>) -> Json<String> {
        Json(value.to_string())
    }

    /// Takes anything as a parameter
    #[tool(define)]
    fn any(&self, value: Value) -> Json<String> {
        Json(value.to_string())
    }
}

#[tokio::test]
async fn whole_numbers_are_integers_with_every_digit() {
    let mut desk = Desk::new::<Till>().await;
    for (text, expected) in [
        ("96230.0", "96230"),
        ("9.623e4", "96230"),
        ("1e3", "1000"),
        ("-0.0", "0"),
        ("9007199254740993.0", "9007199254740993"),
        ("9223372036854775807.0", "9223372036854775807"),
        ("-9.223372036854775808e18", "-9223372036854775808"),
    ] {
        assert_eq!(desk.call("signed", &format!(r#"{{"cents":{text}}}"#)).await, expected);
    }
    for text in ["18446744073709551617", "18446744073709551617.0", "1.8446744073709551617e19"] {
        let told = desk.call("wide", &format!(r#"{{"count":{text}}}"#)).await;
        assert_eq!(told, "\"18446744073709551617\"");
    }
}

#[tokio::test]
async fn out_of_range_is_refused_with_path_and_range() {
    let mut desk = Desk::new::<Till>().await;
    for text in ["9223372036854775808", "9223372036854775808.0", "1e19", "1e300"] {
        let told = desk.call("signed", &format!(r#"{{"cents":{text}}}"#)).await;
        assert!(told.contains("at `/cents`"), "{told}");
        assert!(told.contains("-9223372036854775808 to 9223372036854775807"), "{told}");
    }
    for text in ["256", "256.0", "2.56e2"] {
        let told = desk.call("small", &format!(r#"{{"count":{text}}}"#)).await;
        assert!(told.contains("at `/count`") && told.contains("255"), "{told}");
    }
    let told = desk.call("signed", r#"{"cents":1.5}"#).await;
    assert!(told.contains("at `/cents`") && told.contains("1.5"), "{told}");
}

#[tokio::test]
async fn floats_and_raw_values_are_what_was_written() {
    let mut desk = Desk::new::<Till>().await;
    for (text, expected) in [
        ("1.0", "1"),
        ("-0.0", "-0"),
        ("2", "2"),
        ("1e3", "1000"),
        ("100000000000000000000", "100000000000000000000"),
    ] {
        let told = desk.call("float", &format!(r#"{{"ratio":{text}}}"#)).await;
        assert_eq!(told, format!("\"{expected}\""));
    }
    for (text, expected) in [("1.0", "1.0"), ("1", "1"), ("1e3", "1000.0"), ("-0.0", "-0.0")] {
        let told = desk.call("any", &format!(r#"{{"value":{text}}}"#)).await;
        assert_eq!(told, format!("\"{expected}\""));
        let told = desk.call("raw", &format!(r#"{{"a":{text}}}"#)).await;
        assert_eq!(told, format!(r#""{{\"a\":{expected}}}""#));
    }
}

#[tokio::test]
async fn a_raw_value_never_rounds_an_integer() {
    let mut desk = Desk::new::<Till>().await;
    for text in ["18446744073709551616", "-9223372036854775809", "123456789012345678901234567890"] {
        let told = desk.call("raw", &format!(r#"{{"a":[{text}]}}"#)).await;
        assert!(told.contains("at `/a/0`") && told.contains(text), "{told}");
        let told = desk.call("any", &format!(r#"{{"value":{text}}}"#)).await;
        assert!(told.contains("at `/value`") && told.contains(text), "{told}");
    }
    let told = desk.call("raw", r#"{"a":{"b~":[1,1e999]}}"#).await;
    assert!(told.contains("at `/a/b~0/1`") && told.contains("out of range"), "{told}");
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "kind")]
enum Inside {
    Pay { cents: i64 },
}

#[tokio::test]
async fn native_tools_and_calls_by_hand_read_whole_numbers() {
    let call = ToolCall::from_text("1", "pay", r#"{"kind":"Pay","cents":9.623e4}"#);
    assert_eq!(call.args::<Inside>().unwrap(), Inside::Pay { cents: 96230 });
    let schema = json!({ "type": "object", "properties": { "cents": { "type": "integer" } } });
    let tool =
        NativeTool::new(ToolDefinition::new("pay", "Pay", schema), |args: Value, _cx| async move {
            args["cents"].as_i64().unwrap_or_default().to_string()
        });
    let output = tool.execute(json!({ "cents": 96230.0 }), &ToolContext::default()).await;
    assert_eq!(output.output, "96230");
    let ping = ToolDefinition::new("ping", "Ping", no_arguments()).strict();
    let ping = NativeTool::new(ping, |_args: Value, _cx| async { "pong" });
    let output = ping.execute(json!({ "loud": true }), &ToolContext::default()).await;
    assert!(output.is_error && output.text().contains("/loud"), "{output:?}");
}

#[derive(Default)]
struct Sums;

#[tools]
impl Step for Sums {
    fn output_schema(&self, _cx: &Cx<'_>) -> Option<Value> {
        Some(picoflow::schema_of::<Inside>())
    }
}

#[tokio::test]
async fn structured_output_reads_whole_numbers() {
    let model = ScriptedModel::new().on(Rule::new(), r#"{"kind":"Pay","cents":96230.0}"#);
    let mut talk = Talk::new(Steps::new().add(Sums), model).await;
    let reply = talk.say("go").await;
    let value: Inside = serde_json::from_str(&reply.text).unwrap();
    assert_eq!(value, Inside::Pay { cents: 96230 });
}
