//! A spec as a whole: what `Spec::parse` returns.

use std::collections::BTreeSet;
use std::fs;
use std::ops::RangeInclusive;
use std::path::Path;

use super::check::{Initial, check};
use super::diagnostic::SpecErrors;
use super::layout::Layout;
use super::path::PathError;
use super::raw::RawSpec;
use super::toml_text;
use tuner_base::{Fingerprint, WeightId};

/// Largest spec, or source, that is read, in bytes. Chosen: ten times a network of weights
/// written out, two hundred times the largest evaluation known to us; it keeps a wrong file name
/// from filling the memory.
const LARGEST_FILE: u64 = 64 << 20;

/// The integer type of generated values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Integer {
    /// 8 bits.
    I8,
    /// 16 bits.
    I16,
    /// 32 bits.
    I32,
    /// 64 bits.
    I64,
}

impl Integer {
    pub(super) const NAMED: [(&'static str, Self); 4] = [
        ("i8", Self::I8),
        ("i16", Self::I16),
        ("i32", Self::I32),
        ("i64", Self::I64),
    ];

    /// Returns the name of the type in Rust, such as `i32`.
    pub const fn name(self) -> &'static str {
        Self::NAMED[self as usize].0
    }

    /// Returns the range of values that a weight of this type may have: all of the type, but at
    /// most ±2⁵³, so that the solver's `f64` holds each of them exactly.
    pub const fn range(self) -> RangeInclusive<i64> {
        match self {
            Self::I8 => i8::MIN as i64..=i8::MAX as i64,
            Self::I16 => i16::MIN as i64..=i16::MAX as i64,
            Self::I32 => i32::MIN as i64..=i32::MAX as i64,
            Self::I64 => -(1 << 53)..=1 << 53,
        }
    }
}

/// How the generated Rust looks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Name of the type of a tapered value: `[A-Z][A-Za-z0-9]*`.
    pub pair: String,
    /// Path to import that type from, made of identifiers; `None`: it is defined.
    pub pair_from: Option<String>,
    /// Type of an untapered whole number and of both halves of a pair of them.
    pub integer: Integer,
    /// Type of the numbers of a parameter whose step has a point.
    pub float: FloatType,
    /// Whether the halves of a pair are floats: either all tapered parameters hold them,
    /// or none.
    pub float_pairs: bool,
    /// Name of the one const whose fields the parameters are; `None`: a const each.
    pub in_struct: Option<String>,
}

/// Returns the name of the type of a struct, made of the name of its const: `KingWeights` of
/// `KING_WEIGHTS`.
pub(super) fn struct_name(of_const: &str) -> String {
    let parts = of_const.split('_').filter(|part| !part.is_empty());
    parts
        .map(|part| part[..1].to_owned() + &part[1..].to_ascii_lowercase())
        .collect()
}

/// The type of generated floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatType {
    /// 32 bits.
    F32,
    /// 64 bits.
    F64,
}

impl FloatType {
    pub(super) const NAMED: [(&'static str, Self); 2] = [("f32", Self::F32), ("f64", Self::F64)];

    /// Returns the name of the type in Rust, `f32` or `f64`.
    pub const fn name(self) -> &'static str {
        Self::NAMED[self as usize].0
    }
}

/// A spec without mistakes.
#[derive(Clone, Debug)]
pub struct Spec {
    pub(super) name: String,
    pub(super) unit: String,
    pub(super) values: Option<String>,
    pub(super) k: Option<f64>,
    pub(super) output: Output,
    pub(super) layout: Layout,
    /// The fingerprint of the file's content; choosing weights does not change it.
    pub(super) hash: String,
}

/// Which weights a fit is to move, in words that [`Layout::select`] knows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrozenChoice {
    /// If not empty, all weights but these are frozen.
    pub only: Vec<String>,
    /// Weights that are frozen.
    pub freeze: Vec<String>,
    /// Weights that are free, even if the spec, `only` or `freeze` freezes them.
    pub free: Vec<String>,
    /// The values at which weights are fixed that `only` and `freeze` freeze and the spec does not:
    /// those that a fit starts from; `None`: the initial ones.
    pub start: Option<Vec<f64>>,
}

/// The error that words of a choice mean no weight.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{option} {words}: {reason}")]
pub struct ChoiceError {
    /// `only`, `freeze` or `free`.
    option: &'static str,
    /// The words that were given.
    words: String,
    /// Why they mean no weight.
    reason: Box<PathError>,
}

