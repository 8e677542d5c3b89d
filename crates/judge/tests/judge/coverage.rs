//! Whether intervals cover, in a few simulated data sets; `TUNER_DATA_SETS=40 cargo test
//! --release -p tuner-judge --test judge -- coverage` has more, the benchmark `coverage` a
//! thousand of each kind.

use crate::features::{COPY, DRAWN, RARE, TWIN, data, fall, suggested};
use crate::simulation::{Kind, Piece, Score, judged, run, with_fit};
use tuner_fit::model::Loss;
use tuner_judge::{FitVerdict, Judgement, judge};

/// Data sets of each kind.
fn data_sets() -> u64 {
    std::env::var("TUNER_DATA_SETS").map_or(8, |text| text.parse().unwrap())
}

/// What a coverage of 0.95 is within, with 3 standard errors of so many intervals.
fn expected(intervals: usize) -> std::ops::Range<f64> {
    let error = (0.95 * 0.05 / intervals as f64).sqrt();
    0.95 - 3.0 * error..0.95 + 3.0 * error
}

#[test]
fn intervals_cover_the_weights_that_games_were_drawn_with() {
    let mut all = Score::default();
    for (loss, nonlinear, prior, constrained) in [
        (Loss::Squared, false, false, false),
        (Loss::CrossEntropy, true, false, false),
        (Loss::Squared, false, true, false),
        (Loss::Squared, false, false, true),
    ] {
        let kind = Kind {
            loss,
            nonlinear,
            prior,
            constrained,
            ..Kind::default()
        };
        let score = run(kind, data_sets());
        let within = expected(score.intervals);
        assert!(within.contains(&score.coverage()), "{kind:?}: {score:?}");
        all.intervals += score.intervals;
        all.covered += score.covered;
    }
    // 0.979 of these data sets, 0.996 with intervals 1.4 times as long.
    assert!(all.coverage() < 0.985, "{all:?}");
}

#[test]
fn intervals_without_games_are_too_short() {
    let naive = Kind {
        naive: true,
        ..Kind::default()
    };
    // 91 % of a thousand data sets, which takes some to be seen.
    let score = run(naive, 2 * data_sets().max(14));
    assert!(score.coverage() < 0.93, "{score:?}");
}

/// Judges a fit of simulated data by the matrix that its descent ended with, if it is kept, and
/// by one that is formed where it ended.
fn judged_twice(kind: Kind, seed: u64) -> Option<[Judgement; 2]> {
    let (judgements, _) = with_fit(kind, seed, |finished, rows| {
        finished.fit.curvature.as_ref()?;
        let by_last = judge(finished, rows).unwrap();
        finished.fit.curvature = None;
        Some([by_last, judge(finished, rows).unwrap()])
    });
    judgements
}

#[test]
fn the_last_matrix_of_a_descent_judges_as_one_formed_where_it_ended() {
    let kinds = [
        Kind::default(),
        Kind {
            nonlinear: true,
            frozen: true,
            held_out: true,
            ..Kind::default()
        },
        Kind {
            nonlinear: true,
            prior: true,
            constrained: true,
            ..Kind::default()
        },
    ];
    let mut kept = 0;
    for kind in kinds {
        let judged = (0..data_sets()).filter_map(|seed| judged_twice(kind, seed));
        for [by_last, anew] in judged {
            kept += 1;
            assert_eq!(by_last.approximate_curvature, anew.approximate_curvature);
            for (last, new) in by_last.weights.iter().zip(&anew.weights) {
                assert_eq!(last.standard_error.is_some(), new.standard_error.is_some());
                let errors = last.standard_error.zip(new.standard_error);
                let (last, new) = errors.unwrap_or((1.0, 1.0));
                assert!((last / new - 1.0).abs() < 0.01, "{kind:?}: {last} {new}");
            }
            for (last, new) in by_last.frozen.iter().zip(&anew.frozen) {
                assert_eq!(last.name, new.name);
                let changes = last.change.zip(new.change).unwrap();
                let off = (changes.0.value - changes.1.value) / changes.1.standard_error;
                assert!(off.abs() < 0.01, "{kind:?}: {changes:?}");
            }
        }
    }
    assert!(
        8 * kept > data_sets(),
        "{kept} of {} matrices",
        3 * data_sets()
    );
}

#[test]
fn few_of_the_weights_kept_are_zero() {
    let score = run(Kind::default(), data_sets());
    assert!(score.false_discovery_rate() < 0.08, "{score:?}");
    assert!(score.kept > 4 * data_sets() as usize, "{score:?}");
}

#[test]
fn entries_against_the_mean_of_their_table_are_covered() {
    let mut all = Score::default();
    for (table, prior) in [
        (Piece::Near, false),
        (Piece::Exact, false),
        (Piece::Exact, true),
    ] {
        let kind = Kind {
            table: Some(table),
            prior,
            ..Kind::default()
        };
        let score = run(kind, data_sets());
        assert_eq!(score.intervals, 10 * data_sets() as usize);
        let within = expected(score.intervals);
        assert!(within.contains(&score.coverage()), "{kind:?}: {score:?}");
        all.intervals += score.intervals;
        all.covered += score.covered;
        if !prior {
            assert!(score.false_discovery_rate() < 0.08, "{kind:?}: {score:?}");
            assert!(score.kept > 3 * data_sets() as usize, "{kind:?}: {score:?}");
        }
    }
    let within = expected(all.intervals);
    assert!(within.contains(&all.coverage()), "{all:?}");
}

