//! Every kind of constraint that a spec knows: weights that satisfy it come back, and
//! where it binds the conditions of Karush, Kuhn and Tucker hold.

#![allow(clippy::unwrap_used)] // a failing test may end with a panic

use std::ops::ControlFlow;
use std::path::Path;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tuner_base::Slot;
use tuner_engine::spec_variables;
use tuner_fit::model::{Loss, Part, Regression, Sigmoid};
use tuner_fit::run::Variables;
use tuner_fit::{Fit, FitError, FitInputs, FitProgress, Settings, fit};
use tuner_rows::{RowDraft, RowInfo, Segment, TraceSet};
use tuner_solve::{Objective, Options, Solver, feasible};
use tuner_spec::Spec;

const K: f64 = 1.0;

fn spec(text: &str) -> Spec {
    let head = "version = 1\nname = \"test\"\n";
    Spec::parse(Path::new("test.toml"), &format!("{head}{text}")).unwrap()
}

/// Rows of random features, each of two results drawn at the score of the true weights.
fn rows(spec: &Spec, truth: &[f64], count: u32, seed: u64) -> TraceSet {
    rows_without(spec, truth, count, seed, None)
}

/// The same, of which none reads one of the weights.
fn rows_without(
    spec: &Spec,
    truth: &[f64],
    count: u32,
    seed: u64,
    unread: Option<usize>,
) -> TraceSet {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let layout = spec.layout();
    let mut set = TraceSet::new(layout.slots());
    for row in 0..count {
        let mut score = 0.0;
        let mut entries = Vec::new();
        for (slot, weight) in truth.iter().enumerate() {
            let times = rng.random_range(-2..=2_i16);
            let times = if unread == Some(slot) { 0 } else { times };
            score += f64::from(times) * weight;
            if times != 0 {
                entries.push((Slot(slot as u32), times));
            }
        }
        let won = rng.random::<f64>() < Sigmoid::new(K).expectation(score);
        let draft = RowDraft {
            constant: 0.0,
            segments: vec![Segment::same([1.0, 0.0], entries)],
            expression: None,
        };
        set.push(&draft, &RowInfo::new(f64::from(u8::from(won)), row))
            .unwrap();
    }
    set
}

fn settings() -> Settings {
    Settings {
        k: Some(K),
        loss: Loss::CrossEntropy,
        integers: true,
        ..Settings::default()
    }
}

fn fitted(traces: &TraceSet, variables: &Variables, settings: &Settings) -> Result<Fit, FitError> {
    let initial = variables.initial.clone().unwrap();
    let inputs = FitInputs::at(&initial);
    fit(traces, &variables.reduction, &inputs, settings, &mut |_| {
        ControlFlow::Continue(())
    })
}

/// Fails unless no way from the fitted weights to others that are allowed leads down: in a
/// convex problem that is the optimum.
fn assert_no_way_down(traces: &TraceSet, variables: &Variables, fit: &Fit) {
    let reduction = &variables.reduction;
    let objective = Regression::new(
        traces,
        reduction,
        Loss::CrossEntropy,
        Sigmoid::new(K),
        Part::All,
    );
    let objective = objective.unwrap();
    let x = reduction.start(&fit.weights);
    for row in reduction.constraints() {
        assert!(row.violation(&x) < 1e-9, "{row:?} at {x:?}");
    }
    let mut gradient = vec![0.0; x.len()];
    objective.gradient(&x, &mut gradient).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for _ in 0..300 {
        let anywhere: Vec<f64> = x
            .iter()
            .map(|x| x + rng.random_range(-30.0..30.0))
            .collect();
        let other = feasible(&anywhere, reduction.bounds(), reduction.constraints()).unwrap();
        let slope: f64 = (other.iter().zip(&x).zip(&gradient))
            .map(|((y, x), g)| (y - x) * g)
            .sum();
        let length: f64 = other.iter().zip(&x).map(|(y, x)| (y - x).abs()).sum();
        // A descent ends where a step promises less than 1e-20 of E: g²/2h, with a curvature h of up
        // to 1e-4 here.
        assert!(slope > -1.5e-12 * length, "{slope:e} to {other:?}");
    }
    assert!(fit.summary.gradient < 1.5e-12, "{:e}", fit.summary.gradient);
}

