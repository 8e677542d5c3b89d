//! Rows as bytes: what [`row`](crate::row) writes, in a third of the time.
//!
//! After `bytes on` the answer to `trace` is a line `bytes N` and N bytes behind its end.
//! Whole numbers are LEB128, signed ones in zigzag; numbers of weights are differences to
//! the one before; floats are 8 bytes, the lowest first.
//!
//! ```text
//! flags     1 overflow, 2 constant, 4 rounding, 8 expression, 16 sites
//! score, slack, and as the flags say constant, rounding
//! nodes, number of forms; of each: factor, number of terms; of each: weight, count
//! expression: number of steps; of each: kind, operands; number of constants, constants;
//!             number of steps with slack; of each: step, slack
//! sites: number; of each: literal (1) or not (0), value, length of the place, place
//! ```

use crate::row::check;
use crate::steps::{Operands, coded, decoded};
use tuner_base::interned;
use tuner_trace::{Expression, Form, Leaf, Site, Trace};

// The flags, of which a row has the sum.
const OVERFLOW: u8 = 1;
const CONSTANT: u8 = 2;
const ROUNDING: u8 = 4;
const EXPRESSION: u8 = 8;
const SITES: u8 = 16;

/// Appends the bytes of a trace to `to`, without the line that says how many they are.
///
/// *Cost*: some nanoseconds a term, 3 bytes of most.
pub fn write(trace: &Trace, to: &mut Vec<u8>) {
    let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
    to.push(
        flag(trace.wrapped, OVERFLOW)
            | flag(trace.constant != 0.0, CONSTANT)
            | flag(trace.rounding != 0.0, ROUNDING)
            | flag(trace.expression.is_some(), EXPRESSION)
            | flag(!trace.sites.is_empty(), SITES),
    );
    // Score and slack always, constant and rounding where they are not 0.
    float(trace.score, to);
    float(trace.slack, to);
    for value in [trace.constant, trace.rounding] {
        if value != 0.0 {
            float(value, to);
        }
    }
    whole(trace.nodes as u64, to);
    whole(trace.forms.len() as u64, to);
    for form in &trace.forms {
        float(form.factor, to);
        whole(form.terms.len() as u64, to);
        // Numbers of weights are written as the difference to the one before.
        let mut before = 0;
        for &(leaf, count) in &form.terms {
            signed(i64::from(leaf.0) - before, to);
            before = i64::from(leaf.0);
            signed(count, to);
        }
    }
    if let Some(expression) = &trace.expression {
        write_expression(expression, &trace.step_slack, to);
    }
    if !trace.sites.is_empty() {
        whole(trace.sites.len() as u64, to);
        for (site, value) in &trace.sites {
            to.push(u8::from(site.literal));
            float(*value, to);
            whole(site.place.len() as u64, to);
            to.extend_from_slice(site.place.as_bytes());
        }
    }
}

/// Appends the steps and constants of an expression, and the slack of each step that has some, with
/// the step's number. `slack`: by step, what truncation may take from its value; it may be shorter
/// than the steps.
fn write_expression(expression: &Expression, slack: &[f64], to: &mut Vec<u8>) {
    whole(expression.steps.len() as u64, to);
    for &step in &expression.steps {
        let (kind, operands, count) = coded(step);
        to.push(kind);
        for &operand in &operands[..count] {
            signed(operand, to);
        }
    }
    whole(expression.constants.len() as u64, to);
    for &constant in &expression.constants {
        float(constant, to);
    }
    let with_slack = || slack.iter().enumerate().filter(|(_, slack)| **slack != 0.0);
    whole(with_slack().count() as u64, to);
    for (step, &slack) in with_slack() {
        whole(step as u64, to);
        float(slack, to);
    }
}

/// Reads the bytes of one row into `trace`, whose content is lost and whose buffers are used again.
/// `weights`: how many the evaluator has.
///
/// # Errors
/// If the bytes are not a row of so many weights.
pub fn read(bytes: &[u8], weights: usize, trace: &mut Trace) -> Result<(), String> {
    let mut reader = Reader { bytes };
    let row = reader.row(weights, trace);
    match row {
        Some(Ok(())) if reader.bytes.is_empty() => Ok(()),
        Some(Err(words)) => Err(words),
        _ => Err(format!("found {} bytes that are no row", bytes.len())),
    }
}

