//! How a new number is written over an old one.

use tuner_source::{Literal, Number};

use crate::edit::{Edit, align};

/// Returns `value` written as a literal that replaces `literal` of a source `text`, with the suffix
/// of the old one, such as `i32`. A whole number gets underscores if the old one has some; floats
/// get no underscores.
///
/// # Errors
///
/// Why the literal cannot be this number.
pub(super) fn number(text: &str, literal: &Literal, value: f64) -> Result<String, String> {
    let old = &text[literal.bytes.clone()];
    let new = match literal.number {
        Number::Float(_) => format!("{value:?}"),
        Number::Int(_) if value.fract() != 0.0 => {
            return Err(format!("{value} is no whole number, and the literal is"));
        }
        Number::Int(_) => {
            let whole = value as i128;
            if let Some((low, high)) = literal.limits
                && !(low..=high).contains(&whole)
            {
                let takes = format!("the type, which takes {low} to {high}");
                return Err(format!("{whole} does not fit {takes}"));
            }
            // In `5_i32` the underscore belongs to the suffix, and does not group digits.
            let digits = old.strip_suffix(&literal.suffix).unwrap_or(old);
            grouped(whole, digits.trim_end_matches('_').contains('_'))
        }
    };
    Ok(new + &literal.suffix)
}

/// Returns the edit that writes `new` over a literal of a source `text`. `aligned`: whether the
/// numbers of its table are aligned in columns; then the new one keeps its right end in its column.
pub(super) fn placed(text: &str, literal: &Literal, mut new: String, aligned: bool) -> Edit {
    let mut bytes = literal.bytes.clone();
    // Arithmetic that is written over several lines is in no column.
    if aligned && !text[bytes.clone()].contains('\n') {
        align(text, &mut bytes, &mut new);
    }
    Edit { bytes, text: new }
}

