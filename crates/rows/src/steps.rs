//! Lists of steps as numbers, for files and fingerprints.
//!
//! A step is its code, then its operands, each a `u32`:
//!
//! | code | operands | value |
//! |---|---|---|
//! | 0 | i | linear form i |
//! | 1 | i | constant i of the position |
//! | 2 | a, b | a + b |
//! | 3 | a | −a |
//! | 4 | a, b | a·b |
//! | 5 | a, b | a/b, not truncated |
//! | 6 | a, b | the smaller one, the first of equals |
//! | 7 | a, b | the larger one, the first of equals |
//! | 8 | a | \|a\| |
//! | 9 | a, n | aⁿ; n in two's complement |
//! | 10 | a, b | aᵇ |
//! | 11 | a | √a |
//! | 12 | a | eᵃ |
//! | 13 | a | ln a |
//! | 14 | a | tanh a |
//! | 15 | a, r, t | 0; a branch was taken because a is negative (r = 0), positive (1) or 0 (2), or (t = 0 in place of 1) because it is not |
//!
//! a and b are numbers of earlier steps. A code keeps its meaning for good; a
//! new operation gets a new one, and the format of trace files a new version.
//!
//! Not here: whether operands exist (`rows::draft` checks it).

use tuner_trace::{NonlinearOp, Relation, Step};

/// Adds a list of steps, none of it but the steps.
pub(crate) fn encode(steps: &[Step], to: &mut Vec<u32>) {
    for &step in steps {
        match step {
            Step::Input(i) => to.extend([0, i]),
            Step::Constant(i) => to.extend([1, i]),
            Step::Add(a, b) => to.extend([2, a, b]),
            Step::Neg(a) => to.extend([3, a]),
            Step::Nonlinear(NonlinearOp::Mul(a, b)) => to.extend([4, a, b]),
            Step::Nonlinear(NonlinearOp::Div(a, b)) => to.extend([5, a, b]),
            Step::Nonlinear(NonlinearOp::Min(a, b)) => to.extend([6, a, b]),
            Step::Nonlinear(NonlinearOp::Max(a, b)) => to.extend([7, a, b]),
            Step::Nonlinear(NonlinearOp::Abs(a)) => to.extend([8, a]),
            Step::Nonlinear(NonlinearOp::Power(a, n)) => to.extend([9, a, n.cast_unsigned()]),
            Step::Nonlinear(NonlinearOp::PowerOf(a, b)) => to.extend([10, a, b]),
            Step::Nonlinear(NonlinearOp::Sqrt(a)) => to.extend([11, a]),
            Step::Nonlinear(NonlinearOp::Exp(a)) => to.extend([12, a]),
            Step::Nonlinear(NonlinearOp::Ln(a)) => to.extend([13, a]),
            Step::Nonlinear(NonlinearOp::Tanh(a)) => to.extend([14, a]),
            Step::Guard(a, relation, holds) => {
                let relation = match relation {
                    Relation::Negative => 0,
                    Relation::Positive => 1,
                    Relation::Zero => 2,
                };
                to.extend([15, a, relation, u32::from(holds)]);
            }
        }
    }
}

/// Names the operands of a step otherwise.
fn with_operands(step: Step, mut name: impl FnMut(u32) -> u32) -> Step {
    match step {
        Step::Input(_) | Step::Constant(_) => step,
        Step::Add(a, b) => Step::Add(name(a), name(b)),
        Step::Neg(a) => Step::Neg(name(a)),
        Step::Nonlinear(op) => Step::Nonlinear(op.map(name)),
        Step::Guard(a, relation, holds) => Step::Guard(name(a), relation, holds),
    }
}

/// Adds a list of steps as bytes: the same numbers, but operands by their distance, seven
/// bits a byte, the lowest first, the top bit where more follow.
pub(crate) fn pack(steps: &[Step], to: &mut Vec<u8>) {
    let mut words = Vec::new();
    for (number, &step) in (0_u32..).zip(steps) {
        words.clear();
        encode(
            &[with_operands(step, |a| number.wrapping_sub(a))],
            &mut words,
        );
        for &(mut word) in &words {
            while word > 0x7f {
                to.push(word as u8 | 0x80);
                word >>= 7;
            }
            to.push(word as u8);
        }
    }
}

/// Reads what [`pack`] wrote, in place of what `to` has.
pub(crate) fn unpack(bytes: &[u8], to: &mut Vec<Step>) {
    to.clear();
    // A step has four numbers at most.
    let (mut words, mut count) = ([0_u32; 4], 0);
    let mut shift = 0;
    for &byte in bytes {
        if let Some(word) = words.get_mut(count) {
            *word |= u32::from(byte & 0x7f) << shift;
        }
        shift += 7;
        if byte & 0x80 != 0 {
            continue;
        }
        (count, shift) = (count + 1, 0);
        if let Some((step, _)) = first(&words[..count]) {
            let number = to.len() as u32;
            to.push(with_operands(step, |a| number.wrapping_sub(a)));
            (words, count) = ([0; 4], 0);
        }
    }
}

