//! Arguments that are no Rust.

const PHASE_MAX: i32 = 24;

tuner_core::traced!(frozen PHASE_MAX);

fn main() {
    let _ = PHASE_MAX;
}
