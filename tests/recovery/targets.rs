//! Known weights come back by every loss, from every kind of target and weight.

use std::ops::ControlFlow;

use tuner_core::fit::model::{Loss, Part, SampleWeighting, Sigmoid, TargetBlend};
use tuner_core::fit::{FitTask, Settings, Targets};

use super::cases::{Case, Constraint};
use super::synthetic::{Results, SEARCH, Synthetic};

/// Fits from weights that are all 0; returns the largest error of a weight, in
/// parts of the largest.
fn worst(case: Case, data: &mut Synthetic, targets: &Targets) -> f64 {
    let reduction = data.reduction(case);
    let zero = vec![0.0; data.truth.len()];
    let given = tuner_core::fit::FitInputs::at(&zero);
    let settings = Settings {
        k: Some(Synthetic::SIGMOID.k()),
        loss: case.loss,
        ..Settings::default()
    };
    let task = FitTask::new(&data.traces, &reduction, &given, &settings);
    let found = (targets.fit(&task, &mut |_| ControlFlow::Continue(()))).expect("a fit");
    assert!(
        found.summary.termination.is_optimum(),
        "{case}: {}",
        found.summary.termination
    );
    let largest = data.truth.iter().fold(0.0_f64, |max, w| max.max(w.abs()));
    let errors = data.errors(&found.written);
    errors.iter().fold(0.0_f64, |max, e| max.max(e.abs())) / largest
}

fn case(loss: &str, tapered: bool, constraint: Constraint) -> Case {
    Case {
        loss: loss.parse::<Loss>().expect("a loss"),
        tapered,
        constraint,
    }
}

#[test]
fn every_loss_recovers_its_weights() {
    for tapered in [true, false] {
        for constraint in [Constraint::None, Constraint::Tied] {
            for (loss, results) in [
                ("squared", Results::Weighed),
                ("cross-entropy", Results::Weighed),
                ("power:2", Results::Weighed),
                ("power:2.5", Results::Weighed),
                ("power:4", Results::Weighed),
                ("power:1", Results::Expected),
                ("power:1.5", Results::Expected),
                ("power:2", Results::Expected),
            ] {
                let case = case(loss, tapered, constraint);
                let mut data = Synthetic::draw(case, results);
                let worst = worst(case, &mut data, &Targets::default());
                assert!(worst < 1e-6, "{case}, {results:?}: {worst:e}");
            }
        }
    }
}

#[test]
fn search_scores_bring_the_weights_back_where_results_only_scatter() {
    let case = case("squared", true, Constraint::None);
    let sigmoid = Sigmoid::new(Synthetic::SIGMOID.k() / SEARCH);
    for (results, lambda, bound) in [
        (Results::Expected, 0.5, 1e-6),
        (Results::Expected, 0.0, 1e-6),
        (Results::Drawn, 0.0, 1e-6),
    ] {
        let mut data = Synthetic::draw(case, results);
        let mix = Some(TargetBlend { lambda, sigmoid });
        let targets = Targets {
            mix,
            ..Targets::default()
        };
        let found = worst(case, &mut data, &targets);
        assert!(found < bound, "{results:?}, λ = {lambda}: {found:e}");
    }
    // Results as they are drawn, with fewer and fewer of them in the target.
    let mut data = Synthetic::draw(case, Results::Drawn);
    let mut error = |lambda| {
        let mix = Some(TargetBlend { lambda, sigmoid });
        let targets = Targets {
            mix,
            ..Targets::default()
        };
        worst(case, &mut data, &targets)
    };
    let (all, half, tenth) = (error(1.0), error(0.5), error(0.1));
    assert!(
        all > 1e-2 && half < 0.6 * all && tenth < 0.15 * all,
        "{all} {half} {tenth}"
    );
}

#[test]
fn the_k_of_the_scores_is_found_from_drawn_results() {
    let case = case("squared", true, Constraint::None);
    let data = Synthetic::draw(case, Results::Drawn);
    let found = TargetBlend::new(0.5, None, (&data.traces).into(), Part::All);
    // 1.2/10⁵ is below the smallest K looked at, which says so.
    assert!(found.is_err_and(|error| error.to_string().contains("smallest K")));
}

#[test]
fn weighing_by_games_leaves_what_is_exact() {
    for weighing in [
        SampleWeighting::Positions,
        SampleWeighting::Sqrt,
        SampleWeighting::Games,
    ] {
        for (loss, results) in [
            ("squared", Results::Expected),
            ("cross-entropy", Results::Expected),
            ("power:1.5", Results::Expected),
            ("power:3", Results::Weighed),
        ] {
            let case = case(loss, true, Constraint::None);
            let mut data = Synthetic::draw(case, results);
            // Games of one row to twenty.
            data.traces.number_games(|row| {
                let row = row as u32 / 2;
                row - row % (1 + row / 500 % 20)
            });
            let targets = Targets {
                mix: None,
                weighing,
            };
            let worst = worst(case, &mut data, &targets);
            assert!(worst < 1e-6, "{case}, {weighing:?}: {worst:e}");
        }
    }
}
