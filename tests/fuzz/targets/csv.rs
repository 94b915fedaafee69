#![no_main]

libfuzzer_sys::fuzz_target!(
    // Handing pieces to another thread would take longer than reading them.
    init: rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global().expect("the first pool"),
    |data: &[u8]| pual_tests::fuzz::csv(data)
);