/// Fits rows of the true weights; fails unless these come back, to `within`, and the
/// conditions of the optimum hold.
fn assert_recovered(text: &str, truth: &[f64], within: f64) -> Fit {
    let spec = spec(text);
    let variables = spec_variables(spec.layout()).unwrap();
    let traces = rows(&spec, truth, 20_000, 1);
    let fit = fitted(&traces, &variables, &settings()).unwrap();
    assert_no_way_down(&traces, &variables, &fit);
    for (name, (fitted, truth)) in variables.names.iter().zip(fit.weights.iter().zip(truth)) {
        assert!(
            (fitted - truth).abs() < within,
            "{name}: {fitted}, drawn from {truth}"
        );
    }
    assert_eq!(fit.broken, [0_usize; 0]);
    let written = variables.reduction.start(&fit.written);
    for row in variables.reduction.constraints() {
        assert!(
            row.violation(&written) <= row.slack,
            "{row:?} at {written:?}"
        );
    }
    fit
}

const TABLE: &str = "[[parameter]]\nname = \"TABLE\"\nshape = [8]\ninitial = 0\n";

#[test]
fn a_rising_table_comes_back_and_rises_where_the_data_do_not() {
    let text = format!("{TABLE}order = {{ axis = 0, is = \"increasing\" }}\n");
    // Equal neighbours: noise would let half of them fall.
    let truth = [-40.0, -40.0, -10.0, -10.0, -10.0, 20.0, 50.0, 50.0];
    let fit = assert_recovered(&text, &truth, 4.0);
    assert!(
        !fit.summary.binding.is_empty(),
        "some neighbours are pooled"
    );
    assert!(fit.written.is_sorted(), "{:?}", fit.written);
}

#[test]
fn a_falling_convex_table_comes_back() {
    let text = format!(
        "{TABLE}order = [{{ axis = 0, is = \"decreasing\" }}, {{ axis = 0, is = \"convex\" }}]\n"
    );
    let truth = [70.0, 40.0, 20.0, 10.0, 5.0, 0.0, -5.0, -10.0];
    let fit = assert_recovered(&text, &truth, 4.0);
    assert!(!fit.summary.binding.is_empty());
    assert!(fit.written.iter().rev().is_sorted());
}

#[test]
fn a_concave_table_comes_back_within_its_bounds() {
    let text = format!("{TABLE}bounds = [-60, 30]\norder = {{ axis = 0, is = \"concave\" }}\n");
    let truth = [-60.0, -20.0, 5.0, 25.0, 30.0, 30.0, 25.0, 10.0];
    let fit = assert_recovered(&text, &truth, 4.0);
    assert!(!fit.summary.binding.is_empty());
}

#[test]
fn rows_of_a_board_rise_from_rank_to_rank() {
    let text = "[[parameter]]\nname = \"BOARD\"\nshape = [12]\ninitial = 0\n\
                order = { axis = 0, is = \"increasing\", width = 4 }\n";
    let truth = [
        -5.0, 0.0, 5.0, -20.0, -5.0, 10.0, 5.0, 0.0, 10.0, 10.0, 30.0, 0.0,
    ];
    let fit = assert_recovered(text, &truth, 4.0);
    for file in 0..4 {
        let file: Vec<f64> = (0..3).map(|rank| fit.written[file + 4 * rank]).collect();
        assert!(file.is_sorted(), "{file:?}");
    }
}

#[test]
fn sums_and_ratios_hold() {
    let text = "[[parameter]]\nname = \"ROOK\"\ninitial = 50\n\
                [[parameter]]\nname = \"QUEEN\"\ninitial = 90\n\
                [[parameter]]\nname = \"TABLE\"\nshape = [5]\ninitial = 0\n\
                [[constraint]]\nsum = { QUEEN = 1, ROOK = -2 }\nat_least = 0\n\
                [[constraint]]\nsum = { TABLE = 1 }\nequals = 0\n";
    let truth = [50.0, 100.0, -20.0, -10.0, 0.0, 10.0, 20.0];
    let fit = assert_recovered(text, &truth, 4.0);
    assert!(fit.summary.binding.contains(&1));
    let written = &fit.written;
    assert_eq!(written[2..].iter().sum::<f64>().round() as i64, 0);
    assert!(written[1] >= 2.0 * written[0]);
    // Where the data say otherwise, the ratio stands.
    let spec = spec(text);
    let variables = spec_variables(spec.layout()).unwrap();
    let against = rows(&spec, &[50.0, 80.0, 0.0, 0.0, 0.0, 0.0, 0.0], 20_000, 2);
    let fit = fitted(&against, &variables, &settings()).unwrap();
    assert_no_way_down(&against, &variables, &fit);
    assert!((fit.weights[1] - 2.0 * fit.weights[0]).abs() < 1e-9);
}

