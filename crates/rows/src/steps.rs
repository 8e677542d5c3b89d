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

use tuner_protocol::bytes::whole;
use tuner_protocol::steps::{GUARD, Operands, RELATIONS, coded, decoded};
use tuner_trace::Step;

/// [`GUARD`] as a word.
const GUARD_WORD: u32 = GUARD as u32;

/// Appends the words of a list of steps: of each step its code, the number of its kind of
/// operation, then its operands. The operands of a guard (a branch that was taken) are the step
/// that decided, the number of its relation to 0, and 1 if that holds, else 0. How many words there
/// are is not written.
pub(crate) fn encode(steps: &[Step], to: &mut Vec<u32>) {
    for &step in steps {
        match coded(step) {
            (GUARD, [a, how], _) => {
                // `how` is twice the number of the relation, and 1 more if that holds.
                to.extend([GUARD_WORD, a as u32, how as u32 / 2, how as u32 % 2]);
            }
            (code, operands, count) => {
                to.push(u32::from(code));
                to.extend(operands[..count].iter().map(|&operand| operand as u32));
            }
        }
    }
}

/// Appends a list of steps as bytes: of each step the code and the operands, an operand that is a
/// step by its distance back from this step. Each number takes seven bits a byte, the lowest first,
/// and the top bit says that more follow.
pub(crate) fn pack(steps: &[Step], to: &mut Vec<u8>) {
    let mut words = Vec::new();
    for (number, &step) in (0_u32..).zip(steps) {
        words.clear();
        encode(&[step.map(|a| number.wrapping_sub(a))], &mut words);
        for &word in &words {
            whole(u64::from(word), to);
        }
    }
}

/// Reads a list of steps from bytes that [`pack`] made into `to`, whose content is lost: of each
/// step the code and the operands, an operand that is a step by its distance back. Numbers have
/// seven bits a byte, the lowest first, and the top bit where more follow.
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
        // Either the numbers so far are a whole step, or more of them follow.
        if let Some((step, _)) = first(&words[..count]) {
            let number = to.len() as u32;
            to.push(step.map(|a| number.wrapping_sub(a)));
            (words, count) = ([0; 4], 0);
        }
    }
}

/// Reads a list of steps from words, of each step its code and its operands; `None` if a code is
/// unknown, an operand is out of range, or the words end within a step.
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

/// Reads a step from words, its code and its operands; returns it, and the words behind it. `None`
/// if there are no words, the code is unknown, or operands are missing or out of range.
fn first(words: &[u32]) -> Option<(Step, &[u32])> {
    match *words {
        [GUARD_WORD, a, relation, holds @ 0..=1, ref rest @ ..] => {
            let &(_, relation) = RELATIONS.get(relation as usize)?;
            Some((Step::Guard(a, relation, holds == 1), rest))
        }
        [] | [GUARD_WORD, ..] => None,
        [code, ref rest @ ..] => {
            let mut operands = Words(rest);
            let step = decoded(u8::try_from(code).ok()?, &mut operands).ok()??;
            Some((step, operands.0))
        }
    }
}

/// The operands that follow a code; a negative one is in two's complement.
struct Words<'w>(&'w [u32]);

impl Operands for Words<'_> {
    type Error = ();

    /// Takes the next word as an operand; a number that `T` does not have is read in two's
    /// complement, as a negative exponent.
    fn operand<T: TryFrom<i64>>(&mut self) -> Result<T, ()> {
        let (&word, rest) = self.0.split_first().ok_or(())?;
        self.0 = rest;
        let signed = |_| T::try_from(i64::from(word.cast_signed()));
        T::try_from(i64::from(word)).or_else(signed).map_err(|_| ())
    }
}
