//! One game: tags, moves, result.

use std::sync::Arc;

use shakmaty::san::San;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color, Move, Position, Role, Square};
use tuner_data::in_games::{fault, unexpected};
use tuner_data::{
    Fault, GameKey, MATE, Outcome, PositionNotation as _, RecordEvent, RecordPlace, RecordedGame,
    RecordedPly, StatedScores,
};

use super::book::{BookMark, book_mark};
use super::cut;
use super::end::GameEnd;
use super::score::{Spelling, has_commas, looks_scored, score};
use super::tags::{self, Tags};
use super::tokens::{Token, Tokens};
use crate::Fen;
use crate::moves::plies_before;

/// Reads games one after the other, and reuses its memory.
#[derive(Debug, Default)]
pub(super) struct Reader {
    /// The moves. The position before each is played again when it is emitted, which is
    /// faster than storing it.
    plies: Vec<RecordedPly<Move>>,
    /// The score that a comment gave the next position, and whether it is [`Spelling::Whole`].
    next_score: Option<(i32, bool)>,
    /// Whether a comment behind the last move had the score of the engine that chose it.
    scored: bool,
    /// Whether a comment tells where the book ends.
    book_marked: bool,
    /// The places in `plies` of moves whose score is a whole number, of pawns or of centipawns.
    whole: Vec<usize>,
    /// Whether another score of the game has a point, so that whole numbers are pawns.
    pointed: bool,
    /// Whether evaluations of the game have a comma in the place of the point; `None` until it is
    /// asked.
    commas: Option<bool>,
    /// How many comments look as if they had a score that is not read, and the first of them.
    unread: Option<(u64, RecordPlace, Box<str>)>,
    stated: StatedScores,
}

/// The end of the moves of a game.
struct Played<'a> {
    /// The byte at which a result is behind the moves, and the result; `None` where there is none.
    ended: Option<(usize, GameEnd)>,
    /// The position behind the last move.
    last: Chess,
    /// The last comment, if no move follows.
    said: &'a [u8],
}

/// Why a game is rejected, and at which of its bytes.
pub(super) struct Rejection {
    pub(super) at: usize,
    pub(super) fault: Fault,
}

impl Reader {
    /// Makes a reader; `stated` is what the user says of the view and the unit of scores.
    pub(super) fn new(stated: StatedScores) -> Self {
        Self {
            stated,
            ..Self::default()
        }
    }

    /// Reads a game that begins in line `first_line`, counted from 0, and tells its positions, or
    /// that it is unfinished, bad, or only text.
    pub(super) fn read(
        &mut self,
        game: &[u8],
        first_line: u64,
        to: &mut dyn FnMut(RecordEvent<Chess>),
    ) {
        if game.trim_ascii().is_empty() {
            return;
        }
        if is_text(game) {
            return to(RecordEvent::Text);
        }
        self.plies.clear();
        self.whole.clear();
        self.next_score = None;
        (self.book_marked, self.pointed, self.commas) = (false, false, None);
        self.unread = None;
        match self.game(game, first_line) {
            Err(Rejection { at, fault }) => {
                to(RecordEvent::Rejected(place(game, at, first_line), fault));
            }
            Ok((_, GameEnd::Unfinished)) => to(RecordEvent::Unfinished),
            Ok((mut tags, GameEnd::Result(outcome))) => {
                let start = tags.start();
                let recorded = RecordedGame {
                    plies_before: plies_before(&start),
                    start,
                    outcome: outcome.into(),
                    forfeit: tags.forfeit,
                    key: GameKey::of_bytes(game.trim_ascii()),
                    tags: tags.of_game().map(Arc::new),
                };
                // Whether a move is from a book is known only if a comment of the game speaks of a
                // book.
                let plies = self.plies.iter().map(|ply| RecordedPly {
                    book: ply.book.filter(|_| self.book_marked),
                    ..*ply
                });
                recorded.tell(&Fen, plies, to);
                if let Some((count, place, first)) = self.unread.take() {
                    to(RecordEvent::Unread(place, count, first));
                }
            }
        }
    }

