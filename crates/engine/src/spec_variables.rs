//! The variables of a fit of the weights of a spec, with priors and groups.

use tuner_fit::WeightGroup;
use tuner_fit::run::Variables;
use tuner_solve::{
    LaplacePrior, Neighbours, PoolPrior, PriorSpec, Reduction, ReductionError, ReductionParts,
};
use tuner_spec::Layout;

/// Returns what a fit of all weights of a spec moves.
///
/// # Errors
/// All contradictions of ties, bounds and frozen weights.
pub fn spec_variables(layout: &Layout) -> Result<Variables, String> {
    let name = |weight| layout.name(weight);
    Ok(Variables {
        reduction: reduction(layout).map_err(|errors| {
            let words: Vec<String> = errors.iter().map(ToString::to_string).collect();
            words.join("\n")
        })?,
        names: layout.weight_ids().map(name).collect(),
        initial: Some(layout.initial()),
        prior: prior(layout),
        groups: groups(layout),
    })
}

/// The weights of each parameter.
fn groups(layout: &Layout) -> Vec<WeightGroup> {
    let mut groups: Vec<WeightGroup> = Vec::new();
    for weight in layout.weight_ids() {
        let name = layout.parameter_of(weight).name();
        match groups.last_mut() {
            Some(group) if group.name == name => group.weights.push(weight),
            _ => groups.push(WeightGroup {
                name: name.to_owned(),
                weights: vec![weight],
            }),
        }
    }
    groups
}

fn reduction(layout: &Layout) -> Result<Reduction, Vec<ReductionError>> {
    let all = layout.weight_ids();
    // A weight tied to a frozen one is fixed by its root; it has no variable to freeze.
    let mut frozen: Vec<bool> = all.clone().map(|weight| layout.frozen(weight)).collect();
    for tie in layout.ties() {
        frozen[tie.weight.index()] = false;
    }
    let lanes: Vec<_> = all.clone().map(|weight| layout.lane(weight)).collect();
    let parts = ReductionParts {
        lane_count: 2 * layout.slots(),
        lanes: &lanes,
        frozen: &frozen,
        ties: layout.ties(),
        bounds: &all.map(|weight| layout.bounds(weight)).collect::<Vec<_>>(),
        constraints: layout.constraints(),
        initial: &layout.initial(),
    };
    let reduction = Reduction::new(&parts)?;
    if layout.parameters().iter().all(|p| p.step.is_one()) {
        return Ok(reduction);
    }
    let step = |weight| layout.parameter_of(weight).step.size();
    let steps = layout.weight_ids().map(step).collect();
    Ok(reduction.with_steps(steps))
}

/// Standard deviation of the normal prior of a weight with `l1` and without `prior`, in
/// the unit of the weights: next to none, and yet a number where no position reads it.
const BESIDE_LAPLACE: f64 = 1000.0;

/// The part of the prior that a spec declares: by `prior` and `l1` of single weights, by `smooth`
/// of neighbours, by `pool` of entries along an axis. What is not declared `fit --prior` decides.
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
            let weights = parameter.weights();
            prior
                .laplace
                .extend(weights.clone().map(|weight| (weight, single)));
            for weight in weights {
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
