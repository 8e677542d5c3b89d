//! Two runs next to each other.

mod page;

use std::collections::HashMap;

use anstyle::Style;

use crate::digest::{Digest, Weight, alike_named, rank};
use crate::terminal::{Lines, TerminalStyles, list_bars};
use crate::text::{self, left};
use crate::words;
use tuner_record::RunRecord;

/// Most weights that lines list.
const LISTED: usize = 10;

/// A weight of both runs.
pub(crate) struct Common<'a> {
    pub first: &'a Weight,
    pub second: &'a Weight,
    /// The second value minus the first.
    pub difference: f64,
    /// The difference in standard errors, those of both added as if the runs had no
    /// games in common.
    pub in_errors: Option<f64>,
}

impl Common<'_> {
    pub(crate) fn differs(&self) -> bool {
        self.difference.abs() > 0.0
    }

    /// What a bar of it shows.
    pub(crate) fn size(&self) -> f64 {
        self.in_errors.unwrap_or(self.difference)
    }

    fn rank(&self) -> f64 {
        rank(self.difference, self.in_errors)
    }

    /// Its name, and how many others are like it in both runs.
    pub(crate) fn label(&self) -> String {
        let alike = self.first.alike.min(self.second.alike);
        alike_named(&self.first.name, alike)
    }
}

/// Says how many weights differ.
pub(crate) fn how_many(common: &[Common<'_>]) -> String {
    let different = common.iter().filter(|c| c.differs()).count();
    let of = text::counted(common.len(), "weight");
    format!("{different} of {of} of both runs differ")
}

/// Two runs, weight by weight.
pub(crate) struct Comparison<'a> {
    pub first: Digest<'a>,
    pub second: Digest<'a>,
}

/// Weights of both runs by parameter.
pub(crate) struct CommonTable<'a> {
    pub name: String,
    pub weights: usize,
    pub different: usize,
    /// Square root of the mean square of the differences.
    pub spread: f64,
    pub largest: Option<&'a Common<'a>>,
}

impl<'a> Comparison<'a> {
    pub(crate) fn new(first: &'a RunRecord, second: &'a RunRecord) -> Self {
        let (first, second) = (Digest::new(first), Digest::new(second));
        Self { first, second }
    }

    /// The weights of both, in the order of the first, and how
    /// many are in one of them alone.
    pub(crate) fn common(&self) -> (Vec<Common<'_>>, [usize; 2]) {
        let named = self
            .second
            .weights
            .iter()
            .map(|w| (w.stated.name.as_str(), w));
        let second: HashMap<&str, &Weight> = named.collect();
        let mut common = Vec::new();
        for first in &self.first.weights {
            let Some(&other) = second.get(first.stated.name.as_str()) else {
                continue;
            };
            let difference = other.stated.value - first.stated.value;
            let errors = first.standard_error().zip(other.standard_error());
            let in_errors = errors.map(|(a, b)| difference / a.hypot(b));
            common.push(Common {
                first,
                second: other,
                difference,
                in_errors: in_errors.filter(|errors| errors.is_finite()),
            });
        }
        let alone = |digest: &Digest<'_>| digest.weights.len().saturating_sub(common.len());
        let alone = [alone(&self.first), alone(&self.second)];
        (common, alone)
    }

    /// What makes the comparison less than it looks.
    pub(crate) fn warnings(&self, alone: [usize; 2]) -> Vec<String> {
        let mut warnings = Vec::new();
        let data = |digest: &Digest<'a>| {
            let record = digest.record;
            (&record.data.fingerprint, record.positions_held_out)
        };
        if data(&self.first) != data(&self.second) {
            warnings.push(
                "the runs are of different data: their errors are not of the same games".to_owned(),
            );
        }
        if alone != [0, 0] {
            let [first, second] = alone;
            warnings.push(format!(
                "{} in the first run alone, {second} in the second",
                text::counted(first, "weight")
            ));
        }
        warnings
    }
}

