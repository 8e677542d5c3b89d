//! The findings of `check` after tracing: whether production and twin agree, and
//! what no weight explains.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::differences::{WeightNumber, or_nan};
use super::link::Link;
use super::resolve::Resolved;
use tuner_base::WeightId;
use tuner_rows::{Culprit, RowFault, Suspects};
use tuner_spec::Layout;
use tuner_trace::{ExpressionValues, Leaf, Trace};

/// Mismatches that are kept to be shown. Chosen: a screen.
const EXAMPLES: usize = 10;

/// Share of the mean score that the part without weights may differ by from position to
/// position, and of the positions without any weight; chosen: a literal `+ 1` that is tapered
/// stays below, and known endgames in games; a material of literals does not.
const NEGLIGIBLE: f64 = 0.01;

/// A position on which production and twin give different scores.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Mismatch {
    /// The position in its notation.
    pub position: String,
    /// Production's score.
    pub production: f64,
    /// The twin's score.
    pub twin: f64,
    /// Share of each parameter in the twin's score.
    pub terms: Vec<ParameterTerm>,
}

/// A place in the source: file, line and column.
pub type Place = Cow<'static, str>;

/// The share of a parameter in a score.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct ParameterTerm {
    /// A weight of the parameter, by which it is found.
    #[serde(with = "WeightNumber")]
    pub weight: WeightId,
    /// How much of the score it explains, in the unit of the score.
    #[serde(deserialize_with = "or_nan")]
    pub share: f64,
}

/// How often something was found, and where first.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Occasions<E> {
    /// How often.
    pub count: u64,
    /// The first time.
    pub first: Option<E>,
}

impl<E> Occasions<E> {
    /// Counts one more; `occasion` makes what is kept of the first, and is called for that one
    /// only.
    pub(super) fn note(&mut self, occasion: impl FnOnce() -> E) {
        self.count += 1;
        self.first.get_or_insert_with(occasion);
    }

    /// Adds the occasions of later positions: the first one found stays the first.
    pub(super) fn merge(&mut self, later: Self) {
        self.count += later.count;
        self.first = self.first.take().or(later.first);
    }
}

/// How two numbers of positions go together: scores and results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Correlation {
    /// Positions.
    pub count: u64,
    /// Σx, Σy, Σx², Σy², Σxy.
    sums: [f64; 5],
}

impl Correlation {
    /// Adds a position: its score `x`, its result `y`.
    pub(super) fn add(&mut self, x: f64, y: f64) {
        self.merge(Self {
            count: 1,
            sums: [x, y, x * x, y * y, x * y],
        });
    }

    /// Adds the sums over other positions.
    fn merge(&mut self, other: Self) {
        self.count += other.count;
        (self.sums.iter_mut().zip(other.sums)).for_each(|(sum, more)| *sum += more);
    }

    /// Returns Pearson's coefficient of scores and results, from −1 to 1; 0 where all scores or all
    /// results are the same.
    pub fn coefficient(&self) -> f64 {
        let [x, y, xx, yy, xy] = self.sums.map(|sum| sum / self.count.max(1) as f64);
        let variance = (xx - x * x) * (yy - y * y);
        if variance > 0.0 {
            (xy - x * y) / variance.sqrt()
        } else {
            0.0
        }
    }
}

/// The part of the scores that no weight explains.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Constants {
    /// Positions with a part of the score that no weight explains.
    pub positions: u64,
    /// The sum of the sizes of these parts.
    pub total: f64,
    /// Σ of the sizes of scores that depend on no weight, as those of known endgames.
    alone: f64,
    /// Positions whose score depends on weights.
    scored: u64,
    /// Σ of the sizes of the scores that depend on weights.
    scores: f64,
    /// The smallest size of the part on positions whose score depends on weights.
    smallest: Option<f64>,
    /// The position where it is largest, and its value there.
    pub worst: Option<(String, f64)>,
    /// Places where plain numbers join the score: positions, Σ of their sizes.
    pub sites: BTreeMap<Place, (u64, f64)>,
    /// The places above that are not literals: calls, variables, tables.
    pub suspicious: Vec<Place>,
}

/// The findings of [`Tracer`](super::Tracer)s.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Agreement {
    /// Positions traced.
    pub positions: u64,
    /// Positions where the twin's score is not production's.
    pub mismatches: u64,
    /// The first ten mismatches.
    pub examples: Vec<Mismatch>,
    /// Positions where constant + Σ c·w misses the score by more than its
    /// truncating divisions can explain; the first with the residual and its bound.
    pub residuals: Occasions<(String, f64, f64)>,
    /// Positions where the row goes another way at a branch than its own weights say.
    pub wrong_branches: Occasions<String>,
    /// Positions where an operation of the production type wrapped.
    pub wrapped: Occasions<String>,
    /// Positions whose score depends on no weight at all.
    pub unexplained: Occasions<String>,
    /// The parts of scores that no weight explains.
    pub constants: Constants,
    /// Whether rows are quotients of an evaluation that only scores; a score and its trace are
    /// then one before weights were moved and one after.
    pub only_scores: bool,
    /// Nodes of all tapes.
    pub nodes: u64,
    /// Positions whose score is not linear in the weights.
    pub nonlinear: u64,
    /// By weight of the spec, the positions that read it with a non-zero coefficient.
    pub reads: Vec<u64>,
    /// Counts of positions that were resolved first.
    pub resolved: Resolved,
    /// Scores and results where the first player is to move, and the second.
    pub views: [Correlation; 2],
    /// By weight of the spec, the number of the last position that read it.
    #[serde(skip)]
    read_last: Vec<u64>,
    /// Weights and parameters that may explain the mismatches, by the positions of this rank.
    #[serde(skip)]
    suspects: Suspects,
    #[serde(skip)]
    evaluation: ExpressionValues,
}

