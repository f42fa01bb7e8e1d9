//! What is measured, with the names, units and buckets of the conventions.

use opentelemetry::{
    KeyValue,
    metrics::{Histogram, Meter},
};
use std::time::Duration;

/// Of a call, in seconds.
const CALL: [f64; 14] =
    [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];

/// Of a turn, in seconds.
const TURN: [f64; 13] = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6];

/// Of tokens: powers of four.
const TOKENS: [f64; 14] = [
    1.0,
    4.0,
    16.0,
    64.0,
    256.0,
    1024.0,
    4096.0,
    16_384.0,
    65_536.0,
    262_144.0,
    1_048_576.0,
    4_194_304.0,
    16_777_216.0,
    67_108_864.0,
];

/// The histograms.
#[derive(Debug)]
pub(super) struct Instruments {
    turns: Histogram<f64>,
    chats: Histogram<f64>,
    tools: Histogram<f64>,
    tokens: Histogram<u64>,
}

impl Instruments {
    pub(super) fn of(meter: &Meter) -> Self {
        let seconds = |name, description, buckets: &[f64]| {
            let histogram = meter.f64_histogram(name).with_description(description).with_unit("s");
            histogram.with_boundaries(buckets.to_vec()).build()
        };
        Self {
            turns: seconds("gen_ai.invoke_agent.duration", "Duration of a turn.", &TURN),
            chats: seconds("gen_ai.client.operation.duration", "GenAI operation duration.", &CALL),
            tools: seconds(
                "gen_ai.execute_tool.duration",
                "The duration of a single tool execution.",
                &CALL,
            ),
            tokens: meter
                .u64_histogram("gen_ai.client.token.usage")
                .with_description("Number of input and output tokens used.")
                .with_unit("{token}")
                .with_boundaries(TOKENS.to_vec())
                .build(),
        }
    }

    pub(super) fn turn(&self, took: Duration, of: &[KeyValue]) {
        self.turns.record(took.as_secs_f64(), of);
    }

    pub(super) fn chat(&self, took: Duration, of: &[KeyValue]) {
        self.chats.record(took.as_secs_f64(), of);
    }

    pub(super) fn tool(&self, took: Duration, of: &[KeyValue]) {
        self.tools.record(took.as_secs_f64(), of);
    }

    /// Counts tokens of one type, `input` or `output`.
    pub(super) fn tokens(&self, of_type: &'static str, count: u64, of: &[KeyValue]) {
        let of_type = KeyValue::new("gen_ai.token.type", of_type);
        let of: Vec<_> = of.iter().cloned().chain([of_type]).collect();
        self.tokens.record(count, &of);
    }
}
