//! Programs computed: in integers, as compiled code does, and in real numbers with
//! derivatives, where nothing truncates and branches are those of the integers.

use std::cell::Cell;

use super::{Compare, Cond, Count, Index, Num, Pair, PairStyle, Program, Stmt};

/// A position.
pub(crate) struct Position {
    pub(crate) men: [i32; 4],
    pub(crate) squares: [usize; 4],
    pub(crate) phase: i32,
    pub(crate) side: bool,
}

/// A number with its derivatives by all weights.
#[derive(Clone, Debug)]
pub(crate) struct Jet {
    pub(crate) value: f64,
    pub(crate) first: Vec<f64>,
    /// Row by row.
    pub(crate) second: Vec<f64>,
}

impl Jet {
    fn constant(value: f64, weights: usize) -> Self {
        Self {
            value,
            first: vec![0.0; weights],
            second: vec![0.0; weights * weights],
        }
    }

    /// a·self + b·other + c
    fn sum(&self, a: f64, other: &Self, b: f64, c: f64) -> Self {
        let mix = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| a * x + b * y).collect();
        Self {
            value: a * self.value + b * other.value + c,
            first: mix(&self.first, &other.first),
            second: mix(&self.second, &other.second),
        }
    }

    fn times(&self, factor: f64) -> Self {
        self.sum(factor, self, 0.0, 0.0)
    }

    fn product(&self, other: &Self) -> Self {
        let count = self.first.len();
        let mut out = self.sum(other.value, other, self.value, 0.0);
        out.value = self.value * other.value;
        for row in 0..count {
            for column in 0..count {
                out.second[row * count + column] +=
                    self.first[row] * other.first[column] + self.first[column] * other.first[row];
            }
        }
        out
    }
}

/// An integer, and what it is without truncation; a number that no weight is part of
/// truncates as it does in the source.
#[derive(Clone)]
struct Both {
    whole: i64,
    real: Jet,
    is_plain: bool,
}

/// What a run finds.
pub(crate) struct Outcome {
    pub(crate) score: i64,
    pub(crate) real: Jet,
    /// Whether derivatives may be others: two branches meet close by, or a constant
    /// is truncated.
    pub(crate) at_kink: bool,
    /// How scores decided, in their order.
    pub(crate) decisions: Vec<bool>,
}

/// Why a run finds nothing: a number that its type does not hold.
#[derive(Debug)]
pub(crate) struct Overflow;

/// Computes a program at some weights, in the order of its tables.
pub(crate) fn run(
    program: &Program,
    weights: &[i64],
    position: &Position,
) -> Result<Outcome, Overflow> {
    let mut starts = Vec::new();
    let mut start = 0;
    for table in &program.tables {
        starts.push(start);
        start += table.values.len();
    }
    let mut run = Run {
        program,
        weights,
        starts,
        position,
        numbers: Vec::new(),
        pairs: Vec::new(),
        closures: Vec::new(),
        loops: Vec::new(),
        argument: 0,
        at_kink: Cell::new(false),
        decisions: Vec::new(),
        score: Both::constant(0, weights.len()),
        total: [(); 2].map(|()| Both::constant(0, weights.len())),
        sides: [(); 2].map(|()| Both::constant(0, weights.len())),
        returned: None,
    };
    run.block(&program.body)?;
    let tapered = run.taper(&run.total)?;
    let score = if let Some(score) = run.returned {
        score
    } else {
        let sides = run.sides[0].sum(&run.sides[1], -1)?;
        run.score.sum(&tapered, 1)?.sum(&sides, 1)?
    };
    Ok(Outcome {
        score: score.whole,
        real: score.real,
        at_kink: run.at_kink.get(),
        decisions: run.decisions,
    })
}

impl Both {
    fn constant(value: i64, weights: usize) -> Self {
        Self {
            whole: value,
            real: Jet::constant(value as f64, weights),
            is_plain: true,
        }
    }

    fn sum(&self, other: &Self, sign: i64) -> Result<Self, Overflow> {
        Ok(Self {
            whole: held(self.whole + sign * other.whole)?,
            real: self.real.sum(1.0, &other.real, sign as f64, 0.0),
            is_plain: self.is_plain && other.is_plain,
        })
    }

    fn times(&self, factor: i64) -> Result<Self, Overflow> {
        Ok(Self {
            whole: held(self.whole * factor)?,
            real: self.real.times(factor as f64),
            is_plain: self.is_plain,
        })
    }

    fn product(&self, other: &Self) -> Result<Self, Overflow> {
        Ok(Self {
            whole: held(self.whole * other.whole)?,
            real: self.real.product(&other.real),
            is_plain: self.is_plain && other.is_plain,
        })
    }
}

