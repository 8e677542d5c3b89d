//! Marked items: functions, methods, impl blocks, structs, consts, statics.

use tuner_core::tunable;

use crate::support::{assert_derivatives, derivatives};
use crate::weights::*;

pub struct Position {
    pub own: [i32; 3],
    pub other: [i32; 3],
    pub moves: usize,
    pub phase: i32,
}

#[tunable]
const BONUS: i32 = 2 * 15;

#[tunable]
static LINE: [i32; 3] = [1, -(1 + 1), 3];

#[tunable]
struct Parts {
    score: S,
    count: usize,
}

#[tunable]
pub fn evaluate(pos: &Position) -> i32 {
    let mut parts = Parts {
        score: S::ZERO,
        count: 0,
    };
    for (index, count) in pos.own.iter().enumerate() {
        parts.score += MATERIAL[index] * *count;
        parts.count += *count as usize;
    }
    parts.score -= material(&pos.other);
    parts.score += pos.mobility() + TEMPO;
    let mut extra = 0;
    if parts.count > 2 {
        extra += BONUS + PLAIN;
    }
    let lines: i32 = LINE.iter().copied().sum();
    parts.score.taper(pos.phase, PHASE_MAX) + extra + lines * pos.side()
}

#[tunable]
fn material(counts: &[i32; 3]) -> S {
    counts
        .iter()
        .enumerate()
        .map(|(index, &count)| MATERIAL[index] * count)
        .sum()
}

#[tunable]
impl Position {
    fn mobility(&self) -> S {
        MOBILITY[self.moves]
    }

    fn side(&self) -> i32 {
        if self.moves > 1 { 1 } else { -1 }
    }
}

impl Position {
    #[tunable]
    pub fn alone(&self, square: usize) -> S {
        let table = TABLE[self.moves % 2][square];
        table + self.mobility() * 2
    }
}

fn position() -> Position {
    Position {
        own: [8, 2, 1],
        other: [7, 2, 2],
        moves: 2,
        phase: 6,
    }
}

#[test]
fn value_equals_production() {
    for moves in 0..4 {
        for phase in 0..=24 {
            let pos = Position {
                moves,
                phase,
                ..position()
            };
            let (score, _, trace) = derivatives(|| __traced::evaluate(&pos));
            assert!((score - f64::from(evaluate(&pos))).abs() < 0.5);
            assert!(trace.constant.abs() < 1e-12);
        }
    }
}

#[test]
fn derivatives_are_exact() {
    let (p, q) = (0.25, 0.75);
    assert_derivatives(
        || __traced::evaluate(&position()),
        &[
            ("MATERIAL0", p),
            ("MATERIAL1", q),
            ("MATERIAL4", -p),
            ("MATERIAL5", -q),
            ("MOBILITY4", p),
            ("MOBILITY5", q),
            ("TEMPO0", p),
            ("TEMPO1", q),
            ("BONUS0", 1.0),
            ("PLAIN0", 1.0),
            ("LINE0", 1.0),
            ("LINE1", 1.0),
            ("LINE2", 1.0),
        ],
    );
}

#[test]
fn a_lone_method_has_a_twin() {
    assert_derivatives(
        || position().__traced_alone(1).mg(),
        &[("TABLE2", 1.0), ("MOBILITY4", 2.0)],
    );
    assert_eq!(position().alone(1).mg(), 1 + 16);
}
