use picoflow::prelude::*;

#[derive(Deserialize, JsonSchema)]
struct User {
    name: String,
}

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool]
    fn save(&self, User { name }: User) -> ToolResponse {
        stay_with(name)
    }
}

fn main() {}
