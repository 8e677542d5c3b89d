//! What files need of a set: checks of its columns, and parts of it.

use std::ops::Range;

use super::draft::{RowError, RowInfo, check_steps};
use super::stream::{self, Code, GROUP, Groups};
use super::tokens::{LARGE, PADDING, Token};
use super::{RowDraft, Segment, TraceSet};
use tuner_base::Slot;

impl TraceSet {
    /// Checks everything that a set relies on in columns that come from a file. Returns where rows
    /// 0, 256, 512 … start: the index of a group in the stream of segments. A group is four
    /// numbers, those of tokens or the header of a segment.
    ///
    /// # Errors
    /// The first mistake in words, with the number of its row.
    pub(crate) fn check(&self) -> Result<Vec<u64>, String> {
        // Streams in files have 16 bits; a wider one would count as empty, and fail.
        let (groups, rows) = (self.narrow().unwrap_or_default(), self.len());
        let offsets = stream::offsets(groups, rows)
            .map_err(|row| format!("row {row} does not end where the next one starts"))?;
        self.check_lists()?;
        let mut offset = 0;
        for row in 0..rows {
            let error = |error: RowError| format!("row {row}: {error}");
            // Outcome, weight and constant must be numbers that a row may have.
            let info = RowInfo {
                weight: self.weights.get(row),
                ..RowInfo::new(self.outcomes.get(row), 0)
            };
            info.check().map_err(error)?;
            let constant = self.data.constants.get(row);
            if !constant.is_finite() {
                return Err(error(RowError::NotFinite("constant", constant)));
            }
            // The entries and the pair of factors of each segment must be listed.
            let mut segments = 0;
            loop {
                let header = u16::header(groups[offset]);
                let end = offset + 1 + header.groups;
                if !self.knows(&groups[offset + 1..end], header.factors) {
                    return Err(unlisted(row));
                }
                segments += 1;
                offset = end;
                if header.last {
                    break;
                }
            }
            // Steps must refer to sums, constants and steps that exist.
            if !self.data.nonlinear.is_empty() {
                let (steps, constants) = (self.data.nonlinear.checked(row))
                    .ok_or("column shape has another length than `game`")?;
                check_steps(&steps, constants, 2 * segments).map_err(error)?;
            }
        }
        Ok(offsets)
    }

    /// Checks the lists that rows refer to by number: entries, and pairs of factors. Fails with the
    /// first mistake; the message names row 0, which has the lists in a file.
    fn check_lists(&self) -> Result<(), String> {
        let error = |error: RowError| format!("row 0: {error}");
        let tokens = self.tokens();
        if tokens.first() != Some(&Token::default()) {
            return Err(unlisted(0));
        }
        // Entry 0, the padding, names slot 0, which is right even for a set without slots: if it is
        // the only one, slots are not compared.
        if let Some(token) = tokens.iter().find(|t| t.slot as usize >= self.data.slots)
            && tokens.len() > 1
        {
            let (slot, slots) = (Slot(token.slot), self.data.slots);
            return Err(error(RowError::SlotOutOfRange { slot, slots }));
        }
        let factors = self.data.factors.all().as_flattened();
        if let Some(&factor) = factors.iter().find(|factor| !factor.is_finite()) {
            return Err(error(RowError::NotFinite("factor", factor)));
        }
        Ok(())
    }

    /// Tells whether a segment refers to what its set lists. `groups`: the numbers of its entries,
    /// by fours, filled up with padding; they must be numbers of listed entries, in the order of
    /// their slots. `factors`: the number of its pair of factors, which must be listed unless the
    /// segment is empty: the one segment of a row without entries names a pair that need not exist.
    fn knows(&self, groups: &[[u16; GROUP]], factors: u32) -> bool {
        let mut last: Option<&Token> = None;
        let listed = groups.as_flattened().iter().all(|&code| {
            let Some(token) = self.tokens().get(code.number()) else {
                return false;
            };
            if code.number() == PADDING as usize {
                return true;
            }
            // A slot is there twice only where one entry could not hold its coefficient;
            // kernels rely on it.
            let large =
                |token: &Token| token.coefficients.iter().any(|c| c.unsigned_abs() >= LARGE);
            let ordered = last.is_none_or(|last| {
                last.slot < token.slot || last.slot == token.slot && (large(last) || large(token))
            });
            last = Some(token);
            ordered
        });
        listed && (groups.is_empty() || (factors as usize) < self.data.factors.all().len())
    }

    /// Returns the segments of all rows if their numbers have 16 bits, as in files: groups of four
    /// numbers, those of entries or the header of a segment. `None` if they have 32, as the set has
    /// too many different entries; a [part](Self::part) of that set may have 16.
    pub(crate) fn narrow(&self) -> Option<&[[u16; GROUP]]> {
        match self.groups() {
            Groups::Narrow(groups) => Some(groups),
            Groups::Wide(_) => None,
        }
    }

    /// Copies the rows of a range, in their order, to a set of their own.
    ///
    /// # Panics
    /// If the range ends behind the last row.
    pub(crate) fn part(&self, range: Range<usize>) -> Self {
        let mut part = Self::new(self.data.slots);
        for row in self.rows(range) {
            let segments = row.segments().map(|segment| Segment {
                factors: segment.factors,
                entries: segment.entries().collect(),
            });
            let draft = RowDraft {
                constant: row.constant(),
                segments: segments.collect(),
                expression: row.expression(),
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

/// Says that a row has an entry or a pair of factors that is not listed, or entries that are
/// not in the order of slots.
fn unlisted(row: usize) -> String {
    format!("row {row} has an entry that is not listed")
}
