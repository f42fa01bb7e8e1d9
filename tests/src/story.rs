//! A conversation of ten turns with a bit of everything: plain tools, a group, a native tool, a child, a batch of
//! children, moves, a logic step, structured output and an end. The model says the same whenever it is asked the same, and
//! each handler leaves one effect under its idempotency key.

use crate::faults::{Faults, Faulty, Ledger};
use futures_util::{TryStreamExt, stream};
use picoflow::{
    BoxError, BoxFuture, EngineBuilder,
    model::{ChatModel, ChatRequest, ModelError, Usage},
    no_arguments,
    prelude::*,
    session::{Session, SessionStore},
};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// What the user says, turn by turn.
pub const TURNS: [&str; 10] = [
    "hello",
    "look",
    "price",
    "order and gift",
    "stock",
    "pay",
    "refund twice",
    "rate",
    "five",
    "bye",
];

/// How long a store, a model or a tool may take.
pub const LIMIT: Duration = Duration::from_secs(10);

/// The back end of a step.
type Effects = Faulty<Arc<dyn Ledger>>;

async fn effect(cx: &Cx<'_>, effects: &Effects, what: &str) -> Result<(), ToolError> {
    effects.effect(cx.cancellation(), &cx.idempotency_key(), what).await.map_err(ToolError::abort)
}

fn definition(name: &str) -> ToolDefinition {
    ToolDefinition::new(name, format!("The tool {name}"), no_arguments())
}

/// Where it begins.
struct Desk(Effects);

#[tools]
impl Step for Desk {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "The desk.".into()
    }

    fn native_tools(&self) -> Vec<NativeTool> {
        let effects = self.0.clone();
        vec![NativeTool::new(definition("price"), move |_, cx| {
            let effects = effects.clone();
            async move {
                let key = cx.idempotency_key().unwrap_or("none");
                let noted = effects.effect(cx.cancellation(), key, "price").await;
                noted.map(|()| "12").map_err(ToolError::abort)
            }
        })]
    }

    /// Look
    #[tool(define)]
    async fn look(&self, cx: &mut Cx<'_>) -> Result<ToolResponse, ToolError> {
        cx.save_state(json!({ "looked": true }));
        effect(cx, &self.0, "look").await?;
        Ok(stay_with("seen"))
    }

    /// Order
    #[tool(define)]
    fn order(&self) -> ToolResponse {
        stay()
    }

    /// Gift
    #[tool(define)]
    fn gift(&self) -> ToolResponse {
        stay()
    }

    #[tools(["order", "gift"])]
    async fn both(&self, cx: &mut Cx<'_>, calls: &[ToolCall]) -> Result<ToolResponse, ToolError> {
        cx.save_state(json!({ "ordered": calls.len() }));
        effect(cx, &self.0, "order and gift").await?;
        Ok(stay_with("ordered"))
    }

    /// Count the stock
    #[tool(define)]
    async fn stock(&self, cx: &mut Cx<'_>) -> Result<ToolResponse, ToolError> {
        let children = ["a", "b"].map(|key| Child::new(Stock::ID).key(key).message("count"));
        let batch = cx.run_steps(Children::new(children).atomic()).await;
        let batch = batch.map_err(ToolError::abort)?;
        effect(cx, &self.0, "stock").await?;
        Ok(stay_with(format!("{} places", batch.fulfilled().count())))
    }

    /// Go to the till
    #[tool(define)]
    fn pay(&self) -> ToolResponse {
        go(Till::ID).with_state(json!({ "due": 12 })).with_message("charge")
    }
}

/// A child.
struct Stock(Effects);

#[tools]
impl Step for Stock {
    /// Count
    #[tool(define)]
    async fn count(&self, cx: &mut Cx<'_>) -> Result<ToolResponse, ToolError> {
        effect(cx, &self.0, "count").await?;
        Ok(direct_result(3))
    }
}

struct Till(Effects);

#[tools]
impl Step for Till {
    async fn on_enter(&self, cx: &mut Cx<'_>) -> HookResult {
        cx.save_state(json!({ "entered": true }));
        Ok(())
    }