impl Spec {
    /// Reads and checks a spec file.
    ///
    /// # Errors
    ///
    /// Every mistake in the file, or that it cannot be read.
    pub fn load(file: &Path) -> Result<Self, SpecErrors> {
        Self::parse(file, &read(file)?)
    }

    /// Returns the spec with other names of parameters in headers of C and C++. `symbol`: from the
    /// name of a parameter to its name in headers, `None` where they are equal.
    #[must_use]
    pub fn with_symbols(mut self, symbol: impl Fn(&str) -> Option<String>) -> Self {
        self.layout.set_symbols(symbol);
        self
    }

    /// Checks the text of a spec; `file` is only named in messages.
    ///
    /// # Errors
    ///
    /// Every mistake in the text. Where the TOML itself is broken, only what
    /// breaks it, since the rest cannot be trusted.
    pub fn parse(file: &Path, text: &str) -> Result<Self, SpecErrors> {
        parse(file, text).map(|(spec, _, _)| spec)
    }

    /// Returns the name of the spec, an identifier.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the unit of the weights in words, such as `centipawn`.
    pub fn unit(&self) -> &str {
        &self.unit
    }

    /// Returns where the initial values come from, in words in one line; `None` if the spec does
    /// not say it.
    pub fn values(&self) -> Option<&str> {
        self.values.as_deref()
    }

    /// Returns the scaling constant K that belongs to the initial values; `None` if the spec has
    /// none, so that a fit finds it.
    pub const fn k(&self) -> Option<f64> {
        self.k
    }

    /// Returns how generated code looks: types and names, by the section `[output]`.
    pub const fn output(&self) -> &Output {
        &self.output
    }

