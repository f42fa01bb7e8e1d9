//! A stand-in for a language model: a few rules, so that the example runs without a key.

use picoflow::{
    BoxFuture,
    model::{ChatModel, ChatRequest, ModelError},
    prelude::*,
    session::MessageKind,
};

pub(crate) struct OfflineModel;

impl ChatModel for OfflineModel {
    fn generate(&self, request: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        Box::pin(async move { Ok(answer(&request)) })
    }
}

fn answer(request: &ChatRequest) -> ModelReply {
    let Some(latest) = request.latest() else { return question(request) };
    match &latest.kind {
        MessageKind::Human => {}
        // What a handler says is said to the customer; one that went on has nothing to say.
        MessageKind::Tool { .. } if latest.content != "input validated" => {
            return ModelReply::text(&latest.content);
        }
        _ => return question(request),
    }
    let words: Vec<_> = latest.content.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let text = latest.content.to_lowercase();
    let said = |parts: &[&str]| parts.iter().any(|part| text.contains(part));
    let order = words
        .iter()
        .find(|word| word.strip_prefix(['w', 'W']).is_some_and(|rest| rest.parse::<u32>().is_ok()));
    match (request.step.as_str(), order) {
        ("Identify", _) => {
            let email = words.iter().find(|word| word.contains('@'));
            let zip = words.iter().find(|word| word.len() == 5 && word.parse::<u32>().is_ok());
            match (email, zip) {
                (Some(email), Some(zip)) => {
                    call(request, "identify", &json!({ "email": email, "zip": zip }))
                }
                _ => question(request),
            }
        }
        ("Help", Some(order)) if said(&["return", "refund", "back"]) => {
            call(request, "return_order", &json!({ "order": order }))
        }
        ("Help", _) if said(&["bill", "invoice", "paid"]) => call(request, "billing", &json!({})),
        ("Help", _) if said(&["bye", "nothing", "that is all"]) => {
            call(request, "close", &json!({}))
        }
        ("Approval", _) if said(&["wait", "later", "never mind"]) => {
            call(request, "do_not_wait", &json!({}))
        }
        ("Approval", _) => call(request, "check_approval", &json!({})),
        ("Billing", Some(order)) => call(request, "bill", &json!({ "order": order })),
        ("Billing", None) if said(&["back", "else", "no"]) => call(request, "back", &json!({})),
        ("Close", _) => match words.iter().find_map(|word| word.parse::<u8>().ok()) {
            Some(stars) => call(request, "rate", &json!({ "stars": stars })),
            None => question(request),
        },
        _ => question(request),
    }
}

fn question(request: &ChatRequest) -> ModelReply {
    ModelReply::text(match request.step.as_str() {
        "Identify" => "What are your email and your zip code?",
        "Help" => "What can I do for you? Such as: return W100, bills, or bye.",
        "Approval" => {
            "The return waits for my supervisor. Ask me how it stands, or say that you do not want to wait."
        }
        "Billing" => "Which order's bill do you mean? Or something else?",
        _ => "How many stars do you give us, from 1 to 5?",
    })
}

fn call(request: &ChatRequest, tool: &str, arguments: &Value) -> ModelReply {
    // Ids are told apart by what was said before.
    let id = format!("{tool}-{}", request.messages.len());
    ModelReply::calls([ToolCall::new(id, tool, arguments)])
}
