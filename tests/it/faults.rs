//! Wherever a store, a model or a back end fails in a conversation: what is stored is whole turns, and the turn that is
//! sent again ends as if nothing had happened.

use crate::support::{Ended, Telling, Told, tell};
use picoflow::session::Session;
use picoflow_tests::{
    faults::{Fault, Kind, Moment, Place},
    story::{self, TURNS},
};

/// Sends a turn until it is answered, and holds each attempt to what must be.
async fn turn(telling: &mut Telling, number: usize, told: &Told) {
    let before = number.checked_sub(1).map(|before| &told.sessions[before]);
    let mut is_stored = false;
    for attempt in 0.. {
        assert!(attempt < 2, "one fault costs one attempt");
        let earlier = telling.rows.all().len();
        let revision = telling.stored().await.map(|session| session.revision);
        let ended = telling.attempt(number).await;
        let rows = telling.rows.all().split_off(earlier);
        let mut keys: Vec<_> = rows.iter().map(|(key, _)| key).collect();
        keys.sort_unstable();
        assert!(keys.windows(2).all(|two| two[0] != two[1]), "twice in one attempt: {keys:?}");
        if is_stored {
            assert_eq!(rows, [], "what is stored does not run again");
        }
        let stored = telling.stored().await;
        let essence = stored.as_ref().map(|session| story::essence(session).unwrap());
        match ended {
            Ended::Replied(reply) => {
                assert_eq!(reply.text, told.texts[number]);
                assert_eq!(reply.replayed, is_stored);
                assert_eq!(essence.as_ref(), Some(&told.sessions[number]));
                return;
            }
            Ended::Failed(_) | Ended::Died => {
                is_stored = essence.as_ref() == Some(&told.sessions[number]);
                assert!(is_stored || essence.as_ref() == before, "a part of a turn: {essence:#?}");
            }
        }
        let failures = |session: &Session| session.error.len();
        let now = stored.as_ref().map_or(0, failures);
        // A failure is noted as one entry, which is one revision; a whole turn is one too.
        let writes = stored.as_ref().map(|session| session.revision + 1).unwrap_or_default()
            - revision.map_or(0, |revision| revision + 1);
        assert_eq!(writes, u64::from(is_stored) + now as u64, "attempt {attempt}");
        if let (Ended::Failed(code), Some(session)) = (&ended, &stored)
            && now == 1
        {
            assert_eq!(session.error[0].extra["code"], *code);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_story_has_a_bit_of_everything() {
    let told = tell().await;
    let last = told.sessions.last().unwrap();
    assert_eq!(last["turns"], 10);
    assert_eq!(last["runStatus"], "completed");
    let effects: Vec<_> = told.effects.values().map(String::as_str).collect();
    for (effect, times) in [
        ("look", 1),
        ("price", 1),
        ("order and gift", 1),
        ("count", 3),
        ("stock", 1),
        ("charge", 1),
        ("refund", 2),
        ("stars", 2),
        ("end", 1),
    ] {
        assert_eq!(effects.iter().filter(|&&noted| noted == effect).count(), times, "{effect}");
    }
    assert_eq!(told.texts[8..], ["Thank you.", "Good bye."]);
}

/// Every call, in every way, before and after it has had its effect.
#[tokio::test(start_paused = true)]
async fn a_fault_at_any_call_leaves_whole_turns_and_the_turn_sent_again_ends_the_same() {
    let told = tell().await;
    let mut points = 0;
    for (at, &place) in told.calls.iter().enumerate() {
        for moment in [Moment::Before, Moment::After] {
            for kind in [Kind::Error, Kind::Hiccup, Kind::Silence, Kind::Death] {
                // A tool that is out of time is an answer to the model, not a failed turn.
                if (place, kind) == (Place::Effect, Kind::Silence) {
                    continue;
                }
                let fault = Fault { at, moment, kind };
                let mut telling = Telling::new(Some(fault)).await;
                for number in 0..TURNS.len() {
                    turn(&mut telling, number, &told).await;
                }
                assert_eq!(telling.effects(), told.effects, "{place:?} {fault:?}");
                telling.close().await;
                assert!(telling.faults.calls().len() > at, "{place:?} {fault:?} never struck");
                points += 1;
            }
        }
    }
    println!("{points} faults at {} calls", told.calls.len());
    let effects = told.calls.iter().filter(|&&place| place == Place::Effect).count();
    assert_eq!(points, 8 * told.calls.len() - 2 * effects);
    assert!(told.calls.len() > 50);
}