impl Agreement {
    /// Begins with nothing found. `weights`: how many the spec has.
    pub fn new(weights: usize) -> Self {
        Self {
            reads: vec![0; weights],
            read_last: vec![0; weights],
            ..Self::default()
        }
    }

    /// Counts a position: which weights it reads, and what is wrong with its trace. `production`:
    /// the evaluation's score, where the trace has the twin's; `position`: the text of what was
    /// traced. Of an evaluation that only scores, parts that no weight explains are not noted.
    pub(super) fn note(&mut self, link: &Link, trace: &Trace, production: f64, position: &str) {
        self.positions += 1;
        self.nodes += trace.nodes as u64;
        for form in &trace.forms {
            for &(leaf, _) in &form.terms {
                let weight = link.weights()[leaf.index()].index();
                // A position may read a weight in several forms, and counts once.
                if self.read_last[weight] != self.positions {
                    self.read_last[weight] = self.positions;
                    self.reads[weight] += 1;
                }
            }
        }
        self.nonlinear += u64::from(trace.expression.is_some());
        // A score of 0 may be a draw by rule, or all terms cancel.
        if trace.forms.is_empty() && trace.constant != 0.0 && !self.only_scores {
            self.unexplained.note(|| position.to_owned());
        }
        if trace.wrapped {
            self.wrapped.note(|| position.to_owned());
        }
        if !self.only_scores {
            self.note_constants(trace, position);
        }
        match RowFault::of(trace, link.values(), &mut self.evaluation) {
            None => {}
            Some(RowFault::Sum { residual, bound }) => {
                (self.residuals).note(|| (position.to_owned(), residual, bound));
            }
            Some(RowFault::Branch) => self.wrong_branches.note(|| position.to_owned()),
        }
        // 0 and −0 are one score.
        if production.to_bits() != trace.score.to_bits() && (production - trace.score).abs() > 0.0 {
            self.note_mismatch(link, trace, production, position.to_owned());
        }
    }

    /// Adds the part of a score that no weight explains, to the sums of all and by the places that
    /// it comes from; places of numbers that are not literals are noted as suspicious.
    fn note_constants(&mut self, trace: &Trace, position: &str) {
        let constants = &mut self.constants;
        constants.positions += u64::from(trace.constant != 0.0);
        constants.total += trace.constant.abs();
        // A score without any weight, as of a known endgame, counts apart.
        if trace.forms.is_empty() {
            constants.alone += trace.constant.abs();
        } else {
            constants.scored += 1;
            constants.scores += trace.score.abs();
            constants.smallest = Constants::smaller(constants.smallest, Some(trace.constant.abs()));
        }
        if trace.constant.abs() > constants.largest() {
            constants.worst = Some((position.to_owned(), trace.constant));
        }
        // A place counts once a position, with the sizes of all numbers that come from there.
        let mut by_place: BTreeMap<&'static str, f64> = BTreeMap::new();
        for (site, value) in &trace.sites {
            *by_place.entry(site.place).or_default() += value.abs();
        }
        for (place, value) in by_place {
            let sum = constants.sites.entry(place.into()).or_default();
            sum.0 += 1;
            sum.1 += value;
        }
        for (site, _) in &trace.sites {
            let place = Place::from(site.place);
            if !site.literal && !constants.suspicious.contains(&place) {
                constants.suspicious.push(place);
            }
        }
    }

    /// Notes a position whose scores of production and twin differ, and which weights and
    /// parameters may be the cause: those whose share in the score explains the difference.
    fn note_mismatch(&mut self, link: &Link, trace: &Trace, production: f64, position: String) {
        self.mismatches += 1;
        // Of a leaf its weight, and the first weight of its parameter, which means the parameter.
        let owner = |leaf: Leaf| [link.weights(), &link.parameters].map(|of| of[leaf.index()]);
        let (evaluation, difference) = (&mut self.evaluation, production - trace.score);
        let shares = (self.suspects).note(trace, link.values(), evaluation, difference, owner);
        if self.examples.len() < EXAMPLES {
            let terms = shares.into_iter();
            let terms = terms.map(|(weight, share)| ParameterTerm { weight, share });
            let terms = terms.collect();
            self.examples.push(Mismatch {
                position,
                production,
                twin: trace.score,
                terms,
            });
        }
    }

