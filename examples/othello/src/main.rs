//! Othello: board, rules, notation, evaluation, and an evaluator, in one file.
//!
//! In this folder: `tuner selfplay games.tsv.zst`, then `tuner fit games.tsv.zst`.

use std::fmt;
use std::process::ExitCode;

use tuner_core::evaluator::FunctionEngine;
use tuner_core::game::rules::{EndReason, Ending, Rules, Seen};
use tuner_core::game::{Fault, Perspective, PositionNotation};

/// Discs as bits, a1 the lowest, h8 the highest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board {
    /// Of the side to move.
    pub own: u64,
    /// Of the other side.
    pub other: u64,
    /// Whether Black moves, who began.
    pub black: bool,
}

/// A square; or 64, the pass of a side without a move.
pub type Move = u8;

const PASS: Move = 64;

/// Without the first and the last file, so that no line runs around the edge.
const INNER: u64 = 0x7e7e_7e7e_7e7e_7e7e;

/// A step from each disc in one of eight directions.
fn step(discs: u64, direction: usize) -> u64 {
    const BY: [u32; 4] = [1, 7, 8, 9];
    let by = BY[direction / 2];
    if direction.is_multiple_of(2) {
        discs << by
    } else {
        discs >> by
    }
}

impl Board {
    /// The position that games begin with.
    pub const START: Self = Self {
        own: 0x0000_0008_1000_0000,
        other: 0x0000_0010_0800_0000,
        black: true,
    };

    /// The squares where the side to move may put a disc.
    pub fn squares(self) -> u64 {
        let mut found = 0;
        for direction in 0..8 {
            let between = self.crossed(direction);
            let mut line = step(self.own, direction) & between;
            for _ in 0..5 {
                line |= step(line, direction) & between;
            }
            found |= step(line, direction);
        }
        found & !(self.own | self.other)
    }

    /// The other side's discs that a line in this direction may cross.
    fn crossed(self, direction: usize) -> u64 {
        // Up and down there is no edge to run around.
        let vertical = direction / 2 == 2;
        self.other & if vertical { u64::MAX } else { INNER }
    }

    /// The discs that a disc on a square turns.
    fn turned(self, square: Move) -> u64 {
        let disc = 1 << square;
        let mut turned = 0;
        for direction in 0..8 {
            let between = self.crossed(direction);
            let mut line = 0;
            let mut next = step(disc, direction);
            while next & between != 0 {
                line |= next;
                next = step(next, direction);
            }
            if next & self.own != 0 {
                turned |= line;
            }
        }
        turned
    }

    /// The same position with the other side to move.
    #[must_use]
    pub fn passed(self) -> Self {
        Self {
            own: self.other,
            other: self.own,
            black: !self.black,
        }
    }

    /// The moves there are; none at the end of the game.
    pub fn moves(self) -> Vec<Move> {
        let squares = self.squares();
        if squares != 0 {
            return (0..64)
                .filter(|square| squares >> square & 1 != 0)
                .collect();
        }
        let other_can = self.passed().squares() != 0;
        other_can.then_some(PASS).into_iter().collect()
    }

    /// Plays a move.
    pub fn play(&mut self, m: Move) {
        if m != PASS {
            let turned = self.turned(m);
            self.own |= turned | 1 << m;
            self.other &= !turned;
        }
        *self = self.passed();
    }

    /// Black's discs, and White's.
    fn discs(self) -> [u64; 2] {
        if self.black {
            [self.own, self.other]
        } else {
            [self.other, self.own]
        }
    }

    /// Reads sixty-four of `X` (Black), `O` and `-`, a1 to h8 rank by rank, and `X` or `O`
    /// for the side to move; or says at which byte it is anything else.
    fn read(text: &str) -> Result<Self, usize> {
        let bytes = text.as_bytes();
        let [mut x, mut o] = [0, 0];
        for square in 0..64 {
            match bytes.get(square) {
                Some(b'X') => x |= 1 << square,
                Some(b'O') => o |= 1 << square,
                Some(b'-') => {}
                _ => return Err(square),
            }
        }
        let (own, other, black) = match &bytes[64..] {
            b" X" => (x, o, true),
            b" O" => (o, x, false),
            _ => return Err(64),
        };
        Ok(Self { own, other, black })
    }
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, o] = self.discs();
        for square in 0..64 {
            let disc = match (x >> square & 1, o >> square & 1) {
                (1, _) => "X",
                (_, 1) => "O",
                _ => "-",
            };
            f.write_str(disc)?;
        }
        f.write_str(if self.black { " X" } else { " O" })
    }
}

