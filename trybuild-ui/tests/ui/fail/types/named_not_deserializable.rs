use picoflow::prelude::*;

#[derive(JsonSchema)]
struct User {
    _name: String,
}

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool]
    fn save(&self, _first: String, _user: User) -> ToolResponse {
        stay()
    }
}

fn main() {}
