//! Inputs to lines of another file.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::duplicates::{Duplicates, Seen};
use super::filter::{Filter, Filtered, Filters};
use super::per_game::PerGame;
use crate::Expected;
use crate::rules::Rules;
use crate::{
    Around, GameKey, Input, InputError, Observer, ReadError, ReadOptions, ReadReport, Sample,
    read_blocks,
};

/// What is taken of the positions.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a, P> {
    /// What is left out, position by position.
    pub filters: Filters<'a, P>,
    /// Which of equal positions are taken, after the filters.
    pub duplicates: Duplicates,
    /// How many positions of a game are taken at most, after that.
    pub per_game: Option<usize>,
    /// Draws the positions of games.
    pub seed: u64,
}

/// A position on its way out.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// As text.
    pub position: String,
    /// Its [`key`](Rules::key).
    pub key: u64,
    /// The result, for the first player.
    pub outcome: Expected,
    /// The search score, for the first player.
    pub search_score: Option<i32>,
    /// The game.
    pub game: Option<GameKey>,
    /// Half-moves before.
    pub ply: Option<u32>,
    /// The moves around it.
    pub around: Around,
}

/// What became of the inputs: `report.positions = written + filtered`.
#[derive(Clone, Debug)]
pub struct Transformed {
    /// What was read.
    pub report: ReadReport,
    /// What was left out.
    pub filtered: Filtered,
    /// Positions given.
    pub written: u64,
    /// Games among them, wherever their positions stand.
    pub games: u64,
}

/// What one block of lines or games becomes.
#[derive(Default)]
struct Block {
    kept: Vec<Kept>,
    filtered: Filtered,
}

/// Reads inputs, and gives the positions that are taken, in their order, to
/// `give`; it may break off.
///
/// *Cost*: one pass; memory for blocks and a key for each game, with
/// [`duplicates`](Options::duplicates) a key for each position, with
/// [`per_game`](Options::per_game) for what is taken.
///
/// # Errors
/// As [`read_blocks`]; [`InputError::Stopped`] after `give` has broken off.
pub fn transform<R: Rules>(
    rules: &R,
    inputs: &[Input],
    read: &ReadOptions,
    options: &Options<'_, R::Position>,
    mut give: impl FnMut(Kept) -> ControlFlow<()>,
) -> Result<Transformed, ReadError> {
    let stop = Arc::new(AtomicBool::new(false));
    let read = ReadOptions {
        observer: Some(Observer::until(read.observer.clone(), Arc::clone(&stop))),
        ..read.clone()
    };
    let each = |block: &mut Block, sample: Sample<R::Position>| {
        match options.filters.reason(rules, &sample, &mut block.filtered) {
            Some(filter) => block.filtered.count(filter),
            None => block.kept.push(Kept {
                position: rules.describe(&sample.position),
                key: rules.key(&sample.position),
                outcome: sample.outcome,
                search_score: sample.search_score,
                game: sample.game,
                ply: sample.ply,
                around: sample.around,
            }),
        }
        Ok(())
    };
    let mut written = 0;
    let mut games = HashSet::new();
    let mut broken = false;
    let mut count = |kept: Kept| {
        if broken {
            return;
        }
        games.extend(kept.game);
        written += 1;
        broken = give(kept).is_break();
        if broken {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let mut filtered = Filtered::default();
    let mut seen = Seen::default();
    let mut per_game = options
        .per_game
        .map(|most| PerGame::new(most, options.seed));
    let gather = |block: Block| {
        filtered.join(&block.filtered);
        for kept in block.kept {
            let result = kept.outcome.value().to_bits();
            if !seen.takes(options.duplicates, kept.key, result) {
                filtered.count(Filter::Duplicate);
                continue;
            }
            match &mut per_game {
                None => count(kept),
                Some(per_game) => {
                    if per_game.add(kept) {
                        filtered.count(Filter::PerGame);
                    }
                }
            }
        }
    };
    let report = read_blocks(inputs, &read, rules, Block::default, each, gather)?;
    if let Some(per_game) = &mut per_game {
        per_game.finish(&mut count);
    }
    if broken {
        return Err(ReadError {
            inputs: vec![InputError::Stopped],
            report,
        });
    }
    Ok(Transformed {
        report,
        filtered,
        written,
        games: games.len() as u64,
    })
}
