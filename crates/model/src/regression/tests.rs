#![allow(clippy::unwrap_used)] // a failing test may end with a panic

use super::super::by_game::games_of;
use super::super::products::sign;
use super::super::{ByGradient, ProductBuffers, Split};
use super::*;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tuner_base::{LaneId, Slot, WeightId};
use tuner_rows::{RowDraft, RowInfo, Segment, TraceSet};
use tuner_solve::linalg::{dot, max_abs};
use tuner_solve::{Cost, Penalised, Prior, ReductionParts, Tie};
use tuner_trace::{Expression, NonlinearOp, Step};

const SLOTS: usize = 6;

fn counts(cost: Cost) -> (usize, usize) {
    (cost.passes, cost.score_passes)
}

/// L₀·L₁/200 + √(L₂² + 900), of the sums over the lanes of two segments.
fn nonlinear() -> Expression {
    Expression {
        steps: vec![
            Step::Input(0),
            Step::Input(1),
            Step::Nonlinear(NonlinearOp::Mul(0, 1)),
            Step::Constant(0),
            Step::Nonlinear(NonlinearOp::Div(2, 3)),
            Step::Input(2),
            Step::Nonlinear(NonlinearOp::Power(5, 2)),
            Step::Constant(1),
            Step::Add(6, 7),
            Step::Nonlinear(NonlinearOp::Sqrt(8)),
            Step::Add(4, 9),
        ],
        constants: vec![200.0, 900.0],
    }
}

/// Rows with a tapered segment, an untapered one that shares a slot with it,
/// a weight, a constant and all three results.
fn traces(rows: u32) -> TraceSet {
    traces_of(SLOTS, rows)
}

fn traces_of(slots: usize, rows: u32) -> TraceSet {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut set = TraceSet::new(slots);
    for i in 0..rows {
        let phase = f64::from(rng.next_u32() % 25) / 24.0;
        let mut entries = |count| -> Vec<(Slot, [i16; 2])> {
            let mut entry = || {
                let slot = rng.next_u32() % slots as u32;
                let first = rng.random_range(-3..=3);
                // Most count the same in both lanes.
                let second = if rng.next_u32() % 4 == 0 { 1 } else { first };
                (Slot(slot), [first, second])
            };
            (0..count).map(|_| entry()).collect()
        };
        let draft = RowDraft {
            constant: f64::from(i % 7) - 3.0,
            segments: vec![
                Segment {
                    factors: [phase, 1.0 - phase],
                    entries: entries(4),
                },
                Segment {
                    factors: [1.0, 0.0],
                    entries: entries(2),
                },
            ],
            // Every second row is not linear.
            expression: (i % 2 == 1).then(nonlinear),
        };
        let mut info = RowInfo::new(f64::from(i % 3) / 2.0, i / 5);
        info.weight = 1.0 + f64::from(i % 4);
        set.push(&draft, &info).unwrap();
    }
    set
}

/// Twelve weights: one frozen, one tied with a factor, one tied within a slot.
fn reduction() -> Reduction {
    let mut frozen = [false; 12];
    frozen[3] = true;
    Reduction::new(&ReductionParts {
        lane_count: 12,
        lanes: &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map(LaneId),
        frozen: &frozen,
        ties: &[
            Tie {
                weight: WeightId(6),
                root: WeightId(0),
                factor: -2.0,
                difference: 5.0,
            },
            Tie {
                weight: WeightId(11),
                root: WeightId(10),
                factor: 1.0,
                difference: 3.0,
            },
        ],
        bounds: &[(f64::NEG_INFINITY, f64::INFINITY); 12],
        constraints: &[],
        initial: &[0.0, 0.0, 0.0, 42.0, 0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 0.0, 3.0],
    })
    .unwrap()
}

/// Weights at which nothing is special.
fn somewhere(count: usize) -> Vec<f64> {
    (0..count).map(|j| 30.0 * (j as f64 * 1.7).sin()).collect()
}

