//! The commands that need Arrow files, in a program that was built without.

use super::Failure;
use super::args::{TraceArgs, TraceFitArgs};
use super::events::EventWriter;
use tuner_engine::Engine;
use tuner_fit::run::OptionsSnapshot;

const MISSING: &str = "this program was built without Arrow files; turn on the feature `arrow` of \
                       tuner-core, beside `cli`, and build it again";

/// Says what is missing.
pub(super) fn run<E: Engine>(_: &E, _: &TraceArgs) -> Result<(), Failure> {
    Err(MISSING.into())
}

/// Says what is missing.
#[allow(clippy::needless_pass_by_value, reason = "as where there is Arrow")]
pub(super) fn fit(_: &TraceFitArgs, _: OptionsSnapshot, _: &EventWriter) -> Result<(), Failure> {
    Err(MISSING.into())
}