/// Whether a score of this size is far from all limits of its type.
fn held(whole: i64) -> Result<i64, Overflow> {
    (whole.abs() < 1 << 30).then_some(whole).ok_or(Overflow)
}

struct Run<'a> {
    program: &'a Program,
    weights: &'a [i64],
    /// The first weight of each table.
    starts: Vec<usize>,
    position: &'a Position,
    numbers: Vec<(usize, Both)>,
    pairs: Vec<(usize, [Both; 2])>,
    closures: Vec<(usize, &'a Num)>,
    loops: Vec<(usize, usize)>,
    argument: i64,
    at_kink: Cell<bool>,
    decisions: Vec<bool>,
    score: Both,
    total: [Both; 2],
    sides: [Both; 2],
    returned: Option<Both>,
}

/// What comes after a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    Next,
    Continue,
    Break,
    Return,
}

impl<'a> Run<'a> {
    fn block(&mut self, block: &'a [Stmt]) -> Result<Flow, Overflow> {
        let (numbers, pairs) = (self.numbers.len(), self.pairs.len());
        let closures = self.closures.len();
        let mut flow = Flow::Next;
        for stmt in block {
            flow = self.stmt(stmt)?;
            if flow != Flow::Next {
                break;
            }
        }
        self.numbers.truncate(numbers);
        self.pairs.truncate(pairs);
        self.closures.truncate(closures);
        Ok(flow)
    }

    fn stmt(&mut self, stmt: &'a Stmt) -> Result<Flow, Overflow> {
        match stmt {
            Stmt::Let(name, value) => {
                let value = self.num(value)?;
                self.numbers.push((*name, value));
            }
            Stmt::LetPair(name, value) => {
                let value = self.pair(value)?;
                self.pairs.push((*name, value));
            }
            Stmt::Add(value) | Stmt::Sub(value) => {
                let sign = if matches!(stmt, Stmt::Add(_)) { 1 } else { -1 };
                let value = self.num(value)?;
                self.score = self.score.sum(&value, sign)?;
            }
            Stmt::AddPair(value) | Stmt::SubPair(value) => {
                let sign = if matches!(stmt, Stmt::AddPair(_)) {
                    1
                } else {
                    -1
                };
                let value = self.pair(value)?;
                self.total = self.pair_sum(&self.total, &value, sign)?;
            }
            Stmt::For(name, length, body) | Stmt::While(name, length, body) => {
                for index in 0..*length {
                    self.loops.push((*name, index));
                    let flow = self.block(body);
                    self.loops.pop();
                    match flow? {
                        Flow::Next | Flow::Continue => {}
                        Flow::Break => break,
                        Flow::Return => return Ok(Flow::Return),
                    }
                }
            }
            Stmt::If(cond, then, otherwise) => {
                let block = if self.cond(cond)? { then } else { otherwise };
                return self.block(block);
            }
            Stmt::Match(square, arms) => {
                let arm = [0, 1, 1, 2, 2, 2, 2, 2][self.position.squares[*square]];
                return self.block(&arms[arm]);
            }
            Stmt::Return(cond, value) => {
                if self.cond(cond)? {
                    self.returned = Some(self.num(value)?);
                    return Ok(Flow::Return);
                }
            }
            Stmt::LetBoth(first, second, left, right) => {
                let (left, right) = (self.num(left)?, self.num(right)?);
                self.numbers.extend([(*first, left), (*second, right)]);
            }
            Stmt::Closure(name, body) => self.closures.push((*name, body)),
            Stmt::AddSide(side, value) => {
                let side = side.unwrap_or(usize::from(self.position.side));
                let value = self.num(value)?;
                self.sides[side] = self.sides[side].sum(&value, 1)?;
            }
            Stmt::Each(table) => {
                for entry in 0..self.program.tables[*table].values.len() {
                    let man = i64::from(self.position.men[entry % 4]);
                    let weight = self.weight(self.starts[*table] + entry).times(man)?;
                    self.score = self.score.sum(&weight, 1)?;
                }
            }
            Stmt::Continue(cond) if self.cond(cond)? => return Ok(Flow::Continue),
            Stmt::Break(cond) if self.cond(cond)? => return Ok(Flow::Break),
            Stmt::Continue(_) | Stmt::Break(_) => {}
        }
        Ok(Flow::Next)
    }

    fn count(&self, count: &Count) -> i64 {
        match count {
            Count::Const(value) => i64::from(*value),
            Count::Man(man) => i64::from(self.position.men[*man]),
            Count::Side => i64::from(self.position.side),
            Count::Loop(name) => self.at_loop(*name) as i64,
            Count::Argument => self.argument,
            Count::Sum(a, b) => self.count(a) + self.count(b),
            Count::Product(a, b) => self.count(a) * self.count(b),
            Count::Abs(a) => self.count(a).abs(),
        }
    }

