//! The common content of formats of games: moves, and how the game ended.

use tuner_data::in_games::fault;
use tuner_data::rules::{EndReason, Game};
use tuner_data::{
    Expected, Fault, GameKey, Outcome, RecordEvent, RecordPlace, RecordedGame, RecordedPly,
    StatedScores,
};

use super::score::{self, Unread, score};
use crate::rules::wins;
use crate::{Color, IllegalSetup, Move, Position, Setup, Sfen};

/// Why a game is rejected, and where.
#[derive(Clone, Debug)]
pub(super) struct Rejection(pub(super) RecordPlace, pub(super) Fault);

/// Tells `to` the positions and the end of a game that was found, or why there is none. `bytes` are
/// the text of the game, of which its key is made. Nothing is told of a game that has not begun. A
/// problem, in which sente has no king, is told as a game without result: its moves are not played.
/// An illegal move rejects the game, unless the record's end is that its side lost.
pub(super) fn tell(
    found: Result<GameSoFar, Rejection>,
    bytes: &[u8],
    to: &mut dyn FnMut(RecordEvent<Position>),
) {
    let found = found.and_then(|game| match (game.ended, game.illegal) {
        (None, Some((_, bad))) => Err(bad),
        // Behind an illegal move no end is stored but that its side lost by it; every other was
        // refused when it was read.
        (ended, _) => Ok((game.part, ended.unwrap_or(GameEnd::Unstated), game.unread)),
    });
    match found {
        Ok((Part::Head, ..)) => {}
        Ok((Part::Problem, ..)) => to(RecordEvent::Unfinished),
        Ok((Part::Moves(replay), ended, unread)) => {
            replay.emit(ended, GameKey::of_bytes(bytes.trim_ascii()), unread, to);
        }
        Err(Rejection(place, fault)) => to(RecordEvent::Rejected(place, fault)),
    }
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
    /// Makes the end of a game that the moves decided, or in which a side gave up.
    pub(super) fn of(outcome: impl Into<Expected>) -> Self {
        let (outcome, forfeit) = (outcome.into(), false);
        Self::Result { outcome, forfeit }
    }

    /// Makes the end of a game that a side won by the moves, or because the other gave up.
    pub(super) fn won(by: Color) -> Self {
        Self::of(wins(by))
    }

    /// Makes the end of a game that the side `to` won because the other overstepped time or rules.
    pub(super) fn forfeited(to: Color) -> Self {
        let (outcome, forfeit) = (wins(to).into(), true);
        Self::Result { outcome, forfeit }
    }

    /// Makes the end of a drawn game.
    pub(super) fn drawn() -> Self {
        Self::of(Outcome::Draw)
    }
}

/// Makes the position that a game begins with; `None` of a problem, which has no king of sente.
/// `expected` is the message where the pieces are not legal otherwise.
pub(super) fn start(setup: &Setup, expected: &'static str) -> Result<Option<Position>, Fault> {
    match Position::from_setup(setup) {
        Ok(position) => Ok(Some(position)),
        Err(IllegalSetup::NoKing(Color::Sente)) => Ok(None),
        Err(illegal) => Err(fault(illegal.to_string(), expected)),
    }
}

/// Makes the fault of a line behind the end of the game.
pub(super) fn behind_end(found: impl Into<String>) -> Fault {
    fault(found, "nothing behind the end of the game")
}

/// Makes the rejection of a game in which a second end follows the first, at the place of the
/// second.
pub(super) fn second_end(place: RecordPlace) -> Rejection {
    Rejection(place, fault("a second end", "one end of the game"))
}

/// A game that is being read: whatever follows an end, and an illegal move that the end does
/// not name, is wrong.
#[derive(Debug, Default)]
pub(super) struct GameSoFar {
    part: Part,
    /// How the game ended; `None` until that has been read.
    pub(super) ended: Option<GameEnd>,
    /// A move that was not legal, and who made it; `None` if all were legal.
    illegal: Option<(Color, Rejection)>,
    stated: StatedScores,
    /// The score of the position whose move follows, and whether it is the side to move's.
    next_score: Option<(i32, bool)>,
    /// Whether the last move has a score of its own.
    scored: bool,
    unread: UnreadScores,
}

