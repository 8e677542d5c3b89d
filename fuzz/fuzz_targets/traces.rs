#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tuner_fuzz::traces(bytes));
