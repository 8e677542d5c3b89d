//! Entries of tables against the mean of their table.
//!
//! A table and the value of its piece stand for each other: what is added to all
//! of PST\[knight\] may as well be added to MATERIAL\[knight\]. The data then say
//! little of an entry by itself, and much of how it differs from the others. With
//! xᵢ the entries of a table that moved, Σ ωᵢ = 1 their shares and V the covariance
//! of their estimates,
//!
//! ```text
//! m  = Σ ωᵢ·xᵢ                              mean of the table
//! cᵢ = xᵢ − m                               contrast of an entry
//! var m  = ωᵀVω
//! var cᵢ = Vᵢᵢ − 2·(Vω)ᵢ + ωᵀVω
//! Σ ωᵢ·Vᵢᵢ = var m + Σ ωᵢ·var cᵢ
//! ```
//!
//! What is added to all entries changes no contrast, so whatever stands for the
//! table as a whole, exactly or nearly, is not part of its error. ωᵢ goes by the
//! games that read an entry: an entry of few games, whose error is large, then adds
//! little to the errors of the others. An entry that something else stands for as
//! well (ROOK_ON_SEVENTH for the seventh rank of PST\[rook\]) would add all of its
//! error to theirs: where the differences from the other entries have ten times the
//! variance that they have for the median entry, ωᵢ = 0. The shares go by errors, not
//! by estimates, and are taken as known.
//!
//! Tables have contrasts where `var m` is at least half of the left side, by what
//! the data say alone. That depends on the errors and not on the estimates, so
//! it favours no result; elsewhere entries say as much by themselves.
//!
//! *Source*: G. Seber, A. Lee, Linear Regression Analysis, 2nd ed., 2003, §3.9
//! (functions that can be estimated where weights cannot) and §8.2 (contrasts).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::identifiability::{PhaseTable, Tables};
use crate::judgement::{Advice, Statements, WeightEstimate, advice};
use crate::statistics::{discoveries, reach};
use tuner_base::phase;
use tuner_solve::linalg::{Symmetric, dot};

/// Part of the variance of entries that is the mean's from which on they are
/// compared with it: from here on the mean says more than all else.
const COMMON: f64 = 0.5;

/// How many times the median variance of its differences from the others an entry may
/// have to be part of the mean. Chosen: three times the standard error.
const APART: f64 = 10.0;

/// The statement on a table of which the data tell the differences between entries better than the
/// entries.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct TableStatement {
    /// The table, or the row of one, and the phase: `PST[knight].mg`.
    pub name: String,
    /// The mean of its fitted entries, by their shares, before the fit.
    pub mean_before: f64,
    /// The mean of its fitted entries as they are written, by the same shares.
    pub mean: f64,
    /// The standard error of the mean, with the prior taken as true.
    pub standard_error: f64,
    /// The estimate of the mean by the data without any prior.
    pub data: WeightEstimate,
    /// The part of the variance of its entries, from 0 to 1, that is that of the mean, by the data
    /// alone.
    pub common: f64,
    /// Its fitted entries.
    pub entries: Vec<EntryStatement>,
}

/// The statement on an entry *against the mean of its table*, not by itself: all
/// values are the entry minus the mean.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct EntryStatement {
    /// The name of the weight.
    pub name: String,
    /// The subject of the statement, in words:
    /// `PST[knight][12].mg against the mean of PST[knight].mg`.
    pub about: String,
    /// Its share ω of the mean; 0 where it differs from all others by an unknown
    /// amount, and has no part in it.
    pub share: f64,
    /// Entry minus mean before the fit.
    pub before: f64,
    /// Entry minus mean as they are written.
    pub value: f64,
    /// The standard error, with the prior taken as true.
    pub standard_error: f64,
    /// The estimate of the data without any prior.
    pub data: WeightEstimate,
    /// The probability of such data if the entry were the mean.
    pub p_zero: Option<f64>,
    /// The probability of such data if entry minus mean were what it was before.
    pub p_change: Option<f64>,
    /// Whether the data tell entry minus mean from what it was before, at most
    /// 5 % of such statements on entries being wrong.
    pub changed: bool,
    /// Whether an engine would miss the difference: `keep`, the entry is not the
    /// mean; `drop`, it is within 2 of the mean for sure.
    pub advice: Advice,
}

