use picoflow::prelude::*;

struct Wrapper<T>(T);

#[tools(parts("more"))]
impl<T: Send + Sync + 'static> Step for Wrapper<T> {
    #[tool]
    fn leave(&self) -> ToolResponse {
        stay()
    }
}

#[tools(part = "more")]
impl<T: Send + Sync + 'static> Wrapper<T> {
    #[tool("leave")]
    fn stop(&self) -> ToolResponse {
        stay()
    }
}

fn main() {
    let _ = Steps::new().add(Wrapper(1));
}
