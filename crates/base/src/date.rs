//! Times as people read them.

use std::time::{SystemTime, UNIX_EPOCH};

/// Returns a time as `2026-11-28 17:05`, in UTC; a time before 1970 as 1970-01-01 00:00.
///
/// *Source*: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`.
pub fn utc(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let seconds = since.as_secs();
    // Days since the first of March of the year 0: years that begin in March end in leap days. An
    // era is 400 years, which are equally long.
    let (days, minutes) = (seconds / 86_400 + 719_468, seconds % 86_400 / 60);
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // Months from March on have 153 days in five: 0 is March.
    let from_march = (5 * day + 2) / 153;
    let month = (from_march + 2) % 12 + 1;
    let year = year + era * 400 + u64::from(month <= 2);
    let day = day - (153 * from_march + 2) / 5 + 1;
    let (hour, minute) = (minutes / 60, minutes % 60);
    format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn times_are_days_and_minutes() {
        for (seconds, text) in [
            (0, "1970-01-01 00:00"),
            (951_782_399, "2000-02-28 23:59"),
            (951_868_800, "2000-03-01 00:00"),
            (1_709_208_000, "2024-02-29 12:00"),
            (4_102_444_799, "2099-12-31 23:59"),
        ] {
            assert_eq!(utc(UNIX_EPOCH + Duration::from_secs(seconds)), text);
        }
    }
}
