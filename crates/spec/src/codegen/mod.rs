//! Writes `tuned_weights.rs`: the weights as Rust consts; or the same in [other
//! languages](Language).
//!
//! [`emit`] makes the text from a spec and one integer per weight;
//! [`write_if_changed`](tuner_base::write_if_changed) puts it into a file. What comes from a spec
//! gets into the text in three forms only: names that `check` has found to be identifiers, numbers,
//! and doc lines that hold no line end: behind `///` in Rust,
//! in comments that nothing in them can end in C and C++, as strings in JSON.
//!
//! The text is laid out here, not by a formatter, because tables of squares
//! are to be read as boards; it is what rustfmt would leave alone.

mod consts;
mod errors;
mod header;
mod json;
mod language;
mod pair;
mod provenance;

use tuner_base::WeightId;

use crate::{CountError, LengthError, Phases, Spec};

pub use errors::WeightError;
pub use language::Language;
pub use provenance::{FitRecord, Provenance};

/// Why no code can be generated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EmitError {
    /// The number of values is not that of the weights.
    #[error(transparent)]
    Length(#[from] LengthError),
    /// A value with finer digits than its step.
    #[error(transparent)]
    Count(#[from] CountError),
    /// Values that the integer type of the spec does not hold, names that the language has for
    /// something else, or a text that may not be in a comment: each with what to do about it.
    #[error("{}", .0.join("\n"))]
    Refused(Vec<String>),
}

impl EmitError {
    /// Fails with the messages `refused`, if there are any: each is on something that cannot be
    /// written.
    fn unless_empty(refused: Vec<String>) -> Result<(), Self> {
        if refused.is_empty() {
            Ok(())
        } else {
            Err(Self::Refused(refused))
        }
    }
}

/// Writes the weights as one Rust file that needs no dependency: [`emit_as`] for
/// [`Language::Rust`].
///
/// # Errors
///
/// If the number of values is not that of the weights, or something cannot be written in Rust.
pub fn emit(spec: &Spec, values: &[i64], provenance: &Provenance) -> Result<String, EmitError> {
    emit_as(Language::Rust, spec, values, provenance)
}

/// Writes the weights as one file of a language, which needs nothing else.
///
/// `values` has a whole number for each weight, in the order of the layout: the weight in units of
/// the last decimal of its step, which [`Layout::counts`](crate::Layout::counts) computes; a whole
/// weight is itself. The same arguments give the same bytes; a date appears only if `provenance`
/// has one.
///
/// # Errors
///
/// If there is not one value per weight, and one standard error where there are any; if values do
/// not fit the integer type of the spec (all of them are named); if a name of the spec means
/// something else in the language; or if a text in `provenance` has control characters, code fences
/// or tags.
pub fn emit_as(
    language: Language,
    spec: &Spec,
    values: &[i64],
    provenance: &Provenance,
) -> Result<String, EmitError> {
    let layout = spec.layout();
    LengthError::check(values.len(), layout)?;
    let integer = spec.output().integer;
    // A message on a value that does not fit.
    let wide = |(weight, value): (WeightId, &i64)| {
        let step = layout.parameter_of(weight).step;
        (!step.range(integer).contains(value)).then(|| {
            let (name, value) = (layout.name(weight), step.text(*value));
            let (expected, cure) = step.in_range(integer);
            format!("{name} is {value}; expected {expected}; give it bounds or {cure}")
        })
    };
    let refused = layout.weight_ids().zip(values).filter_map(wide);
    EmitError::unless_empty(refused.collect())?;
    if let Some(fit) = provenance.fit.as_ref().filter(|fit| !fit.errors.is_empty()) {
        LengthError::check(fit.errors.len(), layout)?;
    }
    language::check(language, spec)?;
    let emission = Emission {
        language,
        spec,
        values,
        provenance,
        title: provenance::title(spec),
        facts: provenance::facts(spec, provenance)?,
    };
    Ok(match language {
        Language::Rust => emission.rust(),
        Language::C | Language::Cpp => emission.header(),
        Language::Json => emission.json(),
    })
}

/// What is written, and in which language.
struct Emission<'a> {
    language: Language,
    spec: &'a Spec,
    values: &'a [i64],
    provenance: &'a Provenance,
    /// The first line.
    title: String,
    /// Sentences on where the weights come from, a line each.
    facts: Vec<String>,
}

impl Emission<'_> {
    /// Returns the text of the Rust module with the weights: a comment on where they are from, the
    /// pair type if a parameter is tapered, the weights as consts or as fields of one struct, and
    /// the annotation by which the macros find them.
    fn rust(&self) -> String {
        let mut text = format!("//! {}\n//!\n", self.title);
        for fact in &self.facts {
            text.extend(["//! - ", fact, "\n"]);
        }
        if is_tapered(self.spec) {
            text.push_str(&pair::pair(self.spec.output()));
        }
        match &self.spec.output().in_struct {
            Some(name) => self.rust_struct(name, &mut text),
            None => {
                for parameter in self.spec.layout().parameters() {
                    self.rust_const(parameter, &mut text);
                }
            }
        }
        text.push_str("\n#[cfg(feature = \"tune\")]\n::tuner_core::traced!();\n");
        text
    }
}

/// Tells whether a parameter of the spec is tapered, so that code needs the pair type.
fn is_tapered(spec: &Spec) -> bool {
    let mut parameters = spec.layout().parameters().iter();
    parameters.any(|parameter| parameter.phases == Phases::Tapered)
}