    /// Reads tags and moves, and how the game ended: as the tag says and the text behind the moves,
    /// which must agree with each other and with the last position. Moves of a game without result
    /// are not read. A forfeit that only the last comment tells is added to the tags, and scores
    /// whose unit the whole game decides are converted.
    fn game(&mut self, game: &[u8], first_line: u64) -> Result<(Tags, GameEnd), Rejection> {
        let (mut tags, at) = tags::read(game)?;
        if tags.result == Some(GameEnd::Unfinished) {
            let text = game.trim_ascii_end();
            if cut::ends_with_result(text) && !text.ends_with(b"*") {
                let found = "a result at the end of the moves";
                let expected = "*, as the tag Result says";
                return Err(rejected(text.len(), found, expected));
            }
            return Ok((tags, GameEnd::Unfinished));
        }
        let stated = tags.result;
        // `ended`: the byte at which a result is behind the moves, and the result. `last`: the
        // position behind the last move. `said`: the last comment, if no move follows.
        let Played { ended, last, said } = self.moves(game, at, first_line, &tags)?;
        if tags::is_forfeit_in_words(said) {
            tags.forfeit = Some(true);
        }
        // Only now is it known whether scores that are whole numbers are pawns or centipawns.
        self.settle_whole();
        let outcome = match (stated, ended) {
            (Some(stated), Some((at, ended))) if stated != ended => {
                let ended = match ended {
                    GameEnd::Result(outcome) => outcome.to_string(),
                    GameEnd::Unfinished => "*".to_owned(),
                };
                let found = format!("{ended} at the end of the moves");
                let expected = match stated {
                    GameEnd::Result(Outcome::Win) => "1-0, as the tag Result says",
                    GameEnd::Result(Outcome::Loss) => "0-1, as the tag Result says",
                    _ => "1/2-1/2, as the tag Result says",
                };
                return Err(rejected(at, found, expected));
            }
            (Some(outcome), _) | (None, Some((_, outcome))) => outcome,
            (None, None) => {
                let at = game.trim_ascii_end().len();
                let expected = "a tag Result, or a result behind the moves";
                return Err(rejected(at, "no result", expected));
            }
        };
        if let (GameEnd::Result(found), Some((outcome, expected))) = (outcome, on_the_board(&last))
            && found != outcome
        {
            let at = ended.map_or(game.trim_ascii_end().len(), |(at, _)| at);
            return Err(rejected(at, format!("the result {found}"), expected));
        }
        Ok((tags, outcome))
    }

    /// Reads the moves of a game, which begin at the byte `at`, and plays them from the position of
    /// the tags; keeps them in `plies`, with scores of comments. Returns the result behind them and
    /// where it is, the last position, and the last comment, if no move follows it.
    fn moves<'a>(
        &mut self,
        game: &'a [u8],
        at: usize,
        first_line: u64,
        tags: &Tags,
    ) -> Result<Played<'a>, Rejection> {
        let mut position = tags.start();
        let line = place(game, at, first_line).line;
        let mut tokens = Tokens::new(game, at, line);
        let mut ended = None;
        let mut said: &[u8] = b"";
        while let Some(token) = tokens.next() {
            let (at, token) =
                token.map_err(|(found, expected)| rejection(game, found, expected))?;
            match token {
                Token::Move(_) if ended.is_some() => {
                    let expected = "nothing but comments behind the result";
                    return Err(rejected(at, "a move", expected));
                }
                Token::Move(san) => {
                    let place = tokens.place(at);
                    said = b"";
                    self.play(&mut position, san, place)
                        .map_err(|fault| Rejection { at, fault })?;
                }
                Token::Comment(comment) => {
                    said = comment;
                    self.comment(comment, position.turn(), game, first_line);
                }
                Token::Result(text) => {
                    // The text of such a token is always a result, so that the other is not needed.
                    let found = GameEnd::parse(text).unwrap_or(GameEnd::Unfinished);
                    if ended.is_some_and(|(_, other)| other != found) {
                        return Err(rejected(at, "a second result", "one result"));
                    }
                    ended = Some((at, found));
                }
            }
        }
        Ok(Played {
            ended,
            last: position,
            said,
        })
    }

    /// Plays a move and keeps it in `plies`, at `place` in the input; a fault if it is not legal.
    /// If a comment before it gave the position a score (`next_score`), the move is kept with that
    /// score, which a score in a comment behind the move will replace.
    fn play(&mut self, position: &mut Chess, san: San, place: RecordPlace) -> Result<(), Fault> {
        let played = san.to_move(position).ok();
        let Some(m) = played.or_else(|| from_uci(san, position)) else {
            let found = format!("{san}, which is not legal in {}", Fen.describe(position));
            let expected = "a legal move in algebraic notation, such as Nf3";
            return Err(fault(found, expected));
        };
        // No comment behind this move has had a score yet.
        self.scored = false;
        let score = self.next_score.take();
        // Scores that are whole numbers are noted in `whole`, as they may turn out to be in pawns.
        if score.is_some_and(|(_, whole)| whole) {
            self.whole.push(self.plies.len());
        }
        // Not from a book, as long as no comment says that it is.
        self.plies.push(RecordedPly {
            played: m,
            score: score.map(|(score, _)| score),
            book: Some(false),
            place,
        });
        position.play_unchecked(m);
        Ok(())
    }

    /// Notes what a comment says of the opening book, and its score, if it has one: for the move
    /// before it, or for the next position. `turn` is who moves next. Of several scores behind a
    /// move the first counts, which is that of the engine that chose it; it replaces one that a
    /// comment before the move gave. A comment that only looks as if it had a score is counted in
    /// `unread`, with the place of the first such.
    fn comment(&mut self, comment: &[u8], turn: Color, game: &[u8], first_line: u64) {
        match book_mark(comment) {
            Some(BookMark::Move) => {
                self.book_marked = true;
                if let Some(ply) = self.plies.last_mut() {
                    ply.book = Some(true);
                }
            }
            Some(BookMark::End) => {
                self.book_marked = true;
                // The book ends here: all moves so far are from it.
                (self.plies.iter_mut()).for_each(|ply| ply.book = Some(true));
            }
            None => {}
        }
        let (stated, commas) = (self.stated, &mut self.commas);
        // The whole game is searched for commas in the place of points, at most once.
        let with_comma = || *commas.get_or_insert_with(|| has_commas(game));
        let Some(found) = score(comment, turn, stated, with_comma) else {
            if looks_scored(comment) {
                let first = || {
                    let at = comment.as_ptr().addr() - game.as_ptr().addr();
                    let words = format!(
                        "comments look as if they had scores that are not read, such as {}; write \
                         them as `+0.30/12`, `[%eval 0.30]` or `wv=0.30`, or, where it is whole \
                         numbers, give --score-unit",
                        Fault::quote(&String::from_utf8_lossy(comment))
                    );
                    (0, place(game, at, first_line), words.into())
                };
                self.unread.get_or_insert_with(first).0 += 1;
            }
            return;
        };
        // One score with a point tells that those of the game without one are in pawns, too.
        self.pointed |= found.spelling == Spelling::Pointed;
        if found.is_of_next {
            let whole = found.spelling == Spelling::Whole;
            self.next_score.get_or_insert((found.value, whole));
        } else if let Some(ply) = self.plies.last_mut()
            && !std::mem::replace(&mut self.scored, true)
        {
            ply.score = Some(found.value);
            // `whole` notes the moves whose scores may have to be converted: this move no more, as
            // the unit of its new score is certain.
            self.whole.pop_if(|last| *last + 1 == self.plies.len());
        }
    }

    /// Turns the scores of the game that were written as whole numbers (`whole`), and read as
    /// centipawns, from pawns into centipawns, if other scores of it have a point: a game has all
    /// in one unit, and those with a point are in pawns. Else they stay.
    fn settle_whole(&mut self) {
        for &at in self.whole.iter().filter(|_| self.pointed) {
            if let Some(score) = &mut self.plies[at].score {
                *score = score.saturating_mul(100).clamp(-MATE, MATE);
            }
        }
    }
}

