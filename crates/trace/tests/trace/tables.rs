//! Packed pairs and tables computed from weights: what the twins of such
//! evaluations trace.

use tuner_trace::{
    ExpressionValues, Leaf, Predicted, RecordedTape, Recorder, Tr, Trace, cast, derived, nonlinear,
};

type Packed = Tr<i32>;

fn w(value: i32, leaf: u32) -> Tr<i32> {
    Tr::weight(value, leaf)
}

fn s(mg: Tr<i32>, eg: Tr<i32>) -> Packed {
    (eg << 16) + mg
}

fn mg(score: Packed) -> Tr<i32> {
    cast::<i32, _>(cast::<i16, _>(score))
}

fn eg(score: Packed) -> Tr<i32> {
    cast::<i32, _>(cast::<i16, _>((score + 0x8000) >> 16))
}

fn record(twin: impl FnOnce() -> Tr<i32>) -> Trace {
    let mut trace = Trace::default();
    Recorder::new().record(twin, &mut trace);
    trace.forms.iter_mut().for_each(|f| f.terms.sort_unstable());
    trace
}

/// ∂ score / ∂ weight of a linear trace.
fn slope(trace: &Trace, leaf: u32) -> f64 {
    assert!(trace.expression.is_none());
    let of_form = |f: &tuner_trace::Form| {
        let terms = f.terms.iter().filter(|t| t.0 == Leaf(leaf));
        terms.map(|t| f.factor * t.1 as f64).sum::<f64>()
    };
    trace.forms.iter().map(of_form).sum()
}

#[test]
fn halves_of_a_packed_sum_are_traced_apart() {
    let trace = record(|| {
        let score = s(w(9, 0), w(-6, 1)) * 3 - s(w(-70, 2), w(11, 3)) + s(Tr::lit(4), Tr::lit(-2));
        (mg(score) * 7 + eg(score) * 17) / 24
    });
    let (mg, eg) = (9 * 3 + 70 + 4, -6 * 3 - 11 - 2);
    assert_eq!(trace.score, f64::from((mg * 7 + eg * 17) / 24));
    for (leaf, expected) in [(0, 3.0 * 7.0), (1, 3.0 * 17.0), (2, -7.0), (3, -17.0)] {
        assert!(
            (slope(&trace, leaf) - expected / 24.0).abs() < 1e-12,
            "{leaf}"
        );
    }
    assert!((trace.constant - (4.0 * 7.0 - 2.0 * 17.0) / 24.0).abs() < 1e-12);
    assert!(!trace.wrapped && trace.slack < 1.0);
    assert_eq!(trace.forms.len(), 2, "one form a half");
}

#[test]
fn a_pair_packed_by_way_of_unsigned_numbers_is_the_same() {
    let trace = record(|| {
        let up = cast::<i32, _>(cast::<u32, _>(w(-6, 1)) << 16);
        let score = (up + cast::<i32, _>(w(9, 0))) * 2;
        let high = cast::<i16, _>(cast::<u32, _>(score + 0x8000) >> 16);
        let low = cast::<i16, _>(score & 0xFFFF);
        cast::<i32, _>(high) * 3 + cast::<i32, _>(low)
    });
    assert_eq!(trace.score, f64::from(-12 * 3 + 18));
    assert_eq!((slope(&trace, 0), slope(&trace, 1)), (2.0, 6.0));
    assert!(!trace.wrapped);
}

#[test]
fn a_lower_half_may_be_shifted_out_and_back() {
    let trace = record(|| {
        let score = s(w(9, 0), w(-6, 1)) * 2;
        ((score << 16) >> 16) * 3 + (score >> 16)
    });
    assert_eq!(trace.score, f64::from(18 * 3 - 12));
    assert_eq!((slope(&trace, 0), slope(&trace, 1)), (6.0, 2.0));
    assert!(!trace.wrapped);
    let wide = |mg: i64, eg: i64| {
        let mut trace = Trace::default();
        let twin = || {
            let score = (Tr::weight(eg, 1) << 32) + Tr::weight(mg, 0);
            (score << 32) >> 32
        };
        Recorder::new().record(twin, &mut trace);
        trace
    };
    let trace = wide(-70, 11);
    assert_eq!(
        (trace.score, slope(&trace, 0), slope(&trace, 1)),
        (-70.0, 1.0, 0.0)
    );
}

