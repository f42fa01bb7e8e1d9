//! The tools of every contender, written by the build script and expanded by its macros. They are a crate of their own so
//! that a change of how they are measured does not compile 4,000 of them again.

use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::Deserialize;

/// The arguments of every tool that takes a struct. The fields have no descriptions, as parameters have none.
#[derive(Deserialize, JsonSchema)]
pub struct AddArgs {
    pub a: i64,
    pub b: i64,
}

/// What a `match` written by hand answers.
pub type Answer<'a> = BoxFuture<'a, Result<i64, serde_json::Error>>;

macro_rules! tools {
    ($($contender:ident: $($count:literal as $module:ident),+;)+) => {$(
        pub mod $contender {$(
            pub mod $module {
                #[allow(unused_imports, reason = "what the generated code of some contenders names")]
                use crate::{AddArgs, Answer};
                #[allow(unused_imports, reason = "the same")]
                use picoflow::prelude::*;
                include!(concat!(env!("OUT_DIR"), "/", stringify!($contender), "_", $count, ".rs"));
            }
        )+}
    )+};
}

tools! {
    floor: "10" as ten, "200" as two_hundred;
    picoflow_named: "1" as one, "10" as ten, "200" as two_hundred, "2000" as two_thousand;
    picoflow_shared: "10" as ten, "200" as two_hundred, "2000" as two_thousand;
    poem: "10" as ten, "200" as two_hundred;
    rig: "1" as one, "10" as ten, "200" as two_hundred;
    rmcp_default: "10" as ten, "200" as two_hundred;
    rmcp_kept: "10" as ten, "200" as two_hundred;
}
