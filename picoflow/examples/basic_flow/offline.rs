//! A stand-in for a language model: a few plain rules from what the user typed to replies and tool calls, so that the
//! example runs without a key and without a network. It knows the steps' tools by name and nothing of their handlers.

use picoflow::{
    BoxFuture,
    model::{ChatModel, ChatRequest, ModelError},
    prelude::*,
    session::{MessageKind, ToolStatus},
};

pub(crate) struct OfflineModel;

/// What the rules look at.
enum Latest<'a> {
    /// The user typed this.
    Typed(&'a str),
    /// The step was just entered.
    Entered,
    /// A tool refused what it was given, and says why.
    Refused(&'a str),
}

impl ChatModel for OfflineModel {
    fn generate(&self, request: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        Box::pin(async move { Ok(answer(&request)) })
    }
}

fn answer(request: &ChatRequest) -> ModelReply {
    let latest = latest(request);
    let can_leave = request.tools.iter().any(|tool| tool.name() == TerminateSessionStep::TOOL);
    if let Latest::Typed(text) = latest
        && can_leave
        && is_farewell(text)
    {
        return call(request, [(TerminateSessionStep::TOOL, json!({}))]);
    }
    match request.step.as_str() {
        "WeatherStep" => weather(request, &latest),
        "PresidentStep" => president(request, &latest),
        "FavoritesStep" => favorites(&latest),
        "NameStep" => name(request, &latest),
        "DOBStep" => dob(request, &latest),
        "AddressStep" => address(request, &latest),
        "InContextStep" => ModelReply::text(
            r#"{"title":"One More Step","plot":"A hero follows a flow to its end."}"#,
        ),
        "ConcurStep1" => call(request, [("complete_concurrent_step1", json!({}))]),
        "TerminateSessionStep" if request.prompt().contains("address") => {
            ModelReply::text("Your address is saved and everything is complete. Good bye!")
        }
        "TerminateSessionStep" => ModelReply::text("Thank you for the visit. Good bye!"),
        _ => ModelReply::text("Done."),
    }
}

fn latest(request: &ChatRequest) -> Latest<'_> {
    let Some(message) = request.latest() else {
        return Latest::Entered;
    };
    match &message.kind {
        MessageKind::Human if message.content != "Start" => Latest::Typed(&message.content),
        // A handler that keeps its step has something to say; one that went on has not.
        MessageKind::Tool { status, .. }
            if *status == ToolStatus::Error || message.content != "input validated" =>
        {
            Latest::Refused(&message.content)
        }
        _ => Latest::Entered,
    }
}

fn is_farewell(text: &str) -> bool {
    let text = text.trim().trim_end_matches(['.', '!']).to_lowercase();
    ["bye", "good bye", "goodbye", "quit", "exit", "stop", "leave", "end"].contains(&&*text)
}

