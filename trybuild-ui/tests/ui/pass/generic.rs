//! Generics, bounds and where clauses reach every generated impl.
#![deny(warnings)]

use picoflow::prelude::*;
use std::fmt::Display;

trait Directory: Send + Sync + 'static {
    type Key: Display + Send + Sync;
    type Query: for<'de> Deserialize<'de> + JsonSchema + Display + Send;

    fn key(&self) -> Self::Key;
}

struct Lookup<D, const N: usize>
where
    D: Directory,
{
    directory: D,
}

#[tools(parts("more"))]
impl<D, const N: usize> Step for Lookup<D, N>
where
    D: Directory,
{
    #[tool]
    async fn look_up(&self, cx: &mut Cx<'_>, query: String) -> ToolResponse {
        let key = self.directory.key();
        cx.save_state(serde_json::json!({ "key": key.to_string() }));
        stay_with(format!("{query}: {N}"))
    }

    #[tool]
    fn typed(&self, Args(query): Args<D::Query>) -> ToolResponse {
        stay_with(query.to_string())
    }
}

#[tools(part = "more")]
impl<D: Directory, const N: usize> Lookup<D, N> {
    #[tool]
    fn more(&self) -> ToolResponse {
        stay_with(self.directory.key().to_string())
    }
}

struct Staff;

impl Directory for Staff {
    type Key = u32;
    type Query = String;

    fn key(&self) -> u32 {
        7
    }
}

fn main() {
    let step = Lookup::<_, 2> { directory: Staff };
    let rows = |_: &Lookup<Staff, 2>| {
        Lookup::<Staff, 2>::TABLE
            .blocks
            .iter()
            .flat_map(|block| block.tools)
            .count()
    };
    assert_eq!(rows(&step), 3);
    assert_eq!(Lookup::<Staff, 2>::ID, "Lookup");
}
