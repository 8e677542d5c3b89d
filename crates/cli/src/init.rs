//! `--init`: the weights to start from.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use serde_json::{Map, Value};

use super::Failure;
use tuner_data::Fault;

/// Most mistakes of a file that are listed.
const MISTAKES: usize = 10;

/// Where the start comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Init {
    Spec,
    Zero,
    File(String),
}

impl Init {
    pub(super) fn parse(text: &str) -> Self {
        match text {
            "spec" => Self::Spec,
            "zero" => Self::Zero,
            file => Self::File(file.to_owned()),
        }
    }
}

/// Reads weights by name: from a summary, from a JSON object of names and
/// numbers, or from lines `NAME VALUE` (blank ones, and those that begin with
/// `#`, say nothing).
///
/// Weights of the file that do not exist here, and weights that the file does
/// not name (they keep `initial`), are told to the user: nothing is dropped in
/// silence.
pub(super) fn read(file: &str, names: &[String], initial: &[f64]) -> Result<Vec<f64>, Failure> {
    let text = fs::read_to_string(Path::new(file)).map_err(|error| {
        format!("{file}: {error}; expected spec, zero, or a readable file of weights")
    })?;
    let object = if text.trim_start().starts_with('{') {
        object(file, &text)?
    } else {
        lines(file, &text)?
    };
    let positions: HashMap<&str, usize> = names
        .iter()
        .enumerate()
        .map(|(index, name)| (name.as_str(), index))
        .collect();
    let mut values = initial.to_vec();
    let mut named = vec![false; values.len()];
    let mut mistakes = Vec::new();
    let mut unknown = Vec::new();
    for (name, value) in &object {
        match (
            positions.get(name.as_str()),
            value.as_f64().filter(|v| v.is_finite()),
        ) {
            (None, _) => unknown.push(name.as_str()),
            (Some(_), None) => {
                mistakes.push(format!("{file}: {name} is {value}; expected a number"));
            }
            (Some(&index), Some(number)) => {
                values[index] = number;
                named[index] = true;
            }
        }
    }
    if !mistakes.is_empty() {
        return Err(mistakes.join("\n").into());
    }
    if unknown.len() == object.len() {
        return Err(format!(
            "{file}: none of its {} names is a weight of this engine",
            object.len()
        )
        .into());
    }
    let missing = named.iter().filter(|&&named| !named).count();
    if !unknown.is_empty() {
        let some: Vec<&str> = unknown.iter().take(10).copied().collect();
        say!(
            "{file}: {} names are no weights here: {}",
            unknown.len(),
            some.join(", ")
        );
    }
    if missing > 0 {
        say!("{file}: {missing} weights are not named and are as in the spec");
    }
    Ok(values)
}

/// The names and numbers of a summary, or of an object that is nothing else.
fn object(file: &str, text: &str) -> Result<Map<String, Value>, Failure> {
    let mut value: Value = serde_json::from_str(text)
        .map_err(|error| format!("{file}:{}:{}: {error}", error.line(), error.column()))?;
    let found = match value.get_mut("weights") {
        Some(weights) => weights.take(),
        None => value,
    };
    match found {
        Value::Object(object) => Ok(object),
        _ => Err(format!(
            "{file}: found no object of names and numbers; give the summary.json of a fit"
        )
        .into()),
    }
}

/// Names and numbers, a pair a line.
fn lines(file: &str, text: &str) -> Result<Map<String, Value>, Failure> {
    let mut found = Map::new();
    let mut mistakes = Vec::new();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let number = index + 1;
        let pair = line.rsplit_once(char::is_whitespace);
        let value = pair.and_then(|(_, value)| value.parse::<f64>().ok());
        match (pair, value.filter(|value| value.is_finite())) {
            (Some((name, _)), Some(value)) => {
                if found
                    .insert(name.trim_end().to_owned(), value.into())
                    .is_some()
                {
                    mistakes.push(format!("{file}:{number}: {name} is there twice; keep one"));
                }
            }
            _ => mistakes.push(format!(
                "{file}:{number}: found {}, expected NAME VALUE",
                Fault::quote(line)
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
    if mistakes.is_empty() {
        Ok(found)
    } else {
        Err(mistakes.join("\n").into())
    }
}

/// Writes weights as lines that [`read`] reads.
pub(super) fn as_lines<'a>(weights: impl IntoIterator<Item = (&'a String, f64)>) -> String {
    let lines = weights
        .into_iter()
        .map(|(name, value)| format!("{name} {value}\n"));
    lines.collect()
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
        let name = path.display().to_string();
        read(&name, &names, &[1.0, 2.0]).map_err(|failure| match failure {
            Failure::Error(words)
            | Failure::Usage(words)
            | Failure::NotPassed(words)
            | Failure::Interrupted(words) => words.replace(&name, "w"),
        })
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
        // What is not named stays.
        assert_eq!(read_text("B[x].mg 7"), Ok(vec![1.0, 7.0]));
        let names = ["A".to_owned(), "B".to_owned()];
        assert_eq!(as_lines(names.iter().zip([5.0, -1.5])), "A 5\nB -1.5\n");
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
            ("C 5\n", "none of its 1 names"),
            ("{\"A\": true}", "w: A is true; expected a number"),
            ("{\"A\": ", "w:1:"),
            ("{\"weights\": 5}", "found no object"),
        ] {
            let error = read_text(text).unwrap_err();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
