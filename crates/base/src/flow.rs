//! Whether something continues.

use std::ops::ControlFlow;

/// Returns `Break` if something is to end.
pub const fn break_if(ends: bool) -> ControlFlow<()> {
    if ends {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}
