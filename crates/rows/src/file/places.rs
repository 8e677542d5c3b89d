//! Where the columns of a block are in the file.

use arrow_ipc::{MessageHeader, root_as_message};

/// A run of bytes in the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) offset: u64,
    pub(crate) bytes: usize,
}

/// The values of a column: how many there are, and where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Values {
    pub(super) count: usize,
    pub(super) run: Run,
}

/// The columns of a block, in the order of the schema.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Places {
    pub(super) rows: usize,
    pub(super) games: Values,
    pub(super) outcomes: Values,
    pub(super) weights: Values,
    pub(super) constants: Values,
    pub(super) scores: Values,
    /// Bits of the scores that there are; none: all.
    pub(super) has_score: Option<Run>,
    pub(super) codes: Values,
    pub(super) shapes: Values,
    /// Where the constants of each row start, and the end.
    pub(super) starts: Values,
    pub(super) step_constants: Values,
    /// Lists of steps.
    pub(super) steps: Values,
    pub(super) slots: Values,
    pub(super) coefficients: Values,
    pub(super) factors: Values,
}

/// Reads buffers and nodes of a message one after another.
struct Cursor<'a> {
    batch: arrow_ipc::RecordBatch<'a>,
    node: usize,
    buffer: usize,
    /// Where the body starts in the file, and its length.
    body: Run,
}

impl Cursor<'_> {
    /// The number of values and of nulls of the next field.
    fn node(&mut self) -> Option<(usize, usize)> {
        let nodes = self.batch.nodes()?;
        if self.node >= nodes.len() {
            return None;
        }
        let node = nodes.get(self.node);
        self.node += 1;
        let count = usize::try_from(node.length()).ok()?;
        Some((count, usize::try_from(node.null_count()).ok()?))
    }

    /// The next buffer, which must be inside the body.
    fn buffer(&mut self) -> Option<Run> {
        let buffers = self.batch.buffers()?;
        if self.buffer >= buffers.len() {
            return None;
        }
        let buffer = buffers.get(self.buffer);
        self.buffer += 1;
        let offset = usize::try_from(buffer.offset()).ok()?;
        let bytes = usize::try_from(buffer.length()).ok()?;
        let inside = offset.checked_add(bytes)? <= self.body.bytes;
        inside.then_some(Run {
            offset: self.body.offset + offset as u64,
            bytes,
        })
    }

    /// Some values of a size in the next buffer.
    fn values(&mut self, count: usize, size: usize) -> Option<Values> {
        let run = self.buffer()?;
        let bytes = count.checked_mul(size)?;
        (bytes <= run.bytes).then_some(Values {
            count,
            run: Run { bytes, ..run },
        })
    }

    /// A column of numbers without nulls.
    fn numbers(&mut self, size: usize) -> Option<Values> {
        let (count, nulls) = self.node()?;
        self.buffer()?;
        self.values(count, size).filter(|_| nulls == 0)
    }

    /// A column of lists: where each starts, and the values of all.
    fn lists(&mut self, size: usize) -> Option<[Values; 2]> {
        let (count, nulls) = self.node()?;
        self.buffer()?;
        let starts = self.values(count + 1, size_of::<i32>())?;
        Some([starts, self.numbers(size)?]).filter(|_| nulls == 0)
    }
}

impl Places {
    /// Finds the columns in the message of a batch whose body is at `body`;
    /// `None` if it is no such batch.
    pub(super) fn of(message: &[u8], body: Run) -> Option<Self> {
        let message = root_as_message(message).ok()?;
        if message.header_type() != MessageHeader::RecordBatch {
            return None;
        }
        let batch = message.header_as_record_batch()?;
        if batch.compression().is_some() {
            return None;
        }
        let mut cursor = Cursor {
            batch,
            node: 0,
            buffer: 0,
            body,
        };
        let games = cursor.numbers(4)?;
        let outcomes = cursor.numbers(8)?;
        let weights = cursor.numbers(8)?;
        let constants = cursor.numbers(8)?;
        let (count, nulls) = cursor.node()?;
        let bits = cursor.buffer()?;
        let scores = cursor.values(count, 4)?;
        let [_, codes] = cursor.lists(2)?;
        let shapes = cursor.numbers(4)?;
        let [starts, step_constants] = cursor.lists(8)?;
        let [_, steps] = cursor.lists(4)?;
        let [_, slots] = cursor.lists(4)?;
        let [_, coefficients] = cursor.lists(2)?;
        let [_, factors] = cursor.lists(8)?;
        let rows = usize::try_from(batch.length()).ok()?;
        let columns = [games, outcomes, weights, constants, scores, shapes];
        let whole = columns.iter().all(|column| column.count == rows)
            && starts.count == rows + 1
            && (nulls == 0 || bits.bytes >= rows.div_ceil(8))
            && codes.count.is_multiple_of(4)
            && factors.count.is_multiple_of(2)
            && coefficients.count == 2 * slots.count;
        whole.then_some(Self {
            rows,
            games,
            outcomes,
            weights,
            constants,
            scores,
            has_score: (nulls > 0).then_some(bits),
            codes,
            shapes,
            starts,
            step_constants,
            steps,
            slots,
            coefficients,
            factors,
        })
    }
}
