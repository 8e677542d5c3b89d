//! The metadata of a file: the keys `tuner.…` of a schema's metadata, or of
//! the first lines of a text.

use std::collections::HashSet;

use tuner_base::{is_hidden, quote};

use super::ImportError;

/// The version of the format; another one is refused.
const VERSION: &str = "1";

/// Largest difference between a score and its row that is rounding, where the
/// file does not say: an integer evaluation cuts off less than 1 by a division.
const ROUNDING: f64 = 1.0;

/// Longest name of a feature, in bytes. Chosen; nothing depends on it.
const LONGEST_NAME: usize = 200;

/// The metadata of a file: the values of the keys `tuner.…`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Keys {
    /// The name of each feature, by its number; `None`: features have numbers alone.
    pub(super) features: Option<Vec<String>>,
    /// Largest difference between `score` and the row that counts as rounding, in the unit of the
    /// weights.
    pub(super) rounding: f64,
    /// The index of feature 0 in a libsvm text; `None` if the file does not say.
    pub(super) first: Option<u32>,
    /// Whether rows hold only near the weights that they were made at.
    pub(super) linearised: bool,
}

impl Default for Keys {
    /// The keys of a file without metadata: features have no names, and differences up to 1 count
    /// as rounding.
    fn default() -> Self {
        Self {
            features: None,
            rounding: ROUNDING,
            first: None,
            linearised: false,
        }
    }
}

impl Keys {
    /// Reads the keys that begin with `tuner.` from pairs of keys and values. Reports keys that are
    /// wrong, unknown or there twice, a version of the format that this program does not read, and
    /// other keys without a version. `text`: whether the file is a text, which alone may have the
    /// key `tuner.first`.
    pub(super) fn read<'a>(
        pairs: impl Iterator<Item = (&'a str, &'a str)>,
        text: bool,
        problems: &mut ImportError,
    ) -> Self {
        let mut keys = Self::default();
        let mut version = None;
        let mut others = false;
        let mut seen = HashSet::new();
        for (key, value) in pairs.filter(|(key, _)| key.starts_with("tuner.")) {
            others |= key != "tuner.version";
            if !seen.insert(key) {
                problems.file(format!("key `{key}` is there twice; keep one"));
            }
            let mut expected = |what: &str| {
                let found = quote(value);
                problems.file(format!("key `{key}` is {found}; expected {what}"));
            };
            match key {
                "tuner.version" => version = Some(value),
                "tuner.features" => keys.features = names(value, problems),
                "tuner.rounding" => match value.parse::<f64>() {
                    Ok(rounding) if (0.0..1e9).contains(&rounding) => keys.rounding = rounding,
                    _ => expected("a number from 0"),
                },
                "tuner.linearised" => match value {
                    "yes" => keys.linearised = true,
                    "no" => {}
                    _ => expected(
                        "yes, where coefficients are derivatives of a score that is not linear, or no",
                    ),
                },
                "tuner.first" if text => match value {
                    "0" => keys.first = Some(0),
                    "1" => keys.first = Some(1),
                    _ => expected("0 or 1, the index of feature 0"),
                },
                _ => problems.file(format!(
                    "has an unknown key {} in its metadata; expected tuner.version, \
                     tuner.features, tuner.linearised or tuner.rounding{}",
                    quote(key),
                    if text { ", or tuner.first" } else { "" }
                )),
            }
        }
        // A file with other keys must say its version.
        match version {
            Some(VERSION) => {}
            None if !others => {}
            None => problems.file(format!(
                "has metadata `tuner.…`, but no key `tuner.version`; add it with value {VERSION}"
            )),
            Some(other) => problems.file(format!(
                "is of version {} of the format of traces; this program reads version {VERSION}: \
                 take a tuner that reads the other one, or write the traces again",
                quote(other)
            )),
        }
        keys
    }
}

/// Reads the names of features from a JSON list; `None` if it is something else, which is reported.
/// Names that cannot be used are reported too, and returned.
fn names(value: &str, problems: &mut ImportError) -> Option<Vec<String>> {
    let names: Vec<String> = match serde_json::from_str(value) {
        Ok(names) => names,
        Err(error) => {
            problems.file(format!(
                "key `tuner.features` is no JSON list of names ({error}); expected such as \
                 [\"TEMPO\", \"MATERIAL[pawn].mg\"]"
            ));
            return None;
        }
    };
    check_names(&names, problems);
    Some(names)
}

/// Reports names of features that cannot be used, and those that are there twice. Names become
/// words of lines in `weights.txt`, where `#` begins a comment.
pub(super) fn check_names(names: &[String], problems: &mut ImportError) {
    let mut seen = HashSet::new();
    for (number, name) in names.iter().enumerate() {
        let shown = quote(name);
        let is_unseen = |c: char| c.is_whitespace() || is_hidden(c);
        if name.is_empty() || name.len() > LONGEST_NAME || name.contains(is_unseen) {
            problems.file(format!(
                "feature {number} has the name {shown}; expected 1 to {LONGEST_NAME} visible \
                 characters without spaces"
            ));
        } else if name.starts_with('#') {
            problems.file(format!(
                "feature {number} has the name {shown}; expected one that does not begin with #"
            ));
        } else if !seen.insert(name) {
            problems.file(format!(
                "feature {number} has the name {shown}, as one before; give each its own"
            ));
        }
    }
}
