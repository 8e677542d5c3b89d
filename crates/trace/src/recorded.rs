//! Tapes that programs in other languages record, taken apart as this crate's own are.
//!
//! Each operation names its operands by numbers: 0 is nothing, as of a plain 0, then come the
//! weights from 1, then the operations in their order. Whatever is said here may be wrong: an
//! operation that cannot be is refused with its place.

use std::fmt;

use super::expression::Relation;
use super::nonlinear_op::NonlinearOp;
use super::sweep::{Recorder, Trace};
use super::tape::{Op, Ref, Tape};

/// How often a sum may count a weight as a whole number: as many operations as an answer holds
/// still have counts of 64 bits. Beyond, and above a division, derivatives are floats.
const MOST: f64 = (1_u64 << 39) as f64;

/// How many operations that are not linear may be on top of each other: each takes some of
/// the stack when they are taken apart.
const DEEPEST: u32 = 1000;

/// A tape that was recorded elsewhere.
///
/// ```
/// use tuner_trace::{Leaf, RecordedTape, Trace};
///
/// let (mut tape, mut trace) = (RecordedTape::new(2), Trace::default());
/// tape.begin();
/// tape.sum(1, 2, -3.0)?; // the first weight, less three times the second one
/// tape.take_apart(200.0, 3, 0.0, false, &mut trace)?;
/// assert_eq!(trace.forms[0].terms, [(Leaf(0), 1), (Leaf(1), -3)]);
/// assert_eq!(tape.sum(9, 1, 1.0).unwrap_err(), "operation 1 is of number 9, expected one below 4");
/// # Ok::<(), String>(())
/// ```
pub struct RecordedTape {
    tape: Tape,
    recorder: Recorder,
    /// What each operand stands for, by its number.
    known: Vec<OperandOrigin>,
    weights: usize,
    /// How many nodes, operand numbers and guards belong to the tables, which come before those of
    /// all positions.
    tables: [usize; 3],
}

/// What an operand's number stands for.
#[derive(Clone, Copy)]
struct OperandOrigin {
    at: Ref,
    /// How many operations that are not linear are below, one on the other.
    depth: u32,
    /// Bound on how often it counts weights.
    size: f64,
}

impl RecordedTape {
    /// Makes an empty tape of so many weights, which are the operands from number 1 on; operand 0
    /// is nothing.
    ///
    /// # Panics
    /// Panics beyond 134 million weights.
    pub fn new(weights: usize) -> Self {
        let leaves = (0..weights).map(|leaf| Ref::weight(leaf as u32));
        let numbered = [Ref::NONE].into_iter().chain(leaves);
        let (depth, size) = (0, 1.0);
        let known = numbered.map(|at| OperandOrigin { at, depth, size });
        Self {
            tape: Tape::new(),
            recorder: Recorder::new(),
            known: known.collect(),
            weights,
            tables: [0, 1 + weights, 0],
        }
    }

    /// Begins the tape of another position: forgets the operations of the position before, but not
    /// those that compute tables from weights.
    pub fn begin(&mut self) {
        let [nodes, known, guards] = self.tables;
        self.tape.nodes.truncate(nodes);
        self.known.truncate(known);
        self.tape.guards.truncate(guards);
    }

    /// Forgets all operations, and begins those that compute tables from weights, to which all
    /// positions may refer.
    pub fn begin_tables(&mut self) {
        self.tables = [0, 1 + self.weights, 0];
        self.begin();
    }

    /// Ends the operations that compute tables from weights: those that follow are of a position.
    pub fn end_tables(&mut self) {
        self.tables = [
            self.tape.nodes.len(),
            self.known.len(),
            self.tape.guards.len(),
        ];
    }

    /// Makes the message about the operation that comes next: its number, counted from 0 from the
    /// beginning of the position or of the tables, then `words`.
    #[cold]
    fn refused(&self, words: fmt::Arguments<'_>) -> String {
        let number = self.known.len() - self.tables[1];
        format!("operation {number} {words}")
    }

