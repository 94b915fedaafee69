#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| pual_tests::fuzz::recipe(data));
