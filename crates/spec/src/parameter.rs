//! One parameter: a named value or table of values.

use std::ops::{Range, RangeInclusive};

use super::decimal;
use super::spec::Integer;
use std::sync::Arc;
use tuner_base::WeightId;

/// Whether the entries of a parameter depend on the phase of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phases {
    /// One weight per entry, in lane 0 of its slot.
    Untapered,
    /// Two weights per entry, `mg` and `eg`, in lanes 0 and 1 of its slot.
    Tapered,
}

impl Phases {
    /// Names of the phases in the order of the lanes.
    pub(crate) const NAMES: [&'static str; 2] = ["mg", "eg"];

    /// Returns the number of weights per entry: 1, or 2 if it is tapered.
    pub const fn count(self) -> usize {
        match self {
            Self::Untapered => 1,
            Self::Tapered => 2,
        }
    }
}

/// One dimension of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dim {
    pub(super) len: usize,
    pub(super) names: Option<IndexNames>,
}

/// The list name of the dimension that three or more phases make.
pub(super) const PHASE: &str = "phase";

/// A named list of index names, shared by all dimensions that use it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct IndexNames {
    pub(super) list: Arc<str>,
    pub(super) names: Arc<[String]>,
}

impl Dim {
    /// Returns the number of indices along this dimension; at least 1.
    #[allow(clippy::len_without_is_empty)] // never empty
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns the name of the list in `[names]` whose names are the indices of this dimension, or
    /// `phase` for phases of the author's own; `None` if the indices are numbers.
    pub fn list(&self) -> Option<&str> {
        self.names.as_ref().map(|names| &*names.list)
    }

    /// Returns the names of the indices of this dimension, in their order; `None` if they are
    /// numbers alone.
    pub fn names(&self) -> Option<&[String]> {
        self.names.as_ref().map(|names| &*names.names)
    }

    /// Returns how index `index` is written in a path: its name, or its number if it has none.
    pub(super) fn index_name(&self, index: usize) -> String {
        match self.names().and_then(|names| names.get(index)) {
            Some(name) => name.clone(),
            None => index.to_string(),
        }
    }
}

/// Which entries of a table have a smoothness prior, and how strong it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Smooth {
    /// How far neighbours may differ, as a standard deviation in the unit of the spec.
    pub deviation: f64,
    pub(super) axes: Vec<usize>,
    pub(super) width: Option<usize>,
}

/// Entries along a dimension that are drawn toward their common mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pool {
    pub(super) axis: usize,
    /// How far entries may be off that mean, as a standard deviation in the unit of the spec;
    /// `None`: the evidence finds it.
    pub deviation: Option<f64>,
}

/// A prior by distance, which keeps most weights exactly where it draws them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Laplace {
    /// How far weights may be off what it draws to, as a standard deviation in the unit of the
    /// spec.
    pub deviation: f64,
    /// Whether it draws weights to 0; else to their initial values.
    pub to_zero: bool,
}

/// The step of a parameter's weights, which are multiples of it, and how they are written: as a
/// *count* of 10^−decimals, so that no digit of theirs is ever rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeightStep {
    /// The step, as a count of 10^−decimals.
    pub(super) counts: i64,
    pub(super) decimals: u32,
    /// Whether the engine has these numbers as floats.
    pub is_float: bool,
}

impl WeightStep {
    /// Whole numbers.
    pub(super) const ONE: Self = Self {
        counts: 1,
        decimals: 0,
        is_float: false,
    };

    /// Tells whether this is the step of whole numbers: 1, without decimals and not of floats.
    pub fn is_one(self) -> bool {
        self == Self::ONE
    }

    /// Returns the step, in the unit of the spec.
    pub fn size(self) -> f64 {
        self.value(self.counts)
    }

    /// Returns the range of a weight, in units of the last decimal, in an engine whose type of
    /// whole numbers is `integer`. A float has the range of 64 bits.
    pub(super) fn range(self, integer: Integer) -> RangeInclusive<i64> {
        if self.is_float { Integer::I64 } else { integer }.range()
    }

