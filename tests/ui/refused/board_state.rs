//! A board whose state keeps a pair up to date, in the file of the evaluation.

mod moves {
    use crate::board::Board;

    pub fn attacked(board: &Board, square: usize) -> bool {
        board.men[square].is_some()
    }

    pub fn count(board: &Board) -> i32 {
        board.men.len() as i32
    }

    impl Board {
        pub fn key(&self) -> u64 {
            self.state.key
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
    pub struct State {
        pub key: u64,
        psq: S,
    }

    #[derive(Clone)]
    pub struct Board {
        pub men: Vec<Option<usize>>,
        pub state: State,
        pub before: Vec<State>,
    }

    impl Board {
        pub fn new() -> Self {
            let (men, psq) = (vec![None; 64], S::default());
            Self {
                men,
                state: State { key: 0, psq },
                before: Vec::new(),
            }
        }

        pub fn put(&mut self, square: usize, man: usize) {
            self.men[square] = Some(man);
            self.state.psq += PSQ[man];
        }
    }

    pub fn evaluate(board: &Board) -> i32 {
        let mut score = board.state.psq;
        if attacked(board, 3) && board.key() > 0 {
            score += TEMPO;
        }
        score.0 * count(board) + score.1
    }

    #[cfg(feature = "tune")]
    tuner_core::traced!();
}

fn main() {
    let mut board = board::Board::new();
    board.put(3, 1);
    board::evaluate(&board);
}
