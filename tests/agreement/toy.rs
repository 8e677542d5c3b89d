//! The toy game as the tuner sees it.

use tuner_core::data::Perspective;
use tuner_core::data::{Fault, OnBadLine, PositionNotation, ReadError};
use tuner_core::engine::{Agreement, Collected, Evaluation, LinkedSpec, Positions};
use tuner_core::evaluator::Engine;
use tuner_core::trace::{Registry, Tr};

/// Small numbers that stand for a board.
#[derive(Clone, Debug)]
pub struct Position {
    pub knights: usize,
    pub rooks: usize,
    pub passers: usize,
    first: bool,
}

impl Position {
    pub fn phase(&self) -> i32 {
        (2 * self.knights + 4 * self.rooks) as i32
    }
}

#[derive(Clone)]
pub struct Notation;

impl PositionNotation for Notation {
    type Position = Position;

    fn name(&self) -> &'static str {
        "TOY"
    }

    fn parse(&self, text: &str) -> Result<Position, Fault> {
        let numbers: Vec<usize> = text
            .split(' ')
            .filter_map(|field| field.parse().ok())
            .collect();
        match numbers[..] {
            [knights, rooks, passers, side] => Ok(Position {
                knights,
                rooks,
                passers,
                first: side == 0,
            }),
            _ => Err(Fault {
                offset: 0,
                found: text.to_owned(),
                expected: "four numbers".into(),
                cure: "write four numbers".into(),
            }),
        }
    }

    fn describe(&self, pos: &Position) -> String {
        format!(
            "{} {} {} {}",
            pos.knights,
            pos.rooks,
            pos.passers,
            usize::from(!pos.first)
        )
    }

    fn first_player_to_move(&self, pos: &Position) -> bool {
        pos.first
    }
}

/// An engine with any pair of evaluations.
#[derive(Clone, Copy)]
pub struct Toy {
    pub production: fn(&Position) -> i32,
    pub twin: fn(&Position) -> Tr<i32>,
}

pub fn registry() -> &'static Registry {
    tuner_core::registry!()
}

impl Engine for Toy {
    type Notation = Notation;
    type Score = i32;

    fn name(&self) -> &'static str {
        "toy"
    }

    fn registry(&self) -> &'static Registry {
        registry()
    }

    fn notation(&self) -> &Notation {
        &Notation
    }

    fn perspective(&self) -> Perspective {
        Perspective::SideToMove
    }

    fn evaluate(&self, position: &Position) -> i32 {
        (self.production)(position)
    }

    fn trace(&self, position: &Position) -> Tr<i32> {
        (self.twin)(position)
    }
}

impl Toy {
    /// It as the tuner asks it, and its spec.
    pub fn linked(self) -> (Evaluation, LinkedSpec) {
        let evaluation = Evaluation::of(self).unwrap();
        let linked = LinkedSpec::of_text(evaluation.weights(), "toy.toml".as_ref(), spec::GOOD);
        (evaluation, linked.unwrap())
    }
}

/// Traces every position of the toy.
pub fn check(toy: Toy) -> Agreement {
    read(toy, OnBadLine::Stop).unwrap().agreement
}

/// Every position of the toy, so many times, as a file.
pub fn positions(times: usize) -> &'static [u8] {
    use std::fmt::Write as _;
    let mut lines = String::new();
    for code in (0..128).cycle().take(128 * times) {
        let (knights, rooks, passers) = (code % 4, code / 4 % 4, code / 16 % 4);
        writeln!(lines, "{knights} {rooks} {passers} {} [0.5]", code / 64)
            .expect("a string takes it");
    }
    Box::leak(lines.into_bytes().into_boxed_slice())
}

/// The same where lines may be bad.
pub fn read(toy: Toy, on_bad_line: OnBadLine) -> Result<Collected, ReadError> {
    let (evaluation, linked) = toy.linked();
    let mut read = Positions::embedded("toy", positions(1));
    read.options.on_bad_line = on_bad_line;
    read.tracing(&evaluation, &linked.link, &[]).collect(0)
}

pub mod spec {
    //! Specs of the toy.

    macro_rules! knight {
        () => {
            "[[parameter]]\nname = \"KNIGHT\"\ndoc = \"A knight.\"\nphases = [\"mg\", \"eg\"]\ninitial = [300, 280]\n"
        };
    }

    macro_rules! rooks {
        ($count:literal) => {
            concat!(
                "[[parameter]]\nname = \"ROOKS\"\ndoc = \"Rooks.\"\nshape = [",
                $count,
                "]\nphases = [\"mg\", \"eg\"]\ninitial = 0\n"
            )
        };
    }

    macro_rules! passer {
        () => {
            "[[parameter]]\nname = \"PASSER\"\ndoc = \"A passed pawn.\"\nphases = [\"mg\", \"eg\"]\ninitial = [10, 40]\n"
        };
    }

    pub const GOOD: &str = concat!(
        "version = 1\nname = \"toy\"\n",
        knight!(),
        rooks!(4),
        passer!()
    );
    pub const WITHOUT_PASSER: &str = concat!("version = 1\nname = \"toy\"\n", knight!(), rooks!(4));
    pub const WITH_SHORT_ROOKS: &str = concat!(
        "version = 1\nname = \"toy\"\n",
        knight!(),
        rooks!(3),
        passer!()
    );
    pub const WITH_QUEEN: &str = concat!(
        "version = 1\nname = \"toy\"\n",
        knight!(),
        rooks!(4),
        passer!(),
        "[[parameter]]\nname = \"QUEEN\"\ndoc = \"A queen.\"\nphases = [\"mg\", \"eg\"]\ninitial = [900, 950]\n"
    );
}
