//! A match: pairs of games of two players, each opening with both colours.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::adjudication::Adjudication;
use super::clock::{Clocks, TimeControl};
use super::game::{GameEnd, Played, play_game};
use super::opening::{Openings, generator};
use super::parallel::{Batch, Wire, in_order_among};
use super::player::{Limit, MoveChoice, Player, PlayerFault, guarded};
use super::selfplay::{PlayError, no_game};
use super::wire::{read_pair, write_pair};
use crate::Pentanomial;
use tuner_data::Outcome;
use tuner_data::rules::{Game, Rules};

/// How a match is played.
#[derive(Clone, Debug)]
pub struct Contest<R: Rules> {
    /// Of the openings.
    pub seed: u64,
    /// Thinking, of both sides.
    pub thinking: Thinking,
    /// How pairs begin.
    pub openings: Openings<R>,
    /// When games end early.
    pub adjudication: Adjudication,
}

/// How much both sides may think.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thinking {
    /// The same for each move.
    Move(Limit),
    /// By clocks; games then depend on the machine.
    Game(TimeControl),
}

/// The players of a thread.
pub struct Seats<'p, R: Rules> {
    /// The one whose results are counted.
    pub first: Box<dyn Player<R> + 'p>,
    /// The other one.
    pub second: Box<dyn Player<R> + 'p>,
    /// Who tells whether a random opening is balanced, the same for both: none
    /// of the two, so that openings do not depend on who plays.
    pub judge: Option<Box<dyn Player<R> + 'p>>,
}

/// One of the two games of a pair.
#[derive(Clone, Debug)]
pub struct GameOfPair<'r, R: Rules> {
    /// The game as it stands at its end.
    pub game: Game<'r, R>,
    /// How it went after the opening.
    pub played: Played<R::Move>,
}

/// Two games from one opening: in the first, the side whose results are counted
/// is the first player.
#[derive(Clone, Debug)]
pub struct Pair<'r, R: Rules>(pub [GameOfPair<'r, R>; 2]);

impl<R: Rules> Pair<'_, R> {
    /// Half points of the side whose results are counted, by game.
    pub fn half_points(&self) -> [u8; 2] {
        let [one, two] = &self.0;
        [one.played.outcome, two.played.outcome.flipped()].map(|outcome| match outcome {
            Outcome::Win => 2,
            Outcome::Draw => 1,
            Outcome::Loss => 0,
        })
    }

    /// Games lost on time, by both sides.
    pub fn late(&self) -> [u8; 2] {
        let is_late = |fault: &&PlayerFault| matches!(fault, PlayerFault::Late(_));
        (self.faults()).map(|faults| faults.into_iter().filter(is_late).count() as u8)
    }

    /// The faults of the side whose results are counted, and of the other, one a
    /// game at most.
    pub fn faults(&self) -> [Vec<&PlayerFault>; 2] {
        let mut found = [Vec::new(), Vec::new()];
        for (number, game) in self.0.iter().enumerate() {
            if let GameEnd::Fault { first, fault } = &game.played.end {
                found[usize::from(*first != (number == 0))].push(fault);
            }
        }
        found
    }
}

/// What a match has come to. Games lost on time are among the faults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Pairs by half points.
    pub pairs: Pentanomial,
    /// Games won, drawn and lost by the side whose results are counted.
    pub games: [u64; 3],
    /// Games lost on time, by silence, a crash or an illegal move, of both sides.
    pub faults: [u64; 2],
    /// Those lost on time alone.
    pub late: [u64; 2],
}

impl Tally {
    /// Adds a pair by its half points, the games of it lost by faults, and those of
    /// them lost on time.
    pub fn add(&mut self, half_points: [u8; 2], faults: [u8; 2], late: [u8; 2]) {
        self.pairs.add(half_points);
        for points in half_points {
            self.games[usize::from(2 - points.min(2))] += 1;
        }
        for (sum, fault) in self.faults.iter_mut().zip(faults) {
            *sum += u64::from(fault.min(2));
        }
        for (sum, late) in self.late.iter_mut().zip(late) {
            *sum += u64::from(late.min(2));
        }
    }
}