/// The weights that differ, those first that differ by most standard errors; where
/// none are known, by most. Of those that are alike in both runs the first.
pub(crate) fn differing<'a>(common: &'a [Common<'a>]) -> Vec<&'a Common<'a>> {
    let mut differing: Vec<_> = (common.iter())
        .filter(|c| c.differs() && !(c.first.is_repeated && c.second.is_repeated))
        .collect();
    differing.sort_by(|a, b| b.rank().total_cmp(&a.rank()));
    differing
}

/// The weights of both by the tables of the first.
pub(crate) fn by_table<'a>(first: &Digest<'_>, common: &'a [Common<'a>]) -> Vec<CommonTable<'a>> {
    let numbers = common.iter().map(|c| (c.first.stated.name.as_str(), c));
    let numbers: HashMap<&str, &Common<'_>> = numbers.collect();
    let tables = first.tables.iter().map(|table| {
        let members: Vec<&Common<'_>> = (table.weights(&first.weights))
            .filter_map(|weight| numbers.get(weight.stated.name.as_str()).copied())
            .collect();
        let squares: f64 = members.iter().map(|c| c.difference * c.difference).sum();
        let largest = members.iter().copied().filter(|c| c.differs());
        CommonTable {
            name: table.name.clone(),
            weights: members.len(),
            different: largest.clone().count(),
            spread: (squares / members.len().max(1) as f64).sqrt(),
            largest: largest.max_by(|a, b| a.rank().total_cmp(&b.rank())),
        }
    });
    tables.filter(|table| table.weights > 0).collect()
}

/// Returns a page on two runs: their verdicts, their errors, and the weights that
/// differ most, by standard errors and by table.
///
/// Differences are in standard errors of both runs added as if they had no games
/// in common, each with its prior taken as true.
pub fn compare(first: &RunRecord, second: &RunRecord) -> String {
    page::page(&Comparison::new(first, second))
}

/// Returns at most 25 lines on two runs, as [`terminal()`](crate::terminal()) does
/// on one.
pub fn compare_terminal(
    first: &RunRecord,
    second: &RunRecord,
    width: usize,
    styles: &TerminalStyles,
) -> String {
    let comparison = Comparison::new(first, second);
    let mut lines = Lines::new(width.clamp(60, 200), *styles);
    for (number, record) in [("1: ", first), ("2: ", second)] {
        let style = styles.verdict(record.verdict);
        lines.wrapped(number, &words::headline(record), style);
    }
    let (common, alone) = comparison.common();
    for warning in comparison.warnings(alone) {
        lines.wrapped("  ", &warning, styles.warning);
    }
    let differing = differing(&common);
    lines.wrapped("  ", &how_many(&common), Style::new());
    list(&differing, &mut lines);
    let mut tables = by_table(&comparison.first, &common);
    tables.retain(|table| table.different > 0);
    tables.sort_by(|a, b| b.spread.total_cmp(&a.spread));
    if !tables.is_empty() {
        let heading = format!("  {} differ  root mean square", left("tables", 24));
        lines.heading(&heading);
    }
    for table in &tables {
        let line = format!(
            "  {} {:>6}  {:>16}",
            left(&table.name, 24),
            table.different,
            text::number(table.spread)
        );
        lines.plain(&line);
    }
    lines.end(25)
}

fn list(differing: &[&Common<'_>], lines: &mut Lines) {
    let shown = &differing[..differing.len().min(LISTED)];
    if shown.is_empty() {
        return;
    }
    let have_errors = shown.iter().any(|common| common.in_errors.is_some());
    let unit = if have_errors {
        "difference in standard errors"
    } else {
        "difference"
    };
    lines.heading(&format!("largest differences, first | second: {unit}"));
    let rows = shown.iter().map(|common| {
        let numbers = [common.first, common.second].map(|w| text::number(w.stated.value));
        let size = common
            .in_errors
            .map_or_else(|| text::signed(common.difference), text::in_errors);
        ([common.label(), numbers.join(" | "), size], common.size())
    });
    list_bars(rows, f64::INFINITY, lines);
}
