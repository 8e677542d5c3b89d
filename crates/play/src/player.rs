//! Who plays: something that can be asked for a move.

use std::error::Error;
use std::time::Duration;

use super::clock::Clock;
use tuner_base::caught;
use tuner_game::rules::{Game, Rules};

/// How much a player may think about a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Positions to visit.
    Nodes(u64),
    /// Depth of the search.
    Depth(u32),
    /// Time; games then depend on the machine.
    Time(Duration),
    /// Clocks of a whole game, which the player divides itself.
    Clock(Clock),
}

impl Limit {
    /// Tells whether games depend on the machine, as a limit of time or a clock makes them.
    pub const fn is_time(self) -> bool {
        matches!(self, Self::Time(_) | Self::Clock(_))
    }
}

/// A score from the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// Hundredths of a pawn, or the engine's unit.
    Centipawns(i32),
    /// Mates in so many moves; 0 or less: is mated.
    Mate(i32),
}

impl Score {
    /// Returns the score as the other player sees it.
    #[must_use]
    pub const fn flipped(self) -> Self {
        match self {
            Self::Centipawns(score) => Self::Centipawns(score.saturating_neg()),
            // Being mated in 0 moves would be a mate in 0 moves for the other side, and 0 has no
            // sign, so that is written as a mate in 1.
            Self::Mate(0) => Self::Mate(1),
            Self::Mate(moves) => Self::Mate(moves.saturating_neg()),
        }
    }

    /// Returns the score as a number to compare with bounds: centipawns, or for a mate, whatever
    /// its length, a number beyond every other score.
    pub const fn bounded(self) -> i32 {
        match self {
            Self::Centipawns(score) => score,
            Self::Mate(moves) if moves > 0 => i32::MAX,
            // The negative of this is a number as well, that of a mate for the other side.
            Self::Mate(_) => i32::MIN + 1,
        }
    }
}

/// A move with what the search thought of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveChoice<M> {
    /// The move.
    pub best: M,
    /// Its score, where the player tells.
    pub score: Option<Score>,
    /// Positions visited, where the player tells.
    pub nodes: u64,
    /// The depth of the search, where the player tells.
    pub depth: Option<u32>,
    /// The time that it took on a clock: who keeps the clocks sets it, players leave
    /// it out.
    pub time: Option<Duration>,
}

/// What a player is asked for, or what keeps it from that.
pub type PlayerResult<T> = Result<T, PlayerFault>;

/// The move that a player chooses, or what keeps it from choosing.
pub type ChosenMove<M> = PlayerResult<MoveChoice<M>>;

/// A player's view of a position without a search of its own, in centipawns from the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// The evaluation.
    pub standing: i32,
    /// The score of the quiescence search.
    pub quiet: i32,
}

/// A player of a game.
pub trait Player<R: Rules + ?Sized>: Send {
    /// Prepares the player for a new game: it forgets the last one.
    ///
    /// # Errors
    /// If the player is out of order.
    fn new_game(&mut self) -> Result<(), PlayerFault>;

    /// Chooses a legal move in a game that is not over.
    ///
    /// # Errors
    /// If the player is out of order, or the move is not legal.
    fn choose(&mut self, game: &Game<'_, R>, limit: Limit) -> ChosenMove<R::Move>;

    /// Looks at a position; `None` where the player cannot. It changes nothing of what the player
    /// remembers of the game.
    fn look(&mut self, position: &R::Position) -> Option<Look> {
        let _ = position;
        None
    }

    /// Returns the time that asking the player for a move takes beside its thinking; it is not
    /// counted on clocks.
    fn overhead(&self) -> Duration {
        Duration::ZERO
    }
}

/// A player that is borrowed from its owner.
impl<R: Rules + ?Sized, P: Player<R> + ?Sized> Player<R> for &mut P {
    /// Prepares the borrowed player for a new game.
    fn new_game(&mut self) -> Result<(), PlayerFault> {
        (**self).new_game()
    }

    /// Lets the borrowed player choose a move.
    fn choose(&mut self, game: &Game<'_, R>, limit: Limit) -> ChosenMove<R::Move> {
        (**self).choose(game, limit)
    }

    /// Lets the borrowed player look at a position.
    fn look(&mut self, position: &R::Position) -> Option<Look> {
        (**self).look(position)
    }

