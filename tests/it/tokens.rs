//! What a session and a turn say that they cost.

use crate::support::Talk;
use picoflow::{
    TurnError,
    model::{ModelError, Usage},
    prelude::*,
    testing::{Rule, ScriptedModel},
};

struct Works;

#[tools]
impl Step for Works {
    fn check_response(&self, _cx: &Cx<'_>, reply: &ModelReply) -> Verdict {
        match &*reply.text {
            "no" => Verdict::Retry("Say yes.".to_owned()),
            _ => Verdict::Accept,
        }
    }

    /// One child
    #[tool(define)]
    async fn child(&self, cx: &mut Cx<'_>) -> Result<ToolResponse, ToolError> {
        cx.run_step(Worker::ID, Some("work")).await?;
        Ok(direct("Done."))
    }

    /// Two side by side, one of which fails
    #[tool(define)]
    async fn batch(&self, cx: &mut Cx<'_>) -> Result<ToolResponse, ToolError> {
        let child = |key, text| Child::new(Worker::ID).key(key).message(text);
        let batch = cx.run_steps([child("a", "work"), child("b", "say no")]).await?;
        assert_eq!(batch.rejected().count(), 1);
        Ok(direct("Done."))
    }

    /// Fails the turn
    #[tool(define)]
    fn abort(&self) -> Result<ToolResponse, ToolError> {
        Err(ToolError::abort("out of order"))
    }
}

struct Worker;

#[tools]
impl Step for Worker {
    fn check_response(&self, cx: &Cx<'_>, reply: &ModelReply) -> Verdict {
        Works.check_response(cx, reply)
    }
}

/// Each call costs 10 tokens read and 5 written.
async fn talk() -> Talk {
    let model = ScriptedModel::new()
        .on_call(Rule::new().latest("child"), [("child", json!({}))])
        .on_call(Rule::new().latest("batch"), [("batch", json!({}))])
        .on_call(Rule::new().latest("abort"), [("abort", json!({}))])
        .answer(Rule::new().latest("unreachable").times(1), |_| Err(ModelError::transient("503")))
        .on(Rule::new().latest("say no"), "no")
        .on(Rule::new().latest("never"), "no")
        .on(Rule::new().latest("refused: Say yes."), "no")
        .on(Rule::new(), "Yes.");
    Talk::new(Steps::new().add(Works).add(Worker), model).await
}

/// Model calls that were paid for.
fn calls(usage: &Usage) -> u64 {
    assert_eq!(usage.total_tokens, usage.input_tokens + usage.output_tokens);
    assert_eq!(usage.input_tokens, 2 * usage.output_tokens);
    usage.input_tokens / 10
}

#[tokio::test(start_paused = true)]
async fn every_call_that_answered_is_counted_in_the_turn_and_in_the_session() {
    let mut talk = talk().await;
    let mut sum = 0;
    for (text, paid) in [
        ("Hi", 1),
        // A call that failed has reported nothing; the next one has.
        ("unreachable", 1),
        // The call and the child.
        ("child", 2),
        // The call, one branch, and three refused replies of the other.
        ("batch", 5),
    ] {
        let reply = talk.say(text).await;
        assert_eq!(calls(&reply.usage), paid, "{text}");
        sum += paid;
        assert_eq!(calls(&talk.session().await.tokens), sum, "{text}");
    }
}

#[tokio::test]
async fn a_turn_that_failed_is_paid_for_with_its_note() {
    let mut talk = talk().await;
    talk.say("Hi").await;
    // Three refused replies.
    let error = talk.fail("never").await;
    assert!(matches!(error, TurnError::NoReply { attempts: 3, .. }), "{error}");
    assert_eq!(calls(&talk.session().await.tokens), 1 + 3);
    talk.fail("abort").await;
    let session = talk.session().await;
    assert_eq!(calls(&session.tokens), 1 + 3 + 1);
    assert_eq!((session.turns, session.error.len()), (1, 2));
    // The next turn adds its own, and nothing twice.
    talk.say("Hi").await;
    assert_eq!(calls(&talk.session().await.tokens), 1 + 3 + 1 + 1);
}
