//! What the tests ask of a twin.

use std::collections::BTreeMap;

use tuner_core::trace::{Recorder, Registry, Tr, Trace};

/// All weights of this test program.
pub(crate) fn registry() -> &'static Registry {
    tuner_core::registry!()
}

/// Traces a twin and returns the score with the derivatives by weight name.
pub(crate) fn derivatives(twin: impl FnOnce() -> Tr<i32>) -> (f64, BTreeMap<String, f64>, Trace) {
    let mut trace = Trace::default();
    Recorder::new().record(twin, &mut trace);
    let mut found = BTreeMap::new();
    for form in &trace.forms {
        for &(leaf, coefficient) in &form.terms {
            *found.entry(name(leaf.0)).or_default() += form.factor * coefficient as f64;
        }
    }
    (trace.score, found, trace)
}

fn name(leaf: u32) -> String {
    let of = registry()
        .parameters
        .iter()
        .rev()
        .find(|p| p.first <= leaf)
        .unwrap();
    format!("{}{}", of.name, leaf - of.first)
}

/// The derivatives must be exactly these.
pub(crate) fn assert_derivatives(twin: impl FnOnce() -> Tr<i32>, expected: &[(&str, f64)]) {
    let (_, found, _) = derivatives(twin);
    let expected: BTreeMap<String, f64> = expected
        .iter()
        .map(|(name, value)| ((*name).to_owned(), *value))
        .collect();
    let names: Vec<_> = found.keys().collect();
    assert_eq!(names, expected.keys().collect::<Vec<_>>());
    for (name, value) in &found {
        assert!(
            (value - expected[name]).abs() < 1e-12,
            "{name}: {value} ≠ {}",
            expected[name]
        );
    }
}
