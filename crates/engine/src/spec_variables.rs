//! The variables of a fit of the weights of a spec, with priors and groups.

use tuner_base::joined;
use tuner_fit::WeightGroup;
use tuner_fit::run::Variables;
use tuner_solve::{
    LaneId, LaplacePrior, Neighbours, PoolPrior, PriorSpec, Reduction, ReductionParts,
};
use tuner_spec::{Layout, Parameter};

/// Returns the variables that a fit of all weights of a spec moves, with the names of weights, the
/// declared priors, and parameters as groups.
///
/// # Errors
/// All contradictions of ties, bounds and frozen weights.
pub fn spec_variables(layout: &Layout) -> Result<Variables, String> {
    let name = |weight| layout.name(weight);
    let group = |parameter: &Parameter| WeightGroup {
        name: parameter.name().to_owned(),
        weights: parameter.weights().collect(),
    };
    let features = 0;
    Ok(Variables {
        reduction: reduction(layout, layout.initial(), features)?,
        names: layout.weight_ids().map(name).collect(),
        initial: Some(layout.initial()),
        prior: prior(layout),
        groups: layout.parameters().iter().map(group).collect(),
    })
}

/// Returns the variables of all weights of a spec; frozen weights stay at their values in
/// `initial`. Behind the weights of the spec come two frozen weights at 0 for each feature, in a
/// slot of its own. `features`: how many features there are.
///
/// # Errors
/// All contradictions of ties, bounds and frozen weights.
pub(crate) fn reduction(
    layout: &Layout,
    mut initial: Vec<f64>,
    features: usize,
) -> Result<Reduction, String> {
    let all = layout.weight_ids();
    // A weight tied to a frozen one is fixed by its root; it has no variable to freeze.
    let mut frozen: Vec<bool> = all.clone().map(|weight| layout.frozen(weight)).collect();
    for tie in layout.ties() {
        frozen[tie.weight.index()] = false;
    }
    let mut lanes: Vec<_> = all.clone().map(|weight| layout.lane(weight)).collect();
    let mut bounds: Vec<_> = all.clone().map(|weight| layout.bounds(weight)).collect();
    let slots = layout.slots();
    // Behind the weights of the spec those of features: frozen at 0, without bounds.
    lanes.extend((2 * slots..2 * (slots + features)).map(|lane| LaneId(lane as u32)));
    frozen.resize(lanes.len(), true);
    bounds.resize(lanes.len(), (f64::NEG_INFINITY, f64::INFINITY));
    initial.resize(lanes.len(), 0.0);
    let parts = ReductionParts {
        lane_count: 2 * (slots + features),
        lanes: &lanes,
        frozen: &frozen,
        ties: layout.ties(),
        bounds: &bounds,
        constraints: layout.constraints(),
        initial: &initial,
    };
    let reduction = Reduction::new(&parts).map_err(|errors| joined(errors, "\n"))?;
    if layout.parameters().iter().all(|p| p.step.is_one()) {
        return Ok(reduction);
    }
    let step = |weight| layout.parameter_of(weight).step.size();
    let mut steps: Vec<f64> = all.map(step).collect();
    steps.resize(lanes.len(), 1.0);
    Ok(reduction.with_steps(steps))
}

/// Standard deviation of the normal prior of a weight with `l1` and without `prior`, in
/// the unit of the weights: next to none, and yet a number where no position reads it.
const BESIDE_LAPLACE: f64 = 1000.0;

/// Returns the priors that a spec declares: by `prior` and `l1` on single weights, by `smooth` on
/// differences of neighbours, by `pool` on entries along an axis. A weight with `l1` and without
/// `prior` also gets a normal prior with a standard deviation of 1,000 (`BESIDE_LAPLACE`), which is
/// next to none. The prior of all other weights is decided by `fit --prior`.
fn prior(layout: &Layout) -> PriorSpec {
    let mut prior = PriorSpec::default();
    for parameter in layout.parameters() {
        if let Some(deviation) = parameter.prior {
            let single = parameter.weights().map(|weight| (weight, deviation));
            prior.deviations.extend(single);
        }
        if let Some(laplace) = parameter.laplace {
            let single = LaplacePrior {
                deviation: laplace.deviation,
                to_zero: laplace.to_zero,
            };
            for weight in parameter.weights() {
                prior.laplace.insert(weight, single);
                prior.deviations.entry(weight).or_insert(BESIDE_LAPLACE);
            }
        }
        if let Some(smooth) = &parameter.smooth {
            let deviation = smooth.deviation;
            let pairs = parameter.neighbours().into_iter();
            let pairs = pairs.map(|weights| Neighbours { weights, deviation });
            prior.neighbours.extend(pairs);
        }
        if let Some(pool) = parameter.pool {
            prior.pools.push(PoolPrior {
                name: parameter.name().to_owned(),
                sets: parameter.pooled(),
                deviation: pool.deviation,
            });
        }
    }
    prior
}
