//! The cures of `refused/values.rs`: functions by their names, and values that give a factor.

const TABLE: [i32; 4] = [1, 2, 3, 4];

fn scaled(score: i32, by: i32) -> i32 {
    score * by
}

fn apply(factor: impl Fn() -> i32, at: usize) -> i32 {
    TABLE[at] * factor()
}

struct Term {
    of: Box<dyn Fn(usize) -> i32>,
}

fn value(at: usize) -> i32 {
    TABLE[at]
}

pub fn evaluate(at: usize, by: i32) -> i32 {
    let term = Term { of: Box::new(|at| TABLE[at]) };
    let own = |at: usize| TABLE[at];
    apply(|| by, at) + scaled(TABLE[at], by) + (term.of)(at) - own(at) + value(at)
}

#[cfg(feature = "tune")]
tuner_core::traced!();

fn main() {
    assert_eq!(evaluate(1, 2), 10);
}
