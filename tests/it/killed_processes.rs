//! Two processes serve the same sessions of one store, any turn on either. Wherever one of them is killed, the other one
//! goes on at once, and ends as if nothing had happened.

use crate::support::{PATIENCE, SESSION, Told, tell};
use picoflow::session::{Session, SessionStore, check_history};
use picoflow_tests::{
    faults::{Moment, Place},
    open::open,
    story::{self, TURNS},
    teller::{Program, Said, Teller},
};
use std::{
    collections::BTreeMap,
    fs, mem,
    path::Path,
    sync::{
        Arc,
        mpsc::{Receiver, Sender, channel},
    },
    time::{Duration, Instant},
};

/// Two processes, by the names that they were started with.
struct Pair {
    program: Program,
    tellers: [(usize, Teller); 2],
    started: usize,
    said: Sender<(usize, Said)>,
    heard: Receiver<(usize, Said)>,
}

impl Pair {
    fn start(program: Program) -> Self {
        let (said, heard) = channel();
        let tellers =
            [0, 1].map(|name| (name, Teller::start(&program, name, said.clone()).unwrap()));
        Self { program, tellers, started: 2, said, heard }
    }

    fn send(&mut self, place: usize, session: usize, turn: usize) {
        self.tellers[place].1.tell(session, turn).unwrap();
    }

    fn strike(&mut self, place: usize, at: Option<(usize, Moment)>) {
        self.tellers[place].1.strike(at).unwrap();
    }

    /// What one of the two says next.
    fn hear(&mut self) -> (usize, Said) {
        loop {
            let (name, said) = self.heard.recv_timeout(PATIENCE).unwrap();
            let place = self.tellers.iter().position(|(it, _)| *it == name);
            match (place, said) {
                (Some(place), said) => return (place, said),
                (None, Said::Gone) => {}
                (None, said) => panic!("from a process that was killed: {said:?}"),
            }
        }
    }

    /// Kills one, and starts another one in its place.
    fn kill(&mut self, place: usize) {
        let name = self.started;
        self.started += 1;
        let teller = Teller::start(&self.program, name, self.said.clone()).unwrap();
        let (_, killed) = mem::replace(&mut self.tellers[place], (name, teller));
        killed.kill().unwrap();
    }
}

/// The turns of one session, one of which meets a kill.
struct Point<'a> {
    told: &'a Told,
    store: &'a dyn SessionStore,
    session: usize,
    /// The turn that is killed, the call in it, and when.
    turn: usize,
    call: usize,
    moment: Moment,
}

impl Point<'_> {
    async fn stored(&self) -> Option<Session> {
        let session = self.store.load(&story::session(self.session)).await.unwrap();
        if let Some(session) = &session {
            check_history(session).unwrap();
        }
        session
    }

    /// The stored session is whole up to this turn.
    async fn check(&self, turns: usize) {
        let session = self.stored().await;
        let told = turns.checked_sub(1).map(|last| self.told.sessions[last].to_string());
        let own_id = |text: String| text.replace(SESSION, &story::session(self.session));
        let essence = session.as_ref().map(|session| story::essence(session).unwrap().to_string());
        assert_eq!(essence, told.map(own_id));
        // Nothing was written but whole turns.
        assert_eq!(session.map_or(0, |session| session.revision + 1), turns as u64);
    }

    /// The reply to a turn, which may have been stored before.
    fn check_reply(&self, said: &Said, number: usize) -> bool {
        let Said::Told { session, turn, is_replayed, text } = said else {
            panic!("{said:?}");
        };
        assert_eq!((*session, *turn), (self.session, number));
        assert_eq!(*text, self.told.texts[number]);
        *is_replayed
    }

    /// A process is killed in the turn and the other one is sent it again. Returns how long that took.
    async fn kill(&self, pair: &mut Pair, place: usize) -> Duration {
        let other = 1 - place;
        pair.strike(place, Some((self.call, self.moment)));
        pair.send(place, self.session, self.turn);
        assert_eq!(pair.hear(), (place, Said::Here));
        let calls = self.told.starts[self.turn + 1] - self.told.starts[self.turn];
        let is_stored = (self.call + 1, self.moment) == (calls, Moment::After);
        pair.kill(place);
        self.check(self.turn + usize::from(is_stored)).await;
        let began = Instant::now();
        pair.send(other, self.session, self.turn);
        let said = pair.hear();
        let took = began.elapsed();
        assert_eq!(said.0, other);
        assert_eq!(self.check_reply(&said.1, self.turn), is_stored, "the write is the last call");
        took
    }

    /// Both are sent the turn at once, and one of them is killed in it if it comes so far. Returns whether it did.
    fn race(&self, pair: &mut Pair, place: usize) -> bool {
        let other = 1 - place;
        pair.strike(place, Some((self.call, self.moment)));
        pair.send(place, self.session, self.turn);
        pair.send(other, self.session, self.turn);
        let mut said = [pair.hear(), pair.hear()];
        said.sort_by_key(|(from, _)| *from != place);
        let [first, second] = said;
        assert_eq!((first.0, second.0), (place, other));
        let was_second = self.check_reply(&second.1, self.turn);
        if first.1 == Said::Here {
            pair.kill(place);
            return true;
        }
        // Exactly one of the two has written.
        assert_ne!(self.check_reply(&first.1, self.turn), was_second);
        pair.strike(place, None);
        false
    }

    /// Each effect was had under its key, and once again only by the turn that was killed or raced.
    fn check_effects(&self, effects: &Path) {
        let id = story::session(self.session);
        let text = fs::read_to_string(effects).unwrap();
        let rows = text.lines().filter(|line| line.starts_with(&id));
        let mut effects: BTreeMap<String, (&str, usize)> = BTreeMap::new();
        for row in rows {
            let (key, effect) = row.split_once('\t').unwrap();
            let known = effects.entry(key.replace(&id, SESSION)).or_insert((effect, 0));
            assert_eq!(known.0, effect);
            known.1 += 1;
        }
        for (key, (_, times)) in &effects {
            let turn: usize = key.split('/').nth(1).unwrap().parse().unwrap();
            let most = if turn == self.turn + 1 { 2 } else { 1 };
            assert!(*times <= most, "{key}: {times} times, killed in turn {}", self.turn + 1);
        }
        let effects: BTreeMap<_, _> =
            effects.into_iter().map(|(key, (effect, _))| (key, effect.to_owned())).collect();
        assert_eq!(effects, self.told.effects);
    }
}