#[test]
fn what_is_not_linear_joins_the_lower_half() {
    let twin = || {
        let danger = nonlinear::mul(w(5, 0), w(40, 1)) / 8;
        let score = s(w(9, 2), w(6, 3)) + danger;
        mg(score) * 2 + eg(score)
    };
    let trace = record(twin);
    assert_eq!(trace.score, f64::from((9 + 25) * 2 + 6));
    assert_eq!(at(&trace, &[5.0, 40.0, 9.0, 6.0]).score, trace.score);
    assert_eq!(
        at(&trace, &[6.0, 40.0, 10.0, 8.0]).score,
        f64::from((10 + 30) * 2 + 8)
    );
}

#[test]
fn a_pair_of_curves_is_packed_and_taken_apart() {
    let twin = || {
        let danger = nonlinear::max(w(5, 0), 0);
        let score = s(-nonlinear::mul(danger, danger), -danger) + s(w(1, 1), w(2, 2));
        mg(score) * 2 + eg(score) * 3
    };
    let trace = record(twin);
    assert_eq!(trace.score, f64::from((-25 + 1) * 2 + (-5 + 2) * 3));
    let moved = at(&trace, &[7.0, 1.0, 4.0]).score;
    assert_eq!(moved, f64::from((-49 + 1) * 2 + (-7 + 4) * 3));
}

fn at(trace: &Trace, values: &[f64]) -> Predicted {
    trace.score_at(values, &mut ExpressionValues::default())
}

/// A table of four entries: sums, differences, an average.
fn table() -> &'static [Tr<i32>; 4] {
    derived(|| {
        let base = [w(10, 0), w(20, 1), w(35, 2)];
        [
            base[0] + base[1],
            base[1] - 5,
            (base[0] + base[2]) / 2,
            base[0],
        ]
    })
}

#[test]
fn a_derived_table_is_traced_to_its_weights() {
    for _ in 0..3 {
        let trace = record(|| table()[0] * 2 + table()[1] + table()[2] + table()[3]);
        assert_eq!(trace.score, f64::from(60 + 15 + 22 + 10));
        assert_eq!(slope(&trace, 0), 2.0 + 0.5 + 1.0);
        assert_eq!((slope(&trace, 1), slope(&trace, 2)), (3.0, 0.5));
        assert_eq!(trace.constant, -5.0);
        assert!(
            trace.nodes <= 4,
            "the table's nodes are kept: {}",
            trace.nodes
        );
    }
}

#[test]
fn a_derived_table_follows_the_weights() {
    let twin = || table()[0] * 2 + table()[1];
    assert_eq!(record(twin).score, 75.0);
    assert_eq!(
        Recorder::defined_at(&[1.0, 2.0, 3.0], twin).0,
        3.0 * 2.0 - 3.0
    );
    assert_eq!(record(twin).score, 75.0);
    let mut trace = Trace::default();
    Recorder::new().record_at(&[1.0, 2.0, 3.0], twin, &mut trace);
    assert_eq!(trace.score, 3.0);
}

