//! The trace as a function of the weights, against the twin as one.

use std::collections::BTreeMap;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tuner_parallel as parallel;

use super::evaluation::{Borrowed, Evaluation};
use super::link::Link;
use super::session::{Asked, EvaluationResult};
use tuner_base::{WeightId, phase};
use tuner_protocol::Command;
use tuner_protocol::answer::ScoreAnswer;
use tuner_trace::{ExpressionValues, Trace};

/// How far each weight is moved, in its own unit: the first of these that
/// leads to no overflow and past no branch. Powers of two, so that the products
/// are exact; large ones first, so that a lost unit in a truncating division is
/// small against them. No weight is moved beyond its bounds.
const STEPS: [f64; 4] = [64.0, 16.0, 4.0, 1.0];

/// How often weights are moved together, each by a random number of steps up to
/// [`FARTHEST`] either way: that two mistakes cancel each other each time is unlikely
/// beyond concern.
const TOGETHER: usize = 2;

/// Most steps that a weight is moved where weights are moved together.
const FARTHEST: i32 = 4;

/// Weights that a trace reads which are moved together. Few, as each may lead past a branch;
/// then, and where anything is wrong, they are moved one by one.
const GROUP: usize = 16;

/// Largest tolerance with which a comparison says anything: of derivatives, times 1 + the size of
/// the derivative; of scores, times the step by which weights were moved.
const LOOSEST: f64 = 8.0;

/// Parts of the way to moved weights on which a jump is looked for.
const PARTS: i32 = 8;

/// Share of a jump that truncation may hide, if it is to be told from a slope: a quarter of the
/// way or more is then neither before nor behind it.
const LEAST_JUMP: f64 = 0.3;

/// Random changes of all weights at once, for each position.
const CHANGES: usize = 4;

/// By how much of its value a weight changes then, at most, and by how many
/// units beside.
const CHANGE: (f64, f64) = (0.25, 8.0);

/// A difference quotient, or a score at random weights, that the trace and the twin do not
/// agree on.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Difference {
    /// The position in its notation.
    pub position: String,
    /// The weight of the quotient, as in the layout; `None` of a score.
    #[serde(serialize_with = "number", deserialize_with = "weight")]
    pub weight: Option<WeightId>,
    /// The two values.
    #[serde(flatten)]
    pub found: TwoScores,
}

/// A derivative, or a score, computed in two ways.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct TwoScores {
    /// By the trace: ∂ score / ∂ weight, of a score that is not linear the difference
    /// quotient of its expression; or the score.
    #[serde(deserialize_with = "or_nan")]
    pub traced: f64,
    /// By the twin: central differences, or the score.
    #[serde(deserialize_with = "or_nan")]
    pub evaluated: f64,
    /// How far apart truncation allows them to be.
    #[serde(deserialize_with = "or_nan")]
    pub tolerance: f64,
}

/// Writes a weight as its number.
#[expect(clippy::ref_option, reason = "serde hands references over")]
fn number<S: Serializer>(weight: &Option<WeightId>, to: S) -> Result<S::Ok, S::Error> {
    weight.map(WeightId::index).serialize(to)
}

/// Reads a weight by its number.
fn weight<'de, D: Deserializer<'de>>(from: D) -> Result<Option<WeightId>, D::Error> {
    Ok(Option::deserialize(from)?.map(WeightId))
}

impl TwoScores {
    /// Tells whether the traced and the evaluated value are as near as truncation allows.
    fn agree(&self) -> bool {
        (self.traced - self.evaluated).abs() <= self.tolerance
    }
}

/// The result of the comparison of some positions.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Differences {
    /// Derivatives compared, those that are zero as well.
    pub compared: u64,
    /// The compared derivatives that are wrong.
    pub wrong: Vec<Difference>,
    /// Derivatives that could not be compared: every step led past a branch
    /// or to an overflow.
    pub skipped: u64,
    /// By the number of each weight that a trace reads, whether a derivative by it could be
    /// compared on any position.
    pub read: BTreeMap<usize, bool>,
    /// Derivatives that could not be compared, as the evaluator refuses to score with a weight
    /// moved by a unit.
    pub refused: u64,
    /// Why it refused a score first, and of which position.
    pub refusal: Option<(String, String)>,
    /// Scores at random weights compared.
    pub changes: u64,
    /// The compared scores that are wrong.
    pub changes_wrong: Vec<Difference>,
    /// Random weights that led past a branch or to an overflow.
    pub changes_skipped: u64,
}

