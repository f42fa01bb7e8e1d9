//! A session of 2,000 turns.

use crate::{compaction::Talks, support::TestFlow};
use picoflow::{
    BoxFuture, SqliteStore, StepEntry,
    model::{ChatModel, ChatRequest, ModelError, Purpose},
    prelude::*,
    session::{MemoryStore, Session, SessionStore},
    testing::{check_history, check_request},
};
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

const TURNS: usize = 2000;

/// Answers, and counts what it is sent.
#[derive(Clone, Default)]
struct Counting(Arc<Mutex<Counts>>);

#[derive(Clone, Default)]
struct Counts {
    replies: usize,
    summaries: usize,
    /// Messages of the newest request, and of the largest.
    newest: usize,
    most: usize,
}

impl Counting {
    fn counts(&self) -> Counts {
        self.0.lock().unwrap().clone()
    }
}

impl ChatModel for Counting {
    fn generate(&self, request: ChatRequest) -> BoxFuture<'_, Result<ModelReply, ModelError>> {
        let mut counts = self.0.lock().unwrap();
        counts.newest = request.messages.len();
        counts.most = counts.most.max(counts.newest);
        let text = if request.purpose == Purpose::Summary {
            check_request(&request).unwrap();
            counts.summaries += 1;
            "They have talked for a long time."
        } else {
            counts.replies += 1;
            "Yes."
        };
        Box::pin(async move { Ok(ModelReply::text(text)) })
    }
}

async fn engine(step: StepEntry, store: Arc<dyn SessionStore>) -> (Engine, Counting) {
    let model = Counting::default();
    let flow = TestFlow::new(Steps::new().add(step));
    let engine = Engine::builder().flow(flow).model(model.clone()).store(store);
    (engine.build().await.unwrap(), model)
}

async fn say(engine: &Engine, session: Option<&str>, number: usize) -> String {
    let turn = Turn::new(TestFlow::ID).message(format!("message {number}"));
    let turn = match session {
        Some(id) => turn.session(id),
        None => turn,
    };
    let reply = engine.run(turn).await.unwrap();
    assert_eq!((&*reply.text, reply.completed), ("Yes.", false));
    assert_eq!(reply.warnings().count(), 0);
    reply.session
}

fn size(session: &Session) -> usize {
    serde_json::to_string(session).unwrap().len()
}

/// Two thousand turns with a summary from 16 messages on: the document and the requests stay below a bound.
async fn check_short(store: Arc<dyn SessionStore>) {
    let (engine, model) = engine(Talks.compaction(Compaction::new()), store).await;
    let id = say(&engine, None, 1).await;
    let mut largest = 0;
    for number in 2..=TURNS {
        say(&engine, Some(&id), number).await;
        if number % 100 == 0 {
            let session = engine.session(&id).await.unwrap().unwrap();
            check_history(&session).unwrap();
            largest = largest.max(size(&session));
        }
    }
    assert!(largest < 8 * 1024, "{largest}");
    let counts = model.counts();
    // The prompt, the summary, and 15 messages at the most.
    assert_eq!((counts.replies, counts.most), (TURNS, 17));
    // From 16 messages to 8: every four turns.
    assert_eq!(counts.summaries, (TURNS - 4) / 4);
    let session = engine.session(&id).await.unwrap().unwrap();
    assert_eq!(session.turns, 2000);
    assert_eq!(session.revision, 1999);
}

#[tokio::test]
async fn with_a_summary_a_long_session_stays_small() {
    check_short(Arc::new(MemoryStore::new())).await;
}

#[tokio::test]
async fn with_a_summary_a_long_session_stays_small_in_sqlite() {
    let directory = TempDir::new().unwrap();
    let store = SqliteStore::open(directory.path().join("s.sqlite")).await.unwrap();
    check_short(Arc::new(store)).await;
}

