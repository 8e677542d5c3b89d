//! Weights that are consts of impl blocks, under every name.

use std::ops::{Add, Mul};

use tuner_core::spec::source::{Choice, Sources, import};

use crate::support::{assert_derivatives, derivatives};

/// No more than a name for its consts.
pub struct OwnSafety;

impl OwnSafety {
    /// What each attacker costs.
    #[tuner_core::tunable]
    pub const ATTACKER: i32 = -7;
    #[cfg_attr(feature = "tune", tuner_core::tunable)]
    const SQUARES: [i32; 3] = [1, -Self::SCALE, 3];
    #[tuner_core::tunable]
    const SCALE: i32 = 2;
    /// No weight.
    const LIMIT: usize = 2;

    fn of(index: usize) -> i32 {
        Self::SQUARES[index.min(Self::LIMIT)] + Self::ATTACKER
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OwnPair(i32, i32);

impl OwnPair {
    #[tuner_core::tunable]
    const ROOK: Self = Self(10, 20);
    const NULL: Self = Self(0, 0);
}

impl Add for OwnPair {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0, self.1 + other.1)
    }
}

impl Mul<i32> for OwnPair {
    type Output = Self;
    fn mul(self, by: i32) -> Self {
        Self(self.0 * by, self.1 * by)
    }
}

const OWN_TABLE: [OwnPair; 3] = [OwnPair(1, 2), OwnPair::ROOK, OwnPair::NULL];

type Shown = OwnSafety;

pub fn evaluate(index: usize) -> i32 {
    let pair = OWN_TABLE[index] + OwnPair::ROOK * 2 + OwnPair::NULL;
    pair.0 + 3 * pair.1 + OwnSafety::of(index) + Shown::ATTACKER
}

pub mod other {
    use super::OwnSafety as Renamed;

    pub fn evaluate(count: i32) -> i32 {
        use super::Shown as Again;
        debug_assert!(count < 100);
        Renamed::ATTACKER * count + super::OwnSafety::ATTACKER + Again::ATTACKER
    }

    #[cfg(feature = "tune")]
    tuner_core::traced!();
}

#[cfg(feature = "tune")]
tuner_core::traced!();

#[test]
fn consts_of_impl_blocks_are_weights() {
    for index in 0..3 {
        let (score, ..) = derivatives(|| __traced::evaluate(index));
        assert_eq!(score, f64::from(evaluate(index)), "{index}");
    }
    let rook = |count: f64| [("OWN_PAIR_ROOK0", count), ("OWN_PAIR_ROOK1", 3.0 * count)];
    let attacker = ("OWN_SAFETY_ATTACKER0", 2.0);
    let first = [
        &rook(2.0)[..],
        &[("OWN_TABLE0", 1.0), ("OWN_TABLE1", 3.0)],
        &[("OWN_SAFETY_SQUARES0", 1.0), attacker],
    ];
    assert_derivatives(|| __traced::evaluate(0), &first.concat());
    // The table's entry is the const, an entry of the other is minus a third.
    let second = [&rook(3.0)[..], &[("OWN_SAFETY_SCALE0", -1.0), attacker]];
    assert_derivatives(|| __traced::evaluate(1), &second.concat());
    let third = [&rook(2.0)[..], &[("OWN_SAFETY_SQUARES1", 1.0), attacker]];
    assert_derivatives(|| __traced::evaluate(2), &third.concat());
}

#[test]
fn they_are_the_same_under_every_name() {
    let (score, ..) = derivatives(|| other::__traced::evaluate(4));
    assert_eq!(score, f64::from(other::evaluate(4)));
    assert_derivatives(
        || other::__traced::evaluate(4),
        &[("OWN_SAFETY_ATTACKER0", 6.0)],
    );
}

#[test]
fn the_import_reads_them() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("twins/associated.rs");
    let sources = Sources::read(&[path]).unwrap();
    let text = import(&sources, &Choice::default(), "own").unwrap().text;
    for part in [
        "name = \"OWN_SAFETY_ATTACKER\"",
        "What each attacker costs.",
        "name = \"OWN_SAFETY_SQUARES\"",
        "name = \"OWN_PAIR_ROOK\"",
        "entry = \"OWN_TABLE[1]\"\nto = \"OWN_PAIR_ROOK\"",
        "entry = \"OWN_SAFETY_SQUARES[1]\"\nto = \"OWN_SAFETY_SCALE\"\nfactor = -1",
        "frozen = [\"[2]\"]",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    assert!(!text.contains("LIMIT"), "{text}");
}