/// The mean of a table that its entries are compared with.
struct TableMean {
    /// Of each weight that has a part in the mean, its share ω.
    shares: BTreeMap<usize, f64>,
    /// The variances with the prior of the fit.
    with_prior: Variances,
    /// The variances by the data without that prior.
    by_data: Variances,
    /// The part of the variance of the entries that is the mean's, by the data.
    common: f64,
}

/// Variances of the mean and of the entries minus the mean.
struct Variances {
    mean: f64,
    contrasts: Vec<f64>,
}

impl Variances {
    /// Computes the variances of the mean of a table, ωᵀVω, and of each entry minus the mean, Vᵢᵢ −
    /// 2·(Vω)ᵢ + ωᵀVω. Rounding below 0 becomes 0.
    ///
    /// *Shapes*: `variables` are the rows of `covariance` that belong to the table, and V is that
    /// part of it; `shares` has ω, the share of each of these in the mean, in their order.
    fn of(covariance: &Symmetric, variables: &[usize], shares: &[f64]) -> Self {
        let part = covariance.select(variables);
        let with_mean = part.multiply(shares);
        let mean = dot(shares, &with_mean).max(0.0);
        let contrast = |(i, with_mean): (usize, &f64)| part.get(i, i) - 2.0 * with_mean + mean;
        let contrasts = with_mean.iter().enumerate().map(contrast);
        Self {
            mean,
            contrasts: contrasts.map(|variance| variance.max(0.0)).collect(),
        }
    }

    /// Returns the part of the variance of a table's entries that is the variance of their mean m,
    /// from 0 to 1: var m / (var m + Σ ωᵢ·var cᵢ), with cᵢ entry i minus m. `shares`: the share ωᵢ
    /// of each entry in the mean. 0 where no entry has any variance.
    fn common(&self, shares: &[f64]) -> f64 {
        let all = self.mean + dot(shares, &self.contrasts);
        if all > 0.0 { self.mean / all } else { 0.0 }
    }
}

impl Statements<'_, '_> {
    /// Makes a statement on each table, of one phase, of which the data tell the differences
    /// between entries better than the entries: the mean, and each entry against the mean. Those
    /// are the tables where the variance of the mean is half or more of that of the entries, by the
    /// data without a prior: what is added to all entries, as the value of a piece may be, is then
    /// most of an entry's error, and no part of a difference. Entries whose differences from the
    /// others are far less certain than usual have no part in the mean: their error would become
    /// that of all. The others weigh by the games that read them. Of nested tables that contain an
    /// entry the largest is taken. A table is left out if no game reads an entry that has a part in
    /// its mean; there are no statements where standard errors are not known.
    ///
    /// *Cost*: a few multiplications for each pair of entries of a table.
    pub(crate) fn tables(&self) -> Vec<TableStatement> {
        let _phase = phase("tables");
        // `variance` is with the prior of the fit, `alone` by the data without a prior.
        let Some((variance, alone)) = self.estimates() else {
            return Vec::new();
        };
        let (names, written) = (&self.run.variables.names, &self.run.fit.written);
        let reduction = &self.moved.reduction;
        let offsets: Vec<f64> = reduction.weight_terms().map(|term| term.2).collect();
        // Variables that moved have room; all count as read, also one that no row reads, and that
        // the prior or a constraint joins to one that is read.
        let movable = vec![Some(true); self.moved.x.len()];
        let tables = Tables::new(reduction, names, &self.run.variables.groups, &movable);
        // By weight: whether a statement has been made on it.
        let mut stated = vec![false; names.len()];
        let mut statements = Vec::new();
        // Tables of the same variables, which are tied, are tested once: each variable of each list
        // of variables has a number among the tests, and each entry of a statement has that of its
        // variable.
        let mut places: BTreeMap<(Vec<usize>, usize), usize> = BTreeMap::new();
        let mut place_of_entry = Vec::new();
        // For each entry the estimate with a weak prior around 0, by which it is tested against 0.
        let mut around_zero = Vec::new();
        for table in tables.of_one_phase() {
            if table.entries.iter().any(|&(weight, _)| stated[weight]) {
                continue;
            }
            let Some(of_mean) = self.mean_of(&table) else {
                continue;
            };
            let TableMean {
                shares,
                with_prior,
                by_data,
                common,
            } = of_mean;
            let share = |weight: usize| shares.get(&weight).copied().unwrap_or(0.0);
            // The mean over the entries, by their shares, of a value of weight and variable.
            let mean = |of: &dyn Fn(usize, usize) -> f64| -> f64 {
                let part =
                    |&(weight, variable): &(usize, usize)| share(weight) * of(weight, variable);
                table.entries.iter().map(part).sum()
            };
            // The estimates by the data alone, with a weak prior around the values before, and
            // around 0.
            let data = |weight: usize, variable| alone.around_before[variable] + offsets[weight];
            let zero = |weight: usize, variable| alone.around_zero[variable] + offsets[weight];
            let mean_before = mean(&|weight, _| self.before[weight]);
            let mean_written = mean(&|weight, _| written[weight]);
            let (mean_data, mean_zero) = (mean(&data), mean(&zero));
            let mut entries = Vec::new();
            for &(weight, variable) in &table.entries {
                stated[weight] = true;
                let number = place(&table, variable);
                let estimate = WeightEstimate {
                    value: data(weight, variable) - mean_data,
                    standard_error: by_data.contrasts[number].sqrt(),
                };
                let of_zero = WeightEstimate {
                    value: zero(weight, variable) - mean_zero,
                    ..estimate
                };
                around_zero.push(of_zero);
                let before = self.before[weight] - mean_before;
                let next = places.len();
                let test = places.entry((table.variables.clone(), variable));
                place_of_entry.push(*test.or_insert(next));
                let name = names[weight].clone();
                entries.push(EntryStatement {
                    about: format!("{name} against the mean of {}", table.name),
                    name,
                    share: share(weight),
                    before,
                    value: written[weight] - mean_written,
                    standard_error: with_prior.contrasts[number].sqrt(),
                    data: estimate,
                    p_zero: of_zero.p(0.0, variance.clusters()),
                    p_change: estimate.p(before, variance.clusters()),
                    changed: false,
                    advice: Advice::Unclear,
                });
            }
            statements.push(TableStatement {
                name: table.name,
                mean_before,
                mean: mean_written,
                standard_error: with_prior.mean.sqrt(),
                data: WeightEstimate {
                    value: mean_data,
                    standard_error: by_data.mean.sqrt(),
                },
                common,
                entries,
            });
        }
        let (count, reach) = (places.len(), reach(variance.clusters()));
        decide(&mut statements, &place_of_entry, count, &around_zero, reach);
        statements
    }

