//! Tapes: the operations of an evaluation in their order, which Tuner takes apart itself.
//!
//! ```text
//! tape 134 rounding 0 result 9 step sum 1 2 -3 step value 24 step quotient 7 8
//! ```
//!
//! Operands are numbers: 0 is nothing, then come the weights from 1, then the operations. These
//! are the [steps](crate::steps) but `input`, and
//!
//! | operation | number | value |
//! |---|---|---|
//! | `sum A B K` | 16 | A + K·B |
//! | `whole A` | 17 | A, cut or rounded to a whole number |
//! | `quotient A B` | 18 | A / B, cut or rounded to a whole number |
//!
//! Without `result N` the score is the last operation. As bytes, the lowest first: a byte 32, and 1
//! more where an operation overflowed; score and rounding, 8 bytes each; the result and how many
//! numbers there are, 4 bytes each; these numbers, 8 bytes each; then 8 bytes an operation: A in
//! 24 bits, its number in 8, B in 24, K in 8. B of `value` says which of the numbers it is.

use crate::row::{not_negative, step, twice, unknown};
use crate::steps::{Operands, decoded};
use crate::words::{finite, number};
use tuner_trace::{Expression, NonlinearOp, RecordedTape, Step, Trace};

/// The first word of a tape as text.
pub const TAPE: &str = "tape";

/// The flag of a tape as bytes.
const OPERATIONS: u8 = 32;

// Numbers of operations.
const VALUE: u8 = 1;
const POWER: u8 = 9;
const SUM: u8 = 16;
const WHOLE: u8 = 17;
const QUOTIENT: u8 = 18;

/// Tells whether the bytes of an answer are a tape, and not a row, by the flag 32 of the first
/// byte.
pub fn is_tape(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|flags| flags & OPERATIONS != 0)
}

/// Appends the operations that the bytes of a tape tell to those on `tape`, and takes the score
/// apart into `trace`. The caller must have [begun](RecordedTape::begin) the tape.
///
/// # Errors
/// Says which operation cannot be, and why.
///
/// *Cost*: some nanoseconds an operation, and as much to take it apart.
pub fn read_bytes(bytes: &[u8], tape: &mut RecordedTape, trace: &mut Trace) -> Result<(), String> {
    let no_tape = || format!("found {} bytes that are no tape", bytes.len());
    // Flags, score, rounding, number of the result, how many numbers; then these, 8 bytes each;
    // then the operations, 8 bytes each.
    let (flags, rest) = bytes.split_first().ok_or_else(no_tape)?;
    let (score, rest) = rest.split_first_chunk().ok_or_else(no_tape)?;
    let (rounding, rest) = rest.split_first_chunk().ok_or_else(no_tape)?;
    let (result, rest) = rest.split_first_chunk().ok_or_else(no_tape)?;
    let (count, rest) = rest.split_first_chunk().ok_or_else(no_tape)?;
    let (score, rounding) = (f64::from_le_bytes(*score), f64::from_le_bytes(*rounding));
    let (rest, end) = rest.as_chunks();
    let numbers = rest.split_at_checked(u32::from_le_bytes(*count) as usize);
    let (numbers, words) = numbers.filter(|_| end.is_empty()).ok_or_else(no_tape)?;
    if !score.is_finite() || !rounding.is_finite() || rounding < 0.0 {
        return Err(no_tape());
    }
    for word in words {
        let word = u64::from_le_bytes(*word);
        // An operation: A in 24 bits, its number in 8, B in 24, K in 8.
        let (a, kind) = (word as u32 & 0xff_ffff, (word >> 24) as u8);
        let (b, k) = ((word >> 32) as u32 & 0xff_ffff, (word >> 56) as i8);
        match kind {
            SUM => tape.sum(a, b, f64::from(k))?,
            WHOLE => tape.whole(a)?,
            // A quotient whose result was cut to a whole number, which `true` says.
            QUOTIENT => tape.apply(NonlinearOp::Div(a, b), true)?,
            VALUE => {
                let value = numbers.get(b as usize).copied().ok_or_else(no_tape)?;
                let value = f64::from_le_bytes(value);
                if !value.is_finite() {
                    return Err(format!("found {value}, expected a number of the position"));
                }
                tape.value(value);
            }
            _ => {
                // An exponent may be negative: 24 bits in two's complement.
                let b = if kind == POWER && b >> 23 == 1 {
                    i64::from(b) - (1 << 24)
                } else {
                    i64::from(b)
                };
                let step = decoded(kind, &mut Pair([i64::from(a), b].into_iter()));
                let known = step.ok().flatten();
                let known = known.ok_or_else(|| format!("found operation of kind {kind}"))?;
                push(known, tape)?;
            }
        }
    }
    let result = u32::from_le_bytes(*result);
    // The flag 1 says that an operation overflowed.
    tape.take_apart(score, result, rounding, flags & 1 != 0, trace)
}

