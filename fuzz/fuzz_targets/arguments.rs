#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| picoflow_fuzz::arguments(data));