/// Returns the text of a whole number. `in_threes`: whether there is an underscore before each
/// group of three digits, as in `1_000`.
fn grouped(whole: i128, in_threes: bool) -> String {
    let digits = whole.unsigned_abs().to_string();
    let mut out = String::from(if whole < 0 { "-" } else { "" });
    for (index, digit) in digits.chars().enumerate() {
        if in_threes && index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push('_');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a test may stop at the first surprise

    use tuner_source::Scan;

    use super::*;
    use crate::edit::{apply, is_aligned};

    /// The text of a const with all its numbers replaced.
    fn changed(text: &str, values: &[f64]) -> Result<String, String> {
        let scan = Scan::of(&[text]).unwrap();
        let literals = &scan.consts[0].literals;
        assert_eq!(literals.len(), values.len(), "{text}");
        let aligned = is_aligned(text, literals.iter().map(|literal| literal.bytes.start));
        let edits = literals.iter().zip(values);
        let edits = edits.map(|(literal, &value)| {
            let new = number(text, literal, value)?;
            Ok::<_, String>(placed(text, literal, new, aligned))
        });
        Ok(apply(text, &edits.collect::<Result<Vec<_>, _>>()?))
    }

    #[test]
    fn the_rest_of_the_text_stays() {
        for (old, values, new) in [
            ("const A: i32 = - 5;", &[7.0][..], "const A: i32 = 7;"),
            (
                "const A: i32 = 5; // é 5",
                &[-7.0],
                "const A: i32 = -7; // é 5",
            ),
            (
                "/* é */ const A: i32 = -(5);",
                &[-7.0],
                "/* é */ const A: i32 = -7;",
            ),
            ("const A: i16 = 5i16;", &[-7.0], "const A: i16 = -7i16;"),
            (
                "const A: i16 = 5_i16;",
                &[1234.0],
                "const A: i16 = 1234i16;",
            ),
            (
                "const A: i32 = 1_000;",
                &[-1_234_567.0],
                "const A: i32 = -1_234_567;",
            ),
            ("const A: i32 = 1_000;", &[12.0], "const A: i32 = 12;"),
            ("const A: i32 = 0x1F;", &[7.0], "const A: i32 = 7;"),
            ("const A: i32 = 2 * 30;", &[-7.0], "const A: i32 = -7;"),
            ("const A: i16 = 2 * 30i16;", &[7.0], "const A: i16 = 7i16;"),
            (
                "const A: i32 = (2 * 30) as i32;",
                &[7.0],
                "const A: i32 = (7) as i32;",
            ),
            (
                "const A: i32 = 5i16 as i32;",
                &[7.0],
                "const A: i32 = 7i16 as i32;",
            ),
            ("const A: f64 = 5.5;", &[7.0], "const A: f64 = 7.0;"),
            (
                "const A: f64 = -5.5f64;",
                &[0.25],
                "const A: f64 = 0.25f64;",
            ),
            ("const A: f64 = 5f64;", &[1.0], "const A: f64 = 1.0f64;"),
            (
                "const A: S = s!( 1, /* é */ 2 );",
                &[3.0, 40.0],
                "const A: S = s!( 3, /* é */ 40 );",
            ),
            (
                "const A: S = S { mg: 1, eg: -2 };",
                &[-3.0, 4.0],
                "const A: S = S { mg: -3, eg: 4 };",
            ),
            (
                "const A: [i32; 2] = [1, // é\r\n    20];\r\n",
                &[100.0, 3.0],
                "const A: [i32; 2] = [100, // é\r\n    3];\r\n",
            ),
            (
                "\u{feff}const A: i32 = 5;",
                &[7.0],
                "\u{feff}const A: i32 = 7;",
            ),
            (
                "#!/bin/é\nconst A: i32 = 5;",
                &[7.0],
                "#!/bin/é\nconst A: i32 = 7;",
            ),
            (
                "#![allow(x)]\nconst A: i32 = 5;",
                &[7.0],
                "#![allow(x)]\nconst A: i32 = 7;",
            ),
        ] {
            assert_eq!(changed(old, values).unwrap(), new);
        }
    }

    #[test]
    fn numbers_in_columns_keep_their_column() {
        for (old, values, new) in [
            (
                "const A: S = S(   9,    6);",
                &[-120.0, 5.0][..],
                "const A: S = S(-120,    5);",
            ),
            (
                "const A: S = S(   9,    6);",
                &[12345.0, -12345.0],
                "const A: S = S(12345, -12345);",
            ),
            (
                "const A: S = S(9, 6);",
                &[120.0, 1.0],
                "const A: S = S(120, 1);",
            ),
            (
                "const A: [i32; 4] = [\n      5,  -10,\n    100,    0,\n];",
                &[-55.0, 1.0, 7.0, 1000.0],
                "const A: [i32; 4] = [\n    -55,    1,\n      7, 1000,\n];",
            ),
            (
                "const A: [i32; 2] = [\n    5,\n    100,\n];",
                &[55.0, 1.0],
                "const A: [i32; 2] = [\n    55,\n    1,\n];",
            ),
        ] {
            assert_eq!(changed(old, values).unwrap(), new);
        }
    }

    #[test]
    fn numbers_that_a_literal_cannot_be_are_refused() {
        for (text, value, words) in [
            ("const A: i32 = 5;", 2.5, "no whole number"),
            ("const A: i32 = 5i16;", 40_000.0, "-32768 to 32767"),
            ("const A: i8 = 5;", -200.0, "-128 to 127"),
            ("type V = i8; const A: V = 5;", 200.0, "-128 to 127"),
            (
                "struct S(i16, i16); const A: [S; 1] = [S(5, 5)];",
                40_000.0,
                "32767",
            ),
            ("const A: i32 = 5 as i8 as i32;", 200.0, "-128 to 127"),
        ] {
            let count = Scan::of(&[text]).unwrap().consts[0].literals.len();
            let error = changed(text, &vec![value; count]).unwrap_err();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
