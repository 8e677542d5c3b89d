//! Whether something continues.

use std::ops::ControlFlow;

/// Returns `Break` if `ends` is true, else `Continue`.
pub const fn break_if(ends: bool) -> ControlFlow<()> {
    if ends {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}
