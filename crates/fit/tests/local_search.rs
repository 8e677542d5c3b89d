//! Integers found step by step: known ones come back, none is missed.

#![allow(clippy::unwrap_used, reason = "a failing test may end with a panic")]
#![allow(clippy::float_cmp)] // integers are exact, and so must the same bits be

use std::ops::ControlFlow;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tuner_base::{LaneId, Slot, WeightId};
use tuner_fit::integers::SearchEnd;
use tuner_fit::model::{Loss, Part, Regression, Sigmoid};
use tuner_fit::{Fit, FitError, FitInputs, SavedFit, Search, Settings, fit};
use tuner_rows::Compactor;
use tuner_rows::{RowDraft, RowInfo, Segment, TraceSet};
use tuner_solve::Termination;
use tuner_solve::{Objective, Reduction, ReductionParts, Tie};
use tuner_trace::nonlinear::{max, mul};
use tuner_trace::{Recorder, Tr, Trace};

const SIGMOID: Sigmoid = Sigmoid::new(1.0);

/// Pairs of weights; the last slot is untapered.
const TRUE: [f64; 12] = [
    32.0, 47.0, -31.0, 14.0, 7.0, -42.0, 20.0, 33.0, 0.0, 3.0, -18.0, 0.0,
];

/// How results come about.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Results {
    /// R = σ(score): the true weights are the optimum.
    Expected,
    /// Won or lost, by chance.
    Drawn,
}

fn with_results(set: &TraceSet, lanes: &[f64], results: Results) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let rows = set.rows(0..set.len());
    rows.map(|row| match SIGMOID.expectation(row.score(lanes)) {
        expected if results == Results::Expected => expected,
        expected => f64::from(u8::from(rng.random::<f64>() < expected)),
    })
    .collect()
}

/// Tapered rows with an untapered term.
fn linear(count: u32, results: Results) -> TraceSet {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let mut drafts = Vec::new();
    for _ in 0..count {
        let phase = f64::from(rng.random_range(0..=24)) / 24.0;
        let entries = (0..5).map(|slot| (Slot(slot), rng.random_range(-3..=3)));
        let tapered = Segment::same([phase, 1.0 - phase], entries);
        let untapered = Segment::same([1.0, 0.0], [(Slot(5), rng.random_range(-2..=2))]);
        drafts.push(RowDraft {
            constant: 5.0,
            segments: vec![tapered, untapered],
            expression: None,
        });
    }
    filled(&drafts, 6, &TRUE, results)
}

fn filled(drafts: &[RowDraft], slots: usize, lanes: &[f64], results: Results) -> TraceSet {
    let push = |outcomes: &[f64]| {
        let mut set = TraceSet::new(slots);
        for (row, (draft, &outcome)) in drafts.iter().zip(outcomes).enumerate() {
            set.push(draft, &RowInfo::new(outcome, row as u32)).unwrap();
        }
        set
    };
    let blank = push(&vec![0.5; drafts.len()]);
    push(&with_results(&blank, lanes, results))
}

/// Rows with a limit, a product and a square: weights 0 to 3.
fn nonlinear(count: usize, truth: &[f64; 4], results: Results) -> TraceSet {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let mut recorder = Recorder::new();
    let mut compactor = Compactor::new((0..4).map(LaneId).collect());
    let mut drafts = Vec::new();
    for _ in 0..count {
        let [a, b, c] = [0; 3].map(|_: i32| f64::from(rng.random_range(-3..=3)));
        let w = |leaf: u32| Tr::weight(truth[leaf as usize], leaf);
        let mut trace = Trace::default();
        let score = || w(0) * a + max(w(1) * b - w(2), 0.0) + mul(w(3) * c, w(2)) * 0.02;
        recorder.record_at(truth, score, &mut trace);
        let mut draft = RowDraft::default();
        compactor.draft(&trace, &mut draft);
        drafts.push(draft);
    }
    assert!(drafts.iter().any(|draft| draft.expression.is_some()));
    filled(&drafts, 2, truth, results)
}

fn settings(search: Search) -> Settings {
    Settings {
        k: Some(1.0),
        integers: true,
        search,
        ..Settings::default()
    }
}

fn run(traces: &TraceSet, reduction: &Reduction, start: &[f64], settings: &Settings) -> Fit {
    let given = FitInputs::at(start);
    fit(traces, reduction, &given, settings, &mut |_| {
        ControlFlow::Continue(())
    })
    .unwrap()
}

/// E at some weights.
fn error(traces: &TraceSet, loss: Loss, weights: &[f64]) -> f64 {
    let all = Reduction::of_lanes(weights.len());
    Regression::new(traces, &all, loss, SIGMOID, Part::All)
        .unwrap()
        .value(weights)
        .unwrap()
}

