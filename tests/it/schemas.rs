//! Schemas that are sent, and arguments that come back.

use crate::support::{Talk, answers};
use picoflow::{
    no_arguments,
    prelude::*,
    strict_form,
    testing::{Rule, ScriptedModel},
};
use std::{
    collections::{BTreeMap, HashMap},
    process::Command,
};

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "what is read is enough to tell")]
struct Everything {
    /// A text
    text: String,
    count: u32,
    small: Option<i8>,
    ratio: f64,
    flag: bool,
    list: Vec<Inner>,
    map: HashMap<String, Inner>,
    sorted: BTreeMap<String, Vec<u8>>,
    kind: Kind,
    maybe: Option<Kind>,
    tagged: Tagged,
    any: Value,
    pair: (u8, String),
    #[serde(default)]
    defaulted: u16,
    #[schemars(length(min = 1, max = 5), regex(pattern = "^a+$"))]
    bounded: String,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "what is read is enough to tell")]
struct Inner {
    /// Name of it
    name: String,
    inner: Option<Box<Self>>,
}

#[derive(Deserialize, JsonSchema)]
enum Kind {
    /// The first one
    First,
    Second,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "type")]
#[expect(dead_code, reason = "what is read is enough to tell")]
enum Tagged {
    A { n: u8 },
    B(Inner),
}

#[derive(Default)]
struct Desk;

#[tools]
impl Step for Desk {
    /// Takes everything
    #[tool(define)]
    fn everything(&self, Args(all): Args<Everything>) -> Json<usize> {
        let Everything { text, list, map, sorted, maybe, defaulted, bounded, .. } = all;
        let some =
            [text.len(), list.len(), map.len(), sorted.len(), bounded.len(), defaulted.into()];
        Json(some.iter().sum::<usize>() + usize::from(maybe.is_some()))
    }

    /// Takes nothing
    #[tool(define)]
    fn nothing(&self) -> Json<&'static str> {
        Json("nothing came")
    }

    /// Takes only what is optional
    #[tool(define)]
    fn optional(
        &self,
        name: Option<String>,
        #[serde(default)] count: u32,
    ) -> Json<(Option<String>, u32)> {
        Json((name, count))
    }

    /// Takes a count
    #[tool(define)]
    fn exact(&self, count: u32) -> Json<u32> {
        Json(count)
    }

    /// Takes a count, also as a string
    #[tool(define, lenient)]
    fn lenient(&self, count: u32, name: String) -> Json<(u32, String)> {
        Json((count, name))
    }

    /// Told in the strict form
    #[tool(define, strict)]
    fn strict(
        &self,
        name: String,
        note: Option<String>,
        #[serde(default)] count: u32,
    ) -> Json<(String, Option<String>, u32)> {
        Json((name, note, count))
    }

    /// Takes the raw arguments
    #[tool(define)]
    fn raw(&self, Args(value): Args<Value>) -> Json<Value> {
        Json(value)
    }
}

async fn answer(tool: &'static str, text: &str) -> (String, Vec<String>) {
    let model = ScriptedModel::new()
        .on_call_text(Rule::new().latest("go"), [(tool, text)])
        .on(Rule::new(), "done");
    let mut talk = Talk::new(Steps::new().add(Desk), model).await;
    let reply = talk.say("go").await;
    let warnings = reply.warnings().map(str::to_owned).collect();
    (answers(&talk.last_request()).pop().unwrap(), warnings)
}

async fn told(model: ModelRef) -> BTreeMap<String, Value> {
    let script = ScriptedModel::new().on(Rule::new(), "done");
    let mut talk = Talk::new(Steps::new().add(Desk.model(model)), script).await;
    talk.say("go").await;
    let request = talk.last_request();
    let tools = request.tools.iter();
    tools.map(|tool| (tool.name().to_owned(), tool.schema().clone())).collect()
}

#[tokio::test]
async fn every_schema_that_is_sent_is_valid_against_the_metaschema_plain_and_strict() {
    let plain = ModelRef::new("test", "script");
    for model in [plain.clone(), plain.strict_tools()] {
        for (tool, schema) in told(model).await {
            assert!(jsonschema::draft202012::meta::is_valid(&schema), "{tool}: {schema}");
            assert_eq!(schema["type"], "object", "{tool}");
            assert!(schema["properties"].is_object(), "{tool}");
            assert!(schema.get("$schema").is_none(), "{tool}");
            assert!(!schema.to_string().contains("nullable"), "{tool}");
        }
    }
}

