//! The stream that holds the segments of all rows, one after another.
//!
//! It is made of groups of four tokens. A segment is a header group (the
//! number of groups that follow, with the top bit set in a row's last segment,
//! and the number of its pair of factors) and then its entries, filled up with
//! padding. Tokens are 16 bits wide until there are more of them; then the
//! whole stream is 32 bits wide. A row without entries is one empty segment.

use super::table::{Cells, NarrowCells};
use super::tokens::PADDING;

/// Codes (numbers of tokens) in a group.
pub const GROUP: usize = 4;

/// The offset of every so many rows is stored, so that a row is found by walking over fewer rows
/// than this. Small against a row: 8 bytes in 256 rows.
pub(super) const INDEXED: usize = 256;

/// The number of a token (a distinct entry), in 16 bits (narrow) or 32 (wide).
pub trait Code: Copy + Send + Sync + std::fmt::Debug + 'static {
    /// The table in which kernels look numbers up.
    type Cells: Cells + ?Sized;
    /// Most groups of one segment.
    const MOST: usize;
    /// Decodes the first group of a segment: how many groups follow, its pair of factors, and
    /// whether it is the last segment of its row.
    fn header(group: [Self; GROUP]) -> Header;
    /// Makes the first group of a segment; at most [`MOST`](Self::MOST) groups may follow.
    fn to_header(header: Header) -> [Self; GROUP];
    /// Returns the number of the token (a distinct entry) that the code stands for.
    fn number(self) -> usize;
    /// Makes the code of the token (a distinct entry) with this number, which must fit: 16 bits cut
    /// off larger ones.
    fn of(number: u32) -> Self;
}

/// The first group of a segment, decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// How many groups of tokens follow.
    pub groups: usize,
    /// Whether it is the last segment of its row.
    pub last: bool,
    /// The number of its pair of factors.
    pub factors: u32,
}

impl Code for u16 {
    type Cells = NarrowCells;
    const MOST: usize = 0x7fff;

    /// Decodes the first group of a segment, its header. Its first number has how many groups
    /// follow and a bit for the row's last segment; the next two have the number of the pair of
    /// factors, the lower half first.
    #[inline]
    fn header([count, low, high, _]: [Self; GROUP]) -> Header {
        // The lower 15 bits count the groups that follow, the top bit marks the row's last segment.
        Header {
            groups: usize::from(count & 0x7fff),
            last: count & 0x8000 != 0,
            factors: u32::from(low) | u32::from(high) << 16,
        }
    }

    /// Makes the first group of a segment, its header. Its first number has how many groups follow
    /// and a bit for the row's last segment; the next two have the number of the pair of factors,
    /// the lower half first.
    #[inline]
    fn to_header(header: Header) -> [Self; GROUP] {
        let last = if header.last { 0x8000 } else { 0 };
        let factors = header.factors;
        [
            header.groups as u16 | last,
            factors as u16,
            (factors >> 16) as u16,
            0,
        ]
    }

    #[inline]
    fn number(self) -> usize {
        usize::from(self)
    }

    /// Makes the number of a token one of 16 bits; it must fit into them, as more are cut off.
    #[inline]
    fn of(number: u32) -> Self {
        number as u16
    }
}

impl Code for u32 {
    type Cells = [[f64; 2]];
    const MOST: usize = 0x7fff_ffff;

    /// Decodes the first group of a segment, its header. Its first number has how many groups
    /// follow and a bit for the row's last segment, the next one is the number of the pair of
    /// factors.
    #[inline]
    fn header([count, factors, ..]: [Self; GROUP]) -> Header {
        // The lower 31 bits count the groups that follow, the top bit marks the row's last segment.
        Header {
            groups: (count & 0x7fff_ffff) as usize,
            last: count & 0x8000_0000 != 0,
            factors,
        }
    }

    /// Makes the first group of a segment, its header. Its first number has how many groups follow
    /// and a bit for the row's last segment, the next one is the number of the pair of factors.
    #[inline]
    fn to_header(header: Header) -> [Self; GROUP] {
        let last = if header.last { 0x8000_0000 } else { 0 };
        [header.groups as u32 | last, header.factors, 0, 0]
    }

    #[inline]
    fn number(self) -> usize {
        self as usize
    }

    #[inline]
    fn of(number: u32) -> Self {
        number
    }
}

/// The groups, in one of two widths.
#[derive(Clone, Debug)]
pub enum Groups {
    /// Codes of 16 bits, for at most 65,536 tokens.
    Narrow(Vec<[u16; GROUP]>),
    /// Codes of 32 bits.
    Wide(Vec<[u32; GROUP]>),
}