#[test]
fn known_integers_come_back() {
    let traces = linear(1500, Results::Expected);
    let all = Reduction::of_lanes(12);
    for loss in [Loss::Squared, Loss::CrossEntropy] {
        let settings = Settings {
            loss,
            ..settings(Search::Alone)
        };
        let found = run(&traces, &all, &[0.0; 12], &settings);
        assert_eq!(found.written, TRUE, "{loss:?}");
        assert_eq!(found.summary.termination, Termination::NoBetterStep);
        let searched = found.searched.unwrap();
        assert_eq!(searched.end, SearchEnd::NoBetterStep);
        assert_eq!(searched.rounds.len(), found.summary.iterations);
        assert!(searched.taken() >= 247 && searched.rounds.last().unwrap().taken == 0);
        let falls = searched
            .rounds
            .windows(2)
            .all(|pair| pair[1].error <= pair[0].error);
        assert!(falls && searched.error == searched.rounds.last().unwrap().error);
        assert_eq!(searched.error, error(&traces, loss, &TRUE));
        assert!(found.rounding.is_none() && found.summary.cost.curvature_evaluations == 0);
    }
}

#[test]
fn known_integers_come_back_from_scores_that_are_not_linear() {
    let truth = [40.0, 25.0, 30.0, -12.0];
    let traces = nonlinear(1500, &truth, Results::Expected);
    let start = [30.0, 20.0, 25.0, -8.0];
    for search in [Search::Alone, Search::All] {
        let found = run(&traces, &Reduction::of_lanes(4), &start, &settings(search));
        assert_eq!(found.written, truth, "{search:?}");
    }
}

/// Checks that no step of one variable lowers E.
fn is_least(traces: &TraceSet, loss: Loss, reduction: &Reduction, found: &Fit, step: f64) {
    let x = &found.searched.as_ref().unwrap().x;
    let at = |x: &[f64]| error(traces, loss, &reduction.weights(x));
    let here = at(x);
    for variable in 0..x.len() {
        let (low, high) = reduction.bounds()[variable];
        for step in [-step, step] {
            let mut moved = x.clone();
            moved[variable] += step;
            if (low..=high).contains(&moved[variable]) {
                assert!(at(&moved) >= here * (1.0 - 1e-12), "{variable} {step}");
            }
        }
    }
}

#[test]
fn no_single_step_is_better_and_rounding_is_never_made_worse() {
    let linear = linear(800, Results::Drawn);
    let truth = [40.0, 25.0, 30.0, -12.0];
    let nonlinear = nonlinear(800, &truth, Results::Drawn);
    for (traces, start) in [(&linear, &TRUE[..]), (&nonlinear, &truth[..])] {
        let all = Reduction::of_lanes(start.len());
        for search in [Search::Promising, Search::All, Search::Alone] {
            let found = run(traces, &all, start, &settings(search));
            let searched = found.searched.as_ref().unwrap();
            assert!(searched.error <= searched.error_before);
            assert!(found.written.iter().all(|w| w.fract() == 0.0));
            assert_eq!(found.error, error(traces, Loss::Squared, &found.written));
            if let Some(rounding) = &found.rounding {
                assert_eq!(searched.error_before, rounding.error);
            }
            if search != Search::Promising {
                is_least(traces, Loss::Squared, &all, &found, 1.0);
            }
        }
    }
}

#[test]
fn what_it_lowers_is_the_error_of_the_loss_the_targets_and_the_weights_asked_for() {
    let mut traces = linear(600, Results::Drawn);
    let scores: Vec<f64> = traces
        .rows(0..traces.len())
        .map(|r| r.score(&TRUE))
        .collect();
    let mix = |row: usize, outcome: f64| 0.6 * outcome + 0.4 * SIGMOID.expectation(scores[row]);
    traces.map_outcomes(mix);
    traces.map_weights(|row, _| 0.1 + (row % 7) as f64);
    let all = Reduction::of_lanes(TRUE.len());
    for loss in ["power:1.5", "power:3", "cross-entropy"] {
        let loss: Loss = loss.parse().unwrap();
        for search in [Search::All, Search::Alone] {
            let settings = Settings {
                loss,
                ..settings(search)
            };
            let found = run(&traces, &all, &TRUE, &settings);
            assert_eq!(found.error, error(&traces, loss, &found.written));
            assert_eq!(found.searched.as_ref().unwrap().error, found.error);
            is_least(&traces, loss, &all, &found, 1.0);
        }
    }
}

/// Weight 2 follows weight 0 at half its value, weight 4 has close bounds.
fn tied() -> Reduction {
    let free = (f64::NEG_INFINITY, f64::INFINITY);
    let mut bounds = [free; 11];
    bounds[4] = (-3.0, 4.0);
    Reduction::new(&ReductionParts {
        lane_count: 12,
        lanes: &(0..11).map(LaneId).collect::<Vec<_>>(),
        frozen: &[
            false, false, false, true, false, false, false, false, false, false, false,
        ],
        constraints: &[],
        ties: &[Tie {
            weight: WeightId(2),
            root: WeightId(0),
            factor: -0.5,
            difference: 10.0,
        }],
        bounds: &bounds,
        initial: &[0.0; 11],
    })
    .unwrap()
}

