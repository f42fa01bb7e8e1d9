//! One write after the other.

use super::{
    fault::{Outcome, same},
    races::at_once,
    subject::{Subject, conflict, done, gone, kept, next},
};
use picoflow_core::{
    FlowId,
    session::{RunStatus, SessionStore},
};
use std::sync::Arc;

pub(super) async fn prepare(on: Arc<Subject>) -> Outcome {
    let session = on.session("a")?;
    done("create", on.one.create(&session).await)?;
    let prepare = |store: &Arc<dyn SessionStore>| {
        let store = Arc::clone(store);
        async move { store.prepare().await }
    };
    for prepared in at_once(vec![prepare(&on.one), prepare(&on.other), prepare(&on.one)]).await? {
        done("prepare", prepared)?;
    }
    kept(&*on.one, &session).await
}

pub(super) async fn create(on: Arc<Subject>) -> Outcome {
    let session = on.session("a")?;
    done("create", on.one.create(&session).await)?;
    kept(&*on.other, &session).await?;
    // Another revision than the engine's first is kept as well.
    let mut later = on.session("b")?;
    later.revision = 7;
    done("create", on.one.create(&later).await)?;
    kept(&*on.other, &later).await
}

pub(super) async fn odd_ids(on: Arc<Subject>) -> Outcome {
    done("create", on.one.create(&on.session("a")?).await)?;
    for name in ["A", "a ", "", "%", "_", "a\0", "\0", "a' OR 'a' = 'a", "á"] {
        gone(&*on.other, &on.id(name)).await?;
    }
    gone(&*on.other, "").await?;
    for name in ["a'b\"c\\d;--", "%_*?[a]$.{}", "\u{e9}\u{1f600}\u{10ffff}", &"long".repeat(100)] {
        let session = on.session(name)?;
        done("create", on.one.create(&session).await)?;
        kept(&*on.other, &session).await?;
        done("delete", on.one.delete(&session.id, Some(0)).await)?;
    }
    Ok(())
}

pub(super) async fn taken(on: Arc<Subject>) -> Outcome {
    let session = on.session("a")?;
    done("create", on.one.create(&session).await)?;
    let again = on.session_of("G", "a")?;
    conflict("create", &session.id, on.other.create(&again).await)?;
    kept(&*on.one, &session).await
}

pub(super) async fn revision(on: Arc<Subject>) -> Outcome {
    let mut session = on.session("a")?;
    let told = async |expected: Option<u64>| {
        for store in [&on.one, &on.other] {
            let found = done("revision", store.revision(&on.id("a")).await)?;
            same("a revision", &format!("{found:?}"), &format!("{expected:?}"))?;
        }
        Ok(())
    };
    told(None).await?;
    done("create", on.one.create(&session).await)?;
    told(Some(0)).await?;
    session = next(&session, "S");
    done("save", on.one.save(&session, 0).await)?;
    told(Some(1)).await?;
    done("delete", on.one.delete(&session.id, None).await)?;
    told(None).await?;
    for name in ["A", "a\0", "%"] {
        let found = done("revision", on.one.revision(&on.id(name)).await)?;
        same("a revision", &format!("{found:?}"), "None")?;
    }
    Ok(())
}

pub(super) async fn save(on: Arc<Subject>) -> Outcome {
    let mut session = on.session("a")?;
    done("create", on.one.create(&session).await)?;
    for revision in 0..3 {
        session = next(&session, "S");
        done("save", on.other.save(&session, revision).await)?;
        kept(&*on.one, &session).await?;
    }
    Ok(())
}

pub(super) async fn stale_save(on: Arc<Subject>) -> Outcome {
    let created = on.session("a")?;
    let saved = next(&created, "S");
    conflict("save", &created.id, on.one.save(&saved, 0).await)?;
    gone(&*on.other, &created.id).await?;
    done("create", on.one.create(&created).await)?;
    done("save", on.one.save(&saved, 0).await)?;
    for stale in [0, 2, u64::MAX] {
        let lost = next(&saved, "Lost");
        conflict("save", &created.id, on.other.save(&lost, stale).await)?;
        kept(&*on.one, &saved).await?;
    }
    Ok(())
}

pub(super) async fn stale_delete(on: Arc<Subject>) -> Outcome {
    let created = on.session("a")?;
    conflict("delete", &created.id, on.one.delete(&created.id, Some(0)).await)?;
    done("create", on.one.create(&created).await)?;
    let saved = next(&created, "S");
    done("save", on.one.save(&saved, 0).await)?;
    for stale in [0, 2, u64::MAX] {
        conflict("delete", &created.id, on.other.delete(&created.id, Some(stale)).await)?;
        kept(&*on.one, &saved).await?;
    }
    Ok(())
}

pub(super) async fn delete(on: Arc<Subject>) -> Outcome {
    let created = on.session("a")?;
    let saved = next(&created, "S");
    for revision in [Some(1), None] {
        done("create", on.one.create(&created).await)?;
        done("save", on.one.save(&saved, 0).await)?;
        done("delete", on.other.delete(&created.id, revision).await)?;
        gone(&*on.one, &created.id).await?;
        // What is gone is not saved again, and nothing to delete is no error.
        conflict("save", &created.id, on.one.save(&next(&saved, "S"), 1).await)?;
        done("delete", on.one.delete(&created.id, None).await)?;
        gone(&*on.other, &created.id).await?;
    }
    Ok(())
}

pub(super) async fn apart(on: Arc<Subject>) -> Outcome {
    let (first, second, third) = (on.session("a")?, on.session("b")?, on.session("c")?);
    for session in [&first, &second, &third] {
        done("create", on.one.create(session).await)?;
    }
    let saved = next(&first, "S");
    done("save", on.one.save(&saved, 0).await)?;
    done("delete", on.one.delete(&second.id, None).await)?;
    kept(&*on.other, &saved).await?;
    gone(&*on.other, &second.id).await?;
    kept(&*on.other, &third).await
}

pub(super) async fn policy(on: Arc<Subject>) -> Outcome {
    let mut completed = on.session("completed")?;
    completed.run_status = RunStatus::Completed;
    let mut newer = on.session("newer")?;
    newer.version = 1_000;
    let mut nameless = on.session("nameless")?;
    nameless.flow.name = FlowId::new("");
    let mut earlier = on.session("earlier")?;
    std::mem::swap(&mut earlier.created_on, &mut earlier.save_on);
    for session in [completed, newer, nameless, earlier] {
        done("create", on.one.create(&session).await)?;
        kept(&*on.other, &session).await?;
        let saved = next(&session, "");
        done("save", on.one.save(&saved, 0).await)?;
        kept(&*on.other, &saved).await?;
    }
    Ok(())
}
