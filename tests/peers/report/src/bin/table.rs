//! Builds the measurements with and without schema validation, runs them, and prints one table.

use peers_report::{cargo, machine, median, number, print_head, print_line};
use serde::Deserialize;
use std::{collections::HashMap, error::Error, process::Stdio};

/// A line that a measurement prints.
#[derive(Deserialize)]
struct Measured {
    case: String,
    contender: String,
    value: f64,
    #[serde(default)]
    quartiles: [f64; 2],
    #[serde(default)]
    bytes: f64,
}

/// One line of the table.
struct Line {
    case: String,
    contender: String,
    nanoseconds: f64,
    /// Of the same case in the same process.
    floor: Option<f64>,
    allocations: f64,
    bytes: f64,
}

impl Line {
    fn is_picoflow(&self) -> bool {
        self.contender.starts_with("picoflow")
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Validation {
    Off,
    On,
}

fn main() -> Result<(), Box<dyn Error>> {
    for validation in [Validation::Off, Validation::On] {
        for program in ["time", "allocations"] {
            run("build", validation, program)?;
        }
    }
    let mut spreads = Vec::new();
    let mut lines = lines(Validation::Off, &mut spreads)?;
    let validated = self::lines(Validation::On, &mut spreads)?;
    lines.extend(validated.into_iter().filter(Line::is_picoflow));

    // Cases and contenders in the order in which they first come.
    let mut cases: Vec<&str> = Vec::new();
    for line in &lines {
        if !cases.contains(&&*line.case) {
            cases.push(&line.case);
        }
    }
    print_head(&["", "CPU time", "of the floor", "of picoflow", "allocations", "bytes"]);
    for case in cases {
        print_line(&[&format!("**{case}**"), "", "", "", "", ""]);
        let in_case = || lines.iter().filter(|line| line.case == case);
        let reference = in_case().find(|line| line.is_picoflow()).map(|line| line.nanoseconds);
        let mut in_case: Vec<_> = in_case().collect();
        in_case.sort_by_key(|line| !line.is_picoflow() && line.floor != Some(line.nanoseconds));
        for line in in_case {
            let ratio =
                |to: Option<f64>| to.map_or_else(String::new, |to| number(line.nanoseconds / to));
            print_line(&[
                line.contender.clone(),
                time(line.nanoseconds),
                ratio(line.floor),
                ratio(reference),
                number(line.allocations),
                format!("{:.0}", line.bytes),
            ]);
        }
    }
    let largest = spreads.iter().copied().fold(0.0, f64::max);
    println!(
        "\nMedians. Half of the samples of a row lie within {} % of each other (median over the rows; largest {} %). {}.",
        number(median(spreads)),
        number(largest),
        machine(),
    );
    Ok(())
}

/// Runs both measurements of one build.
fn lines(validation: Validation, spreads: &mut Vec<f64>) -> Result<Vec<Line>, Box<dyn Error>> {
    let times = parse(&run("run", validation, "time")?)?;
    let allocations = parse(&run("run", validation, "allocations")?)?;
    let counts: HashMap<_, _> =
        allocations.iter().map(|line| ((&*line.case, &*line.contender), line)).collect();
    let floors: HashMap<_, _> = times
        .iter()
        .filter(|line| line.contender.starts_with("floor"))
        .map(|line| (&*line.case, line.value))
        .collect();
    let mut lines = Vec::new();
    for line in &times {
        let count = counts.get(&(&*line.case, &*line.contender));
        let count = count.ok_or("the two programs measure the same rows")?;
        spreads.push(100.0 * (line.quartiles[1] - line.quartiles[0]) / line.value);
        let is_picoflow = line.contender.starts_with("picoflow");
        let suffix = match validation {
            Validation::On if is_picoflow => ", validation on",
            _ => "",
        };
        lines.push(Line {
            case: line.case.clone(),
            contender: format!("{}{suffix}", line.contender),
            nanoseconds: line.value,
            floor: floors.get(&*line.case).copied(),
            allocations: count.value,
            bytes: count.bytes,
        });
    }
    Ok(lines)
}

fn parse(text: &str) -> serde_json::Result<Vec<Measured>> {
    text.lines().map(serde_json::from_str).collect()
}

/// What cargo's subcommand prints.
fn run(command: &str, validation: Validation, program: &str) -> Result<String, Box<dyn Error>> {
    let mut cargo = cargo();
    cargo.args([command, "--release", "--quiet", "--package", "peers-bench", "--bin", program]);
    if validation == Validation::On {
        cargo.args(["--features", "validate"]);
    }
    let output = cargo.stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err(format!("cargo {command} of `{program}` failed").into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

fn time(nanoseconds: f64) -> String {
    if nanoseconds < 1000.0 {
        format!("{} ns", number(nanoseconds))
    } else {
        format!("{} µs", number(nanoseconds / 1000.0))
    }
}