/// Appends the operations that the line of a tape tells, from the word `tape` on, to those on
/// `tape`, which the caller has begun, and takes the score apart into `trace`. Without `result` the
/// score is the last operation.
///
/// # Errors
/// Says which operation cannot be, and why, or which word does not belong there or is there twice.
pub fn read_text(line: &str, tape: &mut RecordedTape, trace: &mut Trace) -> Result<(), String> {
    let mut words = line.split_ascii_whitespace();
    words.next(); // `tape`
    let score = finite(words.next(), "a score")?;
    let (mut result, mut rounding, mut overflow) = (None, None, false);
    let mut numbers = Expression::default();
    let operand = "the number of an operation";
    while let Some(key) = words.next() {
        let is_twice = match key {
            "result" => result.replace(number(words.next(), operand)?).is_some(),
            "rounding" => rounding.replace(not_negative(words.next())?).is_some(),
            "overflow" => std::mem::replace(&mut overflow, true),
            // Three operations are of tapes alone; all others are steps of expressions too, and
            // read as such.
            "step" => {
                match words.clone().next() {
                    Some(name @ ("sum" | "quotient" | "whole")) => {
                        words.next();
                        let a = number(words.next(), operand)?;
                        match name {
                            "whole" => tape.whole(a)?,
                            "sum" => {
                                let b = number(words.next(), operand)?;
                                tape.sum(a, b, finite(words.next(), "a number of times")?)?;
                            }
                            // A quotient whose result was cut to a whole number, which `true` says.
                            _ => {
                                let b = number(words.next(), operand)?;
                                tape.apply(NonlinearOp::Div(a, b), true)?;
                            }
                        }
                    }
                    _ => match step(&mut words, &mut numbers)? {
                        Step::Constant(at) => tape.value(numbers.constants[at as usize]),
                        step => push(step, tape)?,
                    },
                }
                false
            }
            _ => return Err(unknown(key, line)),
        };
        if is_twice {
            return Err(twice(key));
        }
    }
    let result = result.unwrap_or_else(|| tape.last());
    tape.take_apart(score, result, rounding.unwrap_or_default(), overflow, trace)
}

/// Appends the operation that a step of an expression is to the tape. −a is the sum of operand 0,
/// which is nothing, and (−1)·a. No result is cut to a whole number: that is an operation of its
/// own. A step `input` (a linear form) or `value` (a constant) is refused, as its operand is not
/// the number of an operation of the tape.
fn push(step: Step, tape: &mut RecordedTape) -> Result<(), String> {
    match step {
        Step::Add(a, b) => tape.add(a, b),
        Step::Neg(a) => tape.sum(0, a, -1.0),
        Step::Nonlinear(op) => tape.apply(op, false),
        Step::Guard(a, relation, holds) => tape.guard(a, relation, holds),
        Step::Input(_) | Step::Constant(_) => {
            Err("found the step input, expected an operation on numbers of weights".to_owned())
        }
    }
}

