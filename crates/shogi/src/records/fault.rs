//! What is wrong with a game, and where.

use tuner_data::{Fault, RecordPlace};

/// Why a game is rejected, and where.
#[derive(Clone, Debug)]
pub(super) struct Rejection {
    pub(super) place: RecordPlace,
    pub(super) fault: Fault,
}

/// Makes a fault of a game; the caller says where it is.
pub(super) fn fault(found: impl Into<String>, expected: &'static str) -> Fault {
    Fault {
        offset: 0,
        found: found.into(),
        expected: expected.into(),
        cure: "correct the game, or pass over bad games with --on-bad-line skip".into(),
    }
}

/// Makes a fault that quotes some bytes.
pub(super) fn unexpected(found: &[u8], expected: &'static str) -> Fault {
    fault(Fault::quote(&String::from_utf8_lossy(found)), expected)
}
