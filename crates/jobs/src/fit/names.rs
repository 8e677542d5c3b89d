//! Weights by their names, and names that were perhaps meant.

use tuner_base::WeightId;
use tuner_spec::Layout;

const SUGGESTED: usize = 3;

/// Finds the one weight that an option names; paths are those of the layout, if there is one.
///
/// # Errors
/// If there is none of that name, or more than one.
pub fn one_weight(
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
        [] if let Some(Err(error)) = layout.map(|layout| layout.find(typed))
            && !error.is_unknown_parameter =>
        {
            Err(format!("{option} {typed}: {error}"))
        }
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failing test may end with a panic
    use super::*;

    #[test]
    fn near_names_are_suggested() {
        let names: Vec<String> = ["PST[pawn][3].mg", "MATERIAL[pawn].mg", "MATERIAL[queen].mg"]
            .map(str::to_owned)
            .to_vec();
        let error = |name: &str| one_weight("--anchor", name, &names, None).unwrap_err();
        let found = error("pawn.mg");
        assert!(found.contains("did you mean MATERIAL[pawn].mg"), "{found}");
        assert!(error("MATERAL[quen].mg").contains("did you mean MATERIAL[queen].mg"));
        assert_eq!(one_weight("", "PST[pawn][3].mg", &names, None), Ok(0));
    }
}
