//! The smallest conversation with a real model: two questions, and what was said is in the session.
//!
//! ```text
//! OPENAI_API_KEY=... cargo run --features genai --example start -- gpt-4o-mini
//! ```
#![expect(clippy::print_stdout, reason = "this program talks to a person")]

use futures_util::StreamExt;
use picoflow::{TurnEvent, genai::GenaiModel, prelude::*};
use std::{
    error::Error,
    io::{Write, stdin, stdout},
};

struct AskName;

#[tools]
impl Step for AskName {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "Greet the user and ask for the first name. As soon as you know it, call `user_name`."
            .into()
    }

    /// Keep the user's first name
    #[tool(define)]
    fn user_name(&self, cx: &mut Cx<'_>, name: String) -> ToolResponse {
        cx.save_state(json!({ "name": name }));
        go(AskAge::ID)
    }
}

struct AskAge;

#[tools]
impl Step for AskAge {
    fn prompt(&self, cx: &Cx<'_>) -> Prompt {
        let name = &cx.step_state(AskName::ID)["name"];
        format!("The user is {name}. Ask for the age in years, then call `user_age`.").into()
    }

    /// Keep the user's age
    #[tool(define)]
    fn user_age(&self, cx: &mut Cx<'_>, #[schemars(range(max = 150))] years: u8) -> ToolResponse {
        if years < 18 {
            return stay_with("Only for grown-ups. Ask whether that is really the age.");
        }
        cx.save_state(json!({ "years": years }));
        finish(format!("{years}! Thank you, and good bye."))
    }
}

struct Start(ModelRef);

#[tools]
impl Flow for Start {
    fn model(&self) -> ModelRef {
        self.0.clone()
    }

    fn steps(&self) -> Steps {
        Steps::new().add(AskName).add(AskAge)
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "gpt-4o-mini".to_owned());
    let (model, name) = GenaiModel::named(&name)?;
    let engine = Engine::builder().flow(Start(name)).model(model).build().await?;

    let mut session: Option<String> = None;
    for line in stdin().lines() {
        let turn = Turn::new("Start").message(line?);
        let turn = session.iter().fold(turn, Turn::session);
        let mut events = engine.stream(turn);
        let mut shown = String::new();
        while let Some(event) = events.next().await {
            match event? {
                TurnEvent::ModelCalled { .. } => shown.clear(),
                TurnEvent::Text { delta, .. } => {
                    print!("{delta}");
                    stdout().flush()?;
                    shown.push_str(&delta);
                }
                TurnEvent::Replied { reply } => {
                    // A handler may have had the last word.
                    println!("{}", if shown == reply.text { "" } else { &reply.text });
                    if reply.completed {
                        return Ok(());
                    }
                    session = Some(reply.session);
                }
                _ => {}
            }
        }
    }
    Ok(())
}
