//! The cure of `refused/board_part.rs`: the part has no twin either, and the twin computes its
//! pair anew.

mod board {
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

    #[derive(Clone, Default)]
    pub struct State {
        key: u64,
        psq: S,
    }

    #[derive(Clone, Default)]
    pub struct Board {
        men: Vec<usize>,
        state: State,
    }

    impl Board {
        pub fn put(&mut self, man: usize) {
            self.men.push(man);
            self.state.psq += PSQ[man];
        }
    }

    fn from_scratch(board: &Board) -> S {
        let mut sum = S::default();
        for &man in &board.men {
            sum += PSQ[man];
        }
        sum
    }

    pub fn evaluate(board: &Board) -> i32 {
        let mut score = tuner_core::traced_as!(board.state.psq => from_scratch(board));
        if board.state.key == 0 {
            score += TEMPO;
        }
        score.0 + score.1
    }

    #[cfg(feature = "tune")]
    tuner_core::traced!(untraced(Board, State));
}

fn main() {
    let mut board = board::Board::default();
    board.put(1);
    board::evaluate(&board);
}
