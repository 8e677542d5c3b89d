//! What pages and lines are made of: weights with all that is known of each, in
//! tables by parameter, and the changes that say most.

mod path;
mod table;

use std::collections::HashMap;
use std::rc::Rc;

use crate::text;
use path::WeightPath;
pub(crate) use table::{Slice, Table, View};
use tuner_judge::{EntryStatement, Judgement, StatementCounts, WeightStatement, WeightStatus};

/// A weight, with all that is known of it.
#[derive(Debug)]
pub(crate) struct Weight {
    /// Its name, fit to be shown.
    pub name: String,
    /// What the judge says of it.
    pub stated: WeightStatement,
    /// What is said of it against the mean of its table, where the data tell that
    /// better than the weight.
    pub contrast: Option<EntryStatement>,
    /// How far its 95 % interval reaches to each side, in its unit, with the prior taken as true.
    /// `None` where that is not known, or without end.
    pub reach: Option<f64>,
    /// How many later weights of the same table have the same numbers to the last
    /// bit, as tied ones have.
    pub alike: usize,
    /// Whether an earlier weight of the same table has the same numbers.
    pub is_repeated: bool,
    path: WeightPath,
}

impl Weight {
    /// Makes a weight, as pages show it, from the statement on it. Its interval, and how it
    /// compares with its table and with equal weights, are not known yet.
    pub(crate) fn of(stated: &WeightStatement) -> Self {
        Self {
            name: text::name(&stated.name),
            stated: stated.clone(),
            contrast: None,
            reach: None,
            alike: 0,
            is_repeated: false,
            path: WeightPath::of(&stated.name),
        }
    }

    /// Returns by how much the weight changed as it is written, after rounding and with the prior,
    /// in its unit.
    pub(crate) fn change(&self) -> f64 {
        // Values so far apart that their difference is infinite have the largest number instead.
        (self.stated.value - self.stated.before).clamp(f64::MIN, f64::MAX)
    }

    /// Returns the statement on the weight against the mean of its table. `None` if there is none,
    /// or if against the mean the weight rose while its own value fell or the other way round, as
    /// that would contradict the values shown next to it.
    pub(crate) fn in_table(&self) -> Option<&EntryStatement> {
        let contrast = self.contrast.as_ref();
        contrast.filter(|of| (of.data.value - of.before) * self.change() >= 0.0)
    }

    /// Returns the change in standard errors, both by the data without the prior: of the weight
    /// against the mean of its table where there is a statement on that, else of the weight by
    /// itself. `None` where the error is not known, as of a weight that was not fitted, or is 0.
    pub(crate) fn in_errors(&self) -> Option<f64> {
        let errors = match self.in_table() {
            Some(contrast) => contrast.data.from(contrast.before),
            None => self.stated.change(),
        };
        errors.filter(|errors| errors.is_finite())
    }

    /// Returns the change as it is written, in standard errors that take the prior as true: of the
    /// weight against the mean of its table where there is a statement on that, else of the weight
    /// by itself. `None` where no such error is known.
    pub(crate) fn written_in_errors(&self) -> Option<f64> {
        let errors = match &self.contrast {
            Some(contrast) => (contrast.value - contrast.before) / contrast.standard_error,
            None => self.change() / self.standard_error()?,
        };
        Some(errors).filter(|errors| errors.is_finite())
    }

    /// Returns the standard error of the weight, with the prior taken as true; `None` where it is
    /// not known, or is 0.
    pub(crate) fn standard_error(&self) -> Option<f64> {
        self.stated.standard_error.filter(|error| *error > 0.0)
    }

    /// Returns the written value of the weight as text: `14`, or with its standard error `14 ±
    /// 1.5`.
    pub(crate) fn written(&self) -> String {
        text::with_error(self.stated.value, self.standard_error())
    }

    /// Returns the length of the weight's bar in a picture: its change in standard errors, or,
    /// where no error is known, in its unit as it is written.
    pub(crate) fn size(&self) -> f64 {
        self.in_errors().unwrap_or(self.change())
    }

    /// Returns as text the number that the weight's bar shows: its change in standard errors or,
    /// where no error is known, in its unit.
    pub(crate) fn size_text(&self) -> String {
        match self.in_errors() {
            Some(errors) => text::in_errors(errors),
            None => text::signed(self.change()),
        }
    }

    /// Tells whether the weight changed for sure, by itself or against the mean of its table.
    pub(crate) fn changed_for_sure(&self) -> bool {
        self.stated.changed || self.contrast.as_ref().is_some_and(|c| c.changed)
    }

    /// Returns the weight's name, with how many later weights of its table have the same numbers,
    /// and ` in its table` if its change is that against the mean of the table.
    pub(crate) fn label(&self) -> String {
        let name = alike_named(&self.name, self.alike);
        match self.in_table() {
            Some(_) => name + " in its table",
            None => name,
        }
    }

    /// Tells whether the weight is written with another value than before.
    pub(crate) fn has_moved(&self) -> bool {
        self.change().abs() > 0.0
    }

    /// Returns the number by which changes are ordered, the largest first: 1 plus the size of the
    /// change in standard errors or, where these are not known, s/(1 + s) of a change of size s,
    /// which is below 1.
    pub(crate) fn rank(&self) -> f64 {
        let size = self.change().abs();
        self.in_errors()
            .map_or(size / (1.0 + size), |errors| 1.0 + errors.abs())
    }

