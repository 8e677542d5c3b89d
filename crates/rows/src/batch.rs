//! Rows whose expressions have the same steps, side by side.
//!
//! Where a row is, its expression is linear in the sums over its segments. So a pass
//! evaluates the expressions of a few rows together, and what follows treats all rows as
//! linear ones, with factors of their own.

use super::TraceSet;
use super::batch_seconds::SecondDerivatives;
use tuner_trace::{NonlinearOp, Step};

/// Rows that are evaluated side by side: a register of AVX-512, two of AVX2.
pub(super) const WIDTH: usize = 8;

/// One number for each of the rows side by side. These lanes are not the two lanes of a slot.
pub(super) type Lanes = [f64; WIDTH];

/// A few rows of a set with one list of steps, side by side: values, and derivatives by the sums
/// over segments.
#[derive(Clone, Debug, Default)]
pub struct LinearisedRows {
    shape: Option<u32>,
    steps: Vec<Step>,
    /// By step, whether the value depends on it; other steps are there only for guards.
    live: Vec<bool>,
    constants: Vec<Lanes>,
    /// The sums over lanes 0 and 1 of each segment, two for each.
    sums: Vec<Lanes>,
    /// The derivatives of the score by the sums, two for each segment; at first only those of the
    /// linear part.
    slopes: Vec<Lanes>,
    values: Vec<Lanes>,
    adjoints: Vec<Lanes>,
    seconds: SecondDerivatives,
    /// Whether `seconds` has been planned for the steps.
    is_planned: bool,
}

/// Makes eight numbers, one for each of the rows that are evaluated side by side: `of` gives that
/// of the row at a place, from 0.
#[inline(always)] // into kernels, which are compiled for several machines
pub(super) fn lanes(of: impl Fn(usize) -> f64) -> Lanes {
    let mut lanes = [0.0; WIDTH];
    for (number, lane) in lanes.iter_mut().enumerate() {
        *lane = of(number);
    }
    lanes
}

impl LinearisedRows {
    /// Forgets which list of steps was read last, so that [`begin`](Self::begin) reads one anew; to
    /// be called before rows of another set, where lists have other numbers.
    pub fn clear(&mut self) {
        self.shape = None;
    }

    /// Begins to evaluate rows side by side: the first of `rows`, and those behind it up to the
    /// first that has another list of steps, at most `WIDTH` (8). Every one of `rows` must have an
    /// expression. Reads the list of steps, unless the rows begun with before had it, and the
    /// constants of each row. Returns how many rows it has begun with, 0 if `rows` is empty.
    pub fn begin(&mut self, set: &TraceSet, rows: &[u32]) -> usize {
        let shape = |row: u32| set.data.nonlinear.shape(row as usize);
        let Some(&first) = rows.first() else { return 0 };
        if self.shape != Some(shape(first)) {
            self.shape = Some(shape(first));
            let nonlinear = &set.data.nonlinear;
            nonlinear.read_steps(first as usize, &mut self.steps);
            self.find_live();
            self.is_planned = false;
        }
        let alike = rows.iter().take(WIDTH);
        let count = alike.take_while(|&&row| shape(row) == shape(first)).count();
        self.constants.clear();
        for (lane, &row) in rows[..count].iter().enumerate() {
            let constants = set.data.nonlinear.constants(row as usize);
            if self.constants.len() < constants.len() {
                self.constants.resize(constants.len(), [0.0; WIDTH]);
            }
            for (to, &constant) in self.constants.iter_mut().zip(constants) {
                to[lane] = constant;
            }
        }
        count
    }

    /// Marks the steps that the value depends on: the last one, and the operands of those marked. A
    /// step to which only guards refer (branches that were taken) stays unmarked, and is not
    /// computed.
    fn find_live(&mut self) {
        self.live.clear();
        self.live.resize(self.steps.len(), false);
        if let Some(last) = self.live.last_mut() {
            *last = true;
        }
        for (index, &step) in self.steps.iter().enumerate().rev() {
            if self.live[index] && !matches!(step, Step::Guard(..)) {
                step.each_operand(|a| self.live[a as usize] = true);
            }
        }
    }

