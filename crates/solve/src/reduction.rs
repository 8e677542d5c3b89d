//! The variables that a solver moves, and the weights that depend on them.

use super::{LinearConstraint, Subset, feasible};
use tuner_base::{Constraint, Fingerprint, LaneId, Tie, VariableId, WeightId};

/// The parts that a [`Reduction`] is made of. All lists have one entry per weight,
/// except the ties.
#[derive(Clone, Copy, Debug)]
pub struct ReductionParts<'a> {
    /// Number of lanes, the values that a row of a trace counts: two per slot.
    pub lane_count: usize,
    /// The lane of each weight.
    pub lanes: &'a [LaneId],
    /// The weights that keep their initial value.
    pub frozen: &'a [bool],
    /// The weights that follow others.
    pub ties: &'a [Tie],
    /// Smallest and largest value of each weight, ±∞ for none.
    pub bounds: &'a [(f64, f64)],
    /// Sums of weights with limits.
    pub constraints: &'a [Constraint],
    /// Values to start from, and of frozen weights for good.
    pub initial: &'a [f64],
}

/// Maps variables to weights and to lanes, the values that rows of traces count: each lane is
/// `factor·x[v] + offset`, or fixed.
#[derive(Clone, Debug, Default)]
pub struct Reduction {
    /// The lane of each weight.
    weights: Vec<LaneId>,
    /// How the value of each lane is made of a variable; a lane of no weight is fixed at 0.
    lanes: Vec<Lane>,
    /// The weight whose value each variable is.
    roots: Vec<WeightId>,
    bounds: Vec<(f64, f64)>,
    constraints: Vec<LinearConstraint>,
    /// The step of each weight, which it is a multiple of in the end; empty where all are 1.
    steps: Vec<f64>,
}

/// The value of a lane, which rows of traces count: `offset`, plus `factor·x[variable]` if there is
/// a variable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lane {
    /// The variable, if it is not fixed.
    pub variable: Option<VariableId>,
    /// The factor of the variable.
    pub factor: f64,
    /// The number that is added.
    pub offset: f64,
}

impl Lane {
    /// Makes a lane whose value, `offset`, does not depend on a variable.
    const fn fixed(offset: f64) -> Self {
        Self {
            variable: None,
            factor: 0.0,
            offset,
        }
    }

    /// Returns the value of the lane at given variables.
    fn value(&self, x: &[f64]) -> f64 {
        let moved = |v: VariableId| self.factor * x[v.index()] + self.offset;
        self.variable.map_or(self.offset, moved)
    }

    /// Makes a lane whose value is that of the variable of this number.
    const fn free(variable: usize) -> Self {
        Self {
            variable: Some(VariableId(variable)),
            factor: 1.0,
            offset: 0.0,
        }
    }
}

