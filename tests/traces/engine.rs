//! Boards without rules, and an engine that evaluates them.

use super::eval;
use tuner_core::data::{Fault, Perspective, PositionNotation};
use tuner_core::evaluator::Engine;
use tuner_core::trace::{Registry, Tr};

/// A piece, from its own side.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    pub role: usize,
    pub square: usize,
    pub white: bool,
}

/// The pieces of a FEN, and whose turn it is.
#[derive(Clone, Debug)]
pub struct Position {
    text: String,
    pub pieces: Vec<Piece>,
    pub white_to_move: bool,
    pub phase: i32,
}

#[derive(Clone)]
pub struct Notation;

impl PositionNotation for Notation {
    type Position = Position;

    fn name(&self) -> &'static str {
        "FEN"
    }

    fn parse(&self, text: &str) -> Result<Position, Fault> {
        let mut words = text.split(' ');
        let (board, side) = (words.next().unwrap_or(""), words.next());
        let (mut pieces, mut phase) = (Vec::new(), 0);
        for (y, rank) in board.split('/').enumerate() {
            let mut x = 0;
            for c in rank.chars() {
                if let Some(empty) = c.to_digit(10) {
                    x += empty as usize;
                } else if let Some(role) = "pnbrqk".find(c.to_ascii_lowercase()) {
                    let white = c.is_ascii_uppercase();
                    let square = 8 * (if white { 7 - y } else { y }) + x;
                    pieces.push(Piece {
                        role,
                        square,
                        white,
                    });
                    phase += [0, 1, 1, 2, 4, 0][role];
                    x += 1;
                }
            }
        }
        Ok(Position {
            text: text.to_owned(),
            pieces,
            white_to_move: side == Some("w"),
            phase: phase.min(24),
        })
    }

    fn describe(&self, position: &Position) -> String {
        position.text.clone()
    }

    fn first_player_to_move(&self, position: &Position) -> bool {
        position.white_to_move
    }
}

/// The engine.
pub struct Boards;

impl Engine for Boards {
    type Notation = Notation;
    type Score = i32;

    fn name(&self) -> &'static str {
        "boards"
    }

    fn registry(&self) -> &'static Registry {
        tuner_core::registry!()
    }

    fn notation(&self) -> &Notation {
        &Notation
    }

    fn perspective(&self) -> Perspective {
        Perspective::FirstPlayer
    }

    fn evaluate(&self, position: &Position) -> i32 {
        eval::white(position)
    }

    fn trace(&self, position: &Position) -> Tr<i32> {
        eval::__traced::white(position)
    }
}
