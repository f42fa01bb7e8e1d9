//! Which method runs for the calls of a reply, and what comes of several.

use crate::support::{Talk, TestFlow, answers, calls, events, warnings};
use picoflow::{
    Reply, TurnError,
    prelude::*,
    session::MessageKind,
    testing::{Rule, ScriptedModel},
};

struct Named;

#[tools]
impl Step for Named {
    fn note(&self) -> ToolResponse {
        stay_with("by its own name")
    }

    #[tool("note")]
    #[tool("memo")]
    fn annotated(&self, call: &ToolCall) -> ToolResponse {
        stay_with(format!("annotated: {}", call.name()))
    }
}

#[tokio::test]
async fn an_annotated_method_goes_before_one_of_the_tools_own_name() {
    let flow = TestFlow::new(Steps::new().add(Named)).define(["note", "memo"]);
    let mut talk = Talk::of(flow, calls(&["note"])).await;
    talk.say("Hi").await;
    assert_eq!(answers(&talk.last_request()), ["annotated: note"]);
}

#[tokio::test]
async fn one_method_may_handle_several_tools() {
    let flow = TestFlow::new(Steps::new().add(Named)).define(["note", "memo"]);
    let mut talk = Talk::of(flow, calls(&["memo", "note"])).await;
    talk.say("Hi").await;
    assert_eq!(answers(&talk.last_request()), ["annotated: memo", "annotated: note"]);
}

/// Each tool does one thing.
struct Crossroads;

#[tools]
impl Step for Crossroads {
    #[tool]
    fn go_a(&self) -> ToolResponse {
        go(A::ID).with_state(json!({ "from": "crossroads" }))
    }

    #[tool]
    fn go_b(&self) -> ToolResponse {
        go(B::ID)
    }

    #[tool]
    fn remain(&self) -> ToolResponse {
        stay_with("remained")
    }

    #[tool]
    fn say_direct(&self) -> ToolResponse {
        direct("direct text")
    }

    #[tool]
    fn direct_a(&self) -> ToolResponse {
        direct_to(A::ID, "direct_to text")
    }

    #[tool]
    fn end(&self) -> ToolResponse {
        finish("finish text")
    }

    #[tool]
    fn count(&self, cx: &mut Cx<'_>) -> ToolResponse {
        let count = cx.state()["count"].as_u64().unwrap_or(0) + 1;
        cx.save_state(json!({ "count": count }));
        stay_with(count.to_string())
    }
}

struct A;

#[tools]
impl Step for A {}

struct B;

#[tools]
impl Step for B {}

async fn crossroads(model: ScriptedModel) -> Talk {
    let steps = Steps::new().add(Crossroads).add(A).add(B);
    let flow = TestFlow::new(steps).define([
        "go_a",
        "go_b",
        "remain",
        "say_direct",
        "direct_a",
        "end",
        "count",
    ]);
    Talk::of(flow, model).await
}