/// A kill at every call of the story, before and after it has had its effect, with the other process idle and with it
/// racing for the same turn.
async fn kill_at_every_call(store: &str, directory: &Path) {
    let program = Program {
        storyteller: env!("CARGO_BIN_EXE_storyteller").into(),
        store: store.to_owned(),
        effects: directory.join("effects"),
    };
    let (told, effects) = (tell().await, program.effects.clone());
    let mut pair = Pair::start(program);
    let store: Arc<dyn SessionStore> = open(store).await.unwrap();
    let (mut points, mut races) = (BTreeMap::new(), 0);
    let (mut fastest, mut slowest) = (Duration::MAX, Duration::ZERO);
    let mut session = 0;
    for at in 0..*told.starts.last().unwrap() {
        let in_race = if at % 2 == 0 { Moment::Before } else { Moment::After };
        for (moment, is_race) in [(Moment::Before, false), (Moment::After, false), (in_race, true)]
        {
            let turn = told.starts.iter().rposition(|&start| start <= at).unwrap();
            let call = at - told.starts[turn];
            let point = Point { told: &told, store: &*store, session, turn, call, moment };
            for number in 0..TURNS.len() {
                let place = (session + number) % 2;
                if number != turn {
                    pair.send(place, session, number);
                    let said = pair.hear();
                    assert_eq!(said.0, place);
                    assert!(!point.check_reply(&said.1, number));
                } else if is_race {
                    races += usize::from(point.race(&mut pair, place));
                    point.check(turn + 1).await;
                } else {
                    let took = point.kill(&mut pair, place).await;
                    (fastest, slowest) = (fastest.min(took), slowest.max(took));
                    point.check(turn + 1).await;
                    *points.entry(format!("{:?}", told.calls[at])).or_insert(0) += 1;
                }
            }
            point.check(TURNS.len()).await;
            point.check_effects(&effects);
            session += 1;
        }
    }
    println!(
        "killed at {points:?}, and {races} times in a race; the other answered after {slowest:.1?} at most"
    );
    let calls = told.starts.last().unwrap();
    assert_eq!(points.values().sum::<usize>(), 2 * calls);
    for place in [Place::Store, Place::Model, Place::Effect] {
        assert!(points[&format!("{place:?}")] > 10);
    }
    // No lease that has to run out: that would keep each of them waiting.
    assert!(fastest < Duration::from_secs(5));
}

#[tokio::test]
async fn either_of_two_processes_on_one_sqlite_file_goes_on_where_the_other_is_killed() {
    let directory = tempfile::tempdir().unwrap();
    let store = directory.path().join("sessions.sqlite");
    kill_at_every_call(store.to_str().unwrap(), directory.path()).await;
}

#[cfg(feature = "postgres")]
#[tokio::test]
#[cfg_attr(
    not(prepared = "postgres"),
    ignore = "needs PostgreSQL: run scripts/postgres cargo test"
)]
async fn either_of_two_processes_on_one_postgres_database_goes_on_where_the_other_is_killed() {
    let database = crate::support::Database::new().await;
    let directory = tempfile::tempdir().unwrap();
    kill_at_every_call(database.url(), directory.path()).await;
}
