//! Weights that a program holds in a struct at run time: the literal is a const's, or its
//! numbers are named in the function that makes it.

use crate::support::{assert_derivatives, registry};

#[allow(
    clippy::all,
    clippy::pedantic,
    reason = "an engine's code as it is found"
)]
#[tuner_core::tunable]
pub mod held {
    use crate::weights::S;

    #[derive(Clone)]
    pub struct Piece {
        pub value: S,
        pub rows: [i32; 2],
        pub bonus: i32,
    }

    #[derive(Clone)]
    pub struct Weights {
        pub pieces: [Piece; 2],
        pub tempo: i32,
    }

    const HELD: Weights = Weights {
        pieces: [
            Piece {
                value: S(80, 100),
                rows: [3, -4],
                bonus: 5,
            },
            Piece {
                value: S(320, 300),
                rows: [0; 2],
                bonus: 6,
            },
        ],
        tempo: 9,
    };

    impl Default for Weights {
        fn default() -> Self {
            HELD
        }
    }

    pub fn evaluate_held(weights: &Weights, men: i32, row: usize) -> i32 {
        let piece = &weights.pieces[1];
        piece.value.mg() * men + piece.rows[row] - weights.pieces[0].bonus + weights.tempo
    }

    pub struct Named {
        pub pawn: i32,
        pub rows: [i32; 2],
    }

    impl Named {
        pub fn new() -> Self {
            Self {
                pawn: tuner_core::weight!(NAMED_PAWN: 82),
                rows: [
                    tuner_core::weight!(NAMED_A: 3),
                    tuner_core::weight!(NAMED_B: -4),
                ],
            }
        }
    }

    pub fn evaluate_named(weights: &Named, men: i32, row: usize) -> i32 {
        weights.pawn * men + weights.rows[row]
    }
}

#[test]
fn a_const_that_default_returns_is_followed() {
    let twin = || held::__traced::evaluate_held(&held::__traced::Weights::default(), 3, 1);
    let expected = [
        ("HELD_PIECES_0_BONUS0", -1.0),
        ("HELD_PIECES_1_ROWS1", 1.0),
        ("HELD_PIECES_1_VALUE0", 3.0),
        ("HELD_TEMPO0", 1.0),
    ];
    assert_derivatives(twin, &expected);
}

#[test]
fn numbers_named_in_a_function_are_weights() {
    assert_derivatives(
        || held::__traced::evaluate_named(&held::__traced::Named::new(), 3, 1),
        &[("NAMED_PAWN0", 3.0), ("NAMED_B0", 1.0)],
    );
}

#[test]
fn entries_of_an_array_of_structs_are_parameters() {
    let found = registry().parameters.iter();
    let found = found.filter(|p| p.name.starts_with("HELD_"));
    let names: Vec<_> = found.map(|p| (p.name, p.dims, p.lanes)).collect();
    let expected: [(&str, &[usize], usize); 7] = [
        ("HELD_PIECES_0_VALUE", &[], 2),
        ("HELD_PIECES_0_ROWS", &[2], 1),
        ("HELD_PIECES_0_BONUS", &[], 1),
        ("HELD_PIECES_1_VALUE", &[], 2),
        ("HELD_PIECES_1_ROWS", &[2], 1),
        ("HELD_PIECES_1_BONUS", &[], 1),
        ("HELD_TEMPO", &[], 1),
    ];
    assert_eq!(names, expected);
}
