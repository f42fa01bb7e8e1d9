//! Steps whose tools take [`Args`].

use picoflow::prelude::*;

/// The arguments of every tool that takes [`Args`].
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Pair {
    pub(crate) a: i64,
    pub(crate) b: i64,
}

/// A step whose tools take [`Args`].
macro_rules! typed {
    ($step:ident: $($name:ident)*) => {
        pub(crate) struct $step;

        #[tools]
        impl Step for $step {
            $(
                /// Add two numbers
                #[tool(define)]
                fn $name(&self, Args(pair): Args<Pair>) -> Json<i64> {
                    Json(pair.a.wrapping_add(pair.b))
                }
            )*
        }
    };
}

ten!(typed Typed10);
