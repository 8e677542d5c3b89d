//! What pages and lines are made of: weights with all that is known of each, in
//! tables by parameter, and the changes that say most.

mod path;
mod table;

use std::collections::HashMap;

use crate::record::{JudgementRecord, RunRecord, WeightRecord, Word};
use crate::text;
use path::WeightPath;
pub(crate) use table::{Slice, Table, View};

/// How many standard errors a two-sided 95 % interval reaches to each side.
pub(crate) const INTERVAL: f64 = 1.959_963_984_540_054;

/// Standard errors at which bars end, so that one weight far off does not make
/// those of all others short. Chosen: as far as chance never leads.
pub(crate) const LONGEST_BAR: f64 = 8.0;

/// A weight, with all that is known of it.
#[derive(Debug)]
pub(crate) struct Weight {
    /// Its name, fit to be shown.
    pub name: String,
    /// Its name in the record.
    pub raw_name: String,
    pub status: Word,
    pub before: Option<f64>,
    pub value: Option<f64>,
    /// With the prior taken as true.
    pub standard_error: Option<f64>,
    /// What the data say alone: value and standard error.
    pub data: Option<(f64, f64)>,
    pub changed: bool,
    pub advice: Option<Word>,
    pub games: Option<u64>,
    /// What is said of it against the mean of its table, where the data tell that
    /// better than the weight.
    pub contrast: Option<Contrast>,
    /// How many later weights of the same table have the same numbers to the last
    /// bit, as tied ones have.
    pub alike: usize,
    /// Whether an earlier weight has the same numbers.
    pub is_repeated: bool,
    path: WeightPath,
}

impl Weight {
    fn new(name: &str) -> Self {
        Self {
            name: text::name(name),
            raw_name: name.to_owned(),
            status: Word::Other,
            before: None,
            value: None,
            standard_error: None,
            data: None,
            changed: false,
            advice: None,
            games: None,
            contrast: None,
            alike: 0,
            is_repeated: false,
            path: WeightPath::of(name),
        }
    }

    fn of_statement(statement: &WeightRecord) -> Self {
        Self {
            status: statement.status,
            before: finite(statement.before),
            value: finite(statement.value),
            standard_error: positive(statement.standard_error),
            data: data(statement),
            changed: statement.changed,
            advice: statement.advice,
            games: statement.games,
            ..Self::new(&statement.name)
        }
    }

    /// By how much it changed, as it is written.
    pub(crate) fn change(&self) -> Option<f64> {
        finite(Some(self.value? - self.before?))
    }

    /// The change in standard errors, both as the data say alone: of the weight against
    /// the mean of its table, where the data tell that better.
    pub(crate) fn in_errors(&self) -> Option<f64> {
        if let Some(contrast) = &self.contrast {
            return contrast.in_errors();
        }
        let (value, error) = self.data?;
        finite(Some((value - self.before?) / error))
    }

    /// The change as it is written, in standard errors that take the prior as true; as
    /// [`in_errors`](Self::in_errors) perhaps of the weight against its table.
    pub(crate) fn written_in_errors(&self) -> Option<f64> {
        match &self.contrast {
            Some(contrast) => contrast.written_in_errors(),
            None => finite(Some(self.change()? / self.standard_error?)),
        }
    }

    /// Whether it changed for sure, by itself or against the mean of its table.
    pub(crate) fn changed_for_sure(&self) -> bool {
        self.changed || self.contrast.as_ref().is_some_and(|c| c.changed)
    }

    /// Its name, how many others are like it, and whether its change is that against
    /// its table.
    pub(crate) fn label(&self) -> String {
        let name = self.named_with(self.alike);
        match self.contrast {
            Some(_) => name + " in its table",
            None => name,
        }
    }

    /// Its name, and how many others are said to be like it.
    pub(crate) fn named_with(&self, alike: usize) -> String {
        match alike {
            0 => self.name.clone(),
            alike => format!("{} (+{alike} alike)", self.name),
        }
    }