    /// Gives a row, by its place among those that were begun with, the sums of one of its segments
    /// over lanes 0 and 1, and the two factors of that segment. To be called for each segment of
    /// each row between [`begin`](Self::begin) and [`evaluate`](Self::evaluate).
    #[inline(always)] // into kernels
    pub fn set(&mut self, row: usize, segment: usize, sums: [f64; 2], factors: [f64; 2]) {
        if self.sums.len() < 2 * segment + 2 {
            self.sums.resize(2 * segment + 2, [0.0; WIDTH]);
            self.slopes.resize(2 * segment + 2, [0.0; WIDTH]);
        }
        for side in 0..2 {
            self.sums[2 * segment + side][row] = sums[side];
            self.slopes[2 * segment + side][row] = factors[side];
        }
    }

    /// Computes the value of each row's expression, and adds its derivatives by the sums over
    /// segments to `slopes`, which [`set`](Self::set) has filled with the factors of the segments.
    /// To be called once after `set` has been called for all segments of all rows.
    ///
    /// *Numerics*: each row has the bits that it would have alone.
    #[inline(always)] // into kernels
    pub fn evaluate(&mut self) {
        let count = self.steps.len();
        self.values.resize(count, [0.0; WIDTH]);
        for index in 0..count {
            if !self.live[index] {
                continue;
            }
            let at = |step: u32| self.values[step as usize];
            self.values[index] = match self.steps[index] {
                Step::Input(i) => self.sums[i as usize],
                Step::Constant(i) => self.constants[i as usize],
                Step::Add(a, b) => {
                    let (a, b) = (at(a), at(b));
                    lanes(|k| a[k] + b[k])
                }
                Step::Neg(a) => {
                    let a = at(a);
                    lanes(|k| -a[k])
                }
                // Products are computed within the kernel, the other operations by a call.
                Step::Nonlinear(NonlinearOp::Mul(a, b)) => {
                    let (a, b) = (at(a), at(b));
                    lanes(|k| a[k] * b[k])
                }
                Step::Nonlinear(op) => values_of(op, &self.values),
                // A branch that was taken has no value of its own.
                Step::Guard(..) => [0.0; WIDTH],
            };
        }
        self.add_slopes();
    }

    /// Adds to `slopes`, two numbers for each segment, the derivatives of the rows' expressions by
    /// the sums over segments: one reverse pass over the steps for all rows at once. The adjoint of
    /// a step is the derivative of the expression's value by it.
    #[inline(always)] // into kernels
    fn add_slopes(&mut self) {
        self.adjoints.clear();
        self.adjoints.resize(self.steps.len(), [0.0; WIDTH]);
        if let Some(last) = self.adjoints.last_mut() {
            *last = [1.0; WIDTH];
        }
        // From the last step back, each passes its adjoint times its slope on to its operands.
        for index in (0..self.steps.len()).rev() {
            if !self.live[index] {
                continue;
            }
            let adjoint = self.adjoints[index];
            match self.steps[index] {
                Step::Input(input) => add(&mut self.slopes, input, adjoint),
                Step::Constant(_) | Step::Guard(..) => {}
                Step::Add(a, b) => {
                    add(&mut self.adjoints, a, adjoint);
                    add(&mut self.adjoints, b, adjoint);
                }
                Step::Neg(a) => add(&mut self.adjoints, a, lanes(|k| -adjoint[k])),
                Step::Nonlinear(NonlinearOp::Mul(a, b)) => {
                    let (x, y) = (self.values[a as usize], self.values[b as usize]);
                    add(&mut self.adjoints, a, lanes(|k| times(adjoint[k], y[k])));
                    add(&mut self.adjoints, b, lanes(|k| times(adjoint[k], x[k])));
                }
                Step::Nonlinear(op) => {
                    for (operand, slopes) in slopes_of(op, &self.values, index) {
                        let amounts = lanes(|k| times(adjoint[k], slopes[k]));
                        add(&mut self.adjoints, operand, amounts);
                    }
                }
            }
        }
    }

