//! Ranges as they are typed: `FROM..TO`, either of which may be left out.

use tuner_data::GameDate;
use tuner_data::tools::FilterRange;

/// Reads a range `FROM..TO`, of which one end may be left out; both ends belong to it. `pattern`:
/// what an end looks like, for the message; `read` reads an end; `is_behind`: whether the range
/// between two ends has nothing in it.
fn range<T: Copy>(
    text: &str,
    pattern: &str,
    read: impl Fn(&str) -> Option<T>,
    is_behind: impl Fn(T, T) -> bool,
) -> Result<FilterRange<T>, String> {
    let wrong = || format!("expected FROM..TO, FROM.. or ..TO of {pattern}");
    let (from, to) = text.split_once("..").ok_or_else(wrong)?;
    let end = |text: &str| match text {
        "" => Ok(None),
        text => read(text).map(Some).ok_or_else(wrong),
    };
    let (from, to) = (end(from)?, end(to)?);
    match (from, to) {
        (None, None) => Err(wrong()),
        (Some(from), Some(to)) if is_behind(from, to) => {
            Err("expected the smaller end first".to_owned())
        }
        _ => Ok(FilterRange { from, to }),
    }
}

/// Reads a range of whole numbers from 0, such as `3..7`; one end may be left out.
pub(super) fn whole_numbers(text: &str) -> Result<FilterRange<u32>, String> {
    let read = |text: &str| text.parse().ok();
    range(text, "whole numbers", read, |from, to| from > to)
}

/// Reads a range of seconds, numbers from 0, such as `180..600`; one end may be left out.
pub(super) fn seconds(text: &str) -> Result<FilterRange<f64>, String> {
    let number = |text: &str| text.parse().ok();
    let read =
        |text: &str| number(text).filter(|number: &f64| number.is_finite() && *number >= 0.0);
    range(text, "seconds", read, |from, to| from > to)
}

/// Reads a range of days, months or years, such as `2019..2021.06`, whose whole month belongs to
/// it; one end may be left out.
pub(super) fn dates(text: &str) -> Result<FilterRange<GameDate>, String> {
    let pattern = "dates such as 2021, 2021.06 or 2021.06.15";
    let is_behind = |from: GameDate, to: GameDate| from.first_day() > to.last_day();
    range(text, pattern, GameDate::parse, is_behind)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn ranges_have_one_end_or_two() {
        let whole = whole_numbers;
        let range = |from, to| Ok(FilterRange { from, to });
        assert_eq!(whole("3..7"), range(Some(3), Some(7)));
        assert_eq!(whole("3.."), range(Some(3), None));
        assert_eq!(whole("..7"), range(None, Some(7)));
        assert!(whole("7..3").unwrap_err().contains("smaller end first"));
        for text in ["", "..", "3", "a..7", "3..-7", "3..7..9"] {
            assert!(whole(text).unwrap_err().contains("FROM..TO"), "{text}");
        }
        let dates = |text: &str| dates(text).is_ok();
        assert!(dates("2019..2021.06") && dates("2019.05.01..") && dates("2019.05..2019"));
        assert!(!dates("2021..2019") && !dates("19..20"));
        let seconds = |text: &str| seconds(text).is_ok();
        assert!(seconds("0.5..60") && !seconds("-1..") && !seconds("NaN.."));
    }
}
