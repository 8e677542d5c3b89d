//! Names, order and lanes of the weights: what every other part of the crate
//! knows about a spec.

use std::sync::Arc;

use super::parameter::{Parameter, Phases};
use super::path::{PathError, resolve};
use super::text::{did_you_mean, fits, quoted};
use tuner_base::{Constraint, Fingerprint, LaneId, Tie, WeightId};

/// A number with finer digits than its weight has.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "{name} is {value}; expected a multiple of {step}, as the spec has: fit with --spec or --round"
)]
pub struct CountError {
    name: String,
    value: f64,
    step: String,
}

/// A list of values that has not one value per weight.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "found {found} values; expected {expected}, one per weight of the spec; \
     pass values that were made with this spec"
)]
pub struct LengthError {
    /// How many values were given.
    pub found: usize,
    /// How many weights there are.
    pub expected: usize,
}

impl LengthError {
    /// Fails unless `values`, the number of values, is the number of weights of the layout.
    pub(crate) fn check(values: usize, layout: &Layout) -> Result<(), Self> {
        let (found, expected) = (values, layout.weights());
        if found == expected {
            Ok(())
        } else {
            Err(Self { found, expected })
        }
    }
}

/// All weights of an evaluation, in order.
///
/// Weights are numbered parameter by parameter, row-major, phases innermost.
/// Cloning costs a reference count.
#[derive(Clone, Debug)]
pub struct Layout {
    inner: Arc<Inner>,
}

#[derive(Clone, Debug)]
struct Inner {
    parameters: Vec<Parameter>,
    slots: usize,
    initial: Vec<i64>,
    frozen: Vec<bool>,
    ties: Vec<Tie>,
    constraints: Vec<Constraint>,
}

impl Layout {
    /// Makes a layout without ties and constraints. `initial`: the initial values, in units of the
    /// last decimal of each weight's step; `frozen`: whether a weight is frozen. Both have one
    /// entry per weight.
    pub(super) fn new(parameters: Vec<Parameter>, initial: Vec<i64>, frozen: Vec<bool>) -> Self {
        let slots = parameters.iter().map(Parameter::entries).sum();
        debug_assert_eq!(initial.len(), frozen.len(), "one of each per weight");
        Self {
            inner: Arc::new(Inner {
                parameters,
                slots,
                initial,
                frozen,
                ties: Vec::new(),
                constraints: Vec::new(),
            }),
        }
    }

    /// Returns the layout with other frozen weights, and with these ties and constraints (`sums`).
    /// `frozen` has one entry per weight; a weight that is tied to a frozen one must be frozen too.
    pub(super) fn tied(mut self, frozen: Vec<bool>, ties: Vec<Tie>, sums: Vec<Constraint>) -> Self {
        let inner = Arc::make_mut(&mut self.inner);
        (inner.frozen, inner.ties, inner.constraints) = (frozen, ties, sums);
        self
    }

    /// Returns a copy of the layout in which other weights are frozen and initial values differ.
    /// Both lists have one entry per weight; an initial value is in units of the last decimal of
    /// its weight's step. A weight that is tied to a frozen one must be frozen too.
    pub(super) fn with_frozen(&self, frozen: Vec<bool>, initial: Vec<i64>) -> Self {
        let mut new = self.clone();
        let inner = Arc::make_mut(&mut new.inner);
        (inner.initial, inner.frozen) = (initial, frozen);
        new
    }

    /// Sets the names of parameters in headers of C and C++. `symbol`: from the name of a parameter
    /// to that in headers, `None` where they are equal.
    pub(super) fn set_symbols(&mut self, symbol: impl Fn(&str) -> Option<String>) {
        for parameter in &mut Arc::make_mut(&mut self.inner).parameters {
            parameter.symbol = symbol(&parameter.name);
        }
    }

    /// Returns the parameters in the order of the file.
    pub fn parameters(&self) -> &[Parameter] {
        &self.inner.parameters
    }

    /// Returns the number of weights.
    pub fn weights(&self) -> usize {
        self.inner.initial.len()
    }

    /// Returns the ids of all weights, in their order.
    pub fn weight_ids(&self) -> impl ExactSizeIterator<Item = WeightId> + Clone + use<> {
        (0..self.weights()).map(WeightId)
    }

