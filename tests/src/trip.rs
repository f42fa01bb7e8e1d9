//! A short conversation that a small model can hold: three steps, a tool that tells, two that move on, one that ends it.

use futures_util::StreamExt;
use picoflow::{
    BoxError, TurnEvent,
    prelude::*,
    session::{MessageKind, Session},
    testing::{Scenario, check_history},
};

/// The provider of the flow's model, for an endpoint.
pub const PROVIDER: &str = "local";

/// What the user says, and what has to come of it.
///
/// # Errors
/// When the file is no scenario.
pub fn scenario() -> Result<Scenario, BoxError> {
    Ok(serde_json::from_str(include_str!("../scenarios/trip.json"))?)
}

/// Keeps a tool back until the step has said something that the user can have answered. A small model calls what it is
/// offered, with values that nobody has said.
fn until_spoken(cx: &Cx<'_>, tool: &'static str) -> Hidden {
    let messages = &cx.memory().messages;
    let mut said = messages.iter().filter(|one| one.is_ai() && one.tool_calls().is_empty());
    if said.next().is_some() { Hidden::None } else { [tool].into() }
}

/// Where to.
struct CityStep;

#[tools]
impl Step for CityStep {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "Answer the user in one short sentence.".into()
    }

    fn hide_tools(&self, cx: &Cx<'_>) -> Hidden {
        // What was looked up is to be told now.
        if cx.last_message().is_some_and(|message| matches!(message.kind, MessageKind::Tool { .. }))
        {
            return Hidden::All;
        }
        until_spoken(cx, "choose_city")
    }

    /// Look up the weather of a city
    #[tool(define)]
    fn get_weather(&self, city: String) -> ToolResponse {
        stay_with(format!("{city}: sunny, 21 degrees"))
    }

    /// Keep the city that the user wants to go to
    #[tool(define)]
    fn choose_city(&self, cx: &mut Cx<'_>, city: String) -> ToolResponse {
        cx.save_state(json!({ "city": city }));
        go(GuestsStep::ID)
    }
}

/// How many.
struct GuestsStep;

#[tools]
impl Step for GuestsStep {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "Ask the user: How many people will travel? Call `set_guests` once the user has said it."
            .into()
    }

    fn hide_tools(&self, cx: &Cx<'_>) -> Hidden {
        until_spoken(cx, "set_guests")
    }

    /// Keep the number of people who travel, as the user said it
    #[tool(define)]
    fn set_guests(
        &self,
        cx: &mut Cx<'_>,
        #[schemars(range(min = 1, max = 20))] count: u8,
    ) -> ToolResponse {
        cx.save_state(json!({ "count": count }));
        go(NameStep::ID)
    }
}

/// For whom.
struct NameStep;

#[tools]
impl Step for NameStep {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "Ask the user: What is your name? Call `book` with the name once the user has said it."
            .into()
    }

    fn hide_tools(&self, cx: &Cx<'_>) -> Hidden {
        until_spoken(cx, "book")
    }

    /// Book the trip in the user's name
    #[tool(define)]
    fn book(&self, cx: &mut Cx<'_>, name: String) -> ToolResponse {
        cx.save_state(json!({ "name": name }));
        let city = cx.step_state(CityStep::ID)["city"].as_str().unwrap_or("nowhere");
        let count = &cx.step_state(GuestsStep::ID)["count"];
        finish(format!("A trip to {city} for {count} is booked for {name}."))
    }
}

/// The flow of all three.
#[derive(Debug)]
pub struct TripFlow;

#[tools]
impl Flow for TripFlow {
    fn model(&self) -> ModelRef {
        ModelRef::new(PROVIDER, "qwen2.5-coder-1.5b-instruct")
            .param("temperature", 0)
            .param("max_tokens", 200)
    }

    fn steps(&self) -> Steps {
        Steps::new().add(CityStep).add(GuestsStep).add(NameStep)
    }
}

/// Plays the scenario as [`Scenario::run`] does, with each turn as a stream. Returns what was shown of each turn, and the
/// session.
///
/// # Errors
/// The first failure, or the first difference.
pub async fn streamed(
    engine: &Engine,
    scenario: &Scenario,
) -> Result<(Vec<String>, Session), BoxError> {
    let (mut shown, mut last) = (Vec::new(), None);
    for expected in &scenario.turns {
        let mut turn = Turn::new(&scenario.flow_name).message(&expected.input);
        if let Some(Session { id, .. }) = &last {
            turn = turn.session(id);
        }
        let (mut events, mut text, mut replied) = (engine.stream(turn), String::new(), None);
        while let Some(event) = events.next().await {
            match event? {
                TurnEvent::ModelCalled { .. } => text.clear(),
                TurnEvent::Text { delta, .. } => text.push_str(&delta),
                TurnEvent::Replied { reply } => replied = Some(reply),
                _ => {}
            }
        }
        let reply = replied.ok_or("the stream ended without a reply")?;
        let session = engine.session(&reply.session).await?.ok_or("nothing was stored")?;
        check_history(&session)?;
        let lower = reply.text.to_lowercase();
        let is_expected = expected.response_must_include.iter().all(|part| lower.contains(part))
            && reply.completed == expected.completed
            && session.flow.current_step == expected.expected_active_step;
        if !is_expected {
            let step = &session.flow.current_step;
            return Err(format!("{}: at {step}: {}", expected.label, reply.text).into());
        }
        shown.push(text);
        last = Some(session);
    }
    let session = last.ok_or("the scenario has no turn")?;
    scenario.check_state(&session)?;
    Ok((shown, session))
}
