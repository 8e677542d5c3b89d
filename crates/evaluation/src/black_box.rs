//! Evaluations that only score: rows by difference quotients, Texel's original way.
//!
//! Each weight that a fit may move is moved alone, and the score asked again; the quotients are
//! what a trace would have said. [`ScoreProbe`] is how far, which some positions tell: where the
//! score is linear, far and to one side, so that its rounding counts for little; where it is
//! not, near and to both sides, and the row holds near by only, as a guard of it says: once
//! scores have moved away, the positions are asked about again.
//!
//! Not here: rows of a closure (`tuner_fit::run::ClosureRows`), whose rounds go by true scores.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use super::collect::{Thinner, read_asking, thinned, unasked};
use super::evaluation::Evaluation;
use super::link::Link;
use super::positions::Positions;
use super::session::{EvaluationError, EvaluationProblem};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tuner_base::{LaneId, phase};
use tuner_data::{
    Observer, RankShare, ReadError, ReadOptions, ReadProgress, Sample, SampleResults,
};
use tuner_rows::import::quotient_forms;
use tuner_trace::{Expression, Form, Leaf, NonlinearOp, Relation, Step, Trace};

/// How far weights are moved, in steps of the spec: powers of two, which make quotients of whole
/// scores exact. Far, a quotient of scores that are rounded is off by 1/256 at most; near, by
/// 1/32 (`docs/black-box.md`).
const FAR: f64 = 256.0;

/// How far weights are moved where scores are not linear, in steps of the spec.
const NEAR: f64 = 16.0;

/// How far, in centipawns, a score that is not linear may move before its row is taken for out
/// of date. Chosen: a game is decided by hundreds.
const REACH: f64 = 16.0;

/// How often all weights are moved together, for terms that are products of weights.
const TOGETHER: usize = 2;

/// Grains, in the unit of the score, of which all scores may be multiples; the first that fits
/// counts.
const GRAINS: [f64; 4] = [1.0, 0.1, 0.01, 0.001];

/// Positions that tell whether scores are linear. Chosen: each costs two scores a weight.
const PROBED: usize = 64;

/// A weight that is moved, and where to.
#[derive(Clone, Debug)]
struct Move {
    leaf: usize,
    /// Its values at the two ends, the lower one first, within its bounds; of a quotient to one
    /// side one of them is where the weight stands.
    ends: [f64; 2],
}

/// How an evaluation that only scores is asked for rows, as some positions tell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScoreProbe {
    /// Positions that tell it; 0 where none has scores with weights moved far.
    pub positions: usize,
    /// Positions of the data, of which these are some.
    pub all: u64,
    /// Weights that are moved.
    pub weights: usize,
    /// Seconds that a score takes, where all threads ask at a time.
    pub seconds: f64,
    /// The first of the positions whose score is not linear, what it was predicted to be, and what
    /// it is.
    pub nonlinear: Option<(String, f64, f64)>,
}

impl ScoreProbe {
    /// Tells whether scores are linear in the weights.
    pub fn is_linear(&self) -> bool {
        self.positions > 0 && self.nonlinear.is_none()
    }
}

tuner_base::impl_fmt! {
/// Says what is asked of the evaluator, whether scores are linear, and how long it takes.
Display for ScoreProbe, |self, f| {
    let (weights, positions) = (self.weights, self.positions);
    // Two scorings at the weights in force, and one for each weight, or one to each of its sides.
    let cost = 2 + weights * if self.is_linear() { 1 } else { 2 };
    write!(
        f,
        "the evaluator only scores: its rows are difference quotients of {weights} weights, \
         which take {cost} scorings of each of {} positions; ",
        self.all
    )?;
    match &self.nonlinear {
        _ if positions == 0 => f.write_str(
            "nothing tells whether scores are linear in the weights, as none was given with \
             weights moved far",
        ),
        None => write!(f, "scores are linear in the weights, by {positions} positions"),
        Some((position, predicted, score)) => write!(
            f,
            "scores are not linear in the weights (first {score}, where quotients predict \
             {predicted:.1}: {position}), so those that have moved by more than {REACH} are \
             asked again, as ones that take another branch are (--retrace)"
        ),
    }?;
    let minutes = self.seconds * cost as f64 * self.all as f64 / 60.0;
    if minutes >= 1.0 {
        write!(f, "; that is about {minutes:.0} minutes, and seconds with `trace` (docs/evaluator.md)")?;
    }
    Ok(())
} }

