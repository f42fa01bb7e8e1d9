use picoflow::prelude::*;

struct NameStep;

impl NameStep {
    /// Save
    #[tool("save")]
    #[tool("keep")]
    fn save(
        &self,
        /// Who it is
        #[serde(default)]
        name: String,
    ) -> ToolResponse {
        stay_with(name)
    }
}

fn main() {}
