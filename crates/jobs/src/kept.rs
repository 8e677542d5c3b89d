//! Whether an evaluation keeps what it computed at other weights: a decision, an index, a score.
//!
//! Three programs begin with the weights of the source, with far smaller and with far larger ones,
//! and are then set to those of the others. Scores at the same weights must be the same in all,
//! also of a position that was read at others.

use std::collections::HashSet;
use std::io::Write as _;
use std::time::{Duration, Instant};

use serde::Serialize;
use tempfile::NamedTempFile;

use crate::rebuild::fewest;
use crate::{Failure, Job, NamedSet, Project, Result};
use tuner_base::Fingerprint;
use tuner_engine::{
    Evaluation, EvaluationError, EvaluationProblem, EvaluationResult, LinkedSpec, some_names,
};
use tuner_spec::Parameter;

/// How many distances from the weights of the source are tried, as long as no score can be compared
/// because numbers overflow, or programs end, are silent or refuse the weights. An answer that is
/// none is an error at once.
const NEARER: u32 = 4;

/// No further distance is tried after this time: an evaluator may not answer at such weights.
const LONGEST: Duration = Duration::from_secs(5);

/// Most bytes of weights that are sent along with positions.
const SENT: usize = 4_000_000;

/// Scores at the same weights, of a program that begins with them and of others.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct KeptSummary {
    /// Scores that could be compared.
    pub scores: u64,
    /// Scores that differ.
    pub wrong: u64,
    /// Why no score could be compared; `None` if some were.
    pub unknown: Option<String>,
    /// The first position whose scores differ: its score where the program began with the weights,
    /// and where it was set to them later.
    pub first: Option<(String, [f64; 2])>,
    /// The parameters whose change alone makes them differ: mostly one.
    pub parameters: Vec<String>,
}

/// Finds out whether the evaluator keeps something that it computed at other weights: compares the
/// scores of `positions` by a program that begins with some weights with those by programs that are
/// set to these weights later, and says where they differ. `None` where the evaluator is not a
/// program that can be started once more.
///
/// The weights are far below and far above those of the source. Where no score could be compared
/// there, as numbers overflow, or programs end, are silent or refuse the weights, nearer ones are
/// tried: [`NEARER`] (4) distances in all, and no further one after [`LONGEST`] (5 seconds). Where
/// no distance has scores, the summary says why.
///
/// # Errors
/// If the evaluator cannot be asked any further, or a program at other weights writes a line that
/// does not answer the question.
pub(crate) fn compare_kept(
    job: &Job,
    project: &Project,
    linked: &LinkedSpec,
    positions: &[String],
) -> Result<Option<KeptSummary>> {
    let evaluation = project.evaluation()?;
    let layout = linked.spec.layout();
    let names: Vec<&str> = layout.parameters().iter().map(Parameter::name).collect();
    // `lost`: why a program failed at the distance that was tried last; `None` if all ran.
    let (begun, mut lost) = (Instant::now(), None);
    for nearer in 0..NEARER {
        // Compares with the weights of the parameters `names` moved, all others as in the source.
        // `[false, true]`: once far down, once far up.
        let compared = |names: &[&str], lost: &mut Option<EvaluationError>| {
            let values = [false, true].map(|up| far(linked, names, up, nearer));
            compared(evaluation, &values, positions, lost)
        };
        let Some(mut found) = compared(&names, &mut lost)? else {
            return Ok(None);
        };
        if let Some((position, [begun, set])) = &found.first {
            job.say(format_args!(
                "kept: {} of {} scores depend on the weights that were in force before, first {begun} \
                 where the evaluator begins with some weights and {set} where they are set later: \
                 {position}",
                found.wrong, found.scores
            ));
            // Looks for as few parameters as possible whose change alone makes scores differ.
            let differs = |some: &[&str]| {
                let found = compared(some, &mut lost)?;
                Ok(found.is_some_and(|found| found.wrong > 0))
            };
            let parameters = fewest(names.clone(), differs)?.into_iter();
            found.parameters = parameters.map(str::to_owned).collect();
            job.say(format_args!(
                "  it takes the change of {} alone: something is computed from weights \
                 once and kept, as a `static` of a function, a variable that is computed before \
                 the first question or with the position, or a cache of scores is; compute it each \
                 time, in C++ in `derive` if it is a table",
                some_names(found.parameters.iter().cloned())
            ));
        }
        if found.scores > 0 {
            return Ok(Some(found));
        }
        if begun.elapsed() > LONGEST {
            break;
        }
    }
    // If no program failed, the evaluator gave no score of any position, as where numbers overflow.
    let lost = lost.map_or_else(|| "numbers overflow".to_owned(), |lost| lost.to_string());
    Ok(Some(KeptSummary {
        unknown: Some(lost),
        ..KeptSummary::default()
    }))
}

