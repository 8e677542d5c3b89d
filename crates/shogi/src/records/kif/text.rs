//! Decodes bytes of either encoding to lines of text.

use std::borrow::Cow;

use encoding_rs::SHIFT_JIS;
use tuner_data::in_games::fault;
use tuner_data::{RecordPlace, lines};

use crate::records::game::Rejection;

/// A text in one of the encodings.
#[derive(Clone, Copy, Debug)]
pub(in crate::records) struct Text<'a> {
    bytes: &'a [u8],
    utf8: bool,
}

impl<'a> Text<'a> {
    /// Reads text as UTF-8 if it is valid, up to a truncated character at the end.
    /// `encoding=` is ignored, because converters do not update it.
    pub(in crate::records) fn new(bytes: &'a [u8]) -> Self {
        let unmarked = lines::without_bom(bytes);
        let utf8 = match std::str::from_utf8(unmarked) {
            Ok(_) => true,
            Err(error) => error.error_len().is_none() && error.valid_up_to() > 0,
        };
        Self {
            bytes: unmarked,
            utf8: utf8 || unmarked.len() < bytes.len(),
        }
    }

    /// Returns the lines, decoded, with their numbers, counted from 0; an error in the place of one
    /// that cannot be decoded.
    pub(in crate::records) fn lines(
        self,
    ) -> impl Iterator<Item = (u64, Result<Cow<'a, str>, Rejection>)> {
        lines::lines(self.bytes).map(move |(number, line)| (number, self.decode(line, number)))
    }

    /// Decodes a line in the encoding of the text; its number is for the rejection of one that
    /// cannot be decoded.
    fn decode(self, line: &'a [u8], number: u64) -> Result<Cow<'a, str>, Rejection> {
        if !self.utf8 {
            let text = SHIFT_JIS.decode_without_bom_handling_and_without_replacement(line);
            return text.ok_or_else(|| bad(line, number, 0, "UTF-8 or Shift_JIS"));
        }
        let text = std::str::from_utf8(line);
        text.map(Cow::Borrowed)
            .map_err(|error| bad(line, number, error.valid_up_to(), "UTF-8"))
    }
}

/// Makes the rejection of line `number` that cannot be decoded from its byte `at` on; `expected`
/// names the encodings.
fn bad(line: &[u8], number: u64, at: usize, expected: &'static str) -> Rejection {
    let before = String::from_utf8_lossy(&line[..at]).chars().count();
    let place = RecordPlace::new(number, before as u64 + 1);
    let byte = line.get(at).copied().unwrap_or_default();
    let found = format!("a character that is not text, from the byte {byte:#04x} on");
    Rejection(place, fault(found, expected))
}