    /// Returns the layout: all weights with their names, order, bounds and ties.
    pub const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Returns a fingerprint of what the spec means for a fit: its name, integer type, parameters,
    /// steps, initial values, bounds, frozen weights, ties, constraints and priors. Comments, the
    /// order of keys, spelling of values, docs, groups, the unit, and the keys `k` and `values` do
    /// not count.
    ///
    /// It is sixteen hexadecimal digits, equal on every machine. To choose which weights are
    /// frozen, by [`choose`](Self::choose), does not change it.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Returns the spec with other weights frozen, as `choice` says. A weight that the choice
    /// freezes and the spec itself does not is fixed at its value in [`FrozenChoice::start`],
    /// rounded to a multiple of its step, if that is given; all other frozen weights at their
    /// initial values.
    ///
    /// Weights that are tied are frozen and free together, so the choice is made among the roots of
    /// the ties, the weights that others follow.
    ///
    /// # Errors
    ///
    /// If words mean no weight.
    pub fn choose(&self, choice: &FrozenChoice) -> Result<Self, ChoiceError> {
        let layout = &self.layout;
        let root = |weight: WeightId| {
            let mut ties = layout.ties().iter();
            ties.find(|tie| tie.weight == weight)
                .map_or(weight, |tie| tie.root)
        };
        // The roots of the weights that words mean; `option`: where the words are from.
        let selected = |option: &'static str, all: &[String]| {
            let mut found = BTreeSet::new();
            for words in all {
                let weights = layout.select(words).map_err(|reason| ChoiceError {
                    option,
                    words: words.clone(),
                    reason: Box::new(reason),
                })?;
                found.extend(weights.into_iter().map(root));
            }
            Ok(found)
        };
        let only = selected("only", &choice.only)?;
        let freeze = selected("freeze", &choice.freeze)?;
        let free = selected("free", &choice.free)?;
        let frozen = |weight| {
            let root = root(weight);
            let is_other = !only.is_empty() && !only.contains(&root);
            !free.contains(&root) && (is_other || layout.frozen(weight) || freeze.contains(&root))
        };
        let frozen: Vec<bool> = layout.weight_ids().map(frozen).collect();
        // In units of the last decimal of each weight's step.
        let mut fixed_at = layout.initial_counts().to_vec();
        if let Some(start) = &choice.start {
            for weight in layout.weight_ids() {
                let at = weight.index();
                if frozen[at] && !layout.frozen(weight) {
                    let step = layout.parameter_of(weight).step;
                    fixed_at[at] = (start[at] / step.size()).round() as i64 * step.counts;
                }
            }
        }
        Ok(Self {
            layout: layout.with_frozen(frozen, fixed_at),
            ..self.clone()
        })
    }

    /// Computes the fingerprint of what the spec means for a fit, which [`hash`](Self::hash)
    /// returns later. Fits are resumed and compared by it, so what is added to it, and in which
    /// order, must never change. Keys that few specs have are added only where they are there,
    /// behind a word of their own, so that specs without them keep their fingerprint.
    pub(super) fn fingerprint(&self) -> String {
        let mut fingerprint = Fingerprint::new();
        fingerprint.text("spec 1");
        fingerprint.text(&self.name);
        fingerprint.text(self.output.integer.name());
        self.layout.add_to(&mut fingerprint);
        // What all specs have. Bounds that are missing are the smallest and the largest integer; a
        // width that is missing is 0.
        for parameter in self.layout.parameters() {
            let (lower, upper) = parameter.bounds.unwrap_or((i64::MIN, i64::MAX));
            fingerprint.i64(lower);
            fingerprint.i64(upper);
            fingerprint.count(usize::from(parameter.prior.is_some()));
            if let Some(deviation) = parameter.prior {
                add_number(deviation, &mut fingerprint);
            }
            fingerprint.count(usize::from(parameter.smooth.is_some()));
            if let Some(smooth) = &parameter.smooth {
                add_number(smooth.deviation, &mut fingerprint);
                fingerprint.count(smooth.width.unwrap_or(0));
                fingerprint.list(smooth.axes.iter().map(|&axis| axis as u64));
            }
        }
        for (weight, &value) in (self.layout.weight_ids()).zip(self.layout.initial_counts()) {
            fingerprint.i64(value);
            fingerprint.count(usize::from(self.layout.frozen(weight)));
        }
        fingerprint.count(self.layout.ties().len());
        for tie in self.layout.ties() {
            fingerprint.count(tie.weight.index());
            fingerprint.count(tie.root.index());
            fingerprint.f64(tie.factor);
            fingerprint.f64(tie.difference);
        }
        // What few specs have, behind a word each. A pool without a deviation has 0, which no spec
        // can say.
        for parameter in self.layout.parameters() {
            if let Some(pool) = parameter.pool {
                fingerprint.text("pool");
                fingerprint.count(pool.axis);
                add_number(pool.deviation.unwrap_or_default(), &mut fingerprint);
            }
            if !parameter.step.is_one() {
                fingerprint.text("step");
                fingerprint.i64(parameter.step.counts);
                fingerprint.count(parameter.step.decimals as usize);
                fingerprint.count(usize::from(parameter.step.is_float));
            }
            if let Some(laplace) = parameter.laplace {
                fingerprint.text("l1");
                fingerprint.count(parameter.first_weight);
                add_number(laplace.deviation, &mut fingerprint);
                fingerprint.count(usize::from(laplace.to_zero));
            }
        }
        for constraint in self.layout.constraints() {
            fingerprint.text("constraint");
            for &(weight, factor) in &constraint.terms {
                fingerprint.count(weight.index());
                fingerprint.f64(factor);
            }
            for number in [constraint.low, constraint.high, constraint.slack] {
                fingerprint.f64(number);
            }
        }
        fingerprint.hex()
    }
}

/// Adds a standard deviation to a fingerprint: as an integer if it is whole, else as a float. All
/// deviations were integers before specs could have fractions, and the fingerprints of specs from
/// then must stay valid.
fn add_number(number: f64, fingerprint: &mut Fingerprint) {
    if number.fract() == 0.0 {
        fingerprint.i64(number as i64);
    } else {
        fingerprint.f64(number);
    }
}

/// Reads the text of a spec file. If it cannot be read, or is larger than 64 MiB, that is the only
/// mistake of the error.
pub(super) fn read(file: &Path) -> Result<String, SpecErrors> {
    text_of(file).map_err(|reason| SpecErrors::unreadable(file, &reason))
}

/// Reads the text of a file; fails, with the reason in words, if it cannot be read, is not UTF-8,
/// or is larger than 64 MiB.
pub(crate) fn text_of(file: &Path) -> Result<String, String> {
    let size = fs::metadata(file).map_err(|error| error.to_string())?.len();
    if size > LARGEST_FILE {
        return Err("it is larger than 64 MiB".to_owned());
    }
    fs::read_to_string(file).map_err(|error| error.to_string())
}

/// Reads and checks the text of a spec: returns the spec, its sections as they are written, and for
/// each parameter the initial values with their places in the text. `file`: its name, for messages.
pub(super) fn parse(file: &Path, text: &str) -> Result<(Spec, RawSpec, Vec<Initial>), SpecErrors> {
    toml_text::read(file, text, |raw, mistakes| {
        let (spec, initial) = check(&raw, mistakes)?;
        Some((spec, raw, initial))
    })
}