/// Returns the moves of all weights that a fit may move, from `values`, by leaf number: each so
/// many `steps` of the spec far, but within its bounds, to both sides, or to the one with more
/// room. A weight whose step is below 1 moves by a quarter of its value at least, and one without
/// room is left out.
fn moves(link: &Link, values: &[f64], steps: f64, to_both: bool) -> Vec<Move> {
    let of = |leaf: usize| {
        let (step, low, high) = link.range(leaf)?;
        let here = values[leaf];
        // The step of a float may be its last digit, of which the score tells nothing: it is moved
        // by a quarter of its value at least.
        let far = (steps * step).max(if step < 1.0 { here.abs() / 4.0 } else { 0.0 });
        // A weight that is beyond a bound already is not moved farther out.
        let below = (here - far).max(low).min(here);
        let above = (here + far).min(high).max(here);
        let ends = match to_both {
            true => [below, above],
            false if above - here >= here - below => [here, above],
            false => [below, here],
        };
        (ends[1] > ends[0]).then_some(Move { leaf, ends })
    };
    (0..values.len()).filter_map(of).collect()
}

/// Returns the derivative of the score by the weight of each move: (score at its second end − score
/// at its first) / (second end − first end). `values`: weights in force, by leaf number; `scores`
/// of one position: at these weights, then with one weight moved, end by end, an end where the
/// weight stands already being left out.
fn quotients(moves: &[Move], values: &[f64], scores: &[f64]) -> Vec<f64> {
    // The scores with a weight moved, one for each end at which it does not stand already.
    let mut moved = scores[1..].iter();
    let of = |at: &Move| {
        let mut score = |end: f64| {
            if end - values[at.leaf] == 0.0 {
                scores[0]
            } else {
                moved.next().copied().unwrap_or(f64::NAN)
            }
        };
        let [below, above] = at.ends.map(&mut score);
        (above - below) / (at.ends[1] - at.ends[0])
    };
    moves.iter().map(of).collect()
}

/// Returns an expression of value 0 that tells where a row is out of date: its guard holds while |Σ
/// factor·form − `linear`| < [`REACH`] (16), that is as long as the score by the quotients has
/// moved by less than that. `linear`: the sum at the weights where the quotients were asked for.
fn near(forms: &[Form], linear: f64) -> Expression {
    let mut found = Expression::default();
    let Expression { steps, constants } = &mut found;
    let mut push = |step: Step| {
        steps.push(step);
        steps.len() as u32 - 1
    };
    // The steps compute Σ factor·form − `linear`, its size, and that less `REACH`, which is to be
    // negative. Constants 0 and 1 are −`linear` and −`REACH`, the factors are behind them.
    constants.extend([-linear, -REACH]);
    let mut sum = push(Step::Constant(0));
    for (number, form) in (0..).zip(forms) {
        constants.push(form.factor);
        let (input, factor) = (push(Step::Input(number)), push(Step::Constant(number + 2)));
        let term = push(Step::Nonlinear(NonlinearOp::Mul(input, factor)));
        sum = push(Step::Add(sum, term));
    }
    let (size, reach) = (
        push(Step::Nonlinear(NonlinearOp::Abs(sum))),
        push(Step::Constant(1)),
    );
    let beyond = push(Step::Add(size, reach));
    // `true`: it is negative at the weights where the quotients were asked for.
    push(Step::Guard(beyond, Relation::Negative, true));
    found
}

/// The weights at which each position is scored beside those in force: numbers and values of
/// what is moved.
type Questions = Vec<Vec<(u32, f64)>>;