    /// Returns the number of slots, one per entry of a parameter; each slot has two lanes, of one
    /// number each.
    pub fn slots(&self) -> usize {
        self.inner.slots
    }

    /// Returns the parameter that a weight belongs to. Cost: a binary search.
    ///
    /// # Panics
    ///
    /// If there is no such weight.
    pub fn parameter_of(&self, weight: WeightId) -> &Parameter {
        let weights = self.weights();
        assert!(weight.index() < weights, "weight {weight} of {weights}");
        let parameters = &self.inner.parameters;
        // The last parameter that does not begin behind the weight.
        &parameters[parameters.partition_point(|p| p.first_weight <= weight.index()) - 1]
    }

    /// Returns the name of a weight, such as `MATERIAL[knight].mg`.
    ///
    /// # Panics
    ///
    /// If there is no such weight.
    pub fn name(&self, weight: WeightId) -> String {
        let parameter = self.parameter_of(weight);
        parameter.weight_name(weight.index() - parameter.first_weight)
    }

    /// Returns the weights that `words` mean, ascending; never empty. They are those of all
    /// parameters whose name or group fits, where `*` in `words` is any text; or else those that a
    /// path such as `PST[pawn]` names.
    ///
    /// # Errors
    ///
    /// If `words` mean no weight; the error says which names there are.
    pub fn select(&self, words: &str) -> Result<Vec<WeightId>, PathError> {
        let fits = |parameter: &&Parameter| {
            let group = parameter.group.as_deref();
            fits(words, parameter.name()) || group.is_some_and(|group| fits(words, group))
        };
        let found = self.parameters().iter().filter(fits);
        let found: Vec<WeightId> = found.flat_map(Parameter::weights).collect();
        if !found.is_empty() {
            return Ok(found);
        }
        if words.contains(['[', '.']) {
            return self.find(words);
        }
        // Nothing fits: the error names what there is.
        let mut known: Vec<&str> = Vec::new();
        for parameter in self.parameters() {
            let names = [Some(parameter.name()), parameter.group.as_deref()];
            known.extend(names.into_iter().flatten());
        }
        known.sort_unstable();
        known.dedup();
        let begin_so = known.iter().filter(|name| name.starts_with(words)).count();
        let found = format!("no parameter or group {}", quoted(words));
        let expected = "one of them, or a path to weights such as PST[pawn].mg";
        let mut cure = did_you_mean(words, known, "correct the name");
        if begin_so > 1 {
            let all = quoted(&format!("{words}*"));
            cure = format!("{cure} {all} names all that begin so");
        }
        Err(PathError::new(found, expected, cure))
    }

    /// Returns the weights that a path names, ascending; never empty. `PST` names all weights of a
    /// table, `PST[pawn][12].eg` one of them.
    ///
    /// # Errors
    ///
    /// If the path names no weight; the error says what it could name.
    pub fn find(&self, path: &str) -> Result<Vec<WeightId>, PathError> {
        resolve(self.parameters(), path)
            .map(|selection| selection.weights().map(WeightId).collect())
    }

    /// Returns the lane of a weight: a place for one number in a slot, of which a slot has two.
    ///
    /// # Panics
    ///
    /// If there is no such weight.
    pub fn lane(&self, weight: WeightId) -> LaneId {
        let parameter = self.parameter_of(weight);
        let offset = weight.index() - parameter.first_weight;
        // A slot has two lanes: an untapered weight leaves the second one empty.
        let lanes_per_weight = 2 / parameter.phases.count();
        LaneId((2 * parameter.first_slot + lanes_per_weight * offset) as u32)
    }

    /// Returns the weight in a lane; `None` for the second lane of a slot with an untapered weight,
    /// which is not used, and past the last lane.
    pub fn weight_of_lane(&self, lane: LaneId) -> Option<WeightId> {
        let slot = lane.slot().index();
        if slot >= self.slots() {
            return None;
        }
        let parameters = &self.inner.parameters;
        let parameter = &parameters[parameters.partition_point(|p| p.first_slot <= slot) - 1];
        if parameter.phases == Phases::Untapered && lane.side() == 1 {
            return None;
        }
        // A tapered weight has one lane; an untapered one has a slot to itself, and uses its first.
        let lanes_per_weight = 2 / parameter.phases.count();
        let offset = (lane.index() - 2 * parameter.first_slot) / lanes_per_weight;
        Some(WeightId(parameter.first_weight + offset))
    }

