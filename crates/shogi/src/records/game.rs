//! What all formats of games have: moves, and how the game ended.

use tuner_data::in_games::fault;
use tuner_data::rules::{EndReason, Game};
use tuner_data::{
    Around, Expected, Fault, GameKey, LabelledPosition, MATE, Outcome, RecordEvent, RecordPlace,
};

use crate::rules::wins;
use crate::{Color, Move, Position, Sfen};

/// Why a game is rejected, and where.
#[derive(Clone, Debug)]
pub(super) struct Rejection {
    pub(super) place: RecordPlace,
    pub(super) fault: Fault,
}

/// What a reader found.
pub(super) enum RecordContent {
    Nothing,
    /// A problem, which has no result.
    Problem,
    Game(Box<Replay>, GameEnd),
}

/// Tells what was found in `bytes`, which give a game its key.
pub(super) fn tell(
    found: Result<RecordContent, Rejection>,
    bytes: &[u8],
    to: &mut dyn FnMut(RecordEvent<Position>),
) {
    match found {
        Ok(RecordContent::Nothing) => {}
        Ok(RecordContent::Problem) => to(RecordEvent::Unfinished),
        Ok(RecordContent::Game(replay, ended)) => {
            replay.emit(ended, GameKey::of_bytes(bytes.trim_ascii()), to);
        }
        Err(Rejection { place, fault }) => to(RecordEvent::Rejected(place, fault)),
    }
}

/// A move that was played.
#[derive(Clone, Copy, Debug)]
struct Ply {
    played: Move,
    /// The first player's.
    score: Option<i32>,
    place: RecordPlace,
}

/// How a game ended, as its record says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GameEnd {
    /// With a result.
    Result {
        outcome: Expected,
        /// Whether something other than the moves decided: time, an illegal move,
        /// a lost connection.
        forfeit: bool,
    },
    /// With a repetition, which the rules decide if it was perpetual check.
    Repetition,
    /// Interrupted, or of a kind that has no result.
    Unfinished,
    /// The record does not say how.
    Unstated,
}

impl GameEnd {
    /// A side won by the moves, or because the other gave up.
    pub(super) fn won(by: Color) -> Self {
        Self::Result {
            outcome: wins(by).into(),
            forfeit: false,
        }
    }

    /// A side won because the other overstepped time or rules.
    pub(super) fn forfeited(to: Color) -> Self {
        Self::Result {
            outcome: wins(to).into(),
            forfeit: true,
        }
    }

    /// A draw.
    pub(super) fn drawn() -> Self {
        Self::Result {
            outcome: Outcome::Draw.into(),
            forfeit: false,
        }
    }
}

/// The moves of a game that have been read.
#[derive(Debug)]
pub(super) struct Replay {
    game: Game<'static, Sfen>,
    plies: Vec<Ply>,
}

impl Replay {
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
    pub(super) fn play(&mut self, played: Move, place: RecordPlace) {
        self.game.play(played);
        self.plies.push(Ply {
            played,
            score: None,
            place,
        });
    }

    /// Sets the score of the last move, the first player's, if it has none.
    pub(super) fn score(&mut self, score: i32) {
        if let Some(ply) = self.plies.last_mut()
            && ply.score.is_none()
        {
            ply.score = Some(score.clamp(-MATE, MATE));
        }
    }

    /// Emits the positions in which a move was played, then the end of the game;
    /// of a game without result that alone.
    fn emit(&self, ended: GameEnd, key: GameKey, to: &mut dyn FnMut(RecordEvent<Position>)) {
        let Some((outcome, forfeit)) = self.result(ended) else {
            return to(RecordEvent::Unfinished);
        };
        let mut position = *self.game.start();
        let before = position.move_number().saturating_sub(1);
        let count = self.plies.len() as u32;
        let mut last_tactical = None;
        for (number, ply) in (0..).zip(&self.plies) {
            let tactical = position.is_tactical(ply.played);
            let labelled = LabelledPosition {
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
                    book: None,
                },
                tags: None,
            };
            last_tactical = Some(tactical);
            to(RecordEvent::Position(ply.place, labelled));
            position.play(ply.played);
        }
        to(RecordEvent::Unit);
    }

    /// Returns the result and whether it is a forfeit, by the rules where the
    /// record leaves it to them.
    fn result(&self, ended: GameEnd) -> Option<(Expected, bool)> {
        match ended {
            GameEnd::Result { outcome, forfeit } => Some((outcome, forfeit)),
            GameEnd::Unfinished => None,
            GameEnd::Repetition => {
                let by_rule = self.game.ending();
                let perpetual = by_rule.filter(|end| end.reason == EndReason::PERPETUAL_CHECK);
                let outcome = perpetual.map_or(Outcome::Draw, |end| end.outcome);
                Some((outcome.into(), false))
            }
            GameEnd::Unstated => {
                let mated = !self.position().has_legal_moves();
                mated.then(|| (wins(!self.position().turn()).into(), false))
            }
        }
    }

    /// Makes the fault of a move that is not legal here.
    pub(super) fn illegal(&self, written: &str) -> Fault {
        let found = format!(
            "{}, which is not legal in {}",
            Fault::quote(written),
            self.position()
        );
        fault(found, "a legal move")
    }
}
