use picoflow::prelude::*;

#[derive(Deserialize, JsonSchema)]
struct User {
    name: String,
}

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool]
    fn save(
        &self,
        /// Who it is
        Args(user): Args<User>,
    ) -> ToolResponse {
        stay_with(user.name)
    }
}

fn main() {}
