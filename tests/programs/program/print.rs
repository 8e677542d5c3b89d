//! Programs as Rust.

use std::fmt::Write as _;

use super::{Compare, Cond, Count, Index, Num, Pair, PairStyle, Program, Stmt, Table};

const NAMED: &str = "\
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair { pub mg: i32, pub eg: i32 }
impl Pair {
    pub const fn new(mg: i32, eg: i32) -> Pair { Pair { mg, eg } }
    pub fn mg(self) -> i32 { self.mg }
    pub fn eg(self) -> i32 { self.eg }
}
impl std::ops::Add for Pair { type Output = Pair; fn add(self, o: Pair) -> Pair { Pair { mg: self.mg + o.mg, eg: self.eg + o.eg } } }
impl std::ops::Sub for Pair { type Output = Pair; fn sub(self, o: Pair) -> Pair { Pair { mg: self.mg - o.mg, eg: self.eg - o.eg } } }
impl std::ops::Neg for Pair { type Output = Pair; fn neg(self) -> Pair { Pair { mg: -self.mg, eg: -self.eg } } }
impl std::ops::Mul<i32> for Pair { type Output = Pair; fn mul(self, n: i32) -> Pair { Pair { mg: self.mg * n, eg: self.eg * n } } }
impl std::ops::AddAssign for Pair { fn add_assign(&mut self, o: Pair) { self.mg += o.mg; self.eg += o.eg; } }
impl std::ops::SubAssign for Pair { fn sub_assign(&mut self, o: Pair) { *self = *self - o; } }
";

const TUPLE: &str = "\
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair(pub i32, pub i32);
impl Pair {
    pub const fn new(mg: i32, eg: i32) -> Self { Self(mg, eg) }
    pub const fn mg(self) -> i32 { self.0 }
    pub const fn eg(self) -> i32 { self.1 }
}
impl std::ops::Add for Pair { type Output = Self; fn add(self, other: Self) -> Self { Self(self.0 + other.0, self.1 + other.1) } }
impl std::ops::Neg for Pair { type Output = Self; fn neg(self) -> Self { Self(-self.0, -self.1) } }
impl std::ops::Sub for Pair { type Output = Self; fn sub(self, other: Self) -> Self { self + -other } }
impl std::ops::Mul<i32> for Pair { type Output = Self; fn mul(self, n: i32) -> Self { Pair::new(self.0 * n, self.1 * n) } }
impl std::ops::AddAssign for Pair { fn add_assign(&mut self, other: Self) { *self = *self + other; } }
impl std::ops::SubAssign for Pair { fn sub_assign(&mut self, other: Self) { self.0 -= other.0; self.1 -= other.1; } }
";

const PACKED: &str = "\
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair(i32);
impl Pair {
    pub const fn new(mg: i32, eg: i32) -> Self { Pair((eg << 16) + mg) }
    pub fn mg(self) -> i32 { self.0 as i16 as i32 }
    pub fn eg(self) -> i32 { ((self.0 + 0x8000) >> 16) as i16 as i32 }
}
impl std::ops::Add for Pair { type Output = Self; fn add(self, other: Self) -> Self { Pair(self.0 + other.0) } }
impl std::ops::Sub for Pair { type Output = Self; fn sub(self, other: Self) -> Self { Pair(self.0 - other.0) } }
impl std::ops::Neg for Pair { type Output = Self; fn neg(self) -> Self { Pair(-self.0) } }
impl std::ops::Mul<i32> for Pair { type Output = Self; fn mul(self, n: i32) -> Self { Pair(self.0 * n) } }
impl std::ops::AddAssign for Pair { fn add_assign(&mut self, other: Self) { self.0 += other.0; } }
impl std::ops::SubAssign for Pair { fn sub_assign(&mut self, other: Self) { self.0 -= other.0; } }
";

const ALIAS: &str = "\
pub type Pair = i32;
pub(crate) const fn pack(mg: i32, eg: i32) -> Pair { (eg << 16) + mg }
pub(crate) fn mg(pair: Pair) -> i32 { pair as i16 as i32 }
pub(crate) fn eg(pair: Pair) -> i32 { ((pair + 0x8000) >> 16) as i16 as i32 }
";

