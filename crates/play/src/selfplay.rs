//! An engine against itself: games as data.

use std::time::Instant;

use rand::RngExt;

use super::game::{GameEnd, play_game};
use super::opening::{Openings, generator};
use super::player::{Limit, Player, PlayerFault, Score, guarded};
use super::sampling::{GamePositions, Left, SampledPosition};
use super::settings::SelfPlaySettings;
use tuner_game::Outcome;
use tuner_game::rules::{Game, Rules};

/// A game's result and its samples in order. Records are equal whose games are, whatever time
/// was [`spent`](Self::spent).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// The result for the first player.
    pub outcome: Outcome,
    /// Why it is over.
    pub end: GameEnd,
    /// The positions that were kept, in the order of the game.
    pub samples: Vec<SampledPosition>,
    /// Counts of the positions that were not kept.
    pub left: Left,
    /// Moves after the opening.
    pub plies: usize,
    /// Positions that were searched.
    pub nodes: u64,
    /// Where the time went, which depends on the machine.
    pub spent: Spent,
}

/// Where the time of games went, in nanoseconds. All are equal: no game is another one for the
/// time that it took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spent {
    /// Within the search.
    pub searching: u64,
    /// In all.
    pub playing: u64,
}

impl PartialEq for Spent {
    /// Always true: games that differ in nothing but the time that they took are equal.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Spent {}

impl Spent {
    /// Adds the time of another game.
    pub fn add(&mut self, other: Self) {
        self.searching += other.searching;
        self.playing += other.playing;
    }

    /// Returns the part of the time, from 0 to 1, that was within the search; `None` if no time was
    /// spent yet.
    pub fn share(&self) -> Option<f64> {
        (self.playing > 0).then(|| self.searching as f64 / self.playing as f64)
    }
}

/// Plays game `number`. `openings`: the openings of the settings, [read by the
/// rules](super::OpeningChoice::resolve). The game depends on settings, openings, number and player
/// alone, but for the time [`spent`](GameRecord::spent).
///
/// Random openings have one ply more or not, so that both sides get to move first.
///
/// A game in which the player fails has a [fault](GameEnd::Fault) as its end, and no samples.
///
/// # Errors
/// If the player is unusable, or no opening is found.
pub fn selfplay_game<R: Rules + ?Sized>(
    rules: &R,
    settings: &SelfPlaySettings,
    openings: &Openings<R>,
    number: u64,
    player: &mut dyn Player<R>,
) -> Result<GameRecord, PlayerFault> {
    let begun = Instant::now();
    let mut record = match guarded(|| whole_game(rules, settings, openings, number, player)) {
        Err(fault @ PlayerFault::Unusable(_)) => return Err(fault),
        // One player plays both sides, so neither the side at fault nor a result says anything.
        Err(fault) => GameRecord {
            outcome: Outcome::Draw,
            end: GameEnd::Fault { first: true, fault },
            samples: Vec::new(),
            left: Left::default(),
            plies: 0,
            nodes: 0,
            spent: Spent::default(),
        },
        Ok(record) => record,
    };
    record.spent.playing = nanoseconds(begun);
    Ok(record)
}

/// Plays game `number`, keeps positions of it and, where the settings ask for that, scores them by
/// searches of their own. The error is the fault that ended the game. Of the time only the part
/// within the search is set.
fn whole_game<R: Rules + ?Sized>(
    rules: &R,
    settings: &SelfPlaySettings,
    openings: &Openings<R>,
    number: u64,
    player: &mut dyn Player<R>,
) -> Result<GameRecord, PlayerFault> {
    let mut rng = generator(settings.seed, number);
    // A random opening has one ply more or not, so that both sides get to move first.
    let more = rng.random_range(0..2_usize);
    let mut game = openings.game(rules, number, more, &mut rng, player)?;
    player.new_game()?;
    let (mut kept, mut spent) = (GamePositions::default(), Spent::default());
    // Two closures need the player, one after the other.
    let player = std::cell::RefCell::new(player);
    let played = play_game(
        &mut game,
        &settings.adjudication,
        |game, _| {
            let begun = Instant::now();
            let choice = player.borrow_mut().choose(game, settings.limit);
            spent.searching += nanoseconds(begun);
            choice
        },
        |game, choice| kept.see(game, choice, &mut **player.borrow_mut(), &settings.sampling),
    )?;
    if let GameEnd::Fault { fault, .. } = played.end {
        return Err(fault);
    }
    let (samples, left) = kept.draw(settings.sampling.positions, &mut rng);
    let mut record = GameRecord {
        outcome: played.outcome,
        end: played.end,
        samples,
        left,
        plies: played.plies.len(),
        nodes: played.plies.iter().map(|ply| ply.nodes).sum(),
        spent,
    };
    if let Some(limit) = settings.score {
        let begun = Instant::now();
        score(rules, &mut record, &mut **player.borrow_mut(), limit)?;
        record.spent.searching += nanoseconds(begun);
    }
    Ok(record)
}

/// Returns the time since an instant, in nanoseconds.
fn nanoseconds(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// Replaces the scores of the positions that were kept by those of searches that each begin anew,
/// from the first player's side; positions whose search announces a mate or gives no score are left
/// out, and counted so. Nodes are added to those of the game. The error is a fault of the player,
/// or that a position cannot be read again.
fn score<R: Rules + ?Sized>(
    rules: &R,
    record: &mut GameRecord,
    player: &mut dyn Player<R>,
    limit: Limit,
) -> Result<(), PlayerFault> {
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
