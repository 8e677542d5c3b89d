//! What all formats of games end with: moves, and how they ended.

use tuner_data::rules::{Game, Reason};
use tuner_data::{Around, Fault, Found, GameKey, Labelled, MATE, Place};
use tuner_data::{Expected, Outcome};

use crate::rules::wins;
use crate::{Color, Move, Position, Sfen};

/// What is wrong with a game, and where.
#[derive(Clone, Debug)]
pub(super) struct Bad {
    pub(super) place: Place,
    pub(super) fault: Fault,
}

/// A move that was played.
#[derive(Clone, Copy, Debug)]
struct Ply {
    played: Move,
    /// The first player's.
    score: Option<i32>,
    place: Place,
}

/// How a game ended, as its record says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// With a result.
    With {
        outcome: Expected,
        /// Whether by something other than the moves: time, an illegal move, a
        /// lost connection.
        forfeit: bool,
    },
    /// With a repetition; who loses if it was perpetual check is for the rules.
    Repetition,
    /// Interrupted, or of a kind that has no result.
    Unfinished,
    /// The record does not say.
    Unsaid,
}

impl Ended {
    /// A side won by the moves, or because the other gave up.
    pub(super) fn won(by: Color) -> Self {
        Self::With {
            outcome: wins(by).into(),
            forfeit: false,
        }
    }

    /// A side won because the other overstepped time or rules.
    pub(super) fn forfeited(to: Color) -> Self {
        Self::With {
            outcome: wins(to).into(),
            forfeit: true,
        }
    }

    /// Nobody won.
    pub(super) fn drawn() -> Self {
        Self::With {
            outcome: Outcome::Draw.into(),
            forfeit: false,
        }
    }
}

/// A game as far as it has been read.
#[derive(Debug)]
pub(super) struct Reading {
    game: Game<'static, Sfen>,
    plies: Vec<Ply>,
}

impl Reading {
    pub(super) fn new(start: &Position) -> Self {
        Self {
            game: Game::new(&Sfen, *start),
            plies: Vec::new(),
        }
    }

    pub(super) fn position(&self) -> &Position {
        self.game.position()
    }

    pub(super) fn moves(&self) -> &[Move] {
        self.game.moves()
    }

    /// Plays a legal move.
    pub(super) fn play(&mut self, played: Move, place: Place) {
        self.game.play(played);
        self.plies.push(Ply {
            played,
            score: None,
            place,
        });
    }

    /// Gives the last move a score in the first player's view, if it has none.
    pub(super) fn score(&mut self, score: i32) {
        if let Some(ply) = self.plies.last_mut()
            && ply.score.is_none()
        {
            ply.score = Some(score.clamp(-MATE, MATE));
        }
    }

    /// Hands over the positions in which a move was played, and that the game
    /// is over, or that it is not.
    pub(super) fn tell(&self, ended: Ended, key: GameKey, to: &mut dyn FnMut(Found<Position>)) {
        let Some((outcome, forfeit)) = self.result(ended) else {
            return to(Found::Unfinished);
        };
        let mut position = *self.game.start();
        let before = position.move_number().saturating_sub(1);
        let count = self.plies.len() as u32;
        let mut last_tactical = None;
        for (number, ply) in (0..).zip(&self.plies) {
            let tactical = position.is_tactical(ply.played);
            let labelled = Labelled {
                position,
                outcome,
                search_score: ply.score,
                game: Some(key),
                ply: Some(before.saturating_add(number)),
                around: Around {
                    last_tactical,
                    next_tactical: Some(tactical),
                    plies_left: Some(count - number),
                    forfeit: Some(forfeit),
                },
            };
            last_tactical = Some(tactical);
            to(Found::Position(ply.place, labelled));
            position.play(ply.played);
        }
        to(Found::Unit);
    }

    /// The result; where the record leaves it to the rules, theirs.
    fn result(&self, ended: Ended) -> Option<(Expected, bool)> {
        match ended {
            Ended::With { outcome, forfeit } => Some((outcome, forfeit)),
            Ended::Unfinished => None,
            Ended::Repetition => {
                let by_rule = self.game.ending();
                let perpetual = by_rule.filter(|end| end.reason == Reason::PerpetualCheck);
                let outcome = perpetual.map_or(Outcome::Draw, |end| end.outcome);
                Some((outcome.into(), false))
            }
            Ended::Unsaid => {
                let mated = !self.position().has_legal_moves();
                mated.then(|| (wins(!self.position().turn()).into(), false))
            }
        }
    }

    /// The fault of a move that is not legal here.
    pub(super) fn illegal(&self, written: &str) -> Fault {
        let found = format!(
            "{}, which is not legal in {}",
            Fault::quote(written),
            self.position()
        );
        fault(found, "a legal move")
    }
}

/// A fault of a game; where it is, the caller says.
pub(super) fn fault(found: impl Into<String>, expected: &'static str) -> Fault {
    Fault {
        offset: 0,
        found: found.into(),
        expected: expected.into(),
        cure: "correct the game, or pass over bad games with --on-bad-line skip".into(),
    }
}
