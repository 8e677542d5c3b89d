//! A set as plain columns, for files.

use std::ops::Range;
use std::sync::Arc;

use super::column::Column;
use super::dictionary::Dictionary;
use super::draft::{RowError, RowInfo, check_steps};
use super::nonlinear::NonlinearRows;
use super::stream::{self, Code, GROUP, Groups, Stream};
use super::tokens::{LARGE, PADDING, Token, Tokens};
use super::{RowDraft, Segment, TraceSet};
use tuner_base::Slot;
use tuner_trace::{Expression, Step};

/// A number of every row.
#[derive(Clone, Debug)]
pub(crate) enum Numbers {
    /// The same in all.
    All(f64),
    /// One each.
    Each(Vec<f64>),
}

/// The rows of a set, ready to be written or just read. A row's number is its
/// place in every column.
#[derive(Clone, Debug)]
pub(crate) struct Plain {
    pub(crate) slots: usize,
    /// The rows one after another, as `stream` has them.
    pub(crate) groups: Vec<[u16; GROUP]>,
    /// The distinct entries; the first counts for nothing.
    pub(crate) tokens: Vec<Token>,
    /// The distinct pairs of factors.
    pub(crate) factors: Vec<[f64; 2]>,
    pub(crate) games: Vec<u32>,
    pub(crate) outcomes: Numbers,
    pub(crate) weights: Numbers,
    pub(crate) constants: Numbers,
    /// NaN where there is none.
    pub(crate) search_scores: Numbers,
    /// What is not linear, if anything.
    pub(crate) nonlinear: Option<PlainNonlinear>,
}

/// The expressions of rows.
#[derive(Clone, Debug)]
pub(crate) struct PlainNonlinear {
    /// Lists of steps; the first is empty, and that of linear rows.
    pub(crate) shapes: Vec<Arc<[Step]>>,
    /// The number of each row's list.
    pub(crate) rows: Vec<u32>,
    /// Where the constants of each row start.
    pub(crate) starts: Vec<u64>,
    pub(crate) constants: Vec<f64>,
}

/// Why columns are no rows.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub(crate) enum PlainError {
    /// A column has another length than `game`.
    #[error("column {0} has another length than `game`")]
    Length(&'static str),
    /// A row does not end where the next one starts.
    #[error("row {0} does not end where the next one starts")]
    Truncated(usize),
    /// A row has an entry or a pair of factors that is not listed, or entries
    /// that are not in the order of slots.
    #[error("row {0} has an entry that is not listed")]
    Entry(usize),
    /// Something is wrong with a row.
    #[error("row {0}: {1}")]
    Row(usize, #[source] RowError),
}

impl Numbers {
    /// The number of a row.
    pub(crate) fn get(&self, row: usize) -> f64 {
        match self {
            Self::All(value) => *value,
            Self::Each(values) => values[row],
        }
    }

    /// The same, stored once if all are equal.
    #[must_use]
    pub(crate) fn shortened(self) -> Self {
        match self {
            Self::Each(values) => {
                let first = values.first().copied().unwrap_or(0.0);
                let same = values.iter().all(|v| v.to_bits() == first.to_bits());
                if same {
                    Self::All(first)
                } else {
                    Self::Each(values)
                }
            }
            Self::All(value) => Self::All(value),
        }
    }

    fn has(&self, rows: usize) -> bool {
        match self {
            Self::All(_) => true,
            Self::Each(values) => values.len() == rows,
        }
    }

    fn of(column: &Column, rows: usize) -> Self {
        match column {
            Column::Uniform(value) => Self::All(*value),
            _ => Self::Each((0..rows).map(|row| column.get(row)).collect()),
        }
    }

    fn into_column(self) -> Column {
        match self {
            Self::All(value) => Column::Uniform(value),
            Self::Each(values) => Column::Wide(values),
        }
    }
}

impl Plain {
    /// The columns of a set; `None` if it has too many different entries: then
    /// [parts](TraceSet::part) of it may have not.
    pub(crate) fn of(set: &TraceSet) -> Option<Self> {
        let Groups::Narrow(groups) = set.stream.groups() else {
            return None;
        };
        let rows = set.len();
        Some(Self {
            slots: set.slots,
            groups: groups.clone(),
            tokens: set.tokens().to_vec(),
            factors: set.factors.pairs().to_vec(),
            games: set.games.clone(),
            outcomes: Numbers::of(&set.outcomes, rows),
            weights: Numbers::of(&set.weights, rows),
            constants: Numbers::of(&set.constants, rows),
            search_scores: Numbers::of(&set.search_scores, rows),
            nonlinear: (!set.nonlinear.is_empty()).then(|| set.nonlinear.plain()),
        })
    }

    /// The number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.games.len()
    }

    /// Checks everything that a set relies on, and returns where rows start.
    ///
    /// # Errors
    /// The first mistake.
    pub(crate) fn check(&self) -> Result<Vec<u64>, PlainError> {
        let rows = self.rows();
        for (name, column) in [
            ("outcome", &self.outcomes),
            ("weight", &self.weights),
            ("constant", &self.constants),
            ("search_score", &self.search_scores),
        ] {
            if !column.has(rows) {
                return Err(PlainError::Length(name));
            }
        }
        let offsets = stream::offsets(&self.groups, rows).map_err(PlainError::Truncated)?;
        self.check_lists()?;
        let mut offset = 0;
        for row in 0..rows {
            let error = |error| PlainError::Row(row, error);
            let info = RowInfo {
                weight: self.weights.get(row),
                ..RowInfo::new(self.outcomes.get(row), 0)
            };
            info.check().map_err(error)?;
            let constant = self.constants.get(row);
            if !constant.is_finite() {
                return Err(error(RowError::NotFinite("constant", constant)));
            }
            let mut segments = 0;
            loop {
                let header = u16::header(self.groups[offset]);
                let end = offset + 1 + header.groups;
                if !self.knows(&self.groups[offset + 1..end], header.factors) {
                    return Err(PlainError::Entry(row));
                }
                segments += 1;
                offset = end;
                if header.last {
                    break;
                }
            }
            if let Some(nonlinear) = &self.nonlinear {
                nonlinear.check(row, segments)?;
            }
        }
        Ok(offsets)
    }

    /// Checks what rows refer to.
    fn check_lists(&self) -> Result<(), PlainError> {
        let error = |error| PlainError::Row(0, error);
        if self.tokens.first() != Some(&Token::default()) {
            return Err(PlainError::Entry(0));
        }
        if let Some(token) = self.tokens.iter().find(|t| t.slot as usize >= self.slots)
            && self.tokens.len() > 1
        {
            let (slot, slots) = (Slot(token.slot), self.slots);
            return Err(error(RowError::SlotOutOfRange { slot, slots }));
        }
        let factors = self.factors.as_flattened();
        if let Some(&factor) = factors.iter().find(|factor| !factor.is_finite()) {
            return Err(error(RowError::NotFinite("factor", factor)));
        }
        if let Some(nonlinear) = &self.nonlinear
            && (nonlinear.rows.len() != self.rows() || nonlinear.starts.len() != self.rows())
        {
            return Err(PlainError::Length("shape"));
        }
        Ok(())
    }

    /// Tells whether all entries of a segment are listed and in order.
    fn knows(&self, groups: &[[u16; GROUP]], factors: u32) -> bool {
        let mut last: Option<&Token> = None;
        let listed = groups.as_flattened().iter().all(|&code| {
            let Some(token) = self.tokens.get(code.number()) else {
                return false;
            };
            if code.number() == PADDING as usize {
                return true;
            }
            // A slot may be there twice where one entry could not hold its
            // coefficient; kernels rely on it.
            let large =
                |token: &Token| token.coefficients.iter().any(|c| c.unsigned_abs() >= LARGE);
            let ordered = last.is_none_or(|last| {
                last.slot < token.slot || last.slot == token.slot && (large(last) || large(token))
            });
            last = Some(token);
            ordered
        });
        listed && (groups.is_empty() || (factors as usize) < self.factors.len())
    }
}

