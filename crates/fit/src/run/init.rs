//! Weights to start from, and files of weights by name.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tuner_base::{Tie, quote};

/// Mistakes after which the lines of a file are read no further.
const MISTAKES: usize = 10;

/// Most unknown names that a sentence lists.
const LISTED: usize = 10;

/// Where a run starts. It reads and prints as `spec`, `zero` or the name of a
/// file, and is saved as that.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(from = "String", into = "String")]
pub enum Init {
    /// At the initial values.
    #[default]
    Spec,
    /// At zero.
    Zero,
    /// At the weights of a file; those that it does not name keep their initial
    /// values.
    File(PathBuf),
}

tuner_base::impl_fmt! { Display for Init, |self, f| match self {
    Self::Spec => f.write_str("spec"),
    Self::Zero => f.write_str("zero"),
    Self::File(path) => write!(f, "{}", path.display()),
} }

impl From<String> for Init {
    /// Reads `spec`, `zero` or the name of a file.
    fn from(text: String) -> Self {
        match &*text {
            "spec" => Self::Spec,
            "zero" => Self::Zero,
            _ => Self::File(text.into()),
        }
    }
}

impl From<Init> for String {
    fn from(init: Init) -> Self {
        // The words that `Init` is read from.
        init.to_string()
    }
}

impl Init {
    /// Returns the weights to start from, in the order of `names`: `initial`, zeros, or those of a
    /// file, which is returned as well (`None` if no file is named). Weights that the file does not
    /// name are those of `initial`.
    ///
    /// # Errors
    /// If the file cannot be read, a value is not a number, a line has a name again, K is not a
    /// positive number, or no name is a weight.
    pub fn weights(
        &self,
        names: &[String],
        initial: &[f64],
    ) -> Result<(Vec<f64>, Option<NamedWeights>), String> {
        match self {
            Self::Spec => Ok((initial.to_vec(), None)),
            Self::Zero => Ok((vec![0.0; initial.len()], None)),
            Self::File(path) => {
                let read = NamedWeights::read(path, names, initial)?;
                Ok((read.weights.clone(), Some(read)))
            }
        }
    }
}

/// Weights that a file gives by name.
///
/// Nothing is dropped in silence: names of the file that are not weights, and how
/// many weights it does not name, is here as well.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedWeights {
    /// The file.
    pub path: PathBuf,
    /// All weights; those that the file does not name are the initial ones.
    pub weights: Vec<f64>,
    /// Names of the file that are not weights.
    pub unknown: Vec<String>,
    /// Whether the file names each weight, or one that it follows.
    pub named: Vec<bool>,
    /// The scaling constant that goes with them, if the file says one.
    pub k: Option<f64>,
}

/// The names and numbers of a file of weights, whatever the names mean.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedNumbers {
    /// The names and their numbers.
    pub values: Vec<(String, f64)>,
    /// The scaling constant that goes with them: of a summary or a checkpoint, or of a
    /// line `# K VALUE`.
    pub k: Option<f64>,
}

impl NamedWeights {
    /// Reads weights by name: from a summary, from a JSON object of names and numbers, or from
    /// lines `NAME VALUE`. Blank lines say nothing, and of those that begin with `#` only one such
    /// as `# K VALUE` does. A name that differs in case alone from that of one weight is that
    /// weight's; a second name of a weight is unknown. All other weights are those of `initial`.
    ///
    /// # Errors
    /// If the file cannot be read, a value is not a number, a line has a name again, K is not a
    /// positive number, or no name is a weight.
    pub fn read(path: &Path, names: &[String], initial: &[f64]) -> Result<Self, String> {
        let NamedNumbers { values, k } = named_values(path)?;
        let indexed = names.iter().map(String::as_str).zip(0..);
        let positions: HashMap<&str, usize> = indexed.collect();
        let mut weights = initial.to_vec();
        let mut named = vec![false; weights.len()];
        let mut unknown = Vec::new();
        let count = values.len();
        for (name, value) in values {
            // The weight whose name differs in case alone, if there is exactly one.
            let other_case = || {
                let names = names.iter().enumerate();
                let mut alike = names.filter(|(_, one)| one.eq_ignore_ascii_case(&name));
                alike.next().filter(|_| alike.next().is_none())
            };
            let index = positions.get(name.as_str()).copied();
            match index.or_else(|| Some(other_case()?.0)) {
                Some(index) if !named[index] => {
                    weights[index] = value;
                    named[index] = true;
                }
                _ => unknown.push(name),
            }
        }
        if unknown.len() == count {
            let (file, there, here) = (path.display(), some(&unknown), some(names));
            return Err(format!(
                "{file}: none of its {count} names is a weight of this engine: {there} there, and \
                 {here} here"
            ));
        }
        Ok(Self {
            path: path.to_owned(),
            weights,
            unknown,
            named,
            k,
        })
    }

