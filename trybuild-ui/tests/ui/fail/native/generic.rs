use picoflow::prelude::*;

struct Orders;

#[tools]
impl Orders {
    /// Typed
    #[tool]
    fn typed<T>(&self) -> String {
        String::new()
    }

    /// Unsafe
    #[tool]
    unsafe fn unchecked(&self) -> String {
        String::new()
    }

    /// Extern
    #[tool]
    extern "C" fn foreign(&self) -> String {
        String::new()
    }
}

fn main() {}