    /// Finds the mean of a table with which its entries are compared: which entries have a part in
    /// it, and which share, by the games that read each. `None` where standard errors are not
    /// known, no game reads an entry that has a part, or the variance of the mean is less than half
    /// of that of the entries, by the data without a prior.
    fn mean_of(&self, table: &PhaseTable) -> Option<TableMean> {
        let (variance, alone) = self.estimates()?;
        let lanes = self.moved.reduction.weight_lanes();
        let in_mean = entries_of_mean(&alone.covariance.select(&table.variables));
        let entries = || table.entries.iter().copied();
        // The games that read each weight that has a part in the mean.
        let mut reading: BTreeMap<usize, f64> = BTreeMap::new();
        for (weight, _) in entries().filter(|&(_, variable)| in_mean[place(table, variable)]) {
            reading.insert(weight, f64::from(self.games[lanes[weight].index()]));
        }
        let games = |weight: usize| reading.get(&weight).copied().unwrap_or(0.0);
        let total: f64 = entries().map(|(weight, _)| games(weight)).sum();
        if total <= 0.0 {
            return None;
        }
        // The share of each variable in the mean: the games that read its entries, as a part of
        // all.
        let mut of_variables = vec![0.0; table.variables.len()];
        for (weight, variable) in entries() {
            of_variables[place(table, variable)] += games(weight) / total;
        }
        let of = |covariance| Variances::of(covariance, &table.variables, &of_variables);
        let (with_prior, by_data) = (of(&variance.covariance), of(&alone.covariance));
        let common = by_data.common(&of_variables);
        if common < COMMON {
            return None;
        }
        let shares = reading.into_iter();
        let shares = shares.map(|(weight, games)| (weight, games / total));
        Some(TableMean {
            shares: shares.collect(),
            with_prior,
            by_data,
            common,
        })
    }
}

/// Returns the place of a variable among those of a table, which has it.
fn place(table: &PhaseTable, variable: usize) -> usize {
    table.variables.binary_search(&variable).unwrap_or(0)
}

