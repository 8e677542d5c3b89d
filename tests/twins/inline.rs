//! A whole inline module.

use crate::support::assert_derivatives;

#[tuner_core::tunable]
pub mod eval {
    use crate::weights::{MATERIAL as VALUES, PHASE_MAX, S};

    pub const BISHOPS: S = S(30, 50);
    #[tuner_core::frozen]
    pub const LIMIT: i32 = 4;

    pub fn evaluate(count: i32, phase: i32) -> i32 {
        let score = sided::<true>(count) - sided::<false>(1);
        score.taper(phase, PHASE_MAX)
    }

    fn sided<const WHITE: bool>(count: i32) -> S {
        let mut score = VALUES[0] * count;
        if WHITE && count < LIMIT {
            score += BISHOPS;
        }
        score
    }
}

#[test]
fn an_inline_module_has_a_twin_inside() {
    assert_derivatives(
        || eval::__traced::evaluate(3, 12),
        &[
            ("MATERIAL0", 1.0),
            ("MATERIAL1", 1.0),
            ("BISHOPS0", 0.5),
            ("BISHOPS1", 0.5),
        ],
    );
    assert_eq!(eval::evaluate(3, 12), 260);
}
