//! The options of a run, as far as they decide on its result.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The value in place of an option that was not given and has no default.
pub const NOT_GIVEN: &str = "not given";

/// Options by name, `--loss`, with their values in words: what must be the same
/// in a run that resumes.
///
/// They are words, not numbers, so that an option that is added later counts
/// without anybody's doing; `1` and `1.0` are the same.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct OptionsSnapshot(BTreeMap<String, String>);

impl FromIterator<(String, Option<String>)> for OptionsSnapshot {
    /// Makes the snapshot of names and values; a value is `None` if the option was not given and
    /// has no default.
    fn from_iter<I: IntoIterator<Item = (String, Option<String>)>>(options: I) -> Self {
        let words = |value: Option<String>| value.unwrap_or_else(|| NOT_GIVEN.to_owned());
        let options = options.into_iter();
        Self(options.map(|(name, value)| (name, words(value))).collect())
    }
}

impl OptionsSnapshot {
    /// Iterates over names and values, in the order of the names; [`NOT_GIVEN`] is the value of an
    /// option that was not given and has no default.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (&**name, &**value))
    }

    /// Returns the value of an option that was given or has a default; `None` of any other.
    pub fn get(&self, name: &str) -> Option<&str> {
        let value = self.0.get(name)?;
        (value != NOT_GIVEN).then_some(value)
    }

    /// Returns the options with a new name for the weight in `--anchor NAME=VALUE`, if there is
    /// one. `rename`: gives the new words for `NAME=VALUE`; `None` if that weight keeps its name.
    pub(super) fn with_anchor_renamed(mut self, rename: impl Fn(&str) -> Option<String>) -> Self {
        if let Some(words) = self.0.get_mut("--anchor")
            && let Some(renamed) = rename(words)
        {
            *words = renamed;
        }
        self
    }

    /// Says, in words for the user, of each option whose value `now` is another than in this
    /// snapshot, both values and what to do for it to be the same again.
    pub fn differences<'a>(&'a self, now: &'a Self) -> impl Iterator<Item = String> + 'a {
        let mut names: Vec<&String> = self.0.keys().chain(now.0.keys()).collect();
        names.sort();
        names.dedup();
        names.into_iter().filter_map(move |name| {
            let value = |options: &'a Self| options.0.get(name).map_or(NOT_GIVEN, String::as_str);
            let (then, now) = (value(self), value(now));
            let cure = match then {
                NOT_GIVEN | "false" => "leave it out".to_owned(),
                "true" => format!("give {name}"),
                then => format!("give {name} {then}"),
            };
            (!equal(then, now)).then(|| format!("{name}: {then} then, {now} now; {cure}"))
        })
    }
}

/// Tells whether two values in words mean the same: equal words, or equal numbers such as `1` and
/// `1.0`.
fn equal(left: &str, right: &str) -> bool {
    let number = |text: &str| text.parse::<f64>().ok().map(f64::to_bits);
    left == right || number(left).is_some_and(|bits| number(right) == Some(bits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_anchor_is_compared_under_its_new_name() {
        let options = |value: Option<&str>| {
            OptionsSnapshot::from_iter([("--anchor".to_owned(), value.map(str::to_owned))])
        };
        let rename = |words: &str| Some(words.replace("OLD", "NEW"));
        let renamed = options(Some("OLD.mg=100")).with_anchor_renamed(rename);
        assert_eq!(renamed, options(Some("NEW.mg=100")));
        let plain = options(None);
        assert_eq!(plain.clone().with_anchor_renamed(|_| None), plain);
    }
}
