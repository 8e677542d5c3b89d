//! The rules of a game, as far as reading, resolving and playing games need
//! them.
//!
//! A game implements [`Rules`] beside
//! [`PositionNotation`]: chess does it for
//! `tuner_chess::Fen`. [`Game`] is a game in progress, with what came before,
//! for repetitions. Nothing here searches.

mod game;

use std::fmt::{self, Debug};

use crate::Outcome;
use crate::PositionNotation;
pub use game::Game;

/// How pieces move, and when a game is over.
pub trait Rules: PositionNotation<Position: Clone + Debug + Send + Sync> {
    /// A move. It means something only together with its position.
    type Move: Copy + Debug + Eq + Send + Sync;

    /// Returns the position that games begin with.
    fn initial(&self) -> Self::Position;

    /// Returns the legal moves, always in the same order.
    fn legal_moves(&self, position: &Self::Position) -> Vec<Self::Move>;

    /// Plays a legal move.
    fn play(&self, position: &mut Self::Position, m: Self::Move);

    /// Tells whether the side to move is in check.
    fn is_check(&self, position: &Self::Position) -> bool;

    /// Tells whether a move captures or promotes.
    fn is_tactical(&self, position: &Self::Position, m: Self::Move) -> bool;

    /// Returns what a move gains at once: for a capture the victim's value, a little less
    /// the more its own piece is worth. Searches try moves of more first; by default 1 of
    /// those that capture or promote.
    fn gain(&self, position: &Self::Position, m: Self::Move) -> i32 {
        i32::from(self.is_tactical(position, m))
    }

    /// Returns a number that positions share if a repetition rule takes them
    /// for the same, and that others hardly ever share.
    fn key(&self, position: &Self::Position) -> u64;

    /// Returns how many plies ago something last happened that no later move
    /// takes back: in chess the half-move clock. 0 in games without such a count.
    fn idle_plies(&self, position: &Self::Position) -> u32;

    /// Tells whether the rules end the game here; `before` are the earlier
    /// positions of the game, oldest first.
    fn ending(&self, position: &Self::Position, before: &[Seen]) -> Option<Ending>;

    /// Reads a move as the engines' protocol (UCI, USI) writes it; `None` if it
    /// is no legal move.
    fn read_move(&self, position: &Self::Position, text: &str) -> Option<Self::Move>;

    /// Writes a move so that [`read_move`](Self::read_move) reads it again.
    fn write_move(&self, position: &Self::Position, m: Self::Move) -> String;

    /// Reads a move as records of games write it (SAN in PGN); `None` if it is
    /// no legal move. By default as engines write it.
    fn read_record_move(&self, position: &Self::Position, text: &str) -> Option<Self::Move> {
        self.read_move(position, text)
    }

    /// Writes a move so that [`read_record_move`](Self::read_record_move) reads
    /// it again.
    fn write_record_move(&self, position: &Self::Position, m: Self::Move) -> String {
        self.write_move(position, m)
    }

    /// Writes a game that is over, with its result for the first player, as
    /// records of this game are written, so that several one after the other
    /// are a file; `None` if that is PGN.
    fn write_record(&self, game: &Game<'_, Self>, outcome: Outcome) -> Option<String>
    where
        Self: Sized,
    {
        let _ = (game, outcome);
        None
    }
}

/// What a repetition rule asks of an earlier position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Its [`key`](Rules::key).
    pub key: u64,
    /// Whether the side to move was in check.
    pub check: bool,
}

/// A game that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The result for the first player.
    pub outcome: Outcome,
    /// Why it is over.
    pub reason: EndReason,
}

/// Why the rules end a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EndReason {
    /// The side to move is mated.
    Checkmate,
    /// The side to move has no move and is not in check.
    Stalemate,
    /// No material on the board can mate.
    Material,
    /// A position came back as often as the rules allow.
    Repetition,
    /// So did it, by checks alone.
    PerpetualCheck,
    /// Nothing was captured or moved for good for as long as the rules allow.
    Idle,
    /// Both kings are safe in the enemy's camp, and points decide.
    Impasse,
}

impl fmt::Display for EndReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Checkmate => "checkmate",
            Self::Stalemate => "stalemate",
            Self::Material => "too little material",
            Self::Repetition => "repetition",
            Self::PerpetualCheck => "perpetual check",
            Self::Idle => "no progress",
            Self::Impasse => "impasse",
        })
    }
}
