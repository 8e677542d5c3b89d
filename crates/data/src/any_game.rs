//! A game that is known when the program runs: its positions and moves have one type, whatever
//! the game is, so what reads, filters and plays is compiled once and not once for each.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use crate::rules::{Ending, GameFile, PlayedGame, Rules, Seen};
use crate::{
    Fault, FeatureCode, FeatureLanguage, Outcome, PositionNotation, RecordEvent, RecordWriter,
    Records,
};

/// A position of any game; [`of`](Self::of) gives it back as one of its own game.
#[derive(Clone, Debug)]
pub struct AnyPosition(Arc<dyn ErasedPosition>);

/// All that positions have in common, whatever their game.
trait ErasedPosition: Any + Send + Sync + fmt::Debug {}

impl<P: Any + Send + Sync + fmt::Debug> ErasedPosition for P {}

impl AnyPosition {
    /// Wraps a position of some game, so that its type does not say of which; [`of`](Self::of)
    /// gives it back.
    pub(crate) fn new<P: Any + Send + Sync + fmt::Debug>(position: P) -> Self {
        Self(Arc::new(position))
    }

    /// Returns the position as one of the game whose positions have the type `P`.
    ///
    /// # Panics
    /// If it is of another game.
    pub fn of<P: Any>(&self) -> &P {
        let position: &dyn Any = &*self.0;
        let position = position.downcast_ref();
        position.unwrap_or_else(|| unreachable!("a position of another game"))
    }
}

/// A move, by its number among the legal ones of its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnyMove(u32);

/// A game that is known when the program runs.
///
/// *Cost*: an allocation a position; moves are numbers among the legal ones, so playing one
/// finds all of them again. Games of many moves are played elsewhere.
pub type AnyGame = dyn Rules<Position = AnyPosition, Move = AnyMove>;

/// Wraps the rules of one game as those of any game, whose positions and moves do not tell the game
/// by their type. They are kept until the program ends, so call it once for each game.
pub fn any_game<R: Rules + 'static>(rules: R) -> &'static AnyGame {
    Box::leak(Box::new(Erased::<R, true>::new(rules)))
}

/// Wraps the notation of a game whose rules are not known, as a game in which nobody can move. It
/// is kept until the program ends.
pub fn any_notation<N>(notation: N) -> &'static AnyGame
where
    N: PositionNotation<Position: fmt::Debug> + 'static,
{
    Box::leak(Box::new(Erased::<N, false>::new(notation)))
}

/// Returns a game whose positions are texts, as an evaluator writes them, and whose rules are not
/// known. `name` is the column of tables that holds the positions; `read` says of a text whether it
/// is a position, and if so whether it is the first player's turn.
pub fn game_of_texts(
    name: &str,
    read: impl Fn(&str) -> Result<bool, Fault> + Send + Sync + 'static,
) -> &'static AnyGame {
    any_notation(Texts {
        name: String::leak(name.to_uppercase()),
        read,
    })
}

/// Wraps the format of one game so that it yields positions of any game; the wrapper is kept until
/// the program ends.
fn erased<P: Any + Send + Sync + fmt::Debug>(
    records: &'static Records<P>,
) -> &'static Records<AnyPosition> {
    let parse = |bytes: &[u8], stated, sink: crate::EventSink<'_, AnyPosition>| {
        (records.parse)(bytes, stated, &mut |event| {
            sink(match event {
                RecordEvent::Position(place, labelled) => {
                    RecordEvent::Position(place, labelled.with_position(AnyPosition::new))
                }
                RecordEvent::Unit => RecordEvent::Unit,
                RecordEvent::Unfinished => RecordEvent::Unfinished,
                RecordEvent::Text => RecordEvent::Text,
                RecordEvent::Unread(place, count, first) => {
                    RecordEvent::Unread(place, count, first)
                }
                RecordEvent::Rejected(place, fault) => RecordEvent::Rejected(place, fault),
            });
        });
    };
    let erased = tuner_base::cloned_fields! {
        Records { name, pattern, unit, takes_stated, recognises, cut, count } of records,
        parse: Box::leak(Box::new(parse)),
    };
    Box::leak(Box::new(erased))
}

/// The notation of a game, and its rules if they are `RULED`, for positions and moves of any.
struct Erased<R: 'static, const RULED: bool> {
    rules: &'static R,
    records: Vec<&'static Records<AnyPosition>>,
}

