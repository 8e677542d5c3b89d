//! What a position takes whose evaluation multiplies weights by weights on every square, as
//! that of the shogi engine rshogi does: 113 weights, some 1,300 operations.

#![allow(
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test prints and may stop"
)]

use tuner_base::LaneId;
use tuner_rows::{Compactor, RowDraft, RowInfo, TraceSet};
use tuner_trace::{Expression, ExpressionValues, Form, Leaf, NonlinearOp, Step, Trace};

/// Bytes of a position at most.
const GOAL: usize = 8 << 10;

const ROWS: usize = 400;

// The first leaf of each table.
/// By number of attackers.
const ATTACKERS: u32 = 0;
/// By side and distance to the king.
const EFFECTS: u32 = 3;
/// By side and direction from the king.
const RATES: u32 = 21;
/// By side and number of attackers.
const CORRECTIONS: u32 = 41;
const PIECES: u32 = 47;
const WEIGHTS: u32 = 113;

/// Numbers that look random, the same every time. The constants are those of Knuth's MMIX.
struct Random(u64);

impl Random {
    fn below(&mut self, count: u32) -> u32 {
        let next = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = next.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32 % count
    }
}

/// Writes a trace as it comes from an evaluation: a step for each operation.
#[derive(Default)]
struct Writer {
    trace: Trace,
    expression: Expression,
    sum: Option<u32>,
}

impl Writer {
    fn push(&mut self, step: Step) -> u32 {
        self.expression.steps.push(step);
        self.expression.steps.len() as u32 - 1
    }

    fn mul(&mut self, a: u32, b: u32) -> u32 {
        self.push(Step::Nonlinear(NonlinearOp::Mul(a, b)))
    }

    fn weight(&mut self, leaf: u32) -> u32 {
        let forms = &mut self.trace.forms;
        let terms = vec![(Leaf(leaf), 1)];
        let known = forms.iter().position(|form| form.terms == terms);
        let form = known.unwrap_or_else(|| {
            forms.push(Form { factor: 0.0, terms });
            forms.len() - 1
        });
        self.push(Step::Input(form as u32))
    }

    fn add(&mut self, step: u32, factor: f64) {
        self.expression.constants.push(factor);
        let number = self.expression.constants.len() as u32 - 1;
        let factor = self.push(Step::Constant(number));
        let term = self.mul(step, factor);
        self.sum = Some(match self.sum {
            Some(sum) => self.push(Step::Add(sum, term)),
            None => term,
        });
    }
}

/// Distance and direction of a square from a king.
fn seen_from(king: u32, square: u32) -> (u32, u32) {
    let (file, rank) = (
        (square % 9).abs_diff(king % 9),
        (square / 9).abs_diff(king / 9),
    );
    let side = |a: u32, b: u32| a.cmp(&b) as i32 + 1;
    let direction = 3 * side(square % 9, king % 9) + side(square / 9, king / 9);
    (file.max(rank), direction.unsigned_abs())
}

fn position(random: &mut Random) -> Trace {
    let mut to = Writer::default();
    let kings = [random.below(27), 54 + random.below(27)];
    for square in 0..81 {
        let attackers = [(); 2].map(|()| [0, 1, 1, 1, 2, 2][random.below(6) as usize]);
        for (side, &king) in kings.iter().enumerate() {
            let (distance, direction) = seen_from(king, square);
            for other in 0..2 {
                let count = attackers[side ^ other];
                if count == 0 {
                    continue; // nothing attacks
                }
                let number = to.weight(ATTACKERS + count);
                let effect = to.weight(EFFECTS + 9 * other as u32 + distance);
                let product = to.mul(number, effect);
                let rate = to.weight(RATES + 10 * other as u32 + direction);
                let product = to.mul(product, rate);
                let sign = if side == other { 1.0 } else { -1.0 };
                to.add(product, sign / f64::from(1 << 30));
            }
        }
        if random.below(81) < 38 {
            let piece = to.weight(PIECES + random.below(WEIGHTS - PIECES));
            let sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
            to.add(piece, sign * (1.0 - 104.0 / 1024.0));
            for (own, count) in (0..).zip(attackers) {
                let correction = to.weight(CORRECTIONS + 3 * own + count);
                let product = to.mul(piece, correction);
                to.add(product, sign / 4096.0);
            }
        }
    }
    Trace {
        expression: Some(to.expression),
        ..to.trace
    }
}

#[test]
fn a_position_takes_little_memory() {
    let mut random = Random(1);
    let lanes = (0..WEIGHTS).map(|leaf| LaneId(2 * leaf));
    let mut compactor = Compactor::new(lanes.collect());
    let mut set = TraceSet::new(WEIGHTS as usize);
    let mut draft = RowDraft::default();
    let values: Vec<f64> = (0..WEIGHTS).map(|leaf| 100.0 + f64::from(leaf)).collect();
    let lanes: Vec<f64> = values.iter().flat_map(|&value| [value, 0.0]).collect();
    let (mut before, mut after, mut unpacked) = (0, 0, 0);
    for row in 0..ROWS {
        let trace = position(&mut random);
        compactor.draft(&trace, &mut draft);
        set.push(&draft, &RowInfo::new(0.5, 0)).unwrap();
        let (Some(from), Some(to)) = (&trace.expression, &draft.expression) else {
            panic!("a row without expression");
        };
        before += from.steps.len();
        after += to.steps.len();
        unpacked += size_of_val(&from.steps[..]) + size_of_val(&from.constants[..]);
        let value = |form: &Form| values[form.terms[0].0.index()];
        let inputs: Vec<f64> = trace.forms.iter().map(value).collect();
        let expected = ExpressionValues::default().value(&from.steps, &from.constants, &inputs);
        let score = set.score(row, &lanes);
        assert!(
            (score - expected).abs() < 1e-9 * (1.0 + expected.abs()),
            "{row}"
        );
    }
    set.finish();
    let bytes = set.bytes() / ROWS;
    println!(
        "steps {} to {}; bytes of the steps as they come, with constants, {}; of a position {bytes}",
        before / ROWS,
        after / ROWS,
        unpacked / ROWS
    );
    assert!(bytes <= GOAL, "{bytes} bytes a position, at most {GOAL}");
}