    /// Tells whether it is written as something else than before.
    pub(crate) fn has_moved(&self) -> bool {
        self.change().is_some_and(|change| change.abs() > 0.0)
    }

    /// Tells whether nothing could move it.
    pub(crate) fn is_fixed(&self) -> bool {
        matches!(self.status, Word::Frozen | Word::Unseen | Word::Separated)
    }

    /// How far a 95 % interval reaches to each side.
    pub(crate) fn reach(&self) -> Option<f64> {
        Some(INTERVAL * self.standard_error?)
    }
}

/// An entry minus the mean of its table.
#[derive(Debug)]
pub(crate) struct Contrast {
    before: Option<f64>,
    value: Option<f64>,
    /// With the prior taken as true.
    standard_error: Option<f64>,
    /// What the data say alone: value and standard error.
    pub data: Option<(f64, f64)>,
    pub changed: bool,
    pub advice: Option<Word>,
}

impl Contrast {
    fn of_statement(statement: &WeightRecord) -> Self {
        Self {
            before: finite(statement.before),
            value: finite(statement.value),
            standard_error: positive(statement.standard_error),
            data: data(statement),
            changed: statement.changed,
            advice: statement.advice,
        }
    }

    fn in_errors(&self) -> Option<f64> {
        let (value, error) = self.data?;
        finite(Some((value - self.before?) / error))
    }

    fn written_in_errors(&self) -> Option<f64> {
        finite(Some((self.value? - self.before?) / self.standard_error?))
    }
}

/// What the data say alone: value and standard error.
fn data(statement: &WeightRecord) -> Option<(f64, f64)> {
    let data = statement.data.as_ref()?;
    finite(data.value).zip(positive(data.standard_error))
}

/// A record, and what is computed of it.
#[derive(Debug)]
pub(crate) struct Digest<'a> {
    pub record: &'a RunRecord,
    /// In the order of the record.
    pub weights: Vec<Weight>,
    /// By parameter, in the order of their first weights.
    pub tables: Vec<Table>,
}

impl<'a> Digest<'a> {
    pub(crate) fn new(record: &'a RunRecord) -> Self {
        let stated = record.judgement.iter().flat_map(|j| &j.weights);
        let mut weights: Vec<Weight> = stated.map(Weight::of_statement).collect();
        if weights.is_empty() {
            let initial: HashMap<&str, f64> = (record.initial.0.iter())
                .filter_map(|(name, value)| Some((name.as_str(), finite(*value)?)))
                .collect();
            let written = record.weights.0.iter();
            weights = written
                .map(|(name, value)| Weight {
                    value: finite(*value),
                    before: initial.get(name.as_str()).copied(),
                    ..Weight::new(name)
                })
                .collect();
        }
        let tables = record.judgement.iter().flat_map(|j| &j.tables);
        let entries: HashMap<&str, &WeightRecord> = tables
            .flat_map(|table| &table.entries)
            .map(|entry| (entry.name.as_str(), entry))
            .collect();
        for weight in &mut weights {
            let entry = entries.get(weight.raw_name.as_str());
            weight.contrast = entry.map(|entry| Contrast::of_statement(entry));
        }
        find_alike(&mut weights);
        let tables = Table::all(&weights);
        Self {
            record,
            weights,
            tables,
        }
    }

