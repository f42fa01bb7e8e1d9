//! A turn that is stopped at any of its awaits.

use crate::support::{Ended, SESSION, Telling, Told, polled, tell};
use picoflow::{Engine, Reply, TurnError, session::SessionStore};
use picoflow_tests::{
    faults::{Fault, Faults, Kind, Moment},
    story::{self, TURNS},
};
use std::{sync::Arc, time::Duration};
use tokio::{
    runtime::Handle,
    task::yield_now,
    time::{advance, timeout},
};
use tokio_util::sync::CancellationToken;

/// How a turn is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Dropped,
    Cancelled,
    /// Every time-out that runs has passed.
    Late,
}

/// Runs a turn for so many polls, then stops it. Returns how it ended, if it did, and whether it was done before.
async fn stopped(
    engine: &Engine,
    number: usize,
    polls: usize,
    way: Way,
) -> (Option<Result<Reply, TurnError>>, bool) {
    let token = CancellationToken::new();
    let turn = story::turn(SESSION, number).cancellation(token.clone());
    let mut work = Box::pin(engine.run(turn));
    if let Some(done) = polled(work.as_mut(), polls).await {
        return (Some(done), true);
    }
    match way {
        Way::Dropped => (None, false),
        Way::Cancelled => {
            token.cancel();
            let soon = timeout(Duration::from_secs(1), work).await;
            (Some(soon.expect("a cancelled turn ends at once")), false)
        }
        Way::Late => {
            advance(Duration::from_hours(1)).await;
            (Some(work.await), false)
        }
    }
}

/// Stops turn `number` after so many polls and looks at what is left. Returns whether it was done before.
async fn check(told: &Told, number: usize, polls: usize, way: Way) -> bool {
    let mut telling = Telling::new(None).await;
    for earlier in 0..number {
        assert!(matches!(telling.attempt(earlier).await, Ended::Replied(_)));
    }
    let at = format!("turn {number}, {way:?} after {polls} polls");
    let before = telling.stored().await;
    telling.faults.arm(None);
    let (ended, is_done) = stopped(&telling.engine, number, polls, way).await;

    // Nothing of it goes on, and whoever worked for it knows.
    let calls = telling.faults.calls();
    for _ in 0..8 {
        yield_now().await;
    }
    assert_eq!(telling.faults.calls(), calls, "{at}");
    assert_eq!(Handle::current().metrics().num_alive_tasks(), 0, "{at}");
    assert!(telling.faults.signals().iter().all(CancellationToken::is_cancelled), "{at}");

    // What is stored is the whole turn, or none of it.
    let after = telling.stored().await;
    let turns = after.as_ref().map_or(0, |session| session.turns);
    let is_stored = turns == number as u64 + 1;
    let essence = after.as_ref().map(|session| story::essence(session).unwrap());
    match &ended {
        Some(Ok(_)) => assert!(is_stored, "{at}"),
        Some(Err(TurnError::Cancelled)) => {
            assert_eq!((way, &after), (Way::Cancelled, &before), "{at}");
        }
        Some(Err(error)) => assert_eq!(way, Way::Late, "{at}: {error}"),
        None => {}
    }
    if !is_stored {
        let before = before.as_ref().map(|session| story::essence(session).unwrap());
        assert_eq!(essence, before, "{at}");
    } else if way != Way::Late {
        assert_eq!(essence.as_ref(), Some(&told.sessions[number]), "{at}");
    }

    // No lock is held: the same turn, sent again, ends without a wait.
    let again = telling.engine.run(story::turn(SESSION, number));
    let again = timeout(Duration::from_secs(1), again).await.expect(&at).expect(&at);
    assert_eq!(again.replayed, is_stored, "{at}");
    if way != Way::Late || !is_stored {
        let session = telling.stored().await.unwrap();
        assert_eq!(story::essence(&session).unwrap(), told.sessions[number], "{at}");
    }
    is_done
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_is_stopped_at_any_await_leaves_nothing_behind() {
    let told = tell().await;
    let mut points = 0;
    for number in 0..TURNS.len() {
        for way in [Way::Dropped, Way::Cancelled, Way::Late] {
            let mut polls = 0;
            while !check(&told, number, polls, way).await {
                polls += 1;
                points += 1;
            }
            assert!(polls > 4, "turn {number} has awaits");
        }
    }
    println!("stopped at {points} points");
    // Each call waits before and after its effect; children that run side by side share polls.
    assert!(points > 3 * told.calls.len(), "{points}");
}

async fn engine(fault: Option<Fault>) -> (Engine, Arc<dyn SessionStore>, Faults) {
    let Telling { engine, store, faults, .. } = Telling::new(fault).await;
    (engine, store, faults)
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_waits_for_its_session_is_cancelled_at_once_and_the_one_before_it_is_not() {
    let silent = Fault { at: 3, moment: Moment::Before, kind: Kind::Silence };
    let (engine, _, faults) = engine(Some(silent)).await;
    engine.run(story::turn(SESSION, 0)).await.unwrap();
    // Its load never answers.
    let mut first = Box::pin(engine.run(story::turn(SESSION, 1)));
    assert!(polled(first.as_mut(), 1).await.is_none());
    let calls = faults.calls().len();

    let token = CancellationToken::new();
    let second = story::turn(SESSION, 1).cancellation(token.clone());
    let mut second = Box::pin(engine.run(second));
    assert!(polled(second.as_mut(), 1).await.is_none());
    token.cancel();
    let ended = timeout(Duration::from_secs(1), second).await.unwrap();
    assert!(matches!(ended, Err(TurnError::Cancelled)));
    assert_eq!(faults.calls().len(), calls, "it never came to the store");

    // The limit frees the first, and the session.
    let error = first.await.unwrap_err();
    assert_eq!(error.code(), "SESSION_STORE_ERROR");
    assert_eq!(
        error.to_string(),
        "the session store took longer than 10s: send the same turn again, or raise `Limits::store_timeout`"
    );
    engine.run(story::turn(SESSION, 1)).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_turn_whose_load_never_answers_is_cancelled_at_once() {
    let silent = Fault { at: 0, moment: Moment::Before, kind: Kind::Silence };
    let (engine, store, _) = engine(Some(silent)).await;
    let token = CancellationToken::new();
    let mut turn = Box::pin(engine.run(story::turn(SESSION, 0).cancellation(token.clone())));
    assert!(polled(turn.as_mut(), 1).await.is_none());
    token.cancel();
    let ended = timeout(Duration::from_secs(1), turn).await.unwrap();
    assert!(matches!(ended, Err(TurnError::Cancelled)));
    assert_eq!(store.load(SESSION).await.unwrap(), None);
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_is_being_written_is_not_cancelled_any_more() {
    let (engine, store, faults) = engine(None).await;
    let token = CancellationToken::new();
    let mut turn = Box::pin(engine.run(story::turn(SESSION, 0).cancellation(token.clone())));
    // The load, the model and the write.
    while faults.calls().len() < 3 {
        assert!(polled(turn.as_mut(), 1).await.is_none());
    }
    token.cancel();
    turn.await.unwrap();
    assert_eq!(store.load(SESSION).await.unwrap().unwrap().turns, 1);
}
