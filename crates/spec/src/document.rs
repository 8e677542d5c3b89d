//! A spec with its text: new values in the place of the old ones.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::check::Initial;
use super::diagnostic::SpecErrors;
use super::edit::{Edit, align, apply, is_aligned, quoted, table};
use super::layout::LengthError;
use super::parameter::{Dim, Parameter};
use super::raw::RawSpec;
use super::read::At;
use super::spec::{self, Spec};
use super::toml_text;

/// A spec file: what it says and its text, in which values can be replaced while all
/// else stays as its author wrote it.
#[derive(Debug)]
pub struct SpecDocument {
    file: PathBuf,
    text: String,
    spec: Spec,
    /// The initial values and their places, by parameter.
    initial: Vec<Initial>,
    raw: RawSpec,
}

/// Why values cannot be written into a spec.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetError {
    /// The number of values is not that of the weights.
    #[error(transparent)]
    Length(#[from] LengthError),
    /// What the spec says of its values (bounds, ties, mirrors, the integer type) does not hold
    /// for these; the lines are those of the text that would have been written.
    #[error("the spec does not allow these values:\n{0}")]
    Spec(#[from] SpecErrors),
}

/// A list of values in the text of a spec: of a parameter, or of one phase of it.
struct WrittenList<'a> {
    dims: &'a [usize],
    /// Numbers per entry: 2 for pairs of phases, else 1.
    lanes: usize,
    /// The bytes of the list in the text.
    bytes: &'a Range<usize>,
    /// The numbers of its weights, counted from the first one of the parameter.
    offsets: Vec<usize>,
}

impl SpecDocument {
    /// Reads and checks a spec file.
    ///
    /// # Errors
    ///
    /// Every mistake in the file, or that it cannot be read.
    pub fn load(file: &Path) -> Result<Self, SpecErrors> {
        Self::parse(file, spec::read(file)?)
    }

    /// Checks the text of a spec; `file` is only named in messages.
    ///
    /// # Errors
    ///
    /// Every mistake in the text.
    pub fn parse(file: &Path, text: String) -> Result<Self, SpecErrors> {
        let (spec, raw, initial) = spec::parse(file, &text)?;
        Ok(Self {
            file: file.to_owned(),
            text,
            spec,
            initial,
            raw,
        })
    }

    /// Returns the spec of the text.
    pub const fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Returns the text of the spec as it was read.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text of the spec with other initial values. `values`: one per weight, in units
    /// of the last decimal of its step; `words`: where they come from, for the key `values`; `k`:
    /// the scaling constant that belongs to them, for the key `k`. Without words or constant that
    /// key stays as it is.
    ///
    /// A number is written over the one that was there; comments, order and columns stay. Where one
    /// number was for several weights that differ now, the table is written out.
    ///
    /// # Errors
    ///
    /// If there is not one value per weight, or the spec does not allow them.
    pub fn with_values(
        &self,
        values: &[i64],
        words: Option<&str>,
        k: Option<f64>,
    ) -> Result<String, SetError> {
        LengthError::check(values.len(), self.spec.layout())?;
        let parameters = self.spec.layout().parameters().iter();
        let changes = parameters
            .zip(&self.initial)
            .flat_map(|(parameter, initial)| {
                self.changes(parameter, initial, &values[parameter.weight_range()])
            });
        let mut edits: Vec<Edit> = changes.collect();
        edits.extend(k.map(|k| self.key("k", self.raw.k.get(), format!("{k:.9}"))));
        edits.extend(words.map(|words| self.key("values", self.raw.values.get(), quoted(words))));
        edits.sort_by_key(|edit| edit.bytes.start);
        let text = apply(&self.text, &edits);
        Spec::parse(&self.file, &text)?;
        Ok(text)
    }

    /// Returns the text of the spec without the parameters `names`, the comments right above them,
    /// and the ties and constraints that name one of them.
    pub fn without(&self, names: &[&str]) -> String {
        let is_one = |path: &str| {
            let stem = path.split(['[', '.']).next().unwrap_or(path);
            names.contains(&stem)
        };
        let parameters = self.raw.parameter.entries().iter();
        let parameters = parameters.filter_map(|one| one.value.name.get());
        let ties = self.raw.tie.entries().iter();
        let ties = ties.flat_map(|tie| [tie.value.entry.get(), tie.value.to.get()]);
        let sums = self.raw.constraint.entries().iter().filter(|one| {
            let terms = one.value.sum.get();
            terms.is_some_and(|terms| terms.value.0.iter().any(|(path, _)| is_one(&path.value)))
        });
        let paths = parameters.chain(ties.flatten());
        let places = paths
            .filter(|path| is_one(&path.value))
            .map(|path| &path.place);
        let places = places.chain(sums.map(|one| &one.place));
        // Each is a byte in a section that is left out. A section begins with the comments right
        // above its head.
        let unwanted: Vec<usize> = places.map(|place| place.bytes.start).collect();
        let sections = toml_text::sections(&self.text).into_iter();
        let kept = sections.filter(|(from, section)| {
            let range = *from..from + section.len();
            !unwanted.iter().any(|place| range.contains(place))
        });
        kept.map(|(_, section)| section).collect()
    }

