//! Numbers and names as they are shown.

pub(crate) use tuner_base::counted;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Most columns of a name that is shown. Chosen: longer than any path of a spec
/// in the examples, and short enough for a table.
const LONGEST_NAME: usize = 64;

/// Most characters of a sentence that is shown. Chosen: no sentence of a record
/// that this version writes is as long.
const LONGEST_SENTENCE: usize = 600;

/// Tells whether a terminal or a page would act on a character: it is a control character, or
/// changes the direction of what follows.
pub fn is_acted_on(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fffe}'..='\u{ffff}')
}

/// Returns a text in which each character that a terminal or a page would act on is replaced by
/// `�`.
pub fn clean(text: &str) -> String {
    text.chars()
        .map(|c| if is_acted_on(c) { '\u{fffd}' } else { c })
        .collect()
}

/// Returns a name of at most 64 columns, in which characters that a terminal or a page would act on
/// are replaced; one that was cut ends with `…`.
pub(crate) fn name(text: &str) -> String {
    // A name may be of any length: no more of it is cleaned than can be shown.
    let head: String = text.chars().take(4 * LONGEST_NAME).collect();
    shorten(&clean(&head), LONGEST_NAME)
}

/// Returns a sentence of at most 600 characters, in which characters that a terminal or a page
/// would act on are replaced; one that was cut ends with `…`.
pub(crate) fn sentence(text: &str) -> String {
    let head: String = text.chars().take(LONGEST_SENTENCE).collect();
    let cut = if head.len() < text.len() { "…" } else { "" };
    clean(&head) + cut
}

/// Returns the columns that a text takes.
pub(crate) fn columns(text: &str) -> usize {
    text.width()
}

/// Returns a text of at most `most` columns; one that was cut ends with `…`.
pub(crate) fn shorten(text: &str, most: usize) -> String {
    if columns(text) <= most {
        return text.to_owned();
    }
    let mut short = String::new();
    let mut left = most.saturating_sub(1);
    for c in text.chars() {
        let width = c.width().unwrap_or(0);
        if width > left {
            break;
        }
        left -= width;
        short.push(c);
    }
    if most > 0 {
        short.push('…');
    }
    short
}

/// Returns a text with blanks behind it up to `most` columns; a longer one is cut, and ends with
/// `…`.
pub(crate) fn left(text: &str, most: usize) -> String {
    let (text, blanks) = padded(text, most);
    text + &blanks
}

/// Returns a text with blanks before it up to `most` columns; a longer one is cut, and ends with
/// `…`.
pub(crate) fn right(text: &str, most: usize) -> String {
    let (text, blanks) = padded(text, most);
    blanks + &text
}

/// Returns a text, cut to at most `most` columns, and the blanks that fill it up to `most`.
fn padded(text: &str, most: usize) -> (String, String) {
    let text = shorten(text, most);
    let blanks = most - columns(&text).min(most);
    (text, " ".repeat(blanks))
}

/// Returns a number as text: whole numbers as such, others with about three digits, very small and
/// very large ones as powers of ten, `–` for one that is not finite.
pub(crate) fn number(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        return "–".to_owned();
    }
    if size >= 1e9 || (size > 0.0 && size < 0.005) {
        return format!("{value:.1e}");
    }
    let text = if size >= 100.0 || (value - value.round()).abs() < 1e-9 {
        format!("{value:.0}")
    } else if size >= 10.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    };
    if text == "-0" { "0".to_owned() } else { text }
}

/// Returns a number with its standard error, if it has one.
pub(crate) fn with_error(value: f64, error: Option<f64>) -> String {
    let error = error.map_or_else(String::new, |error| format!(" ± {}", number(error)));
    number(value) + &error
}

/// Returns a part as a percentage with one digit behind the point.
pub(crate) fn percent(part: f64) -> String {
    format!("{:.1} %", 100.0 * part)
}

/// Returns a change as text: a number with about three digits, and a `+` in front where it is above
/// 0.
pub(crate) fn signed(value: f64) -> String {
    let text = number(value);
    if value > 0.0 && text != "0" {
        format!("+{text}")
    } else {
        text
    }
}

/// Returns a number of standard errors with its sign and one digit behind the point, 1000 or more
/// as a power of ten.
pub(crate) fn in_errors(value: f64) -> String {
    if value.abs() >= 1000.0 {
        return format!("{value:+.0e}");
    }
    let text = format!("{value:+.1}");
    if text == "+0.0" || text == "-0.0" {
        "0.0".to_owned()
    } else {
        text
    }
}

/// Returns a value of E with six digits behind the point.
pub(crate) fn error(value: f64) -> String {
    format!("{value:.6}")
}

/// Returns a probability with three digits behind the point, or that it is less than 0.001.
pub(crate) fn probability(p: f64) -> String {
    if p < 0.001 {
        "< 0.001".to_owned()
    } else {
        format!("{p:.3}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_can_do_nothing() {
        assert_eq!(
            clean("A\u{1b}[2J\u{202e}\u{9b}B\n"),
            "A\u{fffd}[2J\u{fffd}\u{fffd}B\u{fffd}"
        );
        let long = name(&"駒".repeat(10_000));
        assert!(columns(&long) <= LONGEST_NAME && long.ends_with('…'));
        assert_eq!(left("駒駒駒", 4), "駒… ");
        assert_eq!(right("ab", 4), "  ab");
        assert_eq!(
            (shorten("ab", 0).as_str(), shorten("ab", 1).as_str()),
            ("", "…")
        );
    }

    #[test]
    fn numbers_are_short() {
        let shown = [3.0, -0.0, 1234.5, 12.34, 1.234, 0.0001, 1e300, f64::NAN].map(number);
        assert_eq!(
            shown,
            ["3", "0", "1234", "12.3", "1.23", "1.0e-4", "1.0e300", "–"]
        );
        assert_eq!([signed(2.0), signed(-2.0), signed(0.0)], ["+2", "-2", "0"]);
        assert_eq!([in_errors(-0.01), in_errors(4.26)], ["0.0", "+4.3"]);
        assert_eq!(probability(1e-9), "< 0.001");
    }
}
