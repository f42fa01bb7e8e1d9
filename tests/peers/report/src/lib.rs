//! What both reports need.

use std::{env, path::PathBuf, process::Command};

/// The folder of this workspace.
///
/// # Panics
/// When the crate is not where it belongs.
#[must_use]
pub fn root() -> PathBuf {
    let report = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    report.parent().expect("the crate is in a workspace").to_owned()
}

/// The cargo that runs this, in the folder of this workspace.
#[must_use]
pub fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// The one in the middle.
///
/// # Panics
/// When there is none.
#[must_use]
pub fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}

/// Three digits, and no more than one behind the point.
#[must_use]
pub fn number(value: f64) -> String {
    match value {
        value if value < 0.095 && value > 0.0 => format!("{value:.3}"),
        value if value < 9.95 => format!("{value:.2}"),
        value if value < 99.5 => format!("{value:.1}"),
        value => format!("{value:.0}"),
    }
}

/// A line of a Markdown table.
pub fn print_line<T: AsRef<str>>(cells: &[T]) {
    let cells: Vec<_> = cells.iter().map(AsRef::as_ref).collect();
    println!("| {} |", cells.join(" | "));
}

/// The head of a Markdown table: the first column to the left, the others to the right.
pub fn print_head(columns: &[&str]) {
    print_line(columns);
    let mut rule = vec!["---:"; columns.len()];
    if let Some(first) = rule.first_mut() {
        *first = "---";
    }
    print_line(&rule);
}

/// What was measured with, for the line below a table.
#[must_use]
pub fn machine() -> String {
    let rustc = Command::new("rustc").arg("--version").output();
    let rustc = rustc.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    let processor = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let processor = processor.lines().find_map(|line| line.strip_prefix("model name"));
    let processor = processor.map_or("", |name| name.trim_start_matches([' ', '\t', ':']));
    format!("{}, {} {processor}", rustc.unwrap_or_default(), env::consts::ARCH)
}
