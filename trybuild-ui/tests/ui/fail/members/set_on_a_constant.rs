use picoflow::prelude::*;

struct WeatherStep;

#[tools]
impl Step for WeatherStep {
    #[tools(["a", "b"])]
    const NAMES: u8 = 0;
}

fn main() {}
