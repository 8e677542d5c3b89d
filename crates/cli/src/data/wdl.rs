//! `data wdl`: win, draw and loss by search score and material.

use std::ops::ControlFlow;

use super::args::InputArgs;
use crate::output;
use crate::table::TextTable;
use tuner_base::mix;
use tuner_data::{AnyGame, Sample, read_blocks};
use tuner_jobs::{InputSet, Job, JobFailure as Failure};
use tuner_judge::{NORMAL_MATERIAL, WdlModel, WdlSample, fit_wdl};

/// Positions with a score, and how many have none.
#[derive(Default)]
struct Block {
    samples: Vec<WdlSample>,
    without_score: u64,
}

impl Block {
    fn add(&mut self, rules: &AnyGame, sample: &Sample) {
        let Some(score) = sample.labelled.search_score else {
            self.without_score += 1;
            return;
        };
        let (game, at) = (sample.labelled.game, sample.location);
        let game = game.map_or(mix(u64::from(at.input) << 32 ^ at.line) as u32, |game| {
            game.number()
        });
        let material = rules.material(&sample.labelled.position);
        self.samples.push(WdlSample {
            // Each for itself, where no game is named.
            game,
            weight: sample.weight,
            outcome: sample.labelled.outcome.value(),
            score: f64::from(score),
            material: material.map_or(NORMAL_MATERIAL, |of| f64::from(of) / 100.0),
        });
    }
}

pub(super) fn run(job: &Job, rules: &AnyGame, args: &InputArgs) -> Result<(), Failure> {
    let given = InputSet::new(job, rules, &args.config(), true)?;
    let each = |block: &mut Block, sample: Sample| {
        block.add(rules, &sample);
        Ok(())
    };
    let mut all = Block::default();
    let gather = |block: Block| {
        all.samples.extend(block.samples);
        all.without_score += block.without_score;
        ControlFlow::Continue(())
    };
    let read = read_blocks(
        &given.inputs,
        &given.options,
        rules,
        Block::default,
        each,
        gather,
    );
    job.reading_ended();
    if job.is_interrupted() {
        let words = "before everything was read";
        return Err(Failure::Interrupted(words.to_owned()));
    }
    job.say_reading(&read?);
    if all.without_score > 0 {
        say!(
            "{} positions have no search score and are left out",
            all.without_score
        );
    }
    let model = fit_wdl(&all.samples).map_err(|error| error.to_string())?;
    if args.print.json {
        output::json(&model)
    } else {
        output::text(&words(&model))
    }
}

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
        let numbers = numbers
            .as_flattened()
            .iter()
            .map(|number| format!("{number:.1}"));
        let mut cells = vec![format!("{:.0}", point.material)];
        cells.extend(numbers);
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
