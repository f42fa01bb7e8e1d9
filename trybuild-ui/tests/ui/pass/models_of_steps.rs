//! A step has a model where it is listed and one that it chooses, by one name.
#![deny(warnings)]

use picoflow::prelude::*;

struct Advice;

#[tools]
impl Step for Advice {
    fn model(&self, cx: &Cx<'_>) -> Option<ModelRef> {
        let is_hard = cx.state()["hard"] == true;
        is_hard.then(|| ModelRef::new("openai", "gpt-4o"))
    }

    /// Say which model answers
    #[tool(define)]
    fn which(&self, cx: &mut Cx<'_>) -> Json<Option<ModelRef>> {
        Json(self.model(cx))
    }
}

struct Derived {
    base: Advice,
}

#[tools]
impl Step for Derived {
    fn base(&self) -> Option<&dyn AnyStep> {
        Some(&self.base)
    }

    fn model(&self, cx: &Cx<'_>) -> Option<ModelRef> {
        Step::model(&self.base, cx).or_else(|| Some(ModelRef::new("openai", "gpt-4o-mini")))
    }
}

fn main() {
    let small = ModelRef::new("openai", "gpt-4o-mini");
    let derived = Derived { base: Advice };
    let steps = Steps::new().add(Advice.model(small.clone())).add(derived.memory("m").model(small));
    assert_eq!(steps.len(), 2);
}
