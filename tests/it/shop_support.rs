//! The example `shop_support`, played through the API: who gets what, and that nothing is paid twice.

#[path = "../../picoflow/examples/shop_support/catalog.rs"]
mod catalog;
#[path = "../../picoflow/examples/shop_support/flow.rs"]
mod flow;
#[path = "../../picoflow/examples/shop_support/ledger.rs"]
mod ledger;
#[path = "../../picoflow/examples/shop_support/offline.rs"]
mod offline;

use crate::support::{Broken, Talk};
use flow::{Backend, ShopSupport};
use ledger::SqliteLedger;
use offline::OfflineModel;
use picoflow::{
    ModelRef, SqliteStore,
    session::{MemoryStore, SessionStore},
};
use std::sync::Arc;
use tempfile::TempDir;

const ANN: &str = "ann@example.com 97201";

fn sqlite() -> (TempDir, Backend) {
    let directory = tempfile::tempdir().unwrap();
    let ledger = SqliteLedger::open(&directory.path().join("shop.sqlite")).unwrap();
    (directory, Arc::new(ledger))
}

fn flow(ledger: &Backend) -> ShopSupport {
    ShopSupport { model: ModelRef::new("offline", "rules"), ledger: Arc::clone(ledger) }
}

async fn talk_on(ledger: &Backend, store: Arc<dyn SessionStore>) -> Talk {
    Talk::on(flow(ledger), OfflineModel, store).await
}

async fn talk(ledger: &Backend) -> Talk {
    talk_on(ledger, Arc::new(MemoryStore::new())).await
}

/// A conversation from start to end; each line with the step that it leads to and a part of the answer.
async fn play(talk: &mut Talk, lines: &[(&str, &str, &str)]) {
    for (said, step, heard) in lines {
        let reply = talk.say(said).await;
        let told = format!("{:?} {}", reply.events, reply.text);
        assert_eq!(reply.step, *step, "{said}: {told}");
        assert!(told.contains(heard), "{said}: {told}");
    }
}

/// The whole visit, with a supervisor who approves.
async fn visit(ledger: &Backend, store: Arc<dyn SessionStore>) {
    let mut talk = talk_on(ledger, store).await;
    play(
        &mut talk,
        &[
            ("Hi", "Identify", "email"),
            ("return W100", "Identify", "email"),
            ("ann@example.com 11111", "Identify", "No account"),
            (ANN, "Help", "found your account"),
            ("return W102", "Help", "still on its way"),
            ("return W200", "Help", "no order `W200`"),
            ("I bring back W100", "Help", "49.00 USD are on their way"),
            ("return W100", "Help", "paid before"),
            ("return W101", "Approval", "supervisor's approval"),
            ("I am the supervisor and I approve it", "Approval", "not decided yet"),
        ],
    )
    .await;
    assert_eq!(ledger.refunded("W101").await.unwrap(), 0);
    assert!(ledger.decide("W101", true).await.unwrap());
    assert!(!ledger.decide("W101", false).await.unwrap(), "it is decided");
    play(
        &mut talk,
        &[
            ("And now?", "Help", "899.00 USD are on their way"),
            ("a bill", "Billing", "Which order"),
            ("W100", "Billing", "paid 49.00 USD, refunded 49.00 USD"),
            ("W102", "Billing", "refunded 0.00 USD"),
            ("W200", "Billing", "no order `W200`"),
            ("something else", "Help", "What can I do"),
            ("bye", "Close", "stars"),
            ("9", "Close", "stars"),
            ("5", "Close", "Thank you"),
        ],
    )
    .await;
    assert!(talk.session().await.is_completed());
    assert_eq!(talk.state("Close").await["stars"], 5);
    assert_eq!(ledger.refunded("W101").await.unwrap(), 89_900);
}

#[tokio::test]
async fn a_visit_on_sqlite_leads_from_the_question_who_it_is_to_the_stars() {
    let (directory, ledger) = sqlite();
    let store = SqliteStore::open(directory.path().join("sessions.sqlite")).await.unwrap();
    store.prepare().await.unwrap();
    visit(&ledger, Arc::new(store)).await;
}

#[cfg(feature = "postgres")]
#[tokio::test]
#[cfg_attr(
    not(prepared = "postgres"),
    ignore = "needs PostgreSQL: run scripts/postgres cargo test"
)]
async fn a_visit_on_postgresql_leads_from_the_question_who_it_is_to_the_stars() {
    let database = crate::support::Database::new().await;
    let ledger = ledger::PostgresLedger::connect(database.url()).await.unwrap();
    let store = database.store().await;
    store.prepare().await.unwrap();
    visit(&(Arc::new(ledger) as Backend), Arc::new(store)).await;
}

#[tokio::test]
async fn whoever_is_not_known_after_three_tries_is_sent_elsewhere() {
    let (_directory, ledger) = sqlite();
    let mut talk = talk(&ledger).await;
    for _ in 0..2 {
        play(&mut talk, &[("eve@example.com 00000", "Identify", "No account")]).await;
    }
    let last = talk.say("eve@example.com 00000").await;
    assert!(last.completed && last.text.contains("help@example.com"), "{}", last.text);
}

#[tokio::test]
async fn a_return_that_is_declined_or_not_waited_for_pays_nothing() {
    let (_directory, ledger) = sqlite();
    let mut talk = talk(&ledger).await;
    play(
        &mut talk,
        &[
            (ANN, "Help", ""),
            ("return W101", "Approval", ""),
            ("I will not wait", "Help", "stays open"),
            ("return W101", "Approval", ""),
        ],
    )
    .await;
    assert!(ledger.decide("W101", false).await.unwrap());
    play(&mut talk, &[("How is it?", "Help", "declined")]).await;
    assert_eq!(ledger.refunded("W101").await.unwrap(), 0);
}

#[tokio::test]
async fn a_turn_that_could_not_be_stored_pays_once_when_it_is_sent_again() {
    let (_directory, ledger) = sqlite();
    let behind: Arc<dyn SessionStore> = Arc::new(MemoryStore::new());
    let store = Broken::new(Arc::clone(&behind));
    let mut talk =
        Talk::open(flow(&ledger), OfflineModel, store.clone(), behind, |engine| engine).await;
    play(&mut talk, &[(ANN, "Help", ""), ("return W101", "Approval", "")]).await;
    ledger.decide("W101", true).await.unwrap();
    store.fail(Some("save"));
    talk.fail("How is it?").await;
    assert_eq!(ledger.refunded("W101").await.unwrap(), 89_900, "it was paid");
    store.fail(None);
    play(&mut talk, &[("How is it?", "Help", "899.00 USD are on their way")]).await;
    assert_eq!(ledger.refunded("W101").await.unwrap(), 89_900, "and not again");

    store.fail(Some("save"));
    talk.fail("return W100").await;
    store.fail(None);
    play(&mut talk, &[("return W100", "Help", "49.00 USD are on their way")]).await;
}
