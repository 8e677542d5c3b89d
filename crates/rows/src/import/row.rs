//! From a row of a file to a row of the trace set.

use tuner_base::LaneId;
use tuner_game::GameKey;
use tuner_trace::{Form, Leaf, Trace};

use super::features::{FeatureMap, Target};
use super::units::{Precision, units};
use super::{ImportError, TracePlace};
use crate::{Compactor, RowDraft, RowInfo, TraceSet};

/// Largest number of a row: squares of it and their sums stay far from the end of
/// what floats hold.
const LARGEST: f64 = 1e9;

const FINITE: &str = "a finite number, at most 1e9 in size";
const ANY_SIZE: [f64; 2] = [-LARGEST, LARGEST];

/// Columns of single numbers: name, range, what is expected.
pub(super) const FACTS: [(&str, [f64; 2], &str); 7] = [
    ("outcome", [0.0, 1.0], "a number from 0 (loss) to 1 (win)"),
    ("constant", ANY_SIZE, FINITE),
    ("phase", ANY_SIZE, FINITE),
    ("eg_scale", ANY_SIZE, FINITE),
    (
        "weight",
        [0.0, LARGEST],
        "a finite number of at least 0, at most 1e9",
    ),
    (
        SEARCH_SCORE,
        [i32::MIN as f64, i32::MAX as f64],
        "an integer of 32 bits",
    ),
    ("score", ANY_SIZE, FINITE),
];

/// The one of them that is an integer.
const SEARCH_SCORE: &str = "search_score";

/// The game of a row.
#[derive(Clone, Copy, Debug)]
pub(super) enum GameId<'a> {
    Number(f64),
    Name(&'a str),
}

/// A row as it is in a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawRow<'a> {
    pub(super) place: TracePlace,
    /// Those of [`FACTS`] that there are.
    pub(super) facts: [Option<f64>; FACTS.len()],
    pub(super) game: Option<GameId<'a>>,
    pub(super) features: &'a [f64],
    pub(super) coefficients: &'a [f64],
    /// How exact the coefficients are.
    pub(super) precision: Precision,
}

/// Builds the trace set, row by row.
#[derive(Debug)]
pub(super) struct RowBuilder {
    map: FeatureMap,
    /// Largest difference of a score that is rounding.
    rounding: f64,
    pub(super) traces: TraceSet,
    /// Rows whose score was compared, and the largest difference.
    pub(super) compared: (u64, f64),
    /// Rows with a score that nothing could be compared with.
    pub(super) not_compared: u64,
    rows: u64,
    /// Whether games are texts, once one is known.
    named_games: Option<bool>,
    compactor: Compactor,
    draft: RowDraft,
    trace: Trace,
}

impl RowBuilder {
    pub(super) fn new(map: FeatureMap, rounding: f64) -> Self {
        let lanes = (0..2 * map.slots as u32).map(LaneId).collect();
        Self {
            traces: TraceSet::new(map.slots),
            map,
            rounding,
            compared: (0, 0.0),
            not_compared: 0,
            rows: 0,
            named_games: None,
            compactor: Compactor::new(lanes),
            draft: RowDraft::default(),
            trace: Trace::default(),
        }
    }

    /// Names and lanes of the weights; empty where a spec has them.
    pub(super) fn finish(self) -> (TraceSet, Vec<(String, LaneId)>) {
        let mut traces = self.traces;
        traces.finish();
        (traces, self.map.weights)
    }

    /// Appends a row, or reports what is wrong with it.
    pub(super) fn push(&mut self, row: &RawRow<'_>, problems: &mut ImportError) {
        let before = problems.count;
        let info = self.info(row, problems);
        self.fill(row, problems);
        if problems.count != before {
            return;
        }
        self.compare(row, problems);
        self.compactor.draft(&self.trace, &mut self.draft);
        if let Err(error) = self.traces.push(&self.draft, &info) {
            problems.at(row.place, error.to_string());
        }
    }

