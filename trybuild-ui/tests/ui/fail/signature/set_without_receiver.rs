use picoflow::prelude::*;

struct WeatherStep;

#[tools]
impl Step for WeatherStep {
    #[tools(["a", "b"])]
    fn none(_calls: &[ToolCall]) -> ToolResponse {
        stay()
    }

    #[tools(["c", "d"])]
    fn exclusive(&mut self, _calls: &[ToolCall]) -> ToolResponse {
        stay()
    }
}

fn main() {}
