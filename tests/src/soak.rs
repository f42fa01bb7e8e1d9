//! The story told to a crowd of sessions whose process is killed again and again: nothing is lost and nothing doubled.

use crate::{
    faults::{Faults, Ledger, Rows},
    story::{self, Answers, TURNS},
};
use picoflow::{
    BoxError, SqliteStore,
    prelude::*,
    session::{MemoryStore, SessionStore, check_history},
};
use std::{
    collections::{BTreeMap, HashMap},
    fmt, fs,
    hash::{BuildHasher, RandomState},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};
use tokio::time::timeout;

/// Where the sessions are kept.
#[derive(Clone, Debug)]
pub enum Place {
    /// In this process. What is killed is the engine, with all turns that run on it.
    Memory,
    /// In a directory, by processes of the program `storyteller`.
    Sqlite {
        /// The program.
        storyteller: PathBuf,
        /// The directory.
        directory: PathBuf,
    },
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
    /// How long the slowest took.
    pub slowest: Duration,
    /// How often the process was killed.
    pub kills: usize,
    /// How many handlers ran again, under the same key, since their turn was killed.
    pub again: usize,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { turns, took, slowest, kills, again } = self;
        let rate = f64::from(u32::try_from(*turns).unwrap_or(u32::MAX)) / took.as_secs_f64();
        write!(
            f,
            "{turns} turns in {took:.1?}: {rate:.0} per second, the slowest {slowest:.1?}; {kills} kills, {again} handlers ran again"
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
        Place::Sqlite { storyteller, directory } => {
            let kills = in_processes(storyteller, directory, size)?;
            let left = Left::read(directory, kills)?;
            (Arc::new(SqliteStore::open(directory.join("sessions.sqlite")).await?), left)
        }
    };
    let took = began.elapsed();
    left.check(&*store, size, took).await
}

/// How long it runs before the next kill: around the time that was asked for, so that kills meet all kinds of moments, and
/// longer with each one, so that a slow machine comes to an end too.
fn until_kill(size: Size, kills: usize) -> Duration {
    let random = u32::try_from(RandomState::new().hash_one(()) % 1000).unwrap_or(0);
    let kills = u32::try_from(kills).unwrap_or(u32::MAX);
    size.kill_after * (500 + random) / 1000 + size.kill_after / 20 * kills
}

/// What is left of a run, beside the sessions.
struct Left {
    effects: Vec<(String, String)>,
    answers: Vec<(String, Duration)>,
    kills: usize,
}

/// Answers in memory.
#[derive(Default)]
struct Heard(Mutex<Vec<(String, Duration)>>);

impl Heard {
    fn all(&self) -> MutexGuard<'_, Vec<(String, Duration)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Answers for Heard {
    fn count(&self, session: &str) -> usize {
        self.all().iter().filter(|(heard, _)| heard == session).count()
    }

    fn add(&self, session: &str, took: Duration) -> Result<(), BoxError> {
        self.all().push((session.to_owned(), took));
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
        if let Ok(told) = timeout(until_kill(size, kills), telling).await {
            told?;
            break;
        }
        kills += 1;
    }
    let answers = heard.all().clone();
    Ok(Left { effects: rows.all(), answers, kills })
}

/// Starts processes and kills them until one comes to the end. Returns how many were killed.
fn in_processes(storyteller: &Path, directory: &Path, size: Size) -> Result<usize, BoxError> {
    let mut kills = 0;
    loop {
        let mut process = Command::new(storyteller)
            .arg(directory)
            .args([size.sessions.to_string(), size.at_once.to_string()])
            .stdout(Stdio::null())
            .spawn()?;
        let end = Instant::now() + until_kill(size, kills);
        let status = loop {
            match process.try_wait()? {
                Some(status) => break Some(status),
                None if Instant::now() >= end => break None,
                None => thread::sleep(Duration::from_millis(2)),
            }
        };
        match status {
            Some(status) if status.success() => return Ok(kills),
            Some(status) => return Err(format!("the storyteller failed: {status}").into()),
            None => {
                process.kill()?;
                process.wait()?;
                kills += 1;
            }
        }
    }
}