    /// Charge
    #[tool(define)]
    async fn charge(&self, cx: &mut Cx<'_>) -> Result<ToolResponse, ToolError> {
        let counted = cx.run_step(Stock::ID, Some("count")).await.map_err(ToolError::abort)?;
        effect(cx, &self.0, "charge").await?;
        cx.save_state(json!({ "charged": counted }));
        Ok(stay_with("charged"))
    }

    /// Refund
    #[tool(define)]
    async fn refund(&self, cx: &mut Cx<'_>) -> Result<ToolResponse, ToolError> {
        let count = cx.state()["refunds"].as_u64().unwrap_or(0);
        cx.save_state(json!({ "refunds": count + 1 }));
        effect(cx, &self.0, "refund").await?;
        Ok(stay())
    }

    /// Go to the survey
    #[tool(define)]
    fn rate(&self) -> ToolResponse {
        go(Route::ID)
    }
}

struct Route;

#[tools]
impl LogicStep for Route {
    async fn run_logic(&self, _cx: &mut Cx<'_>) -> HookResult<StepResponse> {
        Ok(go(Survey::ID).with_message("rate"))
    }
}

struct Survey(Effects);

#[tools]
impl Step for Survey {
    fn output_schema(&self, cx: &Cx<'_>) -> Option<Value> {
        let is_done = cx.state()["stars"].is_u64();
        (!is_done).then(|| {
            json!({
                "type": "object",
                "properties": { "stars": { "type": "integer" } },
                "required": ["stars"]
            })
        })
    }

    fn hide_tools(&self, cx: &Cx<'_>) -> Hidden {
        if cx.state()["stars"].is_u64() { Hidden::None } else { Hidden::All }
    }

    async fn on_response(&self, cx: &mut Cx<'_>, output: ModelOutput) -> HookResult<StepResponse> {
        let ModelOutput::Structured(answer) = output else {
            return Ok(output.into_text().into());
        };
        let key = format!("{}/stars", cx.idempotency_key());
        self.0.effect(cx.cancellation(), &key, "stars").await?;
        if answer["stars"] == 5 {
            cx.save_state(answer);
            return Ok("Thank you.".into());
        }
        Ok("How many?".into())
    }

    /// End
    #[tool(define)]
    async fn end(&self, cx: &mut Cx<'_>) -> Result<ToolResponse, ToolError> {
        effect(cx, &self.0, "end").await?;
        Ok(finish("Good bye."))
    }
}

/// The flow of the story.
struct Story(Effects);

impl Flow for Story {
    const ID: FlowId = FlowId::new("Story");

    fn model(&self) -> ModelRef {
        ModelRef::new("test", "story")
    }

    fn steps(&self) -> Steps {
        let effects = || self.0.clone();
        Steps::new()
            .add(Desk(effects()))
            .add(Stock(effects()))
            .add(Till(effects()))
            .add(Route)
            .add(Survey(effects()))
    }

    fn limits(&self) -> Limits {
        Limits::default()
            .store_timeout(LIMIT)
            .model_timeout(LIMIT)
            .tool_timeout(10 * LIMIT)
            .retry_delay(Duration::ZERO)
            .attempts(2)
    }
}

/// Says the same whenever it is asked the same.
#[derive(Clone, Copy, Debug)]
pub struct Narrator;

impl ChatModel for Narrator {
    fn generate(&self, request: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        let reply = narrate(&request).with_usage(Usage::new(7, 3));
        Box::pin(async move { Ok(reply) })
    }
}