/// Compares, position by position, the derivatives of the score by all weights with difference
/// quotients of the evaluator's scores, and the scores that rows predict at random weights with
/// those that the evaluator gives. Positions that the evaluator refuses count for nothing.
///
/// *Numerics*: the same for any number of threads; the random weights have a fixed seed. *Cost*:
/// two runs of the twin for each 16 weights that a trace reads, or for each where branches are
/// near, and some more for all others together, a position, on the threads of the current rayon
/// pool. A run at other weights also computes the tables that the engine computes from weights.
///
/// # Errors
/// If the evaluator cannot be asked any further.
pub fn differences(
    evaluation: &Evaluation,
    link: &Link,
    positions: &[&str],
) -> EvaluationResult<Differences> {
    let _phase = phase("comparing derivatives");
    let of_position = |number: usize| {
        let Some(mut twin) = Twin::new(evaluation, link, positions[number])? else {
            return Ok(Differences::default());
        };
        twin.rng.set_stream(number as u64);
        twin.derivatives()?;
        twin.random_changes()?;
        Ok(twin.found)
    };
    let mut found = Differences::default();
    for more in parallel::map(0..positions.len(), of_position) {
        found.merge(more?);
    }
    Ok(found)
}

/// A weight by its number.
#[derive(Deserialize, Serialize)]
#[serde(remote = "WeightId")]
pub(super) struct WeightNumber(usize);

/// Reads a number, and `null` as NaN, which JSON cannot write.
pub(super) fn or_nan<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or(f64::NAN))
}

impl Differences {
    /// Adds what was found on other positions; of refusals the earlier reason stays.
    pub fn merge(&mut self, more: Self) {
        self.compared += more.compared;
        self.wrong.extend(more.wrong);
        self.skipped += more.skipped;
        for (weight, is_compared) in more.read {
            *self.read.entry(weight).or_default() |= is_compared;
        }
        self.changes += more.changes;
        self.changes_wrong.extend(more.changes_wrong);
        self.changes_skipped += more.changes_skipped;
        self.refused += more.refused;
        self.refusal = self.refusal.take().or(more.refusal);
    }
}

/// The comparison of one position: its row, and the evaluator that scores it.
struct Twin<'a> {
    session: Borrowed<'a>,
    position: &'a str,
    link: &'a Link,
    rng: ChaCha8Rng,
    trace: Trace,
    evaluation: ExpressionValues,
    /// Why the evaluator refused the last position, if it did.
    refusal: Option<String>,
    found: Differences,
}

impl<'a> Twin<'a> {
    /// Borrows an evaluator for a position and reads the position's row at the source's weights;
    /// the position stays taken, so that scores can be asked for. `None` if the evaluator refuses
    /// the position, or has no row of it.
    fn new(
        evaluation: &'a Evaluation,
        link: &'a Link,
        position: &'a str,
    ) -> EvaluationResult<Option<Self>> {
        let mut session = evaluation.session()?;
        session.at(&[])?;
        let mut trace = None;
        let texts = [position.to_owned()];
        session.trace(&texts, Asked::default(), &mut |_, found| {
            trace = found.ok().map(|found| found.trace.clone());
        })?;
        if session.take_position(position)?.is_err() {
            return Ok(None);
        }
        Ok(trace.map(|trace| Self {
            session,
            position,
            link,
            rng: ChaCha8Rng::seed_from_u64(1),
            trace,
            evaluation: ExpressionValues::default(),
            refusal: None,
            found: Differences::default(),
        }))
    }

    /// Returns a difference if the two values of `found` are further apart than truncation allows.
    /// `weight`: the one by which they are derivatives, `None` if they are scores.
    fn wrong(&self, weight: Option<WeightId>, found: TwoScores) -> Option<Difference> {
        ((found.traced - found.evaluated).abs() > found.tolerance).then(|| Difference {
            position: self.position.to_owned(),
            weight,
            found,
        })
    }