    /// Computes the second derivatives of all rows' scores by the sums over segments. To be called
    /// after [`evaluate`](Self::evaluate), whose values and first derivatives it reads.
    #[inline(always)] // into kernels
    pub fn differentiate(&mut self) {
        if !self.is_planned {
            self.seconds.plan(&self.steps, &self.live);
            self.is_planned = true;
        }
        (self.seconds).compute(&self.steps, &self.values, &self.adjoints);
    }

    /// The numbers in a row, ascending, of the segments by whose sums some second derivative may
    /// differ from 0.
    #[inline]
    pub fn differentiated(&self) -> &[u32] {
        &self.seconds.segments
    }

    /// The second derivatives of a row's score by the sums of two segments: by lanes 0 and 0, 0 and
    /// 1, 1 and 0, 1 and 1 of the first and the second segment. `row`: its place among the rows
    /// side by side; `segments`: their places in [`differentiated`](Self::differentiated), the list
    /// of segments that have second derivatives.
    #[inline]
    pub fn seconds(&self, row: usize, segments: [usize; 2]) -> [f64; 4] {
        self.seconds.block(row, segments)
    }

    /// The value of a row's expression, without the linear part of its score; 0 if there are no
    /// steps. `row`: its place among the rows side by side.
    #[inline]
    pub fn value(&self, row: usize) -> f64 {
        self.values.last().map_or(0.0, |last| last[row])
    }

    /// The factors by which the first `segments` segments of a row change its score, of lanes 0 and
    /// 1: the segment's own factor plus the derivative of the expression by the sum over that lane.
    /// `row`: its place among the rows side by side.
    #[inline]
    pub fn factors(&self, row: usize, segments: usize) -> impl Iterator<Item = [f64; 2]> {
        let (slopes, _) = self.slopes[..2 * segments].as_chunks::<2>();
        slopes
            .iter()
            .map(move |&[first, second]| [first[row], second[row]])
    }
}

/// Returns the result of an operation in each of the rows side by side. `values`: the results of
/// the steps, by step.
#[inline(never)] // a dozen cases, of which the most call functions: once for all kernels
fn values_of(op: NonlinearOp<u32>, values: &[Lanes]) -> Lanes {
    lanes(|k| op.value(|step| values[step as usize][k]))
}

/// Returns the two operands of the operation at step `index`, and for each row the derivative of
/// the operation's result by them. An operation with one operand has it twice, the second time with
/// derivatives of 0. `values`: the results of the steps, by step.
#[inline(never)] // a dozen cases, of which the most call functions: once for all kernels
pub(super) fn slopes_of(op: NonlinearOp<u32>, values: &[Lanes], index: usize) -> [(u32, Lanes); 2] {
    let mut all = op.operands().map(|operand| (operand, [0.0; WIDTH]));
    for (k, &value) in values[index].iter().enumerate() {
        let at = |step: u32| values[step as usize][k];
        let slopes = op.slopes(at, value);
        // A minimum or maximum depends in each row on one of its operands only, which `slopes`
        // names first.
        let is_second = slopes[0].0 != all[0].0;
        let [first, second] = slopes.map(|(_, slope)| slope);
        let [of_first, of_second] = if is_second {
            [second, first]
        } else {
            [first, second]
        };
        (all[0].1[k], all[1].1[k]) = (of_first, of_second);
    }
    all
}

/// Multiplies the adjoint of an operation (the derivative of the value by its result) by its slope
/// (the derivative of its result by an operand). An adjoint of 0 makes 0 even where the slope is
/// infinite: nothing depends on that operation.
#[inline(always)] // into kernels
fn times(adjoint: f64, slope: f64) -> f64 {
    if adjoint == 0.0 { 0.0 } else { adjoint * slope }
}

