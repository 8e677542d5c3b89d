//! Draws programs.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::{Compare, Cond, Count, Index, Num, Pair, PairStyle, Program, Stmt, Table};

/// Draws the program that a seed names.
pub(crate) fn program(seed: u64, rng: &mut ChaCha8Rng) -> Program {
    let styles = [
        PairStyle::Named,
        PairStyle::Tuple,
        PairStyle::Packed,
        PairStyle::Alias,
    ];
    let pairs = styles[rng.random_range(0..4)];
    let is_linear = rng.random_bool(0.3);
    let tables: Vec<Table> = (0..rng.random_range(2..6))
        .map(|number| table(seed, number, rng))
        .collect();
    let mut draw = Draw {
        rng,
        tables: &tables,
        is_linear,
        numbers: Vec::new(),
        pairs: Vec::new(),
        closures: Vec::new(),
        loops: Vec::new(),
        in_for: false,
        helpers: 0,
        pair_helpers: 0,
        in_helper: true,
        next: 0,
    };
    let helpers: Vec<Num> = (0..draw.rng.random_range(0..3))
        .map(|_| {
            let helper = draw.num(3);
            draw.helpers += 1;
            helper
        })
        .collect();
    let pair_helpers: Vec<Pair> = (0..draw.rng.random_range(0..3))
        .map(|_| {
            let helper = draw.pair(3);
            draw.pair_helpers += 1;
            helper
        })
        .collect();
    draw.in_helper = false;
    let length = draw.rng.random_range(3..8);
    let mut body = draw.block(length, 2);
    // What reads no weight is no score.
    let entry = tables[0].dims.iter().map(|_| Index::Const(0)).collect();
    body.push(if tables[0].is_pair {
        Stmt::AddPair(Pair::Weight(0, entry))
    } else {
        Stmt::Add(Num::Weight(0, entry))
    });
    Program {
        seed,
        is_linear,
        pairs,
        tables,
        helpers,
        pair_helpers,
        body,
    }
}

fn table(seed: u64, number: usize, rng: &mut ChaCha8Rng) -> Table {
    let is_pair = rng.random_bool(0.5);
    let dims = match rng.random_range(0..4) {
        0 => vec![],
        1 => vec![rng.random_range(2..5)],
        2 => vec![8],
        _ => vec![2, rng.random_range(2..4)],
    };
    let count = dims.iter().product::<usize>() * if is_pair { 2 } else { 1 };
    let small = rng.random_bool(0.5);
    let range = if small { -9..=9 } else { -120..=120 };
    Table {
        name: format!("P{seed}_{}{number}", if is_pair { "PAIR" } else { "TERM" }),
        is_pair,
        dims,
        values: (0..count)
            .map(|_| rng.random_range(range.clone()))
            .collect(),
        is_static: rng.random_bool(0.2),
    }
}

struct Draw<'a> {
    rng: &'a mut ChaCha8Rng,
    tables: &'a [Table],
    is_linear: bool,
    /// Variables in reach.
    numbers: Vec<usize>,
    pairs: Vec<usize>,
    closures: Vec<usize>,
    /// Loops around, with their lengths.
    loops: Vec<(usize, usize)>,
    /// Whether the innermost is a `for`.
    in_for: bool,
    /// Helpers that are defined.
    helpers: usize,
    pair_helpers: usize,
    /// Whether there is a `count`.
    in_helper: bool,
    /// The number of the next variable.
    next: usize,
}

