//! A store with one fault.

use picoflow::{
    BoxFuture,
    prelude::*,
    session::{
        MemoryStore, Session, SessionQuery, SessionStore, SessionSummary, StoreError, Timestamp,
    },
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};

/// What a [`Faulty`] store does wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fault {
    None,
    ForgetsOnPrepare,
    StartsAtRevisionZero,
    FoldsCaseOfIds,
    FailsOnUnknownIds,
    OverwritesOnCreate,
    ComparesBeforeCreating,
    TellsTheFirstRevision,
    LosesUpdates,
    KeepsTheFirstSummary,
    IgnoresTheRevisionOfSave,
    ComparesBeforeSaving,
    LocksAHandleAlone,
    FailsInsteadOfConflict,
    SavesWhatIsGone,
    IgnoresTheRevisionOfDelete,
    DeletesNothing,
    DeletesEverything,
    ComplainsOfNothingToDelete,
    HidesCompleted,
    RefusesNamelessFlows,
    CutsLongTexts,
    DropsNul,
    ReplacesBeyondTheFirstPlane,
    NormalizesTimes,
    SortsKeys,
    RoundsNumbers,
    RefusesDeepStates,
    PanicsOnDeepStates,
    ForgetsFlow,
    ForgetsStatus,
    ForgetsSince,
    ForgetsBefore,
    IncludesBefore,
    ForgetsAfter,
    IncludesAfter,
    ForgetsLimit,
    SortsByTime,
    SortsWithoutCase,
    CountsPages,
}

/// A store in memory that does one thing wrong.
pub(crate) struct Faulty {
    store: Arc<MemoryStore>,
    fault: Fault,
    lock: tokio::sync::Mutex<()>,
    summaries: Mutex<HashMap<String, SessionSummary>>,
    /// How many entries were seen when a page ended at this id.
    counts: Mutex<HashMap<String, usize>>,
}

impl Faulty {
    pub(crate) fn new(fault: Fault) -> Self {
        Self::over(Arc::new(MemoryStore::new()), fault)
    }

    pub(crate) fn over(store: Arc<MemoryStore>, fault: Fault) -> Self {
        let (lock, summaries, counts) = Default::default();
        Self { store, fault, lock, summaries, counts }
    }

    fn is(&self, fault: Fault) -> bool {
        self.fault == fault
    }

    /// The session as this store keeps it.
    fn kept(&self, session: &Session) -> Result<Session, StoreError> {
        let mut kept = session.clone();
        if self.is(Fault::RefusesNamelessFlows) && session.flow.name.as_str().is_empty() {
            return Err(StoreError::failed("a flow needs a name"));
        }
        for step in &mut kept.flow.steps {
            let levels = levels(&step.state);
            if self.is(Fault::RefusesDeepStates) && levels > 50 {
                return Err(StoreError::failed("too deep"));
            }
            assert!(!self.is(Fault::PanicsOnDeepStates) || levels < 200, "stack overflow");
            if levels < 200 {
                step.state = Arc::new(self.changed(&step.state));
            }
        }
        Ok(kept)
    }

    fn changed(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.text(text).into(),
            Value::Number(number) if self.is(Fault::RoundsNumbers) => json!(number.as_f64()),
            Value::Array(items) => items.iter().map(|item| self.changed(item)).collect(),
            Value::Object(map) => {
                let entries = map.iter().map(|(key, value)| (key.clone(), self.changed(value)));
                let mut entries: Vec<_> = entries.collect();
                if self.is(Fault::SortsKeys) {
                    entries.sort_by(|one, other| one.0.cmp(&other.0));
                }
                entries.into_iter().collect()
            }
            value => value.clone(),
        }
    }

    fn text(&self, text: &str) -> String {
        match self.fault {
            Fault::CutsLongTexts => text.chars().take(1_000_000).collect(),
            Fault::DropsNul => text.replace('\0', ""),
            Fault::ReplacesBeyondTheFirstPlane => {
                text.chars().map(|c| if c > '\u{ffff}' { '?' } else { c }).collect()
            }
            Fault::NormalizesTimes => {
                let time = text.parse::<Timestamp>();
                time.map_or_else(|_| text.to_owned(), |time| time.to_string())
            }
            _ => text.to_owned(),
        }
    }

    async fn replace(&self, session: &Session) -> Result<(), StoreError> {
        self.store.delete(&session.id, None).await?;
        self.store.create(session).await
    }

    /// A compare-and-swap in two steps.
    async fn compare_and_save(&self, session: &Session, expected: u64) -> Result<(), StoreError> {
        let stored = self.store.load(&session.id).await?;
        if stored.is_none_or(|stored| stored.revision != expected) {
            return Err(StoreError::conflict(&session.id));
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
        self.replace(session).await
    }
}