    fn at_loop(&self, name: usize) -> usize {
        let found = self.loops.iter().rev().find(|(other, _)| *other == name);
        found.map_or(0, |(_, index)| *index)
    }

    /// The first weight of an entry.
    fn entry(&self, table: usize, entry: &[Index]) -> usize {
        let dims = &self.program.tables[table].dims;
        let at = entry.iter().zip(dims).fold(0, |at, (index, length)| {
            let index = match index {
                Index::Const(index) => *index,
                Index::Square(square) => self.position.squares[*square],
                Index::Mirrored(square) => self.position.squares[*square] ^ 7,
                Index::Loop(name) => self.at_loop(*name),
            };
            at * length + index
        });
        let lanes = if self.program.tables[table].is_pair {
            2
        } else {
            1
        };
        self.starts[table] + at * lanes
    }

    fn weight(&self, at: usize) -> Both {
        let mut real = Jet::constant(self.weights[at] as f64, self.weights.len());
        real.first[at] = 1.0;
        Both {
            whole: self.weights[at],
            real,
            is_plain: false,
        }
    }

    fn lit(&self, value: i64) -> Both {
        Both::constant(value, self.weights.len())
    }

    fn divided(&self, a: &Both, divisor: i64) -> Both {
        let whole = a.whole / divisor;
        if a.is_plain {
            // Where it met a score on its way it may count as a real number there.
            if whole * divisor != a.whole {
                self.at_kink.set(true);
            }
            return self.lit(whole);
        }
        Both {
            whole,
            real: a.real.times(1.0 / divisor as f64),
            is_plain: false,
        }
    }

    fn pair_sum(&self, a: &[Both; 2], b: &[Both; 2], sign: i64) -> Result<[Both; 2], Overflow> {
        let [mg, eg] = [0, 1].map(|half| a[half].sum(&b[half], sign));
        self.half_held([mg?, eg?])
    }

    /// Whether a packed pair holds these halves.
    fn half_held(&self, pair: [Both; 2]) -> Result<[Both; 2], Overflow> {
        let is_packed = matches!(self.program.pairs, PairStyle::Packed | PairStyle::Alias);
        let fits = pair.iter().all(|half| half.whole.abs() < 1 << 14);
        (fits || !is_packed).then_some(pair).ok_or(Overflow)
    }

    fn taper(&self, pair: &[Both; 2]) -> Result<Both, Overflow> {
        let phase = i64::from(self.position.phase);
        let (mg, eg) = (pair[0].times(phase)?, pair[1].times(24 - phase)?);
        Ok(self.divided(&mg.sum(&eg, 1)?, 24))
    }

    fn cond(&mut self, cond: &'a Cond) -> Result<bool, Overflow> {
        let holds = |by: &Compare, a: i64, bound: i32| match by {
            Compare::Less => a < i64::from(bound),
            Compare::Greater => a > i64::from(bound),
            Compare::AtMost => a <= i64::from(bound),
            Compare::AtLeast => a >= i64::from(bound),
        };
        Ok(match cond {
            Cond::Side => self.position.side,
            Cond::Count(count, by, bound) => holds(by, self.count(count), *bound),
            Cond::Score(value, by, bound) => {
                let decision = holds(by, self.num(value)?.whole, *bound);
                self.decisions.push(decision);
                decision
            }
            Cond::Both(a, b) => self.cond(a)? && self.cond(b)?,
        })
    }

