//! The stream of words that holds the segments of all rows, one after another.
//!
//! A segment is a header word (bits 0–15 the number of entries, bits 16–30 the
//! page, bit 31 set on the last segment of a row), the number of its pair of
//! factors, and one word per entry: bits 0–15 the slot within the page, bits
//! 16–31 the coefficient as `i16`. A page is 65,536 slots. A row without
//! entries is one empty segment.

use super::draft::Segment;

/// Slots per page: what 16 bits can tell apart.
const PAGE: u32 = 1 << 16;
/// Set in the header of a row's last segment.
const LAST: u32 = 1 << 31;
/// Most entries of one stored segment.
const MOST: usize = 0xffff;
/// An offset is kept for every so many rows, so that any row is found by
/// walking over less than this many. Small against a row: 8 bytes in 256 rows.
const INDEXED: usize = 256;

/// The words, and where to start reading.
#[derive(Clone, Debug, Default)]
pub(super) struct Stream {
    words: Vec<u32>,
    /// Offset of rows 0, 256, 512 …
    offsets: Vec<u64>,
    rows: usize,
}

/// A decoded header.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    pub(super) count: usize,
    pub(super) base: usize,
    pub(super) last: bool,
    pub(super) factors: u32,
}

impl Stream {
    /// Returns the number of rows.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Decodes the header at an offset.
    #[inline]
    pub(super) fn header(&self, offset: usize) -> Header {
        let word = self.words[offset];
        Header {
            count: (word & 0xffff) as usize,
            base: ((word >> 16) & 0x7fff) as usize * PAGE as usize,
            last: word & LAST != 0,
            factors: self.words[offset + 1],
        }
    }

    /// Returns words of the stream.
    #[inline]
    pub(super) fn words(&self, start: usize, count: usize) -> &[u32] {
        &self.words[start..start + count]
    }

    /// Returns where the row that starts at `offset` ends.
    #[inline]
    pub(super) fn row_end(&self, mut offset: usize) -> usize {
        loop {
            let word = self.words[offset];
            offset += 2 + (word & 0xffff) as usize;
            if word & LAST != 0 {
                return offset;
            }
        }
    }

    /// Returns where a row starts; walks over at most 255 rows.
    pub(super) fn row_start(&self, row: usize) -> usize {
        if row == self.rows {
            return self.words.len();
        }
        let mut offset = self.offsets[row / INDEXED] as usize;
        for _ in 0..row % INDEXED {
            offset = self.row_end(offset);
        }
        offset
    }

    /// Starts a row; its segments follow, then [`end_row`](Self::end_row).
    pub(super) fn begin_row(&mut self) -> usize {
        if self.rows.is_multiple_of(INDEXED) {
            self.offsets.push(self.words.len() as u64);
        }
        self.words.len()
    }

    /// Ends the row that started at `start`: marks its last segment.
    pub(super) fn end_row(&mut self, start: usize) {
        if start == self.words.len() {
            self.words.extend([0, 0]); // an empty segment; its factors do not matter
        }
        let mut last = start;
        loop {
            let next = last + 2 + (self.words[last] & 0xffff) as usize;
            if next == self.words.len() {
                break;
            }
            last = next;
        }
        self.words[last] |= LAST;
        self.rows += 1;
    }

    /// Appends entries that are sorted by slot, as one or more segments;
    /// returns how many.
    pub(super) fn push_sorted(&mut self, factors: u32, entries: &[(u32, i16)]) -> usize {
        let mut segments = 0;
        for page in entries.chunk_by(|a, b| a.0 / PAGE == b.0 / PAGE) {
            for part in page.chunks(MOST) {
                segments += 1;
                self.words
                    .push(part.len() as u32 | (part[0].0 / PAGE) << 16);
                self.words.push(factors);
                self.words.extend(
                    part.iter()
                        .map(|&(slot, c)| (slot % PAGE) | (u32::from(c as u16) << 16)),
                );
            }
        }
        segments
    }

    /// Appends the rows of another stream whose pairs of factors are numbered
    /// differently: `numbers[old]` is the number here.
    pub(super) fn append(&mut self, other: &Self, numbers: &[u32]) {
        self.words.reserve(other.words.len());
        let mut offset = 0;
        for _ in 0..other.rows {
            self.begin_row();
            let end = other.row_end(offset);
            while offset < end {
                let header = other.header(offset);
                let next = offset + 2 + header.count;
                self.words.push(other.words[offset]);
                // An empty set of numbers belongs to rows without entries.
                self.words
                    .push(numbers.get(header.factors as usize).copied().unwrap_or(0));
                self.words.extend_from_slice(&other.words[offset + 2..next]);
                offset = next;
            }
            self.rows += 1;
        }
    }

    /// Returns the bytes reserved.
    pub(super) fn bytes(&self) -> usize {
        self.words.capacity() * 4 + self.offsets.capacity() * 8
    }

    /// Gives back memory reserved for rows that did not come.
    pub(super) fn shrink(&mut self) {
        self.words.shrink_to_fit();
        self.offsets.shrink_to_fit();
    }
}

/// Writes the entries of a segment into `sorted`: ordered by slot, equal slots
/// added up, zeros left out. Two entries whose sum does not fit stay two.
pub(super) fn sort_entries(segment: &Segment, sorted: &mut Vec<(u32, i16)>) {
    sorted.clear();
    sorted.extend(segment.entries.iter().filter(|entry| entry.1 != 0));
    if !sorted.is_sorted_by(|a, b| a.0 < b.0) {
        sorted.sort_unstable_by_key(|entry| entry.0);
        sorted.dedup_by(|next, kept| {
            let sum = if next.0 == kept.0 {
                kept.1.checked_add(next.1)
            } else {
                None
            };
            if let Some(sum) = sum {
                kept.1 = sum;
            }
            sum.is_some()
        });
        sorted.retain(|entry| entry.1 != 0);
    }
}