impl Draw<'_> {
    fn block(&mut self, length: usize, depth: usize) -> Vec<Stmt> {
        let (numbers, pairs) = (self.numbers.len(), self.pairs.len());
        let closures = self.closures.len();
        let block = (0..length).map(|_| self.stmt(depth)).collect();
        self.numbers.truncate(numbers);
        self.pairs.truncate(pairs);
        self.closures.truncate(closures);
        block
    }

    fn name(&mut self) -> usize {
        self.next += 1;
        self.next
    }

    fn stmt(&mut self, depth: usize) -> Stmt {
        let most = if depth == 0 { 12 } else { 19 };
        match self.rng.random_range(0..most) {
            0 => {
                let (value, name) = (self.num(2), self.name());
                self.numbers.push(name);
                Stmt::Let(name, value)
            }
            1 => {
                let (value, name) = (self.pair(2), self.name());
                self.pairs.push(name);
                Stmt::LetPair(name, value)
            }
            2 | 3 => Stmt::Add(self.num(3)),
            4 => Stmt::Sub(self.num(3)),
            5 => Stmt::AddPair(self.pair(3)),
            6 => Stmt::SubPair(self.pair(3)),
            7 => {
                let (left, right) = (self.num(2), self.num(2));
                let (first, second) = (self.name(), self.name());
                self.numbers.extend([first, second]);
                Stmt::LetBoth(first, second, left, right)
            }
            8 => {
                self.in_helper = true;
                let (body, name) = (self.num(2), self.name());
                self.in_helper = false;
                self.closures.push(name);
                Stmt::Closure(name, body)
            }
            9 => {
                let side = self.rng.random_range(0..3);
                Stmt::AddSide((side < 2).then_some(side), self.num(2))
            }
            10 => self.row().map_or(Stmt::Add(Num::Lit(5)), Stmt::Each),
            11 if self.in_for => Stmt::Continue(self.cond(1)),
            11 if !self.loops.is_empty() => Stmt::Break(self.cond(1)),
            11 => Stmt::Sub(self.num(2)),
            12 | 13 => {
                let (name, length) = (self.name(), self.rng.random_range(2..4));
                self.loops.push((name, length));
                let is_for = self.rng.random_bool(0.8);
                let before = std::mem::replace(&mut self.in_for, is_for);
                let body = self.block(3, depth - 1);
                self.in_for = before;
                self.loops.pop();
                if is_for {
                    Stmt::For(name, length, body)
                } else {
                    Stmt::While(name, length, body)
                }
            }
            14 | 15 => {
                let cond = self.cond(1);
                let then = self.block(2, depth - 1);
                let otherwise = self.block(1, depth - 1);
                Stmt::If(cond, then, otherwise)
            }
            16 | 17 => {
                let arms = std::array::from_fn(|_| self.block(1, depth - 1));
                Stmt::Match(self.rng.random_range(0..4), arms)
            }
            _ => Stmt::Return(self.cond(1), self.num(2)),
        }
    }

    fn count(&mut self, depth: usize) -> Count {
        let most = if depth == 0 { 5 } else { 8 };
        let mut inner = || Box::new(self.count(depth.saturating_sub(1)));
        let two = (depth > 0).then(|| (inner(), inner()));
        match (self.rng.random_range(0..most), two) {
            (5, Some((a, b))) => Count::Sum(a, b),
            (6, Some((a, b))) => Count::Product(a, b),
            (7, Some((a, _))) => Count::Abs(a),
            (0, _) => Count::Const(self.rng.random_range(-3..=3)),
            (1, _) => Count::Side,
            (2, _) if self.in_helper => Count::Argument,
            (3, _) if !self.loops.is_empty() => {
                let at = self.rng.random_range(0..self.loops.len());
                Count::Loop(self.loops[at].0)
            }
            _ => Count::Man(self.rng.random_range(0..4)),
        }
    }

    fn index(&mut self, length: usize) -> Index {
        let fitting: Vec<usize> = (self.loops.iter())
            .filter(|(_, most)| *most <= length)
            .map(|(name, _)| *name)
            .collect();
        if !fitting.is_empty() && self.rng.random_bool(0.5) {
            return Index::Loop(fitting[self.rng.random_range(0..fitting.len())]);
        }
        let square = self.rng.random_range(0..4);
        match self.rng.random_range(0..3) {
            0 if length == 8 => Index::Square(square),
            1 if length == 8 => Index::Mirrored(square),
            _ => Index::Const(self.rng.random_range(0..length)),
        }
    }

    /// A table, and an entry of it.
    fn entry(&mut self, is_pair: bool) -> Option<(usize, Vec<Index>)> {
        let numbers: Vec<usize> = (0..self.tables.len())
            .filter(|&table| self.tables[table].is_pair == is_pair)
            .collect();
        if numbers.is_empty() {
            return None;
        }
        let table = numbers[self.rng.random_range(0..numbers.len())];
        let dims = self.tables[table].dims.clone();
        Some((table, dims.into_iter().map(|n| self.index(n)).collect()))
    }

    fn cond(&mut self, depth: usize) -> Cond {
        let compare = [
            Compare::Less,
            Compare::Greater,
            Compare::AtMost,
            Compare::AtLeast,
        ][self.rng.random_range(0..4)];
        match self.rng.random_range(0..4) {
            0 => Cond::Side,
            1 if !self.is_linear => {
                let bound = self.rng.random_range(-40..=40);
                Cond::Score(Box::new(self.num(1)), compare, bound)
            }
            2 if depth > 0 => {
                let both = [(); 2].map(|()| Box::new(self.cond(depth - 1)));
                let [left, right] = both;
                Cond::Both(left, right)
            }
            _ => Cond::Count(self.count(1), compare, self.rng.random_range(-2..=2)),
        }
    }

    /// A table of numbers of one dimension.
    fn row(&mut self) -> Option<usize> {
        let is_row = |table: &Table| !table.is_pair && table.dims.len() == 1;
        let numbers = 0..self.tables.len();
        let rows: Vec<usize> = numbers.filter(|&at| is_row(&self.tables[at])).collect();
        (!rows.is_empty()).then(|| rows[self.rng.random_range(0..rows.len())])
    }

    /// A score without parts.
    fn plain(&mut self) -> Num {
        match self.rng.random_range(0..10) {
            0 => Num::Lit(self.rng.random_range(-30..=30)),
            1 if !self.numbers.is_empty() => {
                let at = self.rng.random_range(0..self.numbers.len());
                Num::Var(self.numbers[at])
            }
            2 => {
                let man = self.rng.random_range(0..4);
                self.row().map_or(Num::Lit(7), |row| Num::Folded(row, man))
            }
            3 if !self.closures.is_empty() => {
                let at = self.rng.random_range(0..self.closures.len());
                Num::Closed(self.closures[at], self.count(1))
            }
            _ => match self.entry(false) {
                Some((table, entry)) => Num::Weight(table, entry),
                None => Num::Taper(Box::new(self.pair(0))),
            },
        }
    }

    fn num(&mut self, depth: usize) -> Num {
        if depth == 0 {
            return self.plain();
        }
        let most = if self.is_linear { 12 } else { 19 };
        let choice = self.rng.random_range(0..most);
        let has_helpers = self.helpers > 0;
        let mut inner = || Box::new(self.num(depth - 1));
        match choice {
            0 => Num::Add(inner(), inner()),
            1 => Num::Sub(inner(), inner()),
            2 => Num::Neg(inner()),
            3 | 4 => Num::Times(inner(), self.count(1)),
            5 => {
                let divisors = [2, 3, 8, 16, -4, 100];
                Num::Div(inner(), divisors[self.rng.random_range(0..divisors.len())])
            }
            6 => {
                let (then, otherwise) = (inner(), inner());
                Num::If(Box::new(self.cond(1)), then, otherwise)
            }
            7 if has_helpers => Num::Call(self.rng.random_range(0..self.helpers), self.count(1)),
            8 => Num::Mg(Box::new(self.pair(depth - 1))),
            9 => Num::Eg(Box::new(self.pair(depth - 1))),
            10 => Num::Taper(Box::new(self.pair(depth - 1))),
            11 => Num::Shifted(inner(), self.rng.random_range(1..4)),
            12 => Num::Min(inner(), inner()),
            13 => Num::Max(inner(), inner()),
            14 => {
                let low = self.rng.random_range(-60..=0);
                Num::Clamp(Box::new(self.num(depth - 1)), low, low + 55)
            }
            15 => Num::Abs(inner()),
            16 => Num::Product(inner(), inner(), [1, 16, 100][self.rng.random_range(0..3)]),
            17 => Num::Power(inner(), self.rng.random_range(2..4)),
            18 => Num::Square(inner(), [1, 64, 720][self.rng.random_range(0..3)]),
            _ => self.plain(),
        }
    }

    fn pair(&mut self, depth: usize) -> Pair {
        if depth > 0 {
            let choice = self.rng.random_range(0..8);
            if choice == 4 && self.pair_helpers > 0 {
                let helper = self.rng.random_range(0..self.pair_helpers);
                return Pair::Call(helper, self.count(1));
            }
            if choice == 5 {
                let halves = [(); 2].map(|()| Box::new(self.num(depth - 1)));
                let [mg, eg] = halves;
                return Pair::New(mg, eg);
            }
            let mut inner = || Box::new(self.pair(depth - 1));
            match choice {
                0 => return Pair::Add(inner(), inner()),
                1 => return Pair::Sub(inner(), inner()),
                2 => return Pair::Neg(inner()),
                3 => return Pair::Times(inner(), self.count(1)),
                _ => {}
            }
        }
        if !self.pairs.is_empty() && self.rng.random_bool(0.3) {
            return Pair::Var(self.pairs[self.rng.random_range(0..self.pairs.len())]);
        }
        match self.entry(true) {
            Some((table, entry)) => Pair::Weight(table, entry),
            None => Pair::Lit(self.rng.random_range(-9..=9), self.rng.random_range(-9..=9)),
        }
    }
}