    /// What `f` computes with an argument.
    fn called<T>(&mut self, argument: i64, f: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.argument, argument);
        let value = f(self);
        self.argument = before;
        value
    }

    /// The lesser of two, or the greater.
    fn either(&mut self, a: Both, b: Both, greater: bool) -> Both {
        // Truncation may order two reals otherwise than their integers.
        let (real, whole) = (a.real.value - b.real.value, a.whole - b.whole);
        if real.abs() < 2.0 || real * whole as f64 <= 0.0 {
            self.at_kink.set(true);
        }
        if (a.whole > b.whole) == greater { a } else { b }
    }

    fn num(&mut self, num: &'a Num) -> Result<Both, Overflow> {
        Ok(match num {
            Num::Lit(value) => self.lit(i64::from(*value)),
            Num::Weight(table, entry) => self.weight(self.entry(*table, entry)),
            Num::Var(name) => {
                let found = self.numbers.iter().rev().find(|(other, _)| other == name);
                found.map_or_else(|| self.lit(0), |(_, value)| value.clone())
            }
            Num::Add(a, b) => {
                let (a, b) = (self.num(a)?, self.num(b)?);
                a.sum(&b, 1)?
            }
            Num::Sub(a, b) => {
                let (a, b) = (self.num(a)?, self.num(b)?);
                a.sum(&b, -1)?
            }
            Num::Neg(a) => {
                let a = self.num(a)?;
                a.times(-1)?
            }
            Num::Times(a, count) => {
                let a = self.num(a)?;
                a.times(self.count(count))?
            }
            Num::Div(a, divisor) => {
                let a = self.num(a)?;
                self.divided(&a, i64::from(*divisor))
            }
            Num::If(cond, a, b) => {
                let value = if self.cond(cond)? { a } else { b };
                self.num(value)?
            }
            Num::Call(helper, count) => {
                let (count, program) = (self.count(count), self.program);
                self.called(count, |run| run.num(&program.helpers[*helper]))?
            }
            Num::Closed(name, count) => {
                let found = self.closures.iter().rev().find(|(other, _)| other == name);
                let Some(&(_, body)) = found else {
                    return Ok(self.lit(0));
                };
                self.called(self.count(count), |run| run.num(body))?
            }
            Num::Shifted(a, by) => {
                let a = self.num(a)?;
                let mut shifted = self.divided(&a, 1 << by);
                shifted.whole = a.whole >> by;
                if a.is_plain {
                    shifted = self.lit(shifted.whole);
                }
                shifted
            }
            Num::Mg(pair) => {
                let [mg, _] = self.pair(pair)?;
                mg
            }
            Num::Eg(pair) => {
                let [_, eg] = self.pair(pair)?;
                eg
            }
            Num::Taper(pair) => {
                let pair = self.pair(pair)?;
                self.taper(&pair)?
            }
            Num::Folded(table, man) => {
                let mut sum = self.lit(0);
                for entry in 0..self.program.tables[*table].values.len() {
                    let man = i64::from(self.position.men[*man]);
                    let weight = self.weight(self.starts[*table] + entry).times(man)?;
                    sum = sum.sum(&weight, 1)?;
                }
                sum
            }
            curved => return self.nonlinear(curved),
        })
    }

    /// What is not linear.
    fn nonlinear(&mut self, num: &'a Num) -> Result<Both, Overflow> {
        Ok(match num {
            Num::Power(a, by) => {
                let a = self.num(a)?;
                let mut power = a.clone();
                for _ in 1..*by {
                    power = power.product(&a)?;
                }
                power
            }
            Num::Min(a, b) | Num::Max(a, b) => {
                let (a, b) = (self.num(a)?, self.num(b)?);
                self.either(a, b, matches!(num, Num::Max(..)))
            }
            Num::Clamp(a, low, high) => {
                let (a, low) = (self.num(a)?, self.lit(i64::from(*low)));
                let high = self.lit(i64::from(*high));
                let least = self.either(a, low, true);
                self.either(least, high, false)
            }
            Num::Abs(a) => {
                let a = self.num(a)?;
                let minus = a.times(-1)?;
                self.either(a, minus, true)
            }
            Num::Product(a, b, by) => {
                let (a, b) = (self.num(a)?, self.num(b)?);
                self.divided(&a.product(&b)?, i64::from(*by))
            }
            Num::Square(a, by) => {
                let a = self.num(a)?;
                self.divided(&a.product(&a)?, i64::from(*by))
            }
            other => return self.num(other),
        })
    }

    fn pair(&mut self, pair: &'a Pair) -> Result<[Both; 2], Overflow> {
        Ok(match pair {
            Pair::Lit(mg, eg) => [*mg, *eg].map(|half| self.lit(i64::from(half))),
            Pair::Weight(table, entry) => {
                let first = self.entry(*table, entry);
                [self.weight(first), self.weight(first + 1)]
            }
            Pair::Var(name) => {
                let found = self.pairs.iter().rev().find(|(other, _)| other == name);
                let none = || [(); 2].map(|()| self.lit(0));
                found.map_or_else(none, |(_, value)| value.clone())
            }
            Pair::New(mg, eg) => {
                let pair = [self.num(mg)?, self.num(eg)?];
                self.half_held(pair)?
            }
            Pair::Call(helper, count) => {
                let (count, program) = (self.count(count), self.program);
                self.called(count, |run| run.pair(&program.pair_helpers[*helper]))?
            }
            Pair::Add(a, b) => {
                let (a, b) = (self.pair(a)?, self.pair(b)?);
                self.pair_sum(&a, &b, 1)?
            }
            Pair::Sub(a, b) => {
                let (a, b) = (self.pair(a)?, self.pair(b)?);
                self.pair_sum(&a, &b, -1)?
            }
            Pair::Neg(a) => {
                let [mg, eg] = self.pair(a)?;
                self.half_held([mg.times(-1)?, eg.times(-1)?])?
            }
            Pair::Times(a, count) => {
                let ([mg, eg], count) = (self.pair(a)?, self.count(count));
                self.half_held([mg.times(count)?, eg.times(count)?])?
            }
        })
    }
}