/// Returns the move of a text such as `g1f3`, which the reader of SAN takes for that of a pawn that
/// says both file and rank of its origin; `None` of SAN that does not, or if the move is not legal.
fn from_uci(san: San, position: &Chess) -> Option<Move> {
    let San::Normal {
        role: Role::Pawn,
        file: Some(file),
        rank: Some(rank),
        to,
        promotion,
        ..
    } = san
    else {
        return None;
    };
    let from = Square::from_coords(file, rank);
    let uci = UciMove::Normal {
        from,
        to,
        promotion,
    };
    uci.to_move(position).ok()
}

/// Tells whether a text is not a game: no line has a tag, a numbered move, or a result at its end.
/// Lines that begin with `%` or `;`, an escape or a comment, may have anything.
fn is_text(text: &[u8]) -> bool {
    let remark = |line: &[u8]| line.is_empty() || matches!(line[0], b'%' | b';');
    let mut lines = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    lines.all(|line| {
        let mut words = line.split(u8::is_ascii_whitespace);
        let is_numbered = |word: &[u8]| {
            let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
            digits > 0 && word.get(digits) == Some(&b'.')
        };
        let plays = line.starts_with(b"[") || cut::ends_with_result(line) || words.any(is_numbered);
        remark(line) || !plays
    })
}

/// Returns the result that the last position of a game has by itself, checkmate or stalemate, and
/// what the record should have, in words; `None` of a position that may be played on. Draws by lack
/// of material are left out: a player who runs out of time in them may still be given a loss.
fn on_the_board(last: &Chess) -> Option<(Outcome, &'static str)> {
    if last.is_checkmate() {
        Some(match last.turn() {
            Color::White => (Outcome::Loss, "0-1, as the moves end in checkmate by Black"),
            Color::Black => (Outcome::Win, "1-0, as the moves end in checkmate by White"),
        })
    } else if last.is_stalemate() {
        Some((Outcome::Draw, "1/2-1/2, as the moves end in stalemate"))
    } else {
        None
    }
}

/// Returns line and column of the byte `at`. The line counts from 0, and `bytes` begin in line
/// `first_line`; the column counts from 1 and is in bytes, as the encoding is not known.
fn place(bytes: &[u8], at: usize, first_line: u64) -> RecordPlace {
    let before = &bytes[..at.min(bytes.len())];
    let line = memchr::memchr_iter(b'\n', before).count() as u64;
    let start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
    RecordPlace::new(first_line + line, (before.len() - start) as u64 + 1)
}

/// Makes the rejection of a game at its byte `at`, with what was found there and what was expected.
fn rejected(at: usize, found: impl Into<String>, expected: &'static str) -> Rejection {
    let fault = fault(found, expected);
    Rejection { at, fault }
}

/// Makes the rejection of a game at the bytes `found`, a slice of `game`, which are quoted up to
/// 200 of them.
fn rejection(game: &[u8], found: &[u8], expected: &'static str) -> Rejection {
    Rejection {
        at: found.as_ptr().addr() - game.as_ptr().addr(),
        fault: unexpected(&found[..found.len().min(200)], expected),
    }
}