    /// Returns the initial values, one per weight, in the unit of the spec. Allocates.
    pub fn initial(&self) -> Vec<f64> {
        self.values(&self.inner.initial)
    }

    /// Returns the initial values as whole numbers, one per weight, each in units of the last
    /// decimal of its [`WeightStep`](crate::WeightStep): 125 is 1.25 if the step has two decimals.
    pub fn initial_counts(&self) -> &[i64] {
        &self.inner.initial
    }

    /// Returns the values, one per weight, in the unit of the spec, of whole numbers in units of
    /// the last decimal of each weight's step. Allocates.
    ///
    /// # Panics
    /// If there are fewer counts than weights.
    pub fn values(&self, counts: &[i64]) -> Vec<f64> {
        let of_parameter = |parameter: &Parameter| {
            let (step, counts) = (parameter.step, &counts[parameter.weight_range()]);
            counts.iter().map(move |&count| step.value(count))
        };
        self.parameters().iter().flat_map(of_parameter).collect()
    }

    /// Returns values, one per weight, as whole numbers in units of the last decimal of each
    /// weight's step: 1.25 is 125 if the step has two decimals.
    ///
    /// # Errors
    ///
    /// The first weight whose value has more decimals than its step, or is beyond 2^53 units.
    pub fn counts(&self, values: &[f64]) -> Result<Vec<i64>, CountError> {
        let pairs = self.weight_ids().zip(values);
        let counts = pairs.map(|(weight, &value)| {
            let step = self.parameter_of(weight).step;
            step.count(value).ok_or_else(|| CountError {
                name: self.name(weight),
                value,
                step: step.text(step.counts),
            })
        });
        counts.collect()
    }

    /// Returns the lower and the upper limit of a weight, both inclusive, in the unit of the spec;
    /// infinite where the spec gives no bounds.
    ///
    /// # Panics
    ///
    /// If there is no such weight.
    pub fn bounds(&self, weight: WeightId) -> (f64, f64) {
        self.parameter_of(weight).bounds()
    }

    /// Tells whether a weight keeps its initial value, because the spec says so, or because it is
    /// tied to a weight of which the spec says so.
    ///
    /// # Panics
    ///
    /// If there is no such weight.
    pub fn frozen(&self, weight: WeightId) -> bool {
        self.inner.frozen[weight.index()]
    }

    /// Returns the ties of the spec, those of mirrors included. They are ascending by
    /// [`Tie::weight`], each weight at most once, and no [`Tie::root`] is tied itself.
    pub fn ties(&self) -> &[Tie] {
        &self.inner.ties
    }

    /// Returns the constraints on sums of weights, in the order of the file: first those of the
    /// orders of parameters (`increasing`, `convex`), then those of `[[constraint]]`. The initial
    /// values need not satisfy them; a fit begins at the nearest values that do.
    pub fn constraints(&self) -> &[Constraint] {
        &self.inner.constraints
    }

    /// Returns a fingerprint of names, order and lanes of the weights alone. Traces made with one
    /// layout can be used with another if and only if both have the same fingerprint, whatever
    /// their values and bounds are.
    pub fn fingerprint(&self) -> u64 {
        let mut fingerprint = Fingerprint::new();
        fingerprint.text("layout 1");
        self.add_to(&mut fingerprint);
        fingerprint.value()
    }

    /// Adds names, phases and dimensions of all parameters, with the names of indices, to a
    /// fingerprint, in their order.
    pub(super) fn add_to(&self, fingerprint: &mut Fingerprint) {
        fingerprint.count(self.parameters().len());
        for parameter in self.parameters() {
            fingerprint.text(parameter.name());
            fingerprint.count(parameter.phases.count());
            fingerprint.count(parameter.dims.len());
            for dim in &parameter.dims {
                fingerprint.count(dim.len());
                let names = dim.names().unwrap_or_default();
                fingerprint.count(names.len());
                for name in names {
                    fingerprint.text(name);
                }
            }
        }
    }
}
