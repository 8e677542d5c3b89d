//! Last lines that look whole and are not.
//!
//! A file that was cut off ends without line end, and what is left of `0.5`
//! or of `1/2-1/2` may be `0` or `1`: another result. A last line is truncated if it
//! has no line end, ends with such a digit as its result, and other lines of
//! the file have longer results that begin with it. What cannot be told so: a
//! probability that lost digits behind its point, and what stands behind a
//! result.

use super::Fault;
use super::field::{Fields, described};

/// What the results of lines look like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Spellings {
    /// Whether there are longer results that begin with 0, with 1.
    longer: [bool; 2],
    /// The digit that is the result of a last line without line end, and ends
    /// it.
    last: Option<u8>,
}

impl Spellings {
    /// Notes how the result of a line is written: that there is one longer than a digit that begins
    /// with 0 or 1, or that the line ends with a bare 0 or 1 and no line end follows, so that the
    /// digit may be what is left of a longer result. `ended`: a line end follows.
    pub(super) fn add(&mut self, line: &str, fields: &Fields<'_>, ended: bool) {
        let [digit @ (b'0' | b'1'), more @ ..] = fields.result.as_bytes() else {
            return;
        };
        let digit = digit - b'0';
        if !more.is_empty() {
            self.longer[usize::from(digit)] = true;
        } else if !ended
            && line.as_bytes().as_ptr_range().end == fields.result.as_bytes().as_ptr_range().end
        {
            self.last = Some(digit);
        }
    }

    /// Adds what was noted of the lines of another part of the file.
    pub(super) fn join(&mut self, part: Self) {
        self.longer[0] |= part.longer[0];
        self.longer[1] |= part.longer[1];
        self.last = self.last.or(part.last);
    }

    /// Tells whether the last line of a file is truncated: it ends with a bare 0 or 1 as its result
    /// and has no line end, while other results of the file begin with this digit and are longer.
    /// `self` is of the last part of the file, `before` of all parts before it.
    pub(super) fn are_truncated(self, before: Self) -> bool {
        let longer = |digit: usize| self.longer[digit] || before.longer[digit];
        self.last.is_some_and(|digit| longer(usize::from(digit)))
    }
}

/// Makes the fault of a last line that is truncated behind a digit of its result.
pub(super) fn fault(line: &str, fields: &Fields<'_>) -> Fault {
    let found = format!("the end of the file behind {}", Fault::quote(fields.result));
    let expected = "a line end, as other results are longer";
    Fault {
        cure: "the file is cut off, fetch it again; if it is whole, end its last line as the \
               others end"
            .into(),
        ..described(line, fields.result, found, expected)
    }
}