impl Left {
    fn read(directory: &Path, kills: usize) -> Result<Self, BoxError> {
        let lines = |name: &str| -> Result<Vec<(String, String)>, BoxError> {
            let text = fs::read_to_string(directory.join(name))?;
            let halves = |line: &str| {
                let (first, second) = line.split_once('\t')?;
                Some((first.to_owned(), second.to_owned()))
            };
            text.lines()
                .map(|line| halves(line).ok_or_else(|| format!("`{line}`?").into()))
                .collect()
        };
        let micros = |(session, took): (String, String)| -> Result<_, BoxError> {
            Ok((session, Duration::from_micros(took.parse()?)))
        };
        let answers = lines("answers")?.into_iter().map(micros).collect::<Result<_, _>>()?;
        Ok(Self { effects: lines("effects")?, answers, kills })
    }

    async fn check(
        &self,
        store: &dyn SessionStore,
        size: Size,
        took: Duration,
    ) -> Result<Report, BoxError> {
        let told = Told::tell().await?;
        let mut answers: HashMap<&str, usize> = HashMap::new();
        for (session, _) in &self.answers {
            *answers.entry(session).or_default() += 1;
        }
        let mut effects: BTreeMap<&str, (&str, usize)> = BTreeMap::new();
        for (key, effect) in &self.effects {
            let known = effects.entry(key).or_insert((effect, 0));
            if known.0 != effect {
                return Err(format!("two effects under {key}: {} and {effect}", known.0).into());
            }
            known.1 += 1;
        }
        for number in 0..size.sessions {
            let id = story::session(number);
            let session = store.load(&id).await?.ok_or_else(|| format!("{id} is lost"))?;
            check_history(&session)?;
            if story::essence(&session)? != told.session {
                return Err(format!("{id} is not as it is without kills").into());
            }
            if answers.get(&*id) != Some(&TURNS.len()) {
                return Err(format!("{id}: {:?} answers", answers.get(&*id)).into());
            }
            for (key, effect) in &told.effects {
                let key = format!("{id}{key}");
                if effects.get(&*key).map(|known| known.0) != Some(effect) {
                    return Err(format!("no effect `{effect}` under {key}").into());
                }
            }
        }
        if effects.len() != size.sessions * told.effects.len() {
            return Err("an effect under a key that nobody knows".into());
        }
        // A turn that is killed may have had each of its effects, and one of each session that runs at once is.
        let again = self.effects.len() - effects.len();
        if again > self.kills * size.at_once * told.most
            || effects.values().any(|known| known.1 > self.kills + 1)
        {
            return Err(format!("{again} handlers ran again for {} kills", self.kills).into());
        }
        let slowest = self.answers.iter().map(|(_, took)| *took).max().unwrap_or_default();
        Ok(Report { turns: self.answers.len(), took, slowest, kills: self.kills, again })
    }
}

/// What the story is without kills.
struct Told {
    session: Value,
    /// Keys, without their session, and effects.
    effects: BTreeMap<String, String>,
    /// Of one turn.
    most: usize,
}

impl Told {
    async fn tell() -> Result<Self, BoxError> {
        let (store, rows) = (Arc::new(MemoryStore::new()), Arc::new(Rows::default()));
        let faults = Faults::new(None);
        let ledger: Arc<dyn Ledger> = Arc::<Rows>::clone(&rows);
        let behind: Arc<dyn SessionStore> = Arc::<MemoryStore>::clone(&store);
        let engine = story::builder(behind, ledger, &faults).build().await?;
        story::tell_all(&engine, &Heard::default(), 1, 1).await?;
        let id = story::session(0);
        let session = store.load(&id).await?.ok_or("nothing was told")?;
        let effects: BTreeMap<_, _> = rows
            .all()
            .into_iter()
            .map(|(key, effect)| (key.trim_start_matches(&*id).to_owned(), effect))
            .collect();
        let mut by_turn: HashMap<&str, usize> = HashMap::new();
        for key in effects.keys() {
            *by_turn.entry(key.split('/').nth(1).unwrap_or_default()).or_default() += 1;
        }
        let most = by_turn.values().copied().max().unwrap_or_default();
        Ok(Self { session: story::essence(&session)?, effects, most })
    }
}