    /// Makes the message about an operation that refers to operand `number`, which no weight and no
    /// operation so far has.
    #[cold]
    fn unknown(&self, number: u32) -> String {
        let below = self.known.len();
        self.refused(format_args!(
            "is of number {number}, expected one below {below}"
        ))
    }

    /// Returns what an operand's number stands for: nothing, a weight or an earlier operation.
    /// `Err`: nothing has the number yet.
    #[inline]
    fn operand(&self, number: u32) -> Result<OperandOrigin, String> {
        let known = self.known.get(number as usize).copied();
        known.ok_or_else(|| self.unknown(number))
    }

    /// Returns the value of an operand that is a plain number, 0 of nothing; `None` if it depends
    /// on weights.
    fn plain(&self, of: OperandOrigin) -> Option<f64> {
        match of.at.as_node().map(|node| self.tape.nodes[node]) {
            Some(Op::Plain(value)) => Some(value),
            _ => of.at.is_none().then_some(0.0),
        }
    }

    /// Appends an operation, which gets the next number. `size`: a bound on how often it counts
    /// weights; `depth`: how many operations that are not linear are on top of each other in it.
    #[inline]
    fn push(&mut self, op: Op, size: f64, depth: u32) {
        let at = self.tape.append(op);
        self.known.push(OperandOrigin { at, depth, size });
    }

    /// Returns the number of the position's last operation; 0, which stands for nothing, if it has
    /// none. A guard, a branch that was taken, counts as an operation, though its number stands for
    /// nothing.
    pub fn last(&self) -> u32 {
        let count = self.known.len();
        if count > self.tables[1] {
            count as u32 - 1
        } else {
            0
        }
    }

    /// Appends a + k·b, where b is operand `number`: as a sum of whole numbers if k is whole and
    /// weights are counted at most 2³⁹ times, else in floats.
    ///
    /// # Errors
    /// If no operand has one of the numbers yet.
    #[inline]
    pub fn sum(&mut self, a: u32, number: u32, k: f64) -> Result<(), String> {
        let (a, b) = (self.operand(a)?, self.operand(number)?);
        let size = a.size + k.abs() * b.size;
        let depth = a.depth.max(b.depth);
        let whole = k as i64;
        if whole as f64 - k == 0.0 && size <= MOST {
            // k·b alone, b a weight or an operation of the tables (their numbers are the lowest),
            // is written as b + (k − 1)·b, an ordinary sum: as a product with a constant it would
            // become a form of its own.
            let is_counted = a.at.is_none() && (number as usize) < self.tables[1];
            let (a, whole) = if is_counted {
                (b.at, whole - 1)
            } else {
                (a.at, whole)
            };
            let at = self.tape.append_sum(a, b.at, whole);
            self.known.push(OperandOrigin { at, depth, size });
        } else {
            // In floats it does not matter how often weights are counted: the bound is 1 again.
            let scaled = self.tape.append(Op::Scale(b.at, k));
            self.push(Op::Sum(a.at, scaled, 1), 1.0, depth);
        }
        Ok(())
    }

    /// Appends a plain number, which belongs to the position.
    pub fn value(&mut self, value: f64) {
        // 1 bounds how often weights are counted, and no operation that is not linear is below.
        self.push(Op::Plain(value), 1.0, 0);
    }

    /// Appends an operand cut to a whole number, as an operation.
    ///
    /// # Errors
    /// If no operand has the number yet.
    pub fn whole(&mut self, a: u32) -> Result<(), String> {
        let a = self.operand(a)?;
        // Above a cut derivatives are floats: how often weights are counted below does not matter.
        self.push(Op::Truncate(a.at), 1.0, a.depth);
        Ok(())
    }

    /// Appends the sum of two operands. If one is a plain number, its value is added to the other
    /// as a constant.
    ///
    /// # Errors
    /// If no operand has one of the numbers yet.
    pub fn add(&mut self, a: u32, b: u32) -> Result<(), String> {
        for (a, b) in [(a, b), (b, a)] {
            if let Some(plain) = self.plain(self.operand(b)?) {
                let a = self.operand(a)?;
                self.push(Op::Offset(a.at, plain), a.size, a.depth);
                return Ok(());
            }
        }
        self.sum(a, b, 1.0)
    }

