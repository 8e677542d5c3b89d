//! Entries of every form, alone and mixed in one table: the twin of a table is
//! written from one entry of each form, and each weight keeps value and number.

use std::collections::BTreeMap;

use crate::support::derivatives;

#[allow(
    clippy::all,
    clippy::pedantic,
    reason = "an engine's code as it is found"
)]
#[tuner_core::tunable]
pub mod entries {
    use crate::weights::S;

    /// The endgame first.
    macro_rules! swapped {
        ($eg:expr, $mg:expr) => {
            S($mg, $eg)
        };
    }

    macro_rules! both {
        ($value:literal) => {
            S::new($value, $value)
        };
    }

    pub struct Rows(pub [[S; 2]; 2]);

    impl Rows {
        pub const fn new(rows: [[S; 2]; 2]) -> Self {
            Self(rows)
        }
    }

    const BASE: i32 = 40;

    const CALLS: [[S; 3]; 2] = [
        [S(1, -2), S::new(3, 4), S(-5, 6)],
        [S::new(7, 8), S(-9, -10), S(11, 12)],
    ];
    const MACROS: [S; 5] = [
        swapped!(13, -14),
        swapped!(-15, 16),
        S(17, 18),
        swapped!(19, 20),
        S(21, 22),
    ];
    const TWICE: [S; 3] = [both!(23), S(24, 25), both!(26)];
    const NAMED: [S; 4] = [S(27, 28), S::ZERO, S(BASE + 29, 30), S(31, 32)];
    const NONE: S = S(0, 2);
    const REPEATED: [[S; 2]; 4] = [
        [S(33, 34); 2],
        [S(35, 36), S(37, 38)],
        [NONE; 2],
        [S(39, 40), S(41, 42)],
    ];
    const JAGGED: [&[i16]; 3] = [&[43, -44i16, 45], &[46], &[47 + 1, -(48), 49]];
    static WRAPPED: Rows = Rows::new([[S(50, 51), S(52, 53)], [S(54, 55), S(-56, 57)]]);
    const PLAIN: &[[i32; 3]] = &[[58, 59, 60], [-61, 62, 63]];

    fn pair(value: S, mg: i32, eg: i32) -> i32 {
        value.mg() * mg + value.eg() * eg
    }

    /// The sum of all entries, each with a factor of its own.
    pub fn evaluate() -> i32 {
        let mut score = 0;
        let mut factor = 1;
        for row in CALLS {
            for value in row {
                score += pair(value, factor, factor + 1);
                factor += 2;
            }
        }
        for value in MACROS {
            score += pair(value, factor, factor + 1);
            factor += 2;
        }
        for value in TWICE {
            score += pair(value, factor, factor + 1);
            factor += 2;
        }
        for value in NAMED {
            score += pair(value, factor, factor + 1);
            factor += 2;
        }
        for row in REPEATED {
            for value in row {
                score += pair(value, factor, factor + 1);
                factor += 2;
            }
        }
        for row in JAGGED {
            for value in row {
                score += i32::from(*value) * factor;
                factor += 1;
            }
        }
        for row in &WRAPPED.0 {
            for value in row {
                score += pair(*value, factor, factor + 1);
                factor += 2;
            }
        }
        for row in PLAIN {
            for value in row {
                score += value * factor;
                factor += 1;
            }
        }
        score
    }
}

#[test]
fn entries_of_every_form_keep_value_and_number() {
    let (score, found, _) = derivatives(entries::__traced::evaluate);
    assert_eq!(score, f64::from(entries::evaluate()));
    // Weights in the order of the source, with the factors that they have in
    // `evaluate`; of `swapped!` the endgame is written first.
    let mut expected = BTreeMap::new();
    let mut add = |name: &str, factors: &[i32]| {
        for (index, &factor) in factors.iter().enumerate() {
            expected.insert(format!("{name}{index}"), f64::from(factor));
        }
    };
    add("CALLS", &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    add("MACROS", &[14, 13, 16, 15, 17, 18, 20, 19, 21, 22]);
    add("TWICE", &[23 + 24, 25, 26, 27 + 28]);
    // Of `BASE + 29` the const is the weight.
    add("NAMED", &[29, 30, 34, 35, 36]);
    add("BASE", &[33]);
    add(
        "REPEATED",
        &[37, 38, 39, 40, 41, 42, 43, 44, 49, 50, 51, 52],
    );
    add("NONE", &[45 + 47, 46 + 48]);
    add("JAGGED", &[53, 54, 55, 56, 57, 58, 59]);
    add("WRAPPED", &[60, 61, 62, 63, 64, 65, 66, 67]);
    add("PLAIN", &[68, 69, 70, 71, 72, 73]);
    assert_eq!(found, expected);
}
