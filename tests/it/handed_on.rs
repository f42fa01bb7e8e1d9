//! Messages that a transition hands on.

use crate::support::Talk;
use picoflow::{
    TurnError,
    prelude::*,
    session::{Image, Message},
    testing::{Rule, ScriptedModel},
};

/// Hands on what its tool says.
struct Hands;

#[tools]
impl Step for Hands {
    /// Hand a message on
    #[tool(define)]
    fn hand(&self, cx: &mut Cx<'_>, what: String) -> ToolResponse {
        let memory = cx.memory().clone();
        let find = |is_it: fn(&Message) -> bool| {
            memory.messages.iter().find(|message| is_it(message)).map(|message| &**message)
        };
        match what.as_str() {
            "user" => go("Taker").with_message(find(Message::is_human).unwrap()),
            "assistant" => go("Taker").with_message(Message::ai("Said before.")),
            "reply" => go("Taker").with_message(find(|it| !it.tool_calls().is_empty()).unwrap()),
            _ => stay().with_message(Message::ai("Said before.")),
        }
    }
}

struct Taker;

#[tools]
impl Step for Taker {
    /// Go back
    #[tool(define)]
    fn back(&self) -> ToolResponse {
        go(Hands::ID)
    }
}

async fn handing(what: &'static str) -> Talk {
    let model = ScriptedModel::new()
        .on_call(
            Rule::new().step("Hands").latest("first").times(1),
            [("hand", json!({ "what": "user" }))],
        )
        .on_call(Rule::new().step("Taker").latest("back").times(1), [("back", json!({}))])
        .on_call(Rule::new().step("Hands").latest("act"), [("hand", json!({ "what": what }))])
        .on(Rule::new().step("Taker"), "Taken.")
        .on(Rule::new(), "Yes.");
    Talk::new(Steps::new().add(Hands).add(Taker), model).await
}

#[tokio::test]
async fn a_message_of_the_user_is_handed_on_with_its_images() {
    let mut talk = handing("user").await;
    let image = Image::url("image/png", "https://example.com/cat.png");
    let turn = talk.opening().message("act").image(image.clone());
    assert_eq!(talk.run(turn).await.unwrap().text, "Taken.");
    let request = talk.last_request();
    let last = request.messages.last().unwrap();
    assert_eq!((&*last.content, last.images()), ("act", vec![image]));
    let ids: Vec<_> = talk.session().await.flow.memory["Hands"].messages.to_vec();
    assert!(ids.iter().all(|message| message.id != last.id));
}

#[tokio::test]
async fn a_message_of_the_assistant_is_handed_on_as_such() {
    let mut talk = handing("assistant").await;
    talk.say("act").await;
    assert_eq!(talk.memory("Taker").await, ["ai: Said before.", "human: Start", "ai: Taken."]);
}

#[tokio::test]
async fn a_message_that_cannot_be_handed_on_fails_the_turn() {
    for (what, part) in [("reply", "without calls"), ("stay", "nothing to answer")] {
        let mut talk = handing(what).await;
        for text in ["first", "back"] {
            talk.say(text).await;
        }
        let error = talk.fail("act").await;
        assert!(
            matches!(&error, TurnError::Misuse { reason, .. } if reason.contains("`with_message`") && reason.contains(part)),
            "{what}: {error}"
        );
    }
}
