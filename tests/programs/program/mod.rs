//! Random evaluations: drawn, written as Rust, and computed here as well, so that
//! what the macro makes of them has something to agree with that shares no code
//! with it.
//!
//! `draw` draws a program, `print` writes it, `run` computes it: in integers as the
//! compiled code does, and in real numbers with first and second derivatives.

pub(crate) mod draw;
pub(crate) mod print;
pub(crate) mod run;

use std::env;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// How many programs to make; 30 unless told otherwise.
pub(crate) const COUNT: &str = "TUNER_PROGRAMS";
/// The seed of the first; that of each other is one higher.
pub(crate) const SEED: &str = "TUNER_PROGRAM_SEED";

/// What the environment asks for: the first seed and the count.
pub(crate) fn asked() -> (u64, u64) {
    let number = |name, otherwise| {
        let text = env::var(name).ok();
        text.and_then(|text| text.parse().ok()).unwrap_or(otherwise)
    };
    (number(SEED, 1), number(COUNT, 30))
}

/// An evaluation.
pub(crate) struct Program {
    /// What its module and its tables are named by.
    pub(crate) seed: u64,
    /// Whether no score bends: `#[tunable]` alone.
    pub(crate) is_linear: bool,
    /// How pairs are written.
    pub(crate) pairs: PairStyle,
    pub(crate) tables: Vec<Table>,
    /// Functions of the board and a number, `fn helper0(board, count)`.
    pub(crate) helpers: Vec<Num>,
    /// The same of pairs, `fn pair0(board, count)`.
    pub(crate) pair_helpers: Vec<Pair>,
    pub(crate) body: Vec<Stmt>,
}

/// How a program writes a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PairStyle {
    /// `S { mg: 1, eg: 2 }`
    Named,
    /// `S(1, 2)` and `S::new(1, 2)`
    Tuple,
    /// A type around one integer.
    Packed,
    /// One integer by another name.
    Alias,
}

/// A const of weights.
pub(crate) struct Table {
    pub(crate) name: String,
    pub(crate) is_pair: bool,
    pub(crate) dims: Vec<usize>,
    /// Row-major, the halves of a pair next to each other.
    pub(crate) values: Vec<i32>,
    /// Whether it is a `static`.
    pub(crate) is_static: bool,
}

/// A number that depends on no weight.
#[derive(Clone)]
pub(crate) enum Count {
    Const(i32),
    Man(usize),
    Side,
    /// The variable of a loop.
    Loop(usize),
    /// What a helper is called with.
    Argument,
    Sum(Box<Self>, Box<Self>),
    Product(Box<Self>, Box<Self>),
    Abs(Box<Self>),
}

/// An index below some length.
#[derive(Clone)]
pub(crate) enum Index {
    Const(usize),
    /// A square, below 8.
    Square(usize),
    /// The same from the other side.
    Mirrored(usize),
    Loop(usize),
}

/// A condition.
#[derive(Clone)]
pub(crate) enum Cond {
    Side,
    Count(Count, Compare, i32),
    /// Of scores.
    Score(Box<Num>, Compare, i32),
    Both(Box<Self>, Box<Self>),
}

#[derive(Clone, Copy)]
pub(crate) enum Compare {
    Less,
    Greater,
    AtMost,
    AtLeast,
}

/// A score.
#[derive(Clone)]
pub(crate) enum Num {
    Lit(i32),
    Weight(usize, Vec<Index>),
    Var(usize),
    Add(Box<Self>, Box<Self>),
    Sub(Box<Self>, Box<Self>),
    Neg(Box<Self>),
    Times(Box<Self>, Count),
    /// By a number that is not 0.
    Div(Box<Self>, i32),
    If(Box<Cond>, Box<Self>, Box<Self>),
    Call(usize, Count),
    Mg(Box<Pair>),
    Eg(Box<Pair>),
    Taper(Box<Pair>),
    /// Σ of the entries of a table of one dimension, each so often.
    Folded(usize, usize),
    /// Of a closure.
    Closed(usize, Count),
    /// `>>`
    Shifted(Box<Self>, u32),
    // What is not linear.
    Min(Box<Self>, Box<Self>),
    Max(Box<Self>, Box<Self>),
    Clamp(Box<Self>, i32, i32),
    Abs(Box<Self>),
    /// a · b / divisor
    Product(Box<Self>, Box<Self>, i32),
    /// `pow`
    Power(Box<Self>, u32),
    /// a² / divisor
    Square(Box<Self>, i32),
}

/// Two scores.
#[derive(Clone)]
pub(crate) enum Pair {
    Lit(i32, i32),
    Weight(usize, Vec<Index>),
    Var(usize),
    Add(Box<Self>, Box<Self>),
    Sub(Box<Self>, Box<Self>),
    Neg(Box<Self>),
    Times(Box<Self>, Count),
    /// Of two scores.
    New(Box<Num>, Box<Num>),
    Call(usize, Count),
}

/// A statement; `score`, `total` and `sides` are what the evaluation adds up.
#[derive(Clone)]
pub(crate) enum Stmt {
    Let(usize, Num),
    LetPair(usize, Pair),
    Add(Num),
    Sub(Num),
    AddPair(Pair),
    SubPair(Pair),
    /// `for i0 in 0..n`
    For(usize, usize, Vec<Self>),
    /// The same as a `while`.
    While(usize, usize, Vec<Self>),
    If(Cond, Vec<Self>, Vec<Self>),
    /// By a square: arms for 0, for 1 and 2, for the rest.
    Match(usize, [Vec<Self>; 3]),
    Return(Cond, Num),
    /// `let (a, b) = …`
    LetBoth(usize, usize, Num, Num),
    /// `let weigh = |count: i32| …`
    Closure(usize, Num),
    /// `sides[board.side as usize] += …`; with `None` of who is to move.
    AddSide(Option<usize>, Num),
    /// A loop over the entries of a table of one dimension, each times a man.
    Each(usize),
    /// `continue` and `break`.
    Continue(Cond),
    Break(Cond),
}

impl Program {
    /// The values of all weights, table after table.
    pub(crate) fn weights(&self) -> impl Iterator<Item = i32> {
        self.tables
            .iter()
            .flat_map(|table| table.values.iter().copied())
    }
}

/// The program of a seed.
pub(crate) fn program(seed: u64) -> Program {
    draw::program(seed, &mut ChaCha8Rng::seed_from_u64(seed))
}
