use super::super::{Neighbours, PoolPrior, ReductionParts, Tie};
use super::*;
use tuner_base::{LaneId, WeightId};

/// The squared error at 0.1, 50 games.
const UNIT: f64 = 2.0 * 0.1 / 50.0;

const FREE: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

/// Six weights: 0 free, 1 frozen at 7, 2 free, 3 = −x₀ + 5, 4 = x₂ + 3, 5 frozen
/// at −2; variables are those of 0 and 2.
fn reduction() -> Reduction {
    let tie = |weight, root, factor, difference| Tie {
        weight: WeightId(weight),
        root: WeightId(root),
        factor,
        difference,
    };
    let parts = ReductionParts {
        lane_count: 6,
        lanes: &[0, 1, 2, 3, 4, 5].map(LaneId),
        frozen: &[false, true, false, false, false, true],
        ties: &[tie(3, 0, -1.0, 5.0), tie(4, 2, 1.0, 3.0)],
        bounds: &[FREE; 6],
        constraints: &[],
        initial: &[0.0, 7.0, 0.0, 5.0, 3.0, -2.0],
    };
    match Reduction::new(&parts) {
        Ok(reduction) => reduction,
        Err(errors) => unreachable!("{errors:?}"),
    }
}

fn prior(pairs: &[[usize; 2]], deviations: &[(usize, f64)]) -> Prior {
    pooled(pairs, deviations, &[])
}

/// Also with a pool of each of some sets.
fn pooled(pairs: &[[usize; 2]], deviations: &[(usize, f64)], pools: &[&[usize]]) -> Prior {
    let pools: Vec<PoolPrior> = (pools.iter())
        .map(|set| PoolPrior {
            name: "A".to_owned(),
            sets: vec![set.iter().copied().map(WeightId).collect()],
            deviation: Some(10.0),
        })
        .collect();
    let spec = PriorSpec {
        pools,
        laplace: std::collections::BTreeMap::new(),
        deviations: (deviations.iter())
            .map(|&(weight, deviation)| (WeightId(weight), deviation))
            .collect(),
        neighbours: pairs
            .iter()
            .map(|weights| Neighbours {
                weights: weights.map(WeightId),
                deviation: 10.0,
            })
            .collect(),
    };
    let toward = vec![1.0, -2.0];
    Prior::new(toward, 20.0, UNIT).with(&spec, &reduction(), UNIT)
}

/// ½·Σ of the prior as the definition says, over weights.
fn plain(pairs: &[[usize; 2]], x: &[f64]) -> f64 {
    let w = reduction().weights(x);
    let squares = pairs.iter().map(|&[i, j]| (w[i] - w[j]) * (w[i] - w[j]));
    let unit = 2.0 * 0.1 / 50.0;
    let ridge = (x[0] - 1.0) * (x[0] - 1.0) + (x[1] + 2.0) * (x[1] + 2.0);
    0.5 * unit * (ridge / 400.0 + squares.sum::<f64>() / 100.0)
}

#[test]
fn a_pool_draws_to_the_common_mean() {
    // Weight 3 is 5 − x₀ and of the same variable as 0, 1 and 5 are fixed: x₀ and x₂ are left,
    // and the mean is drawn to that of 1 and −2.
    let prior = pooled(&[], &[], &[&[0, 1, 2, 3, 5]]);
    let x = [4.0, 7.0];
    let expected = 0.5 * UNIT * ((5.5_f64 + 0.5).powi(2) / 400.0 + 2.0 * 1.5 * 1.5 / 100.0);
    assert!((prior.value(&x) - expected).abs() < 1e-15);
    derivatives_are_those_of(&prior, &x);
    derivatives_are_those_of(&pooled(&[[0, 2]], &[(0, 3.0)], &[&[0, 4], &[3, 4]]), &x);
    let mut product = [0.0; 2];
    prior.add_product(&[1.0, 1.0], &mut product);
    let [set] = prior.pools() else {
        unreachable!("one set");
    };
    let parts = set.products(&[1.0, 1.0], &[3.0, 5.0]);
    assert!((parts.mean - 4.0).abs() < 1e-15 && parts.apart.abs() < 1e-15);
    // Traces with the unit matrix: n·(1/n)², and n − 1.
    let mut unit = Symmetric::zeros(2);
    unit.add(0, 0, 1.0);
    unit.add(1, 1, 1.0);
    let traces = set.traces(&|row, column| unit.get(row, column));
    assert!((traces.mean - 0.5).abs() < 1e-15 && (traces.apart - 1.0).abs() < 1e-15);
}

