//! Rows that several ranks have, each some of the games, against all in one place.

use std::ops::ControlFlow;
use std::thread;

use thread_ranks::thread_ranks;
use tuner_base::{Ranks, Slot, Topic, Transport};
use tuner_fit::model::{
    Loss, Part, ProductBuffers, Regression, SampleWeighting, Sigmoid, Split, TargetBlend,
    effective_games, fit_k, games_by_lane, losses_by_game,
};
use tuner_fit::{Fit, FitProgress, FitTask, Search, Settings, Targets, fit};
use tuner_rows::{Blocks, RowDraft, RowInfo, Segment, TraceSet, Traces};
use tuner_solve::{Reduction, Solver};

use super::data::{Kind, SLOTS, drawn, opened};
use super::fits::{START, assert_near, given, numbers, settings};

#[path = "../../../base/src/tests/thread_ranks.rs"]
mod thread_ranks;

/// The rows of some games again.
fn part(set: &TraceSet, has: impl Fn(u32) -> bool) -> TraceSet {
    let mut part = TraceSet::new(set.slots());
    for row in set.rows(0..set.len()).filter(|row| has(row.game())) {
        let segments = row.segments().map(|segment| {
            let entries = segment.entries().map(|(slot, c)| (Slot(slot.0), c));
            Segment {
                factors: segment.factors,
                entries: entries.collect(),
            }
        });
        let draft = RowDraft {
            constant: row.constant(),
            segments: segments.collect(),
            expression: row.expression(),
        };
        let info = RowInfo {
            weight: row.weight(),
            search_score: row.search_score(),
            ..RowInfo::new(row.outcome(), row.game())
        };
        part.push(&draft, &info).unwrap();
    }
    part.finish();
    part
}

/// What each of some ranks makes of its part; the last may have no row at all.
fn each<T: Send>(
    set: &TraceSet,
    size: usize,
    of: impl Fn(&mut TraceSet, Ranks) -> T + Sync,
) -> Vec<T> {
    let of_rank = |ranks: Ranks| {
        let has = |game: u32| match size {
            5 => game as usize % 4 == ranks.rank(),
            _ => ranks.has(game),
        };
        of(&mut part(set, has), ranks)
    };
    thread::scope(|scope| {
        let of_rank = &of_rank;
        let threads: Vec<_> = (thread_ranks(size).into_iter())
            .map(|ranks| scope.spawn(move || of_rank(ranks)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    })
}

fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

#[test]
fn passes_give_the_numbers_of_all_rows() {
    for kind in [Kind::Plain, Kind::Everything] {
        let mut set = drawn(kind, 3000);
        set.finish();
        let train = Part::Train(Split::new(0.3, 1));
        let all = |traces: Traces<'_>| {
            let mut all = numbers(traces, Loss::Squared, train);
            all.extend(numbers(traces, Loss::CrossEntropy, Part::All));
            let k = fit_k(traces, &START, Loss::Squared, train).unwrap();
            all.extend([k.k, k.error, effective_games(traces, train).unwrap()]);
            all.extend([traces.len(), traces.games()].map(|count| count as f64));
            all.extend(games_by_lane(traces).unwrap().iter().map(|&c| f64::from(c)));
            let sigmoid = Sigmoid::new(1.1);
            let losses = losses_by_game(traces, train, Loss::Squared, sigmoid, &START).unwrap();
            all.extend(losses.iter().flat_map(|(_, game)| [game.weight, game.loss]));
            let reduction = Reduction::of_lanes(2 * SLOTS);
            let f = Regression::new(traces, &reduction, Loss::Squared, sigmoid, train).unwrap();
            all.push(f.standard_error(&START).unwrap());
            for most in [50, 100_000] {
                let scores = f.scores_by_cluster(&START, most).unwrap();
                all.extend((0..scores.clusters).flat_map(|c| scores.cluster(c).to_vec()));
            }
            all.extend(f.slopes_by_game(&START, &[START.to_vec()]).unwrap());
            let products = f
                .curvature_products(&START, &[START.to_vec()], &mut ProductBuffers::default())
                .unwrap();
            all.extend(&products[0]);
            all
        };
        let whole = all((&set).into());
        for size in [1, 2, 3, 4, 5] {
            let found = each(&set, size, |set, ranks| {
                all(Traces::from(&*set).among(ranks))
            });
            assert_near(&whole, &found[0], 1e-9);
            for other in &found {
                assert_eq!(bits(other), bits(&found[0]), "{size}");
            }
        }
    }
}

#[test]
fn fits_end_where_they_end_in_one_place() {
    let run = |traces: Traces<'_>, settings: &Settings| -> Fit {
        let reduction = Reduction::of_lanes(2 * SLOTS);
        fit(traces, &reduction, &given(), settings, &mut |_| {
            ControlFlow::Continue(())
        })
        .unwrap()
    };
    for kind in [Kind::Plain, Kind::Everything] {
        let mut set = drawn(kind, 3000);
        set.finish();
        for (solver, search) in [
            (Solver::Auto, Search::Promising),
            (Solver::Auto, Search::All),
            (Solver::Auto, Search::Alone),
            (Solver::NewtonCg, Search::Promising),
            (Solver::Lbfgs, Search::Promising),
        ] {
            let settings = Settings {
                search,
                ..settings(solver)
            };
            let whole = run((&set).into(), &settings);
            for size in [2, 5] {
                let found = each(&set, size, |set, ranks| {
                    run(Traces::from(&*set).among(ranks), &settings)
                });
                assert_near(&whole.weights, &found[0].weights, 1e-4);
                assert_eq!(
                    whole.written, found[0].written,
                    "{solver:?} {search:?} {size}"
                );
                assert_eq!((whole.rows, whole.games), (found[0].rows, found[0].games));
                assert_eq!(whole.changed_branches, found[0].changed_branches);
                assert_eq!(whole.summary.unseen, found[0].summary.unseen);
                for other in &found {
                    assert_eq!(bits(&other.weights), bits(&found[0].weights));
                }
            }
        }
    }
}

#[test]
fn streamed_parts_and_targets_are_those_of_all_rows() {
    let mut set = drawn(Kind::Everything, 3000);
    set.finish();
    let reduction = Reduction::of_lanes(2 * SLOTS);
    let settings = settings(Solver::Auto);
    let fitted = |rows: Traces<'_>| {
        let mix = TargetBlend::new(0.4, None, rows, Part::All).unwrap().0;
        let targets = Targets {
            mix: Some(mix),
            weighing: SampleWeighting::Games,
        };
        let mut go_on = |_: &FitProgress<'_>| ControlFlow::Continue(());
        let given = given();
        let task = FitTask::new(rows, &reduction, &given, &settings);
        let fit = targets.fit(&task, &mut go_on);
        fit.unwrap().weights
    };
    let whole = fitted((&part(&set, |_| true)).into());
    for size in [2, 3] {
        let found = each(&set, size, |set, ranks| {
            let (_folder, file) = opened(set, 300);
            let streamed = fitted(Traces::from(&file as &dyn Blocks).among(ranks));
            (fitted(Traces::from(&*set).among(ranks)), streamed)
        });
        for (weights, streamed) in &found {
            assert_near(&whole, weights, 1e-6);
            assert_near(&whole, streamed, 1e-6);
            assert_eq!(bits(weights), bits(&found[0].0));
        }
    }
}