async fn cross(names: &[&'static str]) -> (Talk, Reply) {
    let mut talk = crossroads(calls(names)).await;
    let reply = talk.say("Hi").await;
    (talk, reply)
}

#[tokio::test]
async fn calls_run_in_the_order_of_the_reply_and_each_id_is_answered() {
    let (talk, reply) = cross(&["count", "remain", "count"]).await;
    assert_eq!(reply.tools().collect::<Vec<_>>(), ["count", "remain", "count"]);
    assert_eq!(
        talk.memory("Crossroads").await,
        [
            "human: Hi",
            "ai: [count, remain, count]",
            "tool: 1",
            "tool: remained",
            "tool: 2",
            "ai: Done."
        ]
    );
    let session = talk.session().await;
    let messages = session.flow.memory["Crossroads"].conversation();
    let answered: Vec<_> = messages[2..5]
        .iter()
        .map(|message| match &message.kind {
            MessageKind::Tool { call_id, .. } => call_id.as_str(),
            other => panic!("{other:?}"),
        })
        .collect();
    let called: Vec<_> = messages[1].tool_calls().iter().map(ToolCall::id).collect();
    assert_eq!(answered, called);
}

#[tokio::test]
async fn a_stay_never_undoes_a_go() {
    for names in [&["go_a", "remain"][..], &["remain", "go_a"], &["count", "go_a", "remain"]] {
        let (_, reply) = cross(names).await;
        assert_eq!(reply.step, "A", "{names:?}");
        assert_eq!(warnings(&reply), [""; 0], "{names:?}");
    }
}

#[tokio::test]
async fn of_competing_transitions_the_last_target_wins_with_a_warning() {
    let (talk, reply) = cross(&["go_a", "go_b"]).await;
    assert_eq!(reply.step, "B");
    assert_eq!(warnings(&reply), ["competing transitions: A, B; applied B"]);
    assert_eq!(talk.session().await.warn[0].message, "competing transitions: A, B; applied B");
    let (_, reply) = cross(&["go_b", "remain", "go_a"]).await;
    assert_eq!(reply.step, "A");
    assert_eq!(warnings(&reply), ["competing transitions: B, A; applied A"]);
}

#[tokio::test]
async fn the_same_target_twice_does_not_compete() {
    let (_, reply) = cross(&["go_a", "go_a"]).await;
    assert_eq!(reply.step, "A");
    assert_eq!(warnings(&reply), [""; 0]);
    let moves = events(&reply);
    assert_eq!(moves.iter().filter(|event| event.contains("->")).count(), 1, "{moves:?}");
}

#[tokio::test]
async fn content_of_finish_then_direct_to_then_direct_ends_the_turn() {
    for (names, text, step, completed) in [
        (&["say_direct", "end", "direct_a"][..], "finish text", "A", true),
        (&["say_direct", "direct_a"], "direct_to text", "A", false),
        (&["direct_a", "say_direct"], "direct_to text", "A", false),
        (&["say_direct", "remain"], "direct text", "Crossroads", false),
        (&["go_b", "say_direct"], "direct text", "B", false),
    ] {
        let (talk, reply) = cross(names).await;
        assert_eq!(reply.text, text, "{names:?}");
        assert_eq!(reply.step, step, "{names:?}");
        assert_eq!(reply.completed, completed, "{names:?}");
        assert_eq!(talk.requests().len(), 1, "{names:?}");
    }
}

#[tokio::test]
async fn a_tool_called_ten_times_runs_ten_times() {
    let (talk, reply) = cross(&["count"; 10]).await;
    assert_eq!(talk.state("Crossroads").await, json!({ "count": 10 }));
    assert_eq!(reply.tools().count(), 10);
    assert_eq!(answers(&talk.last_request()).len(), 10);
}

#[tokio::test]
async fn a_call_without_an_id_and_one_with_a_used_id_get_ids_of_their_own() {
    let model = ScriptedModel::new()
        .answer(Rule::new().times(1), |_| {
            let call = |id: &str| ToolCall::new(id, "count", &json!({}));
            Ok(ModelReply::calls([call(""), call("1"), call("1")]))
        })
        .on(Rule::new(), "Done.");
    let mut talk = crossroads(model).await;
    talk.say("Hi").await;
    assert_eq!(talk.state("Crossroads").await, json!({ "count": 3 }));
}

#[tokio::test]
async fn an_exposed_tool_without_a_handler_is_answered_and_warned_about() {
    struct Handless;

    impl Step for Handless {
        const ID: StepId = StepId::new("Handless");

        fn use_tools(&self) -> Vec<std::borrow::Cow<'static, str>> {
            vec!["nothing".into()]
        }
    }

    let flow = TestFlow::new(Steps::new().add(Handless)).define(["nothing"]);
    let mut talk = Talk::of(flow, calls(&["nothing"])).await;
    let reply = talk.say("Hi").await;
    assert_eq!(warnings(&reply), ["missing tool handler: nothing"]);
    assert_eq!(answers(&talk.last_request()), ["input validated"]);
}

#[tokio::test]
async fn an_invented_tool_is_answered_with_the_tools_that_exist() {
    let (talk, reply) = cross(&["cuont"]).await;
    assert_eq!(warnings(&reply), ["hallucinated tool: cuont"]);
    let told = answers(&talk.last_request());
    assert!(
        told[0].contains("Did you mean 'count'?") && told[0].contains("go_a, go_b, remain"),
        "{told:?}"
    );
    assert_eq!(reply.text, "Done.");
}

#[tokio::test]
async fn what_an_unexposed_method_is_called_like_does_not_make_it_callable() {
    struct Silent;

    #[tools]
    impl Step for Silent {
        fn secret(&self, cx: &mut Cx<'_>) -> ToolResponse {
            cx.save_state(json!({ "ran": true }));
            stay()
        }
    }

    let flow = TestFlow::new(Steps::new().add(Silent)).define(["secret"]);
    let mut talk = Talk::of(flow, calls(&["secret"])).await;
    let reply = talk.say("Hi").await;
    assert_eq!(warnings(&reply), ["hallucinated tool: secret"]);
    assert_eq!(talk.state("Silent").await, Value::Null);
}

#[tokio::test]
async fn a_transition_to_a_step_that_is_not_there_fails_the_turn_even_beside_others() {
    struct Lost;

    #[tools]
    impl Step for Lost {
        /// Go nowhere
        #[tool(define)]
        fn lost(&self, cx: &mut Cx<'_>) -> ToolResponse {
            cx.save_state(json!({ "was": "here" }));
            go("Nowhere")
        }
    }

    let model = ScriptedModel::new()
        .on(Rule::new().latest("Hi"), "Hello.")
        .on_call(Rule::new(), [("lost", json!({}))]);
    let mut talk = Talk::new(Steps::new().add(Lost), model).await;
    talk.say("Hi").await;
    let error = talk.fail("Go").await;
    assert!(matches!(error, TurnError::UnknownStep { .. }), "{error}");
    assert_eq!(error.to_string(), "Step 'Nowhere' is not defined in flow 'TestFlow'.");
    assert_eq!(talk.session().await.error[0].message, error.to_string());
}

#[tokio::test]
async fn a_text_beside_calls_is_kept_with_them() {
    let model = ScriptedModel::new()
        .answer(Rule::new().times(1), |_| {
            let mut reply = ModelReply::calls([ToolCall::new("1", "count", &json!({}))]);
            reply.text = "I count.".to_owned();
            Ok(reply)
        })
        .on(Rule::new(), "Done.");
    let mut talk = crossroads(model).await;
    let reply = talk.say("Hi").await;
    assert_eq!(reply.text, "Done.");
    assert_eq!(talk.memory("Crossroads").await[1], "ai: I count.[count]");
}