#[test]
fn boards_are_mirrored_in_every_way() {
    let quarter = [3.0, -8.0, -8.0, 14.0];
    let text = "[[parameter]]\nname = \"BOARD\"\nshape = [16]\ninitial = 0\n\
                mirror = [{ axis = 0, width = 4 }, { axis = 0, width = 4, flip = \"ranks\" }, \
                { axis = 0, width = 4, flip = \"diagonal\" }]\n";
    let place = |rank: usize, file: usize| quarter[2 * rank.min(3 - rank) + file.min(3 - file)];
    let truth: Vec<f64> = (0..16).map(|i| place(i / 4, i % 4)).collect();
    let fit = assert_recovered(text, &truth, 2.0);
    let variables = spec_variables(spec(text).layout()).unwrap();
    assert_eq!(variables.reduction.variables(), 3);
    for i in 0..16_usize {
        let (rank, file) = (i / 4, i % 4);
        for other in [4 * rank + 3 - file, 4 * (3 - rank) + file, 4 * file + rank] {
            assert_eq!(fit.written[i].to_bits(), fit.written[other].to_bits());
        }
    }
}

#[test]
fn unread_entries_give_way_to_what_they_are_ordered_with() {
    // Entry 1 is never read; it stands at 0, between entries that rise to 40.
    let text = format!("{TABLE}order = {{ axis = 0, is = \"increasing\" }}\n");
    let spec = spec(&text);
    let variables = spec_variables(spec.layout()).unwrap();
    let truth = [20.0, 20.0, 25.0, 30.0, 35.0, 40.0, 40.0, 45.0];
    let set = rows_without(&spec, &truth, 20_000, 5, Some(1));
    let with_prior = Settings {
        prior: Some(50.0),
        ..settings()
    };
    let fit = fitted(&set, &variables, &with_prior).unwrap();
    assert!(
        fit.weights.is_sorted_by(|a, b| a <= &(b + 1e-9)),
        "{:?}",
        fit.weights
    );
    assert!(fit.weights[2] > 15.0, "{:?}", fit.weights);
}

#[test]
fn what_cannot_be_is_refused() {
    let text = format!("{TABLE}order = {{ axis = 0, is = \"increasing\" }}\n");
    let ordered = spec(&text);
    let variables = spec_variables(ordered.layout()).unwrap();
    let traces = rows(&ordered, &[0.0; 8], 100, 1);
    let by_gradients = Settings {
        solver: Options {
            solver: Solver::Lbfgs,
            ..Options::default()
        },
        ..settings()
    };
    let refused = fitted(&traces, &variables, &by_gradients)
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("lbfgs") && refused.contains("--solver auto"),
        "{refused}"
    );
    // Each can be, and not both.
    let impossible = spec(&format!(
        "{TABLE}bounds = [0, 5]\n[[constraint]]\nsum = {{ \"TABLE[0]\" = 1, \"TABLE[1]\" = 1 }}\n\
         at_least = 9\n[[constraint]]\nsum = {{ \"TABLE[1]\" = 1, \"TABLE[2]\" = 1 }}\nat_most = 1\n"
    ));
    let errors = spec_variables(impossible.layout()).unwrap_err();
    assert!(errors.contains("no weights satisfy"), "{errors}");
}