    /// Adds what another tracer found on later positions, of the same weights: of examples and
    /// first occasions the earlier ones stay.
    pub fn merge(&mut self, other: Self) {
        self.positions += other.positions;
        self.mismatches += other.mismatches;
        self.examples.extend(other.examples);
        self.examples.truncate(EXAMPLES);
        self.residuals.merge(other.residuals);
        self.wrong_branches.merge(other.wrong_branches);
        self.wrapped.merge(other.wrapped);
        self.unexplained.merge(other.unexplained);
        self.constants.merge(other.constants);
        self.only_scores |= other.only_scores;
        self.nodes += other.nodes;
        self.nonlinear += other.nonlinear;
        let reads = self.reads.iter_mut().zip(&other.reads);
        reads.for_each(|(mine, more)| *mine += more);
        self.resolved.merge(other.resolved);
        self.add_views(other.views);
        self.suspects.merge(&other.suspects);
    }

    /// Adds the correlations of scores and results where the first player is to move, and the
    /// second.
    pub(super) fn add_views(&mut self, views: [Correlation; 2]) {
        for (mine, more) in self.views.iter_mut().zip(views) {
            mine.merge(more);
        }
    }

    /// Returns the parameter or weight whose share in scores explains the mismatches, by the
    /// positions of this rank; `None` if no single one does.
    pub fn culprit(&self, layout: &Layout) -> Option<Culprit> {
        self.suspects.culprit(
            |weight| layout.parameter_of(weight).name().to_owned(),
            |weight| layout.name(weight),
        )
    }

    /// Weights that no position read, in the spec's order.
    pub fn never_read(&self) -> Vec<WeightId> {
        let weights = (0..self.reads.len()).map(WeightId);
        let never = weights.filter(|weight| self.reads[weight.index()] == 0);
        never.collect()
    }

    /// Tells whether a fit on these traces would be one of something else than production: scores
    /// differ, sums do not add up or take other branches, numbers overflowed, or the quiescence
    /// search returns what its last position is not worth or was not offered.
    pub fn is_wrong(&self) -> bool {
        let resolved = self.resolved.wrong.count + self.resolved.unoffered;
        let rows = self.residuals.count + self.wrong_branches.count;
        self.mismatches + rows + self.wrapped.count + resolved > 0
    }

    /// Tells whether a part of the score comes from where no weight can be: a cache, a table
    /// without annotation.
    ///
    /// Literals and frozen consts do not count, unless they differ from position to position by
    /// more than one percent of the score. Scores without any weight, as of known endgames, which
    /// no fit reads, do not count on up to one percent of the positions; nor on more, where all
    /// scores hold one and the same literal.
    pub fn has_foreign_constants(&self) -> bool {
        let constants = &self.constants;
        // All scores hold one and the same literal: those that read no weight are that alone.
        let is_fixed = constants.smallest == Some(constants.largest());
        let few = NEGLIGIBLE * self.positions as f64;
        let is_alone = self.unexplained.count as f64 > few && !is_fixed;
        !constants.suspicious.is_empty() || is_alone || constants.vary()
    }
}

impl Constants {
    /// Tells whether the part of scores that no weight explains differs from position to position:
    /// whether Σ |part| − n·min |part|, over the n positions whose scores read weights, is more
    /// than one percent of Σ |score|. Its sign does not count, as it may be that of the side to
    /// move.
    pub fn vary(&self) -> bool {
        let fixed = self.smallest.unwrap_or_default() * self.scored as f64;
        self.total - self.alone - fixed > NEGLIGIBLE * self.scores
    }

    /// Returns the smaller of two numbers, or the one that there is; `None` if both are `None`.
    fn smaller(a: Option<f64>, b: Option<f64>) -> Option<f64> {
        a.into_iter().chain(b).reduce(f64::min)
    }

    /// Returns the largest size that the part of the score without weights has on any position; 0
    /// if no score had one.
    fn largest(&self) -> f64 {
        self.worst.as_ref().map_or(0.0, |(_, value)| value.abs())
    }

    /// Adds what was found on later positions. Of two worst positions whose part is equally large
    /// the earlier one stays.
    fn merge(&mut self, other: Self) {
        self.positions += other.positions;
        self.total += other.total;
        self.alone += other.alone;
        self.scored += other.scored;
        self.scores += other.scores;
        self.smallest = Self::smaller(self.smallest, other.smallest);
        if other.largest() > self.largest() {
            self.worst = other.worst;
        }
        for (site, (positions, total)) in other.sites {
            let sum = self.sites.entry(site).or_default();
            sum.0 += positions;
            sum.1 += total;
        }
        for site in other.suspicious {
            if !self.suspicious.contains(&site) {
                self.suspicious.push(site);
            }
        }
        // Sorted, so that their order does not depend on which tracer met them first.
        self.suspicious.sort_unstable();
    }
}
