//! The weights of an evaluator.

use std::fmt::Write as _;
use std::path::Path;

use crate::row::twice;
use crate::words::{finite, number};
use tuner_base::{escaped_word, quote, unescaped};
use tuner_trace::Registry;

/// A named thing that holds weights: a number or a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WeightParameter {
    /// Its name, an identifier.
    pub name: String,
    /// Lengths of the arrays around an entry, outermost first; none for a single entry.
    pub shape: Vec<usize>,
    /// Numbers in an entry: 1, or 2 for a pair of middlegame and endgame.
    pub lanes: usize,
    /// The values: entries row-major, lanes innermost.
    pub values: Vec<f64>,
    /// The number of the first weight.
    pub first: u32,
    /// Where entries have no weight of their own: the place of each weight among the
    /// numbers of all entries, row-major. Empty where every number is a weight.
    pub places: Vec<usize>,
    /// Between which values each of its weights may be set, if the evaluator says.
    pub bounds: Option<[f64; 2]>,
    /// The module that declares it, such as `crate::eval`; may be empty.
    pub module: String,
    /// The file that declares it, relative to the package; may be empty.
    pub file: String,
    /// Line of the name, counted from 1; 0 if the evaluator does not say.
    pub line: u32,
    /// Column of the name, counted from 1; 0 if the evaluator does not say.
    pub column: u32,
    /// Its name in the source, an identifier, where that is another one; else empty.
    pub symbol: String,
}

impl WeightParameter {
    /// Tells whether a source file in Rust declares the parameter: a file that ends with `.rs`.
    pub fn is_rust(&self) -> bool {
        let end = Path::new(&self.file).extension();
        end.is_some_and(|end| end == "rs")
    }
}

/// All weights of an evaluator, in the order of their numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WeightTable {
    /// The parameters, by the number of their first weight.
    pub parameters: Vec<WeightParameter>,
}

/// More than any table has, so that a wrong answer asks for no memory.
const LARGEST: usize = 1 << 28;

impl WeightTable {
    /// Returns how many weights there are.
    pub fn len(&self) -> usize {
        self.parameters.iter().map(|p| p.values.len()).sum()
    }

    /// Tells whether there is no weight.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Tells whether a source file in Rust declares at least one of the parameters.
    pub fn is_rust(&self) -> bool {
        self.parameters.iter().any(WeightParameter::is_rust)
    }

    /// Returns the values of all weights, in the order of their numbers.
    pub fn values(&self) -> Vec<f64> {
        let values = self.parameters.iter().flat_map(|p| &p.values);
        values.copied().collect()
    }

    /// Reads the lines of an evaluator's answer to `weights`, without the last one, `ok`.
    ///
    /// # Errors
    /// At the first line that is not a parameter, or one whose values do not fit its shape.
    pub fn read<'l>(lines: impl IntoIterator<Item = &'l str>) -> Result<Self, String> {
        let mut table = Self::default();
        let mut next = 0;
        for line in lines {
            let parameter = parameter(line, next)?;
            next += parameter.values.len() as u32;
            table.parameters.push(parameter);
        }
        Ok(table)
    }
}

/// Reads a line of the answer to `weights`, `parameter NAME … values VALUE …`, and checks that it
/// has as many values as its shape, or its list of places, needs. `first`: the number of its first
/// weight, which the line does not tell.
fn parameter(line: &str, first: u32) -> Result<WeightParameter, String> {
    let wrong = |what: &str| format!("found {}, {what}", quote(line));
    let mut words = line.split_whitespace();
    if words.next() != Some("parameter") {
        return Err(wrong("expected `parameter NAME … values VALUE …`"));
    }
    let name = words.next();
    let name = name.ok_or_else(|| wrong("expected a name behind `parameter`"))?;
    let identifier = |name: &str| {
        let is_one = name.chars().all(|c| c.is_alphanumeric() || c == '_');
        if name.is_empty() || !is_one || name.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(wrong("expected a name of letters, digits and `_`"));
        }
        Ok(name.to_owned())
    };
    let mut found = WeightParameter {
        name: identifier(name)?,
        lanes: 1,
        first,
        ..WeightParameter::default()
    };
    let list = |word: Option<&str>| -> Result<Vec<usize>, String> {
        let word = word.unwrap_or_default();
        let parts = word.split(',');
        (parts.map(|part| number(Some(part), "a number"))).collect()
    };
    let text = |word: Option<&str>| {
        word.and_then(|word| unescaped(word).ok())
            .ok_or_else(|| wrong("expected a text without blanks"))
    };
    let mut keys = Vec::new();
    while let Some(key) = words.next() {
        if keys.contains(&key) {
            return Err(twice(key));
        }
        keys.push(key);
        match key {
            "shape" => found.shape = list(words.next())?,
            "lanes" => found.lanes = number(words.next(), "a number of lanes")?,
            "places" => found.places = list(words.next())?,
            "symbol" => found.symbol = identifier(words.next().unwrap_or_default())?,
            "module" => found.module = text(words.next())?,
            "file" => found.file = text(words.next())?,
            "line" => found.line = number(words.next(), "a line")?,
            "column" => found.column = number(words.next(), "a column")?,
            "bounds" => {
                let both = words.next().and_then(|both| both.split_once(','));
                let (low, high) = both.ok_or_else(|| wrong("expected `bounds LOW,HIGH`"))?;
                let [low, high] = [low, high].map(|end| finite(Some(end), "a bound"));
                found.bounds = Some([low?, high?]);
            }
            // All words that are left.
            "values" => {
                found.values = (words.by_ref())
                    .map(|word| finite(Some(word), "a finite value"))
                    .collect::<Result<_, _>>()?;
            }
            _ => return Err(wrong(&format!("expected a key in place of {key:?}"))),
        }
    }
    check_values(&found).map_err(|what| wrong(&what))?;
    Ok(found)
}

