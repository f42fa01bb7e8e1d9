//! Integration tests over the public API, one module per feature.
#![cfg(test)]

mod aliases;
mod any_batch;
mod any_conversation;
mod any_faults;
mod argument_cases;
mod arguments;
mod bad_input;
mod batch_ends;
mod batches;
mod build_report;
mod build_warnings;
mod cancellation;
mod cases;
mod channels;
mod child_tools;
mod children;
mod chosen_models;
#[cfg(feature = "cli")]
mod cli;
mod compaction;
mod compaction_settings;
mod context;
mod contributions;
mod dispatch;
mod duplicates;
mod endings;
mod entry_memory;
mod error_table;
mod example_binary;
#[cfg(all(feature = "cli", feature = "mcp", feature = "server"))]
mod examples;
mod exposure;
mod faults;
mod flow_tools;
mod flow_versions;
mod forgotten_tools;
mod fuzz;
#[cfg(feature = "genai")]
mod genai;
mod graph;
mod groups;
mod handed_on;
mod handler_failures;
mod handlers;
mod hidden_tools;
mod histories;
mod hook_failures;
mod hooks;
mod host;
mod images;
mod inheritance;
mod journal;
mod killed_processes;
mod logic;
mod long_sessions;
mod many_tools;
#[cfg(feature = "mcp")]
mod mcp;
mod model_failures;
mod native;
#[cfg(feature = "otel")]
mod otel;
mod overriding;
#[cfg(feature = "server")]
mod page;
mod parallel;
mod parts;
#[cfg(feature = "postgres")]
mod postgres;
mod prototype_rules;
mod recording;
mod recovery;
mod redefinition;
mod replies;
mod restart;
#[cfg(feature = "restate")]
mod restate;
mod retries;
mod reused_tokens;
mod rules;
mod run_batch;
mod scenario;
mod schemas;
#[cfg(any(feature = "genai", feature = "mcp"))]
mod secrets;
#[cfg(feature = "server")]
mod server;
mod session_document;
mod sessions;
mod shop_support;
mod sizes;
mod soak;
mod spent;
mod store_conformance;
mod store_failures;
mod stored_values;
mod stores;
mod streaming;
mod stress;
mod support;
mod testing_tools;
mod tokens;
mod transitions;
mod trip;
mod two_processes;
mod without_validation;
mod writes;

// The example's own flow, model and steps, which find each other at the root of their crate.
#[path = "../../picoflow/examples/basic_flow/flow.rs"]
mod flow;
#[path = "../../picoflow/examples/basic_flow/offline.rs"]
mod offline;
#[path = "../../picoflow/examples/basic_flow/steps"]
mod steps {
    mod address;
    mod concur1;
    mod concur2;
    mod concur3;
    mod concur4;
    mod dob;
    mod favorites;
    mod foo_logic;
    mod goo_logic;
    mod in_context;
    mod name;
    mod president;
    mod weather;

    pub(crate) use self::{
        address::AddressStep, concur1::ConcurStep1, concur2::ConcurStep2, concur3::ConcurStep3,
        concur4::ConcurStep4, dob::DOBStep, favorites::FavoritesStep, foo_logic::FooLogicStep,
        goo_logic::GooLogicStep, in_context::InContextStep, name::NameStep,
        president::PresidentStep, weather::WeatherStep,
    };
}
