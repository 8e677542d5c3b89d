//! The strength of the prior, and targets.

use std::ops::ControlFlow;

use tuner_fit::model::{SampleWeighting, Sigmoid, TargetBlend};
use tuner_fit::{FitInputs, FitTask, Settings, Targets};
use tuner_rows::TraceSet;
use tuner_solve::Reduction;

use super::data::*;

#[test]
fn the_strength_is_chosen_without_a_look_at_the_games_that_judge() {
    let all = traces(1500, 0.0);
    let reduction = Reduction::of_lanes(8);
    let given = FitInputs::at(&START);
    let choice = |traces: &TraceSet| {
        let settings = settings();
        let task = FitTask::new(traces, &reduction, &given, &settings);
        task.choose(&mut |_| ControlFlow::Continue(())).unwrap()
    };
    let found = choice(&all);
    assert_eq!(found.tried.len(), 9);
    let deviations: Vec<f64> = found.tried.iter().map(|t| t.deviation).collect();
    assert!(deviations.windows(2).all(|pair| pair[1] == 2.0 * pair[0]));
    let best = found.tried.iter().find(|trial| found.is_of(trial)).unwrap();
    assert!(found.tried.iter().all(|trial| trial.error >= best.error));
    let (fitted, compared) = (found.positions_fitted, found.positions_compared);
    assert!(fitted > 3 * compared && compared > 100);
    // Of the games held out in the end other results change nothing.
    let (_, judged) = tuner_fit::parts(0.2);
    let mut other = all.clone();
    let games: Vec<u32> = all.rows(0..all.len()).map(|row| row.game()).collect();
    let mut flipped = 0;
    other.map_outcomes(|row, outcome| {
        if judged.unwrap().contains(games[row]) {
            flipped += 1;
            1.0 - outcome
        } else {
            outcome
        }
    });
    assert!(flipped > 100);
    let again = choice(&other);
    assert_eq!(again.factor, found.factor);
    for (a, b) in again.tried.iter().zip(&found.tried) {
        assert_eq!((a.error, a.iterations), (b.error, b.iterations));
    }
}

#[test]
fn few_games_ask_for_a_strong_prior_and_many_for_a_weak_one() {
    let reduction = Reduction::of_lanes(8);
    let given = FitInputs::at(&START);
    let chosen = |rows| {
        let settings = Settings {
            k: Some(1.0),
            held_out: 0.0,
            ..settings()
        };
        let rows = traces(rows, 0.0);
        let task = FitTask::new(&rows, &reduction, &given, &settings);
        let found = task.choose(&mut |_| ControlFlow::Continue(()));
        found.unwrap().deviation
    };
    let (few, many) = (chosen(150), chosen(30_000));
    assert!(few < many, "{few} {many}");
}

#[test]
fn targets_and_weights_are_as_before_when_the_fit_is_done() {
    let traces = traces(900, 0.0);
    let fingerprint = traces.fingerprint();
    let reduction = Reduction::of_lanes(8);
    let given = FitInputs::at(&START);
    let with = |targets: Targets| {
        let task = FitTask::new(&traces, &reduction, &given, &settings());
        let found = (targets.fit(&task, &mut |_| ControlFlow::Continue(()))).unwrap();
        assert_eq!(traces.fingerprint(), fingerprint);
        found
    };
    let plain = with(Targets::default());
    assert_eq!(plain.against_results, None);
    let mix = TargetBlend {
        lambda: 0.5,
        sigmoid: Sigmoid::new(1.0),
    };
    let mixed = with(Targets {
        mix: Some(mix),
        weighing: SampleWeighting::Games,
    });
    let errors = mixed.against_results.unwrap();
    // Targets nearer to what can be known have a smaller error; against
    // results it is the one of results.
    assert!(mixed.error < 0.7 * errors.error);
    assert!(errors.error >= plain.error && errors.error < 1.05 * plain.error);
    assert!((errors.held_out_start.unwrap() / plain.held_out_start.unwrap() - 1.0).abs() < 0.05);
    assert!((mixed.effective_games - mixed.games as f64).abs() < 1e-9);
}