    /// Gives each weight that the file does not name, and that one of `ties` ties to a weight that
    /// it names, the value that follows: factor·weight + difference. It counts as named then.
    pub fn follow(&mut self, ties: &[Tie]) {
        for tie in ties {
            let (follower, root) = (tie.weight.index(), tie.root.index());
            if !self.named[follower] && self.named[root] {
                self.weights[follower] = tie.factor * self.weights[root] + tie.difference;
                self.named[follower] = true;
            }
        }
    }

    /// Says, in a sentence each, which names of the file are not weights, and how many weights it
    /// does not name; nothing if its names are exactly the weights.
    pub fn notes(&self) -> Vec<String> {
        let file = self.path.display();
        let mut notes = Vec::new();
        if !self.unknown.is_empty() {
            let (count, names) = (self.unknown.len(), some(&self.unknown));
            notes.push(format!(
                "{file}: {count} names are no weights here: {names}"
            ));
        }
        let missing = self.named.iter().filter(|&&named| !named).count();
        if missing > 0 {
            notes.push(format!(
                "{file}: {missing} weights are not named and are as in the spec"
            ));
        }
        notes
    }
}

/// Joins the first [`LISTED`] of some names by commas, for a sentence.
fn some(names: &[String]) -> String {
    names[..names.len().min(LISTED)].join(", ")
}

/// Reads the names and numbers of a file of weights, whatever the names mean: of a summary or
/// checkpoint, of a JSON object of names and numbers, or of lines `NAME VALUE`.
///
/// # Errors
/// If the file cannot be read, a value is not a finite number, a line has a name again, there is no
/// line of a weight, or K is not a positive number.
pub fn named_values(path: &Path) -> Result<NamedNumbers, String> {
    let file = path.display();
    let (mut found, mut mistakes) = (Vec::new(), Vec::new());
    let (values, k) = values(path)?;
    if k.is_some_and(|k| !(k.is_finite() && k > 0.0)) {
        mistakes.push(format!(
            "{file}: K is no positive number; take it out, or correct it"
        ));
    }
    for (name, value) in values {
        match value.as_f64().filter(|value| value.is_finite()) {
            Some(number) => found.push((name, number)),
            None => mistakes.push(format!("{file}: {name} is {value}; expected a number")),
        }
    }
    without(&mistakes)?;
    Ok(NamedNumbers { values: found, k })
}

/// Fails with all mistakes, a line each, if there are any.
fn without(mistakes: &[String]) -> Result<(), String> {
    let all = || mistakes.join("\n");
    mistakes.is_empty().then_some(()).ok_or_else(all)
}

/// Names with their values, not checked yet, and K.
type Values = (Map<String, Value>, Option<f64>);

/// Reads the names and values of a file of weights: JSON if it begins with `{`, else lines. Values
/// of JSON may be other than numbers.
fn values(path: &Path) -> Result<Values, String> {
    let text = fs::read_to_string(path).map_err(|error| {
        format!(
            "{}: {error}; expected a file of weights: a summary.json, or lines `NAME VALUE` (--init \
             also takes spec and zero)",
            path.display()
        )
    })?;
    if text.trim_start().starts_with('{') {
        object(path, &text)
    } else {
        lines(path, &text)
    }
}

/// Reads JSON: the weights and K of a summary or a checkpoint, or an object of names and numbers
/// alone, without K. `path` is named in `Err`.
fn object(path: &Path, text: &str) -> Result<Values, String> {
    let mut value: Value = serde_json::from_str(text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        format!("{}:{line}:{column}: {error}", path.display())
    })?;
    let k = match &value["weights"] {
        Value::Null => None,
        // A summary has K at its top, a checkpoint in its fit.
        _ => value["k"].as_f64().or_else(|| value["fit"]["k"].as_f64()),
    };
    let found = match value.get_mut("weights") {
        Some(weights) => weights.take(),
        None => value,
    };
    match found {
        Value::Object(object) => Ok((object, k)),
        _ => Err(format!(
            "{}: found no object of names and numbers; give the summary.json of a fit",
            path.display()
        )),
    }
}

/// Reads weights from lines `NAME VALUE`, and K from a comment `# K VALUE`, the last one that has a
/// number. Blank lines and other comments are skipped. `Err`: the first ten mistakes, each with its
/// line, or that there are no weights.
fn lines(path: &Path, text: &str) -> Result<Values, String> {
    let file = path.display();
    let (mut found, mut k) = (Map::new(), None);
    let mut mistakes = Vec::new();
    // A file may begin with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            // A comment that is not `# K` and a number is skipped.
            let number = line.strip_prefix(K_LINE);
            k = number.and_then(|number| number.trim().parse().ok()).or(k);
            continue;
        }
        let number = index + 1;
        let pair = line.rsplit_once(char::is_whitespace);
        let value = pair.and_then(|(_, value)| value.parse::<f64>().ok());
        match (pair, value.filter(|value| value.is_finite())) {
            (Some((name, _)), Some(value)) => {
                let before = found.insert(name.trim_end().to_owned(), value.into());
                if before.is_some() {
                    mistakes.push(format!("{file}:{number}: {name} is there twice; keep one"));
                }
            }
            _ => mistakes.push(format!(
                "{file}:{number}: found {}, expected NAME VALUE",
                quote(line)
            )),
        }
        if mistakes.len() == MISTAKES {
            break;
        }
    }
    if mistakes.is_empty() && found.is_empty() {
        mistakes.push(format!(
            "{file}: found no weights; expected lines NAME VALUE, or JSON"
        ));
    }
    without(&mistakes).map(|()| (found, k))
}

