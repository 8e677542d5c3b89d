//! A board that keeps a pair up to date, next to its evaluation: it has no twin,
//! and the twin computes the pair from scratch.

use crate::support::assert_derivatives;

mod moves {
    use super::{KeptBoard, SIZE};

    pub(super) fn is_occupied(board: &KeptBoard, square: usize) -> bool {
        board.men[square % SIZE].is_some()
    }

    impl KeptBoard {
        pub(super) fn turned(&self) -> bool {
            self.men.iter().flatten().count() == 1
        }
    }
}

const SIZE: usize = 4;

#[derive(Clone, Copy, Default)]
pub struct KeptPair(i32, i32);

impl std::ops::AddAssign for KeptPair {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
        self.1 += other.1;
    }
}

impl std::ops::SubAssign for KeptPair {
    fn sub_assign(&mut self, other: Self) {
        self.0 -= other.0;
        self.1 -= other.1;
    }
}

const KEPT: [KeptPair; 2] = [KeptPair(100, 120), KeptPair(300, 280)];
const KEPT_TEMPO: i32 = 12;

#[derive(Clone, Default)]
pub struct KeptBoard {
    men: [Option<usize>; SIZE],
    kept: KeptPair,
}

impl KeptBoard {
    fn put(&mut self, square: usize, man: usize) {
        self.men[square] = Some(man);
        self.kept += KEPT[man];
    }

    fn remove(&mut self, square: usize) {
        if let Some(man) = self.men[square].take() {
            self.kept -= KEPT[man];
        }
    }

    fn added_up(&self) -> KeptPair {
        let mut sum = KeptPair::default();
        for &man in self.men.iter().flatten() {
            sum += KEPT[man];
        }
        sum
    }

    fn kept(&self) -> KeptPair {
        tuner_core::traced_as!(self.kept => self.added_up())
    }

    pub fn evaluate(&self, phase: i32) -> i32 {
        let pair = self.kept();
        let score = (pair.0 * phase + pair.1 * (4 - phase)) / 4;
        if moves::is_occupied(self, 1) && !self.turned() {
            score + KEPT_TEMPO
        } else {
            score
        }
    }
}

pub fn evaluate(board: &KeptBoard, phase: i32) -> i32 {
    board.evaluate(phase)
}

#[cfg(feature = "tune")]
tuner_core::traced!(untraced(KeptBoard));

#[test]
fn a_board_without_twin_is_computed_added_up() {
    let mut board = KeptBoard::default();
    for (square, man) in [(0, 0), (1, 1), (2, 1), (3, 0)] {
        board.put(square, man);
    }
    board.remove(3);
    let (score, ..) = crate::support::derivatives(|| __traced::evaluate(&board, 1));
    assert_eq!(score, f64::from(evaluate(&board, 1)));
    let expected = [
        ("KEPT0", 0.25),
        ("KEPT1", 0.75),
        ("KEPT2", 0.5),
        ("KEPT3", 1.5),
        ("KEPT_TEMPO0", 1.0),
    ];
    assert_derivatives(|| __traced::evaluate(&board, 1), &expected);
}