#[test]
fn only_what_a_changed_weight_enters_is_computed_anew() {
    thread_local! {
        static BUILDS: std::cell::Cell<[usize; 2]> = const { std::cell::Cell::new([0; 2]) };
    }
    fn count(table: usize) {
        let mut builds = BUILDS.get();
        builds[table] += 1;
        BUILDS.set(builds);
    }
    fn inner() -> &'static [Tr<i32>; 2] {
        derived(|| {
            count(0);
            [w(1, 0) + w(2, 1), w(3, 2) * 2]
        })
    }
    fn outer() -> &'static [Tr<i32>; 2] {
        derived(|| {
            count(1);
            [inner()[0], w(4, 3) * 5]
        })
    }
    let twin = || outer()[0] + outer()[1] + table()[0];
    let score = |values: [f64; 4]| Recorder::defined_at(&values, twin).0;
    assert_eq!(score([1.0, 2.0, 3.0, 4.0]), 3.0 + 20.0 + 3.0);
    assert_eq!(BUILDS.get(), [1, 1]);
    assert_eq!(score([1.0, 2.0, 3.0, 7.0]), 3.0 + 35.0 + 3.0);
    assert_eq!(
        BUILDS.get(),
        [1, 2],
        "the inner table does not depend on it"
    );
    assert_eq!(score([9.0, 2.0, 3.0, 7.0]), 11.0 + 35.0 + 11.0);
    assert_eq!(
        BUILDS.get(),
        [2, 3],
        "the outer table has the inner one's weights"
    );
    assert_eq!(score([9.0, 2.0, 3.0, 7.0]), 57.0);
    assert_eq!(BUILDS.get(), [2, 3]);
    assert_eq!(record(twin).score, f64::from(3 + 20 + 30));
    assert_eq!(BUILDS.get(), [3, 4]);
    // Between the source's weights and two points nothing is computed anew.
    for _ in 0..2 {
        assert_eq!(score([1.0, 2.0, 3.0, 7.0]), 41.0);
        assert_eq!(score([9.0, 2.0, 3.0, 7.0]), 57.0);
        assert_eq!(record(twin).score, 53.0);
    }
    assert_eq!(BUILDS.get(), [3, 4]);
    assert_eq!(score([0.0, 2.0, 3.0, 7.0]), 39.0);
    assert_eq!(score([1.0, 2.0, 3.0, 7.0]), 41.0);
}

#[test]
fn a_packed_table_of_a_table() {
    fn pairs() -> &'static [Packed; 2] {
        derived(|| [s(w(1, 0), w(2, 1)), s(w(3, 2), w(-4, 3))])
    }
    fn mirrored() -> &'static [Packed; 2] {
        derived(|| [-pairs()[1], pairs()[0] + s(Tr::lit(10), Tr::lit(20))])
    }
    let trace = record(|| {
        let score = mirrored()[0] * 2 + mirrored()[1] + pairs()[0];
        mg(score) * 10 + eg(score)
    });
    assert_eq!(trace.score, f64::from((-6 + 11 + 1) * 10 + (8 + 22 + 2)));
    let slopes = [0, 1, 2, 3].map(|leaf| slope(&trace, leaf));
    assert_eq!(slopes, [20.0, 2.0, -20.0, -2.0]);
    assert_eq!(trace.constant, 120.0);
}

#[test]
fn a_table_that_is_not_linear_is_traced_in_each_recording() {
    fn danger() -> &'static [Tr<i32>; 3] {
        derived(|| [0, 1, 2].map(|i| nonlinear::mul(w(3, 0), w(i, 1 + i as u32))))
    }
    fn doubled() -> &'static [Tr<i32>; 3] {
        derived(|| [0, 1, 2].map(|i| danger()[i] * 2 + w(1, 4)))
    }
    for _ in 0..2 {
        let trace = record(|| doubled()[2] + danger()[1] + doubled()[1]);
        assert_eq!(trace.score, f64::from(13 + 3 + 7));
        let moved = at(&trace, &[5.0, 0.0, 2.0, 4.0, 1.0]).score;
        assert_eq!(moved, f64::from(5 * 4 * 2 + 1 + 10 + 5 * 2 * 2 + 1));
    }
    let at = Recorder::defined_at(&[5.0, 0.0, 2.0, 4.0, 1.0], || doubled()[2]).0;
    assert_eq!(at, 41.0);
}

#[test]
fn a_branch_in_a_table_is_a_guard_of_each_recording() {
    fn larger() -> &'static Tr<i32> {
        derived(|| {
            if nonlinear::gt(w(10, 0), w(4, 1)) {
                w(10, 0)
            } else {
                w(4, 1)
            }
        })
    }
    let trace = record(|| *larger() * 3);
    assert!(!at(&trace, &[10.0, 4.0]).changed_branch);
    assert!(at(&trace, &[1.0, 4.0]).changed_branch);
    assert_eq!(Recorder::defined_at(&[1.0, 4.0], || *larger()).0, 4.0);
    assert_eq!(record(|| *larger()).score, 10.0);
}

#[test]
fn halves_of_two_recordings_are_not_mixed_up() {
    let mut recorder = Recorder::new();
    for leaf in [0, 2, 4] {
        let twin = || {
            let pair = s(w(3, leaf), w(5, leaf + 1)) * 2;
            mg(pair) * 7 + eg(pair) * 3
        };
        let mut trace = Trace::default();
        recorder.record(twin, &mut trace);
        assert_eq!(
            [leaf, leaf + 1].map(|leaf| slope(&trace, leaf)),
            [14.0, 6.0]
        );
    }
}

