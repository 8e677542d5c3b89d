//! What checkpoints hold of a descent.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::linalg::Failure;
use super::*;
use tuner_solve::Curvature;

/// A state of every method as files have it, one a line. They must never
/// change without the version of checkpoints.
const TEXT: &str = include_str!("saved.jsonl");

#[test]
fn states_in_files_are_read_and_written_as_they_are() {
    assert_eq!(TEXT.lines().count(), 10);
    for line in TEXT.lines() {
        let saved: Checkpoint = serde_json::from_str(line).unwrap();
        assert_eq!(serde_json::to_string(&saved).unwrap(), line);
    }
}

fn written<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(values: &[(T, &str)]) {
    for (value, name) in values {
        let text = format!("\"{name}\"");
        assert_eq!(serde_json::to_string(value).unwrap(), text);
        assert_eq!(&serde_json::from_str::<T>(&text).unwrap(), value);
    }
}

#[test]
fn every_variant_has_its_name_for_good() {
    written(&[
        (Termination::GradientAtRounding, "gradient-at-rounding"),
        (Termination::NoFurtherDecrease, "no-further-decrease"),
        (Termination::SmallDecrease, "small-decrease"),
        (Termination::WithinStandardError, "within-standard-error"),
        (Termination::Kink, "kink"),
        (Termination::Tail, "tail"),
        (Termination::NeedsRetrace, "stale"),
        (Termination::NoBetterStep, "no-better-step"),
        (Termination::NumericalFailure, "numerical-failure"),
        (Termination::NoImprovement, "no-improvement"),
        (Termination::IterationLimit, "iteration-limit"),
        (Termination::Interrupted, "interrupted"),
        (Termination::NothingToFit, "nothing-to-fit"),
        (Termination::NoOptimum, "no-optimum"),
        (Termination::NotFinite, "not-finite"),
    ]);
    written(&[
        (Method::Start, "start"),
        (Method::GaussNewton, "gauss-newton"),
        (Method::Newton, "newton"),
        (Method::Polish, "polish"),
        (Method::NewtonCg, "newton-cg"),
        (Method::Cg, "cg"),
        (Method::Lbfgs, "lbfgs"),
        (Method::Adam, "adam"),
        (Method::Gd, "gd"),
    ]);
    written(&[
        (Failure::NotFinite, "not-finite"),
        (Failure::Indefinite, "indefinite"),
        (Failure::NearSingular, "near-singular"),
    ]);
    written(&[
        (Curvature::GaussNewton, "gauss-newton"),
        (Curvature::Newton, "newton"),
    ]);
}
