//! A pair times a score, where the operator's impl block is not marked
//! `nonlinear`.

use tuner_core::tunable;

#[tunable]
const SCALE: i32 = 3;

#[tunable]
#[derive(Clone, Copy)]
struct S(i32, i32);

#[tunable]
const PAIR: S = S(12, 34);

#[tunable]
impl std::ops::Mul<i32> for S {
    type Output = Self;
    fn mul(self, factor: i32) -> Self {
        Self(self.0 * factor, self.1 * factor)
    }
}

#[tunable(nonlinear)]
fn evaluate(count: i32) -> i32 {
    (PAIR * SCALE).0 * count
}

fn main() {
    evaluate(2);
}