/// Returns the questions that moves need: one for each end, first end first, with that one weight
/// moved there. An end where the weight stands already is left out, as the score there is asked for
/// anyway. `values`: weights in force, by leaf number.
fn questions(moves: &[Move], values: &[f64]) -> Questions {
    let ends = (moves.iter()).flat_map(|moved| moved.ends.map(|end| (moved.leaf, end)));
    let ends = ends.filter(|&(leaf, end)| end - values[leaf] != 0.0);
    ends.map(|(leaf, end)| vec![(leaf as u32, end)]).collect()
}

/// Rows by quotients, at weights by leaf number.
#[derive(Debug)]
pub(super) struct Quotients<'e> {
    link: &'e Link,
    values: &'e [f64],
    /// Whether scores are linear in the weights, so that a row holds however far they move.
    is_linear: bool,
    moves: Vec<Move>,
    /// What is asked of each position.
    pub(super) questions: Questions,
}

impl<'e> Quotients<'e> {
    /// Prepares rows at weights by leaf number, empty for those of the source: chooses which
    /// weights are moved, how far, and to how many sides.
    pub(super) fn new(evaluation: &Evaluation, link: &'e Link, values: &'e [f64]) -> Self {
        let values = if values.is_empty() {
            link.values()
        } else {
            values
        };
        let is_linear = (evaluation.probing()).is_some_and(ScoreProbe::is_linear);
        let moves = if is_linear {
            moves(link, values, FAR, false)
        } else {
            moves(link, values, NEAR, true)
        };
        let questions = questions(&moves, values);
        Self {
            link,
            values,
            is_linear,
            moves,
            questions,
        }
    }

    /// Overwrites `trace` with the row of a position, made from its scores: first that at the
    /// weights in force, then one for each of [`questions`](Self::questions); more are not read.
    pub(super) fn row(&self, scores: &[f64], trace: &mut Trace) {
        *trace = Trace {
            score: scores[0],
            ..Trace::default()
        };
        // The derivatives by middlegame lanes, and by endgame lanes.
        let found = quotients(&self.moves, self.values, scores);
        let mut sides: [Vec<(LaneId, f64)>; 2] = Default::default();
        let mut widest = 0.0_f64;
        for (moved, quotient) in self.moves.iter().zip(found) {
            let side = self.link.lanes()[moved.leaf].side();
            // The number of the leaf is in place of that of a lane, as the forms of a trace are of
            // leaves.
            sides[side].push((LaneId(moved.leaf as u32), quotient));
            widest = widest.max(moved.ends[1] - moved.ends[0]);
        }
        trace.forms = quotient_forms(&sides, widest);
        let value = |&(leaf, count): &(Leaf, i64)| count as f64 * self.values[leaf.index()];
        let sum = |form: &Form| form.factor * form.terms.iter().map(value).sum::<f64>();
        let linear = trace.forms.iter().map(sum).sum();
        trace.constant = scores[0] - linear;
        if !self.is_linear && !trace.forms.is_empty() {
            trace.expression = Some(near(&trace.forms, linear));
        }
    }
}

/// How far an evaluation that only scores was asked: its answers take longer than reading, which
/// goes ahead by many positions.
pub(super) struct Scoring {
    /// Positions that were scored.
    scored: AtomicU64,
    observer: Option<Observer>,
    /// Positions of the inputs, if that is known.
    of: Option<u64>,
}

impl Scoring {
    /// Begins to count the positions of a reading; `None` for an evaluation that traces, as there
    /// the reader itself tells how far it is.
    pub(super) fn new(evaluation: &Evaluation, options: &ReadOptions) -> Option<Arc<Self>> {
        let all = evaluation.probing().map(|probing| probing.all);
        evaluation.only_scores().then(|| {
            Arc::new(Self {
                scored: AtomicU64::new(0),
                observer: options.observer.clone(),
                of: all.filter(|&all| all > 0),
            })
        })
    }

    /// Counts more positions, and tells of them; breaks where the reading is to end.
    pub(super) fn add(&self, count: usize) -> ControlFlow<()> {
        let before = self.scored.fetch_add(count as u64, Ordering::Relaxed);
        let at = ReadProgress {
            bytes: 0,
            positions: before + count as u64,
            of: self.of,
        };
        let observer = self.observer.as_ref();
        observer.map_or(ControlFlow::Continue(()), |observer| observer.tell(at))
    }
}

