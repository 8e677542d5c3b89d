//! The positions of a fit, once it is done: calibration, those explained worst, and
//! what the data are.
//!
//! Scores come from the rows of the fit, what the data are was noted when they were read.
//! Read again are the positions that are shown, and those whose rows are of another branch
//! at these weights.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::pass::PointTracer;
use super::point::TracePoint;
use super::ranking::{MostOf, Ranking};
use super::weights::WeightSet;
use crate::EngineRows;
use tuner_data::{ReadError, Sample, read_numbered};
use tuner_evaluation::Resolve;
use tuner_evaluation::notes::{DataProfile, MATERIAL, PositionNotes, men_label};
use tuner_fit::model::Part;
use tuner_fit::run::FinishedRun;
use tuner_judge::{
    Calibration, CalibrationFeature, CalibrationSums, NORMAL_MATERIAL, RowScores, ScoredRow,
    WdlModel, WdlSample, examined_part, fit_wdl,
};
use tuner_parallel as parallel;
use tuner_rows::{Linearised, Row, TraceSet};

/// The features by which calibration is shown, besides the score.
const FEATURES: [CalibrationFeature; 3] = [
    CalibrationFeature {
        name: "phase",
        label: men_label,
    },
    CalibrationFeature {
        name: "side to move",
        label: |bin| ["first", "second"][bin.min(1) as usize].to_owned(),
    },
    CalibrationFeature {
        name: "pawns ahead",
        label: |bin| {
            let (bin, last) = (bin as usize, MATERIAL.len());
            match bin {
                0 => format!("< {:+}", MATERIAL[0]),
                _ if bin >= last => format!("≥ {:+}", MATERIAL[last - 1]),
                _ => format!("{:+}…{:+}", MATERIAL[bin - 1], MATERIAL[bin]),
            }
        },
    },
];

/// Rows that one thread scores at a time. Chosen.
const CHUNK: usize = 4096;

/// Positions that are listed, one of a game: its others are alike.
const WORST: MostOf = MostOf { all: 12, game: 1 };

/// A position whose result the fitted weights expected least. Values are the first
/// player's.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct WorstPosition {
    /// The position, as the data have it.
    pub position: String,
    /// Its file.
    pub file: String,
    /// Its line, or the number of its record.
    pub line: u64,
    /// The number of its game; `None` if the data do not know games.
    pub game: Option<u32>,
    /// The result R.
    pub outcome: f64,
    /// Its scores at the weights before and after, in centipawns.
    pub scores: [f64; 2],
    /// Its expectations at the weights before and after.
    pub expectations: [f64; 2],
    /// The score of a search, if the data have one.
    pub search_score: Option<i32>,
    /// Its loss (p − R)² after the fit.
    pub loss: f64,
}

/// Findings about a fit by its positions, or, where these cannot be looked at, by its rows alone.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct FittedPositions {
    /// Whether scores are those of the ends of quiescence searches.
    pub resolved: bool,
    /// By score, phase, side to move and material; of rows alone by score.
    pub calibration: Calibration,
    /// The positions explained worst, of held-out games where there are any, the worst first.
    pub worst: Vec<WorstPosition>,
    /// The profile of the data; `None` of rows alone.
    pub profile: Option<DataProfile>,
    /// Win, draw and loss by the scores after the fit and by material.
    pub wdl: Option<WdlModel>,
    /// Why there is no such model; `None` if there is one.
    pub wdl_left_out: Option<String>,
    /// Why nothing but rows was looked at; `None` if positions were.
    pub left_out: Option<String>,
}

impl FittedPositions {
    /// Makes the findings from the calibration of rows alone. `left_out`: why positions could not
    /// be looked at.
    pub fn of_rows(calibration: Calibration, left_out: String) -> Self {
        Self {
            resolved: false,
            calibration,
            worst: Vec::new(),
            profile: None,
            wdl: None,
            wdl_left_out: None,
            left_out: Some(left_out),
        }
    }
}

