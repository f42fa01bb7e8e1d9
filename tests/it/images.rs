//! Images that a user shows.

use crate::support::{Talk, TestFlow};
use picoflow::{
    prelude::*,
    session::Image,
    testing::{Rule, ScriptedModel},
};

struct Look;

#[tools]
impl Step for Look {}

/// Says nothing of what the user said.
struct Deaf;

#[tools]
impl Step for Deaf {
    async fn on_crossing(
        &self,
        _cx: &mut Cx<'_>,
        _message: Option<String>,
        _prior: Option<StepId>,
    ) -> HookResult<Option<String>> {
        Ok(None)
    }
}

struct Route;

#[tools]
impl LogicStep for Route {
    async fn run_logic(&self, _cx: &mut Cx<'_>) -> HookResult<StepResponse> {
        Ok(go(Look::ID))
    }
}

fn cats() -> [Image; 2] {
    [Image::url("image/png", "https://example.com/cat.png"), Image::data("image/gif", "R0lGODlh")]
}

async fn talk(steps: Steps) -> Talk {
    Talk::of(TestFlow::new(steps), ScriptedModel::new().on(Rule::new(), "Nice.")).await
}

#[tokio::test]
async fn images_are_stored_with_the_message_and_shown_in_every_request_from_then_on() {
    for steps in [Steps::new().add(Look), Steps::new().add(Route).add(Look)] {
        let mut talk = talk(steps).await;
        let [first, second] = cats();
        let opening = talk.opening().message("Which?").image(first.clone());
        talk.run(opening).await.unwrap();
        assert_eq!(talk.last_request().latest().unwrap().images(), std::slice::from_ref(&first));
        let next = talk.turn("And these?").image(first.clone()).image(second.clone());
        talk.run(next).await.unwrap();
        let shown: Vec<_> =
            talk.last_request().messages.iter().map(|message| message.images().len()).collect();
        assert_eq!(shown.iter().filter(|count| **count > 0).collect::<Vec<_>>(), [&1, &2]);
        talk.run(talk.turn("Thanks")).await.unwrap();
        assert!(talk.last_request().latest().unwrap().images().is_empty());
        let session = talk.session().await;
        assert_eq!(session.warn, []);
        let stored = session.flow.memory.values().flat_map(|memory| memory.messages.iter());
        let images: Vec<_> = stored.flat_map(|message| message.images()).collect();
        assert_eq!(images, [first.clone(), first, second]);
    }
}

#[tokio::test]
async fn images_that_no_step_takes_are_a_warning() {
    let mut talk = talk(Steps::new().add(Deaf)).await;
    let [first, _] = cats();
    let opening = talk.opening().message("Which?").image(first);
    let reply = talk.run(opening).await.unwrap();
    let warnings: Vec<_> = reply.warnings().collect();
    assert_eq!(warnings, ["the turn's images were not shown: no step took its message"]);
}
