use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    fn promt(&self, _cx: &Cx<'_>) -> Prompt {
        "Never read.".into()
    }

    async fn on_entr(&self, _cx: &mut Cx<'_>) -> HookResult {
        Ok(())
    }
}

fn main() {}
