//! `--init`: the weights to start from.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::Failure;

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

/// Reads weights by name from a summary, or from an object of names and numbers.
///
/// Weights of the file that do not exist here, and weights that the file does
/// not name (they keep `initial`), are told to the user: nothing is dropped in
/// silence.
pub(super) fn read(file: &str, names: &[String], initial: &[f64]) -> Result<Vec<f64>, Failure> {
    let text = fs::read_to_string(Path::new(file)).map_err(|error| {
        format!("--init {file}: {error}; expected spec, zero, or a readable file")
    })?;
    let value: Value = serde_json::from_str(&text)
        .map_err(|error| format!("{file}:{}:{}: {error}", error.line(), error.column()))?;
    let object = value
        .get("weights")
        .unwrap_or(&value)
        .as_object()
        .ok_or_else(|| {
            format!("{file}: found no object of names and numbers; give the summary.json of a fit")
        })?;
    let positions: HashMap<&str, usize> = names
        .iter()
        .enumerate()
        .map(|(index, name)| (name.as_str(), index))
        .collect();
    let mut values = initial.to_vec();
    let mut named = vec![false; values.len()];
    let mut mistakes = Vec::new();
    let mut unknown = Vec::new();
    for (name, value) in object {
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
    if !unknown.is_empty() || missing > 0 {
        eprintln!(
            "{file}: {} names are no weights here ({}); {missing} weights are not named and start as in the spec",
            unknown.len(),
            unknown
                .iter()
                .take(10)
                .copied()
                .collect::<Vec<_>>()
                .join(", ")
        );
    }
    Ok(values)
}
