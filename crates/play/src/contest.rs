//! A pair of games of two players: one opening with both colours.

use std::time::{Duration, Instant};

use super::clock::{Clocks, TimeControl};
use super::game::{GameEnd, Played, play_game};
use super::opening::{Openings, generator};
use super::player::{ChosenMove, Limit, Player, PlayerFault, guarded};
use super::record::{FinishedGame, PairRecord};
use super::settings::ContestSettings;
use tuner_game::Outcome;
use tuner_game::rules::{Game, Rules};

/// How much a side may think.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thinking {
    /// A limit for each move.
    Move(Limit),
    /// By clocks; games then depend on the machine.
    Game(TimeControl),
}

impl Thinking {
    /// Returns the time control of a whole game; `None` where each move has a limit of its own.
    pub(super) fn control(self) -> Option<TimeControl> {
        match self {
            Self::Game(control) => Some(control),
            Self::Move(_) => None,
        }
    }
}

/// The players of a match, as one thread has them.
pub struct Seats<'p, R: Rules + ?Sized> {
    /// The player whose results are counted.
    pub first: Box<dyn Player<R> + 'p>,
    /// The other player.
    pub second: Box<dyn Player<R> + 'p>,
    /// Tells whether a random opening is balanced. It is the same for both sides and neither of
    /// them, so that openings do not depend on who plays; `None`: the first player tells.
    pub judge: Option<Box<dyn Player<R> + 'p>>,
}

/// Plays pair `number`: two games from one opening, in the first of which the side whose results
/// are counted is the first player, in the second the second. `openings`: the openings of the
/// settings, [read by the rules](super::OpeningChoice::resolve). With limits of nodes or depth the
/// pair depends on settings, number and players alone.
///
/// # Errors
/// If a player cannot be started, or no opening is found. Other faults lose games.
pub fn play_pair<R: Rules + ?Sized>(
    rules: &R,
    settings: &ContestSettings,
    openings: &Openings<R>,
    number: u64,
    seats: &mut Seats<'_, R>,
) -> Result<PairRecord, PlayerFault> {
    let mut rng = generator(settings.seed, number);
    // Who tells whether a random opening is balanced: the first player, if nobody else is there.
    let judge = seats.judge.as_deref_mut().unwrap_or(&mut *seats.first);
    // Each side has both colours, so random openings need no further ply by turns.
    let more = 0;
    let opening = guarded(|| openings.game(rules, number, more, &mut rng, judge))?;
    let mut play = |index: usize| -> Result<FinishedGame, PlayerFault> {
        let mut game = opening.clone();
        let played = one_game(settings, seats, &mut game, index == 0)?;
        Ok(FinishedGame::of(&game, &played, settings, number, index))
    };
    Ok(PairRecord([play(0)?, play(1)?]))
}

/// Plays a game on from the opening in `game`. If `first_begins`, the side whose results are
/// counted is the first player, else the second. A side that cannot begin a game has lost; the
/// error is the fault of a side that is unusable.
fn one_game<R: Rules + ?Sized>(
    settings: &ContestSettings,
    seats: &mut Seats<'_, R>,
    game: &mut Game<'_, R>,
    first_begins: bool,
) -> Result<Played<R::Move>, PlayerFault> {
    let mut sides = [seats.first.as_mut(), seats.second.as_mut()];
    for (index, side) in sides.iter_mut().enumerate() {
        match guarded(|| side.new_game()) {
            Ok(()) => {}
            Err(fault @ PlayerFault::Unusable(_)) => return Err(fault),
            // A side that fails before its first move loses the game.
            Err(fault) => {
                let first = (index == 0) == first_begins;
                return Ok(Played {
                    outcome: if first { Outcome::Loss } else { Outcome::Win },
                    end: GameEnd::Fault { first, fault },
                    plies: Vec::new(),
                });
            }
        }
    }
    let [first, second] = settings.thinking;
    let thinking = if first_begins {
        [first, second]
    } else {
        [second, first]
    };
    let control = thinking.map(Thinking::control);
    // A side without a clock of its own has the other's time on its clock, which stands still.
    let controls = [control[0].or(control[1]), control[1].or(control[0])];
    let mut clocks = Clocks::new(controls.map(Option::unwrap_or_default));
    play_game(
        game,
        &settings.adjudication,
        |game, first_to_move| {
            let player = &mut sides[usize::from(first_to_move != first_begins)];
            let side = usize::from(!first_to_move);
            match thinking[side] {
                Thinking::Move(limit) => guarded(|| player.choose(game, limit)),
                Thinking::Game(_) => timed(&mut **player, &mut clocks, game, side),
            }
        },
        |_, _| {},
    )
}

/// Asks for a move while the clock of `side` (0: the first player) runs, without the time that
/// asking itself takes. A move that comes too late is a fault.
fn timed<R: Rules + ?Sized>(
    player: &mut dyn Player<R>,
    clocks: &mut Clocks,
    game: &Game<'_, R>,
    side: usize,
) -> ChosenMove<R::Move> {
    let begun = Instant::now();
    let choice = guarded(|| player.choose(game, clocks.limit(side)));
    let time = begun.elapsed().saturating_sub(player.overhead());
    let mut choice = choice?;
    choice.time = Some(time);
    let flag = |late: Duration| {
        let (ms, ply) = (late.as_secs_f64() * 1e3, game.moves().len() + 1);
        PlayerFault::Late(format!("out of time by {ms:.0} ms in ply {ply}"))
    };
    clocks.spend(side, time).map_err(flag)?;
    Ok(choice)
}

impl<R: Rules + ?Sized> std::fmt::Debug for Seats<'_, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Seats").finish_non_exhaustive()
    }
}
