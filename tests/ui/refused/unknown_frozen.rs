//! A name in `frozen(…)` that is not there.

const PHASE_MAX: i32 = 24;

tuner_core::traced!(frozen(PHASE_MAX, FASE_MAX));

fn main() {
    let _ = PHASE_MAX;
}
