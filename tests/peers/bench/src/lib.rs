//! What is measured, one module for each contender. The binaries say how: `time` in CPU time, `allocations` in allocations.

mod answer;
mod floor;
mod picoflow;
mod poem;
mod rig;
mod rmcp;
mod toolnexus;
mod work;

pub use answer::expect;
pub use work::{Row, Work};

/// The arguments of a call, as a model sends them.
pub const ARGUMENTS: &str = r#"{"a":2,"b":40}"#;

/// What the user says in a turn.
pub const MESSAGE: &str = "What is the sum of 2 and 40?";

/// The prompt of a step, the preamble of an agent.
pub const PROMPT: &str = "Add numbers with `add`.";

/// What the model says when it has the sum.
pub const ANSWER: &str = "The sum is 42.";

/// Every row, each checked to give the answer it should.
pub async fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    floor::add(&mut rows).await;
    picoflow::add(&mut rows).await;
    rmcp::add(&mut rows).await;
    rig::add(&mut rows).await;
    poem::add(&mut rows).await;
    toolnexus::add(&mut rows).await;
    rows
}

/// Which tool is called in which set: the first of 10 and of 200, and the last of 200, with the sum that it answers.
pub(crate) const CALLS: [(&str, usize, &str, &str); 3] = [
    ("call, 10 tools", 10, "add", "42"),
    ("call, 200 tools", 200, "add", "42"),
    ("call, the last of 200 tools", 200, "tool_199", "241"),
];