/// Ways that a score takes without a change: by a closure, an option, an index, an iterator.
const WAYS: &str = "\
fn asked(value: &dyn Fn() -> i32) -> i32 { value() }
fn opened(score: i32) -> Option<i32> { let score = Some(score)?; Some(score) }
pub struct HeldPair(i32);
impl std::ops::Index<usize> for HeldPair { type Output = i32; fn index(&self, _: usize) -> &i32 { &self.0 } }
impl IntoIterator for HeldPair {
    type Item = i32;
    type IntoIter = std::array::IntoIter<i32, 1>;
    fn into_iter(self) -> Self::IntoIter { [self.0].into_iter() }
}
";

/// The file of a program.
pub(crate) fn file(program: &Program) -> String {
    let print = Print { program };
    let mode = if program.is_linear { "" } else { "nonlinear" };
    let mut out = "use crate::Board;\n".to_owned();
    out += match program.pairs {
        PairStyle::Named => NAMED,
        PairStyle::Tuple => TUPLE,
        PairStyle::Packed => PACKED,
        PairStyle::Alias => ALIAS,
    };
    out += WAYS;
    let taper =
        "fn taper(pair: Pair, phase: i32) -> i32 { (MG * phase + EG * (24 - phase)) / 24 }\n";
    out +=
        &(taper.replace("MG", &print.half("mg", "pair"))).replace("EG", &print.half("eg", "pair"));
    for table in &program.tables {
        out += &print.table(table);
    }
    for (number, helper) in program.helpers.iter().enumerate() {
        let body = print.num(helper);
        let _ = writeln!(
            out,
            "fn helper{number}(board: &Board, count: i32) -> i32 {{ {body} }}"
        );
    }
    for (number, helper) in program.pair_helpers.iter().enumerate() {
        let body = print.pair(helper);
        let _ = writeln!(
            out,
            "fn pair{number}(board: &Board, count: i32) -> Pair {{ {body} }}"
        );
    }
    let zero = print.pair(&Pair::Lit(0, 0));
    let _ = write!(
        out,
        "pub fn evaluate(board: &Board) -> i32 {{\nlet mut score = 0;\nlet mut total: Pair = {zero};\nlet mut sides = [0; 2];\n"
    );
    out += &print.block(&program.body);
    out += "score + taper(total, board.phase) + sides[0] - sides[1]\n}\n";
    // Two types of one name, a struct and an alias, are not told apart by name alone.
    out = out.replace("Pair", &format!("Pair{}", program.seed));
    out + &format!("#[cfg(feature = \"tune\")]\ntuner_core::traced!({mode});\n")
}

/// The file that lists them.
pub(crate) fn list(programs: &[Program]) -> String {
    let mut out = String::new();
    for program in programs {
        let _ = writeln!(out, "mod p{};", program.seed);
    }
    out += "pub const PROGRAMS: &[crate::ProgramFns] = &[\n";
    for program in programs {
        let seed = program.seed;
        let names = program.tables.iter().map(|table| &table.name);
        let names: Vec<String> = names.map(|name| format!("{name:?}")).collect();
        let _ = writeln!(
            out,
            "crate::ProgramFns {{ tables: &[{}], production: p{seed}::evaluate, \
             twin: p{seed}::__traced::evaluate }},",
            names.join(", ")
        );
    }
    out + "];\n"
}

struct Print<'a> {
    program: &'a Program,
}

