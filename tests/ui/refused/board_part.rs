//! Parts of a board that have a twin, where the board has none.

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

    /// Of which the numbers are scores themselves: without its twin nobody would see that.
    #[derive(Clone, Default)]
    pub struct Sums {
        middlegame: i32,
        phase: u8,
    }

    #[derive(Clone, Default)]
    pub struct Board {
        men: Vec<usize>,
        state: State,
        sums: Sums,
    }

    impl Board {
        pub fn put(&mut self, man: usize) {
            self.men.push(man);
            self.state.psq += PSQ[man];
            self.sums.middlegame += PSQ[man].0;
            self.sums.phase += 1;
        }
    }

    fn sums(board: &Board) -> Sums {
        let mut sums = Sums::default();
        for &man in &board.men {
            sums.middlegame += PSQ[man].0;
            sums.phase += 1;
        }
        sums
    }

    pub fn evaluate(board: &Board) -> i32 {
        let mut score = board.state.psq;
        if board.state.key == 0 {
            score += TEMPO;
        }
        score.0 + score.1 + board.sums.middlegame
    }

    #[cfg(feature = "tune")]
    tuner_core::traced!(untraced(Board));
}

fn main() {
    let mut board = board::Board::default();
    board.put(1);
    board::evaluate(&board);
}
