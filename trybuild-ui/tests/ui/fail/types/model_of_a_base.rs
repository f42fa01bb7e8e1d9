use picoflow::prelude::*;

struct Advice;

#[tools]
impl Step for Advice {}

struct Derived {
    base: Advice,
}

#[tools]
impl Step for Derived {
    fn base(&self) -> Option<&dyn AnyStep> {
        Some(&self.base)
    }

    fn model(&self, cx: &Cx<'_>) -> Option<ModelRef> {
        self.base.model(cx)
    }
}

fn steps() -> Steps {
    Steps::new().add(Advice.model("gpt-4o"))
}

fn main() {
    drop(steps());
}