#[test]
fn derivatives_agree_with_differences_and_with_each_other() {
    let (traces, reduction) = (traces(300), reduction());
    let count = reduction.variables();
    assert_eq!(count, 9);
    let x = somewhere(count);
    for loss in [Loss::Squared, Loss::CrossEntropy] {
        let part = Part::Train(Split::new(0.3, 1));
        let f = Regression::new(&traces, &reduction, loss, Sigmoid::new(1.3), part).unwrap();
        let mut gradient = vec![0.0; count];
        let value = f.gradient(&x, &mut gradient).unwrap();
        assert!((value - f.value(&x).unwrap()).abs() < 1e-15);
        let mut newton = Symmetric::zeros(count);
        f.curvature(&x, Curvature::Newton, &mut newton).unwrap();
        let scale = max_abs(&gradient);
        for j in 0..count {
            let step = 1e-3;
            let at = |sign: f64| {
                let mut moved = x.clone();
                moved[j] += sign * step;
                let mut gradient = vec![0.0; count];
                (f.gradient(&moved, &mut gradient).unwrap(), gradient)
            };
            let ((low, low_gradient), (high, high_gradient)) = (at(-1.0), at(1.0));
            let slope = (high - low) / (2.0 * step);
            assert!(
                (slope - gradient[j]).abs() < 1e-6 * scale,
                "{loss:?} gradient {j}"
            );
            for i in 0..count {
                let second = (high_gradient[i] - low_gradient[i]) / (2.0 * step);
                let error = (second - newton.get(i, j)).abs();
                assert!(
                    error < 1e-6 * max_abs(newton.values()),
                    "{loss:?} {i} {j} {second} {} {}",
                    newton.get(i, j),
                    max_abs(newton.values())
                );
            }
        }
        for kind in [Curvature::GaussNewton, Curvature::Newton] {
            let mut matrix = Symmetric::zeros(count);
            f.curvature(&x, kind, &mut matrix).unwrap();
            let scale = max_abs(matrix.values());
            let vector = somewhere(count);
            let product = f.curvature_product(&x, kind, &vector).unwrap();
            for (a, b) in product.iter().zip(matrix.multiply(&vector)) {
                assert!((a - b).abs() < 1e-12 * scale * 100.0);
            }
            let product = f.diagonal(&x, kind).unwrap();
            for (a, b) in product.iter().zip(matrix.diagonal()) {
                assert!((a - b).abs() < 1e-13 * scale);
            }
            if kind == Curvature::GaussNewton {
                assert!(dot(&vector, &matrix.multiply(&vector)) > 0.0);
            }
        }
    }
}

#[test]
fn a_matrix_of_many_slots_is_that_of_its_products_on_any_number_of_threads() {
    const MANY: usize = 1050;
    let (set, reduction) = (traces_of(MANY, 5000), Reduction::of_lanes(2 * MANY));
    let sigmoid = Sigmoid::new(1.0);
    let f = Regression::new(&set, &reduction, Loss::Squared, sigmoid, Part::All).unwrap();
    let x = somewhere(2 * MANY);
    for kind in [Curvature::GaussNewton, Curvature::Newton] {
        let [one, three] = [1, 3].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            pool.build().unwrap().install(|| {
                let mut matrix = Symmetric::zeros(2 * MANY);
                f.curvature(&x, kind, &mut matrix).unwrap();
                matrix
            })
        });
        assert_eq!(one, three);
        let product = f.curvature_product(&x, kind, &x).unwrap();
        let scale = max_abs(&product);
        for (a, b) in product.iter().zip(one.multiply(&x)) {
            assert!((a - b).abs() < 1e-12 * scale, "{kind:?}");
        }
    }
}

