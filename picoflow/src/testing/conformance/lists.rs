//! Lists and their pages.

use super::{
    fault::{Failure, Outcome, equal},
    races::{on_a_thread, result},
    subject::{Subject, done, next},
};
use picoflow_core::session::{
    RunStatus, Session, SessionQuery, SessionStore, SessionSummary, StoreError, Timestamp,
};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

async fn list(store: &dyn SessionStore, query: &SessionQuery) -> Outcome<Vec<SessionSummary>> {
    done("list", store.list(query).await)
}

/// Whether the list gives the sessions of these names.
async fn gives(on: &Subject, query: SessionQuery, names: &[&str]) -> Outcome {
    let found = list(&*on.other, &query).await?;
    let found: Vec<_> = found.into_iter().map(|summary| summary.id).collect();
    let expected = names.iter().map(|name| on.id(name)).collect();
    equal("the ids", &found, &expected)
}

fn point(text: &str) -> Outcome<Timestamp> {
    text.parse().map_err(|error| Failure::new("a time", error))
}

pub(super) async fn order(on: Arc<Subject>) -> Outcome {
    gives(&on, on.query("F"), &[]).await?;
    // As bytes, which is neither the order of creation nor that of a language, and not that of UTF-16 either.
    let sorted =
        ["", "-", "10", "9", "B", "_", "a", "a b", "ab", "b", "\u{e9}", "\u{ff5e}", "\u{1f600}"];
    for name in sorted.iter().rev() {
        done("create", on.one.create(&on.session(name)?).await)?;
    }
    gives(&on, on.query("F"), &sorted).await?;
    for (number, name) in sorted.iter().enumerate() {
        let after = SessionQuery { after: Some(on.id(name)), ..on.query("F") };
        gives(&on, after, sorted.get(number + 1..).unwrap_or_default()).await?;
    }
    // An id that is not there, or cannot be, is a place in the order all the same.
    let behind = sorted.get(7..).unwrap_or_default();
    gives(&on, SessionQuery { after: Some(on.id("a\0c")), ..on.query("F") }, behind).await?;
    gives(&on, SessionQuery { after: Some(String::new()), ..on.query("F") }, &sorted).await
}

pub(super) async fn flow_and_status(on: Arc<Subject>) -> Outcome {
    for (name, flow, status) in [
        ("a", "G", RunStatus::Running),
        ("b", "F", RunStatus::Completed),
        ("c", "F", RunStatus::Running),
        ("d", "f", RunStatus::Running),
    ] {
        let mut session = on.session_of(flow, name)?;
        session.run_status = status;
        done("create", on.one.create(&session).await)?;
    }
    gives(&on, on.query("F"), &["b", "c"]).await?;
    gives(&on, on.query("f"), &["d"]).await?;
    gives(&on, on.query("f\0"), &[]).await?;
    let of_status = |flow, status| SessionQuery { status: Some(status), ..on.query(flow) };
    gives(&on, of_status("F", RunStatus::Running), &["c"]).await?;
    gives(&on, of_status("F", RunStatus::Completed), &["b"]).await?;
    gives(&on, of_status("G", RunStatus::Completed), &[]).await?;
    // Without a flow the sessions of others may be between those of this check.
    for (status, expected) in [(None, "a"), (Some(RunStatus::Completed), "b")] {
        let query =
            SessionQuery { status, after: Some(on.id("")), limit: 1, ..SessionQuery::default() };
        gives(&on, query, &[expected]).await?;
    }
    // A session that ends is found among the ended ones, and there alone.
    let mut ended = next(&on.session("c")?, "S");
    ended.run_status = RunStatus::Completed;
    done("save", on.one.save(&ended, 0).await)?;
    gives(&on, of_status("F", RunStatus::Running), &[]).await?;
    gives(&on, of_status("F", RunStatus::Completed), &["b", "c"]).await
}

pub(super) async fn time(on: Arc<Subject>) -> Outcome {
    for (name, saved) in [
        ("a", "2026-03-01T00:00:00.000Z"),
        ("b", "2026-01-01T00:00:00.001Z"),
        ("c", "2026-01-01T00:00:00.000Z"),
        ("d", "9999-12-31T23:59:59.999Z"),
        ("e", "1970-01-01T00:00:00.000Z"),
    ] {
        let mut session = on.session(name)?;
        session.save_on = point(saved)?;
        done("create", on.one.create(&session).await)?;
    }
    let check = async |since: Option<&str>, before: Option<&str>, names: &[&str]| {
        let query = SessionQuery {
            saved_since: since.map(point).transpose()?,
            saved_before: before.map(point).transpose()?,
            ..on.query("F")
        };
        gives(&on, query, names).await
    };
    let (january, march) = (Some("2026-01-01T00:00:00.001Z"), Some("2026-03-01T00:00:00.000Z"));
    check(january, None, &["a", "b", "d"]).await?;
    check(None, january, &["c", "e"]).await?;
    check(january, march, &["b"]).await?;
    check(march, january, &[]).await?;
    check(march, march, &[]).await?;
    check(Some("9999-12-31T23:59:59.999Z"), None, &["d"]).await?;
    check(None, Some("1970-01-01T00:00:00.000Z"), &[]).await?;
    // It is the time of the last write.
    let mut saved = next(&on.session("c")?, "S");
    saved.save_on = point("2026-04-01T00:00:00.000Z")?;
    done("save", on.one.save(&saved, 0).await)?;
    check(None, march, &["b", "e"]).await?;
    check(march, None, &["a", "c", "d"]).await
}

