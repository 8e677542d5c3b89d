//! One reader of `tuner_fuzz_tests::TARGETS`, by `TUNER_FUZZ_TARGET`.

#![no_main]

use std::sync::LazyLock;

use tuner_fuzz_tests::{TARGETS, Target};

static CHOSEN: LazyLock<Target> = LazyLock::new(|| {
    let name = std::env::var("TUNER_FUZZ_TARGET").unwrap_or_default();
    let found = TARGETS.iter().find(|(known, _)| *known == name);
    *found.unwrap_or_else(|| {
        let names: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
        panic!("TUNER_FUZZ_TARGET is {name:?}; expected one of {}", names.join(", "))
    })
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| CHOSEN.1(bytes));
