use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    async fn on_response(&self, _cx: &mut Cx<'_>, _output: ModelOutput) -> HookResult<StepResponse> {
        Ok(stay())
    }
}

fn main() {}
