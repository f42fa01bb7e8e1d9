use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool]
    async fn save(&self) -> ToolResponse {
        let name = std::rc::Rc::new(1);
        std::future::ready(()).await;
        stay_with(name.to_string())
    }
}

fn main() {}