/// One mistake of [`ReductionParts`]; all of them are returned at once. Weights are
/// numbers in the order of the layout: the caller knows their names.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ReductionError {
    /// A list has another length than there are weights: which, found, expected.
    #[error("{1} {0}; expected one per weight, {2}")]
    Length(&'static str, usize, usize),
    /// A weight's lane does not exist.
    #[error("weight {0} has lane {1}, which does not exist")]
    NoSuchLane(WeightId, LaneId),
    /// Two weights have the same lane.
    #[error("weights {0} and {1} have the same lane")]
    SharedLane(WeightId, WeightId),
    /// An initial value, bound, factor or difference is not a number.
    #[error("weight {0} has an initial value, bound or tie that is not a number")]
    NotFinite(WeightId),
    /// A weight's lower bound is above its upper bound.
    #[error("weight {0} has a lower bound above its upper bound")]
    BoundsCross(WeightId),
    /// A tie names a weight that does not exist.
    #[error("a tie names weight {0}, which does not exist")]
    NoSuchWeight(WeightId),
    /// A weight is tied more than once.
    #[error("weight {0} is tied twice; keep one tie")]
    TiedTwice(WeightId),
    /// A tie's root is itself tied (or the weight itself): weight, root.
    #[error(
        "weight {0} is tied to weight {1}, which is tied itself; tie both to the same third weight"
    )]
    RootIsTied(WeightId, WeightId),
    /// A weight is frozen but tied to one that is not: weight, root.
    #[error("weight {0} is frozen but tied to weight {1}, which is not; freeze both or neither")]
    FrozenTied(WeightId, WeightId),
    /// The bounds of tied weights leave no value to their root.
    #[error("the bounds of the weights tied to weight {0} leave no value to it; widen one")]
    TiesLeaveNothing(WeightId),
    /// A constraint names a weight that does not exist, or has a factor or limit that is
    /// not a number.
    #[error("constraint {0} names a weight that does not exist, or has no numbers")]
    BadConstraint(usize),
    /// All weights of a constraint are fixed, and it does not hold.
    #[error("constraint {0} does not hold, and all its weights are frozen; free one")]
    FrozenConstraint(usize),
    /// No weights are within all constraints and bounds.
    #[error("no weights satisfy all constraints within their bounds; widen or drop one")]
    ConstraintsContradict,
}

impl Reduction {
    /// Makes one variable of each weight that is neither frozen nor tied.
    ///
    /// Bounds of a tied weight narrow those of the variable of its root, the weight that it is tied
    /// to. A weight tied to a frozen one is fixed by it, whatever its initial value.
    ///
    /// # Errors
    /// All mistakes found in the parts by themselves; if there are none, those of ties together,
    /// and then those of constraints.
    pub fn new(parts: &ReductionParts<'_>) -> Result<Self, Vec<ReductionError>> {
        check(parts)?;
        let count = parts.lanes.len();
        let mut reduction = Self {
            weights: parts.lanes.to_vec(),
            lanes: vec![Lane::fixed(0.0); parts.lane_count],
            ..Self::default()
        };
        let mut tied = vec![false; count];
        for tie in parts.ties {
            tied[tie.weight.index()] = true;
        }
        for weight in (0..count).filter(|&weight| !tied[weight]) {
            reduction.lanes[parts.lanes[weight].index()] = if parts.frozen[weight] {
                Lane::fixed(parts.initial[weight])
            } else {
                reduction.roots.push(WeightId(weight));
                reduction.bounds.push(parts.bounds[weight]);
                Lane::free(reduction.roots.len() - 1)
            };
        }
        let mut errors = Vec::new();
        // All roots have their lanes by now, as a root is not tied itself.
        for tie in parts.ties {
            let [weight, root] = [tie.weight, tie.root].map(WeightId::index);
            let root = reduction.lanes[parts.lanes[root].index()];
            reduction.lanes[parts.lanes[weight].index()] = Lane {
                variable: root.variable,
                factor: root.factor * tie.factor,
                offset: root.offset * tie.factor + tie.difference,
            };
            match root.variable {
                Some(_) if parts.frozen[weight] => {
                    errors.push(ReductionError::FrozenTied(tie.weight, tie.root));
                }
                Some(variable) => narrow(&mut reduction.bounds[variable.index()], tie, parts),
                None => {} // the root is frozen, which fixes this weight too
            }
        }
        for (&(low, high), &root) in reduction.bounds.iter().zip(&reduction.roots) {
            if low > high {
                errors.push(ReductionError::TiesLeaveNothing(root));
            }
        }
        if errors.is_empty() {
            reduction.constrain(parts)?;
            Ok(reduction)
        } else {
            Err(errors)
        }
    }

    /// Sets the step of each weight, the number that its final value is a multiple of. Default: 1.
    ///
    /// # Panics
    /// If there is not one step per weight, or one is not a positive number.
    #[must_use]
    pub fn with_steps(mut self, steps: Vec<f64>) -> Self {
        assert_eq!(steps.len(), self.weights.len(), "one step per weight");
        assert!(
            steps.iter().all(|step| *step > 0.0 && step.is_finite()),
            "positive steps"
        );
        self.steps = steps;
        self
    }

