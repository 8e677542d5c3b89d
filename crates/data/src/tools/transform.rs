//! Inputs to lines of another file.

use std::collections::HashSet;
use std::ops::ControlFlow;

use super::duplicates::{Duplicates, Seen};
use super::filter::{Filter, Filtered, Filters, QuietLook};
use super::per_game::PerGame;
use crate::{
    AnyGame, Input, InputError, LabelledPosition, ReadError, ReadOptions, ReadReport, Sample,
    read_blocks,
};

/// The options of a transformation of positions.
#[derive(Clone, Copy)]
pub struct TransformOptions<'a> {
    /// The filters of single positions.
    pub filters: Filters<'a>,
    /// Returns the static score and the quiescence score that some filters need; without it those
    /// filters cannot judge.
    pub look: Option<&'a QuietLook<'a>>,
    /// Which of equal positions are taken, after the filters.
    pub duplicates: Duplicates,
    /// How many positions of a game are taken at most, after duplicates are left out; `None`: all.
    pub per_game: Option<usize>,
    /// Seed by which the positions of a game are drawn.
    pub seed: u64,
}

tuner_base::impl_fmt! { Debug for TransformOptions<'_> }

/// A position on its way out.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyedPosition {
    /// Its [`key`](crate::rules::Rules::key).
    pub key: u64,
    /// The position as text, and its labels.
    pub labelled: LabelledPosition<String>,
    /// Whether it is the first player's turn.
    pub first_to_move: bool,
    /// The id of its game, where the data give one in words.
    pub game_id: Option<Box<str>>,
}

/// The result of a transformation: `report.positions = written + filtered`.
#[derive(Clone, Debug)]
pub struct Transformed {
    /// The report of the reading.
    pub report: ReadReport,
    /// Counts of what was left out.
    pub filtered: Filtered,
    /// Positions given.
    pub written: u64,
    /// Games among them, wherever their positions stand.
    pub games: u64,
}

/// The result of one block of lines or games.
#[derive(Default)]
struct Block {
    kept: Vec<KeyedPosition>,
    filtered: Filtered,
}

/// Reads inputs, and gives the positions that the filters take, in their order, to `give`, which
/// may break off.
///
/// *Cost*: one pass; memory for blocks and a key for each game, with
/// [`duplicates`](TransformOptions::duplicates) a key for each position, with
/// [`per_game`](TransformOptions::per_game) for what is taken.
///
/// # Errors
/// If an input cannot be read to its end, or there are bad lines that `read` does not skip;
/// [`InputError::Stopped`] after `give` has broken off.
pub fn transform(
    rules: &AnyGame,
    inputs: &[Input],
    read: &ReadOptions,
    options: &TransformOptions<'_>,
    mut give: impl FnMut(KeyedPosition) -> ControlFlow<()>,
) -> Result<Transformed, ReadError> {
    // On any thread: the filters of single positions, and the texts of those that they take.
    let each = |block: &mut Block, sample: Sample| {
        let (filters, filtered) = (&options.filters, &mut block.filtered);
        if let Some(filter) = filters.reason(rules, options.look, &sample, filtered) {
            filtered.count(filter);
            return Ok(());
        }
        let position = &sample.labelled.position;
        let (key, text) = (rules.key(position), rules.describe(position));
        let first_to_move = rules.first_player_to_move(position);
        let labelled = sample.labelled.with_position(|_| text);
        block.kept.push(KeyedPosition {
            key,
            labelled,
            first_to_move,
            game_id: sample.game_id,
        });
        Ok(())
    };
    let mut written = 0;
    let mut games = HashSet::new();
    let mut count = |kept: KeyedPosition| {
        games.extend(kept.labelled.game);
        written += 1;
        give(kept)
    };
    let mut filtered = Filtered::default();
    let mut seen = Seen::default();
    let most = options.per_game;
    let mut per_game = most.map(|most| PerGame::new(most, options.seed));
    // In the order of the input: duplicates, then how many positions of a game are taken.
    let gather = |block: Block| {
        filtered.join(&block.filtered);
        for kept in block.kept {
            let result = kept.labelled.outcome.value().to_bits();
            if !seen.takes(options.duplicates, kept.key, result) {
                filtered.count(Filter::Duplicate);
                continue;
            }
            match &mut per_game {
                None => count(kept)?,
                Some(per_game) => {
                    if per_game.add(kept) {
                        filtered.count(Filter::PerGame);
                    }
                }
            }
        }
        ControlFlow::Continue(())
    };
    let report = read_blocks(inputs, read, rules, Block::default, each, gather)?;
    // Which positions of each game are taken is known only now.
    if let Some(per_game) = per_game
        && per_game.taken.into_values().try_for_each(count).is_break()
    {
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