/// The two operands of an operation in bytes.
struct Pair(std::array::IntoIter<i64, 2>);

impl Operands for Pair {
    type Error = ();

    /// Returns the next of the two operands; fails if there is none, or `T` does not have it.
    fn operand<T: TryFrom<i64>>(&mut self) -> Result<T, ()> {
        T::try_from(self.0.next().ok_or(())?).map_err(drop)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failing test may end with a panic

    use std::ops::Range;

    use proptest::prelude::*;
    use tuner_trace::ExpressionValues;

    use super::*;

    /// 100 (weight 0) and, as danger is positive, danger²/128, where danger is 3 · weight 5.
    const DANGER: &str = "tape 134 step sum 0 6 3 step guard 7 positive yes step mul 7 7 \
                          step value 128 step quotient 9 10 step sum 1 11 1";
    const AT: [f64; 6] = [100.0, 0.0, 0.0, 0.0, 0.0, 22.0];

    fn text(line: &str, weights: usize) -> Result<Trace, String> {
        let (mut tape, mut trace) = (RecordedTape::new(weights), Trace::default());
        tape.begin();
        read_text(line, &mut tape, &mut trace).map(|()| trace)
    }

    /// The bytes of operations: A, kind, B, K.
    fn bytes(score: f64, result: u32, numbers: &[f64], words: &[(u32, u8, u32, i8)]) -> Vec<u8> {
        let mut to = vec![OPERATIONS];
        to.extend(score.to_le_bytes());
        to.extend(0.0_f64.to_le_bytes());
        to.extend(result.to_le_bytes());
        to.extend((numbers.len() as u32).to_le_bytes());
        to.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        for &(a, kind, b, k) in words {
            to.extend((a | u32::from(kind) << 24).to_le_bytes());
            to.extend((b | u32::from(k as u8) << 24).to_le_bytes());
        }
        to
    }

    fn read(bytes: &[u8], weights: usize) -> Result<Trace, String> {
        let (mut tape, mut trace) = (RecordedTape::new(weights), Trace::default());
        tape.begin();
        read_bytes(bytes, &mut tape, &mut trace).map(|()| trace)
    }

    #[test]
    fn text_and_bytes_have_the_same_row() {
        let found = text(DANGER, 6).unwrap();
        let predicted = found.score_at(&AT, &mut ExpressionValues::default()).score;
        assert!((predicted - (100.0 + 66.0 * 66.0 / 128.0)).abs() < 1e-12);
        assert!(found.slack + found.step_slack.iter().sum::<f64>() > 0.99);
        let words = [
            (0, 16, 6, 3),
            (7, 15, 3, 0),
            (7, 4, 7, 0),
            (0, 1, 0, 0),
            (9, 18, 10, 0),
            (1, 16, 11, 1),
        ];
        assert_eq!(read(&bytes(134.0, 12, &[128.0], &words), 6).unwrap(), found);
    }

    #[test]
    fn what_cannot_be_is_refused_with_its_place() {
        for (line, says) in [
            (
                "tape 1 step add 1 9",
                "operation 0 is of number 9, expected one below 3",
            ),
            (
                "tape 1 step add 1 2 step exp 4",
                "operation 1 is of number 4, expected one below 4",
            ),
            (
                "tape 1 result 7 step add 1 2",
                "result 7, which is no operation",
            ),
            (
                "tape 1 step value 0 step div 1 3",
                "operation 1 divides by zero",
            ),
            ("tape 1 step quotient 1 0", "operation 0 divides by zero"),
            ("tape 1 step input 0", "found the step input"),
            (
                "tape 1 step sum 1 2 inf",
                "found inf, expected a number of times",
            ),
            (
                "tape 1 step sum 1 -2 1",
                "found \"-2\", expected the number of an operation",
            ),
            ("tape 1 step frobnicate 1", "found step \"frobnicate\""),
            ("tape nan", "expected a score"),
            ("tape 1 result 1 result 2", "\"result\" twice"),
            ("tape 1 rounding 0 rounding 0", "\"rounding\" twice"),
            ("tape 1 overflow overflow", "\"overflow\" twice"),
            (
                "tape 1 step sum 0 1 1e300 step value 1e300 step mul 3 4",
                "derivative is not finite",
            ),
        ] {
            let found = text(line, 2).unwrap_err();
            assert!(found.contains(says), "{line}: {found}");
        }
        for (bytes, says) in [
            (bytes(1.0, 3, &[], &[(1, 99, 2, 0)]), "operation of kind 99"),
            (
                bytes(1.0, 3, &[], &[(0, 1, 0, 0)]),
                "bytes that are no tape",
            ),
            (
                bytes(1.0, 3, &[f64::NAN], &[(0, 1, 0, 0)]),
                "found NaN, expected a number",
            ),
            (
                bytes(f64::NAN, 3, &[], &[(1, 2, 2, 0)]),
                "bytes that are no tape",
            ),
            (
                bytes(1.0, 3, &[], &[(1, 16, 4, 1)]),
                "operation 0 is of number 4",
            ),
        ] {
            let found = read(&bytes, 2).unwrap_err();
            assert!(found.contains(says), "{says}: {found}");
        }
        let many = |range: Range<u32>, step: &dyn Fn(u32) -> String| {
            range.map(step).collect::<Vec<_>>().concat()
        };
        let nested = many(3..1000, &|at| {
            format!(" step sum 0 {} 3 step exp {}", 2 * at - 3, 2 * at - 2)
        });
        let found = text(&format!("tape 1 step exp 1{nested}"), 2).unwrap();
        assert_eq!(found.nodes, 1995);
        let deep = many(3..2000, &|at| format!(" step exp {at}"));
        let found = text(&format!("tape 1 step exp 1{deep}"), 2).unwrap_err();
        assert!(
            found.starts_with("operation 1000 is the last of 1001"),
            "{found}"
        );
    }

    /// Counts beyond 64 bits become floats, and none is lost.
    #[test]
    fn counts_may_be_of_any_size() {
        let doubled = (3..90).map(|at| format!(" step sum {at} {at} 1"));
        let doubled = doubled.collect::<Vec<_>>().concat();
        let found = text(&format!("tape 1 step sum 1 2 1{doubled}"), 2).unwrap();
        let all: f64 = (found.forms.iter())
            .flat_map(|form| form.terms.iter().map(|term| form.factor * term.1 as f64))
            .sum();
        assert!((all / 2.0_f64.powi(88) - 1.0).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn tables_are_before_all_positions() {
        let (mut tape, mut trace) = (RecordedTape::new(2), Trace::default());
        tape.begin_tables();
        read_text("tape 0 step sum 1 2 2", &mut tape, &mut trace).unwrap();
        tape.end_tables();
        for score in [9.0, 10.0] {
            tape.begin();
            read_text(
                &format!("tape {score} step sum 3 1 3"),
                &mut tape,
                &mut trace,
            )
            .unwrap();
            let mut terms = trace.forms[0].terms.clone();
            terms.sort_unstable();
            assert_eq!(terms.iter().map(|term| term.1).collect::<Vec<_>>(), [4, 2]);
            assert_eq!((trace.score, trace.nodes), (score, 1));
        }
    }

    proptest! {
        #[test]
        fn no_bytes_break_it(words in prop::collection::vec((0..40_u32, 0..20_u8, 0..40_u32, any::<i8>()), 0..60), cut in 0..8_usize) {
            let mut all = bytes(1.0, 3, &[0.5, -1e200], &words);
            all.truncate(all.len() - cut);
            drop(read(&all, 20));
        }
    }
}
