//! A step may stand in a function, as in a doctest, with its types; and attributes may be written as paths.
#![deny(warnings)]

fn main() {
    use picoflow::{Args, Step, ToolResponse, stay, stay_with};
    use serde::Deserialize;

    #[derive(Deserialize, schemars::JsonSchema)]
    struct UserName {
        name: String,
    }

    struct NameStep;

    #[picoflow::tools(parts("more"))]
    impl Step for NameStep {
        #[picoflow::tool]
        async fn user_name(&self, Args(user): Args<UserName>) -> ToolResponse {
            stay_with(user.name)
        }

        #[picoflow::tools(["a", "b"])]
        fn both(&self) -> ToolResponse {
            stay()
        }
    }

    #[picoflow::tools(part = "more")]
    impl NameStep {
        #[picoflow::tool]
        fn named(&self, user: UserName) -> ToolResponse {
            stay_with(user.name)
        }
    }

    assert_eq!(NameStep::TABLE.blocks.len(), 2);
}