/// Why nothing is said of the positions of a fit.
#[derive(Debug, thiserror::Error)]
pub enum FittedPositionsError {
    /// The positions can be read once only.
    #[error("standard input and pipes can be read once; give a file")]
    Unrepeatable,
    /// Each of several processes has read a part of them.
    #[error(
        "positions are looked at one by one where one process has them all: `residuals --run` \
         does so"
    )]
    SeveralRanks,
    /// The positions read are not those that were fitted.
    #[error(
        "the data have changed since they were fitted: the weights are those of the data as they \
         were read then; fit again for those of today"
    )]
    Changed,
    /// The positions cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// An examined position, by its rows.
#[derive(Clone, Copy, Debug)]
struct Examined {
    /// Its number among the positions that became rows.
    number: usize,
    /// The number of its row among those of the fit.
    row: usize,
    /// Its scores at the weights before and after.
    scores: [f64; 2],
}

/// Looks at the positions of a fit, those of held-out games, or all where none are held out,
/// at the weights before and after.
///
/// *Numerics*: the same for any number of threads.
/// *Cost*: two passes over the rows of the games looked at, a reading of some lines, and two traces
/// of each of these; of resolved positions, which may be others at other weights, all of these
/// games are read and traced. 24 bytes a position of the games, another 8 a position while
/// duplicates are counted.
///
/// Positions whose score is not finite before or after the fit are left out.
///
/// # Errors
/// If they cannot be read again, or are not those that were fitted; or if several ranks have read
/// them: then no process has notes on all positions, by which they are found again.
pub fn fitted_positions(
    rows: &EngineRows<'_>,
    run: &FinishedRun<'_>,
) -> Result<FittedPositions, FittedPositionsError> {
    if !rows.positions.can_be_read_again() {
        return Err(FittedPositionsError::Unrepeatable);
    }
    let notes = rows.notes.as_ref();
    let notes = notes.ok_or(FittedPositionsError::SeveralRanks)?;
    let look = Look::new(rows, run, notes);
    // Scores by the rows; then positions read again, by their places in `examined`: those that rows
    // do not score, and the worst.
    let mut examined = look.by_rows(run);
    let mut found = look.read_again(&examined, run)?;
    for (&place, read) in &found {
        examined[place].scores = read.scores;
    }
    // Of each pair the first is before the fit, the second after it.
    let mut sums = [0, 1].map(|_| CalibrationSums::new(FEATURES.len()));
    let mut worst = Ranking::new(WORST);
    let mut samples = Vec::new();
    for (place, position) in examined.iter().enumerate() {
        let Some(scored) = look.scored(position) else {
            continue;
        };
        for (sums, row) in sums.iter_mut().zip(&scored) {
            sums.add(row, &notes.bins(position.number));
        }
        let material = notes.material(position.number);
        samples.push(WdlSample {
            game: scored[1].game,
            weight: scored[1].weight,
            outcome: scored[1].outcome,
            score: scored[1].score,
            // Where the game does not say it, about that of a middlegame.
            material: material.map_or(NORMAL_MATERIAL, f64::from),
        });
        if scored[1].weight > 0.0 && found.contains_key(&place) {
            worst.add(loss(&scored[1]), scored[1].game, || place);
        }
    }
    let worst = worst.into_sorted().into_iter();
    let worst = worst.filter_map(|place| found.remove(&place)?.shown);
    let [before, after] = sums;
    let wdl = fit_wdl(&samples);
    Ok(FittedPositions {
        wdl_left_out: wdl.as_ref().err().map(ToString::to_string),
        wdl: wdl.ok(),
        resolved: rows.positions.resolve == Resolve::Quiescence,
        calibration: Calibration {
            held_out: look.held_out,
            positions: after.positions,
            before: before.calibration(&FEATURES),
            after: after.calibration(&FEATURES),
        },
        worst: worst.collect(),
        profile: Some(notes.profile()),
        left_out: None,
    })
}

/// Returns the squared residual (p − R)² of a row, its expectation minus its result, by which
/// positions are ranked.
fn loss(row: &ScoredRow) -> f64 {
    (row.expectation - row.outcome).powi(2)
}

/// A position that was read again.
struct ReadAgain {
    /// Its scores at the weights before and after, NaN where it could not be traced.
    scores: [f64; 2],
    /// What is shown of it, if it may be among the worst.
    shown: Option<WorstPosition>,
}

