//! Weights by their names, and names that were perhaps meant.

use tuner_spec::Layout;

/// Most names that are suggested.
const SUGGESTED: usize = 3;

/// Returns the number of the one weight that an option names. `typed`, what the user wrote, is one
/// of `names`, or a path of the layout, if there is one, such as `PAWN[3]`. `option`: its name, for
/// the message.
///
/// # Errors
/// If no weight has that name, or more than one has it.
pub fn one_weight(
    option: &str,
    typed: &str,
    names: &[String],
    layout: Option<&Layout>,
) -> Result<usize, String> {
    if let Some(weight) = names.iter().position(|name| name == typed) {
        return Ok(weight);
    }
    // A path that leads to no weight is an error of its own; an unknown parameter gets suggestions.
    let found = match layout.map(|layout| layout.find(typed)) {
        Some(Ok(found)) => found,
        Some(Err(error)) if !error.is_unknown_parameter => {
            return Err(format!("{option} {typed}: {error}"));
        }
        Some(Err(_)) | None => Vec::new(),
    };
    match found.as_slice() {
        [weight] => Ok(weight.index()),
        [] => Err(format!(
            "{option} {typed}: no weight of that name; did you mean {}?",
            near(typed, names).join(" or ")
        )),
        [first, .., last] => Err(format!(
            "{option} {typed}: that is {} weights, {} to {}; expected one",
            found.len(),
            names[first.index()],
            names[last.index()]
        )),
    }
}

/// Returns the `SUGGESTED` (3) names nearest to a word. A word or name has parts, as `PAWN` and
/// `3` of `PAWN[3]`. The order is by the letters that change if each part of the word becomes the
/// nearest part of the name, then by how many parts the name has, then by the letters that change
/// between the whole word and the whole name.
pub(super) fn near<'a>(word: &str, names: &'a [String]) -> Vec<&'a str> {
    let parts = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        let words = words.filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    };
    let wanted = parts(word);
    let far = |name: &&'a str| {
        let parts = parts(name);
        // How far a part of the word is from the nearest part of the name, in letters. A part that
        // is like no part of the name is as far as it is long.
        let nearest = |want: &String| {
            let all = parts.iter().map(|part| distance(want, part));
            all.min().unwrap_or(usize::MAX).min(want.len())
        };
        let missing: usize = wanted.iter().map(nearest).sum();
        (missing, parts.len(), distance(word, name))
    };
    let mut all: Vec<&str> = names.iter().map(String::as_str).collect();
    all.sort_by_cached_key(|name| far(name));
    all.truncate(SUGGESTED);
    all
}

/// Returns Levenshtein's distance of two texts: letters inserted, removed or changed; ASCII case
/// ignored.
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