/// The bytes that were not read yet. A read is `None` where they end or make no sense.
struct Reader<'b> {
    bytes: &'b [u8],
}

impl Reader<'_> {
    /// Reads a row into `trace`. `weights`: how many the evaluator has. `None` where the bytes end
    /// or make no sense; the inner error says which number in a row that can be read is wrong.
    fn row(&mut self, weights: usize, trace: &mut Trace) -> Option<Result<(), String>> {
        let flags = self.byte()?;
        trace.wrapped = flags & OVERFLOW != 0;
        trace.score = self.finite()?;
        trace.slack = self.finite().filter(|slack| *slack >= 0.0)?;
        let mut given = |flag| match flags & flag {
            0 => Some(0.0),
            _ => self.finite(),
        };
        trace.constant = given(CONSTANT)?;
        trace.rounding = given(ROUNDING).filter(|rounding| *rounding >= 0.0)?;
        trace.nodes = usize::try_from(self.whole()?).ok()?;
        // A form has at least a factor of 8 bytes and the number of its terms.
        let forms = self.count(9)?;
        trace.forms.resize_with(forms, Form::default);
        for form in &mut trace.forms {
            form.factor = self.finite()?;
            // A term has at least a byte for the weight and a byte for its count.
            let terms = self.count(2)?;
            form.terms.clear();
            form.terms.reserve(terms);
            let mut leaf = 0_i64;
            for _ in 0..terms {
                leaf = leaf.checked_add(self.signed()?)?;
                if usize::try_from(leaf).ok()? >= weights {
                    return Some(Err(format!(
                        "found weight {leaf}, expected one below {weights}"
                    )));
                }
                form.terms.push((Leaf(leaf as u32), self.signed()?));
            }
        }
        trace.step_slack.clear();
        // The memory of the old expression is used again.
        let buffers = trace.expression.take().unwrap_or_default();
        if flags & EXPRESSION != 0 {
            let expression = self.expression(buffers, &mut trace.step_slack)?;
            if let Err(words) = check(&expression, trace.forms.len()) {
                return Some(Err(words));
            }
            trace.expression = Some(expression);
        }
        trace.sites.clear();
        if flags & SITES != 0 {
            // A site has at least a byte, a float and the length of its place.
            for _ in 0..self.count(10)? {
                let literal = self.byte()? != 0;
                let value = self.finite()?;
                let length = self.count(1)?;
                let place = std::str::from_utf8(self.take(length)?).ok()?;
                let place = interned(place);
                trace.sites.push((Site { place, literal }, value));
            }
        }
        Some(Ok(()))
    }

    /// Reads an expression: `into` is overwritten, so that its memory is used again, and returned.
    /// `slack` gets what truncation may take from each step, 0 for steps that are not listed.
    /// `None` where the bytes end or make no sense.
    fn expression(&mut self, mut into: Expression, slack: &mut Vec<f64>) -> Option<Expression> {
        into.steps.clear();
        into.constants.clear();
        // Steps, constants and slacks take at least 2, 8 and 9 bytes each.
        for _ in 0..self.count(2)? {
            let kind = self.byte()?;
            // `None` where the bytes end, an operand does not fit, or no step or relation has the
            // code.
            let step = decoded(kind, self).ok()??;
            into.steps.push(step);
        }
        for _ in 0..self.count(8)? {
            into.constants.push(self.finite()?);
        }
        slack.resize(into.steps.len(), 0.0);
        for _ in 0..self.count(9)? {
            let step = usize::try_from(self.whole()?).ok()?;
            *slack.get_mut(step)? = self.finite().filter(|slack| *slack >= 0.0)?;
        }
        Some(into)
    }

    /// Reads the next `length` bytes; `None` if there are fewer.
    fn take(&mut self, length: usize) -> Option<&[u8]> {
        let (taken, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        Some(taken)
    }

    /// Reads one byte; `None` at the end.
    #[inline]
    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(first)
    }

    /// Reads a float of 8 bytes, the lowest first; `None` if it is not finite, or the bytes end.
    fn finite(&mut self) -> Option<f64> {
        let (bytes, rest) = self.bytes.split_first_chunk()?;
        self.bytes = rest;
        let value = f64::from_le_bytes(*bytes);
        value.is_finite().then_some(value)
    }

    /// Reads how many things follow, each of at least `least` bytes. `None` if fewer bytes are left
    /// than they need, so that a wrong number reserves no memory.
    fn count(&mut self, least: usize) -> Option<usize> {
        let count = usize::try_from(self.whole()?).ok()?;
        (count <= self.bytes.len() / least).then_some(count)
    }

    /// Reads a whole number in LEB128: seven bits a byte, the lowest first, the top bit where more
    /// follow. `None` if the bytes end within it, or it has more than ten. Bits beyond 64 are lost.
    #[inline]
    fn whole(&mut self) -> Option<u64> {
        // Most numbers have one byte.
        let first = self.byte()?;
        if first < 0x80 {
            return Some(u64::from(first));
        }
        let mut value = u64::from(first & 0x7f);
        for shift in (7..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// Reads a signed number in zigzag: 0, 1, 2, 3 … stand for 0, −1, 1, −2 ….
    #[inline]
    fn signed(&mut self) -> Option<i64> {
        let value = self.whole()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }
}

impl Operands for Reader<'_> {
    type Error = ();

    /// Reads the next operand as a signed number in zigzag; fails if the bytes end, or `T` does not
    /// have it.
    #[inline]
    fn operand<T: TryFrom<i64>>(&mut self) -> Result<T, ()> {
        T::try_from(self.signed().ok_or(())?).map_err(drop)
    }
}