/// Runs the same code on either width: `$groups` is a slice of groups in it.
macro_rules! either_width {
    ($stream:expr, $groups:ident => $body:expr) => {
        match $stream {
            $crate::stream::Groups::Narrow($groups) => $body,
            $crate::stream::Groups::Wide($groups) => $body,
        }
    };
}

/// The segments of all rows in groups, and where to start reading.
#[derive(Clone, Debug)]
pub(super) struct Stream {
    groups: Groups,
    /// The numbers of the groups where rows 0, 256, 512 … start.
    offsets: Vec<u64>,
    rows: usize,
}

impl Default for Stream {
    /// Makes a stream without rows; numbers of tokens have 16 bits at first.
    fn default() -> Self {
        Self {
            groups: Groups::Narrow(Vec::new()),
            offsets: Vec::new(),
            rows: 0,
        }
    }
}

/// Finds where rows 0, 256, 512 … start, as indices into `groups`: these should be the segments of
/// `rows` rows, each a header and as many groups of four tokens as it says. `Err`: the number of
/// the row that is truncated, or `rows` where groups are left behind the last row.
#[cfg(feature = "arrow")]
pub(crate) fn offsets<C: Code>(groups: &[[C; GROUP]], rows: usize) -> Result<Vec<u64>, usize> {
    let mut offsets = Vec::with_capacity(rows.div_ceil(INDEXED));
    let mut offset = 0;
    for row in 0..rows {
        if row.is_multiple_of(INDEXED) {
            offsets.push(offset as u64);
        }
        loop {
            let header = C::header(*groups.get(offset).ok_or(row)?);
            offset += 1 + header.groups;
            if header.last {
                break;
            }
        }
    }
    (offset == groups.len()).then_some(offsets).ok_or(rows)
}

/// Returns the index of the group behind the row that starts at group `offset`. A group is four
/// numbers: the header of a segment, which says how many groups follow, or the numbers of tokens.
#[inline]
pub(crate) fn row_end<C: Code>(groups: &[[C; GROUP]], mut offset: usize) -> usize {
    loop {
        let header = C::header(groups[offset]);
        offset += 1 + header.groups;
        if header.last {
            return offset;
        }
    }
}

/// Room that is reserved for rows of which only the mean length is known, as a part of the expected
/// size.
const SPARE: f64 = 1.05;

impl Stream {
    /// Makes the stream of `rows` complete rows. `groups`: their segments, each a header and groups
    /// of four tokens; `offsets`: the indices of the groups where rows 0, 256, 512 … start.
    #[cfg(feature = "arrow")]
    pub(crate) fn restored(groups: Vec<[u16; GROUP]>, offsets: Vec<u64>, rows: usize) -> Self {
        Self {
            groups: Groups::Narrow(groups),
            offsets,
            rows,
        }
    }

    /// Returns the list of groups (of four numbers each), so that its memory is used again; an
    /// empty list if the numbers have 32 bits.
    #[cfg(feature = "arrow")]
    pub(crate) fn into_narrow(self) -> Vec<[u16; GROUP]> {
        match self.groups {
            Groups::Narrow(groups) => groups,
            Groups::Wide(_) => Vec::new(),
        }
    }

    /// Returns the number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the groups of all rows. A group is four numbers: those of tokens, or the header of a
    /// segment.
    #[inline]
    pub(crate) fn groups(&self) -> &Groups {
        &self.groups
    }

    /// Returns the number of groups (of four numbers each), headers of segments counted too.
    fn len(&self) -> usize {
        either_width!(&self.groups, groups => groups.len())
    }

    /// Decodes the header of a segment, which is the group (four numbers) at index `offset`: how
    /// many groups of tokens follow, its pair of factors, and whether it is the last segment of its
    /// row.
    #[inline]
    pub(crate) fn header(&self, offset: usize) -> Header {
        either_width!(&self.groups, groups => Code::header(groups[offset]))
    }

    /// Returns the index of the group (four numbers: a segment's header, or tokens) behind the row
    /// that starts at group `offset`.
    #[inline]
    pub(crate) fn row_end(&self, offset: usize) -> usize {
        either_width!(&self.groups, groups => row_end(groups, offset))
    }

    /// Returns the index of the group where a row starts: its first segment's header, four numbers
    /// like each group. For `row` equal to the number of rows, returns the number of groups.
    ///
    /// *Cost*: a walk over at most 255 rows, from the last one whose start is stored.
    pub(crate) fn row_start(&self, row: usize) -> usize {
        if row == self.rows {
            return self.len();
        }
        let mut offset = self.offsets[row / INDEXED] as usize;
        for _ in 0..row % INDEXED {
            offset = self.row_end(offset);
        }
        offset
    }

