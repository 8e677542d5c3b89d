//! What makes a struct that is to have no twin has none either, named or not.

pub struct Pair(i32, i32);

const START: Pair = Pair(3, 4);

pub struct Board {
    pair: Pair,
    count: i32,
}

impl Board {
    pub fn with(pair: Pair, count: i32) -> Self {
        Self { pair, count }
    }

    pub fn starting() -> Option<Board> {
        Some(Self::with(START, 1))
    }
}

pub fn board(pair: Pair) -> Board {
    Board { pair, count: 2 }
}

pub fn evaluate(board: &Board) -> i32 {
    START.0 * board.count
}

#[cfg(feature = "tune")]
tuner_core::traced!(untraced(Board));

fn main() {
    let board = Board::starting().unwrap_or_else(|| board(START));
    println!("{} {}", evaluate(&board), board.pair.0 + board.pair.1);
}
