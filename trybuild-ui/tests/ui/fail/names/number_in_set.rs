use picoflow::prelude::*;

struct WeatherStep;

#[tools]
impl Step for WeatherStep {
    #[tools(["a", 42])]
    fn both(&self, _calls: &[ToolCall]) -> ToolResponse {
        stay()
    }
}

fn main() {}
