//! Standard errors as comments beside the weights.

use crate::Parameter;
use crate::edit::{cells, widths};

/// What is known of the standard error of a weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WeightError {
    /// The standard error, in the unit of the weight.
    Standard(f64),
    /// The weight was not fitted, so it has no error.
    Frozen,
    /// No position of the data reads it.
    Unseen,
    /// It is at a bound that the error pushes against.
    AtBound,
    /// Every position with it has the same result.
    Separated,
    /// Nobody computed it.
    Unknown,
}

/// The meaning of the letters in place of errors, for the header of a generated file.
pub(super) const LEGEND: &str = "behind ±: standard errors; f frozen, u not seen in the data, b at \
                                 a bound, s separated by the data, ? not known";

impl WeightError {
    /// Returns a standard error as a text: a letter if there is no number, or the number. If the
    /// weights have `decimals` behind the point, so has the number; else it has one below 9.95, and
    /// no decimals above.
    fn short(self, decimals: usize) -> String {
        match self {
            Self::Standard(error) if decimals > 0 => format!("{error:.decimals$}"),
            Self::Standard(error) if error < 9.95 => format!("{error:.1}"),
            Self::Standard(error) => format!("{error:.0}"),
            Self::Frozen => "f".to_owned(),
            Self::Unseen => "u".to_owned(),
            Self::AtBound => "b".to_owned(),
            Self::Separated => "s".to_owned(),
            Self::Unknown => "?".to_owned(),
        }
    }
}

/// Returns a text for each entry of a parameter with its standard error, or with those of both
/// phases in parentheses, padded so that columns of a table line up. `errors`: one for each weight,
/// or empty; `pair`: the length of the name of the pair type, which is before the parenthesis of
/// values.
pub(super) fn texts(errors: &[WeightError], parameter: &Parameter, pair: usize) -> Vec<String> {
    let (lanes, decimals) = (parameter.phases.count(), parameter.step.decimals as usize);
    let texts: Vec<String> = errors.iter().map(|error| error.short(decimals)).collect();
    let open = format!("{:pair$}(", "");
    cells(&texts, lanes, [&open, ")"], widths(&texts, lanes))
}

/// Returns the standard errors of some entries, as texts, in one line behind `±`.
pub(super) fn line(cells: &[String]) -> String {
    let cells: Vec<&str> = cells.iter().map(|cell| cell.trim()).collect();
    format!("± {}", cells.join(", "))
}
