//! For `cargo test` in an engine's own repository: the twin says what production says,
//! and known weights come back.
//!
//! ```
//! use tuner_engine::{Engine, Positions, RecoveryOptions, testing};
//!
//! /// What the tests of an engine's tuning crate call with `include_bytes!("positions.epd")`.
//! fn evaluation_can_be_tuned<E: Engine>(engine: &E, positions: &'static [u8]) {
//!     testing::assert_agrees(engine, &Positions::embedded("positions.epd", positions));
//!     let options = RecoveryOptions::default();
//!     let positions = Positions::embedded("positions.epd", positions);
//!     testing::assert_recovers(engine, positions, &options);
//! }
//! ```
use super::check_words::check_words;
use super::differences::differences;
use super::engine::Engine;
use super::linked_spec::LinkedSpec;
use super::recover::{RecoveryOptions, recover};
use super::rows::{COMPARED, Positions, check};

/// Asserts that spec and source declare the same weights, that on each position the twin's
/// score is that of production, and that derivatives are right on a hundred of them.
///
/// # Panics
/// If one of these is not so, with the positions and weights.
pub fn assert_agrees<E: Engine>(engine: &E, positions: &Positions) {
    let words = agree(engine, positions).err().unwrap_or_default();
    assert!(words.is_empty(), "{words}");
}

fn agree<E: Engine>(engine: &E, positions: &Positions) -> Result<(), String> {
    let linked = LinkedSpec::of(engine).map_err(|error| error.to_string())?;
    let collected = positions.trace(engine, &linked, &[], COMPARED);
    let collected = collected.map_err(|error| error.to_string())?;
    let sample: Vec<_> = collected.sample.iter().collect();
    let differences = differences(engine, &linked.link, &sample);
    check(&collected.agreement, &differences, false).map_err(|error| {
        let layout = linked.spec.layout();
        let words = check_words(&collected.agreement, &differences, layout);
        format!("{}\n{error}", words.join("\n"))
    })
}

/// Asserts that a fit finds weights again with which results were drawn for the
/// positions, whatever results they have: none off by more than five standard errors.
///
/// Some ten thousand positions tell most of an evaluation's weights.
///
/// # Panics
/// If weights do not come back, with their names, or the evaluation cannot be fitted.
pub fn assert_recovers<E: Engine>(engine: &E, positions: Positions, options: &RecoveryOptions) {
    let words = come_back(engine, positions, options)
        .err()
        .unwrap_or_default();
    assert!(words.is_empty(), "{words}");
}

fn come_back<E: Engine>(
    engine: &E,
    positions: Positions,
    options: &RecoveryOptions,
) -> Result<(), String> {
    let recovery = recover(engine, positions, options).map_err(|error| error.to_string())?;
    if recovery.is_complete() {
        return Ok(());
    }
    let lost: Vec<String> = (recovery.lost().into_iter())
        .map(|weight| {
            format!(
                "{}: {} was drawn, {:.1} ± {:.1} found",
                weight.name, weight.truth, weight.estimate, weight.standard_error
            )
        })
        .collect();
    Err(format!(
        "{} of {} weights did not come back:\n{}",
        lost.len(),
        recovery.weights.len(),
        lost.join("\n")
    ))
}