/// The scores of positions; `None` of one that has none. Empty where the evaluator has ended.
type Scores = Vec<Option<f64>>;

/// Programs of one evaluator that begin with one of two sets of weights, and what became of them.
struct Begun<'a> {
    evaluation: &'a Evaluation,
    positions: &'a [String],
    /// Two sets of weights, each by leaf number.
    values: &'a [Vec<f64>; 2],
    /// The files of both sets, one of which a program reads at its start.
    files: [NamedTempFile; 2],
    /// Why the program that failed last did; `None` if all ran.
    lost: Option<EvaluationError>,
}

impl Begun<'_> {
    /// Returns what a program answered. If the program ended, was silent or refused the question,
    /// stores the error in `lost` and returns `None`. A line that does not answer the question
    /// remains an error.
    fn noted<T>(&mut self, found: EvaluationResult<T>) -> EvaluationResult<Option<T>> {
        match found {
            Err(error) if !matches!(error.problem, EvaluationProblem::Nonsense(..)) => {
                self.lost = Some(error);
                Ok(None)
            }
            found => found.map(Some),
        }
    }

    /// Returns the scores of the positions at both sets of weights, by a program that begins with
    /// set number `with` (0 or 1), and is set to the other one later. Scores have the view in which
    /// the evaluator answers. The list of a set is empty where the program does not start, ends, is
    /// silent or refuses the weights.
    fn scores(&mut self, with: usize) -> EvaluationResult<[Scores; 2]> {
        let mut scores = [const { Vec::new() }; 2];
        let begun = self.evaluation.begun_with(Some(self.files[with].path()));
        let Some(begun) = self.noted(begun)?.flatten() else {
            return Ok(scores);
        };
        for at in [with, 1 - with] {
            let asked = begun.scores(&self.values[at], self.positions);
            let asked = self.noted(asked)?.unwrap_or_default().into_iter();
            // `[0]` is the score in the evaluator's own view, `[1]` would be the first player's.
            scores[at] = asked.map(|score| Some(score.ok()?[0])).collect();
        }
        Ok(scores)
    }

    /// Returns scores at both sets of weights of positions that the program read, and scored, at
    /// the weights of the source before. All weights are sent along with each position, at some 36
    /// bytes a weight; so only the first positions are asked about, for which [`SENT`] bytes
    /// suffice, but one at least. `begun`: a program that began with the weights of the source.
    fn moved(&mut self, begun: &Evaluation) -> EvaluationResult<[Scores; 2]> {
        let source = begun.weights().values();
        let most = SENT / (source.len() * 36).max(1);
        let some = &self.positions[..self.positions.len().min(most.max(1))];
        let mut scores = [const { Vec::new() }; 2];
        for (scores, values) in scores.iter_mut().zip(self.values) {
            // The scores of one position: [0] production's, as no weights are set yet; [1] at the
            // weights of the source, set; [2] at `values`.
            let asked = begun.scores_moved(&[source.clone(), values.clone()], some);
            let asked = self.noted(asked)?.unwrap_or_default().into_iter();
            *scores = asked.map(|found| found.ok()?.get(2).copied()).collect();
        }
        Ok(scores)
    }
}

impl KeptSummary {
    /// Fails, in words for the user, if scores differ that should not, as they are of the same
    /// positions at the same weights.
    pub(crate) fn verdict(&self) -> Result<(), &'static str> {
        if self.wrong == 0 {
            return Ok(());
        }
        Err(
            "scores depend on weights that are no longer in force (see above); no weights can be \
             fitted",
        )
    }
}

