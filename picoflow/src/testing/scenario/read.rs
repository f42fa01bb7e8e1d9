//! A scenario as it is written: every key is known, and every fault has its place.

use super::{Scenario, ScenarioTurn};
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, Error},
};
use serde_json::{Map, Value};

/// What is wrong with a scenario's document.
#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error("the scenario is not an object")]
    Scenario,
    #[error("{0} is not an object")]
    Object(String),
    #[error("{0}: not a list")]
    List(&'static str),
    #[error("{place}: unknown key; did you mean `{nearest}`?")]
    Key { place: String, nearest: &'static str },
    #[error("{0} is missing")]
    Missing(String),
    #[error("{place}: {error}")]
    Value { place: String, error: serde_json::Error },
}

/// The last two are notes for readers.
const KEYS: [&str; 5] = ["flowName", "turns", "finalState", "about", "steps"];

const TURN_KEYS: [&str; 5] =
    ["label", "input", "expectedActiveStep", "responseMustInclude", "completed"];

impl<'de> Deserialize<'de> for Scenario {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_scenario(Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl<'de> Deserialize<'de> for ScenarioTurn {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_turn(Value::deserialize(deserializer)?, "turn").map_err(D::Error::custom)
    }
}

fn read_scenario(document: Value) -> Result<Scenario, Fault> {
    let Value::Object(mut object) = document else {
        return Err(Fault::Scenario);
    };
    check_keys(&object, "", &KEYS)?;
    let turns = match object.remove("turns") {
        Some(Value::Array(turns)) => turns,
        Some(_) => return Err(Fault::List("turns")),
        None => return Err(Fault::Missing("turns".to_owned())),
    };
    let turns = turns.into_iter().enumerate();
    let turns = turns.map(|(number, turn)| read_turn(turn, &format!("turns[{number}]")));
    let scenario = Scenario {
        flow_name: required(&mut object, "", "flowName")?,
        turns: turns.collect::<Result<_, _>>()?,
        final_state: optional(&mut object, "", "finalState")?,
    };
    match scenario.final_state.iter().find(|(_, state)| !state.is_object()) {
        Some((step, _)) => Err(Fault::Object(format!("finalState.{step}"))),
        None => Ok(scenario),
    }
}

fn read_turn(document: Value, place: &str) -> Result<ScenarioTurn, Fault> {
    let Value::Object(mut object) = document else {
        return Err(Fault::Object(place.to_owned()));
    };
    let place = format!("{place}.");
    check_keys(&object, &place, &TURN_KEYS)?;
    Ok(ScenarioTurn {
        label: optional(&mut object, &place, "label")?,
        input: required(&mut object, &place, "input")?,
        expected_active_step: required(&mut object, &place, "expectedActiveStep")?,
        response_must_include: optional(&mut object, &place, "responseMustInclude")?,
        completed: required(&mut object, &place, "completed")?,
    })
}

/// Refuses a key that is not among `known`, with the one that is most like it.
fn check_keys(
    object: &Map<String, Value>,
    place: &str,
    known: &[&'static str],
) -> Result<(), Fault> {
    let Some(key) = object.keys().find(|key| !known.contains(&key.as_str())) else {
        return Ok(());
    };
    let like = |name: &&&'static str| strsim::jaro_winkler(name, key);
    let nearest = known.iter().max_by(|a, b| like(a).total_cmp(&like(b)));
    let nearest = nearest.copied().unwrap_or_default();
    Err(Fault::Key { place: format!("{place}{key}"), nearest })
}

fn required<T: DeserializeOwned>(
    object: &mut Map<String, Value>,
    place: &str,
    key: &str,
) -> Result<T, Fault> {
    let value = object.remove(key).ok_or_else(|| Fault::Missing(format!("{place}{key}")))?;
    read(value, place, key)
}

fn optional<T: DeserializeOwned + Default>(
    object: &mut Map<String, Value>,
    place: &str,
    key: &str,
) -> Result<T, Fault> {
    object.remove(key).map_or_else(|| Ok(T::default()), |value| read(value, place, key))
}

fn read<T: DeserializeOwned>(value: Value, place: &str, key: &str) -> Result<T, Fault> {
    T::deserialize(value).map_err(|error| Fault::Value { place: format!("{place}{key}"), error })
}
