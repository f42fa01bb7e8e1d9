//! A conversation as JSON, played on an engine.

mod read;

use super::check_history;
use picoflow_core::{
    Engine, FlowId, StepId, Turn, TurnError,
    session::{Session, StoreError},
};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A conversation with what must come of each turn, and of the state in the end.
///
/// A key that it does not know is an error, with the place in the document and the nearest key:
/// ``turns[0].responseMustInclud: unknown key; did you mean `responseMustInclude`?`` The keys `about` and `steps`, beside
/// `flowName`, are for notes, which nothing reads.
///
/// ```
/// use picoflow::testing::Scenario;
///
/// let scenario: Scenario = serde_json::from_str(r#"{
///     "flowName": "BasicFlow",
///     "turns": [
///         { "label": "opening", "input": "Hi", "expectedActiveStep": "WeatherStep",
///           "responseMustInclude": ["LA"], "completed": false }
///     ],
///     "finalState": { "WeatherStep": { "city_LA": 72 } }
/// }"#)?;
/// assert_eq!(scenario.turns.len(), 1);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Scenario {
    /// The flow.
    pub flow_name: FlowId,
    /// The turns, in order.
    pub turns: Vec<ScenarioTurn>,
    /// What the state of each step named here must hold. Keys that are not named may be there too, also in objects inside;
    /// lists must be equal. `null` says that a key is not there, and `{}` that an object holds nothing. The runtime's own
    /// keys, with a leading `_`, do not count.
    pub final_state: BTreeMap<String, Value>,
}

/// One turn of a [`Scenario`].
///
/// See [`Scenario::run`] for an example.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ScenarioTurn {
    /// What the turn shows, for messages.
    pub label: String,
    /// What the user says.
    pub input: String,
    /// The step that is current after the turn.
    pub expected_active_step: StepId,
    /// Texts that the reply holds, in any case.
    pub response_must_include: Vec<String>,
    /// Whether the conversation is over after the turn.
    pub completed: bool,
}

