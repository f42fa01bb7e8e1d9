use picoflow::prelude::*;

struct WeatherStep;

#[tools]
impl Step for WeatherStep {
    #[tools(["a", "b"])]
    fn nothing(&self, _calls: &[ToolCall]) {}

    #[tools(["c", "d"])]
    fn perhaps(&self, _calls: &[ToolCall]) -> Option<ToolResponse> {
        None
    }

    #[tools(["e", "f"])]
    async fn number(&self, _calls: &[ToolCall]) -> u8 {
        0
    }

    #[tools(["g", "h"])]
    fn text(&self, _calls: &[ToolCall]) -> &'static str {
        ""
    }
}

fn main() {}
