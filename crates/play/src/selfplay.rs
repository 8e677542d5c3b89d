//! An engine against itself: games as data.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rand::RngExt;

use super::adjudication::Adjudication;
use super::game::{GameEnd, play_game};
use super::opening::{OpeningError, Openings, generator};
use super::parallel::{Batch, Wire, in_order_among};
use super::player::{Limit, Player, PlayerFault, Score, guarded};
use super::sampling::{GamePositions, Left, SampledPosition, Sampling};
use super::wire::{read_record, write_record};
use tuner_data::Outcome;
use tuner_data::rules::{Game, Rules};

/// How games are played and what is kept of them.
#[derive(Clone, Debug)]
pub struct SelfPlay<R: Rules> {
    /// Of all random numbers.
    pub seed: u64,
    /// Thinking a move.
    pub limit: Limit,
    /// How games begin. Random openings have one ply more or not, so that both
    /// sides get to move first.
    pub openings: Openings<R>,
    /// When games end early.
    pub adjudication: Adjudication,
    /// What is kept.
    pub sampling: Sampling,
    /// Thinking about each position that is kept, for its score; none: the score is that
    /// of the search that played.
    pub score: Option<Limit>,
}

/// A game's result and its samples in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// The result for the first player.
    pub outcome: Outcome,
    /// Why it is over.
    pub end: GameEnd,
    /// In the order of the game.
    pub samples: Vec<SampledPosition>,
    /// What was not kept.
    pub left: Left,
    /// Moves after the opening.
    pub plies: usize,
    /// Positions that were searched.
    pub nodes: u64,
}

/// Where the time of all threads went.
#[derive(Debug, Default)]
pub struct Spent {
    searching: AtomicU64,
    playing: AtomicU64,
}

impl Spent {
    /// Time within the search, and time in all, of all threads together.
    pub fn times(&self) -> (Duration, Duration) {
        let time = |nanos: &AtomicU64| Duration::from_nanos(nanos.load(Ordering::Relaxed));
        (time(&self.searching), time(&self.playing))
    }

    /// The part of the time that was within the search. None before the first
    /// move.
    pub fn share(&self) -> Option<f64> {
        let (searching, playing) = self.times();
        (!playing.is_zero()).then(|| searching.as_secs_f64() / playing.as_secs_f64())
    }
}

/// Why self-play cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlayError {
    /// A player is out of order.
    #[error(transparent)]
    Player(#[from] PlayerFault),
    /// There is no opening.
    #[error(transparent)]
    Opening(#[from] OpeningError),
}

/// Plays the games of these numbers and hands them over in their order.
///
/// `player` makes the player of a thread. `take` may break off, as [`in_order`](crate::in_order)
/// says. A game depends on the settings, its number and the
/// player alone.
///
/// # Errors
/// If a player cannot be made or fails: an engine that plays itself has no
/// excuse. If no opening is found.
pub fn selfplay<'p, R: Rules>(
    rules: &R,
    settings: &SelfPlay<R>,
    games: &Batch,
    player: impl Fn() -> Box<dyn Player<R> + 'p> + Sync,
    spent: &Spent,
    take: impl FnMut(Option<(u64, GameRecord)>) -> ControlFlow<()>,
) -> Result<(), PlayError> {
    let start = || Ok(player());
    let each = |player: &mut Box<dyn Player<R> + 'p>, number| {
        let begun = Instant::now();
        let record = guarded(|| one_game(rules, settings, number, player.as_mut(), spent));
        add(&spent.playing, begun);
        record
    };
    let wire = Wire {
        write: &write_record,
        read: &|bytes| read_record(bytes).ok_or_else(|| PlayError::Player(no_game())),
        failed: &|words| PlayError::Player(PlayerFault::Unusable(words)),
    };
    in_order_among(games, &wire, start, each, take)
}

/// What a rank sends that is of another version.
pub(crate) fn no_game() -> PlayerFault {
    let words = "another rank sent what is no game here: all ranks need the same program";
    PlayerFault::Unusable(words.to_owned())
}

fn add(sum: &AtomicU64, since: Instant) {
    let nanos = u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX);
    sum.fetch_add(nanos, Ordering::Relaxed);
}

fn one_game<R: Rules>(
    rules: &R,
    settings: &SelfPlay<R>,
    number: u64,
    player: &mut dyn Player<R>,
    spent: &Spent,
) -> Result<GameRecord, PlayError> {
    let mut rng = generator(settings.seed, number);
    let more = rng.random_range(0..2_usize);
    let opening = settings
        .openings
        .game(rules, number, more, &mut rng, player);
    let mut game = opening.map_err(PlayError::Opening)?;
    player.new_game().map_err(PlayError::Player)?;
    let mut kept = GamePositions::new();
    // Two closures need the player, one after the other.
    let player = std::cell::RefCell::new(player);
    let played = play_game(
        &mut game,
        &settings.adjudication,
        |game, _| {
            let begun = Instant::now();
            let choice = player.borrow_mut().choose(game, settings.limit);
            add(&spent.searching, begun);
            choice
        },
        |game, choice| kept.see(game, choice, &mut **player.borrow_mut(), &settings.sampling),
    );
    let played = played.map_err(PlayError::Player)?;
    if let GameEnd::Fault { fault, .. } = played.end {
        return Err(PlayError::Player(fault));
    }
    let (samples, left) = kept.draw(settings.sampling.positions, &mut rng);
    let mut record = GameRecord {
        outcome: played.outcome,
        end: played.end,
        samples,
        left,
        plies: played.plies.len(),
        nodes: played.plies.iter().map(|ply| ply.nodes).sum(),
    };
    if let Some(limit) = settings.score {
        let begun = Instant::now();
        score(rules, &mut record, &mut **player.borrow_mut(), limit)?;
        add(&spent.searching, begun);
    }
    Ok(record)
}

/// Gives samples scores of searches of their own, each of which begins anew; those that
/// announce a mate are left out, as where the search that played does.
fn score<R: Rules>(
    rules: &R,
    record: &mut GameRecord,
    player: &mut dyn Player<R>,
    limit: Limit,
) -> Result<(), PlayError> {
    let mut scored = Vec::with_capacity(record.samples.len());
    for mut sample in record.samples.drain(..) {
        let unreadable = |fault| PlayerFault::Unusable(format!("{}: {fault}", sample.position));
        let position = rules.parse(&sample.position).map_err(unreadable)?;
        let first = rules.first_player_to_move(&position);
        player.new_game()?;
        let choice = player.choose(&Game::new(rules, position), limit)?;
        record.nodes += choice.nodes;
        let Some(Score::Centipawns(score)) = choice.score else {
            record.left.mates += 1;
            continue;
        };
        sample.score = if first { score } else { score.saturating_neg() };
        scored.push(sample);
    }
    record.samples = scored;
    Ok(())
}
