//! Ranges as they are typed: `FROM..TO`, either of which may be left out.

use std::str::FromStr;

use tuner_data::GameDate;
use tuner_data::tools::FilterRange;

/// `FROM..TO`; both ends belong to the range.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RangeArg<T>(pub(super) FilterRange<T>);

/// What a range is of.
pub(crate) trait RangeEnd: Copy {
    /// What an end looks like.
    const PATTERN: &'static str;

    /// Reads an end.
    fn read(text: &str) -> Option<Self>;

    /// Tells whether a range from here to there has nothing in it.
    fn is_behind(self, to: Self) -> bool;
}

impl<T: RangeEnd> FromStr for RangeArg<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("expected FROM..TO, FROM.. or ..TO of {}", T::PATTERN);
        let (from, to) = text.split_once("..").ok_or_else(wrong)?;
        let end = |text: &str| match text {
            "" => Ok(None),
            text => T::read(text).map(Some).ok_or_else(wrong),
        };
        let range = FilterRange {
            from: end(from)?,
            to: end(to)?,
        };
        match range {
            FilterRange {
                from: None,
                to: None,
            } => Err(wrong()),
            FilterRange {
                from: Some(from),
                to: Some(to),
            } if from.is_behind(to) => Err("expected the smaller end first".to_owned()),
            range => Ok(Self(range)),
        }
    }
}

impl RangeEnd for u32 {
    const PATTERN: &'static str = "whole numbers";

    fn read(text: &str) -> Option<Self> {
        text.parse().ok()
    }

    fn is_behind(self, to: Self) -> bool {
        self > to
    }
}

impl RangeEnd for f64 {
    const PATTERN: &'static str = "seconds";

    fn read(text: &str) -> Option<Self> {
        let number = text.parse().ok();
        number.filter(|number: &Self| number.is_finite() && *number >= 0.0)
    }

    fn is_behind(self, to: Self) -> bool {
        self > to
    }
}

impl RangeEnd for GameDate {
    const PATTERN: &'static str = "dates such as 2021, 2021.06 or 2021.06.15";

    fn read(text: &str) -> Option<Self> {
        Self::parse(text)
    }

    fn is_behind(self, to: Self) -> bool {
        self.first_day() > to.last_day()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn ranges_have_one_end_or_two() {
        let whole = |text: &str| text.parse::<RangeArg<u32>>().map(|range| range.0);
        let range = |from, to| Ok(FilterRange { from, to });
        assert_eq!(whole("3..7"), range(Some(3), Some(7)));
        assert_eq!(whole("3.."), range(Some(3), None));
        assert_eq!(whole("..7"), range(None, Some(7)));
        assert!(whole("7..3").unwrap_err().contains("smaller end first"));
        for text in ["", "..", "3", "a..7", "3..-7", "3..7..9"] {
            assert!(whole(text).unwrap_err().contains("FROM..TO"), "{text}");
        }
        let dates = |text: &str| text.parse::<RangeArg<GameDate>>().is_ok();
        assert!(dates("2019..2021.06") && dates("2019.05.01..") && dates("2019.05..2019"));
        assert!(!dates("2021..2019") && !dates("19..20"));
        let seconds = |text: &str| text.parse::<RangeArg<f64>>().is_ok();
        assert!(seconds("0.5..60") && !seconds("-1..") && !seconds("NaN.."));
    }
}
