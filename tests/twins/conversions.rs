//! Pairs that become numbers, numbers that become pairs: `From`, `Into`, and
//! the types that `Index` and `Deref` name.

use std::ops::{Add, Deref, Index, Mul};

use crate::support::assert_derivatives;

#[derive(Clone, Copy)]
pub struct Turned(pub i32, pub i32);

// Written by hand, and asked for by what holds one.
impl std::fmt::Debug for Turned {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "({}, {})", self.0, self.1)
    }
}

#[derive(Debug)]
pub struct TurnedSides {
    own: Turned,
    theirs: Turned,
}

#[derive(Clone, Copy, Debug)]
pub struct TurnedHalves {
    mg: i32,
    eg: i32,
}

#[derive(Debug)]
pub struct TurnedTerms {
    table: [i32; 3],
    bonus: i32,
}

impl Add for Turned {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0, self.1 + other.1)
    }
}

impl Mul<i32> for Turned {
    type Output = Self;
    fn mul(self, count: i32) -> Self {
        Self(self.0 * count, self.1 * count)
    }
}

impl From<Turned> for i32 {
    fn from(value: Turned) -> i32 {
        value.0
    }
}

impl From<Turned> for f64 {
    fn from(value: Turned) -> Self {
        f64::from(value.0) + f64::from(value.1)
    }
}

impl From<TurnedHalves> for (i32, i32) {
    fn from(halves: TurnedHalves) -> Self {
        (halves.mg, halves.eg)
    }
}

impl From<Turned> for TurnedHalves {
    fn from(value: Turned) -> Self {
        Self {
            mg: value.0,
            eg: value.1,
        }
    }
}

impl From<(i32, i32)> for Turned {
    fn from(halves: (i32, i32)) -> Self {
        Self(halves.0, halves.1)
    }
}

impl From<i32> for Turned {
    fn from(both: i32) -> Self {
        Self(both, both)
    }
}

impl Index<usize> for TurnedTerms {
    type Output = i32;
    fn index(&self, index: usize) -> &i32 {
        &self.table[index]
    }
}

impl Deref for TurnedTerms {
    type Target = [i32; 3];
    fn deref(&self) -> &[i32; 3] {
        &self.table
    }
}

const TURNED: Turned = Turned(10, 20);
const TERMS: TurnedTerms = TurnedTerms {
    table: [1, 2, 3],
    bonus: 4,
};

pub fn evaluate(count: i32) -> i32 {
    let value = TURNED * count;
    let sides = TurnedSides {
        own: value,
        theirs: value,
    };
    let value = sides.own + sides.theirs * (count - 2);
    let sum = Turned::from(TERMS.bonus) + Turned::from((TERMS.table[0], 7)) + Turned::from(3);
    let (mg, eg): (i32, i32) = TurnedHalves::from(sum).into();
    let first: i32 = value.into();
    let all: i32 = [value, sum].into_iter().map(i32::from).sum();
    let both = f64::from(value) as i32;
    first + all + both + i32::from(value) + mg + eg + TERMS[2] + i32::from(count as i16)
}

#[cfg(feature = "tune")]
tuner_core::traced!();

#[test]
fn conversions_are_traced() {
    let (score, ..) = crate::support::derivatives(|| __traced::evaluate(2));
    assert_eq!(score, f64::from(evaluate(2)));
    let expected = [
        ("TURNED0", 8.0),
        ("TURNED1", 2.0),
        ("TERMS_BONUS0", 3.0),
        ("TERMS_TABLE0", 2.0),
        ("TERMS_TABLE2", 1.0),
    ];
    assert_derivatives(|| __traced::evaluate(2), &expected);
}
