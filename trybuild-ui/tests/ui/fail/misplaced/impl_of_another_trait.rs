use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Clone for NameStep {
    fn clone(&self) -> Self {
        Self
    }
}

fn main() {
    let _ = NameStep.clone();
}