#[test]
fn bounds_ties_and_frozen_weights_hold() {
    let traces = linear(800, Results::Drawn);
    let reduction = tied();
    for search in [Search::Alone, Search::All] {
        let found = run(&traces, &reduction, &[0.0; 11], &settings(search));
        let w = &found.written;
        assert!(w.iter().all(|w| w.fract() == 0.0), "{w:?}");
        assert_eq!((w[2], w[3]), (10.0 - 0.5 * w[0], 0.0));
        assert_eq!(w[4], 4.0, "it pushes against its bound");
        assert!(w[0] > 20.0);
    }
}

/// All of a fit but the seconds.
fn timeless(mut found: Fit) -> String {
    found.summary.cost.seconds = 0.0;
    if let Some(searched) = &mut found.searched {
        searched.cost.seconds = 0.0;
    }
    for record in &mut found.summary.records {
        record.cost.seconds = 0.0;
    }
    serde_json::to_string(&found).unwrap()
}

#[test]
fn the_same_bits_on_any_number_of_threads() {
    let traces = linear(9000, Results::Drawn);
    let on = |threads: usize, search| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let all = Reduction::of_lanes(12);
        pool.install(|| timeless(run(&traces, &all, &[10.0; 12], &settings(search))))
    };
    for search in [Search::All, Search::Alone] {
        let one = on(1, search);
        for threads in [2, 3, 7] {
            assert_eq!(on(threads, search), one);
        }
    }
}

#[test]
fn a_search_resumes_from_each_of_its_rounds() {
    let traces = linear(800, Results::Drawn);
    let all = Reduction::of_lanes(12);
    for search in [Search::All, Search::Alone] {
        let start = [10.0; 12];
        let given = FitInputs::at(&start);
        let settings = settings(search);
        let mut saved = Vec::new();
        let whole = fit(&traces, &all, &given, &settings, &mut |at| {
            let text = serde_json::to_string(&at.save()).unwrap();
            saved.push(serde_json::from_str::<SavedFit>(&text).unwrap());
            ControlFlow::Continue(())
        })
        .unwrap();
        let rounds = whole.searched.as_ref().unwrap().rounds.len();
        assert_eq!(saved.len(), whole.summary.records.len() + rounds);
        let whole = timeless(whole);
        for saved in &saved {
            let given = FitInputs {
                saved: Some(saved),
                ..given
            };
            let found = fit(&traces, &all, &given, &settings, &mut |_| {
                ControlFlow::Continue(())
            })
            .unwrap();
            assert_eq!(
                timeless(found),
                whole,
                "{search:?} from {}",
                saved.iteration()
            );
        }
        // Stopped in the first round.
        let mut seen = 0;
        let last = saved
            .iter()
            .filter(|s| s.iteration() + rounds < saved.len())
            .count();
        let found = fit(&traces, &all, &given, &settings, &mut |_| {
            seen += 1;
            if seen > last {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })
        .unwrap();
        assert_eq!(found.summary.termination, Termination::Interrupted);
        let searched = found.searched.unwrap();
        assert_eq!(
            (searched.end, searched.rounds.len()),
            (SearchEnd::Interrupted, 1)
        );
    }
}

#[test]
fn limits_are_named() {
    let traces = linear(800, Results::Drawn);
    let all = Reduction::of_lanes(12);
    let mut few = settings(Search::Alone);
    few.solver.iterations = 2;
    let found = run(&traces, &all, &[0.0; 12], &few);
    assert_eq!(found.summary.termination, Termination::IterationLimit);
    assert_eq!(found.searched.unwrap().end, SearchEnd::RoundLimit);

    // 800 rows and 11 lanes that move scores in each: more than 200 kB.
    let small = |search| Settings {
        memory: Some(100_000),
        ..settings(search)
    };
    let found = run(&traces, &all, &[10.0; 12], &small(Search::All));
    let searched = found.searched.unwrap();
    let SearchEnd::TooLarge(bytes) = searched.end else {
        unreachable!("{searched:?}")
    };
    assert!((100_000..1_000_000).contains(&bytes));
    assert_eq!(found.written, found.rounding.unwrap().x);
    let start = [10.0; 12];
    let given = FitInputs::at(&start);
    let refused = fit(&traces, &all, &given, &small(Search::Alone), &mut |_| {
        ControlFlow::Continue(())
    });
    assert_eq!(
        refused.unwrap_err(),
        FitError::Search(SearchEnd::TooLarge(bytes))
    );
}