/// Tells of each entry of a table, in their order, whether it has a part in the table's mean. The
/// spread of an entry is the median variance of its differences from the other entries; an entry
/// has a part if its spread is at most [`APART`] times the median spread. `covariance`: of the
/// entries.
fn entries_of_mean(covariance: &Symmetric) -> Vec<bool> {
    let median = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or(0.0)
    };
    let size = covariance.size();
    let spread = |i| {
        let apart = |j| covariance.get(i, i) + covariance.get(j, j) - 2.0 * covariance.get(i, j);
        median((0..size).filter(|&j| j != i).map(apart).collect())
    };
    let spreads: Vec<f64> = (0..size).map(spread).collect();
    let most = APART * median(spreads.clone());
    spreads.iter().map(|&spread| spread <= most).collect()
}

/// Sets the advice and `changed` of each entry, such that at most 5 % of the statements are wrong
/// on average. Entries of tied tables count as one test of `count`. `reach`: how many standard
/// errors a 95 % interval reaches to each side.
///
/// *Shapes*: `places` has the number of the test of each entry, table after table; `around_zero`
/// has for each the estimate by which it is tested against 0.
fn decide(
    tables: &mut [TableStatement],
    places: &[usize],
    count: usize,
    around_zero: &[WeightEstimate],
    reach: f64,
) {
    // By test, whether the probability that `of` gives of its entry is a discovery.
    let once = |tables: &[TableStatement], of: &dyn Fn(&EntryStatement) -> Option<f64>| {
        let mut all = vec![None; count];
        let entries = tables.iter().flat_map(|table| &table.entries);
        for (&place, entry) in places.iter().zip(entries) {
            all[place] = of(entry);
        }
        discoveries(all)
    };
    let kept = once(tables, &|entry| entry.p_zero);
    let changed = once(tables, &|entry| entry.p_change);
    let entries = tables.iter_mut().flat_map(|table| &mut table.entries);
    for ((&place, &data), entry) in places.iter().zip(around_zero).zip(entries) {
        entry.changed = changed[place];
        entry.advice = advice(kept[place], &[data], reach);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variances_are_those_of_the_linear_combination() {
        let mut covariance = Symmetric::zeros(4);
        for (row, column, value) in [
            (0, 0, 4.0),
            (1, 1, 5.0),
            (2, 2, 9.0),
            (3, 3, 6.0),
            (0, 2, 1.0),
            (0, 3, 2.0),
            (2, 3, -1.5),
        ] {
            covariance.add(row, column, value);
        }
        let (variables, shares) = ([0, 2, 3], [0.5, 0.2, 0.3]);
        let found = Variances::of(&covariance, &variables, &shares);
        for entry in 0..3 {
            let mut combination = [0.0; 4];
            for (&variable, share) in variables.iter().zip(shares) {
                combination[variable] -= share;
            }
            combination[variables[entry]] += 1.0;
            let expected = dot(&combination, &covariance.multiply(&combination));
            assert!((found.contrasts[entry] - expected).abs() < 1e-12);
        }
        // The mean and what is about it have all of the variance.
        let all: f64 = (variables.iter().zip(shares))
            .map(|(&v, share)| share * covariance.get(v, v))
            .sum();
        let parts = found.mean + dot(&shares, &found.contrasts);
        assert!((parts - all).abs() < 1e-12);
        assert!((found.common(&shares) - found.mean / all).abs() < 1e-12);
    }

    #[test]
    fn an_entry_apart_has_no_part_in_the_mean() {
        let mut covariance = Symmetric::zeros(5);
        for row in 0..5 {
            covariance.add(row, row, if row == 2 { 100.0 } else { 1.0 });
            for column in 0..=row {
                covariance.add(row, column, 50.0);
            }
        }
        let expected = [true, true, false, true, true];
        assert_eq!(entries_of_mean(&covariance), expected);
        assert!(entries_of_mean(&Symmetric::zeros(0)).is_empty());
    }

    #[test]
    fn what_all_entries_share_is_no_part_of_a_contrast() {
        // Each known to 1, but for a sum that is known to 1000.
        let mut covariance = Symmetric::zeros(3);
        for row in 0..3 {
            covariance.add(row, row, 1.0);
            for column in 0..=row {
                covariance.add(row, column, 1e6);
            }
        }
        let found = Variances::of(&covariance, &[0, 1, 2], &[1.0 / 3.0; 3]);
        for contrast in &found.contrasts {
            assert!((contrast - 2.0 / 3.0).abs() < 1e-6, "{contrast}");
        }
        assert!(found.common(&[1.0 / 3.0; 3]) > 0.999);
    }
}