#[tokio::test]
async fn a_tool_without_parameters_has_exactly_the_empty_object_schema() {
    let told = told(ModelRef::new("test", "script")).await;
    assert_eq!(told["nothing"].to_string(), r#"{"type":"object","properties":{}}"#);
    assert_ne!(told["raw"], no_arguments());
    assert_eq!(told["raw"]["additionalProperties"], true, "it takes any name");
}

#[tokio::test]
async fn definitions_of_nested_types_and_descriptions_of_variants_are_kept() {
    let told = told(ModelRef::new("test", "script")).await;
    let schema = &told["everything"];
    assert_eq!(schema["properties"]["text"]["description"], "A text");
    assert_eq!(schema["$defs"]["Inner"]["properties"]["name"]["description"], "Name of it");
    assert!(schema["$defs"]["Kind"].to_string().contains("The first one"));
    assert_eq!(schema["properties"]["map"]["type"], "object");
    let order: Vec<_> = schema["properties"].as_object().unwrap().keys().take(3).collect();
    assert_eq!(order, ["text", "count", "small"], "the order of the fields");
}

#[test]
fn schemas_are_the_same_bytes_in_every_process() {
    let print = || Command::new(env!("CARGO_BIN_EXE_print_schemas")).output().unwrap().stdout;
    let first = print();
    assert!(first.len() > 1000);
    for _ in 0..3 {
        assert_eq!(print(), first);
    }
}

#[tokio::test]
async fn absent_null_and_empty_arguments_are_none_for_a_tool_that_needs_none() {
    for text in ["", " ", "null", "{}"] {
        assert_eq!(answer("nothing", text).await.0, "\"nothing came\"", "{text:?}");
        assert_eq!(answer("optional", text).await.0, "[null,0]", "{text:?}");
        let (refused, _) = answer("exact", text).await;
        assert!(refused.contains("count"), "what is required still fails: {refused}");
    }
}

#[tokio::test]
async fn null_for_an_optional_argument_means_that_it_is_absent() {
    assert_eq!(answer("optional", r#"{"name":null,"count":null}"#).await.0, "[null,0]");
    let (refused, _) = answer("exact", r#"{"count":null}"#).await;
    assert!(refused.contains("/count"), "{refused}");
}

#[tokio::test]
async fn numbers_in_strings_are_taken_only_by_a_lenient_tool() {
    let (refused, warnings) = answer("exact", r#"{"count":"5"}"#).await;
    assert!(refused.contains("`/count`"), "{refused}");
    assert!(refused.contains("\"5\""), "what came: {refused}");
    assert_eq!(warnings.len(), 1);
    let (taken, warnings) = answer("lenient", r#"{"count":" 5 ","name":"5"}"#).await;
    assert_eq!(taken, r#"[5,"5"]"#);
    assert!(warnings.is_empty());
}

#[tokio::test]
async fn doubled_json_is_repaired_once_with_a_warning() {
    let (taken, warnings) = answer("exact", r#""{\"count\":5}""#).await;
    assert_eq!(taken, "5");
    assert!(warnings[0].starts_with("repaired arguments of tool 'exact'"), "{warnings:?}");
    let (refused, _) = answer("exact", r#""\"{\\\"count\\\":5}\"""#).await;
    assert!(refused.contains("Invalid arguments"), "twice doubled is not guessed at: {refused}");
}

#[tokio::test]
async fn a_wrong_value_is_never_replaced_by_a_default() {
    let (refused, _) = answer("optional", r#"{"count":"many"}"#).await;
    assert!(refused.contains("/count"), "{refused}");
    let (refused, _) = answer("optional", r#"{"name":5}"#).await;
    assert!(refused.contains("/name"), "{refused}");
}

#[cfg(feature = "validate")]
#[tokio::test]
async fn several_faults_are_reported_together_with_path_expectation_and_value() {
    let text = r#"{"text":1,"count":-1,"ratio":"x","flag":0,"list":[{"name":2}],"map":{},"sorted":{},
        "kind":"Third","tagged":{"type":"A","n":1},"any":1,"pair":[1,"a"],"bounded":"b"}"#;
    let (refused, _) = answer("everything", text).await;
    for part in [
        "`/text`",
        "`/count`",
        "`/ratio`",
        "`/flag`",
        "`/list/0/name`",
        "`/kind`",
        "string",
        "`Third`",
    ] {
        assert!(refused.contains(part), "{part}: {refused}");
    }
}

#[tokio::test]
async fn a_strict_tool_is_told_in_the_strict_form_and_read_as_before() {
    let told = told(ModelRef::new("test", "script")).await;
    assert_eq!(told["strict"]["required"], json!(["name", "note", "count"]));
    assert_eq!(told["strict"]["additionalProperties"], false);
    assert_eq!(told["optional"].get("additionalProperties"), None, "never by default");
    for text in [r#"{"name":"a","note":null,"count":null}"#, r#"{"name":"a"}"#] {
        assert_eq!(answer("strict", text).await.0, r#"["a",null,0]"#);
    }
}

#[tokio::test]
async fn a_strict_model_is_told_the_strict_form_of_every_tool() {
    let plain = told(ModelRef::new("test", "script")).await;
    let strict = told(ModelRef::new("test", "script").strict_tools()).await;
    for (tool, schema) in &plain {
        assert_eq!(strict[tool], strict_form(schema), "{tool}");
    }
}