/// How a move is written: `d3`, or `pass`.
fn written(m: Move) -> String {
    match m {
        PASS => "pass".to_owned(),
        m => format!("{}{}", char::from(b'a' + m % 8), m / 8 + 1),
    }
}

/// Points of a hundredth of a disc, for the side to move.
#[tuner_core::tunable]
pub mod eval {
    use super::Board;

    /// The ten squares that differ, of an eighth of the board: a1 b1 c1 d1 b2 c2 d2 c3 d3
    /// d4; on an empty board, and on a full one.
    pub const SQUARES: [[i32; 10]; 2] = [[0; 10], [100; 10]];
    /// A move that a side has more.
    pub const MOBILITY: [i32; 2] = [0, 0];
    /// A disc with an empty neighbour.
    pub const FRONTIER: [i32; 2] = [0, 0];
    /// The move, where the number of empty squares is odd.
    pub const PARITY: [i32; 2] = [0, 0];

    /// The score of a position.
    pub fn evaluate(board: &Board) -> i32 {
        let discs = (board.own | board.other).count_ones() as i32;
        (side(board, 0) * (64 - discs) + side(board, 1) * discs) / 64
    }

    /// On an empty board, or on a full one.
    fn side(board: &Board, stage: usize) -> i32 {
        let mut score = 0;
        for square in 0..64 {
            let disc = 1 << square;
            if board.own & disc != 0 {
                score += SQUARES[stage][super::class(square)];
            } else if board.other & disc != 0 {
                score -= SQUARES[stage][super::class(square)];
            }
        }
        let moves = |board: Board| board.squares().count_ones() as i32;
        score += MOBILITY[stage] * (moves(*board) - moves(board.passed()));
        let open = super::around(!(board.own | board.other));
        let frontier = |discs: u64| (discs & open).count_ones() as i32;
        score += FRONTIER[stage] * (frontier(board.own) - frontier(board.other));
        let odd = (board.own | board.other).count_ones() as i32 % 2;
        score + PARITY[stage] * odd
    }
}

/// Which of the ten squares a square is like.
fn class(square: usize) -> usize {
    let near = |line: usize| line.min(7 - line);
    let (a, b) = (near(square % 8), near(square / 8));
    let (low, high) = (a.min(b), a.max(b));
    [0, 4, 7, 9][low] + high - low
}

/// The neighbours of squares.
fn around(squares: u64) -> u64 {
    let (left, right) = (0xfefe_fefe_fefe_fefe, 0x7f7f_7f7f_7f7f_7f7f);
    let rows = squares | (squares << 1 & left) | (squares >> 1 & right);
    rows | rows << 8 | rows >> 8
}

// What Tuner wants to know, from here on.

/// How the game is written, and its rules.
#[derive(Clone, Copy, Debug)]
pub struct Othello;

impl PositionNotation for Othello {
    type Position = Board;
    fn name(&self) -> &'static str {
        "BOARD"
    }
    fn parse(&self, text: &str) -> Result<Board, Fault> {
        let wanted = "64 of X, O and -, and X or O for the side to move";
        let fault = Fault::new(Fault::quote(text), wanted, "correct the position");
        Board::read(text).map_err(|offset| Fault { offset, ..fault })
    }
    fn describe(&self, board: &Board) -> String {
        board.to_string()
    }
    fn first_player_to_move(&self, board: &Board) -> bool {
        board.black
    }
}

impl Rules for Othello {
    type Move = Move;
    fn initial(&self) -> Board {
        Board::START
    }
    fn legal_moves(&self, board: &Board) -> Vec<Move> {
        board.moves()
    }
    fn play(&self, board: &mut Board, m: Move) {
        board.play(m);
    }
    fn key(&self, board: &Board) -> u64 {
        // No position comes back in Othello, but searches keep scores by it: a product alone
        // lets the last square be of either player.
        let own = board.own.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (own ^ (own >> 32)).wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ board.other
    }
    fn ending(&self, board: &Board, _: &[Seen]) -> Option<Ending> {
        let [black, white] = board.discs().map(u64::count_ones);
        let outcome = black.cmp(&white).into();
        let reason = EndReason("no move on either side");
        let over = board.moves().is_empty();
        over.then_some(Ending { outcome, reason })
    }
    fn write_move(&self, _: &Board, m: Move) -> String {
        written(m)
    }
}

fn main() -> ExitCode {
    tuner_core::serve_playing(&FunctionEngine {
        name: "othello",
        registry: tuner_core::registry!(),
        notation: Othello,
        perspective: Perspective::SideToMove,
        evaluate: eval::evaluate,
        trace: eval::__traced::evaluate,
    })
}

#[cfg(test)]
mod tests;
