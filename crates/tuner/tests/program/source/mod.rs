//! `spec import` and `patch` from outside, on sources of every shape.

#![allow(
    clippy::unwrap_used,
    reason = "a test that says what is wrong by failing"
)]

use std::fs;
use std::path::Path;
use std::process::Output;

use tempfile::TempDir;
use tuner_core::spec::Spec;

use crate::support::{tuner, words};

mod imports;
mod patches;
mod round_trip;
mod structs;

fn printed(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", words(output));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// A folder with one file.
fn folder(text: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("eval.rs"), text).unwrap();
    folder
}

/// The names of the imported weights with their values.
fn weights(folder: &Path, args: &[&str]) -> Vec<(String, f64)> {
    let spec = printed(&tuner(folder, &[&["spec", "import"], args].concat()));
    let spec = Spec::parse(Path::new("imported"), &spec).unwrap();
    let layout = spec.layout();
    let values = layout.initial().into_iter();
    let names = layout.weight_ids().map(|weight| layout.name(weight));
    names.zip(values).collect()
}

fn assert_fails(output: &Output, expected: &[&str]) {
    assert_eq!(output.status.code(), Some(1), "{}", words(output));
    assert!(output.stdout.is_empty());
    for part in expected {
        assert!(words(output).contains(part), "{part}: {}", words(output));
    }
}

/// Every way of writing weights, with what an import must leave alone.
const SHAPES: &str = "\
//! Größe.
use crate::types::*;

type Value = i16;
type Table = [[S; 2]; 2];
pub struct S(pub i32, pub i32);
struct Half { mg: i16, eg: i16 }
struct Bits(u64);
struct Set<T> { men: T, lines: [T; 2] }
struct Shelter { shield: [S; 2], /** A storm. */ storm: Storm, size: usize }
type Storm = Set<i16>;
struct Ramp([i32; 2]);

/// One \"number\" \\ of é.
pub const ONE: i32 = - 5; // é, then 5
pub const THOUSAND: Value = 1_000i16;
const COMPUTED: i32 = 2 * 30 /* twice */;
static STATIC: [i32; 3] = [1, -(1 + 1), 3 as i32];
static mut MUTABLE: S = S(3, -8);
const NEW: Score = Score::new(4, -9);
const MACRO: S = s!(5, /* é */ -10);
const FIELDS: Half = Half { mg: 6, eg: -11 };
const TUPLE: (i32, i32) = (7, -12);
const NESTED: Table = [[S(1, 2), S(3, 4)], [S(5, 6), S(7, 8)]];
const DEEP: [[[[i32; 1]; 2]; 1]; 2] = [[[[1], [2]]], [[[3], [4]]]];
const REPEATED: [S; 3] = [S(13, 14); 3];
const WRAPPED: SquareMap<S> = SquareMap::from_array([S(15, 16), S(17, 18)]);
const AMONG: SquareMap<i32> = SquareMap::of(Man::Pawn, VALUES, [25, 26]);
const FLOAT: f64 = 19.0;
const PADDED: [S; 2] = [
    S(   9,    6), // é: first
    S(-120, 1000),
];
const SLICE: &[i32] = &[20, 21];
static KING: Shelter = Shelter {
    shield: [S(1, 2), S(3, 4)],
    storm: Storm { men: 5, lines: [6, 7] },
    size: 2,
};
const TERMS: Other = Other::new(Params { r#fn: -1, ramp: Ramp([2, 3]), one: ONE, both: Both { mg: 8, eg: 9 } });

const SAME: S = NESTED[1][0];
const PARTLY: [S; 3] = [S(22, 23), MUTABLE, -NESTED[0][1]];
const DERIVED: i32 = ONE + 5;
const MIRRORED: [i32; 3] = mirror(&STATIC);
const MIXED: [i32; 2] = [5, ONE * 2];
static LAZY: LazyLock<[i32; 2]> = LazyLock::new(|| [5, ONE]);
const BLOCK: [i32; 2] = { let mut all = [5; 2]; all[0] = ONE; all };
const COUNT: usize = 5;
const MASK: u64 = 0xff;
const BITS: Bits = Bits(5);
const NAMES: [&str; 1] = [\"5\"];
const BOARD: Bitboard = Bitboard(0x55);
const FLAG: bool = true;
const FRACTION: f64 = 0.5;
const TRIPLE: (i32, i32, i32) = (1, 2, 3);
#[allow(non_upper_case_globals)]
const lower: i32 = 5;
#[frozen]
const FROZEN: i32 = 5;
const SIZED: [i32; N] = [5; N];

#[cfg(test)]
mod tests {
    const IN_A_TEST: i32 = 5;
}
mod inner {
    pub const INNER: i32 = 24;
}
fn f() -> i32 {
    const LOCAL: i32 = 5;
    LOCAL + max(weight!(HERE: 30), tuner_core::weight!(THERE: -4i16) as i32)
}
";