/// Appends a float as 8 bytes, the lowest first.
fn float(value: f64, to: &mut Vec<u8>) {
    to.extend_from_slice(&value.to_le_bytes());
}

/// Appends a whole number in LEB128: seven bits a byte, the lowest first, the top bit where
/// more follow.
#[inline]
pub fn whole(mut value: u64, to: &mut Vec<u8>) {
    while value >= 0x80 {
        to.push(value as u8 | 0x80);
        value >>= 7;
    }
    to.push(value as u8);
}

/// Appends a signed number in zigzag: 0, −1, 1, −2 … are 0, 1, 2, 3 …, so that small ones are
/// short.
#[inline]
fn signed(value: i64, to: &mut Vec<u8>) {
    whole(((value << 1) ^ (value >> 63)) as u64, to);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failing test may end with a panic

    use proptest::prelude::*;

    use super::*;
    use crate::row::tests::everything;

    #[test]
    fn a_row_is_read_as_it_is_written() {
        let mut read_again = Trace::default();
        for trace in [everything(), Trace::default(), everything()] {
            let mut bytes = Vec::new();
            write(&trace, &mut bytes);
            read(&bytes, 701, &mut read_again).unwrap();
            assert_eq!(read_again, trace);
            assert!(read(&bytes[..bytes.len() - 1], 701, &mut read_again).is_err());
        }
        let mut bytes = Vec::new();
        write(&everything(), &mut bytes);
        let message = read(&bytes, 700, &mut read_again).unwrap_err();
        assert!(message.contains("weight 700"), "{message}");
        for change in [
            |trace: &mut Trace| trace.rounding = -1.0,
            |trace: &mut Trace| trace.slack = -1.0,
            |trace: &mut Trace| trace.step_slack[0] = -1.0,
        ] {
            let (mut trace, mut bytes) = (everything(), Vec::new());
            change(&mut trace);
            write(&trace, &mut bytes);
            assert!(read(&bytes, 701, &mut read_again).is_err());
        }
    }

    #[test]
    fn numbers_of_any_size_come_back() {
        for value in [0, 1, -1, 63, -64, 64, 1 << 40, i64::MAX, i64::MIN] {
            let mut bytes = Vec::new();
            signed(value, &mut bytes);
            assert_eq!(Reader { bytes: &bytes }.signed(), Some(value));
        }
    }

    proptest! {
        #[test]
        fn changed_bytes_are_refused_or_read(at in any::<usize>(), with in any::<u8>()) {
            let mut bytes = Vec::new();
            write(&everything(), &mut bytes);
            let at = at % bytes.len();
            bytes[at] = with;
            let mut trace = Trace::default();
            if read(&bytes, 701, &mut trace).is_ok() {
                let known = vec![1.0; 701];
                trace.score_at(&known, &mut tuner_trace::ExpressionValues::default());
            }
        }
    }
}
