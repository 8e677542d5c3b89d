//! `--k` in the forms of the literature, and `--anchor`.

use std::f64::consts::LN_10;

use tuner_base::WeightId;
use tuner_fit::AnchorError;
use tuner_fit::model::Sigmoid;
use tuner_spec::Layout;

const SUGGESTED: usize = 3;

/// Reads K: a number, `tanh:A` of (1 + tanh(A·s))/2, or `e:K'` of
/// 1/(1 + e^(−K'·s/400)).
pub(super) fn parse_k(text: &str) -> Result<f64, String> {
    let (number, factor) = if let Some(a) = text.strip_prefix("tanh:") {
        (a, 2.0 * 400.0 / LN_10)
    } else if let Some(k) = text.strip_prefix("e:") {
        (k, 1.0 / LN_10)
    } else {
        (text, 1.0)
    };
    match number.parse::<f64>().map(|number| number * factor) {
        Ok(k) if (1e-6..=1e6).contains(&k) => Ok(k),
        _ => Err(
            "expected a positive number, from 1e-6 to 1e6, or tanh:A, or e:K' that make one"
                .to_owned(),
        ),
    }
}

/// Says what K is in the parameters of other tools.
pub(super) fn equivalents(k: f64) -> String {
    let beta = Sigmoid::new(k).beta();
    format!(
        "the same curve is (1 + tanh(a·s))/2 with a = {:.9}, 1/(1 + e^(−K′·s/400)) with K′ = {:.9}",
        0.5 * beta,
        400.0 * beta
    )
}

/// The argument `--anchor NAME=VALUE`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AnchorArg {
    name: String,
    value: f64,
}

pub(super) fn parse_anchor(text: &str) -> Result<AnchorArg, String> {
    let expected = || "expected NAME=VALUE, as in MATERIAL[pawn].mg=100".to_owned();
    let (name, value) = text.rsplit_once('=').ok_or_else(expected)?;
    let value: f64 = value.trim().parse().map_err(|_| expected())?;
    if name.trim().is_empty() || !value.is_finite() {
        return Err(expected());
    }
    Ok(AnchorArg {
        name: name.trim().to_owned(),
        value,
    })
}

impl AnchorArg {
    /// Returns the weight and its value. Paths are those of the layout, if
    /// there is one.
    pub(super) fn resolve(
        &self,
        names: &[String],
        layout: Option<&Layout>,
    ) -> Result<(usize, f64), String> {
        let weight = one_weight("--anchor", &self.name, names, layout);
        Ok((weight?, self.value))
    }
}

/// The one weight that an option names; paths are those of the layout, if there is one.
pub(super) fn one_weight(
    option: &str,
    typed: &str,
    names: &[String],
    layout: Option<&Layout>,
) -> Result<usize, String> {
    let exact = names.iter().position(|name| name == typed);
    let found = match (exact, layout) {
        (Some(weight), _) => vec![weight],
        (None, Some(layout)) => {
            let found = layout.find(typed).unwrap_or_default();
            found.into_iter().map(WeightId::index).collect()
        }
        (None, None) => Vec::new(),
    };
    match found.as_slice() {
        [weight] => Ok(*weight),
        [] => Err(format!(
            "{option} {typed}: no weight of that name; did you mean {}?",
            near(typed, names).join(" or ")
        )),
        [first, .., last] => Err(format!(
            "{option} {typed}: that is {} weights, {} to {}; expected one",
            found.len(),
            names[*first],
            names[*last]
        )),
    }
}

/// The names nearest to a word, which may leave out brackets or the parameter.
pub(super) fn near<'a>(word: &str, names: &'a [String]) -> Vec<&'a str> {
    let parts = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        let words = words.filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    };
    let wanted = parts(word);
    // How far each part of the word is from the nearest part of the name.
    let far = |name: &&'a str| {
        let parts = parts(name);
        let nearest = |want: &String| parts.iter().map(|part| distance(want, part)).min();
        let missing: usize = wanted
            .iter()
            .map(|want| nearest(want).unwrap_or(usize::MAX / 2).min(want.len()))
            .sum();
        (missing, parts.len(), distance(word, name))
    };
    let mut all: Vec<&str> = names.iter().map(String::as_str).collect();
    all.sort_by_cached_key(|name| far(name));
    all.truncate(SUGGESTED);
    all
}

/// Levenshtein's distance, ASCII case ignored.
fn distance(a: &str, b: &str) -> usize {
    strsim::levenshtein(&a.to_ascii_lowercase(), &b.to_ascii_lowercase())
}

/// Why a weight cannot be anchored, with its name.
pub(super) fn refused(error: &AnchorError, name: &str) -> String {
    format!("--anchor {name}={}: {}", error.value, error.reason)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failing test may end with a panic
    use super::*;

    #[test]
    fn k_is_read_in_three_forms() {
        for (text, k) in [
            ("1.5", 1.5),
            ("tanh:0.0043", 1.493_973_0),
            ("e:2.302585093", 1.0),
        ] {
            assert!((parse_k(text).unwrap() - k).abs() < 1e-7, "{text}");
        }
        for bad in [
            "0", "-1", "tanh:", "tanh:0", "e:-2", "exp:1", "nan", "e:inf", "1e9",
        ] {
            assert!(parse_k(bad).unwrap_err().contains("tanh:A"), "{bad}");
        }
        let words = equivalents(parse_k("tanh:0.0043").unwrap());
        assert!(words.contains("a = 0.004300000") && words.contains("K′ = 3.440000000"));
        // As curves: the three are one.
        let sigmoid = Sigmoid::new(parse_k("tanh:0.0043").unwrap());
        let tanh = f64::midpoint(1.0, (0.0043_f64 * 150.0).tanh());
        assert!((sigmoid.expectation(150.0) - tanh).abs() < 1e-12);
    }

    #[test]
    fn an_anchor_is_a_name_and_a_number() {
        let anchor = parse_anchor("MATERIAL[pawn].mg = 100").unwrap();
        assert_eq!(
            (anchor.name.as_str(), anchor.value),
            ("MATERIAL[pawn].mg", 100.0)
        );
        for bad in ["", "=", "A", "A=", "=1", "A=x", "A=inf", "A=nan"] {
            assert!(
                parse_anchor(bad).unwrap_err().contains("NAME=VALUE"),
                "{bad}"
            );
        }
    }

    #[test]
    fn near_names_are_suggested() {
        let names: Vec<String> = ["PST[pawn][3].mg", "MATERIAL[pawn].mg", "MATERIAL[queen].mg"]
            .map(str::to_owned)
            .to_vec();
        let error = |name: &str| {
            let anchor = parse_anchor(&format!("{name}=100")).unwrap();
            anchor.resolve(&names, None).unwrap_err()
        };
        let found = error("pawn.mg");
        assert!(found.contains("did you mean MATERIAL[pawn].mg"), "{found}");
        assert!(error("MATERAL[quen].mg").contains("did you mean MATERIAL[queen].mg"));
        let anchor = parse_anchor("PST[pawn][3].mg=-5").unwrap();
        assert_eq!(anchor.resolve(&names, None), Ok((0, -5.0)));
    }
}