/// Scores that are not read: how many, where the first is, and what it is.
type UnreadScores = Option<(u64, RecordPlace, Box<str>)>;

/// How far a game has been read.
#[derive(Debug, Default)]
enum Part {
    #[default]
    Head,
    Moves(Box<Replay>),
    /// The moves of a problem, which are not played and have no result.
    Problem,
}

impl GameSoFar {
    /// Makes a game that has not begun; `stated` is what options say of its scores.
    pub(super) fn stated(stated: StatedScores) -> Self {
        Self {
            stated,
            ..Self::default()
        }
    }

    /// Makes a game that has been read to its end, from its moves and how it ended.
    pub(super) fn whole(replay: Replay, ended: GameEnd) -> Self {
        Self {
            part: Part::Moves(Box::new(replay)),
            ended: Some(ended),
            ..Self::default()
        }
    }

    /// Begins the game at the start position that `start` returns; if that is `None`, the game is a
    /// problem. Does nothing, and does not call `start`, if the game has begun.
    pub(super) fn begin(
        &mut self,
        place: RecordPlace,
        start: impl FnOnce() -> Result<Option<Position>, Fault>,
    ) -> Result<(), Rejection> {
        if !self.has_begun() {
            let start = start().map_err(|fault| Rejection(place, fault))?;
            self.part = start.map_or(Part::Problem, |position| {
                Part::Moves(Box::new(Replay::new(&position)))
            });
        }
        Ok(())
    }

    /// Tells whether the start position is known.
    pub(super) fn has_begun(&self) -> bool {
        !matches!(self.part, Part::Head)
    }

    /// Returns what has been played; `None` of a problem, and before the start.
    pub(super) fn replay(&self) -> Option<&Replay> {
        match &self.part {
            Part::Moves(replay) => Some(replay),
            _ => None,
        }
    }

    /// Returns the position in which a move follows; `None` of a problem, and before the start.
    pub(super) fn position(&self) -> Option<Position> {
        self.replay().map(|replay| *replay.position())
    }

    /// Returns who made an illegal move; `None` if there was none.
    pub(super) fn illegal_by(&self) -> Option<Color> {
        self.illegal.as_ref().map(|(by, _)| *by)
    }

    /// Fails if no move may follow: behind an end of the game, and behind an illegal move, which is
    /// then the reason.
    pub(super) fn before_move(&self, place: RecordPlace) -> Result<(), Rejection> {
        match &self.illegal {
            _ if self.ended.is_some() => Err(Rejection(place, behind_end("a move"))),
            Some((_, bad)) => Err(bad.clone()),
            None => Ok(()),
        }
    }

    /// Plays a move if it is legal, with the score that a comment before it gave its position. An
    /// illegal move is kept as a reason to reject the game, unless an end follows that says that
    /// its side lost by it. `m` is `None` where no move can be made of the text `written`. Moves of
    /// a problem are not played.
    pub(super) fn play(&mut self, m: Option<Move>, written: &str, place: RecordPlace) {
        let Part::Moves(replay) = &mut self.part else {
            return;
        };
        if let Some(m) = m.filter(|m| replay.position().is_legal(*m)) {
            let is_second = replay.position().turn() == Color::Gote;
            let score = self.next_score.take();
            let sign = |is_movers: bool| if is_movers && is_second { -1 } else { 1 };
            let score = score.map(|(score, is_movers)| score * sign(is_movers));
            self.scored = false;
            replay.play(m, score, place);
        } else {
            let (by, fault) = (replay.position().turn(), replay.illegal(written));
            self.illegal = Some((by, Rejection(place, fault)));
        }
    }