fn narrate(request: &ChatRequest) -> ModelReply {
    let latest = request.latest().map_or("", |latest| &*latest.content);
    let calls: &[&str] = match (request.step.as_str(), latest) {
        ("Desk", "look") => &["look"],
        ("Desk", "price") => &["price"],
        ("Desk", "order and gift") => &["order", "gift"],
        ("Desk", "stock") => &["stock"],
        ("Desk", "pay") => &["pay"],
        ("Stock", _) => &["count"],
        ("Till", "charge") => &["charge"],
        ("Till", "refund twice") => &["refund", "refund"],
        ("Till", "rate") => &["rate"],
        ("Survey", "five") => return ModelReply::text(json!({ "stars": 5 }).to_string()),
        ("Survey", "rate") => return ModelReply::text(json!({ "stars": 0 }).to_string()),
        ("Survey", "bye") => &["end"],
        (step, latest) => return ModelReply::text(format!("{step} heard: {latest}")),
    };
    let call = |(i, name): (usize, &&str)| ToolCall::new(format!("{name}-{i}"), *name, &json!({}));
    ModelReply::calls(calls.iter().enumerate().map(call))
}

/// An engine for the story, all of whose calls go through `faults`.
pub fn builder(
    store: Arc<dyn SessionStore>,
    ledger: Arc<dyn Ledger>,
    faults: &Faults,
) -> EngineBuilder {
    let faults = || faults.clone();
    Engine::builder()
        .flow(Story(Faulty { inner: ledger, faults: faults() }))
        .model(Faulty { inner: Narrator, faults: faults() })
        .store(Faulty { inner: store, faults: faults() })
}

/// The id of a session of the story.
pub fn session(number: usize) -> String {
    format!("b7f0f6a2-0d7c-4f0e-9f27-{number:012}")
}

/// A turn of the story in this session, as it is sent and sent again.
pub fn turn(session: &str, number: usize) -> Turn {
    let turn = Turn::new(Story::ID).message(TURNS[number]);
    if number == 0 {
        turn.token(session)
    } else {
        turn.session(session).token(format!("turn-{number}"))
    }
}

/// Which turns of which sessions were answered: what the callers of the turns know, and keep.
pub trait Answers: Send + Sync {
    /// How many turns of the session were answered.
    fn count(&self, session: &str) -> usize;

    /// One more was, after this time.
    ///
    /// # Errors
    /// When it cannot be kept.
    fn add(&self, session: &str, took: Duration) -> Result<(), BoxError>;
}

/// Tells the story to so many sessions, from where each of them was left.
///
/// # Errors
/// The first one of a turn.
pub async fn tell_all(
    engine: &Engine,
    answers: &dyn Answers,
    sessions: usize,
    at_once: usize,
) -> Result<(), BoxError> {
    let telling = stream::iter((0..sessions).map(Ok::<_, BoxError>));
    let tell = async |number: usize| {
        let session = session(number);
        for number in answers.count(&session)..TURNS.len() {
            let began = Instant::now();
            engine.run(turn(&session, number)).await?;
            answers.add(&session, began.elapsed())?;
        }
        Ok(())
    };
    telling.try_for_each_concurrent(at_once, tell).await
}

/// What has to be the same in every telling of the story: the document without times, ids of messages, failures, and
/// warnings of attempts that failed.
///
/// # Errors
/// When it cannot be written as JSON.
pub fn essence(session: &Session) -> Result<Value, BoxError> {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(map) => {
                for key in ["timestamp", "createdOn", "saveOn", "id"] {
                    map.remove(key);
                }
                map.values_mut().for_each(strip);
            }
            Value::Array(list) => list.iter_mut().for_each(strip),
            _ => {}
        }
    }

    let mut document = serde_json::to_value(session)?;
    strip(&mut document);
    if let Some(map) = document.as_object_mut() {
        map.remove("revision");
        // It is of what the turn was sent with, such as the session's id.
        if let Some(Value::Object(turn)) = map.get_mut("lastTurn") {
            turn.remove("digest");
        }
        map.remove("error");
        // What a failed attempt cost is counted with the note of it.
        map.remove("tokens");
        let warned = map.remove("warn").unwrap_or_default();
        let mut warned = warned.as_array().cloned().unwrap_or_default();
        warned.retain(|entry| !entry["message"].as_str().unwrap_or("").starts_with("attempt "));
        map.insert("warn".to_owned(), warned.into());
    }
    Ok(document)
}
