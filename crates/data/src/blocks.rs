//! Cuts a stream of bytes into blocks of whole lines, or of whole games.

use std::io::{self, Read};

use super::lines;

/// Bytes in a block, about. Chosen: about 2,000 lines, half a millisecond of
/// one thread's work, so that handing it over costs nothing and the last wave
/// is short.
const BLOCK: usize = 128 * 1024;

/// Longest line in bytes. Chosen: hundreds of times what a position needs, and
/// the bound on memory when a file without line breaks is handed in.
pub(super) const LONGEST_LINE: usize = 64 * 1024;

/// Longest unit that is not a line. Chosen: a chunk of Stockfish's binpack is a
/// megabyte, or a little more; the longest PGN games with all thoughts of an
/// engine are less.
const LONGEST_UNIT: usize = 64 * 1024 * 1024;

/// Whole lines or units of one input.
pub(super) type Bytes = Vec<u8>;

/// Finds where the last whole unit in some bytes ends; `None` if there is not one whole unit yet.
pub(super) type FindEnd<'a> = dyn Fn(&[u8]) -> Option<usize> + 'a;

/// Cuts what a reader gives.
#[derive(Debug)]
pub(super) struct Blocks<R> {
    reader: R,
    /// Bytes in a block, about, and in the longest line.
    sizes: [usize; 2],
    /// What has been read and not been returned.
    rest: Bytes,
    ended: bool,
    /// Whether reading ended before the end of the input, so that the rest is truncated.
    truncated: bool,
    /// The error that ended it, until [`broken`](Self::broken) has returned it.
    broken: Option<io::Error>,
    /// Bytes read so far.
    pub(super) read: u64,
}

impl<R: Read> Blocks<R> {
    /// Cuts what `reader` gives into blocks of about 128 KiB, whose lines have at most 64 KiB.
    pub(super) fn new(reader: R) -> Self {
        Self::of_sizes(reader, [BLOCK, LONGEST_LINE])
    }

    /// Cuts what `reader` gives into blocks. `sizes`: about how many bytes a block has, and how
    /// many a line has at most.
    pub(super) fn of_sizes(reader: R, sizes: [usize; 2]) -> Self {
        Self {
            reader,
            sizes,
            rest: Vec::new(),
            ended: false,
            truncated: false,
            broken: None,
            read: 0,
        }
    }

    /// Returns the bytes that come next, about a block, and whether the input has no more. They
    /// stay to be returned as lines or units, without what the caller removes from them.
    pub(super) fn peek(&mut self) -> (&mut Bytes, bool) {
        self.fill(BLOCK);
        (&mut self.rest, self.ended)
    }

    /// Returns why reading ended before the end of the input; `None` if it did not, or if this was
    /// asked before. It is known once there are no more blocks; the line or unit that was truncated
    /// has not been returned.
    pub(super) fn broken(&mut self) -> Option<io::Error> {
        self.broken.take()
    }

    /// Returns the next whole lines, about a block, or `None` at the end of the input. What is
    /// behind the last line end of the input is a line too, unless the input broke off.
    ///
    /// A line that is longer than allowed is cut shortly behind the longest length, so that whoever
    /// reads it still sees that it is too long.
    pub(super) fn lines(&mut self) -> Option<Bytes> {
        let [mut wanted, longest] = self.sizes;
        self.fill(wanted);
        // Twice as much is read each time, until a line ends in it or would be too long.
        while !self.ended && wanted <= longest && lines::last_end(&self.rest).is_none() {
            wanted *= 2;
            self.fill(wanted);
        }
        let mut bytes = std::mem::take(&mut self.rest);
        if !self.ended {
            match lines::last_end(&bytes) {
                None => self.drop_rest_of_line(&mut bytes),
                Some(end) => self.rest = bytes.split_off(end),
            }
        } else if self.truncated {
            bytes.truncate(lines::last_end(&bytes).unwrap_or(0));
        }
        (!bytes.is_empty()).then_some(bytes)
    }

    /// Returns the next whole units, about a block, or `None` at the end; `end` finds where the
    /// last whole unit in some bytes ends. What is left at the end is returned whether it is whole
    /// or not, unless the input broke off. A unit beyond 64 MiB breaks it off.
    pub(super) fn units(&mut self, end: &FindEnd<'_>) -> Option<Bytes> {
        let mut wanted = BLOCK;
        // Twice as much is read each time, until a unit ends in it.
        loop {
            self.fill(wanted);
            let end = match end(&self.rest) {
                _ if self.ended && !self.truncated => self.rest.len(),
                Some(end) if end > 0 => end.min(self.rest.len()),
                _ if self.ended => 0,
                _ if wanted >= LONGEST_UNIT => {
                    self.break_off("a game or record does not end within 64 MiB");
                    0
                }
                _ => {
                    wanted *= 2;
                    continue;
                }
            };
            let rest = self.rest.split_off(end);
            let bytes = std::mem::replace(&mut self.rest, rest);
            return (!bytes.is_empty()).then_some(bytes);
        }
    }

    /// Ends the reading before the end of the input, which counts as truncated; `words` say why.
    fn break_off(&mut self, words: &'static str) {
        (self.ended, self.truncated) = (true, true);
        self.broken = Some(io::Error::other(words));
    }

