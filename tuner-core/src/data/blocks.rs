//! Cuts a stream of bytes into blocks of whole lines.

use std::io::{self, Read};

/// Bytes in a block, about. Chosen: about 2,000 lines, half a millisecond of
/// one thread's work, so that handing it over costs nothing and the last wave
/// is short.
const BLOCK: usize = 128 * 1024;

/// Longest line in bytes. Chosen: hundreds of times what a position needs, and
/// the bound on memory when a file without line breaks is handed in.
pub(super) const LONGEST_LINE: usize = 64 * 1024;

/// Whole lines of one input.
#[derive(Debug)]
pub(super) struct Lines {
    pub(super) bytes: Vec<u8>,
    /// How many lines there are, the last perhaps without line break.
    pub(super) count: u64,
}

/// Cuts what a reader gives.
#[derive(Debug)]
pub(super) struct Blocks<R> {
    reader: R,
    /// The beginning of a line whose end has not been read.
    rest: Vec<u8>,
    ended: bool,
    /// Bytes read so far.
    pub(super) read: u64,
}

impl<R: Read> Blocks<R> {
    pub(super) fn new(reader: R) -> Self {
        Self {
            reader,
            rest: Vec::new(),
            ended: false,
            read: 0,
        }
    }

    /// Returns the next lines, or `None` at the end.
    ///
    /// A line above [`LONGEST_LINE`] is cut shortly behind it, so it is still
    /// too long.
    ///
    /// # Errors
    /// What the reader reports. Whole lines read before have been returned or
    /// are returned by the next call; the line that the error tore is not.
    pub(super) fn next(&mut self) -> io::Result<Option<Lines>> {
        let mut bytes = std::mem::take(&mut self.rest);
        while !self.ended && bytes.len() < BLOCK {
            if let Err(error) = self.fill(&mut bytes) {
                bytes.truncate(end_of_lines(&bytes));
                self.rest = bytes;
                return Err(error);
            }
        }
        if !self.ended {
            match end_of_lines(&bytes) {
                0 => self.drop_rest_of_line(&mut bytes)?,
                end => self.rest = bytes.split_off(end),
            }
        }
        Ok(Lines::new(bytes))
    }

    /// Reads until there is a block of bytes. The end and errors are final.
    fn fill(&mut self, bytes: &mut Vec<u8>) -> io::Result<()> {
        let wanted = (BLOCK - bytes.len()) as u64;
        let before = bytes.len();
        let got = self.reader.by_ref().take(wanted).read_to_end(bytes);
        // Not `got`: before an error bytes have been appended as well.
        self.read += (bytes.len() - before) as u64;
        self.ended = !matches!(got, Ok(1..));
        got.map(|_| ())
    }

    /// Reads to the end of a line that fills the whole block, and keeps its
    /// beginning only.
    fn drop_rest_of_line(&mut self, line: &mut Vec<u8>) -> io::Result<()> {
        line.truncate(LONGEST_LINE + 1);
        line.push(b'\n');
        let mut bytes = Vec::new();
        while !self.ended {
            bytes.clear();
            self.fill(&mut bytes)?;
            if let Some(end) = bytes.iter().position(|&byte| byte == b'\n') {
                self.rest = bytes.split_off(end + 1);
                break;
            }
        }
        Ok(())
    }
}

impl Lines {
    fn new(bytes: Vec<u8>) -> Option<Self> {
        let last = *bytes.last()?;
        let breaks: u64 = bytes.iter().map(|&byte| u64::from(byte == b'\n')).sum();
        Some(Self {
            count: breaks + u64::from(last != b'\n'),
            bytes,
        })
    }
}

/// Returns where the last whole line ends.
fn end_of_lines(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |at| at + 1)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use proptest::prelude::*;

    use super::*;

    /// Gives as many bytes at a time as it is told.
    struct Drip<'a>(&'a [u8], usize);

    impl Read for Drip<'_> {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            let step = self.1.min(to.len());
            self.0.read(&mut to[..step])
        }
    }

    fn all(reader: impl Read) -> (Vec<u8>, u64) {
        let mut blocks = Blocks::new(reader);
        let (mut bytes, mut count) = (Vec::new(), 0);
        while let Some(lines) = blocks.next().unwrap() {
            bytes.extend(lines.bytes);
            count += lines.count;
        }
        (bytes, count)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn nothing_is_lost_or_repeated(
            lines in prop::collection::vec("[a-z]{0,90}", 0..9000),
            step in 1_usize..200_000,
            ends in any::<bool>(),
        ) {
            let text = lines.join("\n") + if ends { "\n" } else { "" };
            let (bytes, count) = all(Drip(text.as_bytes(), step));
            prop_assert_eq!(count, text.lines().count() as u64);
            prop_assert!(bytes == text.as_bytes());
        }
    }

    #[test]
    fn an_endless_line_takes_bounded_memory_and_counts_once() {
        let mut text = b"first\n".to_vec();
        text.resize(10 * BLOCK, b'x');
        text.extend(b"\nlast");
        let (bytes, count) = all(Drip(&text, 10_000));
        assert_eq!(count, 3);
        assert!(bytes.starts_with(b"first\nxxx") && bytes.ends_with(b"xxx\nlast"));
        assert_eq!(
            bytes.len(),
            b"first\n".len() + LONGEST_LINE + 1 + b"\nlast".len()
        );
    }

    #[test]
    fn lines_before_an_error_are_kept_and_the_torn_line_is_not() {
        struct Fails(bool);
        impl Read for Fails {
            fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
                if std::mem::replace(&mut self.0, true) {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                to[..12].copy_from_slice(b"one\ntwo\nthre");
                Ok(12)
            }
        }
        let mut blocks = Blocks::new(Fails(false));
        assert!(blocks.next().is_err());
        let lines = blocks.next().unwrap().unwrap();
        assert_eq!(
            (lines.bytes.as_slice(), lines.count),
            (&b"one\ntwo\n"[..], 2)
        );
        assert!(blocks.next().unwrap().is_none());
    }
}