    /// Returns the time that asking the borrowed player takes beside its thinking.
    fn overhead(&self) -> Duration {
        (**self).overhead()
    }
}

/// A player, and what looks at positions for it.
struct Seeing<'r, R: Rules + ?Sized, P, F> {
    rules: &'r R,
    player: P,
    look: F,
    /// The fault of the last look, which the next call returns; `None`: looking went well.
    fault: Option<PlayerFault>,
}

/// Makes a player that chooses moves as `player` does, and tells of a position, without a search
/// for a move, its evaluation and the score of its quiescence search by the function `look`: a
/// program over UCI or USI cannot tell them itself. `look` is given the position as text, and
/// returns `None` where there are no such scores. If it fails, the next game or move of the player
/// fails in its place, as [`Player::look`] can return no error.
pub fn seeing<'r, R: Rules + ?Sized>(
    rules: &'r R,
    player: impl Player<R> + 'r,
    look: impl FnMut(&str) -> Result<Option<Look>, PlayerFault> + Send + 'r,
) -> impl Player<R> + 'r {
    Seeing {
        rules,
        player,
        look,
        fault: None,
    }
}

impl<R, P, F> Player<R> for Seeing<'_, R, P, F>
where
    R: Rules + ?Sized,
    P: Player<R>,
    F: FnMut(&str) -> Result<Option<Look>, PlayerFault> + Send,
{
    /// Begins a game of the player; if the last look at a position failed, returns its fault
    /// instead.
    fn new_game(&mut self) -> Result<(), PlayerFault> {
        (self.fault.take()).map_or_else(|| self.player.new_game(), Err)
    }

    /// Lets the player choose; fails with the fault of the last look at a position, if there was
    /// one.
    fn choose(&mut self, game: &Game<'_, R>, limit: Limit) -> ChosenMove<R::Move> {
        (self.fault.take()).map_or_else(|| self.player.choose(game, limit), Err)
    }

    /// Looks by the function `look`. Its fault is kept for the next game or move, as looking has no
    /// error.
    fn look(&mut self, position: &R::Position) -> Option<Look> {
        let seen = (self.look)(&self.rules.describe(position));
        seen.unwrap_or_else(|fault| {
            self.fault = Some(fault);
            None
        })
    }

    /// Returns the time that asking the player for a move takes beside its thinking.
    fn overhead(&self) -> Duration {
        self.player.overhead()
    }
}

/// Runs `player`, something that a player does. A panic in it, as of an evaluation that divides by
/// a weight that is 0, becomes a fault by which the player is out of order for good.
///
/// # Errors
/// The error of `player`; a panic is [`PlayerFault::Unusable`].
pub fn guarded<T>(player: impl FnOnce() -> Result<T, PlayerFault>) -> Result<T, PlayerFault> {
    // What the player left behind is not used again: it plays no other game.
    caught(player).unwrap_or_else(|panic| {
        Err(PlayerFault::Unusable(format!(
            "the search or the evaluation panicked: {panic}; it cannot play with these weights"
        )))
    })
}

/// Why a player gave no legal move: it loses the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlayerFault {
    /// It gave up, which does not count as a fault.
    Resigned,
    /// It cannot be started, has panicked, or there is no opening: no game can be played.
    Unusable(String),
    /// It was silent for too long.
    Silent(String),
    /// Its time was over.
    Late(String),
    /// It ended, or takes no commands.
    Ended(String),
    /// It named a move that is not legal.
    Illegal(String),
}

impl PlayerFault {
    /// Returns the kind of the fault, in a word that files of games hold.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Resigned => "resignation",
            Self::Unusable(_) => "unusable",
            Self::Silent(_) => "silence",
            Self::Late(_) => "time",
            Self::Ended(_) => "crash",
            Self::Illegal(_) => "illegal move",
        }
    }

    /// Returns what happened, in words; empty if the player gave up.
    pub fn words(&self) -> &str {
        match self {
            Self::Resigned => "",
            Self::Unusable(words)
            | Self::Silent(words)
            | Self::Late(words)
            | Self::Ended(words)
            | Self::Illegal(words) => words,
        }
    }
}

tuner_base::impl_fmt! { Display for PlayerFault, |self, f| f.write_str(match self {
    Self::Resigned => self.word(),
    fault => fault.words(),
}) }

impl Error for PlayerFault {}