#[test]
fn all_derivatives_are_those_of_the_value() {
    for pairs in [
        vec![],
        vec![[0, 2]],
        vec![[0, 1], [5, 4]],
        vec![[0, 3]],
        vec![[2, 0], [3, 4], [1, 3], [0, 3]],
    ] {
        let prior = prior(&pairs, &[]);
        let x = [4.0, 7.0];
        assert!(
            (prior.value(&x) - plain(&pairs, &x)).abs() < 1e-15,
            "{pairs:?}"
        );
        derivatives_are_those_of(&prior, &x);
    }
}

fn derivatives_are_those_of(prior: &Prior, x: &[f64; 2]) {
    let mut gradient = [0.0; 2];
    let value = prior.add_gradient(x, &mut gradient);
    assert!((value - prior.value(x)).abs() < 1e-17);
    let mut matrix = Symmetric::zeros(2);
    prior.add_curvature(&[0, 1], &mut matrix);
    for (i, _) in x.iter().enumerate() {
        // The other variable stands still.
        let mut alone = Symmetric::zeros(1);
        prior.add_curvature(&[i], &mut alone);
        assert!((alone.get(0, 0) - matrix.get(i, i)).abs() < 1e-17);
    }
    let mut diagonal = [0.0; 2];
    prior.add_diagonal(&mut diagonal);
    for i in 0..2 {
        let at = |h: f64| {
            let mut moved = *x;
            moved[i] += h;
            let mut gradient = [0.0; 2];
            (prior.add_gradient(&moved, &mut gradient), gradient)
        };
        let (high, low) = (at(1e-2), at(-1e-2));
        assert!(((high.0 - low.0) / 2e-2 - gradient[i]).abs() < 1e-13);
        let mut column = [0.0; 2];
        let mut direction = [0.0; 2];
        direction[i] = 1.0;
        prior.add_product(&direction, &mut column);
        assert!((diagonal[i] - column[i]).abs() < 1e-17);
        for (j, column) in column.iter().enumerate() {
            let second = (high.1[j] - low.1[j]) / 2e-2;
            assert!((second - matrix.get(i, j)).abs() < 1e-13);
            assert!((column - matrix.get(i, j)).abs() < 1e-17);
        }
    }
}

#[test]
fn neighbours_that_cannot_move_apart_say_nothing_and_the_same_counts_once() {
    // Both fixed; the same variable and a fixed difference.
    assert_eq!(prior(&[[1, 5], [2, 4]], &[]).links(), 0);
    // Weight 4 follows 2: the same difference, once from each side.
    assert_eq!(prior(&[[0, 2], [2, 0], [0, 2]], &[]).links(), 1);
    // Another offset is another prior.
    assert_eq!(prior(&[[0, 2], [0, 4]], &[]).links(), 2);
}

#[test]
fn a_weight_may_have_a_deviation_of_its_own() {
    // Weight 4 follows weight 2, whose variable it is; a frozen one has none.
    let prior = prior(&[], &[(0, 2.0), (4, 3.0), (1, 1.0)]);
    let unit = 2.0 * 0.1 / 50.0;
    let expected = [unit / 4.0, unit / 400.0];
    for (strength, expected) in prior.strengths().iter().zip(expected) {
        assert!((strength - expected).abs() < 1e-18);
    }
}

#[test]
fn chains_of_neighbours_are_joined() {
    let reduction = Reduction::of_lanes(6);
    let joined = |pairs: &[[usize; 2]], first: usize| {
        let pair = |&weights: &[usize; 2]| Neighbours {
            weights: weights.map(WeightId),
            deviation: 1.0,
        };
        let prior = PriorSpec {
            neighbours: pairs.iter().map(pair).collect(),
            ..PriorSpec::default()
        };
        let mut marked = [false; 6];
        marked[first] = true;
        prior.join(&reduction, &mut marked);
        marked
    };
    let chain = [[2, 3], [1, 2], [0, 1]];
    assert_eq!(joined(&chain, 0), [true, true, true, true, false, false]);
    assert_eq!(joined(&chain, 4), [false, false, false, false, true, false]);
}

#[test]
fn a_step_changes_what_the_values_differ_by() {
    let mut prior = prior(&[[0, 2], [1, 2], [3, 4], [0, 3]], &[(0, 3.0)]);
    prior.kinks.push(Kink {
        variable: 1,
        centre: 0.5,
        strength: 0.01,
    });
    let x = [4.0, -0.25];
    for (variable, step) in [(0, 1.0), (0, -7.5), (1, 1.0), (1, -1.0)] {
        let mut moved = x;
        moved[variable] += step;
        let expected = prior.value(&moved) - prior.value(&x);
        let change = prior.change(&x, variable, step);
        assert!((change - expected).abs() < 1e-15, "{change} {expected}");
    }
}
