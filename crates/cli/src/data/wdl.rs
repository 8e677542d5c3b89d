//! `data wdl`: win, draw and loss by search score and material.

use std::ops::ControlFlow;

use super::args::InputArgs;
use crate::output;
use crate::table::TextTable;
use tuner_data::{AnyGame, GameKey, Sample, read_blocks};
use tuner_jobs::{InputSet, Job, JobResult as Result};
use tuner_judge::{NORMAL_MATERIAL, WdlModel, WdlSample, fit_wdl};

/// The positions of one block of input that have a score, each with its game if known, and how many
/// have no score.
#[derive(Default)]
struct Block {
    samples: Vec<(Option<GameKey>, WdlSample)>,
    without_score: u64,
}

impl Block {
    /// Adds a position with its score, result and material, or counts it where it has no score.
    /// Material is in pawns; where the game tells none, it is `NORMAL_MATERIAL` (58), at which
    /// scores are normalised. The number of the game is 0 until blocks are gathered.
    fn add(&mut self, rules: &AnyGame, sample: &Sample) {
        let Some(score) = sample.labelled.search_score else {
            self.without_score += 1;
            return;
        };
        let material = rules.material(&sample.labelled.position);
        let found = WdlSample {
            game: 0,
            weight: sample.weight,
            outcome: sample.labelled.outcome.value(),
            score: f64::from(score),
            material: material.map_or(NORMAL_MATERIAL, |of| f64::from(of) / 100.0),
        };
        self.samples.push((sample.labelled.game, found));
    }
}

/// Runs `data wdl`: fits win, draw and loss to the search scores of data, and prints the model;
/// positions without a score are left out.
pub(super) fn run(job: &Job, rules: &AnyGame, args: &InputArgs) -> Result<()> {
    // `true`: the progress of the reading is shown.
    let given = InputSet::new(job, rules, &args.config(), true)?;
    let each = |block: &mut Block, sample: Sample| {
        block.add(rules, &sample);
        Ok(())
    };
    let (mut all, mut without_score) = (Vec::new(), 0);
    // Called with the blocks in their order, so that the numbers of games do not depend on threads.
    let gather = |block: Block| {
        for (game, sample) in block.samples {
            // A position without a game counts as a game of its own.
            let alone = || GameKey::of_position(all.len() as u64);
            let game = game.unwrap_or_else(alone).number();
            all.push(WdlSample { game, ..sample });
        }
        without_score += block.without_score;
        ControlFlow::Continue(())
    };
    let (inputs, options) = (&given.inputs, &given.options);
    let read = read_blocks(inputs, options, rules, Block::default, each, gather);
    // An interruption is told rather than the error of the reading, which it causes.
    job.has_read("before everything was read")?;
    job.say_reading(&read?);
    if without_score > 0 {
        say!("{without_score} positions have no search score and are left out");
    }
    let model = fit_wdl(&all).map_err(|error| error.to_string())?;
    if args.print.json {
        output::json(&model)
    } else {
        output::text(&words(&model))
    }
}

/// Returns the model in words, tables and code. Its `a` is the score that wins half of the games
/// and its `b` the score by which the odds grow e-fold, each with a standard error, of which 1.96
/// are shown, for 95 %.
fn words(model: &WdlModel) -> String {
    let head = format!(
        "{} positions of {} games, {} of them drawn\n{}\n",
        model.positions,
        model.games,
        model.drawn_games,
        model.sentence()
    );
    let mut points = TextTable::new("material,a,± 95 %,b,± 95 %");
    for point in &model.points {
        let numbers = [point.a, point.b].map(|[value, error]| [value, 1.96 * error]);
        let mut cells = vec![format!("{:.0}", point.material)];
        cells.extend(numbers.as_flattened().iter().map(|n| format!("{n:.1}")));
        points.row(cells);
    }
    let mut scores =
        TextTable::new("<centipawns,positions,won,expected,drawn,expected,lost,expected");
    let [won, drawn, lost] = &model.by_score;
    for ((won, drawn), lost) in won.bins.iter().zip(&drawn.bins).zip(&lost.bins) {
        let mut cells = vec![won.label.clone(), won.positions.to_string()];
        for bin in [won, drawn, lost] {
            let shares = [bin.means.outcome, bin.means.expectation];
            cells.extend(shares.map(|share| format!("{:.1} %", 100.0 * share)));
        }
        scores.row(cells);
    }
    format!(
        "{head}{}{}{}\n",
        points.text(),
        scores.text(),
        model.code().join("\n")
    )
}
