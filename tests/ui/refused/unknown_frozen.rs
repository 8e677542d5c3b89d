//! Names in `frozen(…)`, `untraced(…)` and `replaced(…)` that are not there.

const PHASE_MAX: i32 = 24;

tuner_core::traced!(frozen(PHASE_MAX, FASE_MAX), untraced(evalute), replaced(main => scratch));

fn main() {
    let _ = PHASE_MAX;
}
