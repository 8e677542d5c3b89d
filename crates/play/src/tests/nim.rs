//! A game of a few lines: heaps, of which the players take; who takes the last
//! one wins.

use super::play::{
    Adjudication, Limit, Look, MoveChoice, OpeningChoice, Openings, Player, PlayerFault, Score,
};
use tuner_game::Outcome;
use tuner_game::rules::{EndReason, Ending, Game, Rules, Seen};
use tuner_game::{Fault, PositionNotation};

/// One heap; one to three may be taken. Taking three is a "capture".
#[derive(Clone, Copy, Debug)]
pub(super) struct Nim;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Heap {
    pub(super) left: u32,
    pub(super) first: bool,
}

impl PositionNotation for Nim {
    type Position = Heap;
    fn name(&self) -> &'static str {
        "HEAP"
    }

    fn parse(&self, text: &str) -> Result<Heap, Fault> {
        let fault = || Fault {
            offset: 0,
            found: Fault::quote(text),
            expected: "a number and a player".into(),
            cure: "correct it".into(),
        };
        let (left, player) = text.split_once(' ').ok_or_else(fault)?;
        let first = match player {
            "a" => true,
            "b" => false,
            _ => return Err(fault()),
        };
        let left = left.parse().map_err(|_| fault())?;
        Ok(Heap { left, first })
    }

    fn describe(&self, position: &Heap) -> String {
        format!(
            "{} {}",
            position.left,
            if position.first { "a" } else { "b" }
        )
    }

    fn first_player_to_move(&self, position: &Heap) -> bool {
        position.first
    }
}

impl Rules for Nim {
    type Move = u32;

    fn initial(&self) -> Heap {
        Heap {
            left: 40,
            first: true,
        }
    }

    fn legal_moves(&self, position: &Heap) -> Vec<u32> {
        (1..=3.min(position.left)).collect()
    }

    fn play(&self, position: &mut Heap, m: u32) {
        position.left -= m;
        position.first = !position.first;
    }

    fn is_tactical(&self, _: &Heap, m: u32) -> bool {
        m == 3
    }

    fn key(&self, position: &Heap) -> u64 {
        u64::from(position.left * 2 + u32::from(position.first))
    }

    fn ending(&self, position: &Heap, _: &[Seen]) -> Option<Ending> {
        (position.left == 0).then_some(Ending {
            outcome: if position.first {
                Outcome::Loss
            } else {
                Outcome::Win
            },
            reason: EndReason::CHECKMATE,
        })
    }

    fn read_move(&self, position: &Heap, text: &str) -> Option<u32> {
        let m = text.parse().ok()?;
        self.legal_moves(position).contains(&m).then_some(m)
    }

    fn write_move(&self, _: &Heap, m: u32) -> String {
        m.to_string()
    }

    fn read_record_move(&self, position: &Heap, text: &str) -> Option<u32> {
        self.read_move(position, text.strip_prefix('t')?)
    }

    fn write_record_move(&self, _: &Heap, m: u32) -> String {
        format!("t{m}")
    }
}

/// A player that knows the game up to a heap, and else takes as many as chance
/// says, by what it has seen of the game.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taker {
    pub(super) knows: u32,
    pub(super) fault_at: Option<u32>,
}

impl Player<Nim> for Taker {
    fn new_game(&mut self) -> Result<(), PlayerFault> {
        Ok(())
    }

    fn choose(&mut self, game: &Game<'_, Nim>, _: Limit) -> Result<MoveChoice<u32>, PlayerFault> {
        let left = game.position().left;
        if self.fault_at.is_some_and(|at| left <= at) {
            return Err(PlayerFault::Illegal("nothing".to_owned()));
        }
        let most = 3.min(left);
        let lost = left.is_multiple_of(4);
        let best = if left <= self.knows && !lost {
            left % 4
        } else {
            1 + game.moves().iter().sum::<u32>() * 7 % most
        };
        let score = match (left <= self.knows, lost) {
            (true, true) => -500,
            (true, false) => 500,
            _ => left as i32,
        };
        Ok(MoveChoice {
            best,
            score: Some(Score::Centipawns(score)),
            nodes: 10,
            depth: Some(3),
            time: None,
        })
    }

    fn look(&mut self, position: &Heap) -> Option<Look> {
        let standing = position.left as i32;
        let quiet = standing + i32::from(position.left.is_multiple_of(5));
        Some(Look { standing, quiet })
    }
}

pub(super) fn taker(knows: u32) -> Box<dyn Player<Nim>> {
    Box::new(Taker {
        knows,
        fault_at: None,
    })
}

pub(super) const NO_RULES: Adjudication = Adjudication {
    win: None,
    draw: None,
    longest: 100,
};

pub(super) const RANDOM: Openings<Nim> = Openings::Random {
    plies: 3,
    bound: None,
};

/// [`RANDOM`] as it is chosen before the rules are known.
pub(super) const CHOICE: OpeningChoice = OpeningChoice::Random {
    plies: 3,
    bound: None,
};