    /// Starts a row and returns where: the number of groups so far. A group is four numbers of the
    /// stream, those of tokens or the header of a segment. The row's segments are then appended by
    /// [`push`](Self::push), and [`end_row`](Self::end_row) needs the number returned.
    pub(crate) fn begin_row(&mut self) -> usize {
        // The start of every 256th row is stored, so that rows are found by a short walk.
        if self.rows.is_multiple_of(INDEXED) {
            self.offsets.push(self.len() as u64);
        }
        self.len()
    }

    /// Ends a row: marks the header of its last segment, or gives the row an empty segment if it
    /// has no segment. `start`: where the row starts, the number of groups (of four numbers) before
    /// it, as [`begin_row`](Self::begin_row) returned it.
    pub(crate) fn end_row(&mut self, start: usize) {
        either_width!(&mut self.groups, groups => end_row(groups, start));
        self.rows += 1;
    }

    /// Appends a segment with these tokens (distinct entries), given by their numbers. `factors`:
    /// the number of its pair of factors. Returns how many segments it became: more than one where
    /// it is too long for one header, and 0 if there is no token.
    pub(crate) fn push(&mut self, factors: u32, tokens: &[u32]) -> usize {
        // The first number above 16 bits makes the whole stream 32 bits wide.
        if tokens.iter().any(|&token| token > u32::from(u16::MAX)) {
            self.widen();
        }
        either_width!(&mut self.groups, groups => push(groups, factors, tokens))
    }

    /// Appends the rows of another stream. `factors`, `tokens`: by the number of a pair of factors
    /// or a token (a distinct entry) in the other stream, its number in this one.
    pub(crate) fn append(&mut self, other: &Self, factors: &[u32], tokens: &[u32]) {
        // Headers of a wide stream may count more groups than a narrow one can, so that this one is
        // widened too, whatever the tokens are.
        if matches!(other.groups, Groups::Wide(_))
            || tokens.iter().any(|&token| token > u32::from(u16::MAX))
        {
            self.widen();
        }
        let mut offset = 0;
        for _ in 0..other.rows {
            offset = self.append_row(other, offset, factors, tokens);
        }
    }

    /// Copies a row of another stream to the end of this one. `offset`: where it starts there, as
    /// the number of groups before it; a group is four numbers, those of tokens or the header of a
    /// segment. Returns where the row after it starts there. `factors`, `tokens`: by the number of
    /// a pair of factors or a token (a distinct entry) in the other stream, its number in this one.
    /// Numbers must be at least as wide in this stream as in the other.
    pub(crate) fn append_row(
        &mut self,
        other: &Self,
        offset: usize,
        factors: &[u32],
        tokens: &[u32],
    ) -> usize {
        self.begin_row();
        let end = other.row_end(offset);
        either_width!(&mut self.groups, to => either_width!(&other.groups, from => {
            append_row(&from[offset..end], to, factors, tokens);
        }));
        self.rows += 1;
        end
    }

    /// Returns a stream without rows whose numbers are as wide, 16 or 32 bits, as those of this
    /// one.
    pub(crate) fn emptied(&self) -> Self {
        Self {
            groups: match self.groups {
                Groups::Narrow(_) => Groups::Narrow(Vec::new()),
                Groups::Wide(_) => Groups::Wide(Vec::new()),
            },
            ..Self::default()
        }
    }

    /// Makes room for `rows` rows, and a twentieth more, if they are as long in the mean as those
    /// of another stream.
    pub(crate) fn reserve(&mut self, other: &Self, rows: usize) {
        let groups = other.len() as f64 / other.rows.max(1) as f64 * rows as f64;
        let groups = (groups * SPARE) as usize;
        either_width!(&mut self.groups, to => to.reserve_exact(groups));
    }

    /// Rearranges the rows from `first` on, which must be a multiple of 256, where an offset is
    /// stored. `order`: for each new place, the old number of its row, counted from `first`.
    pub(crate) fn arrange(&mut self, first: usize, order: &[u32]) {
        // Where each row starts in the old order, and where the last one ends.
        let mut starts = Vec::with_capacity(order.len() + 1);
        let mut offset = self.row_start(first);
        for _ in order {
            starts.push(offset);
            offset = self.row_end(offset);
        }
        starts.push(offset);
        let base = starts[0];
        let mut lengths = Vec::with_capacity(order.len());
        either_width!(&mut self.groups, groups => {
            // The rows' groups in the new order take the place of all of them.
            let copy = groups[base..offset].to_vec();
            let mut to = base;
            for &row in order {
                let from = starts[row as usize] - base..starts[row as usize + 1] - base;
                let length = from.len();
                groups[to..to + length].copy_from_slice(&copy[from]);
                to += length;
                lengths.push(length);
            }
        });
        let mut to = base;
        for (number, length) in (first..).zip(lengths) {
            if number.is_multiple_of(INDEXED) {
                self.offsets[number / INDEXED] = to as u64;
            }
            to += length;
        }
    }

