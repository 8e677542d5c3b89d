//! A typical annotated evaluation under the strictest lints: generated code
//! is silent.

#![deny(
    warnings,
    future_incompatible,
    keyword_idents,
    let_underscore,
    nonstandard_style,
    rust_2018_idioms,
    rust_2021_compatibility,
    rust_2024_compatibility,
    unused,
    explicit_outlives_requirements,
    missing_copy_implementations,
    missing_debug_implementations,
    missing_docs,
    redundant_lifetimes,
    single_use_lifetimes,
    trivial_casts,
    trivial_numeric_casts,
    unit_bindings,
    unnameable_types,
    unreachable_pub,
    unused_import_braces,
    unused_lifetimes,
    unused_qualifications,
    unused_results,
    variant_size_differences,
    clippy::all,
    clippy::pedantic,
    clippy::nursery
)]
#![forbid(unsafe_code, missing_docs)]

use tuner_core::{frozen, tunable};

/// A tapered value.
#[tunable]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct S(i32, i32);

#[tunable]
impl S {
    const ZERO: Self = Self(0, 0);

    const fn taper(self, phase: i32) -> i32 {
        (self.0 * phase + self.1 * (PHASE_MAX - phase)) / PHASE_MAX
    }
}

#[tunable]
impl std::ops::AddAssign for S {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
        self.1 += other.1;
    }
}

/// Full material.
#[frozen]
const PHASE_MAX: i32 = 24;

#[tunable]
const MATERIAL: [S; 2] = [S(100, 120), S(300, 280)];

#[tunable]
static TEMPO: i32 = 8;

/// Counts in place of a board.
#[derive(Clone, Copy, Debug)]
struct Position {
    men: [i32; 2],
    phase: i32,
}

#[tunable]
impl Position {
    fn material(&self) -> S {
        let mut score = S::ZERO;
        for (value, &count) in MATERIAL.iter().zip(&self.men) {
            let mut rest = count;
            while rest > 0 {
                score += *value;
                rest -= 1;
            }
        }
        score
    }
}

impl Position {
    #[tunable]
    fn tempo(&self) -> i32 {
        if self.men[0] > 0 { TEMPO } else { 0 }
    }
}

#[tunable]
fn evaluate(pos: &Position) -> i32 {
    debug_assert!(pos.phase <= PHASE_MAX, "{}", pos.phase);
    pos.material().taper(pos.phase) + pos.tempo() + inline::pairs(pos.men[1])
}

mod inline {
    //! A module with a module inside.

    pub(crate) use self::eval::pairs;

    #[tuner_core::tunable]
    pub(crate) mod eval {
        const PAIR: i32 = 30;

        pub(crate) const fn pairs(count: i32) -> i32 {
            PAIR * (count / 2)
        }
    }
}

fn main() {
    let pos = Position {
        men: [8, 2],
        phase: 24,
    };
    assert_eq!(evaluate(&pos), 800 + 600 + 8 + 30);
    let twin = __traced::evaluate(&pos);
    assert_eq!(twin.to_string(), "1438");
    let names = tuner_core::registry!().parameters.iter().map(|p| p.name);
    assert_eq!(names.collect::<Vec<_>>(), ["MATERIAL", "TEMPO", "PAIR"]);
}