    /// Returns the edits of the text that give one parameter other initial values. `initial`: the
    /// values in the text, and their places; `values`: one per weight of the parameter, in units of
    /// the last decimal of its step. The text has one list of values, or one for each phase.
    fn changes(&self, parameter: &Parameter, initial: &Initial, values: &[i64]) -> Vec<Edit> {
        let mut dims: Vec<usize> = parameter.dims.iter().map(Dim::len).collect();
        let phases = initial.by_phase.len();
        if phases == 0 {
            let list = WrittenList {
                dims: &dims,
                lanes: parameter.phases.count(),
                bytes: &initial.whole.bytes,
                offsets: (0..values.len()).collect(),
            };
            return self.list(&list, parameter, initial, values);
        }
        if dims.iter().product::<usize>() == values.len() {
            // Phases of the author's own are the last dimension, and each list has one phase.
            dims.pop();
        }
        // Phases are innermost: the weights of one phase are `phases` apart.
        let of_phase = |(phase, bytes): (usize, &Range<usize>)| {
            let list = WrittenList {
                dims: &dims,
                lanes: 1,
                bytes,
                offsets: (phase..values.len()).step_by(phases).collect(),
            };
            self.list(&list, parameter, initial, values)
        };
        let all = initial.by_phase.iter().enumerate();
        all.flat_map(of_phase).collect()
    }

    /// Returns the edits of one list of values in the text: one for each number that changes; or,
    /// where one number of the text is for several weights that differ now, one edit that writes
    /// out the list. `initial`: the values in the text, and their places; `values`: one per weight
    /// of the parameter, in units of the last decimal of its step.
    fn list(
        &self,
        list: &WrittenList<'_>,
        parameter: &Parameter,
        initial: &Initial,
        values: &[i64],
    ) -> Vec<Edit> {
        // The numbers of the text by the byte at which they begin: their bytes, new and old count.
        let mut wanted: BTreeMap<usize, (Range<usize>, i64, i64)> = BTreeMap::new();
        for &offset in &list.offsets {
            let (place, new) = (initial.place(offset).bytes, values[offset]);
            let entry = (place.clone(), new, initial.numbers[offset]);
            let (_, other, _) = wanted.entry(place.start).or_insert(entry);
            if *other != new {
                return vec![self.whole(list, parameter, values)];
            }
        }
        // In columns that are aligned a number keeps its right end where it was.
        let aligned = is_aligned(&self.text, wanted.keys().copied());
        let differ = wanted.into_values().filter(|(_, new, old)| new != old);
        let edits = differ.map(|(mut bytes, new, _)| {
            let mut text = parameter.step.text(new);
            if aligned {
                align(&self.text, &mut bytes, &mut text);
            }
            Edit { bytes, text }
        });
        edits.collect()
    }

    /// Returns the edit that writes a list of values out, with an entry for each weight, in place
    /// of a short form in the text, in which one number is for several weights. `values`: one per
    /// weight of the parameter, in units of the last decimal of its step.
    fn whole(&self, list: &WrittenList<'_>, parameter: &Parameter, values: &[i64]) -> Edit {
        let values: Vec<i64> = list.offsets.iter().map(|&at| values[at]).collect();
        let (texts, mut text) = (parameter.texts(&values), String::new());
        // 0: no list is around the values, so that the outermost brackets are not indented.
        table(list.dims, &texts, list.lanes, 0, &mut text);
        if self.text.contains("\r\n") {
            text = text.replace('\n', "\r\n");
        }
        let bytes = list.bytes.clone();
        Edit { bytes, text }
    }