    /// Returns the bytes that are reserved for the segments of all rows and for the places where
    /// every 256th row starts.
    pub(crate) fn bytes(&self) -> usize {
        let groups = either_width!(&self.groups, groups => {
            // The size of a group depends on the width of its numbers; without rows nothing counts.
            groups.capacity() * groups.first().map_or(0, size_of_val)
        });
        groups + self.offsets.capacity() * 8
    }

    /// Releases memory that was reserved for further rows.
    pub(crate) fn shrink(&mut self) {
        either_width!(&mut self.groups, groups => groups.shrink_to_fit());
        self.offsets.shrink_to_fit();
    }

    /// Makes all numbers 32 bits wide, those of tokens and those in headers of segments, as the
    /// number of some token does not fit into 16; does nothing if they are that wide already.
    fn widen(&mut self) {
        let Groups::Narrow(narrow) = &self.groups else {
            return;
        };
        let mut wide = Vec::with_capacity(narrow.len());
        let mut offset = 0;
        while offset < narrow.len() {
            let header = u16::header(narrow[offset]);
            wide.push(u32::to_header(header));
            let entries = &narrow[offset + 1..offset + 1 + header.groups];
            wide.extend(entries.iter().map(|group| group.map(u32::from)));
            offset += 1 + header.groups;
        }
        self.groups = Groups::Wide(wide);
    }
}

/// Appends a segment: a header, and tokens (distinct entries, by their numbers) in groups of four,
/// the last group filled up with padding. What is longer than one header can count ([`Code::MOST`]:
/// 32,767 groups of 16-bit numbers) becomes several segments. `factors`: the number of the pair of
/// factors, the same for all of them. Returns how many segments there are, 0 where there is no
/// token. Which one is the last of its row is marked when the row ends.
fn push<C: Code>(groups: &mut Vec<[C; GROUP]>, factors: u32, tokens: &[u32]) -> usize {
    let mut segments = 0;
    for part in tokens.chunks(C::MOST * GROUP) {
        segments += 1;
        groups.push(C::to_header(Header {
            groups: part.len().div_ceil(GROUP),
            last: false,
            factors,
        }));
        for group in part.chunks(GROUP) {
            let mut padded = [C::of(PADDING); GROUP];
            for (to, &token) in padded.iter_mut().zip(group) {
                *to = C::of(token);
            }
            groups.push(padded);
        }
    }
    segments
}

/// Marks the last segment of the last row as the end of the row; a row without segments gets an
/// empty one. `start`: the index of the group (four numbers) where the row starts, the header of
/// its first segment.
fn end_row<C: Code>(groups: &mut Vec<[C; GROUP]>, start: usize) {
    if start == groups.len() {
        // An empty segment; its factors do not matter.
        groups.push(C::to_header(Header {
            groups: 0,
            last: true,
            factors: 0,
        }));
        return;
    }
    // From header to header, to the one whose groups end with the list.
    let mut offset = start;
    loop {
        let header = C::header(groups[offset]);
        let next = offset + 1 + header.groups;
        if next == groups.len() {
            groups[offset] = C::to_header(Header {
                last: true,
                ..header
            });
            return;
        }
        offset = next;
    }
}

/// Copies the groups of one row from `from`, where it is alone, to the end of `to`. `factors`,
/// `tokens`: by the number in `from` of a pair of factors or a token (a distinct entry), its number
/// in `to`.
fn append_row<A: Code, B: Code>(
    from: &[[A; GROUP]],
    to: &mut Vec<[B; GROUP]>,
    factors: &[u32],
    tokens: &[u32],
) {
    let mut offset = 0;
    while offset < from.len() {
        let header = A::header(from[offset]);
        let end = offset + 1 + header.groups;
        to.push(B::to_header(Header {
            // The empty segment of a row without entries names pair 0, which need not exist.
            factors: factors.get(header.factors as usize).copied().unwrap_or(0),
            ..header
        }));
        let renumbered = |code: A| B::of(tokens[code.number()]);
        let groups = from[offset + 1..end].iter();
        to.extend(groups.map(|group| group.map(renumbered)));
        offset = end;
    }
}
