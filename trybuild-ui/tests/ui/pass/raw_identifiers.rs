//! `r#` is Rust's business: the model sees the name.
#![deny(warnings)]
#![allow(non_camel_case_types)]

use picoflow::prelude::*;

struct r#gen;

#[tools]
impl Step for r#gen {
    #[tool]
    fn r#match(&self, r#type: String, r#in: Option<String>) -> ToolResponse {
        stay_with(r#type + &r#in.unwrap_or_default())
    }

    fn r#yield(&self) -> ToolResponse {
        go(r#gen::ID)
    }
}

fn main() {
    assert_eq!(r#gen::ID, "gen");
    let block = &r#gen::TABLE.blocks[0];
    assert_eq!(block.tools[0].tool, "match");
    assert_eq!(r#gen::__methods(0)[1].name, "yield");
    assert_eq!(
        format!("{:?}", block.references[0].target),
        r#"Type("gen")"#
    );
    let schema = r#gen::__methods(0)[0].schema.expect("typed arguments").schema();
    assert_eq!(schema["required"], serde_json::json!(["type"]));
    assert!(schema["properties"]["in"].is_object());
}
