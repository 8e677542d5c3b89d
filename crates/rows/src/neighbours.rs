//! Whether rows came game by game.

/// Fewest pairs of neighbours by which rows are said to come game by game. Chosen: with fewer, a
/// kappa of 0.5 may be chance.
const LEAST_PAIRS: u64 = 50;

/// Most different results that are counted; further ones are left out of the agreement by chance.
const MOST_RESULTS: usize = 16;

/// Counts of the results of rows, and of neighbours, in the order of pushing, with equal results.
#[derive(Clone, Debug, Default)]
pub(crate) struct Neighbours {
    last: Option<u64>,
    same: u64,
    pairs: u64,
    /// How often each result occurred, by the bits of its number.
    counts: Vec<(u64, u64)>,
}

impl Neighbours {
    /// Counts the result of the next row, and whether it equals that of the row before.
    pub(crate) fn push(&mut self, outcome: f64) {
        let bits = outcome.to_bits();
        if let Some(last) = self.last.replace(bits) {
            self.pairs += 1;
            self.same += u64::from(last == bits);
        }
        self.count(bits, 1);
    }

    /// Adds the counts of rows that follow these; the pair of the last of these rows and the first
    /// of those is left out, as the result of a first row is not kept.
    pub(crate) fn append(&mut self, other: &Self) {
        self.last = other.last.or(self.last);
        self.same += other.same;
        self.pairs += other.pairs;
        for &(bits, count) in &other.counts {
            self.count(bits, count);
        }
    }

    /// Adds `more` to the count of a result, by the bits of its number. Results beyond the first 16
    /// different ones ([`MOST_RESULTS`]) are not counted, so that the list stays short where
    /// results are targets of any value.
    fn count(&mut self, bits: u64, more: u64) {
        if let Some((_, count)) = self.counts.iter_mut().find(|(known, _)| *known == bits) {
            *count += more;
        } else if self.counts.len() < MOST_RESULTS {
            self.counts.push((bits, more));
        }
    }

    /// Tells whether rows that follow each other mostly have the same result, as those of
    /// one game have: whether Cohen's kappa of neighbours, (agreement − agreement by chance) / (1 −
    /// agreement by chance), is above 0.5; it is 0 where rows are shuffled. False of fewer than 50
    /// pairs ([`LEAST_PAIRS`]), and where all have one result.
    ///
    /// Of the public sets looked at, eight have −0.14 to 0.002, two that are sorted in part 0.12
    /// and 0.19, and three that are in the order of their games 0.92 to 0.99.
    ///
    /// *Source*: J. Cohen, A coefficient of agreement for nominal scales, Educational and
    /// Psychological Measurement 20, 1960.
    pub(crate) fn come_game_by_game(&self) -> bool {
        let all: u64 = self.counts.iter().map(|(_, count)| count).sum();
        let shares = (self.counts.iter()).map(|(_, count)| *count as f64 / all.max(1) as f64);
        let by_chance: f64 = shares.map(|share| share.powi(2)).sum();
        let agreement = self.same as f64 / self.pairs.max(1) as f64;
        let kappa = (agreement - by_chance) / (1.0 - by_chance);
        // Where all rows have one result kappa is 0/0, NaN, which is not above 0.5.
        self.pairs >= LEAST_PAIRS && kappa > 0.5
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use crate::{RowDraft, RowInfo, Segment, TraceSet};
    use tuner_base::Slot;

    /// Rows of such results; their lengths differ, so that they are arranged anew.
    fn set(outcomes: impl Iterator<Item = f64>) -> TraceSet {
        let mut set = TraceSet::new(8);
        for (number, outcome) in outcomes.enumerate() {
            let slots = 1 + number * 7 % 8;
            let entries = (0..slots).map(|slot| (Slot(slot as u32), 1));
            let draft = RowDraft {
                segments: vec![Segment::same([1.0, 0.0], entries)],
                ..RowDraft::default()
            };
            set.push(&draft, &RowInfo::new(outcome, number as u32))
                .unwrap();
        }
        set
    }

    #[test]
    fn games_are_seen_in_the_order_of_pushing() {
        // Games of ten positions, won, drawn and lost.
        let by_game = |n: u32| f64::from(n / 10 * 7 % 3) / 2.0;
        let (mut first, second) = (set((0..300).map(by_game)), set((300..600).map(by_game)));
        first.append(&second);
        first.finish();
        assert!(first.come_game_by_game());
        let shuffled = |n: u32| f64::from((n * 7919 % 601) % 3) / 2.0;
        let mut mixed = set((0..600).map(shuffled));
        mixed.finish();
        assert!(!mixed.come_game_by_game());
        // Of one result, and of few rows, nothing is said.
        assert!(!set((0..600).map(|_| 1.0)).come_game_by_game());
        assert!(!set((0..20).map(by_game)).come_game_by_game());
    }
}
