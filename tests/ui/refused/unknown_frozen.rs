//! Names in `frozen(…)` and `untraced(…)` that are not there.

const PHASE_MAX: i32 = 24;

tuner_core::traced!(frozen(PHASE_MAX, FASE_MAX), untraced(evalute));

fn main() {
    let _ = PHASE_MAX;
}
