//! Weights that a method without mark reads, where other types have one of its name.

use tuner_core::tunable;

#[tunable]
const TEMPO: i32 = 10;

struct Side {
    count: i32,
}

impl Side {
    fn worth(&self) -> i32 {
        self.count * TEMPO
    }
}

struct Board {
    side: Side,
    rule: Rule,
    counts: Vec<i32>,
}

struct Rule;

impl Rule {
    fn worth(&self) -> i32 {
        1
    }

    fn get(&self) -> i32 {
        TEMPO
    }
}

trait Term {
    fn term(&self) -> i32;
}

impl Term for Side {
    fn term(&self) -> i32 {
        self.worth()
    }
}

impl Term for Rule {
    fn term(&self) -> i32 {
        1
    }
}

trait Provided {
    fn provided(&self) -> i32 {
        TEMPO
    }
}

impl Provided for Rule {}

macro_rules! sum {
    ($name:ident) => {
        fn $name(count: i32) -> i32 {
            count * TEMPO
        }
    };
}

sum!(tempi);

#[tunable]
fn by_field(board: &Board) -> i32 {
    TEMPO + board.side.worth() + board.rule.worth()
}

#[tunable]
fn by_pattern(side: Option<Side>) -> i32 {
    let found = match side {
        Some(side) => TEMPO * side.worth(),
        None => TEMPO,
    };
    let rule: &Rule = &Rule;
    found + rule.worth()
}

#[tunable]
fn by_trait(term: &dyn Term) -> i32 {
    TEMPO + term.term() + Term::term(&Rule) + <Side as Term>::term(&Side { count: 1 })
}

#[tunable]
fn by_macro(board: &Board) -> i32 {
    TEMPO + tempi(board.counts[0]) + board.counts.get(1).copied().unwrap_or(0)
}

#[tunable]
fn by_provided(board: &Board) -> i32 {
    TEMPO + board.rule.provided()
}

fn main() {
    let side = Side { count: 1 };
    let board = Board {
        side,
        rule: Rule,
        counts: vec![1, 2],
    };
    by_field(&board);
    by_macro(&board);
    by_trait(&board.rule);
    by_provided(&board);
    board.rule.get();
    by_pattern(None);
}
