//! One game.

use super::adjudication::{Adjudication, Watch};
use super::player::{ChosenMove, MoveChoice, PlayerFault};
use tuner_game::Outcome;
use tuner_game::rules::{EndReason, Game, Rules};

/// A game that is over.
#[derive(Clone, Debug, PartialEq)]
pub struct Played<M> {
    /// The result for the first player.
    pub outcome: Outcome,
    /// Why it is over.
    pub end: GameEnd,
    /// The moves after the opening.
    pub plies: Vec<MoveChoice<M>>,
}

/// Why a game is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GameEnd {
    /// The rules end it.
    Rules(EndReason),
    /// The player to move gave up.
    Resigned,
    /// The scores of both players agreed for long enough.
    Adjudicated,
    /// It was drawn for its length.
    TooLong,
    /// A player gave no legal move, and lost.
    Fault {
        /// Whether it was the first player.
        first: bool,
        /// The fault.
        fault: PlayerFault,
    },
}

tuner_base::impl_fmt! { Display for GameEnd, |self, f| match self {
    Self::Rules(reason) => std::fmt::Display::fmt(reason, f),
    Self::Resigned => f.write_str("resignation"),
    Self::Adjudicated => f.write_str("adjudication"),
    Self::TooLong => f.write_str("too long"),
    Self::Fault { fault, .. } => f.write_str(fault.word()),
} }

/// Plays on from where a game stands, to its end.
///
/// `choose` is asked with the game and whether it is the first player's turn; `observe` sees every
/// move before it is played, unless the game is adjudicated by its score. `game` is at its end
/// afterwards.
///
/// # Errors
/// If a player is unusable; any other fault loses the game.
pub fn play_game<R: Rules + ?Sized>(
    game: &mut Game<'_, R>,
    adjudication: &Adjudication,
    mut choose: impl FnMut(&Game<'_, R>, bool) -> ChosenMove<R::Move>,
    mut observe: impl FnMut(&Game<'_, R>, &MoveChoice<R::Move>),
) -> Result<Played<R::Move>, PlayerFault> {
    let mut plies = Vec::new();
    let mut watch = Watch::default();
    let (outcome, end) = loop {
        if let Some(ending) = game.ending() {
            break (ending.outcome, GameEnd::Rules(ending.reason));
        }
        if game.moves().len() >= adjudication.longest {
            break (Outcome::Draw, GameEnd::TooLong);
        }
        let first = game.rules().first_player_to_move(game.position());
        let choice = match choose(game, first) {
            Ok(choice) => choice,
            Err(fault @ PlayerFault::Unusable(_)) => return Err(fault),
            Err(fault) => {
                let loss = if first { Outcome::Loss } else { Outcome::Win };
                let end = match fault {
                    PlayerFault::Resigned => GameEnd::Resigned,
                    fault => GameEnd::Fault { first, fault },
                };
                break (loss, end);
            }
        };
        let seen = choice.score.map(|s| if first { s } else { s.flipped() });
        if let Some(outcome) = watch.see(seen, game.moves().len(), adjudication) {
            break (outcome, GameEnd::Adjudicated);
        }
        observe(game, &choice);
        plies.push(choice);
        game.play(choice.best);
    };
    Ok(Played {
        outcome,
        end,
        plies,
    })
}
