use picoflow::prelude::*;

#[derive(Deserialize, JsonSchema)]
struct User {
    name: String,
}

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool]
    fn save(&self, Args(user): Args<User>, reason: String) -> ToolResponse {
        stay_with(user.name + &reason)
    }
}

fn main() {}
