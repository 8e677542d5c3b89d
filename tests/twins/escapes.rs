//! Where production and twin part by the author's word: statements left out,
//! another source of a score, scores that index tables.

use tuner_core::trace::{ExpressionValues, Recorder, Tr, Trace};
use tuner_core::{freeze, interpolated, traced_as, tunable, untraced, weight};

use crate::support::{assert_derivatives, registry};

#[tunable]
const LATCH: [i32; 3] = [7, 20, -4];

#[tunable]
const SAFETY: [i32; 8] = [0, 2, 5, 12, 30, 41, 60, 64];

/// A table that is not tuned.
const STEEP: [i32; 4] = [0, 10, 40, 90];

/// What an engine stores next to the board.
struct State {
    known: Option<i32>,
    kept: i32,
    counts: [i32; 3],
}

#[tunable]
fn from_scratch(state: &State) -> i32 {
    LATCH[0] * state.counts[0] + LATCH[1] * state.counts[1]
}

#[tunable]
fn hurried(state: &State) -> i32 {
    #[untraced]
    if let Some(score) = state.known {
        return score;
    }
    untraced! {
        assert!(state.counts[2] >= 0);
        if state.counts[2] > 100 {
            return 0;
        }
    }
    let mut score = traced_as!(state.kept => from_scratch(state));
    if state.counts[2] > 0 {
        #[untraced]
        assert_eq!(LATCH[2], -4);
        score += LATCH[2] * state.counts[2];
        untraced!(return score);
    }
    score * 2
}

#[tunable]
mod inside {
    use tuner_core::{untraced, weight};

    pub const BASE: i32 = 11;

    pub fn score(count: i32, known: Option<i32>) -> i32 {
        #[untraced]
        if let Some(score) = known {
            return score;
        }
        untraced! { let spare = count; let _ = spare; }
        BASE * count
    }

    pub fn more(count: i32) -> i32 {
        let at_least = || count * weight!(MORE: 6);
        BASE + at_least()
    }
}

#[test]
fn untraced_statements_are_in_production_only() {
    let state = State {
        known: Some(1),
        kept: 7 * 3 + 20 * 2,
        counts: [3, 2, 0],
    };
    assert_eq!(hurried(&state), 1);
    let expected = [("LATCH0", 6.0), ("LATCH1", 4.0)];
    assert_derivatives(|| __traced::hurried(&state), &expected);
    let unknown = State {
        known: None,
        counts: [3, 2, 5],
        ..state
    };
    assert_eq!(hurried(&unknown), 61 - 20);
    // Where production returns the term at once, the twin continues.
    let expected = [("LATCH0", 6.0), ("LATCH1", 4.0), ("LATCH2", 10.0)];
    assert_derivatives(|| __traced::hurried(&unknown), &expected);
    assert_eq!(inside::score(3, Some(1)), 1);
    let twin = || inside::__traced::score(3, Some(1));
    assert_derivatives(twin, &[("BASE0", 3.0)]);
}

#[tunable]
fn inline(counts: [i16; 2]) -> i16 {
    let mut score = if counts[0] > 0 {
        weight!(TO_MOVE: 12_i16)
    } else {
        0
    };
    score += counts[1] * weight!(STEP: -3_i16);
    [score, weight!(UNUSED: 5_i16)][0]
}

struct Rook(i32);

impl Rook {
    #[tunable]
    fn lift(&self) -> i32 {
        LATCH[0] + tuner_core::weight!(LIFT: 9) * self.0
    }
}

#[test]
fn an_inline_number_is_a_weight_by_its_name() {
    assert_eq!(inline([1, 2]), 12 - 6);
    let twin = || tuner_core::trace::cast::<i32, _>(__traced::inline([1, 2]));
    assert_derivatives(twin, &[("TO_MOVE0", 1.0), ("STEP0", 2.0)]);
    assert_derivatives(
        || inside::__traced::more(4),
        &[("BASE0", 1.0), ("MORE0", 4.0)],
    );
    let rook = Rook(2);
    assert_derivatives(|| rook.__traced_lift(), &[("LATCH0", 1.0), ("LIFT0", 2.0)]);
    let declared = |name: &str| {
        let mut all = registry().parameters.iter();
        let found = all.find(|p| p.name == name && p.file.ends_with("escapes.rs"));
        found.map(|p| (p.values, p.dims.len(), p.module))
    };
    let module = concat!("crate::", "escapes");
    assert_eq!(declared("STEP"), Some((&[-3.0][..], 0, module)));
    assert_eq!(declared("MORE").unwrap().2, "crate::escapes::inside");
}

