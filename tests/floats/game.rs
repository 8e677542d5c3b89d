//! Three counts that stand for a board: `knights rooks passers`.

use tuner_core::data::{Fault, Perspective, PositionNotation};
use tuner_core::evaluator::Engine;
use tuner_core::trace::{Registry, Tr};

#[derive(Clone, Debug)]
pub struct Position {
    pub counts: [i32; 3],
}

impl Position {
    pub fn phase(&self) -> f64 {
        f64::from(2 * self.counts[0] + 4 * self.counts[1])
    }
}

#[derive(Clone)]
pub struct Counts;

impl PositionNotation for Counts {
    type Position = Position;

    fn name(&self) -> &'static str {
        "counts"
    }

    fn parse(&self, text: &str) -> Result<Position, Fault> {
        let numbers = text.split(' ').map(str::parse);
        let numbers: Result<Vec<i32>, _> = numbers.collect();
        let counts = numbers.ok().and_then(|numbers| numbers.try_into().ok());
        counts
            .map(|counts| Position { counts })
            .ok_or_else(|| Fault {
                offset: 0,
                found: text.to_owned(),
                expected: "three counts".into(),
                cure: "write three".into(),
            })
    }

    fn describe(&self, pos: &Position) -> String {
        let [knights, rooks, passers] = pos.counts;
        format!("{knights} {rooks} {passers}")
    }

    fn first_player_to_move(&self, _: &Position) -> bool {
        true
    }
}

/// The engine.
pub struct Floats;

impl Engine for Floats {
    type Notation = Counts;
    type Score = f64;

    fn name(&self) -> &'static str {
        "floats"
    }

    fn registry(&self) -> &'static Registry {
        tuner_core::registry!()
    }

    fn notation(&self) -> &Counts {
        &Counts
    }

    fn perspective(&self) -> Perspective {
        Perspective::SideToMove
    }

    fn evaluate(&self, position: &Position) -> f64 {
        super::eval::evaluate(position)
    }

    fn trace(&self, position: &Position) -> Tr<f64> {
        super::eval::__traced::evaluate(position)
    }
}