/// Adds a number for each of the rows side by side, `amount`, to entry `number` of `sums`.
#[inline(always)] // into kernels
fn add(sums: &mut [Lanes], number: u32, amount: Lanes) {
    for (sum, amount) in sums[number as usize].iter_mut().zip(amount) {
        *sum += amount;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Linearised, RowDraft, RowInfo, Segment};
    use tuner_base::Slot;
    use tuner_trace::{Expression, Relation};

    /// Two inputs, a constant, a guard of its own, and some operations.
    fn draft(row: u32) -> RowDraft {
        let op = Step::Nonlinear;
        let mut steps = vec![
            Step::Input(0),
            Step::Input(3),
            Step::Constant(0),
            Step::Add(1, 2),
            Step::Neg(3),
            Step::Guard(4, Relation::Negative, true),
            op(NonlinearOp::Mul(0, 1)),
            op(NonlinearOp::Max(6, 0)),
            op(NonlinearOp::Div(7, 2)),
            op(NonlinearOp::Sqrt(1)),
            Step::Add(8, 9),
        ];
        if row.is_multiple_of(11) {
            steps.push(Step::Neg(10));
        }
        let segment = |slot: u32, count: i16| Segment {
            factors: [0.25, f64::from(row % 3)],
            entries: vec![(Slot(slot), [count, 2])],
        };
        let mut segments = vec![segment(0, 1 + (row % 5) as i16), segment(1, 3)];
        if row.is_multiple_of(2) {
            segments.push(segment(2, 1)); // of which no step knows
        }
        RowDraft {
            constant: 1.0,
            segments,
            expression: Some(Expression {
                steps,
                constants: vec![f64::from(row + 1) / 8.0],
            }),
        }
    }

    #[test]
    fn rows_side_by_side_are_as_one_by_one() {
        let mut set = TraceSet::new(3);
        for row in 0..50 {
            assert_eq!(set.push(&draft(row), &RowInfo::new(0.5, 0)), Ok(()));
        }
        set.finish();
        let mut with_seconds = 0;
        // A root has no derivative at 0.
        for lane in [0.0, 4.0] {
            let table = set.table(&[3.0, -1.0, 0.5, lane, 7.0, 2.0]);
            let (mut together, mut alone) = (LinearisedRows::default(), Linearised::default());
            let (rows, mut first) = ((0..50).collect::<Vec<u32>>(), 0);
            while first < rows.len() {
                let count = together.begin(&set, &rows[first..]);
                assert!((1..=WIDTH).contains(&count));
                for place in 0..count {
                    for (number, segment) in set.row(first + place).segments().enumerate() {
                        together.set(place, number, segment.sums(&table), segment.factors);
                    }
                }
                together.evaluate();
                for place in 0..count {
                    let row = set.row(first + place);
                    let linear = row.segments().fold(row.constant(), |score, segment| {
                        let sums = segment.sums(&table);
                        score + segment.factors[0] * sums[0] + segment.factors[1] * sums[1]
                    });
                    let score = linear + together.value(place);
                    assert_eq!(score.to_bits(), alone.at(&row, &table).to_bits());
                    let factors: Vec<[f64; 2]> =
                        together.factors(place, row.segments().count()).collect();
                    let bits = |all: &[f64]| all.iter().map(|f| f.to_bits()).collect::<Vec<_>>();
                    assert_eq!(bits(factors.as_flattened()), bits(alone.slopes()));
                    let seconds = alone.seconds(&row);
                    with_seconds += u32::from(seconds.iter().any(|&second| second != 0.0));
                    let width = 2 * factors.len();
                    let mut expected = vec![0.0; width * width];
                    together.differentiate();
                    let segments = together.differentiated().to_vec();
                    for (i, &left) in segments.iter().enumerate() {
                        for (j, &right) in segments.iter().enumerate() {
                            let block = together.seconds(place, [i, j]);
                            for (corner, second) in block.into_iter().enumerate() {
                                let (x, y) = (corner / 2, corner % 2);
                                let line = 2 * left as usize + x;
                                expected[line * width + 2 * right as usize + y] = second;
                            }
                        }
                    }
                    for (a, b) in seconds.iter().zip(&expected) {
                        assert!((a - b).abs() <= 1e-12 * a.abs(), "{a} {b}");
                    }
                }
                first += count;
            }
        }
        assert!(with_seconds > 20, "{with_seconds}");
    }
}
