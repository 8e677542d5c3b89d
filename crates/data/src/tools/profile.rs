//! The profile of inputs: counts and distributions.

use std::collections::HashMap;
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use crate::{AnyGame, Input, Outcome, ReadError, ReadOptions, ReadReport, Sample, read_blocks};

/// Positions and their results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct ResultCounts {
    /// Positions, those among them whose results are probabilities.
    pub positions: u64,
    /// Of games that the first player won.
    pub wins: u64,
    /// Of games that were drawn.
    pub draws: u64,
    /// Of games that the first player lost.
    pub losses: u64,
}

tuner_base::add_fields! { ResultCounts { positions, wins, draws, losses } }

/// The profile of inputs: counts and distributions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// The report of the reading.
    pub report: ReadReport,
    /// Results of all positions.
    pub results: ResultCounts,
    /// Results by who is to move: the first player, the second.
    pub to_move: [ResultCounts; 2],
    /// By what both sides have on the board: range number `n` begins at `n · MATERIAL`, and the
    /// hundredth holds all beyond. Empty in a game that does not say.
    pub by_material: Vec<ResultCounts>,
    /// Games; positions without game are none.
    pub games: u64,
    /// Fewest and most positions of a game.
    pub positions_of_game: [u64; 2],
    /// Positions that were there before.
    pub duplicates: u64,
    /// Positions that are there with different results, each counted once.
    pub contradictions: u64,
    /// Positions that the rules call in check.
    pub in_check: u64,
    /// Smallest, mean and largest search score.
    pub scores: Option<[f64; 3]>,
}

/// Width of a range of material, in hundredths of the least piece.
pub const MATERIAL: i32 = 1_000;

/// What is counted of a block, and what can be counted over all blocks only.
#[derive(Default)]
struct Block {
    /// Key and bits of R of each position: equal results are equal.
    seen: Vec<(u64, u64)>,
    part: Profile,
    /// The game of each position that has one, and the search score of each that has one.
    games: Vec<u64>,
    scores: Vec<i32>,
}

impl ResultCounts {
    /// Counts a position with its result; `None` if that is a probability.
    pub fn add(&mut self, outcome: Option<Outcome>) {
        self.positions += 1;
        match outcome {
            Some(Outcome::Win) => self.wins += 1,
            Some(Outcome::Draw) => self.draws += 1,
            Some(Outcome::Loss) => self.losses += 1,
            None => {}
        }
    }

    /// Returns how many results are probabilities.
    pub const fn probabilities(&self) -> u64 {
        self.positions - self.wins - self.draws - self.losses
    }
}

/// Reads inputs, and counts positions, results, games, duplicates and what else a profile has.
///
/// *Cost*: one pass; 16 bytes a position and some 30 a game.
///
/// # Errors
/// If an input cannot be read to its end, or there are bad lines that `options` do not skip.
pub fn profile(
    rules: &AnyGame,
    inputs: &[Input],
    options: &ReadOptions,
) -> Result<Profile, ReadError> {
    let each = |block: &mut Block, sample: Sample| {
        block.add(rules, &sample);
        Ok(())
    };
    let mut profile = Profile::default();
    let mut seen = Vec::new();
    let mut games: HashMap<u64, u64> = HashMap::new();
    let (mut count, mut sum, mut range) = (0_u64, 0_i64, [i32::MAX, i32::MIN]);
    let gather = |block: Block| {
        profile.join(&block.part);
        seen.extend(block.seen);
        for game in block.games {
            *games.entry(game).or_default() += 1;
        }
        for score in block.scores {
            count += 1;
            sum += i64::from(score);
            range = [range[0].min(score), range[1].max(score)];
        }
        ControlFlow::Continue(())
    };
    profile.report = read_blocks(inputs, options, rules, Block::default, each, gather)?;
    profile.games = games.len() as u64;
    let fewest = games.values().min().copied().unwrap_or(0);
    profile.positions_of_game = [fewest, games.values().max().copied().unwrap_or(0)];
    profile.scores = (count > 0).then(|| {
        let mean = sum as f64 / count as f64;
        [f64::from(range[0]), mean, f64::from(range[1])]
    });
    // Key and result of each position: equal positions are then neighbours, in the order of their
    // results.
    seen.sort_unstable();
    for equal in seen.chunk_by(|a, b| a.0 == b.0) {
        profile.duplicates += equal.len() as u64 - 1;
        profile.contradictions += u64::from(equal[0].1 != equal[equal.len() - 1].1);
    }
    Ok(profile)
}

impl Block {
    /// Counts a position of the block, and notes its key, result, game and score for what can only
    /// be counted over all blocks. Ranges of material are ten of the least piece wide (`MATERIAL`,
    /// in hundredths of it); the hundredth range takes all beyond.
    fn add(&mut self, rules: &AnyGame, sample: &Sample) {
        let position = &sample.labelled.position;
        let outcome = sample.labelled.outcome.outcome();
        self.part.results.add(outcome);
        let second = usize::from(!rules.first_player_to_move(position));
        self.part.to_move[second].add(outcome);
        if let Some(material) = rules.material(position) {
            let range = (material / MATERIAL).clamp(0, 99) as usize;
            let ranges = &mut self.part.by_material;
            if ranges.len() <= range {
                ranges.resize(range + 1, ResultCounts::default());
            }
            ranges[range].add(outcome);
        }
        self.part.in_check += u64::from(rules.is_check(position));
        let result = sample.labelled.outcome.value().to_bits();
        self.seen.push((rules.key(position), result));
        self.games.extend(sample.labelled.game.map(|game| game.0));
        self.scores.extend(sample.labelled.search_score);
    }
}

impl Profile {
    /// Adds the counts of a block: results, by side to move and by material as well, and positions
    /// in check. All else is known only over all blocks.
    fn join(&mut self, part: &Self) {
        self.results += part.results;
        for (sum, part) in self.to_move.iter_mut().zip(part.to_move) {
            *sum += part;
        }
        let ranges = self.by_material.len().max(part.by_material.len());
        self.by_material.resize(ranges, ResultCounts::default());
        for (sum, part) in self.by_material.iter_mut().zip(&part.by_material) {
            *sum += *part;
        }
        self.in_check += part.in_check;
    }
}
