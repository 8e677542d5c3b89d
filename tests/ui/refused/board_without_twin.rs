//! The pair of a board that has no twin.

mod moves {
    use crate::board::{Board, S};

    pub fn attacked(board: &Board, square: usize) -> bool {
        board.men[square].is_some()
    }

    pub fn count(board: &Board) -> i32 {
        board.men.len() as i32
    }

    impl Board {
        pub fn key(&self) -> u64 {
            self.key
        }

        pub fn psq(&self) -> S {
            self.psq
        }
    }
}

mod board {
    use crate::moves::{attacked, count};

    #[derive(Clone, Copy, Default)]
    pub struct S(pub i32, pub i32);

    impl std::ops::AddAssign for S {
        fn add_assign(&mut self, other: S) {
            self.0 += other.0;
            self.1 += other.1;
        }
    }

    pub const PSQ: [S; 2] = [S(1, 2), S(3, 4)];
    pub const TEMPO: S = S(10, 5);

    #[derive(Clone)]
    pub struct Board {
        pub men: Vec<Option<usize>>,
        pub key: u64,
        pub psq: S,
    }

    impl Board {
        pub fn new() -> Self {
            let (men, psq) = (vec![None; 64], S::default());
            Self { men, key: 0, psq }
        }

        pub fn put(&mut self, square: usize, man: usize) {
            self.men[square] = Some(man);
            self.psq += PSQ[man];
        }
    }

    pub fn evaluate(board: &Board) -> i32 {
        let mut score = board.psq;
        if attacked(board, 3) && board.key() > 0 {
            score += TEMPO;
        }
        let kept = if board.key() > 1 { board.psq() } else { TEMPO };
        score += kept;
        score.0 * count(board) + score.1
    }

    #[cfg(feature = "tune")]
    tuner_core::traced!(untraced(Board));
}

fn main() {
    let mut board = board::Board::new();
    board.put(3, 1);
    board::evaluate(&board);
}
