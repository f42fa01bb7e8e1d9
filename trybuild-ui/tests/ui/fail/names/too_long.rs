use picoflow::prelude::*;

struct NameStep;

#[tools]
impl Step for NameStep {
    #[tool("a_name_of_sixty_five_characters_is_one_more_than_a_provider_takes")]
    fn leave(&self) -> ToolResponse {
        stay()
    }
}

fn main() {}