/// Checks that a parameter has as many values as its shape and lanes make numbers (in Rust also
/// fewer), or, if it has a list of places, as many as there are places, each of which must be one
/// of these numbers. The error says what is wrong, to be put behind what was found.
fn check_values(found: &WeightParameter) -> Result<(), String> {
    if found.lanes == 0 {
        return Err("expected `lanes 1` or more".to_owned());
    }
    // How many numbers the shape makes: at least one, and no more than any table has.
    let mut lengths = found.shape.iter().copied().chain([found.lanes]);
    let numbers = lengths.try_fold(1_usize, usize::checked_mul);
    let numbers = numbers.filter(|&numbers| (1..=LARGEST).contains(&numbers));
    let Some(numbers) = numbers else {
        return Err(if found.shape.contains(&0) {
            "expected a shape of at least one entry".to_owned()
        } else {
            format!("expected a shape of at most {LARGEST} numbers")
        });
    };
    let values = found.values.len();
    // In Rust fewer values than numbers are let through: a later check of source and spec reports
    // which table is short of literals, and what to do.
    let fits = if found.places.is_empty() {
        values == numbers || found.is_rust() && values < numbers && values > 0
    } else {
        values == found.places.len() && found.places.iter().all(|&place| place < numbers)
    };
    if fits {
        return Ok(());
    }
    let places = found.places.len();
    let beyond = found.places.iter().find(|&&place| place >= numbers);
    Err(match beyond {
        Some(place) => format!("expected places below {numbers}, not {place}"),
        None if places > 0 => {
            format!("found {values} values, expected {places}, one for each of `places`")
        }
        None => format!("found {values} values for {numbers} numbers of this shape"),
    })
}

/// Returns the lines of the answer to `weights`, one for each parameter of the registry, without
/// the last line `ok`.
pub fn weight_lines(registry: &Registry) -> String {
    let mut to = String::new();
    for item in registry.parameters {
        let list = |list: &[usize]| {
            let words: Vec<String> = list.iter().map(ToString::to_string).collect();
            words.join(",")
        };
        // Writing to a text cannot fail.
        let _ = write!(to, "parameter {}", item.name);
        if !item.dims.is_empty() {
            let _ = write!(to, " shape {}", list(item.dims));
        }
        if item.lanes != 1 {
            let _ = write!(to, " lanes {}", item.lanes);
        }
        if !item.places.is_empty() {
            let _ = write!(to, " places {}", list(item.places));
        }
        for (key, text) in [("module", item.module), ("file", item.file)] {
            if !text.is_empty() {
                let _ = write!(to, " {key} {}", escaped_word(text));
            }
        }
        if item.line > 0 {
            let _ = write!(to, " line {} column {}", item.line, item.column);
        }
        to.push_str(" values");
        for value in item.values {
            let _ = write!(to, " {value}");
        }
        to.push('\n');
    }
    to
}

#[cfg(test)]
mod tests {
    use super::*;
    use tuner_trace::Declared;

    #[test]
    fn weights_are_read_as_they_are_written() {
        const TEMPO: Declared = Declared {
            name: "TEMPO",
            module: "",
            file: "",
            line: 0,
            column: 0,
            dims: &[],
            lanes: 1,
            values: &[12.0],
            first: 0,
            places: &[],
        };
        const PST: Declared = Declared {
            name: "PST",
            module: "crate::eval",
            file: "src/my eval.rs",
            line: 3,
            column: 7,
            dims: &[2, 3],
            lanes: 2,
            values: &[1.0, -2.5],
            first: 1,
            places: &[0, 7],
        };
        let parameters = &[TEMPO, PST];
        let read = WeightTable::read(weight_lines(&Registry { parameters }).lines());
        let expected = parameters.map(|item| WeightParameter {
            symbol: String::new(),
            name: item.name.to_owned(),
            shape: item.dims.to_vec(),
            lanes: item.lanes,
            values: item.values.to_vec(),
            first: item.first,
            places: item.places.to_vec(),
            bounds: None,
            module: item.module.to_owned(),
            file: item.file.to_owned(),
            line: item.line,
            column: item.column,
        });
        let parameters = expected.to_vec();
        assert_eq!(read, Ok(WeightTable { parameters }));
    }

    #[test]
    fn a_shape_that_does_not_fit_is_refused() {
        for (line, part) in [
            ("parameter A shape 2 values 1 2 3", "3 values for 2 numbers"),
            (
                "parameter A shape 99999999999,99999999999 values 1",
                "a shape of at most 268435456 numbers",
            ),
            (
                "parameter A shape 268435457 values 1",
                "a shape of at most 268435456 numbers",
            ),
            (
                "parameter A shape 0 values 1",
                "a shape of at least one entry",
            ),
            ("parameter A lanes 0 values 1", "lanes 1"),
            ("parameter A lanes 3 values 1 2", "2 values for 3 numbers"),
            ("parameter A bounds 3 values 1", "bounds LOW,HIGH"),
            ("parameter A values nan", "finite"),
            ("parameter A places 5 values 1", "places below 1, not 5"),
            (
                "parameter A shape 5 places 1,2,3 values 0 5 3 3 0",
                "found 5 values, expected 3, one for each of `places`",
            ),
            ("MATERIAL 5", "parameter NAME"),
            ("parameter", "a name"),
            ("parameter A[0] values 1", "letters, digits"),
            ("parameter A colour red", "colour"),
            ("parameter A line 1 line 2 values 1", "\"line\" twice"),
        ] {
            let message = WeightTable::read([line]).err().unwrap_or_default();
            assert!(message.contains(part), "{line}: {message}");
        }
    }
}