impl<R: PositionNotation<Position: fmt::Debug>, const RULED: bool> Erased<R, RULED> {
    /// Wraps rules, or a notation alone, and its formats of games and records; both are kept until
    /// the program ends.
    fn new(rules: R) -> Self {
        let rules: &'static R = Box::leak(Box::new(rules));
        let records = rules.records().iter().map(|records| erased(records));
        Self {
            rules,
            records: records.collect(),
        }
    }
}

impl<R: Rules> Erased<R, true> {
    /// Returns the legal move of the position whose number, counted from 0, `m` is; `None` if the
    /// position has fewer moves.
    fn legal(&self, position: &R::Position, m: AnyMove) -> Option<R::Move> {
        let legal = self.rules.legal_moves(position);
        legal.get(m.0 as usize).copied()
    }

    /// Returns the number of a move among the legal moves of the position, counted from 0; `None`
    /// if it is not legal.
    fn number(&self, position: &R::Position, m: R::Move) -> Option<AnyMove> {
        let mut legal = self.rules.legal_moves(position).into_iter();
        let number = legal.position(|other| other == m)?;
        Some(AnyMove(number as u32))
    }

    /// Turns the moves of a game that began with `start`, each a number among the legal moves of
    /// its position, into moves of the game's rules. The list ends before the first number that is
    /// too large to be a legal move.
    fn moves(&self, start: &R::Position, moves: &[AnyMove]) -> Vec<R::Move> {
        let mut position = start.clone();
        let played = moves.iter().map_while(|&m| {
            let m = self.legal(&position, m)?;
            self.rules.play(&mut position, m);
            Some(m)
        });
        played.collect()
    }
}

/// Functions that the rules answer of a position.
macro_rules! of_positions {
    ($($name:ident -> $answer:ty;)*) => {
        $(fn $name(&self, position: &AnyPosition) -> $answer {
            self.rules.$name(position.of())
        })*
    };
}

/// Functions that the rules answer of a move: `$none` where the position has no such move.
macro_rules! of_moves {
    ($($name:ident -> $answer:ty, $none:expr;)*) => {
        $(fn $name(&self, position: &AnyPosition, m: AnyMove) -> $answer {
            let position = position.of();
            let m = self.legal(position, m);
            m.map_or($none, |m| self.rules.$name(position, m))
        })*
    };
}

impl<R, const RULED: bool> PositionNotation for Erased<R, RULED>
where
    R: PositionNotation<Position: fmt::Debug>,
{
    type Position = AnyPosition;

    of_positions! {
        describe -> String;
        first_player_to_move -> bool;
        balance -> Option<i32>;
        material -> Option<i32>;
        pieces -> Option<u32>;
        feature_counts -> Vec<i16>;
    }

    fn name(&self) -> &'static str {
        self.rules.name()
    }

    fn first_letter(&self) -> Option<char> {
        self.rules.first_letter()
    }

    fn parse(&self, text: &str) -> Result<AnyPosition, Fault> {
        self.rules.parse(text).map(AnyPosition::new)
    }

    fn with_clocks(&self, text: &str, idle: &str, number: &str) -> Option<String> {
        self.rules.with_clocks(text, idle, number)
    }

    fn mirrored(&self, text: &str) -> Option<String> {
        self.rules.mirrored(text)
    }

    fn records(&self) -> &[&Records<AnyPosition>] {
        &self.records
    }

    fn record_writer(&self, format: &str) -> Option<RecordWriter> {
        self.rules.record_writer(format)
    }

    fn feature_words(&self) -> Vec<String> {
        self.rules.feature_words()
    }

    fn feature_code(&self, features: &[usize], language: FeatureLanguage) -> Option<FeatureCode> {
        self.rules.feature_code(features, language)
    }
}

impl<R: Rules> Rules for Erased<R, true> {
    type Move = AnyMove;

    of_positions! {
        is_check -> bool;
        key -> u64;
        idle_plies -> u32;
        variant -> Option<&'static str>;
    }

    of_moves! {
        is_tactical -> bool, false;
        gain -> i32, 0;
        write_move -> String, String::new();
        write_record_move -> String, String::new();
    }

