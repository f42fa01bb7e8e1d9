use picoflow::prelude::*;

struct NameStep;

#[tools(["a", "b"])]
impl Step for NameStep {
    fn prompt(&self, _cx: &Cx<'_>) -> Prompt {
        "Ask.".into()
    }
}

fn main() {}