    /// Returns the step of a weight, the number that its final value is to be a multiple of; 1
    /// where no steps were set.
    pub fn step(&self, weight: WeightId) -> f64 {
        self.steps.get(weight.index()).copied().unwrap_or(1.0)
    }

    /// Puts the constraints in terms of the variables. Fails where one of fixed weights alone does
    /// not hold, or where no point is within all of them and the bounds.
    fn constrain(&mut self, parts: &ReductionParts<'_>) -> Result<(), Vec<ReductionError>> {
        let terms: Vec<_> = self.weight_terms().collect();
        let rows = (parts.constraints.iter()).map(|row| LinearConstraint::new(row, &terms));
        self.constraints = rows.collect();
        let broken = |row: &LinearConstraint| row.terms.is_empty() && row.violation(&[]) > 0.0;
        let rows = self.constraints.iter().enumerate();
        let errors: Vec<ReductionError> = rows
            .filter(|(_, row)| broken(row))
            .map(|(number, _)| ReductionError::FrozenConstraint(number))
            .collect();
        if !errors.is_empty() {
            return Err(errors);
        }
        let initial = |root: &WeightId| parts.initial[root.index()];
        let start: Vec<f64> = self.roots.iter().map(initial).collect();
        let met = feasible(&start, &self.bounds, &self.constraints).map(drop);
        met.ok_or_else(|| vec![ReductionError::ConstraintsContradict])
    }

    /// Makes one free, unbounded variable of every lane, in their order: for
    /// traces made elsewhere.
    pub fn of_lanes(lane_count: usize) -> Self {
        let lanes: Vec<LaneId> = (0..lane_count as u32).map(LaneId).collect();
        Self::of_free(&lanes, lane_count)
    }