    pub(crate) fn judgement(&self) -> Option<&'a JudgementRecord> {
        self.record.judgement.as_ref()
    }

    /// Tells whether anything is known of errors of weights.
    pub(crate) fn has_errors(&self) -> bool {
        self.weights.iter().any(|w| w.in_errors().is_some())
    }

    /// The weights that were written as something else than before, those first
    /// that changed by most standard errors; where none are known, by most. Of those
    /// that are alike the first.
    pub(crate) fn changes(&self) -> Vec<&Weight> {
        let mut moved: Vec<&Weight> = self
            .weights
            .iter()
            .filter(|w| w.has_moved() && !w.is_repeated)
            .collect();
        moved.sort_by(|a, b| rank(b).total_cmp(&rank(a)));
        moved
    }

    /// The weights that the data tell from what they were, and that are written
    /// as before all the same: the prior kept them.
    pub(crate) fn kept_by_prior(&self) -> Vec<&Weight> {
        let mut kept: Vec<&Weight> = (self.weights.iter())
            .filter(|w| w.changed && !w.has_moved() && !w.is_repeated)
            .collect();
        kept.sort_by(|a, b| rank(b).total_cmp(&rank(a)));
        kept
    }

    /// The names of the weights of a status, or those that the solver lists where
    /// nothing is said of weights.
    pub(crate) fn names_of(&self, status: Word) -> Vec<String> {
        let named = (self.weights.iter()).filter(|weight| weight.status == status);
        let stated: Vec<String> = named.map(|weight| weight.name.clone()).collect();
        if self.judgement().is_some_and(|j| !j.weights.is_empty()) {
            return stated;
        }
        let solver = &self.record.solver;
        let listed = match status {
            Word::Unseen => &solver.unseen,
            Word::Separated => &solver.separated,
            Word::AtBound => &solver.at_bound,
            _ => return stated,
        };
        listed.iter().map(|name| text::name(name)).collect()
    }
}

/// Counts the weights of a table whose numbers are the same to the last bit: ties
/// make them so.
fn find_alike(weights: &mut [Weight]) {
    let mut firsts: HashMap<_, usize> = HashMap::new();
    for number in 0..weights.len() {
        let weight = &weights[number];
        let (Some((value, error)), Some(before)) = (weight.data, weight.before) else {
            continue;
        };
        let path = &weight.path;
        let numbers = [value, error, before, weight.value.unwrap_or(0.0)].map(f64::to_bits);
        let key = (path.parameter.clone(), path.phase, numbers);
        let first = *firsts.entry(key).or_insert(number);
        if first != number {
            weights[first].alike += 1;
            weights[number].is_repeated = true;
        }
    }
}

/// By what changes are put in order: all with standard errors come before those
/// without.
pub(crate) fn rank(weight: &Weight) -> f64 {
    let change = weight.change().map_or(0.0, f64::abs);
    match weight.in_errors() {
        Some(errors) => 1.0 + errors.abs(),
        None => change / (1.0 + change),
    }
}

/// Returns a number that is one.
pub(crate) fn finite(value: Option<f64>) -> Option<f64> {
    value.filter(|value| value.is_finite())
}

/// Returns a number above 0.
fn positive(value: Option<f64>) -> Option<f64> {
    finite(value).filter(|value| *value > 0.0)
}

/// Counts of the weights of one table, or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub weights: usize,
    /// How many are not what they were.
    pub moved: usize,
    /// How many changed for sure.
    pub changed: usize,
    pub keep: usize,
    pub unclear: usize,
    pub drop: usize,
}

impl Counts {
    pub(crate) fn of<'a>(weights: impl IntoIterator<Item = &'a Weight>) -> Self {
        let mut counts = Self::default();
        for weight in weights {
            counts.weights += 1;
            counts.moved += usize::from(weight.has_moved());
            counts.changed += usize::from(weight.changed);
            counts.advise(weight.advice);
        }
        counts
    }

    /// Counts entries by what is said of them against the mean of their table.
    pub(crate) fn of_contrasts<'a>(weights: impl IntoIterator<Item = &'a Weight>) -> Self {
        let mut counts = Self::default();
        for contrast in weights.into_iter().filter_map(|w| w.contrast.as_ref()) {
            counts.weights += 1;
            counts.changed += usize::from(contrast.changed);
            counts.advise(contrast.advice);
        }
        counts
    }

    fn advise(&mut self, advice: Option<Word>) {
        match advice {
            Some(Word::Keep) => self.keep += 1,
            Some(Word::Unclear) => self.unclear += 1,
            Some(Word::Drop) => self.drop += 1,
            _ => {}
        }
    }

    /// Tells whether there is advice on any.
    pub(crate) const fn is_advised(&self) -> bool {
        self.keep + self.unclear + self.drop > 0
    }
}
