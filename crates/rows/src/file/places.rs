//! Where the columns of a block are in the file.

use std::vec::IntoIter;

use arrow_ipc::{Buffer, FieldNode, MessageHeader, root_as_message};

/// Consecutive bytes of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) offset: u64,
    pub(crate) bytes: usize,
}

/// The values of a column: their number, and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Values {
    pub(super) count: usize,
    pub(super) run: Run,
}

/// Where the columns of a block are in the file, in the order of the schema.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Places {
    pub(super) rows: usize,
    pub(super) games: Values,
    pub(super) outcomes: Values,
    pub(super) weights: Values,
    pub(super) constants: Values,
    /// The search scores, and bits that say which rows have one; `None` where all have.
    pub(super) scores: (Values, Option<Run>),
    pub(super) codes: Values,
    pub(super) shapes: Values,
    /// The constants of steps: where those of each row start, and the end; then the constants.
    pub(super) step_constants: [Values; 2],
    /// The lists of steps.
    pub(super) steps: Values,
    pub(super) slots: Values,
    pub(super) coefficients: Values,
    pub(super) factors: Values,
}

/// Reads buffers and nodes of a message one after another.
struct Cursor {
    nodes: IntoIter<FieldNode>,
    buffers: IntoIter<Buffer>,
    /// Where the body starts in the file, and its length.
    body: Run,
}

impl Cursor {
    /// The number of values and of nulls of the next column or list; `None` behind the last one, or
    /// where either number is negative.
    fn node(&mut self) -> Option<(usize, usize)> {
        let node = self.nodes.next()?;
        let count = usize::try_from(node.length()).ok()?;
        Some((count, usize::try_from(node.null_count()).ok()?))
    }

    /// Where the next buffer is in the file; `None` behind the last one, or if it is not inside the
    /// body.
    fn buffer(&mut self) -> Option<Run> {
        let buffer = self.buffers.next()?;
        let offset = usize::try_from(buffer.offset()).ok()?;
        let bytes = usize::try_from(buffer.length()).ok()?;
        let inside = offset.checked_add(bytes)? <= self.body.bytes;
        inside.then_some(Run {
            offset: self.body.offset + offset as u64,
            bytes,
        })
    }

    /// Takes the next buffer, of which the first `count` values of `size` bytes each are meant;
    /// `None` if it is too short, or not inside the body.
    fn values(&mut self, count: usize, size: usize) -> Option<Values> {
        let run = self.buffer()?;
        let bytes = count.checked_mul(size)?;
        (bytes <= run.bytes).then_some(Values {
            count,
            run: Run { bytes, ..run },
        })
    }

    /// A column of numbers of `size` bytes each; `None` if any is null, or its buffers are too
    /// short or not in the body. The buffer in front of the numbers, of validity bits, is left out.
    fn numbers(&mut self, size: usize) -> Option<Values> {
        let (count, nulls) = self.node()?;
        self.buffer()?;
        self.values(count, size).filter(|_| nulls == 0)
    }

    /// A column of numbers of `size` bytes each, of which some may be null; if any is, also its
    /// validity bits, 1 for each row with a number. `None` if its buffers are too short or not in
    /// the body.
    fn perhaps(&mut self, size: usize) -> Option<(Values, Option<Run>)> {
        let (count, nulls) = self.node()?;
        let long = |bits: &Run| nulls == 0 || bits.bytes >= count.div_ceil(8);
        let bits = self.buffer().filter(long)?;
        Some((self.values(count, size)?, (nulls > 0).then_some(bits)))
    }

    /// A column of lists: first where each list starts among the values, and where the last one
    /// ends, as `i32`; then the values of all lists, of `size` bytes each. `None` if any is null,
    /// or its buffers are too short or not in the body.
    fn lists(&mut self, size: usize) -> Option<[Values; 2]> {
        let (count, nulls) = self.node()?;
        self.buffer()?;
        let starts = self.values(count + 1, size_of::<i32>())?;
        Some([starts, self.numbers(size)?]).filter(|_| nulls == 0)
    }
}

impl Places {
    /// Finds the columns of a batch of rows. `message`: the bytes of its message, without the
    /// length in front; `body`: where its body is in the file. `None` if the message is not of an
    /// uncompressed batch with the columns of `schema`, or their lengths contradict each other.
    pub(super) fn of(message: &[u8], body: Run) -> Option<Self> {
        let message = root_as_message(message).ok()?;
        if message.header_type() != MessageHeader::RecordBatch {
            return None;
        }
        let batch = message.header_as_record_batch()?;
        if batch.compression().is_some() {
            return None;
        }
        let nodes: Vec<FieldNode> = batch.nodes()?.iter().copied().collect();
        let buffers: Vec<Buffer> = batch.buffers()?.iter().copied().collect();
        let mut cursor = Cursor {
            nodes: nodes.into_iter(),
            buffers: buffers.into_iter(),
            body,
        };
        // In the order of the columns. Of a column of lists, part 0 is where each list starts, and
        // part 1 the values. Where the segments of a row end is seen in the codes, and four lists
        // are of the whole block: of these only the values are read.
        let places = Self {
            rows: usize::try_from(batch.length()).ok()?,
            games: cursor.numbers(4)?,
            outcomes: cursor.numbers(8)?,
            weights: cursor.numbers(8)?,
            constants: cursor.numbers(8)?,
            scores: cursor.perhaps(4)?,
            codes: cursor.lists(2)?[1],
            shapes: cursor.numbers(4)?,
            step_constants: cursor.lists(8)?,
            steps: cursor.lists(4)?[1],
            slots: cursor.lists(4)?[1],
            coefficients: cursor.lists(2)?[1],
            factors: cursor.lists(8)?[1],
        };
        // These columns have one value a row.
        let of_rows = [
            places.games,
            places.outcomes,
            places.weights,
            places.constants,
            places.scores.0,
            places.shapes,
        ];
        // Codes come in groups of four, factors and coefficients in pairs.
        let whole = of_rows.iter().all(|column| column.count == places.rows)
            && places.step_constants[0].count == places.rows + 1
            && places.codes.count.is_multiple_of(4)
            && places.factors.count.is_multiple_of(2)
            && places.coefficients.count == 2 * places.slots.count;
        whole.then_some(places)
    }
}