/// A look at the positions of a fit; of pairs the first is before the fit, the second after it.
struct Look<'a> {
    rows: &'a EngineRows<'a>,
    notes: &'a PositionNotes,
    weights: [WeightSet; 2],
    /// Makes scored rows of scores at these weights.
    scores: [RowScores; 2],
    /// The games that are looked at.
    part: Part,
    /// Whether these were held out of the fit.
    held_out: bool,
}

impl<'a> Look<'a> {
    /// Prepares to look at the positions of the held-out games of a fit, or of all games where no
    /// games are held out, at the weights before and after it.
    fn new(rows: &'a EngineRows<'_>, run: &FinishedRun<'_>, notes: &'a PositionNotes) -> Self {
        let (part, held_out) = examined_part(run);
        Self {
            weights: [&run.before, &run.fit.written]
                .map(|weights| WeightSet::new(rows.linked, weights.clone())),
            scores: [true, false].map(|before| RowScores::of(run, before)),
            rows,
            notes,
            part,
            held_out,
        }
    }

    /// Returns the positions of the games that are looked at, in the order of the data, with their
    /// scores before and after the fit by the rows. A score is NaN where the row does not tell it.
    /// The rows after the fit are those that were traced again, if they are of the same positions.
    fn by_rows(&self, run: &FinishedRun<'_>) -> Vec<Examined> {
        let traces = &self.rows.traces;
        let retraced = run.retraced.as_ref();
        let are_resolved = self.rows.positions.resolve == Resolve::Quiescence;
        // Whether the rows after the fit are of other positions, so that they say nothing of those
        // looked at.
        let others = retraced.is_some() && !self.rows.keeps_rows();
        let last = retraced.filter(|_| !others).unwrap_or(traces);
        // Side 0 is before the fit, side 1 after it. Where positions are resolved, rows are of the
        // positions at the ends of their searches.
        let mut examined = self.scored_rows(traces, 0, are_resolved);
        let after = self.scored_rows(last, 1, are_resolved || others);
        for (position, after) in examined.iter_mut().zip(after) {
            position.scores[1] = after.scores[1];
        }
        examined
    }