fn call<const N: usize>(request: &ChatRequest, calls: [(&'static str, Value); N]) -> ModelReply {
    calls_of(request, calls)
}

fn calls_of(
    request: &ChatRequest,
    calls: impl IntoIterator<Item = (&'static str, Value)>,
) -> ModelReply {
    let turn = request.messages.len();
    let calls = calls.into_iter().enumerate();
    ModelReply::calls(
        calls.map(|(i, (tool, args))| ToolCall::new(format!("call_{turn}_{i}"), tool, &args)),
    )
}

fn weather(request: &ChatRequest, latest: &Latest<'_>) -> ModelReply {
    match latest {
        Latest::Typed(text) => {
            let cities: Vec<String> = cities(text).collect();
            if cities.is_empty() {
                return ModelReply::text(
                    "I can tell you the weather of LA and NYC. Which one would you like?",
                );
            }
            let calls = cities.iter().map(|city| ("get_weather", json!({ "cityName": city })));
            calls_of(request, calls)
        }
        Latest::Refused(why) if why.contains("not supported") => {
            ModelReply::text(format!("{why} I support LA and NYC. Which one would you like?"))
        }
        Latest::Refused(told) if told.contains("city_LA") => ModelReply::text(
            "LA has 72 degrees. NYC is the other city that I know: would you like it too?",
        ),
        Latest::Refused(told) if told.contains("city_NYC") => ModelReply::text(
            "NYC has 83 degrees. LA is the other city that I know: would you like it too?",
        ),
        _ => ModelReply::text(
            "Hello! I can tell you the weather of LA and NYC. Which one would you like?",
        ),
    }
}

/// Names of cities, as far as a rule can tell: the two that are known, and short words in capitals.
fn cities(text: &str) -> impl Iterator<Item = String> {
    let text = text.to_owned().replace("Los Angeles", "LA").replace("New York", "NYC");
    let words: Vec<String> =
        text.split(|c: char| !c.is_alphanumeric()).map(str::to_owned).collect();
    words.into_iter().filter(|word| {
        let is_code = (2..=3).contains(&word.len()) && word.chars().all(|c| c.is_ascii_uppercase());
        is_code || ["la", "nyc"].contains(&&*word.to_lowercase())
    })
}

fn president(request: &ChatRequest, latest: &Latest<'_>) -> ModelReply {
    match latest {
        Latest::Typed(text) if text.to_lowercase().contains("yes") => {
            call(request, [("begin_visit", json!({}))])
        }
        _ => ModelReply::text("Welcome, Mr. President! Shall we begin? Say yes, or good bye."),
    }
}

fn favorites(latest: &Latest<'_>) -> ModelReply {
    let ask =
        "What are your favorite color, movie and season? Name all three, separated by commas.";
    let Latest::Typed(text) = latest else {
        return ModelReply::text(ask);
    };
    let parts: Vec<_> = text.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
    match *parts {
        [color, movie, season] => ModelReply::text(
            json!({ "favoriteColor": color, "favoriteMovie": movie, "favoriteSeason": season })
                .to_string(),
        ),
        _ => ModelReply::text(format!("I need three favorites. {ask}")),
    }
}

fn name(request: &ChatRequest, latest: &Latest<'_>) -> ModelReply {
    match latest {
        Latest::Typed(text) if text.split_whitespace().count() >= 2 && !text.contains('?') => {
            call(request, [("user_name", json!({ "name": text.trim() }))])
        }
        Latest::Typed(_) => {
            ModelReply::text("I need your first and last name. What is your full name?")
        }
        Latest::Refused(why) => ModelReply::text(*why),
        Latest::Entered => ModelReply::text("Thank you. What is your full name?"),
    }
}

fn dob(request: &ChatRequest, latest: &Latest<'_>) -> ModelReply {
    let Latest::Typed(text) = latest else {
        return ModelReply::text(match latest {
            Latest::Refused(why) => format!("{why} When were you born, such as 1/31/2000?"),
            _ => "What is your date of birth, such as 1/31/2000?".to_owned(),
        });
    };
    let numbers: Vec<u32> = text
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|number| number.parse().ok())
        .collect();
    match *numbers {
        [year, month, day] if year > 31 => {
            call(request, [("dob", json!({ "year": year, "month": month, "day": day }))])
        }
        [month, day, year] => {
            call(request, [("dob", json!({ "year": year, "month": month, "day": day }))])
        }
        _ => ModelReply::text(
            "I did not understand the date. When were you born, such as 1/31/2000?",
        ),
    }
}

fn address(request: &ChatRequest, latest: &Latest<'_>) -> ModelReply {
    match latest {
        Latest::Typed(text) if text.contains(',') => {
            call(request, [("address", json!({ "address": text }))])
        }
        Latest::Refused(why) => ModelReply::text(format!("{why} What is your address?")),
        _ => ModelReply::text("What is your address, such as 123 K St. Portland, OR 97006?"),
    }
}
