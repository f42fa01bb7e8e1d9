//! Prints the schemas of a few types, for a test that compares processes.
#![expect(clippy::print_stdout, reason = "the test reads it")]

use picoflow::{prelude::*, schema_of, strict_form};
use std::collections::HashMap;

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct Order {
    lines: Vec<Line>,
    notes: HashMap<String, Line>,
    state: State,
    other: Option<Box<Self>>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct Line {
    item: String,
    count: u32,
    price: Option<f64>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
enum State {
    Open,
    Closed { by: String },
    Lines(Vec<Line>),
}

fn main() {
    let schemas = [schema_of::<Order>(), schema_of::<State>(), schema_of::<Line>()];
    for schema in schemas {
        println!("{schema}\n{}", strict_form(&schema));
    }
}