    /// Returns what a message on a weight beyond the range expects, with the range in the unit of
    /// the spec, and a cure other than another value.
    pub(super) fn in_range(self, integer: Integer) -> (String, &'static str) {
        let (least, most) = self.range(integer).into_inner();
        let (least, most) = (self.text(least), self.text(most));
        if self.is_float {
            let expected = format!("{least} to {most}, as floats hold");
            return (expected, "write `step` with fewer decimals");
        }
        let expected = format!("{least} to {most} ({})", integer.name());
        (expected, "choose a wider `integer` in `[output]`")
    }

    /// Returns the value of `count` units of the last decimal (10^−decimals), in the unit of the
    /// spec.
    pub fn value(self, count: i64) -> f64 {
        decimal::value(count, self.decimals)
    }

    /// Returns the text of the value of `count` units of the last decimal, with all decimals: of
    /// 125 with two decimals `1.25`.
    pub fn text(self, count: i64) -> String {
        decimal::text(count, self.decimals)
    }

    /// Returns how many units of the last decimal (10^−decimals) a number is; `None` if it is not a
    /// whole number of them, up to rounding of floats, or is beyond ±2⁵³ of them.
    pub fn count(self, number: f64) -> Option<i64> {
        let count = (number * 10_f64.powi(self.decimals as i32)).round();
        // A sum of several values may be off by some units in the last place of an f64.
        let rounding = 1e-12 * number.abs().max(1.0);
        let is_near = (self.value(count as i64) - number).abs() <= rounding;
        (count.abs() <= (1_u64 << 53) as f64 && is_near).then_some(count as i64)
    }
}

/// A named value or table of values, and where its weights and slots are.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    pub(super) name: String,
    /// The name in headers of C and C++; `None` where it is equal to [`name`](Self::name).
    pub(super) symbol: Option<String>,
    /// Lines of the doc text, each fit to follow `///`.
    pub doc: Vec<String>,
    /// Dimensions, outermost first; none for a single value.
    pub dims: Vec<Dim>,
    /// Tapered or not.
    pub phases: Phases,
    /// Name of the group that reports list it under, if any.
    pub group: Option<String>,
    /// The step of its weights, and how they are written.
    pub step: WeightStep,
    /// Lower and upper limit, inclusive, as counts of 10^−decimals; `None` without limits.
    pub(super) bounds: Option<(i64, i64)>,
    /// How far a weight may be off its initial value, as a standard deviation in the unit of the
    /// spec; `None`: the deviation that holds for all weights.
    pub prior: Option<f64>,
    /// Which entries have a smoothness prior.
    pub smooth: Option<Smooth>,
    /// Which entries are drawn toward their common mean.
    pub pool: Option<Pool>,
    /// The prior by distance, if there is one.
    pub laplace: Option<Laplace>,
    pub(super) first_weight: usize,
    pub(super) first_slot: usize,
}

impl Parameter {
    /// Returns the name of the parameter, which its const has too: `[A-Z][A-Z0-9_]*`, unique in the
    /// spec.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the name of the parameter in headers of C and C++.
    pub(super) fn symbol(&self) -> &str {
        self.symbol.as_ref().unwrap_or(&self.name)
    }

    /// Returns the dimensions of the parameter in words, by the names of their lists or their
    /// lengths, such as `piece × 64`; empty for a single value.
    pub fn shape(&self) -> String {
        let words = self.dims.iter().map(|dim| {
            dim.list()
                .map_or_else(|| dim.len().to_string(), str::to_owned)
        });
        words.collect::<Vec<_>>().join(" × ")
    }

    /// Returns the lower and the upper limit of every weight of the parameter, both inclusive, in
    /// the unit of the spec; infinite where the spec gives no bounds.
    pub fn bounds(&self) -> (f64, f64) {
        self.bounds
            .map_or((f64::NEG_INFINITY, f64::INFINITY), |(lower, upper)| {
                (self.step.value(lower), self.step.value(upper))
            })
    }

