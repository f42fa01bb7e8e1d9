//! Steps of one, ten, two hundred and two thousand tools, and steps that build on them.

use super::names::{one, two_hundred, two_thousand};
use crate::{
    shared::{BenchFlow, Named10, Scripted},
    typed::{Pair, Typed10},
};
use picoflow::{StepHarness, prelude::*};

one!(named Named1);
one!(typed Typed1);
two_hundred!(named Named200);
two_hundred!(typed Typed200);
two_thousand!(named Named2000);
two_thousand!(typed Typed2000);

/// How many tools a step has.
pub(crate) const SIZES: [usize; 4] = [1, 10, 200, 2000];

/// How the tools of a step take their arguments.
pub(crate) trait Kind {
    /// The step of this size.
    fn step(size: usize) -> Box<dyn AnyStep>;

    /// The flow of that step alone.
    fn flow(size: usize) -> BenchFlow;
}

/// Named parameters.
pub(crate) struct Named;

/// `Args<T>`.
pub(crate) struct Typed;

macro_rules! kinds {
    ($($kind:ident: $($size:literal $step:ident)*;)*) => {
        $(
            impl Kind for $kind {
                fn step(size: usize) -> Box<dyn AnyStep> {
                    match size {
                        $($size => Box::new($step),)*
                        _ => unimplemented!("no step of {size} tools"),
                    }
                }

                fn flow(size: usize) -> BenchFlow {
                    match size {
                        $($size => BenchFlow(Steps::new().add($step)),)*
                        _ => unimplemented!("no step of {size} tools"),
                    }
                }
            }
        )*
    };
}

kinds! {
    Named: 1 Named1 10 Named10 200 Named200 2000 Named2000;
    Typed: 1 Typed1 10 Typed10 200 Typed200 2000 Typed2000;
}

/// Adds an alias and groups to what it builds on.
pub(crate) struct Above(Box<dyn AnyStep>);

#[tools]
impl Step for Above {
    fn base(&self) -> Option<&dyn AnyStep> {
        Some(&*self.0)
    }

    /// Add two numbers
    #[tool("alias", define)]
    fn by_another_name(&self, a: i64, b: i64) -> Json<i64> {
        Json(a.wrapping_add(b))
    }

    #[tools(["tool_0000"])]
    fn one(&self, calls: &[ToolCall]) -> ToolResponse {
        told(calls)
    }

    #[tools(["tool_0000", "tool_0001"])]
    fn two(&self, calls: &[ToolCall]) -> ToolResponse {
        told(calls)
    }

    #[tools([
        "tool_0000", "tool_0001", "tool_0002", "tool_0003", "tool_0004", "tool_0005", "tool_0006", "tool_0007"
    ])]
    fn eight(&self, calls: &[ToolCall]) -> ToolResponse {
        told(calls)
    }
}

fn told(calls: &[ToolCall]) -> ToolResponse {
    stay_with(calls.len().to_string())
}

/// The third, second or first step of a chain of bases.
pub(crate) struct Derived(Box<dyn AnyStep>);

#[tools]
impl Step for Derived {
    fn base(&self) -> Option<&dyn AnyStep> {
        Some(&*self.0)
    }
}

/// A step with an alias and groups.
pub(crate) fn above<K: Kind>(size: usize) -> BenchFlow {
    BenchFlow(Steps::new().add(Above(K::step(size))))
}

/// A step whose tools are three bases away.
pub(crate) fn derived<K: Kind>(size: usize) -> BenchFlow {
    let middle = Derived(Box::new(Derived(K::step(size))));
    BenchFlow(Steps::new().add(Derived(Box::new(middle))))
}

pub(crate) async fn engine(flow: BenchFlow) -> Engine {
    Engine::builder().flow(flow).model(Scripted).build().await.unwrap()
}

/// The only step of this flow.
pub(crate) async fn harness(flow: BenchFlow) -> StepHarness {
    let engine = engine(flow).await;
    let step = engine.flows().next().and_then(|flow| flow.steps().next()).unwrap();
    StepHarness::new(&engine, BenchFlow::ID, step.id()).unwrap()
}
