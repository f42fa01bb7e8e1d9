//! A stored session as the flow of today reads it.

use crate::{
    BoxError, CompiledFlow, StepId, TurnError,
    run::panic_text,
    session::{Repaired, RunStatus, SESSION_VERSION, Session, check_history, repair},
    storable::{MOST_NESTING, is_too_deep},
};
use serde_json::Value;
use std::{
    borrow::Cow,
    collections::HashSet,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

/// Brings the session to the flow's version, with its steps under their present names and histories that providers take.
/// Returns which histories had to be repaired for that. Nothing is written: that is the turn's business.
pub(super) fn upgraded<'s>(
    stored: &'s Session,
    flow: &CompiledFlow,
) -> Result<(Cow<'s, Session>, Vec<Repaired>), TurnError> {
    // Nobody goes on with one that has ended.
    if stored.run_status != RunStatus::Running {
        return Ok((Cow::Borrowed(stored), Vec::new()));
    }
    let newer = |what, found, known| {
        Err(TurnError::NewerSession { session: stored.id.clone(), what, found, known })
    };
    if stored.version > SESSION_VERSION {
        return newer("the document".to_owned(), stored.version, SESSION_VERSION);
    }
    let (from, to) = (stored.flow.version, flow.version);
    if from > to {
        return newer(format!("flow `{}`", flow.id), from, to);
    }
    let mut session = Cow::Borrowed(stored);
    let failed = |source| TurnError::Migration {
        session: stored.id.clone(),
        flow: flow.id.clone(),
        from,
        to,
        source,
    };
    if from < to {
        session = Cow::Owned(migrated(stored, flow).map_err(failed)?);
    }
    let repaired = repair(&mut session, flow);
    if from < to {
        check_history(&session).map_err(|fault| {
            failed(format!("`Flow::migrate` returns a history that is not valid: {fault}").into())
        })?;
    }
    if has_former_names(&session, flow) {
        rename(session.to_mut(), flow);
    }
    Ok((session, repaired))
}

fn migrated(stored: &Session, flow: &CompiledFlow) -> Result<Session, BoxError> {
    let document = serde_json::to_value(stored)?;
    let from = stored.flow.version;
    let migrate = AssertUnwindSafe(|| flow.flow.migrate(document, from));
    let document: Value = catch_unwind(migrate)
        .map_err(|panic| format!("`Flow::migrate` panicked: {}", panic_text(panic)))??;
    let mut session: Session = serde_json::from_value(document)
        .map_err(|error| format!("what `Flow::migrate` returns is no session: {error}"))?;
    session.flow.version = flow.version;
    for (field, is_same) in [
        ("id", session.id == stored.id),
        ("revision", session.revision == stored.revision),
        ("version", session.version == stored.version),
        ("flow.name", session.flow.name == stored.flow.name),
    ] {
        if !is_same {
            return Err(format!("`Flow::migrate` must not change `{field}`").into());
        }
    }
    for step in &session.flow.steps {
        let what = match &*step.state {
            state if !state.is_object() => "is no object".to_owned(),
            state if is_too_deep(state) => format!("has more than {MOST_NESTING} levels"),
            _ => continue,
        };
        let text = format!("`Flow::migrate` gives step `{}` a state that {what}", step.name);
        return Err(text.into());
    }
    Ok(session)
}

/// The present name of a step that is stored under a former one.
fn present<'f>(flow: &'f CompiledFlow, name: &StepId) -> Option<&'f StepId> {
    let step = flow.step(name)?;
    (step.id != *name).then_some(&step.id)
}

fn has_former_names(session: &Session, flow: &CompiledFlow) -> bool {
    if flow.steps.iter().all(|step| step.aliases.is_empty()) {
        return false;
    }
    let moves = session.flow.sequence.iter().map(|entry| &entry.step_name);
    let states = session.flow.steps.iter().map(|entry| &entry.name);
    moves.chain(states).any(|name| present(flow, name).is_some())
        || present(flow, &session.flow.current_step).is_some()
        || !former_namespaces(session, flow).is_empty()
}

/// Namespaces that are a step's default under a former name, with the present one.
fn former_namespaces(session: &Session, flow: &CompiledFlow) -> Vec<(Arc<str>, Arc<str>)> {
    let in_use: HashSet<&str> = flow.steps.iter().map(|step| &*step.namespace).collect();
    let former = |name: &Arc<str>| {
        let step = flow.step(name).filter(|step| step.has_own_namespace)?;
        let is_free = !session.flow.memory.contains_key(&step.namespace);
        (is_free && !in_use.contains(&**name)).then(|| (name.clone(), step.namespace.clone()))
    };
    session.flow.memory.keys().filter_map(former).collect()
}

/// What a step has under its present name is never replaced by what it has under a former one, which stays as it is then.
fn rename(session: &mut Session, flow: &CompiledFlow) {
    for (former, present) in former_namespaces(session, flow) {
        let memory = &mut session.flow.memory;
        // The first of several former names may have taken the place by now.
        if !memory.contains_key(&present)
            && let Some(history) = memory.remove(&former)
        {
            memory.insert(present, history);
        }
    }
    let flow_state = &mut session.flow;
    let moves = flow_state.sequence.iter_mut().map(|entry| &mut entry.step_name);
    for name in moves.chain([&mut flow_state.current_step]) {
        if let Some(present) = present(flow, name) {
            name.clone_from(present);
        }
    }
    let mut taken: HashSet<StepId> =
        flow_state.steps.iter().map(|entry| entry.name.clone()).collect();
    for entry in &mut flow_state.steps {
        if let Some(present) = present(flow, &entry.name)
            && taken.insert(present.clone())
        {
            entry.name.clone_from(present);
        }
    }
}