#[test]
fn l1_keeps_what_few_games_speak_of_exactly_where_it_draws_it() {
    let text = |toward: &str| {
        format!(
            "[[parameter]]\nname = \"TERMS\"\nshape = [12]\n\
             initial = [0, 0, 0, 0, 0, 0, 9, 9, 9, 9, 9, 9]\n\
             l1 = {{ deviation = 6, toward = \"{toward}\" }}\n"
        )
    };
    let mut truth = [0.0; 12];
    truth[6..].fill(9.0);
    for (toward, drawn) in [("zero", [0.0; 12]), ("initial", truth)] {
        let spec = spec(&text(toward));
        let variables = spec_variables(spec.layout()).unwrap();
        let mut real = drawn;
        (real[0], real[7], real[11]) = (60.0, -50.0, 90.0);
        let traces = rows(&spec, &real, 1000, 9);
        let settings = Settings {
            prior: Some(20.0),
            ..settings()
        };
        let initial = variables.initial.clone().unwrap();
        let inputs = FitInputs {
            prior: &variables.prior,
            ..FitInputs::at(&initial)
        };
        let mut watch = |_: &FitProgress<'_>| ControlFlow::Continue(());
        let fit = fit(
            &traces,
            &variables.reduction,
            &inputs,
            &settings,
            &mut watch,
        )
        .unwrap();
        // The conditions of the optimum: the slope of E and of the normal prior is what
        // the kink holds against, no more where it holds, and all of it elsewhere.
        let objective = Regression::new(
            &traces,
            &variables.reduction,
            Loss::CrossEntropy,
            Sigmoid::new(K),
            Part::All,
        );
        let mut slopes = vec![0.0; 12];
        objective
            .unwrap()
            .gradient(&fit.weights, &mut slopes)
            .unwrap();
        let unit = fit.prior_unit.unwrap();
        let most = unit * std::f64::consts::SQRT_2 / 6.0;
        for (i, (&weight, slope)) in fit.weights.iter().zip(&slopes).enumerate() {
            let slope = slope + unit * (weight - initial[i]) / 1e6;
            let away = weight - drawn[i];
            if fit.summary.kept.contains(&i) {
                assert!(
                    away.abs() < 1e-300 && slope.abs() <= most,
                    "{i}: {away} {slope}"
                );
                assert!(
                    (fit.written[i] - drawn[i]).abs() < 1e-300,
                    "integers stay as well"
                );
            } else {
                assert!(
                    (slope + most * away.signum()).abs() < 1e-13,
                    "{i}: {away} {slope}"
                );
            }
        }
        let left: Vec<usize> = (0..12).filter(|i| !fit.summary.kept.contains(i)).collect();
        assert!(
            left.len() < 9 && [0, 7, 11].iter().all(|i| left.contains(i)),
            "{left:?}"
        );
        for i in [0, 7, 11] {
            assert!((fit.weights[i] - real[i]).abs() < 30.0, "{:?}", fit.weights);
        }
    }
}

#[test]
fn weights_are_multiples_of_their_step() {
    let text = "[[parameter]]\nname = \"COARSE\"\nshape = [4]\nstep = 5\ninitial = 10\n\
                bounds = [-23, 42]\n\
                [[parameter]]\nname = \"FINE\"\nshape = [2]\nstep = 0.05\ninitial = 0.0\n\
                [[parameter]]\nname = \"TWICE\"\nstep = 0.1\ninitial = 0.0\n\
                [[parameter]]\nname = \"WHOLE\"\ninitial = 7\n";
    let steps = spec(text);
    let variables = spec_variables(steps.layout()).unwrap();
    let truth = [50.0, -40.0, 12.0, 3.0, 0.37, -20.2, 1.26, 8.4];
    let traces = rows(&steps, &truth, 20_000, 4);
    let fit = fitted(&traces, &variables, &settings()).unwrap();
    for (i, (written, step)) in fit
        .written
        .iter()
        .zip([5.0, 5.0, 5.0, 5.0, 0.05, 0.05, 0.1, 1.0])
        .enumerate()
    {
        let times = written / step;
        assert!((times - times.round()).abs() < 1e-9, "{i}: {written}");
    }
    // The bounds are no multiples: the nearest within them are.
    assert_eq!(
        (fit.written[0].round() as i64, fit.written[1].round() as i64),
        (40, -20)
    );
    let counts = steps.layout().counts(&fit.written).unwrap();
    let back = steps.layout().values(&counts);
    for (a, b) in back.iter().zip(&fit.written) {
        assert!((a - b).abs() < 1e-9);
    }
    // A tie of two steps makes multiples of both.
    let tied = "[[parameter]]\nname = \"A\"\nstep = 6\ninitial = 0\n\
                [[parameter]]\nname = \"B\"\nstep = 4\ninitial = 0\n\
                [[tie]]\nentry = \"B\"\nto = \"A\"\n";
    let tied = spec(tied);
    let variables = spec_variables(tied.layout()).unwrap();
    let traces = rows(&tied, &[31.0, 31.0], 20_000, 4);
    let fit = fitted(&traces, &variables, &settings()).unwrap();
    assert_eq!(fit.written[0].round() as i64 % 12, 0, "{:?}", fit.written);
}