fn levels(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(levels).max().unwrap_or(0),
        Value::Object(map) => 1 + map.values().map(levels).max().unwrap_or(0),
        _ => 0,
    }
}

impl SessionStore for Faulty {
    fn prepare(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async {
            if self.is(Fault::ForgetsOnPrepare) {
                let all = SessionQuery { limit: usize::MAX, ..SessionQuery::default() };
                for summary in self.store.list(&all).await? {
                    self.store.delete(&summary.id, None).await?;
                }
            }
            Ok(())
        })
    }

    fn revision<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<u64>, StoreError>> {
        Box::pin(async move {
            let found = self.load(id).await?;
            let first = self.is(Fault::TellsTheFirstRevision);
            Ok(found.map(|session| if first { 0 } else { session.revision }))
        })
    }

    fn load<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Session>, StoreError>> {
        Box::pin(async move {
            let found = match self.fault {
                Fault::FoldsCaseOfIds => self.store.load(&id.to_lowercase()).await?,
                _ => self.store.load(id).await?,
            };
            match found {
                None if self.is(Fault::FailsOnUnknownIds) => Err(StoreError::failed("no such row")),
                Some(session) if self.is(Fault::HidesCompleted) && session.is_completed() => {
                    Ok(None)
                }
                found => Ok(found),
            }
        })
    }

    fn create<'a>(&'a self, session: &'a Session) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let mut session = self.kept(session)?;
            let summary = SessionSummary::from(&session);
            self.summaries.lock().unwrap().entry(session.id.clone()).or_insert(summary);
            match self.fault {
                Fault::StartsAtRevisionZero => session.revision = 0,
                Fault::FoldsCaseOfIds => session.id = session.id.to_lowercase(),
                Fault::OverwritesOnCreate => return self.replace(&session).await,
                Fault::ComparesBeforeCreating => {
                    if self.store.load(&session.id).await?.is_some() {
                        return Err(StoreError::conflict(&session.id));
                    }
                    tokio::time::sleep(Duration::from_millis(2)).await;
                    return self.replace(&session).await;
                }
                _ => {}
            }
            self.store.create(&session).await
        })
    }

    fn save<'a>(
        &'a self,
        session: &'a Session,
        expected_revision: u64,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let session = self.kept(session)?;
            let stored = self.store.load(&session.id).await?.map(|stored| stored.revision);
            match self.fault {
                Fault::LosesUpdates if stored == Some(expected_revision) => Ok(()),
                Fault::IgnoresTheRevisionOfSave if stored.is_some() => self.replace(&session).await,
                Fault::SavesWhatIsGone => {
                    let saved = self.store.save(&session, expected_revision).await;
                    let is_gone = self.store.load(&session.id).await?.is_none();
                    if is_gone { self.replace(&session).await } else { saved }
                }
                Fault::ComparesBeforeSaving => {
                    self.compare_and_save(&session, expected_revision).await
                }
                Fault::LocksAHandleAlone => {
                    let _held = self.lock.lock().await;
                    self.compare_and_save(&session, expected_revision).await
                }
                Fault::FailsInsteadOfConflict => {
                    let saved = self.store.save(&session, expected_revision).await;
                    saved.map_err(|_| StoreError::failed("constraint violated"))
                }
                _ => self.store.save(&session, expected_revision).await,
            }
        })
    }

    fn delete<'a>(
        &'a self,
        id: &'a str,
        expected_revision: Option<u64>,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            match self.fault {
                Fault::IgnoresTheRevisionOfDelete => self.store.delete(id, None).await,
                Fault::DeletesNothing => match self.store.load(id).await? {
                    Some(stored) if expected_revision.is_none_or(|is| is == stored.revision) => {
                        Ok(())
                    }
                    _ => self.store.delete(id, expected_revision).await,
                },
                Fault::DeletesEverything => {
                    let all = SessionQuery { limit: usize::MAX, ..SessionQuery::default() };
                    self.store.delete(id, expected_revision).await?;
                    for summary in self.store.list(&all).await? {
                        self.store.delete(&summary.id, None).await?;
                    }
                    Ok(())
                }
                Fault::ComplainsOfNothingToDelete if self.store.load(id).await?.is_none() => {
                    Err(StoreError::conflict(id))
                }
                _ => self.store.delete(id, expected_revision).await,
            }
        })
    }

    fn list<'a>(
        &'a self,
        query: &'a SessionQuery,
    ) -> BoxFuture<'a, Result<Vec<SessionSummary>, StoreError>> {
        Box::pin(async move {
            let mut asked = query.clone();
            match self.fault {
                Fault::ForgetsFlow => asked.flow = None,
                Fault::ForgetsStatus => asked.status = None,
                Fault::ForgetsSince => asked.saved_since = None,
                Fault::ForgetsBefore => asked.saved_before = None,
                Fault::IncludesBefore => {
                    let later = |time: Timestamp| {
                        Timestamp::from(
                            std::time::SystemTime::from(time) + Duration::from_millis(1),
                        )
                    };
                    asked.saved_before = asked.saved_before.map(later);
                }
                Fault::ForgetsAfter => asked.after = None,
                Fault::IncludesAfter => {
                    // The id itself comes right behind what is left of it without its last character.
                    asked.after = asked.after.map(|mut id| {
                        id.pop();
                        id
                    });
                }
                Fault::ForgetsLimit => asked.limit = usize::MAX,
                Fault::SortsByTime | Fault::SortsWithoutCase | Fault::CountsPages => {
                    asked.limit = usize::MAX;
                    asked.after = None;
                }
                _ => {}
            }
            let mut found = self.store.list(&asked).await?;
            let summaries = self.summaries.lock().unwrap().clone();
            match self.fault {
                Fault::KeepsTheFirstSummary => {
                    found = found.iter().map(|now| summaries[&now.id].clone()).collect();
                }
                Fault::IncludesAfter => {
                    let after = query.after.clone().unwrap_or_default();
                    found.retain(|summary| summary.id >= after);
                }
                Fault::SortsByTime => {
                    found.sort_by_key(|summary| (summary.save_on, summary.id.clone()));
                    let after =
                        found.iter().position(|summary| Some(&summary.id) == query.after.as_ref());
                    found.drain(..after.map_or(0, |after| after + 1));
                    found.truncate(query.limit);
                }
                Fault::SortsWithoutCase => {
                    found.sort_by_key(|summary| summary.id.to_lowercase());
                    let after = query.after.clone().unwrap_or_default().to_lowercase();
                    found.retain(|summary| summary.id.to_lowercase() > after);
                    found.truncate(query.limit);
                }
                Fault::CountsPages => {
                    let mut counts = self.counts.lock().unwrap();
                    let from = query.after.as_ref().and_then(|id| counts.get(id).copied());
                    let from = from.unwrap_or_default().min(found.len());
                    found.drain(..from);
                    found.truncate(query.limit);
                    if let Some(last) = found.last() {
                        counts.insert(last.id.clone(), from + found.len());
                    }
                }
                _ => {}
            }
            Ok(found)
        })
    }
}
