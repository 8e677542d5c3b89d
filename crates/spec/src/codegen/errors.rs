//! Standard errors as comments beside the weights.

use crate::{Parameter, Phases};

/// What is known of the error of a weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WeightError {
    /// Its standard error, in its unit.
    Standard(f64),
    /// It was not fitted.
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

/// What the letters mean, for the header.
pub(super) const LEGEND: &str = "behind ±: standard errors; f frozen, u not seen in the data, b at \
                                 a bound, s separated by the data, ? not known";

impl WeightError {
    /// One letter, or the number: two digits, or more of larger ones; of floats all
    /// decimals.
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

/// The errors of the entries of a parameter: of each the text for a table, padded so
/// that columns line up. `pair` is the width of the name of the pair type.
pub(super) fn cells(errors: &[WeightError], parameter: &Parameter, pair: usize) -> Vec<String> {
    let (phases, decimals) = (parameter.phases(), parameter.step().decimals as usize);
    let texts: Vec<String> = errors.iter().map(|error| error.short(decimals)).collect();
    let width = |phase: usize| {
        let of_phase = texts.iter().skip(phase).step_by(phases.count());
        of_phase.map(String::len).max().unwrap_or(0)
    };
    match phases {
        Phases::Untapered => {
            let width = width(0);
            texts.iter().map(|text| format!("{text:>width$}")).collect()
        }
        Phases::Tapered => {
            let (mg, eg) = (width(0), width(1));
            let both = texts.chunks_exact(2);
            both.map(|both| format!("{:pair$}({:>mg$}, {:>eg$})", "", both[0], both[1]))
                .collect()
        }
    }
}

/// The errors of some entries in a line.
pub(super) fn line(cells: &[String]) -> String {
    let cells: Vec<&str> = cells.iter().map(|cell| cell.trim()).collect();
    format!("± {}", cells.join(", "))
}