/// Plays the pairs of these numbers and hands them over in their order.
///
/// `seats` makes the players of a thread. `take` may break off, as [`in_order`](crate::in_order)
/// says, for a test that is decided: then nothing depends on how
/// many pairs were under way. With limits of nodes or depth a pair depends on
/// settings, number and players alone.
///
/// # Errors
/// If a player cannot be started, or no opening is found. Other faults lose
/// games.
pub fn contest<'r, 'p, R: Rules>(
    rules: &'r R,
    settings: &Contest<R>,
    pairs: &Batch,
    seats: impl Fn() -> Result<Seats<'p, R>, PlayerFault> + Sync,
    take: impl FnMut(Option<(u64, Pair<'r, R>)>) -> ControlFlow<()>,
) -> Result<(), PlayError> {
    let start = || seats().map_err(PlayError::Player);
    let each = |seats: &mut Seats<'p, R>, number| one_pair(rules, settings, number, seats);
    let wire = Wire {
        write: &|pair: &Pair<'r, R>| write_pair(rules, pair),
        read: &|bytes| read_pair(rules, bytes).ok_or_else(|| PlayError::Player(no_game())),
        failed: &|words| PlayError::Player(PlayerFault::Unusable(words)),
    };
    in_order_among(pairs, &wire, start, each, take)
}

fn one_pair<'r, R: Rules>(
    rules: &'r R,
    settings: &Contest<R>,
    number: u64,
    seats: &mut Seats<'_, R>,
) -> Result<Pair<'r, R>, PlayError> {
    let mut rng = generator(settings.seed, number);
    let judge = seats.judge.as_deref_mut().unwrap_or(&mut *seats.first);
    let opening = guarded::<_, PlayError>(|| {
        let opening = settings.openings.game(rules, number, 0, &mut rng, judge);
        opening.map_err(PlayError::Opening)
    })?;
    let mut play = |first_begins: bool| -> Result<GameOfPair<'r, R>, PlayError> {
        let mut game = opening.clone();
        let played = one_game(settings, seats, &mut game, first_begins);
        let played = played.map_err(PlayError::Player)?;
        Ok(GameOfPair { game, played })
    };
    Ok(Pair([play(true)?, play(false)?]))
}

/// A game in which the side whose results are counted is the first player, or
/// the second.
fn one_game<R: Rules>(
    settings: &Contest<R>,
    seats: &mut Seats<'_, R>,
    game: &mut Game<'_, R>,
    first_begins: bool,
) -> Result<Played<R::Move>, PlayerFault> {
    let mut sides = [seats.first.as_mut(), seats.second.as_mut()];
    for (index, side) in sides.iter_mut().enumerate() {
        match side.new_game() {
            Ok(()) => {}
            Err(fault @ PlayerFault::Unusable(_)) => return Err(fault),
            // Out of order before the first move: lost as well.
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
    let mut thinking = match settings.thinking {
        Thinking::Move(limit) => Ok(limit),
        Thinking::Game(control) => Err(Clocks::new(control)),
    };
    play_game(
        game,
        &settings.adjudication,
        |game, first_to_move| {
            let player = &mut sides[usize::from(first_to_move != first_begins)];
            match &mut thinking {
                Ok(limit) => guarded(|| player.choose(game, *limit)),
                Err(clocks) => timed(&mut **player, clocks, game, usize::from(!first_to_move)),
            }
        },
        |_, _| {},
    )
}

/// Asks for a move while a clock runs.
fn timed<R: Rules>(
    player: &mut dyn Player<R>,
    clocks: &mut Clocks,
    game: &Game<'_, R>,
    side: usize,
) -> Result<MoveChoice<R::Move>, PlayerFault> {
    let begun = Instant::now();
    let choice = guarded(|| player.choose(game, clocks.limit(side)));
    let time = begun.elapsed().saturating_sub(player.overhead());
    let mut choice = choice?;
    choice.time = Some(time);
    let flag = |late: Duration| {
        let ms = late.as_secs_f64() * 1e3;
        PlayerFault::Late(format!(
            "out of time by {ms:.0} ms in ply {}",
            game.moves().len() + 1
        ))
    };
    clocks.spend(side, time).map_err(flag)?;
    Ok(choice)
}

impl<R: Rules> std::fmt::Debug for Seats<'_, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Seats").finish_non_exhaustive()
    }
}