impl Print<'_> {
    fn half(&self, half: &str, pair: &str) -> String {
        match self.program.pairs {
            PairStyle::Alias => format!("{half}({pair})"),
            _ => format!("({pair}).{half}()"),
        }
    }

    fn table(&self, table: &Table) -> String {
        let inner = if table.is_pair { "Pair" } else { "i32" };
        let mut ty = inner.to_owned();
        for length in table.dims.iter().rev() {
            ty = format!("[{ty}; {length}]");
        }
        let lanes = if table.is_pair { 2 } else { 1 };
        let entries = table.values.chunks(lanes).map(|values| match values {
            [mg, eg] => self.pair(&Pair::Lit(*mg, *eg)),
            values => values[0].to_string(),
        });
        let mut texts: Vec<String> = entries.collect();
        for &length in table.dims.iter().rev() {
            texts = (texts.chunks(length))
                .map(|row| format!("[{}]", row.join(", ")))
                .collect();
        }
        let word = if table.is_static { "static" } else { "const" };
        format!("pub {word} {}: {ty} = {};\n", table.name, texts[0])
    }

    fn block(&self, block: &[Stmt]) -> String {
        block.iter().map(|stmt| self.stmt(stmt) + "\n").collect()
    }

    fn stmt(&self, stmt: &Stmt) -> String {
        match stmt {
            Stmt::Let(name, value) => format!("let v{name} = {};", self.num(value)),
            Stmt::LetPair(name, value) => format!("let v{name} = {};", self.pair(value)),
            Stmt::Add(value) => format!("score += {};", self.num(value)),
            Stmt::Sub(value) => format!("score -= {};", self.num(value)),
            Stmt::AddPair(value) => format!("total += {};", self.pair(value)),
            Stmt::SubPair(value) => format!("total -= {};", self.pair(value)),
            Stmt::For(name, length, body) => {
                format!("for v{name} in 0..{length} {{\n{}}}", self.block(body))
            }
            Stmt::While(name, length, body) => format!(
                "let mut v{name} = 0;\nwhile v{name} < {length} {{\n{}v{name} += 1;\n}}",
                self.block(body)
            ),
            Stmt::If(cond, then, otherwise) => format!(
                "if {} {{\n{}}} else {{\n{}}}",
                self.cond(cond),
                self.block(then),
                self.block(otherwise)
            ),
            Stmt::Match(square, [zero, low, high]) => format!(
                "match board.squares[{square}] {{\n0 => {{\n{}}}\n1 | 2 => {{\n{}}}\n_ => {{\n{}}}\n}}",
                self.block(zero),
                self.block(low),
                self.block(high)
            ),
            Stmt::LetBoth(first, second, left, right) => format!(
                "let (v{first}, v{second}) = ({}, {});",
                self.num(left),
                self.num(right)
            ),
            Stmt::Closure(name, body) => {
                format!("let v{name} = |count: i32| {};", self.num(body))
            }
            Stmt::AddSide(side, value) => {
                let side = side.map_or("board.side as usize".to_owned(), |side| side.to_string());
                format!("sides[{side}] += {};", self.num(value))
            }
            Stmt::Each(table) => format!(
                "for (index, &weight) in {}.iter().enumerate() {{\n\
                 score += weight * board.men[index % 4];\n}}",
                self.program.tables[*table].name
            ),
            Stmt::Continue(cond) => format!("if {} {{\ncontinue;\n}}", self.cond(cond)),
            Stmt::Break(cond) => format!("if {} {{\nbreak;\n}}", self.cond(cond)),
            Stmt::Return(cond, value) => {
                format!("if {} {{\nreturn {};\n}}", self.cond(cond), self.num(value))
            }
        }
    }

    fn entry(&self, table: usize, entry: &[Index]) -> String {
        let mut out = self.program.tables[table].name.clone();
        for index in entry {
            let index = match index {
                Index::Const(index) => index.to_string(),
                Index::Square(square) => format!("board.squares[{square}]"),
                Index::Mirrored(square) => format!("board.squares[{square}] ^ 7"),
                Index::Loop(name) => format!("v{name}"),
            };
            out.extend(["[", &index, "]"]);
        }
        out
    }

    fn cond(&self, cond: &Cond) -> String {
        let compared = |compare: &Compare| match compare {
            Compare::Less => "<",
            Compare::Greater => ">",
            Compare::AtMost => "<=",
            Compare::AtLeast => ">=",
        };
        match cond {
            Cond::Side => "board.side".to_owned(),
            Cond::Count(count, by, bound) => {
                format!("{} {} {bound}", number(count), compared(by))
            }
            Cond::Score(value, by, bound) => {
                format!("({}) {} {bound}", self.num(value), compared(by))
            }
            Cond::Both(a, b) => format!("({}) && ({})", self.cond(a), self.cond(b)),
        }
    }

    fn num(&self, num: &Num) -> String {
        let two = |a: &Num, by: &str, b: &Num| format!("({} {by} {})", self.num(a), self.num(b));
        match num {
            Num::Lit(value) => format!("({value}i32)"),
            Num::Weight(table, entry) => self.entry(*table, entry),
            Num::Var(name) => format!("v{name}"),
            Num::Add(a, b) => two(a, "+", b),
            Num::Sub(a, b) => two(a, "-", b),
            Num::Neg(a) => format!("(-{})", self.num(a)),
            Num::Times(a, count) => format!("({} * {})", self.num(a), number(count)),
            Num::Div(a, divisor) => format!("({} / ({divisor}i32))", self.num(a)),
            Num::If(cond, a, b) => format!(
                "(if {} {{ {} }} else {{ {} }})",
                self.cond(cond),
                self.num(a),
                self.num(b)
            ),
            Num::Call(helper, count) => self.called(*helper, &number(count)),
            Num::Mg(pair) => self.half("mg", &self.pair(pair)),
            Num::Eg(pair) => self.half("eg", &self.pair(pair)),
            Num::Taper(pair) => format!("taper({}, board.phase)", self.pair(pair)),
            Num::Folded(table, man) => format!(
                "{}.iter().map(|&weight| weight * board.men[{man}]).sum::<i32>()",
                self.program.tables[*table].name
            ),
            Num::Closed(name, count) => format!("v{name}({})", number(count)),
            Num::Shifted(a, by) => format!("({} >> {by})", self.num(a)),
            Num::Power(a, by) => format!("{}.pow({by})", self.num(a)),
            Num::Min(a, b) => format!("{}.min({})", self.num(a), self.num(b)),
            Num::Max(a, b) => format!("std::cmp::max({}, {})", self.num(a), self.num(b)),
            Num::Clamp(a, low, high) => format!("{}.clamp({low}, {high})", self.num(a)),
            Num::Abs(a) => format!("{}.abs()", self.num(a)),
            Num::Product(a, b, 1) => two(a, "*", b),
            Num::Product(a, b, by) => format!("({} / {by})", two(a, "*", b)),
            Num::Square(a, by) => {
                format!("{{ let danger = {}; danger * danger / {by} }}", self.num(a))
            }
        }
    }

    fn called(&self, helper: usize, count: &str) -> String {
        let call = format!("helper{helper}(board, {count})");
        match (self.program.seed + helper as u64) % 6 {
            0 => format!("{{ let value = helper{helper}; value(board, {count}) }}"),
            1 => format!("asked(&|| {call})"),
            2 => format!("opened({call}).unwrap_or(0)"),
            3 => format!("HeldPair({call})[0]"),
            4 => format!(
                "{{ let mut sum = 0; for value in HeldPair({call}) {{ sum += value; }} sum }}"
            ),
            _ => call,
        }
    }

    fn pair(&self, pair: &Pair) -> String {
        let two =
            |a: &Pair, by: &str, b: &Pair| format!("({} {by} {})", self.pair(a), self.pair(b));
        match pair {
            Pair::Lit(mg, eg) => match self.program.pairs {
                PairStyle::Named => format!("Pair {{ mg: {mg}, eg: {eg} }}"),
                PairStyle::Tuple if (mg + eg) % 2 == 0 => format!("Pair({mg}, {eg})"),
                PairStyle::Tuple | PairStyle::Packed => format!("Pair::new({mg}, {eg})"),
                PairStyle::Alias => format!("pack({mg}, {eg})"),
            },
            Pair::New(mg, eg) => {
                let (mg, eg) = (self.num(mg), self.num(eg));
                match self.program.pairs {
                    PairStyle::Named => format!("Pair {{ mg: {mg}, eg: {eg} }}"),
                    PairStyle::Tuple | PairStyle::Packed => format!("Pair::new({mg}, {eg})"),
                    PairStyle::Alias => format!("pack({mg}, {eg})"),
                }
            }
            Pair::Call(helper, count) => format!("pair{helper}(board, {})", number(count)),
            Pair::Weight(table, entry) => self.entry(*table, entry),
            Pair::Var(name) => format!("v{name}"),
            Pair::Add(a, b) => two(a, "+", b),
            Pair::Sub(a, b) => two(a, "-", b),
            Pair::Neg(a) => format!("(-{})", self.pair(a)),
            Pair::Times(a, count) => format!("({} * {})", self.pair(a), number(count)),
        }
    }
}

fn number(count: &Count) -> String {
    match count {
        Count::Const(value) => format!("({value}i32)"),
        Count::Man(man) => format!("board.men[{man}]"),
        Count::Side => "(board.side as i32)".to_owned(),
        Count::Loop(name) => format!("(v{name} as i32)"),
        Count::Argument => "count".to_owned(),
        Count::Sum(a, b) => format!("({} + {})", number(a), number(b)),
        Count::Product(a, b) => format!("({} * {})", number(a), number(b)),
        Count::Abs(a) => format!("{}.abs()", number(a)),
    }
}