    /// Makes one free, unbounded variable of each weight; `weights` has the lane of each. All other
    /// lanes of the `lane_count` are fixed at 0.
    ///
    /// # Panics
    /// If a lane is beyond the count.
    pub fn of_free(weights: &[LaneId], lane_count: usize) -> Self {
        let mut lanes = vec![Lane::fixed(0.0); lane_count];
        for (variable, lane) in weights.iter().enumerate() {
            lanes[lane.index()] = Lane::free(variable);
        }
        Self {
            weights: weights.to_vec(),
            lanes,
            roots: (0..weights.len()).map(WeightId).collect(),
            bounds: vec![(f64::NEG_INFINITY, f64::INFINITY); weights.len()],
            constraints: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// Returns values of all variables at which those outside a subset can be fixed: `x` where the
    /// variables of the subset can then still satisfy all constraints; else the point nearest to
    /// `x` that satisfies them, or `x` after all if no point does.
    ///
    /// *Cost*: that of [`feasible`], twice.
    ///
    /// # Panics
    /// If `x`, or the full list of the subset, has not one entry per variable.
    pub fn fixable(&self, subset: &Subset, x: &[f64]) -> Vec<f64> {
        if !self.constraints.is_empty() {
            // Whether the constraints can be met by moving variables of the subset alone: one
            // without terms has only fixed variables, and holds or does not.
            let rest = self.keeping(subset, x);
            let own = subset.gather(x);
            let is_met =
                |row: &LinearConstraint| !row.terms.is_empty() || row.violation(&[]) <= 0.0;
            let alone = rest.constraints.iter().all(is_met)
                && feasible(&own, &rest.bounds, &rest.constraints).is_some();
            if !alone && let Some(nearest) = feasible(x, &self.bounds, &self.constraints) {
                return nearest;
            }
        }
        x.to_vec()
    }

    /// Returns the reduction whose variables are those of a subset, numbered in its order; all
    /// others are fixed at their values in `x`, which has one of each variable of this reduction.
    ///
    /// # Panics
    /// If `x`, or the full list of the subset, has not one entry per variable.
    #[must_use]
    pub fn keeping(&self, subset: &Subset, x: &[f64]) -> Self {
        assert_eq!(x.len(), self.variables(), "one value per variable");
        assert_eq!(subset.full_len(), x.len(), "a subset of the variables");
        let in_part = |v: VariableId| subset.index_in_part(v.index()).map(VariableId);
        let lane = |lane: &Lane| match lane.variable {
            Some(v) if !subset.contains(v.index()) => {
                Lane::fixed(lane.factor * x[v.index()] + lane.offset)
            }
            variable => Lane {
                variable: variable.and_then(in_part),
                ..*lane
            },
        };
        let rows = self.constraints.iter();
        Self {
            weights: self.weights.clone(),
            lanes: self.lanes.iter().map(lane).collect(),
            roots: subset.gather(&self.roots),
            bounds: subset.gather(&self.bounds),
            constraints: rows.map(|row| row.keeping(subset, x)).collect(),
            steps: self.steps.clone(),
        }
    }

    /// Returns the reduction in which some weights that are fixed in this one have a variable each,
    /// without bounds. They are numbered behind the others, so [`roots`](Self::roots) is not
    /// ascending any more. Weights tied to them keep the value that they are fixed at.
    ///
    /// # Panics
    /// If one of them is not fixed.
    #[must_use]
    pub fn releasing(&self, weights: &[WeightId]) -> Self {
        let mut wider = self.clone();
        for &weight in weights {
            let lane = &mut wider.lanes[self.weights[weight.index()].index()];
            assert!(lane.variable.is_none(), "a weight that is fixed");
            *lane = Lane::free(wider.roots.len());
            wider.roots.push(weight);
            wider.bounds.push((f64::NEG_INFINITY, f64::INFINITY));
        }
        wider
    }

    /// Adds the reduction to a fingerprint, in this order: after their count, the lane of each
    /// weight; after their count, of each lane its variable plus 1 (0 if it is fixed), factor and
    /// offset; after their count, of each variable the weight whose value it is; of each variable
    /// both bounds; each constraint; and the step of each weight, if steps were set.
    pub fn add_to(&self, fingerprint: &mut Fingerprint) {
        fingerprint.list(self.weights.iter().map(|lane| u64::from(lane.0)));
        fingerprint.count(self.lanes.len());
        for lane in &self.lanes {
            fingerprint.count(lane.variable.map_or(0, |variable| variable.index() + 1));
            fingerprint.f64(lane.factor);
            fingerprint.f64(lane.offset);
        }
        fingerprint.list(self.roots.iter().map(|root| root.index() as u64));
        for &(low, high) in &self.bounds {
            fingerprint.f64(low);
            fingerprint.f64(high);
        }
        // Added only where there are some, so that older fingerprints stay valid.
        for constraint in &self.constraints {
            constraint.add_to(fingerprint);
        }
        for &step in &self.steps {
            fingerprint.f64(step);
        }
    }

    /// Returns the number of variables.
    #[inline]
    pub fn variables(&self) -> usize {
        self.roots.len()
    }

    /// Returns smallest and largest value of each variable.
    #[inline]
    pub fn bounds(&self) -> &[(f64, f64)] {
        &self.bounds
    }

    /// Returns the sums of variables with limits, in the order in which the constraints on weights
    /// were given.
    #[inline]
    pub fn constraints(&self) -> &[LinearConstraint] {
        &self.constraints
    }

    /// Returns, for each variable, the weight whose value it is.
    #[inline]
    pub fn roots(&self) -> &[WeightId] {
        &self.roots
    }

    /// Returns the number of lanes.
    #[inline]
    pub fn lane_count(&self) -> usize {
        self.lanes.len()
    }

    /// Returns the variables at given weights, moved into their bounds where they are outside: a
    /// start must be feasible. Constraints are left to [`minimise`](super::minimise), as weights
    /// that were rounded to integers may satisfy them only roughly.
    ///
    /// # Panics
    /// If there are not as many values as weights.
    pub fn start(&self, weights: &[f64]) -> Vec<f64> {
        assert_eq!(weights.len(), self.weights.len(), "one value per weight");
        let inside =
            |(root, &(low, high)): (&WeightId, &(f64, f64))| weights[root.index()].clamp(low, high);
        self.roots.iter().zip(&self.bounds).map(inside).collect()
    }

    /// Returns the lane of each weight.
    #[inline]
    pub fn weight_lanes(&self) -> &[LaneId] {
        &self.weights
    }

    /// Returns the value of each weight, frozen and tied ones included, at given variables.
    pub fn weights(&self, x: &[f64]) -> Vec<f64> {
        let lanes = self.weights.iter().map(|lane| self.lanes[lane.index()]);
        lanes.map(|lane| lane.value(x)).collect()
    }

    /// Returns the value of each lane at given variables, 0 for lanes of no weight.
    #[inline]
    pub fn lanes(&self, x: &[f64]) -> Vec<f64> {
        self.lanes.iter().map(|lane| lane.value(x)).collect()
    }

    /// Returns all lanes at given weights, without a look at ties or frozen weights; lanes of no
    /// weight are 0.
    ///
    /// # Panics
    /// If there are not as many values as weights.
    pub fn lanes_of(&self, weights: &[f64]) -> Vec<f64> {
        assert_eq!(weights.len(), self.weights.len(), "one value per weight");
        let mut lanes = vec![0.0; self.lanes.len()];
        for (lane, &weight) in self.weights.iter().zip(weights) {
            lanes[lane.index()] = weight;
        }
        lanes
    }

    /// Returns, in the order of the weights, what the value of each is made of, `(variable, factor,
    /// offset)`: `factor·x[variable] + offset`, or the offset alone where there is no variable.
    pub fn weight_terms(&self) -> impl Iterator<Item = (Option<VariableId>, f64, f64)> + '_ {
        self.weights.iter().map(|lane| {
            let lane = self.lanes[lane.index()];
            (lane.variable, lane.factor, lane.offset)
        })
    }

    /// Returns how the value of each lane is made of a variable, in the order of the lanes.
    #[inline]
    pub fn lane_terms(&self) -> &[Lane] {
        &self.lanes
    }

    /// Writes, for each variable, Σ factor·value over the lanes that depend on it, as a gradient by
    /// lanes becomes one by variables: the transpose of the map from variables to lanes. What was
    /// in `variables` is overwritten.
    #[inline]
    pub fn gather(&self, lanes: &[f64], variables: &mut [f64]) {
        variables.fill(0.0);
        for (lane, value) in self.lanes.iter().zip(lanes) {
            if let Some(variable) = lane.variable {
                variables[variable.index()] += lane.factor * value;
            }
        }
    }

    /// Returns the change of each lane where the variables change by `variables`, that is factor
    /// times the change of its variable; 0 for lanes that are fixed.
    #[inline]
    pub fn spread(&self, variables: &[f64]) -> Vec<f64> {
        let change = |v: VariableId, lane: &Lane| lane.factor * variables[v.index()];
        let spread = |lane: &Lane| lane.variable.map_or(0.0, |v| change(v, lane));
        self.lanes.iter().map(spread).collect()
    }
}

/// Narrows the bounds of a root (a weight that another is tied to) to the values at which the tied
/// weight, factor·root + difference, is within its own bounds. A factor of 0 leaves them: the
/// weight does not depend on the root.
fn narrow(bounds: &mut (f64, f64), tie: &Tie, parts: &ReductionParts<'_>) {
    let (low, high) = parts.bounds[tie.weight.index()];
    if tie.factor == 0.0 {
        return;
    }
    let [a, b] = [low, high].map(|bound| (bound - tie.difference) / tie.factor);
    *bounds = (bounds.0.max(a.min(b)), bounds.1.min(a.max(b)));
}

/// Finds the mistakes that can be told before the variables are numbered: in lists, lanes, values,
/// bounds, ties, and the weights and numbers of constraints. Where a list has another length than
/// there are weights, only lengths are reported.
fn check(parts: &ReductionParts<'_>) -> Result<(), Vec<ReductionError>> {
    let count = parts.lanes.len();
    let lengths = [
        ("frozen flags", parts.frozen.len()),
        ("bounds", parts.bounds.len()),
        ("initial values", parts.initial.len()),
    ];
    let wrong = lengths.iter().filter(|(_, found)| *found != count);
    let wrong = wrong.map(|&(what, found)| ReductionError::Length(what, found, count));
    let mut errors: Vec<ReductionError> = wrong.collect();
    if !errors.is_empty() {
        return Err(errors); // nothing below makes sense then
    }
    let mut owner = vec![None; parts.lane_count];
    for (weight, &lane) in (0..).map(WeightId).zip(parts.lanes) {
        match owner.get_mut(lane.index()) {
            None => errors.push(ReductionError::NoSuchLane(weight, lane)),
            Some(Some(other)) => errors.push(ReductionError::SharedLane(*other, weight)),
            Some(owner) => *owner = Some(weight),
        }
        let (low, high) = parts.bounds[weight.index()];
        if !parts.initial[weight.index()].is_finite() || low.is_nan() || high.is_nan() {
            errors.push(ReductionError::NotFinite(weight));
        } else if low > high {
            errors.push(ReductionError::BoundsCross(weight));
        }
    }
    check_ties(parts, &mut errors);
    for (number, row) in parts.constraints.iter().enumerate() {
        let exist =
            |&(weight, factor): &(WeightId, f64)| weight.index() < count && factor.is_finite();
        let numbers = !row.low.is_nan() && !row.high.is_nan();
        if !numbers || !row.terms.iter().all(exist) {
            errors.push(ReductionError::BadConstraint(number));
        }
    }
    errors.is_empty().then_some(()).ok_or(errors)
}

/// Adds to `errors` the ties whose weight or root does not exist or is tied itself, that tie a
/// weight twice, or whose numbers are not finite.
fn check_ties(parts: &ReductionParts<'_>, errors: &mut Vec<ReductionError>) {
    let count = parts.lanes.len();
    let mut tied = vec![false; count];
    for tie in parts.ties {
        match tied.get_mut(tie.weight.index()) {
            None => errors.push(ReductionError::NoSuchWeight(tie.weight)),
            Some(true) => errors.push(ReductionError::TiedTwice(tie.weight)),
            Some(tied) => *tied = true,
        }
        if !tie.factor.is_finite() || !tie.difference.is_finite() {
            errors.push(ReductionError::NotFinite(tie.weight));
        }
    }
    for tie in parts.ties {
        match tied.get(tie.root.index()) {
            None => errors.push(ReductionError::NoSuchWeight(tie.root)),
            Some(true) => errors.push(ReductionError::RootIsTied(tie.weight, tie.root)),
            Some(false) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failing test may end with a panic
    #![allow(clippy::float_cmp)] // small integers are exact
    use super::ReductionError as E;
    use super::*;

    const FREE: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

    #[test]
    fn maps_variables_to_weights_and_back() {
        let reduction = Reduction::new(&ReductionParts {
            lane_count: 8,
            lanes: &[0, 1, 2, 4, 7].map(LaneId),
            frozen: &[false, true, false, false, false],
            ties: &[
                Tie {
                    weight: WeightId(3),
                    root: WeightId(0),
                    factor: -1.0,
                    difference: 10.0,
                },
                Tie {
                    weight: WeightId(4),
                    root: WeightId(1),
                    factor: 2.0,
                    difference: 1.0,
                },
            ],
            bounds: &[(-100.0, 100.0), FREE, FREE, (0.0, 50.0), FREE],
            constraints: &[],
            initial: &[5.0, 6.0, 7.0, 5.0, 13.0],
        })
        .unwrap();
        assert_eq!(reduction.variables(), 2);
        assert_eq!(reduction.roots(), &[0, 2].map(WeightId));
        assert_eq!(reduction.bounds(), &[(-40.0, 10.0), FREE]);
        assert_eq!(reduction.start(&[99.0, 0.0, 3.0, 0.0, 0.0]), [10.0, 3.0]);
        assert_eq!(reduction.weights(&[4.0, 1.0]), [4.0, 6.0, 1.0, 6.0, 13.0]);
        assert_eq!(
            reduction.lanes(&[4.0, 1.0]),
            [4.0, 6.0, 1.0, 0.0, 6.0, 0.0, 0.0, 13.0]
        );
        let weights = reduction.weights(&[4.0, 1.0]);
        assert_eq!(reduction.lanes_of(&weights), reduction.lanes(&[4.0, 1.0]));
        let fewer = reduction.keeping(&Subset::without(0, 2), &[4.0, 1.0]);
        assert_eq!(
            (fewer.roots(), fewer.bounds()),
            (&[WeightId(2)][..], &[FREE][..])
        );
        assert_eq!(fewer.weights(&[2.0]), [4.0, 6.0, 2.0, 6.0, 13.0]);
        let mut gathered = [0.0; 2];
        reduction.gather(&[1.0, 1.0, 1.0, 1.0, 3.0, 1.0, 1.0, 1.0], &mut gathered);
        assert_eq!(gathered, [-2.0, 1.0]);
    }

    #[test]
    fn reports_all_mistakes_at_once() {
        let errors = Reduction::new(&ReductionParts {
            lane_count: 4,
            lanes: &[0, 0, 9, 3].map(LaneId),
            frozen: &[false; 4],
            ties: &[
                Tie {
                    weight: WeightId(0),
                    root: WeightId(1),
                    factor: 1.0,
                    difference: 0.0,
                },
                Tie {
                    weight: WeightId(1),
                    root: WeightId(3),
                    factor: f64::NAN,
                    difference: 0.0,
                },
                Tie {
                    weight: WeightId(8),
                    root: WeightId(3),
                    factor: 1.0,
                    difference: 0.0,
                },
            ],
            bounds: &[FREE, FREE, FREE, (1.0, 0.0)],
            constraints: &[],
            initial: &[0.0; 4],
        })
        .unwrap_err();
        assert_eq!(
            errors,
            [
                E::SharedLane(WeightId(0), WeightId(1)),
                E::NoSuchLane(WeightId(2), LaneId(9)),
                E::BoundsCross(WeightId(3)),
                E::NotFinite(WeightId(1)),
                E::NoSuchWeight(WeightId(8)),
                E::RootIsTied(WeightId(0), WeightId(1)),
            ]
        );
    }

    #[test]
    fn refuses_ties_that_contradict_frozen_weights_and_bounds() {
        let tie = [Tie {
            weight: WeightId(1),
            root: WeightId(0),
            factor: 1.0,
            difference: 0.0,
        }];
        let mut parts = ReductionParts {
            lane_count: 2,
            lanes: &[0, 1].map(LaneId),
            frozen: &[false, true],
            ties: &tie,
            bounds: &[FREE, FREE],
            constraints: &[],
            initial: &[0.0, 0.0],
        };
        assert_eq!(
            Reduction::new(&parts).unwrap_err(),
            [E::FrozenTied(WeightId(1), WeightId(0))]
        );
        parts.frozen = &[false, false];
        parts.bounds = &[(0.0, 1.0), (2.0, 3.0)];
        assert_eq!(
            Reduction::new(&parts).unwrap_err(),
            [E::TiesLeaveNothing(WeightId(0))]
        );
    }
}
