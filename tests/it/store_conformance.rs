//! The suite for stores finds what it is there to find: stores with one fault each, and the rules that they break.

use crate::support::{Fault, Faulty};
use picoflow::{
    session::MemoryStore,
    testing::{StoreFaults, store_conformance, store_conformance_across},
};
use std::sync::Arc;

const PREPARE: &str = "a store gets ready as often as it is asked";
const CREATE: &str = "what is created is loaded as it was";
const ODD_IDS: &str = "any text may be asked for as an id";
const TAKEN: &str = "an id that is taken is a conflict and changes nothing";
const REVISION: &str = "the revision is told as it is";
const SAVE: &str = "a save replaces the session";
const STALE_SAVE: &str = "a stale save is a conflict and changes nothing";
const STALE_DELETE: &str = "a stale delete is a conflict and changes nothing";
const DELETE: &str = "a delete removes, without a revision whatever is there";
const APART: &str = "a write to one session leaves the others alone";
const POLICY: &str = "a session is kept whatever the engine would say of it";
const TEXTS: &str = "texts are kept with every character";
const NUMBERS: &str = "numbers are kept with every digit";
const KEYS: &str = "keys are kept in their order";
const LARGE: &str = "a document of five MiB is kept whole";
const DEEP: &str = "a state of a hundred levels is kept";
const TOO_DEEP: &str = "a state that is too deep to be read is no crash";
const TWO_WRITERS: &str = "of two writers of a revision one wins";
const FIFTY_WRITERS: &str = "of fifty writers of a revision one wins";
const CREATORS: &str = "of several creators of an id one wins";
const DELETE_UNDER_WRITER: &str = "a delete under a running writer is final";
const ORDER: &str = "a list is ordered by id";
const FLOW_AND_STATUS: &str = "a list is filtered by flow and status";
const TIME: &str = "a list is filtered by time";
const SUMMARY: &str = "a list says what the documents say";
const PAGES: &str = "a list comes in pages";
const PAGES_UNDER_WRITES: &str = "pages hold still under writes";

async fn faults(fault: Fault) -> StoreFaults {
    let result = store_conformance(async || Faulty::new(fault)).await;
    result.expect_err(&format!("{fault:?} was not found"))
}

fn rules(faults: &StoreFaults) -> Vec<&'static str> {
    faults.faults.iter().map(|fault| fault.rule).collect()
}

/// The store breaks these rules and no others.
async fn breaks(fault: Fault, expected: &[&str]) {
    let faults = faults(fault).await;
    assert_eq!(rules(&faults), expected, "{fault:?}: {faults}");
}

/// The store breaks these rules at least: which others it breaks is a matter of luck.
async fn breaks_at_least(fault: Fault, expected: &[&str]) {
    let faults = faults(fault).await;
    let found = rules(&faults);
    assert!(expected.iter().all(|rule| found.contains(rule)), "{fault:?}: {faults}");
}

#[tokio::test]
async fn a_store_without_a_fault_passes() {
    store_conformance(async || Faulty::new(Fault::None)).await.unwrap();
}

#[tokio::test]
async fn faults_of_prepare_load_and_create_are_found() {
    breaks(Fault::ForgetsOnPrepare, &[PREPARE]).await;
    breaks(Fault::StartsAtRevisionZero, &[CREATE]).await;
    breaks(Fault::FoldsCaseOfIds, &[ODD_IDS, ORDER]).await;
    breaks_at_least(Fault::FailsOnUnknownIds, &[ODD_IDS, DELETE]).await;
    breaks_at_least(Fault::OverwritesOnCreate, &[TAKEN, CREATORS]).await;
    breaks(Fault::TellsTheFirstRevision, &[REVISION]).await;
    breaks(Fault::HidesCompleted, &[POLICY]).await;
    breaks(Fault::RefusesNamelessFlows, &[POLICY]).await;
}

#[tokio::test]
async fn faults_of_save_are_found() {
    breaks_at_least(Fault::LosesUpdates, &[SAVE, STALE_SAVE, TWO_WRITERS, FIFTY_WRITERS]).await;
    breaks_at_least(Fault::IgnoresTheRevisionOfSave, &[STALE_SAVE, FIFTY_WRITERS]).await;
    breaks_at_least(Fault::FailsInsteadOfConflict, &[STALE_SAVE, DELETE, FIFTY_WRITERS]).await;
    breaks_at_least(Fault::SavesWhatIsGone, &[STALE_SAVE, DELETE, DELETE_UNDER_WRITER]).await;
}

