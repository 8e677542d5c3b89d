//! Numbers as they are written: a whole number of tenths, hundredths and so on.

use toml::de::DeValue;

use super::read::{Read, Value};

/// Most digits behind the point. Chosen: with it, numbers up to nine million are exact.
pub(super) const MOST_DECIMALS: u32 = 9;

/// A decimal number, count · 10^−decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    pub(super) count: i64,
    /// Number of digits behind the point, as written.
    pub(super) decimals: u32,
    /// Whether it is written with a point or an exponent: `1.0` has one.
    pub(super) has_point: bool,
}

impl Decimal {
    /// Reads the text of a float in TOML, such as `1_000.25` or `2.5e3`. `None` for what is not a
    /// finite number, has more than 18 decimals, or digits that do not fit into 64 bits.
    fn parse(text: &str) -> Option<Self> {
        let text: String = text.chars().filter(|&c| c != '_').collect();
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
            None => (&*text, 0),
        };
        let (whole, behind) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let count: i64 = format!("{whole}{behind}").parse().ok()?;
        // If the number of decimals is below 0, as in `2.5e3` (1 − 3), there are zeros in front of
        // the point, which go into the count.
        let decimals = i32::try_from(behind.len()).ok()?.checked_sub(exponent)?;
        let factor = 10_i64.checked_pow(decimals.min(0).unsigned_abs())?;
        let decimals = decimals.max(0).unsigned_abs();
        (decimals <= 18).then_some(Self {
            count: count.checked_mul(factor)?,
            decimals,
            // A float of TOML always has a point or an exponent.
            has_point: true,
        })
    }

    /// Returns the number in units of 10^−decimals; `None` if it is not a whole number of these
    /// units, or does not fit into 64 bits.
    pub(super) fn at(self, decimals: u32) -> Option<i64> {
        if decimals >= self.decimals {
            let factor = 10_i64.checked_pow(decimals - self.decimals)?;
            return self.count.checked_mul(factor);
        }
        let factor = 10_i64.checked_pow(self.decimals - decimals)?;
        (self.count % factor == 0).then_some(self.count / factor)
    }

    /// Returns the `f64` that is nearest to the number.
    pub(super) fn value(self) -> f64 {
        value(self.count, self.decimals)
    }
}

/// Returns the `f64` nearest to count · 10^−decimals, which is also what the text of that number is
/// read as. Exact rounding needs a count up to 2^53 and at most 22 decimals.
pub(super) fn value(count: i64, decimals: u32) -> f64 {
    // Count and power of ten are exact as floats, so only the division rounds.
    count as f64 / 10_f64.powi(decimals as i32)
}

/// Returns the text of count · 10^−decimals, with `decimals` digits behind the point.
pub(super) fn text(count: i64, decimals: u32) -> String {
    if decimals == 0 {
        return count.to_string();
    }
    let sign = if count < 0 { "-" } else { "" };
    // At least one digit is before the point.
    let width = decimals as usize + 1;
    let digits = format!("{:0width$}", count.unsigned_abs());
    let (whole, behind) = digits.split_at(digits.len() - decimals as usize);
    format!("{sign}{whole}.{behind}")
}

impl Read for Decimal {
    /// Reads an integer or a float of TOML, digit by digit; `None` after noting another value.
    fn read(value: &Value<'_>) -> Option<Self> {
        match value.toml {
            DeValue::Integer(_) => i64::read(value).map(|count| Self {
                count,
                decimals: 0,
                has_point: false,
            }),
            DeValue::Float(number) => Self::parse(number.as_str())
                .or_else(|| value.wrong_type("a number of at most 18 digits")),
            _ => value.wrong_type("a number"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_are_written() {
        for (from, count, decimals) in [
            ("0.25", 25, 2),
            ("-1_000.50", -100_050, 2),
            ("1e-3", 1, 3),
            ("-2.5E2", -250, 0),
            ("+7.0", 70, 1),
            ("-0.5", -5, 1),
        ] {
            let found = Decimal::parse(from).map(|d| (d.count, d.decimals));
            assert_eq!(found, Some((count, decimals)), "{from}");
            let again = Decimal::parse(&text(count, decimals)).map(Decimal::value);
            assert_eq!(again, from.replace('_', "").parse().ok(), "{from}");
        }
        for from in [
            "inf",
            "nan",
            "-inf",
            "1e300",
            "1e-30",
            "1e-2147483648",
            "12345678901234567890.5",
        ] {
            assert_eq!(Decimal::parse(from), None, "{from}");
        }
    }

    #[test]
    fn a_number_has_a_count_where_it_has_no_finer_digits() {
        let tenth = Decimal {
            count: -150,
            decimals: 2,
            has_point: true,
        };
        assert_eq!(
            [0, 1, 2, 4].map(|d| tenth.at(d)),
            [None, Some(-15), Some(-150), Some(-15_000)]
        );
        assert_eq!(
            (text(-15, 1), text(-5, 1), text(5, 3)),
            ("-1.5".into(), "-0.5".into(), "0.005".into())
        );
    }
}