impl Evaluation {
    /// Finds out how an evaluation that only scores is asked for rows, by some of the positions. It
    /// does nothing for one that traces, if the positions can be read only once, or if it was done
    /// before.
    ///
    /// *Cost*: a reading of the positions, and two scores for each weight of 64 of them.
    ///
    /// # Errors
    /// If they cannot be read, or the evaluator cannot be asked.
    pub fn probe(&self, link: &Link, positions: &Positions) -> Result<(), ReadError> {
        if !self.only_scores() || !positions.can_be_read_again() || self.probing().is_some() {
            return Ok(());
        }
        let (mut thinner, mut texts) = (Thinner::new(PROBED), Vec::new());
        let ask = |block: &mut Vec<String>, samples: &[Sample], found: &mut SampleResults| {
            block.extend(self.texts(samples));
            found.extend(samples.iter().map(|_| Ok(())));
            Ok(())
        };
        let gather = |block: Vec<String>| {
            thinner.add(&mut texts, block);
            ControlFlow::Continue(())
        };
        let (inputs, options) = (&positions.inputs, &positions.options);
        let alone = &RankShare::alone();
        read_asking(self, inputs, options, alone, Vec::new, ask, gather)?;
        let found = self.probed(link, &thinned(texts, PROBED));
        let found = found.map_err(|error| unasked(&error))?;
        let all = thinner.seen as u64;
        // The first time counts.
        let _ = self.shared.probing.set(ScoreProbe { all, ..found });
        Ok(())
    }

    /// Asks for the scores of some positions with each weight moved far, and with all moved
    /// together, and tells whether they are linear in the weights. Where nothing answers that far,
    /// it is only checked that some position has scores near by; `positions` is then 0. It is an
    /// error if not even that is so, or no weight changes any score. `texts`: the positions. The
    /// result's `all`, the number of positions of the data, is left 0.
    fn probed(&self, link: &Link, texts: &[String]) -> Result<ScoreProbe, EvaluationError> {
        let values = link.values();
        let unable = |words: String| EvaluationProblem::Unable(words).of(&self.shared.name);
        let moves = moves(link, values, FAR, true);
        let mut asked = questions(&moves, values);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for _ in 0..TOGETHER {
            // A random place among five between the two ends, by whole steps of the spec.
            let mut somewhere = |at: &Move| {
                let part = f64::from(rng.random_range(0..=4_u8)) / 4.0;
                let x = at.ends[0] + part * (at.ends[1] - at.ends[0]);
                let step = link.range(at.leaf).map_or(1.0, |range| range.0);
                let here = values[at.leaf];
                (at.leaf as u32, here + ((x - here) / step).trunc() * step)
            };
            asked.push(moves.iter().map(&mut somewhere).collect());
        }
        let _phase = phase("trying how scores depend on weights");
        let begun = Instant::now();
        let (all, refusal) = self.all_scores(texts, &asked)?;
        // One thread asked now; where all ask, a score takes so much less.
        let scores = (asked.len() + 1) * texts.len().max(1) * tuner_parallel::threads();
        let mut found = ScoreProbe {
            weights: moves.len(),
            seconds: begun.elapsed().as_secs_f64() / scores as f64,
            ..ScoreProbe::default()
        };
        if let (true, Some(_)) = (all.is_empty(), refusal) {
            // With weights moved less the evaluator may answer; if not, no position ever has a row.
            let near = questions(&self::moves(link, values, NEAR, true), values);
            let (near, refusal) = self.all_scores(texts, &near)?;
            return match refusal.filter(|_| near.is_empty()) {
                Some(words) => Err(unable(format!("it gives no score of {words}"))),
                None => Ok(found),
            };
        }
        // Whether any score of a position differs from that at the weights in force.
        let moved = |(_, scores): &Scored| scores.iter().any(|s| (s - scores[0]).abs() > 0.0);
        if !all.iter().any(moved) && !all.is_empty() && !moves.is_empty() {
            let words = "no weight changes the score of any position: it ignores `set`, or the \
                         options that it is told";
            return Err(unable(words.to_owned()));
        }
        found.positions = all.len();
        let differs = nonlinear(&moves, values, &asked, &all);
        found.nonlinear =
            differs.map(|(number, [predicted, score])| (texts[number].clone(), predicted, score));
        Ok(found)
    }

