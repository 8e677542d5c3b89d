//! A part of a job, for one of several machines.

use std::ops::Range;
use std::str::FromStr;

/// One of so many parts of a job: what they write, one after the other, is what the whole job
/// writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Number of the part, from 1 to `of`.
    number: u64,
    of: u64,
}

impl Default for Shard {
    /// The only part of a job: all of it.
    fn default() -> Self {
        Self { number: 1, of: 1 }
    }
}

impl Shard {
    /// Returns the range of numbers that belong to this part, if the numbers 0 to `all - 1` are cut
    /// into parts. Parts begin at multiples of `unit`, and their sizes differ by one unit at most.
    pub(crate) fn range(self, all: u64, unit: u64) -> Range<u64> {
        let units = all.div_ceil(unit);
        // Where part `part`, counted from 0, begins; in 128 bits, as `all` may be `u64::MAX`.
        let cut =
            |part: u64| (u128::from(units) * u128::from(part) / u128::from(self.of)) as u64 * unit;
        match self.of {
            1 => 0..all,
            _ => cut(self.number - 1).min(all)..cut(self.number).min(all),
        }
    }

    /// Tells whether this is the first part of a job, or the whole job.
    pub(crate) const fn is_first(self) -> bool {
        self.number == 1
    }

    /// Returns a text that tells this part from others, `I/N of ALL`, for the settings of files
    /// that can be resumed; `None` for the whole job. `all`: the number of games or positions in
    /// all, as with another one the parts are cut at other places.
    pub(crate) fn identity(self, all: u64) -> Option<String> {
        (self.of > 1).then(|| format!("{self} of {all}"))
    }
}

tuner_base::impl_fmt! { Display for Shard, |self, f| write!(f, "{}/{}", self.number, self.of) }

impl FromStr for Shard {
    type Err = String;

    /// Reads a part of a job as an option writes it: `3/16` is the third of sixteen parts.
    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(number, of)| {
            let (number, of) = (number.parse().ok()?, of.parse().ok()?);
            (1 <= number && number <= of).then_some(Self { number, of })
        });
        numbers.ok_or_else(|| "expected I/N, such as 3/16: the third of sixteen parts".to_owned())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failing test may end with a panic
    use super::*;

    #[test]
    fn parts_are_the_whole() {
        for (all, unit, of) in [(1000, 256, 3), (1000, 1, 7), (3, 16, 5), (0, 4, 2)] {
            let mut next = 0;
            for number in 1..=of {
                let shard: Shard = format!("{number}/{of}").parse().unwrap();
                let range = shard.range(all, unit);
                assert_eq!(range.start, next);
                assert!(range.start == all || range.start.is_multiple_of(unit));
                next = range.end;
            }
            assert_eq!(next, all);
        }
        for wrong in ["0/3", "4/3", "3", "a/b", "1/0", ""] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