/// Where a conversation left its [`Scenario`].
///
/// See [`Scenario::run`] for an example.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScenarioError {
    /// A turn failed.
    #[error("turn {turn} ({label}): {source}")]
    Turn {
        /// Its number, from 1.
        turn: usize,
        /// Its label.
        label: String,
        /// Why.
        source: TurnError,
    },
    /// A turn came to something else.
    #[error("turn {turn} ({label}): {what}")]
    Differs {
        /// Its number, from 1.
        turn: usize,
        /// Its label.
        label: String,
        /// What differs.
        what: String,
    },
    /// The state in the end is another.
    #[error("final state of `{step}`: expected {expected}, found {found}")]
    State {
        /// The step.
        step: String,
        /// What the scenario says.
        expected: Box<Value>,
        /// What the session holds.
        found: Box<Value>,
    },
    /// The scenario has no turn.
    #[error("the scenario has no turn")]
    Empty,
    /// The session could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Scenario {
    /// Plays the conversation in a new session: each turn, the stored document after it, and the final state must be
    /// as the scenario says, and every stored history must be valid. Returns the session's last document.
    ///
    /// # Errors
    /// The first difference.
    ///
    /// ```
    /// use picoflow::{prelude::*, testing::{Rule, Scenario, ScenarioError, ScriptedModel}};
    ///
    /// # struct Ask;
    /// # impl Step for Ask {
    /// #     const ID: StepId = StepId::new("Ask");
    /// # }
    /// # struct AskFlow;
    /// # impl Flow for AskFlow {
    /// #     const ID: FlowId = FlowId::new("AskFlow");
    /// #     fn model(&self) -> ModelRef { ModelRef::new("test", "script") }
    /// #     fn steps(&self) -> Steps { Steps::new().add(Ask) }
    /// # }
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
    /// let model = ScriptedModel::new().on(Rule::new(), "Hello, Ann!");
    /// let engine = Engine::builder().flow(AskFlow).model(model).build().await?;
    /// let scenario = |word: &str| {
    ///     serde_json::from_value::<Scenario>(json!({
    ///         "flowName": "AskFlow",
    ///         "turns": [{ "label": "greeting", "input": "Hi", "expectedActiveStep": "Ask",
    ///                     "responseMustInclude": [word], "completed": false }],
    ///     }))
    /// };
    /// let session = scenario("ann")?.run(&engine).await?;
    /// assert_eq!(session.revision, 0);
    /// scenario("ann")?.check_state(&session)?; // `run` does this too
    ///
    /// let error = scenario("bob")?.run(&engine).await.unwrap_err();
    /// assert!(matches!(error, ScenarioError::Differs { turn: 1, .. }));
    /// assert_eq!(error.to_string(), r#"turn 1 (greeting): the reply lacks "bob": "Hello, Ann!""#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn run(&self, engine: &Engine) -> Result<Session, ScenarioError> {
        let mut id = None;
        let mut last = Err(ScenarioError::Empty);
        for (number, expected) in (1..).zip(&self.turns) {
            last = Ok(self.play(engine, number, expected, &mut id).await?);
        }
        let session = last?;
        self.check_state(&session)?;
        Ok(session)
    }

    async fn play(
        &self,
        engine: &Engine,
        number: usize,
        expected: &ScenarioTurn,
        id: &mut Option<String>,
    ) -> Result<Session, ScenarioError> {
        let mut turn = Turn::new(&self.flow_name).message(&expected.input);
        if let Some(id) = &*id {
            turn = turn.session(id);
        }
        let reply = engine.run(turn).await.map_err(|source| ScenarioError::Turn {
            turn: number,
            label: expected.label.clone(),
            source,
        })?;
        let differs = |what: String| ScenarioError::Differs {
            turn: number,
            label: expected.label.clone(),
            what,
        };
        let id = id.get_or_insert_with(|| reply.session.clone());
        if reply.session != *id {
            return Err(differs(format!("the session changed from {id} to {}", reply.session)));
        }
        expected.check_text(&reply.text).map_err(differs)?;
        if reply.completed != expected.completed {
            return Err(differs(format!("completed is {}", reply.completed)));
        }
        let session = engine.session(id).await?;
        let session = session.ok_or_else(|| differs("the session was not stored".to_owned()))?;
        let step = &session.flow.current_step;
        if *step != expected.expected_active_step || reply.step != *step {
            let expected = &expected.expected_active_step;
            return Err(differs(format!(
                "the step is {step}, not {expected}; the reply says: {}",
                reply.text
            )));
        }
        if session.is_completed() != expected.completed {
            return Err(differs(format!("the stored status is {}", session.run_status.as_str())));
        }
        check_history(&session).map_err(|fault| differs(fault.to_string()))?;
        Ok(session)
    }

    /// Whether the session holds the scenario's final state.
    /// See [`run`](Scenario::run) for an example.
    ///
    /// # Errors
    /// The first step whose state is another.
    pub fn check_state(&self, session: &Session) -> Result<(), ScenarioError> {
        for (step, expected) in &self.final_state {
            let found = session.state(step).and_then(Value::as_object);
            let own = found.into_iter().flatten().filter(|(key, _)| !key.starts_with('_'));
            let own = own.map(|(key, value)| (key.clone(), value.clone()));
            let found = Value::Object(own.collect::<Map<_, _>>());
            if !holds(&found, expected) {
                return Err(ScenarioError::State {
                    step: step.clone(),
                    expected: Box::new(expected.clone()),
                    found: Box::new(found),
                });
            }
        }
        Ok(())
    }
}

/// Whether `found` has all that is expected of it.
fn holds(found: &Value, expected: &Value) -> bool {
    let (Value::Object(found), Value::Object(expected)) = (found, expected) else {
        return found == expected;
    };
    if expected.is_empty() {
        return found.is_empty();
    }
    let mut keys = expected.iter();
    keys.all(|(key, expected)| holds(found.get(key).unwrap_or(&Value::Null), expected))
}

impl ScenarioTurn {
    fn check_text(&self, text: &str) -> Result<(), String> {
        let lower = text.to_lowercase();
        let missing =
            self.response_must_include.iter().find(|part| !lower.contains(&part.to_lowercase()));
        missing.map_or(Ok(()), |part| Err(format!("the reply lacks {part:?}: {text:?}")))
    }
}
