//! What kernels read of a set, without a view of each row: groups of tokens,
//! and sums over them. In here numbers are bare.

pub use super::batch::LinearisedRows;
pub use super::stream::{Code, GROUP, Groups, Header};
pub use super::table::Cells;
pub use super::tokens::LARGE;
pub use super::view::{gather, scatter};
use super::{Row, TraceSet};

impl TraceSet {
    /// The segments of all rows, one row behind the other, as groups of four numbers: those of
    /// tokens (distinct entries), or the header of a segment. Other functions take the index of a
    /// group in this list as `offset`.
    #[inline]
    pub fn groups(&self) -> &Groups {
        self.data.stream.groups()
    }

    /// Decodes the header of a segment, the group with the number `offset` (a group is four numbers
    /// of tokens, or such a header): how many groups follow, its pair of factors, and whether it is
    /// the last segment of its row.
    #[inline]
    pub fn header(&self, offset: usize) -> Header {
        self.data.stream.header(offset)
    }

    /// Returns the number of the group where a row starts in the list of groups; a group is four
    /// numbers of tokens, or the header of a segment.
    /// *Cost*: a walk over at most 255 rows.
    pub fn row_start(&self, row: usize) -> usize {
        self.data.stream.row_start(row)
    }

    /// Returns the number of the group behind the row that starts at group `offset`; a group is
    /// four numbers of tokens, or the header of a segment.
    #[inline]
    pub fn row_end(&self, offset: usize) -> usize {
        self.data.stream.row_end(offset)
    }

    /// The row with the number `index`, which must start at group number `offset` (a group is four
    /// numbers of tokens, or a header): no walk over other rows is needed to find it.
    #[inline]
    pub fn row_at(&self, index: usize, offset: usize) -> Row<'_> {
        Row {
            set: self,
            index,
            offset,
        }
    }

    /// The pair of factors, of lanes 0 and 1, with this number; zeros if there is no such number.
    #[inline]
    pub fn factors(&self, number: u32) -> [f64; 2] {
        self.data.factors.get(number)
    }

    /// The part of a row's score that no weight explains.
    #[inline]
    pub fn constant(&self, row: usize) -> f64 {
        self.data.constants.get(row)
    }

    /// The number of the game that a row is of.
    #[inline]
    pub fn game(&self, row: usize) -> u32 {
        self.data.games[row]
    }

    /// How often a row counts.
    #[inline]
    pub fn weight(&self, row: usize) -> f64 {
        self.weights.get(row)
    }

    /// Tells whether a row has no expression.
    #[inline]
    pub fn is_linear(&self, row: usize) -> bool {
        self.data.nonlinear.is_linear(row)
    }

    /// Tells whether no row has an expression.
    #[inline]
    pub fn is_all_linear(&self) -> bool {
        self.data.nonlinear.is_empty()
    }

    /// Writes outcomes and weights of the rows from `first` on, as many as the two slices hold.
    #[inline]
    pub fn read_columns(&self, first: usize, outcomes: &mut [f64], weights: &mut [f64]) {
        self.outcomes.read(first, outcomes);
        self.weights.read(first, weights);
    }
}