    fn initial(&self) -> AnyPosition {
        AnyPosition::new(self.rules.initial())
    }

    /// A move of any game is its number among the legal moves of the position.
    fn legal_moves(&self, position: &AnyPosition) -> Vec<AnyMove> {
        let count = self.rules.legal_moves(position.of()).len();
        (0..count as u32).map(AnyMove).collect()
    }

    /// Puts the position after the move in the place of `position`; a number too large to be a
    /// legal move changes nothing.
    fn play(&self, position: &mut AnyPosition, m: AnyMove) {
        let mut after: R::Position = position.of::<R::Position>().clone();
        if let Some(m) = self.legal(&after, m) {
            self.rules.play(&mut after, m);
            *position = AnyPosition::new(after);
        }
    }

    fn ending(&self, position: &AnyPosition, before: &[Seen]) -> Option<Ending> {
        self.rules.ending(position.of(), before)
    }

    fn read_move(&self, position: &AnyPosition, text: &str) -> Option<AnyMove> {
        let position = position.of();
        self.number(position, self.rules.read_move(position, text)?)
    }

    fn read_record_move(&self, position: &AnyPosition, text: &str) -> Option<AnyMove> {
        let position = position.of();
        self.number(position, self.rules.read_record_move(position, text)?)
    }

    /// Writes a game as records of the wrapped game are written; moves are turned into those of its
    /// own type.
    fn write_record(
        &self,
        start: &AnyPosition,
        moves: &[AnyMove],
        outcome: Outcome,
    ) -> Option<String> {
        let start = start.of();
        self.rules
            .write_record(start, &self.moves(start, moves), outcome)
    }

    /// Writes a game as a file of the wrapped game's own format; moves are turned into those of its
    /// own type.
    fn write_file(&self, played: &PlayedGame<'_, AnyPosition, AnyMove>) -> Option<GameFile> {
        let start = played.start.of();
        self.rules.write_file(&PlayedGame {
            start,
            moves: &self.moves(start, played.moves),
            players: played.players,
            outcome: played.outcome,
            reason: played.reason,
        })
    }
}

/// A game without rules: nobody can move, and it has no end.
impl<N: PositionNotation<Position: fmt::Debug>> Rules for Erased<N, false> {
    type Move = AnyMove;

    fn has_rules(&self) -> bool {
        false
    }

    /// Not to be called: a notation without rules knows no initial position, as `has_rules` tells.
    fn initial(&self) -> AnyPosition {
        unreachable!("`has_rules` is asked before games of {}", self.name())
    }

    /// Returns no moves: a notation without rules has none.
    fn legal_moves(&self, _: &AnyPosition) -> Vec<AnyMove> {
        Vec::new()
    }

    fn play(&self, _: &mut AnyPosition, _: AnyMove) {}

    /// The fingerprint of the position's text, as there are no rules that could tell more.
    fn key(&self, position: &AnyPosition) -> u64 {
        tuner_base::Fingerprint::of_bytes(self.describe(position).as_bytes())
    }

    /// Returns `None`: without rules no game ends.
    fn ending(&self, _: &AnyPosition, _: &[Seen]) -> Option<Ending> {
        None
    }

    /// Not called, as there are no moves.
    fn write_move(&self, _: &AnyPosition, _: AnyMove) -> String {
        String::new()
    }
}

/// A notation whose positions are texts. `read` says whether a text is one, and if so whether it is
/// the first player's turn there.
struct Texts<F> {
    name: &'static str,
    read: F,
}

/// A position that is a text.
#[derive(Debug)]
struct Text {
    text: Box<str>,
    first_player_to_move: bool,
}

impl<F: Fn(&str) -> Result<bool, Fault> + Sync> PositionNotation for Texts<F> {
    type Position = Text;

    fn name(&self) -> &'static str {
        self.name
    }

    /// Keeps the text, with the answer of `read`: whether it is the first player's turn there, or
    /// the fault of a text that is not a position.
    fn parse(&self, text: &str) -> Result<Text, Fault> {
        let first_player_to_move = (self.read)(text)?;
        Ok(Text {
            text: text.into(),
            first_player_to_move,
        })
    }

    fn describe(&self, position: &Text) -> String {
        position.text.to_string()
    }

    fn first_player_to_move(&self, position: &Text) -> bool {
        position.first_player_to_move
    }
}