#[test]
fn products_with_many_vectors_are_those_one_by_one() {
    // More than one part of the rows.
    let (set, reduction) = (traces(20_000), reduction());
    let all = Regression::new(
        &set,
        &reduction,
        Loss::Squared,
        Sigmoid::new(1.0),
        Part::All,
    );
    let objective = all.unwrap();
    let x = somewhere(objective.len());
    let vector = |number: usize| -> Vec<f64> {
        let value = |i: usize| ((i * 7 + number * 3) as f64).sin();
        (0..objective.len()).map(value).collect()
    };
    // One panel is not full.
    let vectors: Vec<Vec<f64>> = (0..21).map(vector).collect();
    let products = objective
        .curvature_products(&x, &vectors, &mut ProductBuffers::default())
        .unwrap();
    assert_eq!(products.len(), vectors.len());
    for (vector, product) in vectors.iter().zip(&products) {
        let kind = Curvature::GaussNewton;
        let expected = objective.curvature_product(&x, kind, vector).unwrap();
        let tolerance = 1e-5 * max_abs(&expected); // of single precision
        for (a, b) in product.iter().zip(&expected) {
            assert!((a - b).abs() <= tolerance, "{a} {b}");
        }
    }
}

#[test]
fn random_vectors_have_the_covariance_of_games() {
    let (set, reduction) = (traces(3000), reduction());
    let part = Part::Train(Split::new(0.3, 1));
    let (loss, sigmoid) = (Loss::Squared, Sigmoid::new(1.0));
    let f = Regression::new(&set, &reduction, loss, sigmoid, part).unwrap();
    let x = somewhere(f.len());
    // Each game by itself, in the order of the numbers.
    let scores = f.scores_by_cluster(&x, usize::MAX).unwrap();
    let games = games_of((&set).into(), part).unwrap();
    assert!(games.len() > 50 && games.len() < set.games() && games.len() == scores.clusters);
    let count = games.len() as f64;
    let mean: Vec<f64> = scores.sum().into_iter().map(|sum| sum / count).collect();
    let probes = f.covariance_probes(&x, 3).unwrap();
    assert_eq!(probes.len(), 3);
    for (probe, found) in probes.iter().enumerate() {
        let mut expected = vec![0.0; x.len()];
        for (number, &game) in games.iter().enumerate() {
            let of_game = scores.cluster(number).iter().zip(&mean);
            for (sum, (score, mean)) in expected.iter_mut().zip(of_game) {
                *sum += sign(probe, game) * (score - mean) * (count / (count - 1.0)).sqrt();
            }
        }
        let tolerance = 1e-5 * max_abs(&expected); // of single precision
        for (a, b) in found.iter().zip(&expected) {
            assert!((a - b).abs() <= tolerance, "{a} {b}");
        }
    }
    // Signs of games are as often 1 as −1, whatever the probe.
    let all = (0..4).flat_map(|probe| (0..10_000).map(move |game| sign(probe, game)));
    let sum: f64 = all.sum();
    assert!(sum.abs() < 800.0, "{sum}");
}

