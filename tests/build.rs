//! Says which tests can run here: `cfg(prepared = "postgres")` holds where `scripts/postgres` runs cargo, and so for each script.
//! A test that needs more than Rust is ignored by name where its script does not run, and never where `CI=true` is set.

/// What the scripts prepare. They say so in variables that never change, so that the tests are not built again for another port.
const NEEDS: [&str; 7] =
    ["browser", "certificate", "mcp", "postgres", "restate", "schemathesis", "simulators"];

fn main() {
    println!("cargo::rustc-check-cfg=cfg(prepared, values(\"{}\"))", NEEDS.join("\", \""));
    println!("cargo::rerun-if-env-changed=CI");
    let is_all_wanted = std::env::var("CI").is_ok_and(|value| value == "true");
    for need in NEEDS {
        let variable = format!("PICOFLOW_PREPARED_{}", need.to_uppercase());
        println!("cargo::rerun-if-env-changed={variable}");
        if is_all_wanted || std::env::var_os(variable).is_some() {
            println!("cargo::rustc-cfg=prepared=\"{need}\"");
        }
    }
}
