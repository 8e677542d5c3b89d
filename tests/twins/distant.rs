//! A file whose tables are of types that a file without annotations names.

use crate::common::*;
use crate::support::assert_derivatives;

#[derive(Clone, Copy)]
pub struct Halves {
    pub mg: Points,
    pub eg: Points,
}

impl Halves {
    pub const fn new(mg: Points, eg: Points) -> Self {
        Self { mg, eg }
    }
}

impl core::ops::Mul<Points> for Halves {
    type Output = Halved;
    fn mul(self, factor: Points) -> Halved {
        Self::new(self.mg * factor, self.eg * factor)
    }
}

const DISTANT_STEP: Points = 50;
const DISTANT_ROWS: [Line; 2] = [[1, 2, 3, 0, 0], [4, -5, 6, 0, 0]];
const DISTANT_PAIRS: [Halved; 2] = [Halved::new(10, 20), Halved { mg: 30, eg: 40 }];

fn row(rows: &Line, at: usize) -> crate::common::Marks {
    rows[at]
}

fn pair(of: usize) -> Halved {
    let mut found: Halved = DISTANT_PAIRS[of];
    found.mg += 1;
    found * 3
}

pub fn evaluate(at: usize) -> i32 {
    let count = at as Points;
    let Halved { mg, eg } = pair(1);
    i32::from(DISTANT_STEP * count + row(&DISTANT_ROWS[1], at) + mg - 2 * eg)
}

#[test]
fn aliases_of_other_files_hold_weights() {
    let (score, ..) = crate::support::derivatives(|| __traced::evaluate(2));
    assert_eq!(score, f64::from(evaluate(2)));
    assert_derivatives(
        || __traced::evaluate(2),
        &[
            ("DISTANT_STEP0", 2.0),
            ("DISTANT_ROWS7", 1.0),
            ("DISTANT_PAIRS2", 3.0),
            ("DISTANT_PAIRS3", -6.0),
        ],
    );
}

#[cfg(feature = "tune")]
tuner_core::traced!();
