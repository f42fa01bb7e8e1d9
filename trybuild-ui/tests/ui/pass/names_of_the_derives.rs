//! Constants and functions called like what the derives bind: named parameters do not meet them.
#![deny(warnings)]
#![forbid(dead_code)]
#![allow(non_upper_case_globals)]

use picoflow::prelude::*;

pub const schema: u8 = 0;
pub const generator: u8 = 0;
pub const deserializer: u8 = 0;
pub const visitor: u8 = 0;

struct NameStep;

#[tools]
impl Step for NameStep {
    /// Save
    #[tool(define)]
    fn save(&self, first: String, last: Option<String>) -> ToolResponse {
        stay_with(first + &last.unwrap_or_default())
    }
}

/// Greet
#[tool]
fn greet(schema_of: String) -> String {
    schema_of
}

/// Tools that are themselves called so, or have a schema that is.
mod functions {
    use picoflow::prelude::*;

    /// Read
    #[tool]
    pub fn generator(name: String) -> String {
        name
    }

    /// Read
    #[tool("read", schema = schema)]
    pub fn read(name: String) -> String {
        name
    }

    fn schema() -> Value {
        json!({ "type": "object" })
    }

    pub struct Orders;

    #[tools]
    impl Orders {
        /// Look up
        #[tool(schema = schema)]
        fn schema(&self, id: String) -> String {
            id
        }
    }
}

fn main() {
    let text = functions::generator(functions::read(String::new()));
    assert_eq!(text, "");
    let tools = collect_tools(std::sync::Arc::new(functions::Orders));
    assert_eq!(*tools[0].input_schema(), json!({ "type": "object" }));
    let _ = NameStep.save(greet(String::new()), None);
}
