//! The story told to a crowd of sessions whose process is killed again and again: nothing is lost and nothing doubled.

mod crowd;
mod left;

use crate::{
    faults::{Faults, Ledger, Rows},
    open::open,
    story::{self, Answers},
    teller::Program,
};
use crowd::Crowd;
use left::Left;
use picoflow::{
    BoxError,
    session::{MemoryStore, SessionStore},
};
use std::{
    fmt,
    hash::{BuildHasher, RandomState},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use tokio::{sync::Notify, time::sleep};

/// Where the sessions are kept.
#[derive(Clone, Debug)]
pub enum Place {
    /// In this process. What is killed is the engine, with all turns that run on it.
    Memory,
    /// In a store, by so many processes at once, any turn on any of them.
    Processes(Program, usize),
}

/// How much of it.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Sessions, of ten turns each.
    pub sessions: usize,
    /// Sessions that run at once.
    pub at_once: usize,
    /// The time between two kills, on average.
    pub kill_after: Duration,
}

/// What came of it, if nothing was lost or doubled.
#[derive(Clone, Copy, Debug)]
pub struct Report {
    /// Turns that were answered.
    pub turns: usize,
    /// How long all of them took.
    pub took: Duration,
    /// How long the slowest took, kills and further attempts included.
    pub slowest: Duration,
    /// How often a process was killed.
    pub kills: usize,
    /// How many turns were sent to two processes at once.
    pub raced: usize,
    /// How many handlers ran again, under the same key, since their turn was killed or sent twice.
    pub again: usize,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { turns, took, slowest, kills, raced, again } = self;
        let rate = f64::from(u32::try_from(*turns).unwrap_or(u32::MAX)) / took.as_secs_f64();
        write!(
            f,
            "{turns} turns in {took:.1?}: {rate:.0} per second, the slowest {slowest:.1?}; {kills} kills, {raced} turns raced, {again} handlers ran again"
        )
    }
}

/// Tells the story to all sessions, kills again and again, and looks at what is left.
///
/// # Errors
/// When something was lost or doubled, or a turn failed.
pub async fn run(place: &Place, size: Size) -> Result<Report, BoxError> {
    let began = Instant::now();
    let (store, left): (Arc<dyn SessionStore>, Left) = match place {
        Place::Memory => {
            let store = Arc::new(MemoryStore::new());
            let left = in_memory(&store, size).await?;
            (store, left)
        }
        Place::Processes(program, count) => {
            let left = Crowd::start(program, *count, size)?.run()?;
            (open(&program.store).await?, left)
        }
    };
    let took = began.elapsed();
    left.check(&*store, size, took).await
}

/// How long it runs before the next kill: around the time that was asked for, so that kills meet all kinds of moments, and
/// longer with each one, so that a slow machine comes to an end too. The first kill comes with the first answer, so that there
/// is one on a fast machine too.
fn until_kill(size: Size, kills: usize) -> Duration {
    let random = u32::try_from(random(1000)).unwrap_or(0);
    let kills = u32::try_from(kills).unwrap_or(u32::MAX);
    size.kill_after * (500 + random) / 1000 + size.kill_after / 20 * kills
}

/// Any number below this one.
fn random(below: usize) -> usize {
    let random = usize::try_from(RandomState::new().hash_one(()) >> 33).unwrap_or(0);
    random % below
}

/// Answers in memory.
#[derive(Default)]
struct Heard {
    answers: Mutex<Vec<(String, Duration)>>,
    more: Notify,
}

impl Heard {
    fn all(&self) -> MutexGuard<'_, Vec<(String, Duration)>> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Answers for Heard {
    fn count(&self, session: &str) -> usize {
        self.all().iter().filter(|(heard, _)| heard == session).count()
    }

    fn add(&self, session: &str, took: Duration) -> Result<(), BoxError> {
        self.all().push((session.to_owned(), took));
        self.more.notify_one();
        Ok(())
    }
}

async fn in_memory(store: &Arc<MemoryStore>, size: Size) -> Result<Left, BoxError> {
    let (heard, rows) = (Heard::default(), Arc::new(Rows::default()));
    let mut kills = 0;
    loop {
        let ledger: Arc<dyn Ledger> = Arc::<Rows>::clone(&rows);
        let store: Arc<dyn SessionStore> = Arc::<MemoryStore>::clone(store);
        let engine = story::builder(store, ledger, &Faults::new(None)).build().await?;
        let telling = story::tell_all(&engine, &heard, size.sessions, size.at_once);
        let kill = async {
            match kills {
                0 => heard.more.notified().await,
                _ => sleep(until_kill(size, kills)).await,
            }
        };
        tokio::select! {
            () = kill => kills += 1,
            told = telling => {
                told?;
                break;
            }
        }
    }
    let answers = heard.all().clone();
    Ok(Left { effects: rows.all(), answers, kills, raced: 0 })
}