    /// Reads until `self.rest`, what has been read and not yet been returned, has `wanted` bytes,
    /// or the input ends. The end and errors are final.
    fn fill(&mut self, wanted: usize) {
        while !self.ended && self.rest.len() < wanted {
            let room = (wanted - self.rest.len()) as u64;
            let before = self.rest.len();
            // Memory for all of it at once, and a little more, in which the end is seen.
            self.rest.reserve_exact(wanted - before + 32);
            let got = (self.reader.by_ref().take(room)).read_to_end(&mut self.rest);
            // Not `got`: before an error bytes have been appended as well.
            self.read += (self.rest.len() - before) as u64;
            self.ended = !matches!(got, Ok(1..));
            self.broken = got.err();
            self.truncated = self.broken.is_some();
        }
    }

    /// Cuts `line`, the beginning of a line that is too long, so that it is just too long still,
    /// and puts a line end behind it. Reads to the end of this line in the input; `self.rest` is
    /// then what follows. A line that does not end within 64 MiB breaks the reading off.
    fn drop_rest_of_line(&mut self, line: &mut Bytes) {
        let [block, longest] = self.sizes;
        // The cut must not be within a UTF-8 character, before a byte that continues it (0b10…). A
        // character has four bytes at most: where four such bytes follow each other the line is not
        // UTF-8 wherever it is cut.
        let inside = |at: usize| line.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
        let end = (longest + 1..longest + 5).find(|&at| !inside(at));
        line.truncate(end.unwrap_or(longest + 1));
        line.push(b'\n');
        let begin = self.read;
        while !self.ended {
            if self.read - begin >= LONGEST_UNIT as u64 {
                self.break_off("a line does not end within 64 MiB");
                break;
            }
            self.rest.clear();
            self.fill(block);
            if let Some(end) = self.rest.iter().position(|&byte| byte == b'\n') {
                self.rest.drain(..=end);
                return;
            }
        }
        self.rest.clear();
    }
}

/// Counts lines; the last one counts also if it has no line break.
pub(super) fn count_lines(bytes: &[u8]) -> u64 {
    lines::count(bytes) + u64::from(bytes.last().is_some_and(|&last| last != b'\n'))
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
        while let Some(lines) = blocks.lines() {
            count += count_lines(&lines);
            bytes.extend(lines);
        }
        assert!(blocks.broken().is_none());
        (bytes, count)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn nothing_is_lost_or_repeated(
            lengths in prop::collection::vec(0_usize..91, 0..9000),
            step in 1_usize..200_000,
            ends in any::<bool>(),
        ) {
            let letters = ('a'..='z').collect::<String>().repeat(5);
            let line = |(number, &length): (usize, &usize)| &letters[number % 26..][..length];
            let lines: Vec<&str> = lengths.iter().enumerate().map(line).collect();
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
    fn a_line_that_never_ends_is_an_error() {
        let mut blocks = Blocks::new(io::repeat(0));
        while blocks.lines().is_some() {}
        let error = blocks.broken().unwrap().to_string();
        assert!(
            error.contains("a line does not end within 64 MiB"),
            "{error}"
        );
    }

    #[test]
    fn an_endless_line_is_not_cut_within_a_character() {
        for first in 0..4 {
            let text = ["x".repeat(first), "\u{10348}".repeat(BLOCK)].concat();
            let (bytes, count) = all(Drip(text.as_bytes(), 10_000));
            assert_eq!(count, 1);
            assert!(bytes.len() > LONGEST_LINE && str::from_utf8(&bytes).is_ok());
        }
    }

    #[test]
    fn lines_before_an_error_are_kept_and_the_truncated_line_is_not() {
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
        let lines = blocks.lines().unwrap();
        assert_eq!(lines, b"one\ntwo\n");
        assert!(blocks.broken().is_some());
        assert!(blocks.lines().is_none());

        let cut = |bytes: &[u8]| bytes.rchunks(2).next().map(|_| bytes.len() / 5 * 5);
        let mut blocks = Blocks::new(Fails(false));
        assert_eq!(blocks.units(&cut).unwrap(), b"one\ntwo\nth");
        assert!(blocks.broken().is_some());
        assert!(blocks.units(&cut).is_none());
    }

    #[test]
    fn units_longer_than_a_block_are_whole() {
        let unit = [vec![b'x'; 3 * BLOCK], vec![b'.']].concat();
        let text = [unit.clone(), unit.clone(), b"rest".to_vec()].concat();
        let end = |bytes: &[u8]| (bytes.iter().rposition(|&b| b == b'.')).map(|at| at + 1);
        let mut blocks = Blocks::new(Drip(&text, 70_000));
        let mut found = Vec::new();
        while let Some(bytes) = blocks.units(&end) {
            found.push(bytes);
        }
        assert_eq!(found.concat(), text);
        assert!(found.len() >= 2 && found[0].ends_with(b"."));

        let mut blocks = Blocks::new(io::repeat(b'x'));
        assert!(blocks.units(&end).is_none());
        assert!(blocks.broken().unwrap().to_string().contains("64 MiB"));
    }
}