/// The beginning of the line that gives K.
const K_LINE: &str = "# K ";

/// Returns weights as lines `NAME VALUE`, behind a line `# K VALUE` where K is known;
/// [`NamedWeights::read`] reads them.
pub fn weight_lines<'a>(
    k: Option<f64>,
    weights: impl IntoIterator<Item = (&'a String, f64)>,
) -> String {
    let k = k.map(|k| format!("{K_LINE}{k}\n"));
    let weights = weights.into_iter();
    let lines = weights.map(|(name, value)| format!("{name} {value}\n"));
    k.into_iter().chain(lines).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    fn read_text(text: &str) -> Result<Vec<f64>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("w");
        fs::write(&path, text).unwrap();
        let names = ["A".to_owned(), "B[x].mg".to_owned()];
        let read = NamedWeights::read(&path, &names, &[1.0, 2.0]);
        let name = path.display().to_string();
        read.map(|read| read.weights)
            .map_err(|error| error.replace(&name, "w"))
    }

    #[test]
    fn lines_and_json_say_the_same() {
        for text in [
            "# mine\n\nA 5\nB[x].mg   -1.5\r\n",
            "\u{feff}B[x].mg\t-1.5\nA 5",
            "{\"A\": 5, \"B[x].mg\": -1.5}",
            "{\"k\": 1, \"weights\": {\"A\": 5, \"B[x].mg\": -1.5}}",
        ] {
            assert_eq!(read_text(text), Ok(vec![5.0, -1.5]), "{text}");
        }
        // In another case, where it is nobody else's.
        assert_eq!(read_text("a 5\nb[X].MG 3\n"), Ok(vec![5.0, 3.0]));
        // What is not named stays.
        assert_eq!(read_text("B[x].mg 7"), Ok(vec![1.0, 7.0]));
        let names = ["A".to_owned(), "B".to_owned()];
        let lines = |k| weight_lines(k, names.iter().zip([5.0, -1.5]));
        assert_eq!(lines(None), "A 5\nB -1.5\n");
        assert_eq!(lines(Some(0.75)), "# K 0.75\nA 5\nB -1.5\n");
    }

    #[test]
    fn k_is_read_with_the_weights() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("w");
        for (text, k) in [
            ("# K 1.25\nA 5\n", Some(1.25)),
            ("# K is mine\nA 5\n", None),
            ("A 5\n", None),
            ("{\"k\": 0.5, \"weights\": {\"A\": 5}}", Some(0.5)),
            (
                "{\"fit\": {\"k\": 0.5}, \"weights\": {\"A\": 5}}",
                Some(0.5),
            ),
            // A weight may have the name.
            ("{\"k\": 5}", None),
        ] {
            fs::write(&path, text).unwrap();
            assert_eq!(named_values(&path).unwrap().k, k, "{text}");
        }
        fs::write(&path, "# K -1\nA 5\n").unwrap();
        let error = named_values(&path).unwrap_err();
        assert!(error.contains("K is no positive number"), "{error}");
    }

    #[test]
    fn the_start_is_read_and_saved_as_a_word() {
        for text in ["spec", "zero", "some/file.json"] {
            let init = Init::from(text.to_owned());
            assert_eq!(init.to_string(), text);
            assert_eq!(serde_json::to_value(&init).unwrap(), text);
        }
        assert_eq!(Init::default().to_string(), "spec");
    }

    #[test]
    fn what_is_no_weight_is_named_with_its_line() {
        for (text, words) in [
            (
                "A 5\nB[x].mg\nA x\n",
                "w:2: found \"B[x].mg\", expected NAME VALUE\nw:3: ",
            ),
            ("A 5\nA 6\n", "w:2: A is there twice"),
            ("A NaN\n", "w:1: found"),
            ("", "w: found no weights"),
            (
                "C 5\n",
                "none of its 1 names is a weight of this engine: C there, and A, B[x].mg here",
            ),
            ("{\"A\": true}", "w: A is true; expected a number"),
            ("{\"A\": ", "w:1:"),
            ("{\"weights\": 5}", "found no object"),
        ] {
            let error = read_text(text).unwrap_err();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
