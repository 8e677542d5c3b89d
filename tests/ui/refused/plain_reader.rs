//! A decision that depends on weights, in a traced module.

#[tuner_core::tunable]
mod eval {
    const MATERIAL: [i32; 2] = [100, 300];

    fn is_heavy(counts: [i32; 2]) -> bool {
        counts[0] * MATERIAL[0] + counts[1] * MATERIAL[1] > 3000
    }

    pub fn evaluate(counts: [i32; 2]) -> i32 {
        if is_heavy(counts) {
            return MATERIAL[0];
        }
        MATERIAL[1]
    }
}

fn main() {
    eval::evaluate([1, 2]);
}