    /// Asks for the scores of positions at the source's weights and with each list of `asked`
    /// moved. Returns the positions that have them all, by index, with their scores, and why the
    /// first of the others has not, after its text.
    fn all_scores(
        &self,
        texts: &[String],
        asked: &[Vec<(u32, f64)>],
    ) -> Result<(Vec<Scored>, Option<String>), EvaluationError> {
        let (mut all, mut refusal) = (Vec::new(), None);
        let mut session = self.session()?;
        session.at(&[])?;
        session.scores_moved(texts, asked, &mut |number, scores| match scores {
            Ok((_, scores)) => all.push((number, scores.to_vec())),
            Err(words) => {
                refusal.get_or_insert_with(|| format!("{}: {words}", texts[number]));
            }
        })?;
        Ok((all, refusal))
    }
}

/// The number of a position, and its scores.
type Scored = (usize, Vec<f64>);

/// Finds the first score that is not linear in the weights: the one at the weights in force,
/// predicted from an end of one weight, or one with all weights moved together, the last
/// [`TOGETHER`] (2) of `asked`. Returns the number of its position, with the score predicted and
/// the one found; `None` if all are as near as rounding of scores allows. `values`: weights in
/// force, by leaf number; `all`: scores at these, then at those `asked`.
fn nonlinear(
    moves: &[Move],
    values: &[f64],
    asked: &[Vec<(u32, f64)>],
    all: &[Scored],
) -> Option<(usize, [f64; 2])> {
    let scores = all.iter().flat_map(|(_, scores)| scores);
    let is_multiple = |grain: &&f64| {
        let off = |score: &f64| (score / **grain - (score / **grain).round()).abs();
        scores.clone().all(|score| off(score) < 1e-6)
    };
    // What all scores are multiples of: each may be off by half of it. Scores that are multiples of
    // no grain count as not rounded.
    let grain = GRAINS.iter().find(is_multiple).copied().unwrap_or(0.0);
    let singles = asked.len() - TOGETHER;
    for (number, scores) in all {
        let quotients = quotients(moves, values, &scores[..=singles]);
        let active = quotients.iter().filter(|quotient| quotient.abs() > 0.0);
        // Errors of so many rounded quotients add up like the steps of a random walk.
        let together = 2.0 + 3.0 * (active.count() as f64).sqrt();
        // How many grains rounding may hide, and what was predicted and found.
        let mut pairs = Vec::new();
        // The number of the score at the first end of a move.
        let mut at = 1;
        for (moved, quotient) in moves.iter().zip(&quotients) {
            let here = values[moved.leaf];
            if moved.ends[0] < here && here < moved.ends[1] {
                let predicted = scores[at] + quotient * (here - moved.ends[0]);
                pairs.push((2.0, [predicted, scores[0]]));
            }
            at += moved.ends.iter().filter(|&&end| end - here != 0.0).count();
        }
        for (question, &score) in asked[singles..].iter().zip(&scores[singles + 1..]) {
            let changes = quotients.iter().zip(question);
            let change = |(quotient, &(leaf, x)): (&f64, &(u32, f64))| {
                quotient * (x - values[leaf as usize])
            };
            let change: f64 = changes.map(change).sum();
            pairs.push((together, [scores[0] + change, score]));
        }
        let differs = |&(rounding, [predicted, score]): &(f64, [f64; 2])| {
            let noise = 1e-6 * (1.0 + score.abs() + scores[0].abs());
            (predicted - score).abs() > rounding * grain + noise
        };
        if let Some((_, found)) = pairs.into_iter().find(differs) {
            return Some((*number, found));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_minutes_is_said_to() {
        let words = |seconds: f64| {
            let found = ScoreProbe {
                positions: 64,
                all: 20_000,
                weights: 100,
                seconds,
                nonlinear: None,
            };
            found.to_string()
        };
        // 102 scores of each position.
        assert!(words(0.001).contains("about 34 minutes"));
        assert!(!words(0.000_01).contains("minutes"));
    }
}