/// Reads a list of steps; `None` if it is none, or ends within a step.
#[cfg(any(feature = "arrow", test))]
pub(crate) fn decode(mut words: &[u32]) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    while !words.is_empty() {
        let (step, rest) = first(words)?;
        steps.push(step);
        words = rest;
    }
    Some(steps)
}

/// Reads the first step of a list, and returns what follows.
fn first(words: &[u32]) -> Option<(Step, &[u32])> {
    Some(match *words {
        [0, i, ref rest @ ..] => (Step::Input(i), rest),
        [1, i, ref rest @ ..] => (Step::Constant(i), rest),
        [2, a, b, ref rest @ ..] => (Step::Add(a, b), rest),
        [3, a, ref rest @ ..] => (Step::Neg(a), rest),
        [4, a, b, ref rest @ ..] => (Step::Nonlinear(NonlinearOp::Mul(a, b)), rest),
        [5, a, b, ref rest @ ..] => (Step::Nonlinear(NonlinearOp::Div(a, b)), rest),
        [6, a, b, ref rest @ ..] => (Step::Nonlinear(NonlinearOp::Min(a, b)), rest),
        [7, a, b, ref rest @ ..] => (Step::Nonlinear(NonlinearOp::Max(a, b)), rest),
        [8, a, ref rest @ ..] => (Step::Nonlinear(NonlinearOp::Abs(a)), rest),
        [9, a, n, ref rest @ ..] => (
            Step::Nonlinear(NonlinearOp::Power(a, n.cast_signed())),
            rest,
        ),
        [10, a, b, ref rest @ ..] => (Step::Nonlinear(NonlinearOp::PowerOf(a, b)), rest),
        [11, a, ref rest @ ..] => (Step::Nonlinear(NonlinearOp::Sqrt(a)), rest),
        [12, a, ref rest @ ..] => (Step::Nonlinear(NonlinearOp::Exp(a)), rest),
        [13, a, ref rest @ ..] => (Step::Nonlinear(NonlinearOp::Ln(a)), rest),
        [14, a, ref rest @ ..] => (Step::Nonlinear(NonlinearOp::Tanh(a)), rest),
        [15, a, relation, holds @ 0..=1, ref rest @ ..] => {
            let relation = match relation {
                0 => Relation::Negative,
                1 => Relation::Positive,
                2 => Relation::Zero,
                _ => return None,
            };
            (Step::Guard(a, relation, holds == 1), rest)
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers are those of files: they must never change.
    #[test]
    fn every_step_has_its_number_for_good() {
        let table: [(Step, &[u32]); 19] = [
            (Step::Input(7), &[0, 7]),
            (Step::Constant(1), &[1, 1]),
            (Step::Add(2, 3), &[2, 2, 3]),
            (Step::Neg(4), &[3, 4]),
            (Step::Nonlinear(NonlinearOp::Mul(5, 6)), &[4, 5, 6]),
            (Step::Nonlinear(NonlinearOp::Div(5, 6)), &[5, 5, 6]),
            (Step::Nonlinear(NonlinearOp::Min(5, 6)), &[6, 5, 6]),
            (Step::Nonlinear(NonlinearOp::Max(5, 6)), &[7, 5, 6]),
            (Step::Nonlinear(NonlinearOp::Abs(5)), &[8, 5]),
            (Step::Nonlinear(NonlinearOp::Power(5, 3)), &[9, 5, 3]),
            (
                Step::Nonlinear(NonlinearOp::Power(5, -2)),
                &[9, 5, 4_294_967_294],
            ),
            (Step::Nonlinear(NonlinearOp::PowerOf(5, 6)), &[10, 5, 6]),
            (Step::Nonlinear(NonlinearOp::Sqrt(5)), &[11, 5]),
            (Step::Nonlinear(NonlinearOp::Exp(5)), &[12, 5]),
            (Step::Nonlinear(NonlinearOp::Ln(5)), &[13, 5]),
            (Step::Nonlinear(NonlinearOp::Tanh(5)), &[14, 5]),
            (Step::Guard(5, Relation::Negative, true), &[15, 5, 0, 1]),
            (Step::Guard(5, Relation::Positive, false), &[15, 5, 1, 0]),
            (Step::Guard(5, Relation::Zero, true), &[15, 5, 2, 1]),
        ];
        let (mut steps, mut words) = (Vec::new(), Vec::new());
        for (step, expected) in table {
            let mut found = Vec::new();
            encode(&[step], &mut found);
            assert_eq!(found, expected, "{step:?}");
            assert_eq!(decode(expected), Some(vec![step]));
            assert_eq!(decode(&expected[..expected.len() - 1]), None, "{step:?}");
            steps.push(step);
            words.extend(expected);
        }
        assert_eq!(decode(&words), Some(steps.clone()));
        let (mut packed, mut unpacked) = (Vec::new(), Vec::new());
        pack(&steps, &mut packed);
        unpack(&packed, &mut unpacked);
        assert_eq!(unpacked, steps);
        for wrong in [&[16, 0][..], &[15, 0, 3, 0], &[15, 0, 0, 2]] {
            assert_eq!(decode(wrong), None, "{wrong:?}");
        }
    }
}