#[test]
fn a_constant_pair_puts_a_score_into_each_half() {
    let times = |danger: Tr<i32>, mg: i32, eg: i32| nonlinear::scaled(danger, (eg << 16) + mg);
    let trace = record(|| {
        let value = times(w(30, 0), 1, 1);
        (value & 0xFFFF) * 7 + ((value + 0x8000) >> 16) * 3
    });
    assert_eq!((trace.score, slope(&trace, 0)), (300.0, 10.0));
    let trace = record(|| {
        let value = times(w(30, 0), 1, 1) - times(w(30, 0) / 4, 2, -3);
        (value & 0xFFFF) * 7 + ((value + 0x8000) >> 16) * 3
    });
    assert_eq!(
        (trace.score, slope(&trace, 0)),
        (16.0 * 7.0 + 51.0 * 3.0, 8.75)
    );
}

/// At the source's weights there is a short way for sums, which a recording at
/// given weights does not take.
#[test]
fn the_short_way_for_sums_records_the_same() {
    let table = || derived(|| [s(w(2, 4), w(3, 5)) * 2, s(w(-7, 6), w(1, 7))]);
    let twin = || {
        let mut score = s(w(9, 0), w(-6, 1));
        for round in 0..3_000 {
            let by = table()[round % 2] - s(w(1, 2), w(1, 3));
            score += if round % 1_000 == 999 { by * 2 } else { by };
            score -= by;
        }
        (mg(score) * 7 + eg(score) * 17 + w(5, 8) * 3) / 24 + nonlinear::max(mg(score), 4)
    };
    let mut apart = Trace::default();
    let source = [9.0, -6.0, 1.0, 1.0, 2.0, 3.0, -7.0, 1.0, 5.0];
    Recorder::new().record_at(&source, twin, &mut apart);
    apart.forms.iter_mut().for_each(|f| f.terms.sort_unstable());
    let short = record(twin);
    assert!(short.nodes > 9_000, "{}", short.nodes);
    assert_eq!(short, apart);
}

#[test]
fn a_table_first_built_at_other_weights_has_the_right_values_after() {
    let twin = || derived(|| [w(3, 0) * 2 + w(4, 1)])[0] * 5 + w(1, 2);
    let scores = std::thread::spawn(move || {
        let mut trace = Trace::default();
        let mut recorder = Recorder::new();
        recorder.record_at(&[100.0, 10.0, 1.0], twin, &mut trace);
        let first = trace.score;
        recorder.record(twin, &mut trace);
        [first, trace.score]
    });
    assert_eq!(scores.join().ok(), Some([1_051.0, 51.0]));
}

#[test]
fn an_evaluation_that_panics_leaves_nothing_behind() {
    let broken =
        || record(|| w(1, 0) + w(2, 1) + Tr::lit([1, 2][usize::MAX.count_ones() as usize]));
    assert!(std::panic::catch_unwind(broken).is_err());
    let trace = record(|| w(1, 0) + w(2, 1) * 3);
    assert_eq!(
        (trace.nodes, slope(&trace, 0), slope(&trace, 1)),
        (2, 1.0, 3.0)
    );
    // Outside a recording nothing is kept.
    let _ = w(1, 0) + w(2, 1) * 3;
    assert_eq!(record(|| w(1, 0) * 2).nodes, 1);
}

#[test]
fn a_quotient_that_wraps_is_an_overflow() {
    let least = [f64::from(i32::MIN), -1.0];
    let by_plain = Recorder::defined_at(&least, || w(10, 0) / -1);
    let by_traced = Recorder::defined_at(&least, || nonlinear::div(w(10, 0), w(5, 1)));
    assert_eq!([by_plain, by_traced], [(f64::from(i32::MIN), false); 2]);
}

#[test]
fn a_tape_counts_its_operations() {
    let mut tape = RecordedTape::new(2);
    assert_eq!(format!("{tape:?}"), "RecordedTape(0 operations)");
    tape.sum(1, 2, 1.0).unwrap();
    assert_eq!(format!("{tape:?}"), "RecordedTape(1 operations)");
}
