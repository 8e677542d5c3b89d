use super::score::{PhasedPoints, Points16};
use super::tables::{RowOf, TablesOf};

#[derive(Default)]
pub struct TermsOf<E> {
    pub tables: TablesOf<E>,
    pub bonus: E,
}

pub type TermWeights = TermsOf<PhasedPoints>;
pub type TermCounts = TermsOf<i16>;

const fn e(mg: i16, eg: i16) -> PhasedPoints {
    PhasedPoints(mg, eg)
}

pub const ALL_TERMS: TermWeights = TermsOf {
    tables: TablesOf {
        men: [e(10, 12), e(30, 32)],
        ranks: [e(1, 2), e(3, 4), e(5, 6)],
    },
    bonus: e(7, 8),
};

struct BonusRow(RowOf<PhasedPoints>);

impl BonusRow {
    const fn new(entries: [i16; 2]) -> Self {
        let mut all = [e(0, 0); 2];
        let mut place = 0;
        while place < 2 {
            all[place] = PhasedPoints(entries[1 - place], entries[1 - place] + 2);
            place += 1;
        }
        Self(RowOf::new(all))
    }
}

const SECOND_ROW: BonusRow = BonusRow::new([9, 11]);

struct TermContext<'c> {
    weights: &'c TermWeights,
    ranks: &'c [usize],
}

impl TermContext<'_> {
    fn terms(&self, bonus: bool) -> PhasedPoints {
        let mut sum = PhasedPoints(0, 0);
        for &rank in self.ranks {
            sum += self.weights.tables.men[1];
            sum += *self.weights.tables.rank(rank);
        }
        if bonus {
            sum += self.weights.bonus;
            sum += *SECOND_ROW.0.at(0);
        }
        sum
    }
}

pub fn evaluate(ranks: &[usize], bonus: bool) -> i32 {
    let weights = &ALL_TERMS;
    let phase = 3_usize.saturating_sub(0) as i16;
    let PhasedPoints(mg, eg) = TermContext { weights, ranks }.terms(bonus);
    i32::from(Points16::points((mg * phase + eg * (4 - phase)) / 4).number())
}

/// What an engine's own tuner counts.
pub fn counted(ranks: &[usize]) -> TermCounts {
    let mut counts = TermCounts::default();
    for &rank in ranks {
        *counts.tables.rank_mut(rank) += 1;
    }
    counts
}

tuner_core::traced!();
