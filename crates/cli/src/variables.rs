//! The variables and the prior of a spec.

use super::Failure;
use tuner_solve::{Neighbours, Parts, PriorSpec, Reduction};
use tuner_spec::Layout;

/// The variables of a spec.
pub(super) fn reduction(layout: &Layout) -> Result<Reduction, Failure> {
    let all = layout.weight_ids();
    // A weight tied to a frozen one is fixed by its root; it has no variable to freeze.
    let mut frozen: Vec<bool> = all.clone().map(|weight| layout.frozen(weight)).collect();
    for tie in layout.ties() {
        frozen[tie.weight.index()] = false;
    }
    let lanes: Vec<_> = all.clone().map(|weight| layout.lane(weight)).collect();
    let parts = Parts {
        lane_count: 2 * layout.slots(),
        lanes: &lanes,
        frozen: &frozen,
        ties: layout.ties(),
        bounds: &all.map(|weight| layout.bounds(weight)).collect::<Vec<_>>(),
        initial: &layout.initial(),
    };
    Reduction::new(&parts).map_err(|errors| {
        errors
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join("\n")
            .into()
    })
}

/// The prior of the weights of a spec.
pub(super) fn beliefs(layout: &Layout) -> PriorSpec {
    let mut beliefs = PriorSpec::default();
    for parameter in layout.parameters() {
        if let Some(deviation) = parameter.prior() {
            let single = parameter.weights().map(|weight| (weight, deviation));
            beliefs.deviations.extend(single);
        }
        if let Some(smooth) = parameter.smooth() {
            let deviation = smooth.deviation();
            let pairs = parameter.neighbours().into_iter();
            let pairs = pairs.map(|weights| Neighbours { weights, deviation });
            beliefs.neighbours.extend(pairs);
        }
    }
    beliefs
}