#[test]
fn a_table_says_more_against_its_mean_than_by_itself() {
    let kind = Kind {
        table: Some(Piece::Exact),
        ..Kind::default()
    };
    let (judgement, _) = judged(kind, 3);
    let names: Vec<&str> = judgement.tables.iter().map(|table| &*table.name).collect();
    assert_eq!(names, ["TABLE.eg", "TABLE.mg"]);
    for (number, table) in judgement.tables.iter().enumerate() {
        assert!(table.common > 0.99, "{table:?}");
        let shares: f64 = table.entries.iter().map(|entry| entry.share).sum();
        assert!((shares - 1.0).abs() < 1e-12);
        let first = &table.entries[0];
        let alone = &judgement.weights[1 - number];
        assert_eq!(first.name, alone.name);
        assert_eq!(
            first.about,
            format!("{} against the mean of {}", first.name, table.name)
        );
        let alone = alone.data.unwrap();
        assert!(alone.standard_error > 10.0 * first.data.standard_error);
    }
    let words = judgement.words().join("\n");
    assert!(words.contains("against the mean of their table"), "{words}");
    assert!(words.contains("10 entries of 2 tables"), "{words}");
}

#[test]
fn a_frozen_weight_that_is_wrong_is_named_first_and_others_stay() {
    for (prior, nonlinear) in [(false, false), (true, true)] {
        let kind = Kind {
            frozen: true,
            prior,
            nonlinear,
            ..Kind::default()
        };
        let score = run(kind, data_sets());
        let least = expected(score.intervals).start;
        assert!(score.coverage() > least, "{kind:?}: {score:?}");
        assert!(score.false_discovery_rate() < 0.08, "{kind:?}: {score:?}");
        assert!(
            10 * score.kept >= 9 * data_sets() as usize,
            "{kind:?}: {score:?}"
        );
        let (judgement, _) = judged(kind, 0);
        let first = &judgement.frozen[0];
        assert!(first.name == "W[4]" && first.would_move, "{first:?}");
        let change = first.change.unwrap();
        assert!(
            (change.value + 20.0).abs() < 4.0 * change.standard_error,
            "{first:?}"
        );
        let words = judgement.words().join("\n");
        assert!(words.contains("most surely W[4] by -"), "{words}");
    }
}

#[test]
fn weights_that_games_were_drawn_with_are_better_than_none() {
    let kind = Kind {
        held_out: true,
        ..Kind::default()
    };
    let (judgement, _) = judged(kind, 1);
    assert_eq!(judgement.verdict, FitVerdict::Better);
    let noise = judgement.noise.unwrap();
    let (observed, error) = (noise.observed.unwrap(), noise.observed_error.unwrap());
    assert!((noise.predicted.unwrap() - observed).abs() < 4.0 * error);
}

#[test]
fn features_are_not_suggested_where_none_is_missing() {
    let sets = 4 * data_sets();
    let mut with_discoveries = 0;
    for seed in 0..sets {
        let found = suggested(&data(seed, 400, 0.0));
        assert_eq!((found.rare, &*found.already_read), (1, &[COPY][..]));
        assert_eq!(found.tested, DRAWN + 1);
        with_discoveries += u64::from(found.discoveries > 0);
    }
    let (n, p) = (sets as f64, 0.05);
    let most = n * p + 3.0 * (n * p * (1.0 - p)).sqrt();
    assert!(
        (with_discoveries as f64) < most,
        "{with_discoveries} of {sets}"
    );
}

#[test]
fn a_feature_that_is_missing_is_suggested_once_with_what_it_is_worth() {
    let (mut off, mut covered) = (Vec::new(), 0);
    let sets = data_sets() / 2;
    for seed in 0..sets {
        let set = data(seed, 1200, 25.0);
        let found = suggested(&set);
        let first = &found.chosen[0];
        // The twin counts eight times as much, and a little else.
        let (scale, other) = if first.feature == 0 {
            (1.0, TWIN)
        } else {
            (8.0, 0)
        };
        assert!([0, TWIN].contains(&first.feature), "{found:?}");
        assert!(first.near.contains(&other), "{first:?}");
        assert!(
            found.chosen[1..]
                .iter()
                .all(|test| ![0, TWIN, RARE].contains(&test.feature))
        );
        for value in first.values {
            let value = value.unwrap();
            // One step falls short of a far optimum.
            assert!((scale * value.value - 25.0).abs() < 4.5 * scale * value.standard_error + 3.0);
            covered += 1;
        }
        let actual = fall(&set, &data(1_000 + seed, 4_000, 25.0), first.feature);
        off.push((first.worth.expected - actual) / first.worth.standard_error);
    }
    assert_eq!(covered, 2 * sets);
    let mean = off.iter().sum::<f64>() / off.len() as f64;
    let spread = off.iter().map(|off| off * off).sum::<f64>() / off.len() as f64;
    assert!(
        mean.abs() < 0.2 + 3.0 / (off.len() as f64).sqrt() && spread < 3.0,
        "{off:?}"
    );
}
