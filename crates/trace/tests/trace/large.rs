//! Large scores, and several threads that trace at once.

use std::sync::Barrier;
use std::thread;

use tuner_trace::{Recorder, Tr, Trace};

const LEAVES: u32 = 100;

fn w(leaf: u32) -> Tr<i32> {
    Tr::weight(leaf as i32 - 50, leaf)
}

/// A score of so many terms, the sum of `c` times every weight in turn.
fn long(terms: u32, c: i32) -> Tr<i32> {
    let mut score = Tr::lit(0);
    for term in 0..terms {
        score += w(term % LEAVES) * Tr::lit(c);
    }
    score
}

fn slopes(trace: &Trace) -> Vec<f64> {
    assert!(trace.expression.is_none());
    let mut slopes = vec![0.0; LEAVES as usize];
    for form in &trace.forms {
        for (leaf, count) in &form.terms {
            slopes[leaf.0 as usize] += form.factor * *count as f64;
        }
    }
    slopes
}

#[test]
fn a_score_of_a_million_nodes_is_traced() {
    let mut trace = Trace::default();
    Recorder::new().record(|| long(1_000_000, 3), &mut trace);
    assert!(slopes(&trace).iter().all(|&slope| slope == 30_000.0));
}

#[test]
fn threads_that_trace_at_once_do_not_meet() {
    let barrier = Barrier::new(8);
    thread::scope(|scope| {
        for c in 1..=8 {
            let barrier = &barrier;
            scope.spawn(move || {
                let (mut recorder, mut trace) = (Recorder::new(), Trace::default());
                for terms in [100, 20_000, 3_000] {
                    barrier.wait();
                    recorder.record(|| long(terms, c), &mut trace);
                    let expected = f64::from(c) * f64::from(terms / LEAVES);
                    assert!(slopes(&trace).iter().all(|&slope| slope == expected));
                }
            });
        }
    });
}

/// A part that another thread adds up is no weight's in the trace of this one, which `check`
/// refuses as a part that comes from elsewhere.
#[test]
fn a_score_of_another_thread_is_a_constant_of_the_trace() {
    let mut trace = Trace::default();
    let score = || {
        let part = thread::scope(|scope| scope.spawn(|| long(2000, 1)).join().unwrap());
        w(3) + part
    };
    Recorder::new().record(score, &mut trace);
    let part: i32 = (0..2000).map(|term| term % 100 - 50).sum();
    assert_eq!(
        (trace.score, trace.constant),
        (f64::from(part - 47), f64::from(part))
    );
    assert_eq!(slopes(&trace).iter().sum::<f64>(), 1.0);
}
