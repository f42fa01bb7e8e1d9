use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    fn prompt(&self) -> Prompt {
        Prompt::none()
    }
}

fn main() {}