#[tokio::test]
async fn faults_of_delete_are_found() {
    breaks_at_least(Fault::IgnoresTheRevisionOfDelete, &[STALE_DELETE]).await;
    breaks_at_least(Fault::DeletesNothing, &[DELETE, APART, DELETE_UNDER_WRITER]).await;
    breaks_at_least(Fault::DeletesEverything, &[APART]).await;
    breaks(Fault::ComplainsOfNothingToDelete, &[DELETE]).await;
}

#[tokio::test]
async fn a_compare_and_swap_in_two_steps_is_found() {
    breaks(Fault::ComparesBeforeCreating, &[CREATORS]).await;
    breaks_at_least(Fault::ComparesBeforeSaving, &[TWO_WRITERS, FIFTY_WRITERS]).await;
}

#[tokio::test]
async fn a_compare_and_swap_that_is_safe_in_one_process_alone_is_found_by_two_handles() {
    let open = |store: &Arc<MemoryStore>| Faulty::over(Arc::clone(store), Fault::LocksAHandleAlone);
    let shared = Arc::new(MemoryStore::new());
    let faults = store_conformance_across(async || [open(&shared), open(&shared)]).await;
    let found = rules(&faults.unwrap_err());
    assert!(found.contains(&TWO_WRITERS) && found.contains(&FIFTY_WRITERS), "{found:?}");
    if let Err(faults) = store_conformance(async || open(&shared)).await {
        let found = rules(&faults);
        assert!(!found.contains(&TWO_WRITERS) && !found.contains(&FIFTY_WRITERS), "{found:?}");
    }
}

#[tokio::test]
async fn two_handles_that_share_nothing_are_found() {
    let faults = store_conformance_across(async || [MemoryStore::new(), MemoryStore::new()]).await;
    assert!(rules(&faults.unwrap_err()).contains(&CREATE));
}

#[tokio::test]
async fn faults_of_what_a_document_holds_are_found() {
    breaks(Fault::CutsLongTexts, &[LARGE]).await;
    breaks(Fault::DropsNul, &[TEXTS, LARGE]).await;
    breaks(Fault::ReplacesBeyondTheFirstPlane, &[TEXTS, LARGE]).await;
    breaks(Fault::NormalizesTimes, &[TEXTS]).await;
    breaks(Fault::SortsKeys, &[TEXTS, KEYS]).await;
    breaks(Fault::RoundsNumbers, &[NUMBERS, KEYS, DEEP]).await;
    breaks(Fault::RefusesDeepStates, &[DEEP]).await;
    breaks(Fault::PanicsOnDeepStates, &[TOO_DEEP]).await;
}

#[tokio::test]
async fn faults_of_lists_are_found() {
    breaks(Fault::ForgetsFlow, &[FLOW_AND_STATUS, PAGES]).await;
    breaks(Fault::ForgetsStatus, &[FLOW_AND_STATUS]).await;
    breaks(Fault::ForgetsSince, &[TIME]).await;
    breaks(Fault::ForgetsBefore, &[TIME]).await;
    breaks(Fault::IncludesBefore, &[TIME]).await;
    breaks(Fault::KeepsTheFirstSummary, &[SUMMARY]).await;
}

#[tokio::test]
async fn faults_of_pages_are_found() {
    breaks(Fault::ForgetsAfter, &[ORDER, PAGES, PAGES_UNDER_WRITES]).await;
    breaks_at_least(Fault::IncludesAfter, &[ORDER, PAGES]).await;
    breaks(Fault::ForgetsLimit, &[FLOW_AND_STATUS, PAGES]).await;
    breaks(Fault::SortsByTime, &[ORDER, TIME, PAGES_UNDER_WRITES]).await;
    breaks(Fault::SortsWithoutCase, &[ORDER]).await;
    breaks_at_least(Fault::CountsPages, &[PAGES_UNDER_WRITES]).await;
}

#[tokio::test]
async fn a_fault_says_what_was_expected_and_what_was_found() {
    let faults = faults(Fault::CutsLongTexts).await;
    let text = faults.to_string();
    assert!(
        text.starts_with("the store breaks 1 of 28 rules:\n* a document of five MiB"),
        "{text}"
    );
    assert!(text.contains(": expected a document with `"), "{text}");
    assert!(text.contains(", found `"), "{text}");
    assert!(text.len() < 1_000, "{}", text.len());
    assert_eq!(format!("{faults:?}"), text);

    let faults = self::faults(Fault::PanicsOnDeepStates).await;
    assert!(faults.faults[0].found.contains("stack overflow"), "{faults}");
}