pub(super) async fn summary(on: Arc<Subject>) -> Outcome {
    let created = on.session("a")?;
    done("create", on.one.create(&created).await)?;
    let check = async |session: &Session| {
        let found = list(&*on.other, &on.query("F")).await?;
        equal("the summaries", &found, &vec![SessionSummary::from(session)])
    };
    check(&created).await?;
    let mut saved = next(&created, "T");
    saved.save_on = point("2027-01-01T00:00:00.001Z")?;
    saved.run_status = RunStatus::Completed;
    done("save", on.one.save(&saved, 0).await)?;
    check(&saved).await
}

pub(super) async fn pages(on: Arc<Subject>) -> Outcome {
    let mut expected = Vec::new();
    for number in 0..25 {
        let session = on.session(&format!("{number:02}"))?;
        done("create", on.one.create(&session).await)?;
        done("create", on.one.create(&on.session_of("G", &format!("{number:02}g"))?).await)?;
        expected.push(session.id);
    }
    let mut query = SessionQuery { limit: 10, ..on.query("F") };
    let mut seen = Vec::new();
    for length in [10, 10, 5, 0] {
        let page = list(&*on.other, &query).await?;
        equal("the length of a page", &page.len(), &length)?;
        seen.extend(page.into_iter().map(|summary| summary.id));
        query.after = seen.last().cloned();
    }
    equal("the ids of all pages", &seen, &expected)?;
    for (limit, length) in [(0, 0), (1, 1), (25, 25), (26, 25), (usize::MAX, 25)] {
        let page = list(&*on.other, &SessionQuery { limit, ..on.query("F") }).await?;
        equal(&format!("the length of a page of {limit}"), &page.len(), &length)?;
    }
    Ok(())
}

/// How many sessions stay while the pages are walked.
const STAYING: usize = 40;

pub(super) async fn pages_under_writes(on: Arc<Subject>) -> Outcome {
    let mut staying = Vec::new();
    for number in 0..STAYING {
        let session = on.session(&format!("{number:02}"))?;
        done("create", on.one.create(&session).await)?;
        staying.push(session);
    }
    let is_over = Arc::new(AtomicBool::new(false));
    let end = on_a_thread(write(Arc::clone(&on.other), staying.clone(), Arc::clone(&is_over)));
    let mut walked = Ok(());
    for walk in 0..5 {
        walked = walk_pages(&on, walk, &staying).await;
        if walked.is_err() {
            break;
        }
    }
    is_over.store(true, Ordering::SeqCst);
    done("save", result(end).await?)?;
    walked
}

/// Saves all sessions in turn, each at a later time, until it is over.
async fn write(
    store: Arc<dyn SessionStore>,
    mut sessions: Vec<Session>,
    is_over: Arc<AtomicBool>,
) -> Result<(), StoreError> {
    let mut now = std::time::SystemTime::now();
    while !is_over.load(Ordering::SeqCst) {
        for session in &mut sessions {
            now += std::time::Duration::from_secs(1);
            let mut saved = next(session, "S");
            saved.save_on = Timestamp::from(now);
            store.save(&saved, session.revision).await?;
            *session = saved;
        }
    }
    Ok(())
}

/// Walks all pages, and makes and removes sessions in front of the next page and behind it.
async fn walk_pages(on: &Subject, walk: usize, staying: &[Session]) -> Outcome {
    let mut query = SessionQuery { limit: 7, ..on.query("F") };
    let mut seen: Vec<String> = Vec::new();
    for page in 0.. {
        let found = list(&*on.one, &query).await?;
        if found.is_empty() {
            break;
        }
        for summary in found {
            if let Some(last) = seen.last().filter(|last| **last >= summary.id) {
                return Err(Failure::new(format_args!("an id behind `{last}`"), summary.id));
            }
            seen.push(summary.id);
        }
        query.after = seen.last().cloned();
        // Enough of both kinds that a page found by counting would begin at a wrong place.
        for number in 0..3 {
            for place in ["00-", "99-"] {
                let name = format!("{place}{walk}-{page}-{number}");
                if page % 2 == 0 {
                    done("create", on.one.create(&on.session(&name)?).await)?;
                } else {
                    let name = format!("{place}{walk}-{}-{number}", page - 1);
                    done("delete", on.one.delete(&on.id(&name), None).await)?;
                }
            }
        }
    }
    let stayed: Vec<_> = staying.iter().map(|session| &session.id).collect();
    seen.retain(|id| stayed.contains(&id));
    equal("the ids that were there all the while", &seen.iter().collect(), &stayed)
}