    /// The facts about a position that its trace does not hold.
    fn info(&mut self, row: &RawRow<'_>, problems: &mut ImportError) -> RowInfo {
        let mut wrong = |column: &str, what: String| problems.cell(row.place, column, what);
        for ((name, [low, high], expected), value) in FACTS.into_iter().zip(row.facts) {
            if let Some(value) = value
                && (!(low..=high).contains(&value) || name == SEARCH_SCORE && value.fract() != 0.0)
            {
                wrong(name, format!("is {value}; expected {expected}"));
            }
        }
        let is_named = row.game.map(|game| matches!(game, GameId::Name(_)));
        if let Some(is_named) = is_named
            && *self.named_games.get_or_insert(is_named) != is_named
        {
            wrong(
                "game",
                "is a text where others are numbers, or a number where others are texts; give all \
                 games one kind"
                    .to_owned(),
            );
        }
        let game = match row.game {
            None => self.rows as u32,
            // As of the positions of an engine, so that both hold out the same games.
            Some(GameId::Name(name)) => GameKey::of(name).number(),
            Some(GameId::Number(game)) => {
                if !(0.0..=f64::from(u32::MAX)).contains(&game) || game.fract() != 0.0 {
                    wrong(
                        "game",
                        format!("is {game}; expected an integer from 0 to 4294967295, or a text"),
                    );
                }
                game as u32
            }
        };
        self.rows += 1;
        let [outcome, .., weight, search_score, _] = row.facts;
        RowInfo {
            outcome: outcome.unwrap_or(f64::NAN),
            game,
            weight: weight.unwrap_or(1.0),
            search_score: search_score.map(|score| score as i32),
        }
    }

    /// Fills the trace.
    fn fill(&mut self, row: &RawRow<'_>, problems: &mut ImportError) {
        let [_, constant, phase, scale, ..] = row.facts;
        self.trace.constant = constant.unwrap_or(0.0);
        let taper = phase.map(|phase| [phase, (1.0 - phase) * scale.unwrap_or(1.0)]);
        for value in row.coefficients {
            if value.abs() > LARGEST || value.is_nan() {
                let what = format!("is {value}; expected {FINITE}");
                problems.cell(row.place, "coefficient", what);
            }
        }
        let [features, coefficients] = [row.features, row.coefficients];
        if features.len() != coefficients.len() {
            let what = format!(
                "has {} entries, `feature` has {}; expected equal lengths",
                coefficients.len(),
                features.len()
            );
            problems.cell(row.place, "coefficient", what);
            return;
        }
        // Pairs, first lanes, second lanes: what may share a factor.
        let mut parts: [Vec<(LaneId, f64)>; 3] = Default::default();
        for (&feature, &coefficient) in features.iter().zip(coefficients) {
            match self.map.target(feature) {
                Some(Target::Pair(slot)) => {
                    parts[0].push((LaneId(2 * slot.0), coefficient));
                }
                Some(Target::Lane(lane)) => parts[1 + lane.side()].push((lane, coefficient)),
                None => problems.cell(
                    row.place,
                    "feature",
                    format!("has entry {feature}; expected {}", self.map.expected()),
                ),
            }
        }
        self.trace.forms.clear();
        for (number, part) in parts.iter().enumerate() {
            for (unit, terms) in units(part, row.precision) {
                let factors = match (number, &taper) {
                    (0, Some(taper)) => &taper[..],
                    _ => &[1.0],
                };
                for (side, factor) in factors.iter().enumerate() {
                    let terms = terms.iter();
                    self.trace.forms.push(Form {
                        factor: factor * unit,
                        terms: terms
                            .map(|&(lane, count)| (Leaf(lane.0 + side as u32), count))
                            .collect(),
                    });
                }
            }
        }
    }

    /// Compares the trace with the score, where there are both.
    fn compare(&mut self, row: &RawRow<'_>, problems: &mut ImportError) {
        let [.., Some(score)] = row.facts else {
            return;
        };
        let Some(initial) = &self.map.initial else {
            self.not_compared += 1;
            return;
        };
        let value = |form: &Form| {
            let terms = form.terms.iter();
            let sum: f64 = terms
                .map(|&(leaf, count)| count as f64 * initial[leaf.index()])
                .sum();
            form.factor * sum
        };
        let traced = self.trace.constant + self.trace.forms.iter().map(value).sum::<f64>();
        let difference = (traced - score).abs();
        self.compared = (self.compared.0 + 1, self.compared.1.max(difference));
        // What floats lose in a sum is not a mistake.
        let lost = 1e-9 * (1.0 + score.abs());
        if difference > self.rounding + lost {
            let what = format!(
                "is {score}, and the row gives {traced:.3} at the spec's initial weights; expected \
                 a difference of at most {}: correct the coefficients, or the weights at which the \
                 score is computed (docs/traces.md, `tuner.rounding`)",
                self.rounding
            );
            problems.cell(row.place, "score", what);
        }
    }
}
