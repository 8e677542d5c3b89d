//! A file with one line at its end.

use crate::support::assert_derivatives;
use crate::weights::{self, S};

/// White's side of the board and Black's.
pub fn evaluate(counts: [usize; 2], phase: i32) -> i32 {
    let (score, seen) = half(counts[0]);
    let (other, _) = half(counts[1]);
    let mut total = 0;
    total += (score - other).taper(phase, weights::PHASE_MAX);
    total += literal(seen > 2) / 2;
    -total
}

fn half(count: usize) -> (S, usize) {
    let index = count.min(3);
    (
        weights::MOBILITY[index] + crate::weights::TABLE[0][0],
        count,
    )
}

fn literal(yes: bool) -> i32 {
    if yes { weights::PLAIN * 3 } else { 0 }
}

#[test]
fn a_file_has_a_twin() {
    assert_derivatives(
        || __traced::evaluate([3, 1], 24),
        &[("MOBILITY2", 1.0), ("MOBILITY6", -1.0), ("PLAIN0", -1.5)],
    );
}

#[cfg(feature = "tune")]
tuner_core::traced!();
