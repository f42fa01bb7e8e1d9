use picoflow::prelude::*;

struct Orders<T>(T);

#[tools]
impl<T: Send + Sync + 'static> Orders<T> {
    /// Look up
    #[cfg(not(windows))]
    #[tool]
    fn lookup(&self) -> String {
        String::new()
    }

    /// Find
    #[tool("lookup")]
    fn find(&self) -> String {
        String::new()
    }
}

fn main() {}
