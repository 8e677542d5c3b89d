//! For `cargo test` in an engine's own repository: the twin says what production says,
//! and known weights come back.
//!
//! ```
//! use tuner_engine::{Evaluation, LinkedSpec, Positions, RecoveryOptions, testing};
//!
//! /// What the tests of an engine call with `Evaluation::of(Wren)`, its spec, and
//! /// `include_bytes!("positions.epd")`.
//! fn evaluation_can_be_tuned(evaluation: &Evaluation, spec: &LinkedSpec, lines: &'static [u8]) {
//!     let positions = Positions::embedded("positions.epd", lines);
//!     testing::assert_agrees(evaluation, spec, &positions);
//!     testing::assert_recovers(evaluation, spec, positions, &RecoveryOptions::default());
//! }
//! ```
use super::check_words::check_words;
use super::linked_spec::LinkedSpec;
use super::recover::{RecoveryOptions, recover};
use super::rows::{COMPARED, CheckedTraces};
use tuner_base::joined;
use tuner_evaluation::{Evaluation, Positions};

/// Asserts that spec and source declare the same weights, that on each position the twin's score is
/// that of production, that derivatives are right on a hundred of them, and that no part of a score
/// comes from where no weight is.
///
/// # Panics
/// If one of these is not so, with the positions and weights.
pub fn assert_agrees(evaluation: &Evaluation, linked: &LinkedSpec, positions: &Positions) {
    let agreed = agree(evaluation, linked, positions);
    assert!(agreed.is_ok(), "{}", agreed.err().unwrap_or_default());
}

/// Checks scores on all positions and derivatives on a hundred of them, and that no part of a score
/// comes from where no weight is; an error is what does not agree, in words.
fn agree(
    evaluation: &Evaluation,
    linked: &LinkedSpec,
    positions: &Positions,
) -> Result<(), String> {
    // No values: those of the source.
    let tracing = positions.tracing(evaluation, &linked.link, &[]);
    let collected = tracing.collect(COMPARED);
    let collected = collected.map_err(|error| error.to_string())?;
    let checked = CheckedTraces::new(&tracing, collected, COMPARED);
    let checked = checked.map_err(|error| error.to_string())?;
    let allow_constants = false;
    checked.verdict(allow_constants).map_err(|error| {
        let (agreement, layout) = (&checked.collected.agreement, linked.spec.layout());
        let words = check_words(agreement, &checked.differences, layout);
        format!("{}\n{error}", words.join("\n"))
    })
}

/// Asserts that a fit finds weights again with which results were drawn for the
/// positions, whatever results they have: no weight is off by more than five standard errors.
///
/// Some ten thousand positions tell most of an evaluation's weights.
///
/// # Panics
/// If weights do not come back, with their names, or the evaluation cannot be fitted.
pub fn assert_recovers(
    evaluation: &Evaluation,
    linked: &LinkedSpec,
    positions: Positions,
    options: &RecoveryOptions,
) {
    let recovery = recover(evaluation, linked, positions, options);
    let found = recovery.map(|recovery| {
        let (lost, all) = (recovery.lost(), recovery.weights.len());
        let (count, lost) = (lost.len(), joined(lost, "\n"));
        let words = format!("{count} of {all} weights did not come back:\n{lost}");
        (recovery.is_complete(), words)
    });
    let (is_complete, words) = found.unwrap_or_else(|error| (false, error.to_string()));
    assert!(is_complete, "{words}");
}