    /// Returns the row's score and the evaluator's at the weights `values`, by leaf number. `None`
    /// if the weights lead past a branch of the row, or truncation may and the scores differ; if
    /// the bound on what truncation explains is not finite, or the evaluator's score overflows; or
    /// if the evaluator refuses, whose words are noted.
    fn scores(&mut self, values: &[f64]) -> EvaluationResult<Option<TwoScores>> {
        let predicted = self.trace.score_at(values, &mut self.evaluation);
        if predicted.changed_branch || !predicted.bound.is_finite() {
            return Ok(None);
        }
        self.session.at(values)?;
        let evaluated = match self.session.ask(&Command::Score, ScoreAnswer::read)? {
            Ok(score) if score.is_defined => score.value,
            Ok(_) => return Ok(None),
            Err(words) => {
                self.refusal = Some(words);
                return Ok(None);
            }
        };
        let scores = TwoScores {
            traced: predicted.score,
            evaluated,
            // Rounding of f64 sums beside the bound of truncation.
            tolerance: predicted.bound + 1e-6 * (1.0 + evaluated.abs()),
        };
        // Truncation may have taken the evaluator past a branch: then it has another row.
        Ok((!predicted.near_branch || scores.agree()).then_some(scores))
    }

    /// Returns the row's score and the evaluator's at the source's weights, some of them changed
    /// within their bounds; `None` where the two cannot be compared. `changes`: leaf number and
    /// amount.
    fn scores_changed(&mut self, changes: &[(usize, f64)]) -> EvaluationResult<Option<TwoScores>> {
        let mut values = self.link.values().to_vec();
        for &(leaf, change) in changes {
            values[leaf] = self.link.within_bounds(leaf, values[leaf] + change);
        }
        self.scores(&values)
    }

    /// Returns how far a weight can be changed, by leaf number, if it is to be changed by `change`
    /// and stay within its bounds.
    fn change_within(&self, leaf: usize, change: f64) -> f64 {
        let here = self.link.values()[leaf];
        self.link.within_bounds(leaf, here + change) - here
    }

    /// Returns how far a weight, by leaf number, can be changed within its bounds: at most by
    /// `most`, in that direction or, where the bounds leave more room there, in the opposite one.
    /// The sign is the direction's.
    fn room(&self, leaf: usize, most: f64) -> f64 {
        let [there, back] = [most, -most].map(|change| self.change_within(leaf, change));
        if there.abs() < back.abs() {
            back
        } else {
            there
        }
    }

    /// Compares the derivatives of the weights that the trace reads, some at a time, and those of
    /// all others, which are zero, together. Weights that their bounds leave no room are left out;
    /// those that they leave little, and the trace reads, are moved one by one, as too few moves of
    /// theirs differ to tell mistakes that cancel each other.
    fn derivatives(&mut self) -> EvaluationResult<()> {
        let mut is_read = vec![false; self.link.values().len()];
        let terms = self.trace.forms.iter().flat_map(|form| &form.terms);
        for &(leaf, count) in terms {
            is_read[leaf.index()] |= count != 0;
        }
        let can_move = (0..is_read.len()).filter(|&leaf| self.room(leaf, 1.0).abs() > 0.0);
        let (read, unread): (Vec<usize>, Vec<usize>) = can_move.partition(|&leaf| is_read[leaf]);
        let far = f64::from(FARTHEST);
        let (wide, narrow): (Vec<usize>, Vec<usize>) =
            (read.into_iter()).partition(|&leaf| self.room(leaf, far).abs() >= far);
        for group in wide.chunks(GROUP).chain(narrow.chunks(1)) {
            let agree = group.len() > 1 && self.agree(group)?;
            if agree {
                self.found.compared += group.len() as u64;
            }
            for &leaf in group {
                let is_compared = agree || self.derivative(leaf)?;
                let weight = self.link.weights()[leaf].index();
                *self.found.read.entry(weight).or_default() |= is_compared;
            }
        }
        // Derivatives of 0: where all together do not agree, the wrong ones are sought in halves.
        let mut groups = vec![&unread[..]];
        while let Some(group) = groups.pop() {
            match group {
                [] => {}
                [leaf] => drop(self.derivative(*leaf)?),
                group if self.agree(group)? => self.found.compared += group.len() as u64,
                group => {
                    let (left, right) = group.split_at(group.len() / 2);
                    groups.extend([right, left]);
                }
            }
        }
        Ok(())
    }

