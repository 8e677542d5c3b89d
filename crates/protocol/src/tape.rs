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

use crate::row::{not_negative, step, unknown};
use crate::steps::{Operands, decoded};
use crate::words::{finite, number};
use tuner_trace::{Expression, NonlinearOp, RecordedTape, Step, Trace};

/// The first word of a tape as text.
pub const TAPE: &str = "tape";

/// The flag of a tape as bytes.
const OPERATIONS: u8 = 32;
const VALUE: u8 = 1;
const POWER: u8 = 9;
const SUM: u8 = 16;
const WHOLE: u8 = 17;
const QUOTIENT: u8 = 18;

/// Tells whether bytes are a tape, and no row.
pub fn is_tape(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|flags| flags & OPERATIONS != 0)
}

/// Reads bytes behind what is on the tape, and takes them apart into `trace`.
///
/// # Errors
/// Says which operation cannot be, and why.
///
/// *Cost*: some nanoseconds an operation, and as much to take it apart.
pub fn read_bytes(bytes: &[u8], tape: &mut RecordedTape, trace: &mut Trace) -> Result<(), String> {
    let no_tape = || format!("found {} bytes that are no tape", bytes.len());
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
        let (a, kind) = (word as u32 & 0xff_ffff, (word >> 24) as u8);
        let (b, k) = ((word >> 32) as u32 & 0xff_ffff, (word >> 56) as i8);
        match kind {
            SUM => tape.sum(a, b, f64::from(k))?,
            WHOLE => tape.whole(a)?,
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
                // An exponent may be negative.
                let b = if kind == POWER && b >> 23 == 1 {
                    i64::from(b) - (1 << 24)
                } else {
                    i64::from(b)
                };
                let step = decoded(kind, &mut Pair([i64::from(a), b].into_iter()));
                let known = step.ok().flatten();
                push(
                    known.ok_or_else(|| format!("found operation of kind {kind}"))?,
                    tape,
                )?;
            }
        }
    }
    let result = u32::from_le_bytes(*result);
    tape.take_apart(score, result, rounding, flags & 1 != 0, trace)
}

/// Reads a line, as [`read_bytes`] does.
///
/// # Errors
/// As [`read_bytes`]; if a word does not belong there.
pub fn read_text(line: &str, tape: &mut RecordedTape, trace: &mut Trace) -> Result<(), String> {
    let mut words = line.split_ascii_whitespace();
    words.next();
    let score = finite(words.next(), "a score")?;
    let (mut result, mut rounding, mut overflow) = (None, 0.0, false);
    let mut numbers = Expression::default();
    let operand = "the number of an operation";
    while let Some(key) = words.next() {
        match key {
            "result" => result = Some(number(words.next(), operand)?),
            "rounding" => rounding = not_negative(words.next())?,
            "overflow" => overflow = true,
            "step" => match words.clone().next() {
                Some(name @ ("sum" | "quotient" | "whole")) => {
                    words.next();
                    let a = number(words.next(), operand)?;
                    match name {
                        "whole" => tape.whole(a)?,
                        "sum" => {
                            let b = number(words.next(), operand)?;
                            tape.sum(a, b, finite(words.next(), "a number of times")?)?;
                        }
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
            },
            _ => return Err(unknown(key, line)),
        }
    }
    let result = result.unwrap_or_else(|| tape.last());
    tape.take_apart(score, result, rounding, overflow, trace)
}

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

struct Pair(std::array::IntoIter<i64, 2>);

impl Operands for Pair {
    type Error = ();

    fn operand<T: TryFrom<i64>>(&mut self) -> Result<T, ()> {
        T::try_from(self.0.next().ok_or(())?).map_err(drop)
    }
}