#[tokio::test]
async fn without_a_summary_a_long_session_grows_by_what_is_said_and_goes_on_in_any_store() {
    let memory: Arc<dyn SessionStore> = Arc::new(MemoryStore::new());
    let (engine_in_memory, model) = engine(Talks.memory("talk"), Arc::clone(&memory)).await;
    let id = say(&engine_in_memory, None, 1).await;
    let mut sizes = Vec::new();
    for number in 2..=TURNS {
        say(&engine_in_memory, Some(&id), number).await;
        // What was said before, each twice, the prompt and the newest message: nothing is sent or stored twice.
        assert_eq!(model.counts().newest, 2 * number);
        if number % 500 == 0 {
            sizes.push(size(&memory.load(&id).await.unwrap().unwrap()));
        }
    }
    // Equal stretches add about as much as each other.
    let growth: Vec<_> = sizes.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let (least, most) = (growth.iter().min().unwrap(), growth.iter().max().unwrap());
    assert!(most - least < most / 10, "{sizes:?}");

    // The same session in a file.
    let session = memory.load(&id).await.unwrap().unwrap();
    assert_eq!(session.turns, 2000);
    let directory = TempDir::new().unwrap();
    let sqlite = SqliteStore::open(directory.path().join("s.sqlite")).await.unwrap();
    let sqlite: Arc<dyn SessionStore> = Arc::new(sqlite);
    let (engine_in_file, model) = engine(Talks.memory("talk"), Arc::clone(&sqlite)).await;
    sqlite.create(&session).await.unwrap();
    for number in TURNS + 1..=TURNS + 20 {
        say(&engine_in_file, Some(&id), number).await;
        assert_eq!(model.counts().newest, 2 * number);
    }
    let after = sqlite.load(&id).await.unwrap().unwrap();
    check_history(&after).unwrap();
    assert_eq!(after.flow.memory["talk"].messages.len(), 1 + 2 * (TURNS + 20));

    // A flow that asks for a summary later sums up all of it at once.
    let compaction = Talks.memory("talk").compaction(Compaction::new());
    let (engine_with_summary, model) = engine(compaction, Arc::clone(&sqlite)).await;
    say(&engine_with_summary, Some(&id), TURNS + 21).await;
    assert_eq!(model.counts().summaries, 1);
    let after = sqlite.load(&id).await.unwrap().unwrap();
    assert_eq!(after.flow.memory["talk"].conversation().len(), 8);
    assert!(size(&after) < 8 * 1024);
}

#[tokio::test]
async fn a_session_keeps_its_newest_thousand_moves() {
    struct Moves(&'static str);

    impl LogicStep for Moves {
        const ID: StepId = StepId::new("Moves");

        async fn run_logic(&self, _cx: &mut Cx<'_>) -> HookResult<StepResponse> {
            Ok(go(self.0))
        }
    }

    struct Rests;

    #[tools]
    impl Step for Rests {
        async fn on_response(
            &self,
            cx: &mut Cx<'_>,
            _output: ModelOutput,
        ) -> HookResult<StepResponse> {
            let rounds = cx.state()["rounds"].as_u64().unwrap_or(0);
            cx.save_state(json!({ "rounds": rounds + 1 }));
            Ok(if rounds.is_multiple_of(2) { go("Moves") } else { "Yes.".into() })
        }
    }

    let store: Arc<dyn SessionStore> = Arc::new(MemoryStore::new());
    let flow = TestFlow::new(Steps::new().add(Rests).add(Moves("Rests")));
    let engine = Engine::builder().flow(flow).model(Counting::default()).store(store);
    let engine = engine.build().await.unwrap();
    let id = say(&engine, None, 1).await;
    for number in 2..=520 {
        say(&engine, Some(&id), number).await;
    }
    let session = engine.session(&id).await.unwrap().unwrap();
    assert_eq!(session.flow.sequence.len(), 1000);
    assert_eq!(session.flow.sequence.last().unwrap().step_name, "Rests");
}
