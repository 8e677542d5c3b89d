//! Numbers as words of a line.

/// Reads a word as a number. `Err` if there is no word, or it is not a number of this type: the
/// message says what was found, and in the words of `what` what was expected.
pub(crate) fn number<T: std::str::FromStr>(word: Option<&str>, what: &str) -> Result<T, String> {
    let word = word.ok_or_else(|| format!("found the end of the line, expected {what}"))?;
    word.parse()
        .map_err(|_| format!("found {word:?}, expected {what}"))
}

/// Reads a word as a finite number. `Err` if there is no word, or it is not a finite number: the
/// message says what was found, and in the words of `what` what was expected.
pub(crate) fn finite(word: Option<&str>, what: &str) -> Result<f64, String> {
    let value: f64 = number(word, what)?;
    if value.is_finite() {
        Ok(value)
    } else {
        Err(format!("found {value}, expected {what}"))
    }
}
