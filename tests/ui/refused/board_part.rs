//! The pair of a part of a board, where the board has no twin and the part still has.

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

    pub fn evaluate(board: &Board) -> i32 {
        let mut score = board.state.psq;
        if board.state.key == 0 {
            score += TEMPO;
        }
        score.0 + score.1
    }

    #[cfg(feature = "tune")]
    tuner_core::traced!(untraced(Board));
}

fn main() {
    let mut board = board::Board::default();
    board.put(1);
    board::evaluate(&board);
}