    /// Moves the weights of a group, by leaf number, together, at random and [`TOGETHER`] (2)
    /// times, and tells whether row and evaluator agree each time. `false` also where they could
    /// not be compared, or only too roughly to say anything.
    fn agree(&mut self, group: &[usize]) -> EvaluationResult<bool> {
        for _ in 0..TOGETHER {
            let rng = &mut self.rng;
            let moves = group.iter().map(|&leaf| {
                let far = f64::from(rng.random_range(1..=FARTHEST));
                (leaf, if rng.random_bool(0.5) { far } else { -far })
            });
            let moves: Vec<(usize, f64)> = moves.collect();
            let mut agree = false;
            // From large steps to small ones, the first at which scores can be compared: larger
            // ones may lead past a branch of the row or overflow, in smaller ones truncation hides
            // more.
            for step in STEPS {
                let farthest = f64::from(FARTHEST);
                let most = farthest * step;
                // 1 to 4 quarters of how far the weight can be moved, at most 4 steps: to the side
                // drawn, or to the other one if there is more room.
                let part_of_room = |&(leaf, far): &(usize, f64)| {
                    let (room, part) = (self.room(leaf, far.signum() * most), far.abs() / farthest);
                    // Whole weights stay whole, and none stays where it is.
                    let whole = (room * part).abs().round().max(1.0) * room.signum();
                    let is_whole = room.fract().abs() <= 0.0;
                    (leaf, if is_whole { whole } else { room * part })
                };
                let changes: Vec<(usize, f64)> = moves.iter().map(part_of_room).collect();
                // Truncation may hide at most `LOOSEST` times the smallest move: with a looser
                // tolerance, agreement says nothing of the weight that moved least.
                let least = changes.iter().map(|change| change.1.abs());
                let least = least.fold(step, f64::min);
                if let Some(scores) = self.scores_changed(&changes)? {
                    agree = scores.agree() && scores.tolerance <= LOOSEST * least;
                    break;
                }
            }
            if !agree {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Compares the derivative of one weight, by leaf number, by central differences of the longest
    /// of [`STEPS`] (64, 16, 4 and 1 units) that can be judged, to one side where its bounds leave
    /// no room on the other; counts it as compared, skipped or refused. Returns whether it was
    /// compared, right or wrong.
    fn derivative(&mut self, leaf: usize) -> EvaluationResult<bool> {
        for step in STEPS {
            self.refusal = None;
            // How far the weight can be moved up and down, which is 0 at a bound.
            let ends = [step, -step].map(|change| [(leaf, self.change_within(leaf, change))]);
            let above = self.scores_changed(&ends[0])?;
            let below = self.scores_changed(&ends[1])?;
            let Some((above, below)) = above.zip(below) else {
                continue;
            };
            let far = ends[0][0].1 - ends[1][0].1;
            let quotients = TwoScores {
                traced: (above.traced - below.traced) / far,
                evaluated: (above.evaluated - below.evaluated) / far,
                tolerance: (above.tolerance + below.tolerance) / far,
            };
            if quotients.tolerance > LOOSEST * (1.0 + quotients.evaluated.abs()) {
                continue;
            }
            let weight = self.link.weights()[leaf];
            let wrong = self.wrong(Some(weight), quotients);
            // A jump says nothing of a derivative: shorter steps decide.
            if wrong.is_some()
                && self.is_past_jump(&ends[0], above)?
                && self.is_past_jump(&ends[1], below)?
            {
                continue;
            }
            self.found.compared += 1;
            self.found.wrong.extend(wrong);
            return Ok(true);
        }
        // What the shortest step came to decides.
        if self.refusal.is_some() {
            self.found.refused += 1;
        } else {
            self.found.skipped += 1;
        }
        self.note_refusal();
        Ok(false)
    }

    /// Tells whether a jump of the score explains why row and evaluator differ, or whether they do
    /// not differ, at the end of the way from the source's weights to these with `changes`, leaf
    /// number and amount of each. With a jump the two agree up to a place on the way, and from
    /// there on differ by as much as at the end; a derivative that is wrong makes them differ more
    /// the farther the weights move. Where nothing is on the way, as weights move by steps of the
    /// spec, a jump is taken to explain it, unless a bound is why the way is so short. `end`: both
    /// scores there.
    ///
    /// *Cost*: a score for each part of the way.
    fn is_past_jump(&mut self, changes: &[(usize, f64)], end: TwoScores) -> EvaluationResult<bool> {
        if end.agree() {
            return Ok(true);
        }
        let jump = end.evaluated - end.traced;
        let at_bound = |&(leaf, change): &(usize, f64)| {
            change.abs() > 0.0 && self.change_within(leaf, 2.0 * change).abs() <= change.abs()
        };
        let mut is_jump = !changes.iter().any(at_bound);
        for part in 1..PARTS {
            let part_of = |&(leaf, change): &(usize, f64)| {
                let way = change * f64::from(part) / f64::from(PARTS);
                let step = self.link.step(leaf).min(1.0);
                // Weights stay whole, or multiples of their step, if they are.
                let is_multiple = (self.link.values()[leaf] / step).fract().abs() <= 0.0;
                (
                    leaf,
                    if is_multiple {
                        (way / step).round() * step
                    } else {
                        way
                    },
                )
            };
            let parts: Vec<(usize, f64)> = changes.iter().map(part_of).collect();
            let is_between = |(part, whole): (&(usize, f64), &(usize, f64))| {
                part.1.abs() > 0.0 && part.1.abs() < whole.1.abs()
            };
            if !parts.iter().zip(changes).any(is_between) {
                continue;
            }
            is_jump = true;
            let Some(scores) = self.scores_changed(&parts)? else {
                continue;
            };
            // With a jump the two are apart by nothing, or by as much as at the end.
            let apart = scores.evaluated - scores.traced;
            let tolerance = scores.tolerance.max(end.tolerance);
            let is_at_either = apart.abs() <= tolerance || (apart - jump).abs() <= tolerance;
            if !is_at_either || tolerance > LEAST_JUMP * jump.abs() {
                return Ok(false);
            }
        }
        Ok(is_jump)
    }

    /// Notes why the evaluator refused a score, unless it has refused one before.
    fn note_refusal(&mut self) {
        if let Some(words) = self.refusal.take() {
            let position = self.position;
            (self.found.refusal).get_or_insert_with(|| (words, position.to_owned()));
        }
    }

    /// Compares scores with what the row predicts where all weights are changed at once,
    /// [`CHANGES`] (4) times. Those at which nothing can be told count as skipped.
    fn random_changes(&mut self) -> EvaluationResult<()> {
        for _ in 0..CHANGES {
            let (link, rng) = (self.link, &mut self.rng);
            // By up to a quarter of the weight's value and 8 units, to a whole number within its
            // bounds.
            let mut change = |(leaf, &value): (usize, &f64)| {
                let reach = CHANGE.0 * value.abs() + CHANGE.1;
                let to = (value + reach * (2.0 * rng.random::<f64>() - 1.0)).round();
                (leaf, link.within_bounds(leaf, to) - value)
            };
            let changes = link.values().iter().enumerate().map(&mut change);
            let changes: Vec<(usize, f64)> = changes.collect();
            self.refusal = None;
            let Some(scores) = self.scores_changed(&changes)? else {
                self.found.changes_skipped += 1;
                self.note_refusal();
                continue;
            };
            let wrong = self.wrong(None, scores);
            if wrong.is_some() && self.is_past_jump(&changes, scores)? {
                self.found.changes_skipped += 1;
                continue;
            }
            self.found.changes += 1;
            self.found.changes_wrong.extend(wrong);
        }
        Ok(())
    }
}
