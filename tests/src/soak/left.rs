//! What is left of a run, and what it has to be.

use super::{Heard, Report, Size};
use crate::{
    faults::{Faults, Ledger, Rows},
    story::{self, TURNS},
};
use picoflow::{
    BoxError,
    prelude::*,
    session::{MemoryStore, SessionStore, check_history},
};
use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
    time::Duration,
};

/// What is left of a run, beside the sessions.
pub(super) struct Left {
    /// Keys and effects.
    pub(super) effects: Vec<(String, String)>,
    /// Sessions, and how long a turn took.
    pub(super) answers: Vec<(String, Duration)>,
    pub(super) kills: usize,
    /// Turns that were sent to two processes at once.
    pub(super) raced: usize,
}

impl Left {
    /// Holds it to what is told without kills.
    pub(super) async fn check(
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
        let Self { kills, raced, .. } = *self;
        let again = self.effects.len() - effects.len();
        if again > (kills * size.at_once + raced) * told.most
            || effects.values().any(|known| known.1 > kills + 1 + raced.min(1))
        {
            return Err(
                format!("{again} handlers ran again for {kills} kills and {raced} races").into()
            );
        }
        let slowest = self.answers.iter().map(|(_, took)| *took).max().unwrap_or_default();
        Ok(Report { turns: self.answers.len(), took, slowest, kills, raced, again })
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