#[tunable(nonlinear)]
fn danger(state: &State) -> i32 {
    let units = LATCH[0] * state.counts[0] + LATCH[1] * state.counts[1];
    interpolated!(SAFETY, units / 16) * 2 + LATCH[2]
}

#[tunable(nonlinear)]
fn steep(state: &State) -> i32 {
    let units = LATCH[0] * state.counts[0] + LATCH[2] * state.counts[1];
    let plain = state.counts[2] as usize;
    STEEP[freeze!(units / 8).max(0) as usize] + interpolated!(STEEP, units / 8) - units
        + interpolated!(STEEP, plain)
}

/// Compares the trace with the twin at the source's weights and others.
fn assert_traced(production: impl Fn(&State) -> i32, twin: impl Fn(&State) -> Tr<i32>) {
    let source = registry().values();
    let (mut same, mut other) = (0, 0);
    for round in 0..60 {
        let state = State {
            known: None,
            kept: 0,
            counts: [1 + round % 3, 1 + round % 2, round % 4],
        };
        let mut trace = Trace::default();
        Recorder::new().record(|| twin(&state), &mut trace);
        assert_eq!(trace.score, f64::from(production(&state)));
        let mut evaluation = ExpressionValues::default();
        let here = trace.score_at(&source, &mut evaluation);
        assert!(!here.changed_branch && (here.score - trace.score).abs() <= here.bound + 1e-9);
        let step = |leaf: usize| f64::from((leaf as i32 * 7 + round * 5) % 5 - 2);
        let values = source.iter().enumerate().map(|(leaf, w)| w + step(leaf));
        let values: Vec<f64> = values.collect();
        let there = trace.score_at(&values, &mut evaluation);
        let exact = Recorder::defined_at(&values, || twin(&state)).0;
        if there.changed_branch {
            other += 1;
        } else {
            assert!((there.score - exact).abs() <= there.bound + 1e-9, "{round}");
            same += 1;
        }
    }
    assert!(same >= 10 && other >= 10, "{same} {other}");
}

#[test]
fn a_trace_holds_while_the_entry_stays() {
    assert_traced(danger, __traced::danger);
    assert_traced(steep, __traced::steep);
}

#[test]
fn an_interpolated_entry_has_the_slope_of_its_table() {
    let state = |counts| State {
        known: None,
        kept: 0,
        counts,
    };
    let slopes = |counts| {
        let mut trace = Trace::default();
        let state = state(counts);
        Recorder::new().record(|| __traced::danger(&state), &mut trace);
        let mut slopes = vec![0.0; registry().leaves()];
        let zeros = vec![0.0; registry().leaves()];
        trace.add_derivatives(&zeros, &mut ExpressionValues::default(), &mut slopes);
        let of = |name: &str| {
            let found = registry().parameters.iter().find(|p| p.name == name);
            found.unwrap().first as usize
        };
        let (latch, safety) = (of("LATCH"), of("SAFETY"));
        (
            trace.score,
            slopes[latch],
            slopes[safety..safety + 8].to_vec(),
        )
    };
    // 7 · 4 + 20 · 1 = 48 units: entry 3, between 5 and 30.
    let (score, by_latch, by_entry) = slopes([4, 1, 0]);
    assert_eq!(score, 12.0 * 2.0 - 4.0);
    assert_eq!(by_latch, 2.0 * (30.0 - 5.0) / 2.0 / 16.0 * 4.0);
    assert_eq!(by_entry, [0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0]);
    // At the end there is one neighbour.
    let (score, by_latch, _) = slopes([0, 6, 0]);
    assert_eq!((score, by_latch), (64.0 * 2.0 - 4.0, 0.0));
    let (_, by_latch, _) = slopes([16, 0, 0]);
    assert_eq!(by_latch, 2.0 * (64.0 - 60.0) / 16.0 * 16.0);
}

#[test]
fn an_index_beyond_the_table_counts_as_an_overflow() {
    let state = State {
        known: None,
        kept: 0,
        counts: [1, 1, 0],
    };
    let mut values = vec![400.0; registry().leaves()];
    let twin = || __traced::danger(&state);
    assert!(!Recorder::defined_at(&values, twin).1);
    values.fill(0.0);
    assert_eq!(Recorder::defined_at(&values, twin), (0.0, true));
}
