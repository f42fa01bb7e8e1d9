//! Writes the tools of every contender, 10 and 200 of each, and 2,000 for picoflow.

use peers_generate::{Arguments, Router, floor, picoflow, poem, rig, rmcp};
use std::{env, error::Error, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let out = env::var("OUT_DIR")?;
    let write = |name: &str, text: &str| fs::write(Path::new(&out).join(name), text);
    for count in [10, 200] {
        write(&format!("floor_{count}.rs"), &floor(count))?;
        write(&format!("poem_{count}.rs"), &poem("Server", count))?;
        for (name, router) in [("default", Router::Default), ("kept", Router::Kept)] {
            let text = rmcp("Server", count, Arguments::Shared, router);
            write(&format!("rmcp_{name}_{count}.rs"), &text)?;
        }
    }
    for count in [1, 10, 200] {
        write(&format!("rig_{count}.rs"), &rig(count))?;
    }
    for count in [1, 10, 200, 2000] {
        let named = picoflow("Named", count, Arguments::Named);
        write(&format!("picoflow_named_{count}.rs"), &named)?;
    }
    for count in [10, 200, 2000] {
        let shared = picoflow("Shared", count, Arguments::Shared);
        write(&format!("picoflow_shared_{count}.rs"), &shared)?;
    }
    Ok(())
}
