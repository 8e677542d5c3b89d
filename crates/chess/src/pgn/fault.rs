//! What is wrong with a game, and where.

use tuner_data::{Fault, RecordPlace};

/// Why a game is rejected, and at which of its bytes.
pub(super) struct Rejection {
    pub(super) at: usize,
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

/// Returns line and column of a byte, as an editor counts them, but the column
/// in bytes, since the encoding is not known.
pub(super) fn place(bytes: &[u8], at: usize, first_line: u64) -> RecordPlace {
    let before = &bytes[..at.min(bytes.len())];
    let line = memchr::memchr_iter(b'\n', before).count() as u64;
    let start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
    RecordPlace {
        line: first_line + line,
        column: (before.len() - start) as u64 + 1,
    }
}