    /// Returns the pairs of weights that a smoothness prior ([`smooth`](Self::smooth)) draws to
    /// each other, each pair once, both of the same phase; empty without such a prior.
    ///
    /// Neighbours are entries that follow each other along one of the prior's axes. With a width,
    /// the axis is a board in rows of so many entries, and the neighbours of an entry are the next
    /// one of its row and the one below it.
    pub fn neighbours(&self) -> Vec<[WeightId; 2]> {
        let mut pairs = Vec::new();
        let Some(Smooth { axes, width, .. }) = &self.smooth else {
            return pairs;
        };
        for &axis in axes {
            let (len, step) = self.along(axis);
            for weight in self.weight_range() {
                let index = (weight - self.first_weight) / step % len;
                // Without a width, all of the axis is one row, and nothing is below it.
                let row = width.unwrap_or(len);
                if index % row + 1 < row && index + 1 < len {
                    pairs.push([weight, weight + step].map(WeightId));
                }
                if index + row < len {
                    pairs.push([weight, weight + row * step].map(WeightId));
                }
            }
        }
        pairs
    }

    /// Returns the sets of weights that the prior [`pool`](Self::pool) draws toward the mean of the
    /// set: each has the entries along the prior's axis that have the same other indices and the
    /// same phase. Empty without such a prior.
    pub fn pooled(&self) -> Vec<Vec<WeightId>> {
        let Some(pool) = self.pool else {
            return Vec::new();
        };
        let (len, step) = self.along(pool.axis);
        let is_first = |weight: &usize| ((weight - self.first_weight) / step).is_multiple_of(len);
        let sets = self.weight_range().filter(is_first).map(|first| {
            let set = (0..len).map(|index| WeightId(first + index * step));
            set.collect()
        });
        sets.collect()
    }

    /// Returns the length of dimension `axis`, and how many weights apart two neighbours along it
    /// are.
    pub(super) fn along(&self, axis: usize) -> (usize, usize) {
        let inner = self.dims[axis + 1..].iter().map(Dim::len);
        let step = inner.product::<usize>() * self.phases.count();
        (self.dims[axis].len, step)
    }

    /// Returns the number of entries, the product of the lengths of the dimensions, which is also
    /// the number of slots.
    pub fn entries(&self) -> usize {
        self.dims.iter().map(Dim::len).product()
    }

    /// Returns the first weight of the parameter; the others follow in row-major order, phases
    /// innermost.
    pub const fn first_weight(&self) -> WeightId {
        WeightId(self.first_weight)
    }

    /// Returns the ids of all weights of the parameter, in their order.
    pub fn weights(&self) -> impl ExactSizeIterator<Item = WeightId> + Clone + use<> {
        self.weight_range().map(WeightId)
    }

    /// Returns the range of the numbers of the parameter's weights, by which its part of a list
    /// with a value per weight is cut out.
    pub(super) fn weight_range(&self) -> Range<usize> {
        self.first_weight..self.first_weight + self.entries() * self.phases.count()
    }

    /// Returns the texts, with all decimals, of values in units of the last decimal of the step.
    pub(super) fn texts(&self, counts: &[i64]) -> Vec<String> {
        counts.iter().map(|&count| self.step.text(count)).collect()
    }

    /// Returns the name of the weight with number `offset` in the parameter, from 0, such as
    /// `PST[pawn][12].eg`.
    pub(super) fn weight_name(&self, offset: usize) -> String {
        let phase = match self.phases {
            Phases::Untapered => String::new(),
            Phases::Tapered => format!(".{}", Phases::NAMES[offset % 2]),
        };
        // Entries are row-major, so the last index is found first.
        let mut entry = offset / self.phases.count();
        let mut indices = String::new();
        for dim in self.dims.iter().rev() {
            indices = format!("[{}]{indices}", dim.index_name(entry % dim.len));
            entry /= dim.len;
        }
        format!("{}{indices}{phase}", self.name)
    }
}