    /// Tells whether the fit could not move the weight: it is frozen, no position reads it, or the
    /// data separate it.
    pub(crate) fn is_fixed(&self) -> bool {
        matches!(
            self.stated.status,
            WeightStatus::Frozen | WeightStatus::Unseen | WeightStatus::Separated
        )
    }
}

/// Returns the size at which bars of these weights end: three times the median, so that one weight
/// far off does not make the bars of all others short; the largest size where that is less.
pub(crate) fn longest_bar(weights: &[&Weight]) -> f64 {
    let mut sizes: Vec<f64> = weights.iter().map(|w| w.size().abs()).collect();
    sizes.sort_by(f64::total_cmp);
    let (Some(&last), Some(&median)) = (sizes.last(), sizes.get(sizes.len() / 2)) else {
        return 0.0;
    };
    last.min(3.0 * median)
}

/// Returns a name, followed by how many other weights have the same numbers: `PST[3] (+2 alike)`;
/// the name alone if `alike` is 0.
pub(crate) fn alike_named(name: &str, alike: usize) -> String {
    match alike {
        0 => name.to_owned(),
        alike => format!("{name} (+{alike} alike)"),
    }
}

/// Weights, and the tables that they form.
#[derive(Debug)]
pub(crate) struct Digest {
    /// The weights in the order of the record.
    pub weights: Vec<Rc<Weight>>,
    /// Their tables, one for each parameter, in the order of their first weights.
    pub tables: Vec<Table>,
}

impl Digest {
    /// Takes weights in the order of the record, and groups them into tables.
    pub(crate) fn new(weights: Vec<Weight>) -> Self {
        let weights: Vec<Rc<Weight>> = weights.into_iter().map(Rc::new).collect();
        let tables = Table::all(&weights);
        Self { weights, tables }
    }

    /// Returns the weights of a judgement, with what it says of them in tables.
    pub(crate) fn of(judgement: &Judgement) -> Self {
        let entries = judgement.tables.iter().flat_map(|table| &table.entries);
        let entries: HashMap<&str, &EntryStatement> =
            entries.map(|entry| (&*entry.name, entry)).collect();
        let mut weights: Vec<Weight> = judgement.weights.iter().map(Weight::of).collect();
        for weight in &mut weights {
            weight.contrast = entries.get(&*weight.stated.name).copied().cloned();
            // By how many standard errors a 95 % interval reaches to each side, times that error.
            let reach = judgement.reach.zip(weight.standard_error());
            let reach = reach.map(|(errors, error)| errors * error);
            weight.reach = reach.filter(|reach| reach.is_finite());
        }
        find_alike(&mut weights);
        Self::new(weights)
    }

    /// Tells whether anything is known of errors of weights.
    pub(crate) fn has_errors(&self) -> bool {
        self.weights.iter().any(|w| w.in_errors().is_some())
    }

    /// Returns the weights that were written with another value than before, first those that
    /// changed by most standard errors, then those without known errors that changed most. Of
    /// weights of a table with the same numbers only the first is there.
    pub(crate) fn changes(&self) -> Vec<&Weight> {
        self.ranked(Weight::has_moved)
    }

    /// Returns the weights for which `which` is true, the most significant change first. Of weights
    /// of a table with the same numbers only the first is there.
    pub(crate) fn ranked(&self, which: impl Fn(&Weight) -> bool) -> Vec<&Weight> {
        let weights = self.weights.iter().map(|weight| &**weight);
        ranked(weights.filter(|weight| which(weight)))
    }
}

/// Finds the weights of a table and phase whose numbers are the same to the last bit, as those of
/// ties are: the first counts how many others there are, which are marked as repeated. Weights of
/// which the data say nothing are left alone: that they are equal says nothing.
fn find_alike(weights: &mut [Weight]) {
    let mut firsts: HashMap<_, usize> = HashMap::new();
    for number in 0..weights.len() {
        let weight = &weights[number];
        let (stated, path) = (&weight.stated, &weight.path);
        let Some(data) = stated.data.filter(|data| data.standard_error > 0.0) else {
            continue;
        };
        let numbers = [data.value, data.standard_error, stated.before, stated.value];
        let numbers = numbers.map(f64::to_bits);
        let key = (path.parameter.clone(), path.phase, numbers);
        let first = *firsts.entry(key).or_insert(number);
        if first != number {
            weights[first].alike += 1;
            weights[number].is_repeated = true;
        }
    }
}

/// Counts how many weights changed for sure, and how many have each advice.
pub(crate) fn counts(weights: &[Rc<Weight>]) -> StatementCounts {
    let stated = weights.iter().map(|weight| &weight.stated);
    StatementCounts::of(stated.map(|stated| (stated.advice, stated.changed)))
}

/// Returns weights sorted by their changes, the most significant first. Of weights of a table with
/// the same numbers only the first is there.
pub(crate) fn ranked<'a>(weights: impl Iterator<Item = &'a Weight>) -> Vec<&'a Weight> {
    let weights = weights.filter(|weight| !weight.is_repeated);
    let mut ranked: Vec<(f64, &Weight)> = weights.map(|of| (of.rank(), of)).collect();
    ranked.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    ranked.into_iter().map(|(_, weight)| weight).collect()
}