    /// Returns the edit that gives a key above the parameters, such as `k`, the value `text`: it
    /// replaces the `old` value, or adds a line below the name of the spec.
    fn key<T>(&self, key: &str, old: Option<&At<T>>, text: String) -> Edit {
        if let Some(old) = old {
            let bytes = old.place.bytes.clone();
            return Edit { bytes, text };
        }
        let name = self.raw.name.get().map_or(0, |name| name.place.bytes.end);
        let rest = &self.text[name..];
        let end = name + rest.find(['\r', '\n']).unwrap_or(rest.len());
        let (bytes, text) = (end..end, format!("\n{key} = {text}"));
        Edit { bytes, text }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a test may stop at the first surprise

    use super::*;

    const SPEC: &str = "\
# A spec of mine.
version = 1
name = \"demo\"  # its name
[[parameter]]
name = \"ROOK\"
phases = [\"mg\", \"eg\"]
initial = [480, 520]  # of old
bounds = [0, 1000]
[[parameter]]
initial = [
      5,  -10,  # first
    100,    0,
]
name = \"TABLE\"
shape = [4]
[[parameter]]
name = \"PAIRS\"
shape = [2]
phases = [\"mg\", \"eg\"]
initial = [7, 9]
[[parameter]]
name = \"SPLIT\"
shape = [2]
phases = [\"mg\", \"eg\"]
initial = { mg = 1, eg = [2, 3] }
";

    fn document(text: &str) -> SpecDocument {
        SpecDocument::parse(Path::new("demo.toml"), text.to_owned()).unwrap()
    }

    const NEW: [i64; 14] = [495, 520, -55, 1, 7, 1000, 8, 9, 8, 9, 1, -2, 1, 3];

    #[test]
    fn numbers_are_replaced_and_the_rest_stays() {
        let text = document(SPEC)
            .with_values(&NEW, Some("fitted \"so\""), Some(0.75))
            .unwrap();
        let expected = SPEC
            .replace(
                "# its name\n",
                "# its name\nk = 0.750000000\nvalues = \"fitted \\\"so\\\"\"\n",
            )
            .replace("[480, 520]", "[495, 520]")
            .replace("      5,  -10,", "    -55,    1,")
            .replace("    100,    0,", "      7, 1000,")
            .replace("[7, 9]", "[8, 9]")
            .replace("eg = [2, 3]", "eg = [-2, 3]");
        assert_eq!(text, expected);
        // Again: nothing but the words.
        let again = document(&text);
        assert_eq!(again.spec().values(), Some("fitted \"so\""));
        assert_eq!(
            again
                .with_values(&NEW, Some("fitted \"so\""), None)
                .unwrap(),
            text
        );
        assert_eq!(again.spec().k(), Some(0.75));
        let other = again.with_values(&NEW, None, Some(1.5)).unwrap();
        assert_eq!(document(&other).spec().k(), Some(1.5));
    }

    #[test]
    fn values_by_phase_stay_by_phase() {
        let head = "version = 1\nname = \"demo\"\n[[parameter]]\nname = \"A\"\nshape = [2]\n";
        let tapered = head.to_owned() + "phases = [\"mg\", \"eg\"]\n";
        let own = head.to_owned() + "phases = [\"a\", \"b\", \"c\"]\n";
        for (old, values, new) in [
            (
                tapered.clone() + "initial.mg = [1, 2]\ninitial.eg = 5 # e\n",
                &[11, 5, 2, 55][..],
                tapered.clone() + "initial.mg = [11, 2]\ninitial.eg = [5, 55] # e\n",
            ),
            (
                tapered.clone() + "initial = { eg = [3, 4], mg = 7 }\r\n",
                &[7, 3, 8, 5],
                tapered + "initial = { eg = [3, 5], mg = [7, 8] }\r\n",
            ),
            (
                own.clone() + "initial = { a = 1, b = [2, 3], c = 4 }\n",
                &[1, 2, 4, 1, 9, 6],
                own + "initial = { a = 1, b = [2, 9], c = [4, 6] }\n",
            ),
        ] {
            let text = document(&old).with_values(values, None, None).unwrap();
            assert_eq!(text, new);
            assert_eq!(document(&text).spec().layout().initial_counts(), values);
        }
    }

    #[test]
    fn a_short_form_that_no_longer_holds_is_written_out() {
        let mut new = NEW;
        (new[8], new[12]) = (-8, 4);
        let text = document(SPEC).with_values(&new, Some("x"), None).unwrap();
        assert!(text.contains("initial = [[8, 9], [-8, 9]]\n"), "{text}");
        assert!(text.contains("{ mg = [1, 4], eg = [-2, 3] }\n"), "{text}");
        let read = document(&text);
        assert_eq!(read.spec().layout().initial_counts(), new);
    }

    #[test]
    fn a_parameter_is_taken_out_with_its_comment_and_ties() {
        let tied = format!(
            "{SPEC}# Mine\n\n# goes\n[[parameter]]\nname = \"GONE\"\ninitial = 480\n\n\
             [[tie]]\nentry = \"GONE\"\nto = \"ROOK.mg\"\n"
        );
        let text = document(&tied).without(&["GONE"]);
        assert_eq!(text, format!("{SPEC}# Mine\n\n"));
    }

    #[test]
    fn values_beyond_the_bounds_are_refused() {
        let mut new = NEW;
        new[0] = 1001;
        let error = document(SPEC)
            .with_values(&new, Some("x"), None)
            .unwrap_err();
        assert!(
            error.to_string().contains("0 to 1000, its bounds"),
            "{error}"
        );
        let error = document(SPEC)
            .with_values(&new[1..], None, None)
            .unwrap_err();
        assert!(error.to_string().contains("expected 14"), "{error}");
    }
}
