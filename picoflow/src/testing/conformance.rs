//! The rules that every session store keeps, as one check.

mod content;
mod fault;
mod lists;
mod races;
mod subject;
mod writes;

pub use fault::{StoreFault, StoreFaults};

use fault::{Failure, Outcome};
use picoflow_core::{BoxFuture, session::SessionStore};
use std::{sync::Arc, time::Duration};
use subject::Subject;

/// How long one rule may take, before a store is said to hang.
const PATIENCE: Duration = Duration::from_mins(2);

type Rule = (&'static str, fn(Arc<Subject>) -> BoxFuture<'static, Outcome>);

const RULES: &[Rule] = &[
    ("a store gets ready as often as it is asked", |on| Box::pin(writes::prepare(on))),
    ("what is created is loaded as it was", |on| Box::pin(writes::create(on))),
    ("any text may be asked for as an id", |on| Box::pin(writes::odd_ids(on))),
    ("an id that is taken is a conflict and changes nothing", |on| Box::pin(writes::taken(on))),
    ("the revision is told as it is", |on| Box::pin(writes::revision(on))),
    ("a save replaces the session", |on| Box::pin(writes::save(on))),
    ("a stale save is a conflict and changes nothing", |on| Box::pin(writes::stale_save(on))),
    ("a stale delete is a conflict and changes nothing", |on| Box::pin(writes::stale_delete(on))),
    ("a delete removes, without a revision whatever is there", |on| Box::pin(writes::delete(on))),
    ("a write to one session leaves the others alone", |on| Box::pin(writes::apart(on))),
    ("a session is kept whatever the engine would say of it", |on| Box::pin(writes::policy(on))),
    ("texts are kept with every character", |on| Box::pin(content::texts(on))),
    ("numbers are kept with every digit", |on| Box::pin(content::numbers(on))),
    ("keys are kept in their order", |on| Box::pin(content::keys(on))),
    ("a document of five MiB is kept whole", |on| Box::pin(content::large(on))),
    ("a state of a hundred levels is kept", |on| Box::pin(content::deep(on))),
    ("a state that is too deep to be read is no crash", |on| Box::pin(content::too_deep(on))),
    ("of two writers of a revision one wins", |on| Box::pin(races::two_writers(on))),
    ("of fifty writers of a revision one wins", |on| Box::pin(races::fifty_writers(on))),
    ("of several creators of an id one wins", |on| Box::pin(races::creators(on))),
    ("of a save and a delete of a revision one wins", |on| Box::pin(races::save_and_delete(on))),
    ("a delete under a running writer is final", |on| Box::pin(races::delete_under_writer(on))),
    ("a list is ordered by id", |on| Box::pin(lists::order(on))),
    ("a list is filtered by flow and status", |on| Box::pin(lists::flow_and_status(on))),
    ("a list is filtered by time", |on| Box::pin(lists::time(on))),
    ("a list says what the documents say", |on| Box::pin(lists::summary(on))),
    ("a list comes in pages", |on| Box::pin(lists::pages(on))),
    ("pages hold still under writes", |on| Box::pin(lists::pages_under_writes(on))),
];

/// Holds a store to the contract of [`SessionStore`], for a test of a store of your own.
///
/// `open` opens the store once for each rule. Each rule makes ids and flows of its own and removes its sessions in the
/// end, so that one database may serve all of them, and other tests at the same time. Nothing is asked of the database
/// as a whole: it need not be empty.
///
/// The rules are those of the trait's documentation, and what else sessions rely on: every character, every digit and
/// the order of keys are kept, documents of five MiB, a state of 100 levels (the most that the engine lets a session
/// hold), 50 writers of one revision, pages under writes, a delete under a running writer. A state of 500 levels, which
/// no reader of this crate takes, may be refused by `create` or by `load`, with an error. A session is kept as it is,
/// also if its flow has no name or its version is unknown: to refuse it is the engine's business.
///
/// Writers of a race run on threads of their own. Needs a tokio runtime with timers whose clock is not paused.
///
#[doc = include_str!("../docs/store_conformance.md")]
///
/// # Errors
/// When the store breaks a rule: all that it breaks, each with what was expected and what was found.
///
/// # Panics
/// Outside of a tokio runtime. A panic of the store is a broken rule.
pub async fn store_conformance<S: SessionStore>(
    open: impl AsyncFn() -> S,
) -> Result<(), StoreFaults> {
    let both = async || {
        let store: Arc<dyn SessionStore> = Arc::new(open().await);
        [Arc::clone(&store), store]
    };
    check(both).await
}

/// [`store_conformance`] over two connections to one database.
///
/// `open` gives two stores that share their sessions, such as two that were opened on one file. What is written through
/// one is looked for through the other, and both take part in races. A store whose compare-and-swap is safe within a
/// process alone fails here.
///
#[doc = include_str!("../docs/store_conformance_across.md")]
///
/// # Errors
/// As [`store_conformance`].
///
/// # Panics
/// As [`store_conformance`].
pub async fn store_conformance_across<S: SessionStore>(
    open: impl AsyncFn() -> [S; 2],
) -> Result<(), StoreFaults> {
    let both = async || open().await.map(|store| Arc::new(store) as Arc<dyn SessionStore>);
    check(both).await
}

async fn check(open: impl AsyncFn() -> [Arc<dyn SessionStore>; 2]) -> Result<(), StoreFaults> {
    let mut faults = Vec::new();
    for (rule, check) in RULES {
        let subject = Arc::new(Subject::new(open().await));
        if let Err(failure) = held(check, &subject).await {
            faults.push(failure.of(rule));
        }
        subject.clean_up().await;
    }
    if faults.is_empty() { Ok(()) } else { Err(StoreFaults { faults, rules: RULES.len() }) }
}

/// Runs a check in a task of its own, which may panic or hang.
async fn held(
    check: &fn(Arc<Subject>) -> BoxFuture<'static, Outcome>,
    subject: &Arc<Subject>,
) -> Outcome {
    subject.prepare().await?;
    let mut task = tokio::spawn(check(Arc::clone(subject)));
    match tokio::time::timeout(PATIENCE, &mut task).await {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(error)) => Err(Failure::new("no panic", error)),
        Err(_) => {
            task.abort();
            Err(Failure::new("an end", format!("none after {PATIENCE:?}")))
        }
    }
}
