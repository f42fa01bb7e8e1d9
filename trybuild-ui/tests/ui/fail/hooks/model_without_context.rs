use picoflow::prelude::*;

struct Advice;

#[tools]
impl Step for Advice {
    fn model(&self) -> ModelRef {
        ModelRef::new("openai", "gpt-4o")
    }
}

fn main() {}