    /// Appends an operation on two operands, or on one. A product or a quotient with a plain number
    /// becomes a linear operation. `truncates`: whether the result was cut to a whole number.
    ///
    /// # Errors
    /// If no operand has one of the numbers yet; on a division by the plain number 0; if more than
    /// a thousand operations that are not linear would be on top of each other.
    pub fn apply(&mut self, op: NonlinearOp<u32>, truncates: bool) -> Result<(), String> {
        // An operation on one operand has it twice.
        let [a, b] = op.operands();
        let (of, by) = (self.operand(a)?, self.operand(b)?);
        match (op, self.plain(of), self.plain(by)) {
            // 0 is nothing, to which k times the other factor is added.
            (NonlinearOp::Mul(..), _, Some(k)) => return self.sum(0, a, k),
            (NonlinearOp::Mul(..), Some(k), _) => return self.sum(0, b, k),
            (NonlinearOp::Div(..), _, Some(k)) if k.abs() <= 0.0 => {
                return Err(self.refused(format_args!("divides by zero")));
            }
            (NonlinearOp::Div(..), _, Some(k)) => {
                let op = if truncates {
                    Op::Divide(of.at, k)
                } else {
                    Op::Scale(of.at, k.recip())
                };
                self.push(op, 1.0, of.depth);
                return Ok(());
            }
            _ => {}
        }
        // What is left is not linear.
        let depth = 1 + of.depth.max(by.depth);
        if depth > DEEPEST {
            return Err(self.refused(format_args!(
                "is the last of {depth} that are not linear, one on the other, expected at most {DEEPEST}"
            )));
        }
        let op = op.map(|number| self.known[number as usize].at);
        // Above it derivatives are floats: how often weights are counted below does not matter.
        self.push(Op::Nonlinear(op, truncates), 1.0, depth);
        Ok(())
    }

    /// Notes that a branch was taken because operand `a` has this relation to 0 or, if `holds` is
    /// false, because it has not. The guard takes a number of its own, which stands for nothing.
    ///
    /// # Errors
    /// If no operand has the number yet.
    pub fn guard(&mut self, a: u32, relation: Relation, holds: bool) -> Result<(), String> {
        let a = self.operand(a)?;
        self.tape.guards.push((a.at, relation, holds));
        self.known.push(self.known[0]);
        Ok(())
    }

    /// Overwrites `trace` with how the score depends on weights; `result`: the number of the
    /// operand that is the score. `score`: its value as the evaluation computed it; `rounding`:
    /// that of its floats, as a part of the sum of the sizes of all terms; `overflow`: whether an
    /// operation overflowed.
    ///
    /// # Errors
    /// If there is no such operand, or a derivative is beyond all floats.
    pub fn take_apart(
        &mut self,
        score: f64,
        result: u32,
        rounding: f64,
        overflow: bool,
        trace: &mut Trace,
    ) -> Result<(), String> {
        let result = match self.known.get(result as usize) {
            Some(result) => result.at,
            None => return Err(format!("found the result {result}, which is no operation")),
        };
        (trace.score, trace.rounding) = (score, rounding);
        self.tape.wrapped = overflow;
        self.recorder.take_apart(&self.tape, result, trace);
        // Operations of the tables are not counted.
        trace.nodes -= self.tables[0];
        let expression = trace.expression.iter();
        let numbers = expression.flat_map(|expression| &expression.constants);
        let mut all = (trace.forms.iter().map(|form| form.factor))
            .chain(numbers.chain(&trace.step_slack).copied())
            .chain([trace.constant, trace.slack]);
        if all.any(|number| !number.is_finite()) {
            return Err("found operations whose derivative is not finite".to_owned());
        }
        Ok(())
    }
}

impl fmt::Debug for RecordedTape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Operand 0 and the weights are in front of the operations.
        let operations = self.known.len() - 1 - self.weights;
        write!(f, "RecordedTape({operations} operations)")
    }
}