#[test]
fn results_are_the_same_bits_on_any_number_of_threads() {
    let (traces, reduction) = (traces(60_000), reduction());
    let results: Vec<Vec<u64>> = [1, 2, 3, 7]
        .map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| {
                let sigmoid = Sigmoid::new(0.9);
                let f = Regression::new(&traces, &reduction, Loss::Squared, sigmoid, Part::All)
                    .unwrap();
                let x = somewhere(f.len());
                let mut all = vec![f.value(&x).unwrap()];
                let mut vector = vec![0.0; f.len()];
                f.gradient(&x, &mut vector).unwrap();
                all.extend(&vector);
                all.extend(f.curvature_product(&x, Curvature::Newton, &x).unwrap());
                let vector = f.diagonal(&x, Curvature::GaussNewton).unwrap();
                all.extend(&vector);
                let mut matrix = Symmetric::zeros(f.len());
                f.curvature(&x, Curvature::Newton, &mut matrix).unwrap();
                all.extend(matrix.values());
                let along = f.line(&x, &vector).unwrap().at(1e4).unwrap();
                all.extend([along.value, along.slope]);
                all.extend(along.curvature);
                let vectors = [x.clone(), vector];
                let mut buffers = ProductBuffers::default();
                let products = f.curvature_products(&x, &vectors, &mut buffers).unwrap();
                all.extend(products.into_iter().flatten());
                all.extend(f.slopes_by_game(&x, &vectors).unwrap());
                all.extend(f.covariance_probes(&x, 2).unwrap().into_iter().flatten());
                all.into_iter().map(f64::to_bits).collect()
            })
        })
        .into();
    assert!(results.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn a_line_is_the_objective_along_it() {
    let (traces, reduction) = (traces(5000), reduction());
    let part = Part::Train(Split::new(0.3, 1));
    let x = somewhere(reduction.variables());
    let d: Vec<f64> = (0..x.len()).map(|j| (j as f64 * 2.3).cos()).collect();
    for loss in [Loss::Squared, Loss::CrossEntropy] {
        let f = Regression::new(&traces, &reduction, loss, Sigmoid::new(1.3), part).unwrap();
        let error = f.value(&x).unwrap();
        let prior = Prior::new(vec![7.0; x.len()], 20.0, loss.prior_unit(error, 50));
        for prior in [None, Some(&prior)] {
            let f = Penalised {
                objective: &f,
                prior,
            };
            let (mut line, mut plain) = (f.line(&x, &d).unwrap(), ByGradient::new(&f, &x, &d));
            for t in [0.0, -7.0, 3.0, 250.0] {
                let (found, expected) = (line.at(t).unwrap(), plain.at(t).unwrap());
                assert!((found.value - expected.value).abs() < 1e-14);
                let scale = expected.slope.abs();
                assert!((found.slope - expected.slope).abs() < 1e-11 * scale);
                let moved: Vec<f64> = x.iter().zip(&d).map(|(x, d)| x + t * d).collect();
                let product = f.curvature_product(&moved, Curvature::Newton, &d);
                let curvature = dot(&product.unwrap(), &d);
                let found = found.curvature.unwrap();
                assert!(
                    (found - curvature).abs() < 1e-10 * curvature.abs(),
                    "{loss:?} {t}: {found:e} {curvature:e}"
                );
            }
            // Every second row is not linear, so each point is a pass.
            assert_eq!(counts(line.cost()), (5, 0));
            assert_eq!(counts(plain.cost()), (4, 0));
        }
    }
}

#[test]
fn a_line_over_linear_rows_keeps_its_scores() {
    let mut traces = TraceSet::new(SLOTS);
    for row in 0..100_u32 {
        let segments = vec![Segment {
            factors: [0.25, 0.75],
            entries: vec![(Slot(row % SLOTS as u32), [1 + (row % 3) as i16; 2])],
        }];
        let draft = RowDraft {
            constant: 0.0,
            segments,
            expression: None,
        };
        let info = RowInfo::new(f64::from(row % 3) / 2.0, row);
        traces.push(&draft, &info).unwrap();
    }
    let reduction = reduction();
    let sigmoid = Sigmoid::new(1.0);
    let f = Regression::new(&traces, &reduction, Loss::Squared, sigmoid, Part::All).unwrap();
    let x = somewhere(f.len());
    let mut line = f.line(&x, &x).unwrap();
    assert!((line.at(0.0).unwrap().value - f.value(&x).unwrap()).abs() < 1e-15);
    line.at(1.0).unwrap();
    assert_eq!(counts(line.cost()), (1, 2));
}

#[test]
fn parts_add_up_and_an_empty_one_is_an_error() {
    let (traces, reduction) = (traces(500), reduction());
    let split = Split::new(0.25, 3);
    let part = |part| Regression::new(&traces, &reduction, Loss::Squared, Sigmoid::new(1.0), part);
    let x = somewhere(reduction.variables());
    let weighted = |f: Regression<'_>| f.value(&x).unwrap() * f.total_weight();
    let [all, train, held_out] =
        [Part::All, Part::Train(split), Part::HeldOut(split)].map(|p| weighted(part(p).unwrap()));
    assert!((train + held_out - all).abs() < 1e-12 * all);
    assert_eq!(
        part(Part::HeldOut(Split::new(0.0, 0))).unwrap_err(),
        RegressionError::NoRows
    );
}

#[test]
fn a_rough_curvature_is_that_of_a_part_scaled_to_all() {
    let reduction = reduction();
    let x = vec![20.0; reduction.variables()];
    let both = |rows: u32, part: Part| {
        let traces = traces(rows);
        let sigmoid = Sigmoid::new(1.3);
        let f = Regression::new(&traces, &reduction, Loss::Squared, sigmoid, part).unwrap();
        let [mut exact, mut rough] = [(); 2].map(|()| Symmetric::zeros(f.len()));
        f.curvature(&x, Curvature::GaussNewton, &mut exact).unwrap();
        let is_rough = f
            .rough_curvature(&x, Curvature::GaussNewton, &mut rough)
            .unwrap();
        (exact, rough, is_rough)
    };
    let (exact, rough, is_rough) = both(400, Part::All);
    assert!(!is_rough, "so few rows are read all");
    assert_eq!(exact, rough);
    // Also of what a split leaves, whatever its seed.
    let splits = (1..=8).map(|seed| Part::Train(Split::new(0.2, seed)));
    for part in splits.chain([Part::All]) {
        let (exact, rough, is_rough) = both(24_000, part);
        assert!(is_rough);
        for (i, (exact, rough)) in exact.diagonal().iter().zip(rough.diagonal()).enumerate() {
            let ratio = rough / exact;
            assert!((ratio - 1.0).abs() > 1e-9, "{i}: a part is not all");
            assert!((ratio - 1.0).abs() < 0.2, "{part:?} {i}: {ratio}");
        }
    }
}

#[test]
fn a_slot_that_a_row_has_twice_counts_in_the_curvature_as_one() {
    let mut traces = TraceSet::new(SLOTS);
    for row in 0..300_u32 {
        // Sums that do not fit are stored as two entries, here of other proportions.
        let entries = vec![
            (Slot(1), [30_000, 20_000]),
            (Slot(1), [10_000, -7_000 - row as i16]),
            (Slot(row % SLOTS as u32), [1, 2]),
            (Slot(4), [3, 3]),
        ];
        let draft = RowDraft {
            constant: 0.0,
            segments: vec![Segment {
                factors: [1e-4 * f64::from(row % 7), 1e-4],
                entries,
            }],
            expression: None,
        };
        let info = RowInfo::new(f64::from(row % 3) / 2.0, row);
        traces.push(&draft, &info).unwrap();
    }
    traces.finish();
    let reduction = Reduction::of_lanes(2 * SLOTS);
    let sigmoid = Sigmoid::new(1.0);
    let f = Regression::new(&traces, &reduction, Loss::Squared, sigmoid, Part::All).unwrap();
    let count = f.len();
    let x = somewhere(count);
    for kind in [Curvature::GaussNewton, Curvature::Newton] {
        let mut matrix = Symmetric::zeros(count);
        f.curvature(&x, kind, &mut matrix).unwrap();
        for column in 0..count {
            let mut unit = vec![0.0; count];
            unit[column] = 1.0;
            let product = f.curvature_product(&x, kind, &unit).unwrap();
            for (row, value) in product.into_iter().enumerate() {
                let found = matrix.get(row, column);
                let scale = (matrix.get(row, row) * matrix.get(column, column))
                    .abs()
                    .sqrt();
                assert!(
                    (found - value).abs() <= 1e-12 * scale.max(1e-9),
                    "{row} {column}"
                );
            }
        }
    }
}
