//! Several writes at once.

use super::{
    fault::{Failure, Outcome, equal},
    subject::{Subject, conflict, done, gone, kept, next},
};
use picoflow_core::session::{Session, SessionStore, StoreError};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Barrier,
        atomic::{AtomicBool, Ordering},
    },
};
use tokio::{runtime::Handle, sync::oneshot};

/// Runs all of `works` at once, each on a thread of its own: on a runtime of one thread, a store whose calls never wait
/// would otherwise take them one by one.
pub(super) async fn at_once<T: Send + 'static>(
    works: Vec<impl Future<Output = T> + Send + 'static>,
) -> Outcome<Vec<T>> {
    let start = Arc::new(Barrier::new(works.len()));
    let mut ends = Vec::with_capacity(works.len());
    for work in works {
        let start = Arc::clone(&start);
        ends.push(on_a_thread(async move {
            start.wait();
            work.await
        }));
    }
    let mut results = Vec::with_capacity(ends.len());
    for end in ends {
        results.push(result(end).await?);
    }
    Ok(results)
}

type End<T> = oneshot::Receiver<std::thread::Result<T>>;

pub(super) fn on_a_thread<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> End<T> {
    let (send, end) = oneshot::channel();
    let runtime = Handle::current();
    std::thread::spawn(move || {
        // Nobody looks at what a panic left behind but the test that fails of it. A rule that failed already does not
        // wait for the result.
        let result = catch_unwind(AssertUnwindSafe(|| runtime.block_on(work)));
        drop(send.send(result));
    });
    end
}

pub(super) async fn result<T>(end: End<T>) -> Outcome<T> {
    match end.await {
        Ok(Ok(result)) => Ok(result),
        _ => Err(Failure::new("no panic", "one")),
    }
}

pub(super) async fn two_writers(on: Arc<Subject>) -> Outcome {
    writers(&on, 2, 20).await
}

pub(super) async fn fifty_writers(on: Arc<Subject>) -> Outcome {
    writers(&on, 50, 3).await
}

/// Lets writers race for each revision in turn.
async fn writers(on: &Subject, writers: usize, rounds: u64) -> Outcome {
    let mut now = on.session("a")?;
    done("create", on.one.create(&now).await)?;
    for revision in 0..rounds {
        let sessions: Vec<_> =
            (0..writers).map(|number| next(&now, &format!("W{number}"))).collect();
        let saves = sessions.iter().enumerate().map(|(number, session)| {
            let store = Arc::clone(if number % 2 == 0 { &on.one } else { &on.other });
            save(store, session.clone(), revision)
        });
        let results = at_once(saves.collect()).await?;
        now = winner(&now.id, sessions, results)?;
        kept(&*on.one, &now).await?;
        kept(&*on.other, &now).await?;
    }
    Ok(())
}

async fn save(
    store: Arc<dyn SessionStore>,
    session: Session,
    expected: u64,
) -> Result<(), StoreError> {
    store.save(&session, expected).await
}

/// The session of the one call that succeeded; all others have to be conflicts.
fn winner(
    id: &str,
    sessions: Vec<Session>,
    results: Vec<Result<(), StoreError>>,
) -> Outcome<Session> {
    let mut winners = Vec::new();
    for (session, result) in sessions.into_iter().zip(results) {
        match result {
            Ok(()) => winners.push(session),
            lost => conflict("the call of a loser", id, lost)?,
        }
    }
    let count = winners.len();
    match winners.pop() {
        Some(winner) if count == 1 => Ok(winner),
        _ => Err(Failure::new("one winner", count)),
    }
}

pub(super) async fn creators(on: Arc<Subject>) -> Outcome {
    for round in 0..5 {
        let first = on.session(&format!("a{round}"))?;
        let mut sessions: Vec<_> =
            (0..8).map(|number| next(&first, &format!("W{number}"))).collect();
        for session in &mut sessions {
            session.revision = 0;
        }
        let creates = sessions.iter().enumerate().map(|(number, session)| {
            let store = Arc::clone(if number % 2 == 0 { &on.one } else { &on.other });
            let session = session.clone();
            async move { store.create(&session).await }
        });
        let results = at_once(creates.collect()).await?;
        kept(&*on.other, &winner(&first.id, sessions, results)?).await?;
    }
    Ok(())
}

pub(super) async fn save_and_delete(on: Arc<Subject>) -> Outcome {
    for round in 0..10 {
        let created = on.session(&format!("a{round}"))?;
        done("create", on.one.create(&created).await)?;
        let saved = next(&created, "S");
        let works = [true, false].map(|saves| {
            let (store, saved) =
                (Arc::clone(if saves { &on.one } else { &on.other }), saved.clone());
            async move {
                if saves {
                    store.save(&saved, 0).await
                } else {
                    store.delete(&saved.id, Some(0)).await
                }
            }
        });
        let mut results = at_once(works.into()).await?.into_iter();
        let (save, delete) = (results.next(), results.next());
        match (save, delete) {
            (Some(Ok(())), Some(lost)) => {
                conflict("delete", &created.id, lost)?;
                kept(&*on.other, &saved).await?;
            }
            (Some(lost), Some(Ok(()))) => {
                conflict("save", &created.id, lost)?;
                gone(&*on.one, &created.id).await?;
            }
            other => return Err(Failure::new("one winner", format_args!("{other:?}"))),
        }
    }
    Ok(())
}

pub(super) async fn delete_under_writer(on: Arc<Subject>) -> Outcome {
    for round in 0..5 {
        let session = on.session(&format!("a{round}"))?;
        done("create", on.one.create(&session).await)?;
        let is_deleted = Arc::new(AtomicBool::new(false));
        let (under_way, started) = oneshot::channel();
        let writer = Writer {
            store: Arc::clone(&on.other),
            session: session.clone(),
            is_deleted: Arc::clone(&is_deleted),
        };
        let end = on_a_thread(writer.run(under_way));
        // A writer that ended before it was under way says why itself.
        drop(started.await);
        done("delete", on.one.delete(&session.id, None).await)?;
        is_deleted.store(true, Ordering::SeqCst);
        result(end).await??;
        gone(&*on.one, &session.id).await?;
        gone(&*on.other, &session.id).await?;
    }
    equal(
        "sessions of the flow in a list",
        &done("list", on.one.list(&on.query("F")).await)?,
        &Vec::new(),
    )
}

/// Saves a session over and over until it meets a conflict.
struct Writer {
    store: Arc<dyn SessionStore>,
    session: Session,
    is_deleted: Arc<AtomicBool>,
}

impl Writer {
    async fn run(mut self, under_way: oneshot::Sender<()>) -> Outcome {
        let mut under_way = Some(under_way);
        loop {
            let was_deleted = self.is_deleted.load(Ordering::SeqCst);
            let next = next(&self.session, "S");
            match self.store.save(&next, self.session.revision).await {
                Ok(()) if was_deleted => {
                    return Err(Failure::new(
                        "a conflict for a save after the delete",
                        "a success",
                    ));
                }
                Ok(()) => self.session = next,
                lost => return conflict("save", &self.session.id, lost),
            }
            if self.session.revision == 5 {
                // Who has failed already does not wait for it.
                let _ = under_way.take().map(|under_way| under_way.send(()));
            }
        }
    }
}
