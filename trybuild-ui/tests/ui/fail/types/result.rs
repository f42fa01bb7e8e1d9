use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool]
    fn nothing(&self) {}

    #[tool]
    async fn text(&self) -> &'static str {
        "text"
    }

    #[tool]
    fn maybe(&self) -> Option<ToolResponse> {
        None
    }
}

fn main() {}
