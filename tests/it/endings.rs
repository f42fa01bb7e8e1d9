//! Answers that end the turn: `direct`, `direct_to`, `finish`.

use crate::{
    support::{Journal, Talk},
    transitions::{Source, Target, model, talk},
};
use picoflow::{ContentType, TurnError, prelude::*};

#[tokio::test]
async fn direct_ends_the_turn_with_its_text_and_the_session_goes_on() {
    let (mut talk, _) = talk(|| direct("Exactly this.")).await;
    let reply = talk.say("act").await;
    assert_eq!(reply.text, "Exactly this.");
    assert!(!reply.completed);
    assert_eq!(talk.requests().len(), 1);
    assert_eq!(
        talk.memory("shared").await,
        ["human: act", "ai: [act]", "tool: input validated", "ai: Exactly this."]
    );
    let session = talk.session().await;
    let last = session.flow.memory["shared"].last().unwrap();
    assert_eq!(last.additional["direct"], true);
    assert_eq!(talk.say("Hi").await.text, "Source speaks.");
}

#[tokio::test]
async fn direct_to_moves_and_ends_the_turn_without_a_crossing() {
    let journal = Journal::default();
    let source =
        Source { respond: || direct_to("Target", "Over there."), journal: journal.clone() };
    let steps = Steps::new().add(source).add(Target(journal.clone()));
    let mut talk = Talk::new(steps, model()).await;
    let reply = talk.say("act").await;
    assert_eq!((&*reply.text, &reply.step), ("Over there.", &Target::ID));
    assert!(!reply.completed);
    assert_eq!(talk.requests().len(), 1);
    let entered = journal.take();
    assert_eq!(entered.len(), 3, "{entered:?}");
    assert!(entered[2].starts_with("enter Target"), "{entered:?}");
    assert_eq!(talk.memory("Target").await, ["ai: Over there."]);
    assert_eq!(talk.say("next").await.text, "Target speaks.");
    assert_eq!(journal.take(), [""; 0]);
}

#[tokio::test]
async fn finish_completes_the_session_and_keeps_the_cursor() {
    let (mut talk, journal) = talk(|| finish("That is all.")).await;
    let reply = talk.say("act").await;
    assert_eq!((&*reply.text, &reply.step), ("That is all.", &Source::ID));
    assert!(reply.completed);
    assert_eq!(talk.requests().len(), 1);
    assert_eq!(journal.take(), ["enter Source"]);
    assert!(talk.session().await.is_completed());
    let error = talk.fail("more").await;
    assert!(matches!(error, TurnError::EndedSession { .. }), "{error}");
}

#[tokio::test]
async fn a_direct_answer_may_have_a_content_type() {
    let (mut talk, _) = talk(|| direct("a,b").with_content_type(ContentType::CSV)).await;
    assert_eq!(talk.say("act").await.content_type, ContentType::CSV);
    let (mut talk, _) =
        crate::transitions::talk(|| direct_to("Target", "{}").with_content_type(ContentType::JSON))
            .await;
    assert_eq!(talk.say("act").await.content_type, ContentType::JSON);
}

#[tokio::test]
async fn direct_to_the_current_step_is_direct() {
    let (mut talk, journal) = talk(|| direct_to("Source", "Right here.")).await;
    let reply = talk.say("act").await;
    assert_eq!((&*reply.text, &reply.step), ("Right here.", &Source::ID));
    assert_eq!(journal.take(), ["enter Source"]);
}