    /// Scores the rows of a set that are of the games looked at, in the order of the data: at the
    /// weights before the fit if `side` is 0, after it if 1; the score of the other side is NaN.
    /// The score is NaN too where the row takes another branch at these weights, and of all rows if
    /// `are_others`, if they are of other positions than those of the data.
    fn scored_rows(&self, set: &TraceSet, side: usize, are_others: bool) -> Vec<Examined> {
        let table = set.table(self.weights[side].lanes());
        // The scored rows of one chunk of the set, from row `first` on.
        let of_chunk = |first: usize| {
            let mut linearised = Linearised::default();
            let mut score = |row: &Row<'_>| {
                let score = linearised.at(row, &table);
                if are_others || linearised.changes_branch(row) {
                    f64::NAN
                } else {
                    score
                }
            };
            let rows = set.rows(first..set.len().min(first + CHUNK));
            let rows = rows.filter(|row| self.part.contains(row.game()));
            let examined = rows.map(|row| {
                let mut scores = [f64::NAN; 2];
                scores[side] = score(&row);
                Examined {
                    number: set.pushed_as(row.index),
                    row: row.index,
                    scores,
                }
            });
            examined.collect::<Vec<Examined>>()
        };
        let chunks = 0..set.len().div_ceil(CHUNK);
        let mut examined = parallel::map(chunks, |chunk| of_chunk(chunk * CHUNK)).concat();
        examined.sort_unstable_by_key(|position| position.number);
        examined
    }

    /// Returns the scored rows of a position at the weights before and after the fit; `None` where
    /// one of the scores is not finite.
    fn scored(&self, position: &Examined) -> Option<[ScoredRow; 2]> {
        let set = &self.rows.traces;
        let (mut outcome, mut weight) = ([0.0], [0.0]);
        set.read_columns(position.row, &mut outcome, &mut weight);
        let game = set.game(position.row);
        let is_finite = position.scores.iter().all(|score| score.is_finite());
        is_finite.then(|| {
            [0, 1].map(|side: usize| {
                self.scores[side].scored(game, weight[0], outcome[0], position.scores[side])
            })
        })
    }

    /// Reads the positions that rows do not score, and of all others those that are explained
    /// worst, and traces them. Returns them by their places in `examined`. Fails if the data have
    /// changed since the fit.
    fn read_again(
        &self,
        examined: &[Examined],
        run: &FinishedRun<'_>,
    ) -> Result<BTreeMap<usize, ReadAgain>, FittedPositionsError> {
        // The places of positions that their rows do not score, and then of the worst of the
        // others.
        let mut worst = Ranking::new(WORST);
        let mut places = Vec::new();
        for (place, position) in examined.iter().enumerate() {
            match self.scored(position) {
                Some([_, after]) if after.weight > 0.0 => {
                    worst.add(loss(&after), after.game, || place);
                }
                Some(_) => {}
                None => places.push(place),
            }
        }
        places.extend(worst.into_sorted());
        places.sort_unstable();
        let numbers = places.iter().map(|&place| examined[place].number);
        let numbers = self.notes.as_read(numbers);
        let positions = &self.rows.positions;
        let read = |some: &[(usize, Sample)]| {
            let placed = some.iter();
            let placed = placed.map(|(number, sample)| (places[*number], sample));
            self.traced(examined, &placed.collect::<Vec<_>>())
        };
        let (found, report) = read_numbered(
            &positions.inputs,
            &positions.options,
            self.rows.evaluation.game(),
            positions.ranks,
            &numbers,
            read,
        )?;
        if report.fingerprint() != run.facts.data {
            return Err(FittedPositionsError::Changed);
        }
        Ok(places.into_iter().zip(found).collect())
    }

    /// Traces a batch of positions, given with their places in `examined`, before and after the
    /// fit: returns both scores of each, NaN where it cannot be traced. What a page shows of a
    /// position is made last, and for the twelve worst of the batch alone (`WORST`): no other can
    /// be among the worst of all.
    fn traced(&self, examined: &[Examined], some: &[(usize, &Sample)]) -> Vec<ReadAgain> {
        let texts = (self.rows.evaluation).texts(some.iter().map(|(_, sample)| *sample));
        let (link, resolve) = (&self.rows.linked.link, self.rows.positions.resolve);
        let [before, after] = &self.weights;
        let mut tracer = PointTracer::new(self.rows.evaluation, link, resolve, &[before, after]);
        let traced = tracer.trace(&texts);
        // Where the evaluator has ended meanwhile, no position of the batch has scores.
        let is_traced = |index: usize| traced.as_ref().is_ok_and(|traced| traced[index].is_ok());
        let mut worst = Ranking::new(WORST);
        let mut found = Vec::with_capacity(some.len());
        for (index, &(place, _)) in some.iter().enumerate() {
            let scores = match tracer.points(index) {
                [before, after] if is_traced(index) => [before, after].map(TracePoint::score),
                _ => [f64::NAN; 2],
            };
            found.push(ReadAgain {
                scores,
                shown: None,
            });
            let scored = self.scored(&Examined {
                scores,
                ..examined[place]
            });
            if let Some([before, after]) = scored.filter(|[_, after]| after.weight > 0.0) {
                worst.add(loss(&after), after.game, || (index, [before, after]));
            }
        }
        // What is not among the worst of these is not among the worst of all.
        for (index, [before, after]) in worst.into_sorted() {
            found[index].shown = Some(self.shown(some[index].1, before, after));
        }
        found
    }

    /// Makes what a page shows of a position, from its rows before and after the fit.
    fn shown(&self, sample: &Sample, before: ScoredRow, after: ScoredRow) -> WorstPosition {
        WorstPosition {
            position: (self.rows.evaluation.game()).describe(&sample.labelled.position),
            file: self.rows.positions.file(sample.location),
            line: sample.location.line,
            game: sample.labelled.game.map(|_| after.game),
            outcome: after.outcome,
            scores: [before.score, after.score],
            expectations: [before.expectation, after.expectation],
            search_score: sample.labelled.search_score,
            loss: loss(&after),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::FEATURES;

    #[test]
    fn bins_are_named_by_their_ends() {
        let label = |bin| (FEATURES[2].label)(bin);
        assert_eq!([0, 3, 4, 6].map(label), ["< -5", "-1…+1", "+1…+3", "≥ +5"]);
        assert_eq!((FEATURES[0].label)(7), "29 to 32 men");
    }
}