impl PlainNonlinear {
    /// The list and the constants of a row.
    pub(crate) fn get(&self, row: usize) -> Option<(&Arc<[Step]>, &[f64])> {
        let start = usize::try_from(*self.starts.get(row)?).ok()?;
        let end = match self.starts.get(row + 1) {
            Some(&end) => usize::try_from(end).ok()?,
            None => self.constants.len(),
        };
        let steps = self.shapes.get(*self.rows.get(row)? as usize)?;
        Some((steps, self.constants.get(start..end)?))
    }

    /// Checks a row of so many segments.
    fn check(&self, row: usize, segments: u32) -> Result<(), PlainError> {
        let (steps, constants) = self.get(row).ok_or(PlainError::Length("shape"))?;
        check_steps(steps, constants, 2 * segments).map_err(|error| PlainError::Row(row, error))
    }
}

impl TraceSet {
    /// The set of columns that [`Plain::check`] has found good; `offsets` is
    /// what that returned.
    pub(crate) fn of_plain(plain: Plain, offsets: Vec<u64>) -> Self {
        let rows = plain.rows();
        let nonlinear = plain.nonlinear.map(NonlinearRows::restored);
        Self {
            tokens: Tokens::restored(plain.tokens),
            stream: Stream::restored(plain.groups, offsets, rows),
            factors: Dictionary::restored(plain.factors),
            outcomes: plain.outcomes.into_column(),
            constants: plain.constants.into_column(),
            weights: plain.weights.into_column(),
            search_scores: plain.search_scores.into_column(),
            games: plain.games,
            nonlinear: nonlinear.unwrap_or_default(),
            ..Self::new(plain.slots)
        }
    }

    /// The memory of the groups, for other groups.
    pub(crate) fn into_groups(self) -> Vec<[u16; GROUP]> {
        self.stream.into_narrow()
    }

    /// Some of the rows, as a set of their own.
    ///
    /// # Panics
    /// If the range ends behind the last row.
    pub(crate) fn part(&self, range: Range<usize>) -> Self {
        let mut part = Self::new(self.slots);
        for row in self.rows(range) {
            let segments = row.segments().map(|segment| Segment {
                factors: segment.factors,
                entries: segment.entries().collect(),
            });
            let expression = row.expression().map(|(steps, constants)| Expression {
                steps: steps.to_vec(),
                constants: constants.to_vec(),
            });
            let draft = RowDraft {
                constant: row.constant(),
                segments: segments.collect(),
                expression,
            };
            let info = RowInfo {
                outcome: row.outcome(),
                game: row.game(),
                weight: row.weight(),
                search_score: row.search_score(),
            };
            // What one set has taken another one takes.
            let taken = part.push(&draft, &info);
            debug_assert!(taken.is_ok(), "{taken:?}");
        }
        part
    }
}
