//! How a new number is written over an old one.

use std::fmt::Write as _;
use std::iter::Peekable;

use tuner_source::{Literal, Number, Repeat};

use crate::edit::{Edit, align};

/// Writes `value` in the place of a literal.
///
/// # Errors
///
/// Why the literal cannot be this number.
pub(super) fn change(
    text: &str,
    literal: &Literal,
    value: f64,
    aligned: bool,
) -> Result<Edit, String> {
    let old = &text[literal.bytes.clone()];
    let mut new = match literal.number {
        Number::Float(_) => format!("{value:?}"),
        Number::Int(_) if value.fract() != 0.0 => {
            return Err(format!(
                "{value} is no whole number, and the literal is; round with --round"
            ));
        }
        Number::Int(_) => {
            let whole = value as i128;
            if let Some((low, high)) = literal.limits
                && !(low..=high).contains(&whole)
            {
                return Err(format!(
                    "{whole} does not fit the type, which takes {low} to {high}; widen the type, \
                     or bound the weight and fit again"
                ));
            }
            let digits = old.strip_suffix(&literal.suffix).unwrap_or(old);
            grouped(whole, digits.trim_end_matches('_').contains('_'))
        }
    };
    new += &literal.suffix;
    let mut bytes = literal.bytes.clone();
    if aligned && !old.contains('\n') {
        align(text, &mut bytes, &mut new);
    }
    Ok(Edit { bytes, text: new })
}

/// Writes `[x; N]` out as an array. `cells`: what each of its numbers becomes, in their
/// order, each over the bytes of its literal in x.
pub(super) fn written_out(text: &str, repeat: &Repeat, cells: Vec<Edit>) -> Edit {
    let start = text[..repeat.bytes.start]
        .rfind('\n')
        .map_or(0, |at| at + 1);
    let line = &text[start..repeat.bytes.start];
    let indent: String = line.chars().take_while(|c| c.is_whitespace()).collect();
    let mut cells = cells.into_iter().peekable();
    Edit {
        bytes: repeat.bytes.clone(),
        text: array(text, repeat, &mut cells, &indent),
    }
}

/// Longest array in one line.
const LINE: usize = 60;

fn array(
    text: &str,
    repeat: &Repeat,
    cells: &mut Peekable<impl Iterator<Item = Edit>>,
    indent: &str,
) -> String {
    let deeper = format!("{indent}    ");
    let entries: Vec<String> = (0..repeat.count)
        .map(|_| {
            let mut entry = String::new();
            let mut at = repeat.element.start;
            let mut inner = repeat.inner.iter().peekable();
            // What is next in x: a `[y; M]`, or a number.
            loop {
                let next_cell = cells.peek().map(|cell| cell.bytes.start);
                let is_here = |start: &usize| *start >= at && *start < repeat.element.end;
                let next_cell = next_cell.filter(is_here);
                if let Some(nested) = inner
                    .next_if(|nested| next_cell.is_some_and(|cell| nested.bytes.contains(&cell)))
                {
                    entry.push_str(&text[at..nested.bytes.start]);
                    entry.push_str(&array(text, nested, cells, &deeper));
                    at = nested.bytes.end;
                } else if let Some(cell) = cells.next_if(|_| next_cell.is_some()) {
                    entry.push_str(&text[at..cell.bytes.start]);
                    entry.push_str(&cell.text);
                    at = cell.bytes.end;
                } else {
                    break;
                }
            }
            entry.push_str(&text[at..repeat.element.end]);
            entry
        })
        .collect();
    let length: usize = entries.iter().map(|entry| entry.len() + 2).sum();
    if length <= LINE {
        return format!("[{}]", entries.join(", "));
    }
    let row = match repeat.count {
        _ if !repeat.inner.is_empty() => 1,
        81 => 9,
        _ => 8,
    };
    let width = entries.iter().map(|entry| entry.chars().count()).max();
    let width = width.filter(|_| row > 1).unwrap_or(0);
    let mut out = String::from("[\n");
    for entries in entries.chunks(row) {
        let padded: Vec<String> = entries.iter().map(|e| format!("{e:>width$}")).collect();
        // A string takes what is written to it.
        let _ = writeln!(out, "{deeper}{},", padded.join(", "));
    }
    out + indent + "]"
}

/// A whole number, its digits in threes if the old ones had underscores.
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
        let edits = edits.map(|(literal, &value)| change(text, literal, value, aligned));
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
    fn repeats_are_written_out() {
        let out = |text: &str, values: &[f64]| {
            let scan = Scan::of(&[text]).unwrap();
            let found = &scan.consts[0];
            assert_eq!(found.literals.len(), values.len(), "{text}");
            let edits = found.literals.iter().zip(values);
            let edits = edits.map(|(literal, &value)| change(text, literal, value, false).unwrap());
            let edit = written_out(text, &found.repeats[0], edits.collect());
            let patched = apply(text, &[edit]);
            let again = Scan::of(&[&patched]).unwrap();
            let read = again.consts[0].literals.iter().map(|l| l.number.value());
            assert_eq!(read.collect::<Vec<_>>(), values, "{patched}");
            patched
        };
        assert_eq!(
            out("const A: [i16; 3] = [5i16; 3];", &[1.0, -2.0, 3.0]),
            "const A: [i16; 3] = [1i16, -2i16, 3i16];"
        );
        assert_eq!(
            out(
                "const A: [S; 2] = [S( 1, /* é */ 2 ); 2];",
                &[1.0, 2.0, 3.0, 4.0]
            ),
            "const A: [S; 2] = [S( 1, /* é */ 2 ), S( 3, /* é */ 4 )];"
        );
        assert_eq!(
            out(
                "const A: [[i32; 2]; 2] = [[7; 2]; 2];",
                &[1.0, 2.0, 3.0, 4.0]
            ),
            "const A: [[i32; 2]; 2] = [[1, 2], [3, 4]];"
        );
        let board: Vec<f64> = (0..64).map(f64::from).collect();
        let text = out("mod a {\n    const A: [i32; 64] = [0; 64];\n}", &board);
        assert!(
            text.contains("= [\n         0,  1,  2,  3,  4,  5,  6,  7,\n"),
            "{text}"
        );
        assert!(text.ends_with("63,\n    ];\n}"), "{text}");
    }

    #[test]
    fn numbers_that_a_literal_cannot_be_are_refused() {
        for (text, value, words) in [
            ("const A: i32 = 5;", 2.5, "--round"),
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
