//! The tags of a game's record: what it tells besides moves and result.

/// The tags of a game, shared by its positions; what is not told is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GameTags {
    /// Names of the first and the second player.
    pub players: [Option<Box<str>>; 2],
    /// Their ratings.
    pub ratings: [Option<u32>; 2],
    /// The tournament or match.
    pub event: Option<Box<str>>,
    /// When it was played.
    pub date: Option<GameDate>,
    /// Seconds that a player has for 40 moves, increments included.
    pub seconds: Option<f64>,
}

/// A day, a month or a year.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameDate {
    year: u16,
    month: Option<u8>,
    day: Option<u8>,
}

impl GameDate {
    /// Reads a date, `2024.03.01`, `2024.03` or `2024`, also with `-` or `/` between the parts. The
    /// year has four digits; month and day may be `?`, but a day needs a month. `None` if the text
    /// is not such a date.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.trim().split(['.', '-', '/']);
        let year = parts.next().filter(|year| year.len() == 4)?;
        let year = digits(year)?;
        let month = part(parts.next(), 12).ok()?;
        let day = part(parts.next(), 31).ok()?;
        if parts.next().is_some() || month.is_none() && day.is_some() {
            return None;
        }
        Some(Self { year, month, day })
    }

    /// Returns the first day that the date may mean, as year, month, day: an unknown month is
    /// January, an unknown day the 1st.
    pub fn first_day(self) -> (u16, u8, u8) {
        (self.year, self.month.unwrap_or(1), self.day.unwrap_or(1))
    }

    /// Returns the last day that the date may mean, as year, month, day: an unknown month is
    /// December, an unknown day the 31st, whatever the month.
    pub fn last_day(self) -> (u16, u8, u8) {
        (self.year, self.month.unwrap_or(12), self.day.unwrap_or(31))
    }
}

/// Text that is not a date.
struct NoDate;

/// Reads a number of digits alone; `None` of other text, and of what the type does not hold.
fn digits<T: std::str::FromStr>(text: &str) -> Option<T> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_plain)
}

/// Reads the month or the day of a date. `None` where the part is missing or all question marks; an
/// error where it is something else than a number from 1 to `most`.
fn part(text: Option<&str>, most: u8) -> Result<Option<u8>, NoDate> {
    match text {
        None => Ok(None),
        Some(text) if !text.is_empty() && text.bytes().all(|byte| byte == b'?') => Ok(None),
        Some(text) => {
            let number = digits(text).filter(|number| (1..=most).contains(number));
            number.map(Some).ok_or(NoDate)
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn dates_are_days_months_or_years() {
        let days = |text| GameDate::parse(text).map(|date| (date.first_day(), date.last_day()));
        for text in ["2019.02.13", "2019-02-13", "2019/2/13"] {
            assert_eq!(days(text), Some(((2019, 2, 13), (2019, 2, 13))), "{text}");
        }
        for text in ["1996.??.??", "1996", "1996.??"] {
            assert_eq!(days(text), Some(((1996, 1, 1), (1996, 12, 31))), "{text}");
        }
        assert_eq!(days("1996.05.??"), Some(((1996, 5, 1), (1996, 5, 31))));
        for text in [
            "????.??.??",
            "",
            "19",
            "1996.13.01",
            "1996.00.01",
            "1996.1.32",
            "1996.??.03",
            "1996.1.1.1",
            "+996.1.1",
            "1996.",
            "1996..",
            "1996.05.",
            "99999",
        ] {
            assert_eq!(days(text), None, "{text}");
        }
    }
}
