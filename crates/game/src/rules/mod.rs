//! The rules of a game, as far as reading, resolving and playing games need
//! them.
//!
//! A game implements [`Rules`] beside
//! [`PositionNotation`]: chess does it for
//! `tuner_chess::Fen`. [`Game`] is a game in progress, with what came before,
//! for repetitions. Nothing here searches.

mod game;

use std::fmt::Debug;

use crate::Outcome;
use crate::PositionNotation;
pub use game::Game;

/// How pieces move, and when a game is over.
pub trait Rules: PositionNotation<Position: Clone + Debug + Send + Sync> {
    /// A move. It means something only together with its position.
    type Move: Copy + Debug + Eq + Send + Sync;

    /// Tells whether somebody has written the rules down. Where nobody has, positions have no
    /// moves.
    fn has_rules(&self) -> bool {
        true
    }

    /// Returns the position that games begin with.
    fn initial(&self) -> Self::Position;

    /// Returns the variant that a game from this position is of, as records call it, if its
    /// moves are written otherwise than in the usual one: `Chess960`.
    fn variant(&self, _position: &Self::Position) -> Option<&'static str> {
        None
    }

    /// Returns the legal moves, always in the same order.
    fn legal_moves(&self, position: &Self::Position) -> Vec<Self::Move>;

    /// Plays a legal move.
    fn play(&self, position: &mut Self::Position, m: Self::Move);

    /// Tells whether the side to move is in check; never, in games without it.
    fn is_check(&self, _position: &Self::Position) -> bool {
        false
    }

    /// Tells whether a move captures or promotes, so that an evaluation before it says
    /// little; by default none does.
    fn is_tactical(&self, _position: &Self::Position, _m: Self::Move) -> bool {
        false
    }

    /// Returns what a move gains at once; searches try moves with a larger gain first. For a
    /// capture it is the value of the captured piece, a little less the more the capturing piece is
    /// worth. By default 1 for a move that captures or promotes, and 0 for others.
    fn gain(&self, position: &Self::Position, m: Self::Move) -> i32 {
        i32::from(self.is_tactical(position, m))
    }

    /// Returns a number that positions share if a repetition rule takes them
    /// for the same, and that others hardly ever share. Searches keep scores by it, so an
    /// evaluation must say the same of positions that share it, the player to move and
    /// [`idle_plies`](Self::idle_plies).
    fn key(&self, position: &Self::Position) -> u64;

    /// Returns how many plies ago something last happened that no later move
    /// takes back: in chess the half-move clock. 0 in games without such a count.
    fn idle_plies(&self, _position: &Self::Position) -> u32 {
        0
    }

    /// Returns how the rules end the game in this position, `None` if it continues; `before` are
    /// the earlier positions of the game, oldest first.
    fn ending(&self, position: &Self::Position, before: &[Seen]) -> Option<Ending>;

    /// Reads a move as the engines' protocol (UCI, USI) writes it; `None` if it is not a legal
    /// move. By default it is the legal move that [`write_move`](Self::write_move) writes as this
    /// text.
    fn read_move(&self, position: &Self::Position, text: &str) -> Option<Self::Move> {
        let mut legal = self.legal_moves(position).into_iter();
        legal.find(|&m| self.write_move(position, m) == text)
    }

    /// Writes a move so that [`read_move`](Self::read_move) reads it again.
    fn write_move(&self, position: &Self::Position, m: Self::Move) -> String;

    /// Reads a move as records of games write it (SAN in PGN); `None` if it is not a legal move. By
    /// default records write moves as the engines' protocol does.
    fn read_record_move(&self, position: &Self::Position, text: &str) -> Option<Self::Move> {
        self.read_move(position, text)
    }

    /// Writes a move as records of games write it (SAN in PGN), so that
    /// [`read_record_move`](Self::read_record_move) reads it again. By default as the engines'
    /// protocol does.
    fn write_record_move(&self, position: &Self::Position, m: Self::Move) -> String {
        self.write_move(position, m)
    }

    /// Writes a game that is over, by its start and its moves, with its result for the first
    /// player, as records of this game are written, so that several one after the other are a file;
    /// `None` in a game whose records are PGN.
    fn write_record(
        &self,
        _start: &Self::Position,
        _moves: &[Self::Move],
        _outcome: Outcome,
    ) -> Option<String> {
        None
    }

    /// Writes a game that is over as a file of its own, in the notation that programs for people
    /// show; `None` in a game for which that is PGN.
    fn write_file(&self, _played: &PlayedGame<'_, Self::Position, Self::Move>) -> Option<GameFile> {
        None
    }
}

/// A game that is over, for its file.
#[derive(Clone, Copy, Debug)]
pub struct PlayedGame<'g, P, M> {
    /// The position that it began with.
    pub start: &'g P,
    /// The moves played, oldest first.
    pub moves: &'g [M],
    /// Names of the first player and of the second.
    pub players: [&'g str; 2],
    /// The result for the first player.
    pub outcome: Outcome,
    /// Why it is over.
    pub reason: PlayedReason,
}

/// Why a game that was played is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayedReason {
    /// By the rules.
    Rules(EndReason),
    /// A side gave up, or it was adjudicated.
    Agreed,
    /// The loser's time was over.
    Time,
    /// The loser did what is not allowed, or nothing any more.
    Forfeit,
}

/// A game as the text of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameFile {
    /// How the names of such files end, without the point.
    pub ending: &'static str,
    /// The text.
    pub text: String,
}

/// An earlier position, as a repetition rule sees it.
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

/// Why the rules end a game, in words. A game has reasons of its own,
/// `EndReason("no move on either side")`; those of chess and shogi have names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EndReason(pub &'static str);

impl EndReason {
    /// The side to move is mated.
    pub const CHECKMATE: Self = Self("checkmate");
    /// The side to move has no move and is not in check.
    pub const STALEMATE: Self = Self("stalemate");
    /// No material on the board can mate.
    pub const MATERIAL: Self = Self("too little material");
    /// A position came back as often as the rules allow.
    pub const REPETITION: Self = Self("repetition");
    /// A position came back as often as the rules allow, by checks of one side alone.
    pub const PERPETUAL_CHECK: Self = Self("perpetual check");
    /// Nothing was captured or moved for good for as long as the rules allow.
    pub const IDLE: Self = Self("no progress");
    /// Both kings are safe in the enemy's camp, and points decide.
    pub const IMPASSE: Self = Self("impasse");
}

tuner_base::impl_fmt! { Display for EndReason, |self, f| f.write_str(self.0) }
