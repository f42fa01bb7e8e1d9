//! A step over several modules: own block first, then the parts as listed.
#![deny(warnings)]

pub mod support {
    use picoflow::prelude::*;

    pub struct SupportStep;

    #[tools(parts("billing", "returns"))]
    impl Step for SupportStep {
        #[tool]
        fn leave(&self) -> ToolResponse {
            stay()
        }
    }

    mod returns {
        use super::SupportStep;
        use picoflow::prelude::*;

        #[tools(part = "returns")]
        impl SupportStep {
            #[tool]
            async fn send_back(&self, order: String) -> ToolResponse {
                stay_with(order)
            }
        }
    }

    mod billing {
        use super::SupportStep;
        use picoflow::prelude::*;

        #[tools(part = "billing")]
        impl SupportStep {
            #[tool]
            fn refund(&self) -> ToolResponse {
                self.helper()
            }

            #[tools(["leave", "refund"])]
            fn both(&self, _calls: &[ToolCall]) -> ToolResponse {
                stay()
            }

            #[tool("refund_all")]
            fn helper(&self) -> ToolResponse {
                stay()
            }
        }
    }
}

fn main() {
    use picoflow::Step;

    let table = &support::SupportStep::TABLE;
    let tools: Vec<_> = table
        .blocks
        .iter()
        .flat_map(|block| block.tools)
        .map(|row| row.tool)
        .collect();
    assert_eq!(tools, ["leave", "refund", "refund_all", "send_back"]);
    assert_eq!(table.parts, ["billing", "returns"]);
}