    /// Notes the scores of a comment, which is given without its mark. A score is of the position
    /// before the last move or of the one before the next move; of several of one position the
    /// first counts. A score that cannot be read is counted. Comments behind the end of a game,
    /// behind an illegal move and in problems are passed over.
    pub(super) fn comment(&mut self, comment: &str, place: RecordPlace) {
        if self.illegal.is_some() || self.ended.is_some() || matches!(self.part, Part::Problem) {
            return;
        }
        for line in comment.lines() {
            let replay = self.replay();
            let played = replay.filter(|replay| !replay.moves().is_empty());
            let mover = played.map(|replay| replay.position().turn().other());
            match score(line, mover, self.stated) {
                Err(Unread) => self.unread(place, || {
                    let (line, cure) = (Fault::quote(line), score::CURE);
                    format!(
                        "comments look as if they had scores that are not read, such as {line}; \
                         {cure}"
                    )
                }),
                Ok(Some(found)) if found.is_of_next => {
                    self.next_score
                        .get_or_insert((found.value, found.is_movers));
                }
                Ok(Some(found)) => {
                    let turned = found.is_movers && mover == Some(Color::Gote);
                    if let Part::Moves(replay) = &mut self.part
                        && let Some(ply) = replay.plies.last_mut()
                        && !std::mem::replace(&mut self.scored, true)
                    {
                        ply.score = Some(if turned { -found.value } else { found.value });
                    }
                }
                Ok(None) => {}
            }
        }
    }

    /// Counts a score that is not read; `words` are what a message says of the first such score,
    /// behind the count of all.
    pub(super) fn unread(&mut self, place: RecordPlace, words: impl FnOnce() -> String) {
        let first = || (0, place, words().into());
        self.unread.get_or_insert_with(first).0 += 1;
    }

    /// Sets how the game ended. It is rejected if another end was there that is not equal, or if a
    /// move was illegal and this end does not say that its side lost by a forfeit.
    pub(super) fn end(&mut self, ended: GameEnd, place: RecordPlace) -> Result<(), Rejection> {
        if self.ended.is_some_and(|other| other != ended) {
            return Err(second_end(place));
        }
        match &self.illegal {
            Some((by, bad)) if ended != GameEnd::forfeited(by.other()) => Err(bad.clone()),
            _ => {
                self.ended = Some(ended);
                Ok(())
            }
        }
    }
}

/// The moves of a game that have been read.
#[derive(Debug)]
pub(super) struct Replay {
    game: Game<'static, Sfen>,
    plies: Vec<RecordedPly<Move>>,
}

impl Replay {
    /// Makes a game that begins at `start`, without moves so far.
    pub(super) fn new(start: &Position) -> Self {
        Self {
            game: Game::new(&Sfen, *start),
            plies: Vec::new(),
        }
    }

    /// Returns the position after the moves.
    pub(super) fn position(&self) -> &Position {
        self.game.position()
    }

    /// Returns the moves so far.
    pub(super) fn moves(&self) -> &[Move] {
        self.game.moves()
    }

    /// Plays a legal move; `score` is the first player's, of the position before it.
    pub(super) fn play(&mut self, played: Move, score: Option<i32>, place: RecordPlace) {
        self.game.play(played);
        self.plies.push(RecordedPly {
            played,
            score,
            book: None,
            place,
        });
    }

    /// Emits the positions in which a move was played, then the end of the game, and how many
    /// scores were not read; of a game without result that it is unfinished, and nothing else.
    fn emit(
        &self,
        ended: GameEnd,
        key: GameKey,
        unread: UnreadScores,
        to: &mut dyn FnMut(RecordEvent<Position>),
    ) {
        let Some((outcome, forfeit)) = self.result(ended) else {
            return to(RecordEvent::Unfinished);
        };
        let start = *self.game.start();
        let game = RecordedGame {
            start,
            plies_before: start.move_number().saturating_sub(1),
            outcome,
            forfeit: Some(forfeit),
            key,
            tags: None,
        };
        game.tell(&Sfen, self.plies.iter().copied(), to);
        if let Some((count, place, words)) = unread {
            to(RecordEvent::Unread(place, count, words));
        }
    }

    /// Returns the result and whether it is a forfeit; `None` of a game without result. A
    /// repetition is lost by a side that gave perpetual check, else drawn. Where no end is stated,
    /// a side that is mated has lost; if it is not, there is no result.
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

    /// Makes the fault of a move, `written` so in the record, that is not legal in the present
    /// position.
    pub(super) fn illegal(&self, written: &str) -> Fault {
        let (quoted, position) = (Fault::quote(written), self.position());
        let found = format!("{quoted}, which is not legal in {position}");
        fault(found, "a legal move")
    }
}