/// Compares scores at two sets of weights (`values`, each by leaf number), and returns how many
/// could be compared, how many differ, and the first that differ. For each set, three programs are
/// asked: one that begins with the set, one that is set to it later, and one that was at the
/// source's weights before. Where the scores of one program are not the same after a second start,
/// differences are not counted. `None` where the evaluator is not a program that can be started.
/// `lost` gets the error of the last program that ended, was silent or refused a question, or
/// `None`.
fn compared(
    evaluation: &Evaluation,
    values: &[Vec<f64>; 2],
    positions: &[String],
    lost: &mut Option<EvaluationError>,
) -> Result<Option<KeptSummary>> {
    // A program without a file of weights begins with those of the source.
    let Some(of_source) = evaluation.begun_with(None)? else {
        return Ok(None);
    };
    let file = |values: &Vec<f64>| {
        let mut file = NamedTempFile::new()?;
        for value in values {
            writeln!(file, "{value}")?;
        }
        Ok::<_, Failure>(file)
    };
    let mut programs = Begun {
        evaluation,
        positions,
        values,
        files: [file(&values[0])?, file(&values[1])?],
        lost: None,
    };
    let (first, second) = (programs.scores(0)?, programs.scores(1)?);
    let moved = programs.moved(&of_source)?;
    let mut found = KeptSummary::default();
    // At each set of weights (`at`): the scores of the program that began with it, and of the
    // program that was set to it later.
    for (at, begun, later) in [(0, &first[0], &second[0]), (1, &second[1], &first[1])] {
        let pairs = pairs(positions, begun, [later, &moved[at]]);
        found.scores += pairs.len() as u64;
        // Floats may be added up in another order, so a relative difference of 1e-9 is allowed.
        let differ = |[a, b]: [f64; 2]| (a - b).abs() > 1e-9 * (1.0 + a.abs());
        if !pairs.iter().any(|&(_, pair)| differ(pair)) {
            continue;
        }
        // An evaluator that reads beyond a table may have another score at each start; `again`: the
        // program that begins with this set has the same scores when it is started once more.
        let again = programs.scores(at)?[at] == *begun;
        for (text, pair) in pairs.into_iter().filter(|&(_, pair)| again && differ(pair)) {
            found.wrong += 1;
            found.first.get_or_insert_with(|| (text.clone(), pair));
        }
    }
    *lost = programs.lost;
    Ok(Some(found))
}

/// Pairs the scores that should be equal: of each position that of the program which began with
/// the weights (`begun`), and that of a program which was set to them later. `others`: the scores
/// of two such programs, which give a pair each. Without one of its two scores there is no pair.
fn pairs<'p>(
    positions: &'p [String],
    begun: &[Option<f64>],
    others: [&[Option<f64>]; 2],
) -> Vec<(&'p String, [f64; 2])> {
    let mut pairs = Vec::new();
    for other in others {
        let both = positions.iter().zip(begun.iter().zip(other));
        let both = both.filter_map(|(text, (begun, other))| Some((text, [(*begun)?, (*other)?])));
        pairs.extend(both);
    }
    pairs
}

/// Returns the weights of the source, by leaf number, with those of the parameters `names` moved
/// far down, or far up if `up`: so far that a threshold in the evaluation likely lies between.
/// Frozen and tied weights are not moved.
///
/// A weight whose value is `c` units of the last decimal of its step (1 for whole weights) moves by
/// 2·|c| + 50 units, and by up to 31 more that depend on its name, so that weights do not keep
/// their order. This distance is halved `nearer` times, and then further until the weight is within
/// its bounds. A weight stays where it is if its value is not a whole number of units, or if no
/// distance keeps it within its bounds.
fn far(linked: &LinkedSpec, names: &[&str], up: bool, nearer: u32) -> Vec<f64> {
    let layout = linked.spec.layout();
    let mut set = NamedSet::of("check", linked.link.source_weights());
    let tied: HashSet<usize> = layout.ties().iter().map(|tie| tie.weight.index()).collect();
    for weight in layout.weight_ids() {
        let parameter = layout.parameter_of(weight);
        let is_fixed = layout.frozen(weight) || tied.contains(&weight.index());
        if is_fixed || !names.contains(&parameter.name()) {
            continue;
        }
        let Some(count) = parameter.step.count(set.weights[weight.index()]) else {
            continue;
        };
        let drawn = Fingerprint::of_bytes(layout.name(weight).as_bytes()) % 32;
        let farthest = count.abs() * 2 + 50 + drawn as i64;
        let (low, high) = layout.bounds(weight);
        let mut moved = (nearer..i64::BITS).map(|by| {
            // Upwards by an odd number of units, so that the weight modulo 2 changes, in case that
            // the evaluation uses remainders.
            let by = farthest >> by;
            let moved = if up { count + (by | 1) } else { count - by };
            parameter.step.value(moved)
        });
        if let Some(value) = moved.find(|value| (low..=high).contains(value)) {
            set.weights[weight.index()] = value;
        }
    }
    set.values(linked)
}
