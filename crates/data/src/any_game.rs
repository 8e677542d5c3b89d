//! A game that is known when the program runs: its positions and moves have one type, whatever
//! the game is.
//!
//! Code that reads, filters and plays is generic over a game; with [`AnyGame`] it is compiled once
//! and not once for each.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use crate::rules::{Ending, GameFile, PlayedGame, Rules, Seen};
use crate::{Fault, Outcome, PositionNotation, RecordEvent, Records};

/// A position of a game that is not known here.
#[derive(Clone, Debug)]
pub struct AnyPosition(Arc<dyn ErasedPosition>);

trait ErasedPosition: Any + Send + Sync + fmt::Debug {}

impl<P: Any + Send + Sync + fmt::Debug> ErasedPosition for P {}

impl AnyPosition {
    fn new<P: Any + Send + Sync + fmt::Debug>(position: P) -> Self {
        Self(Arc::new(position))
    }

    /// The position as one of a game; that of another game is a mistake of the program.
    fn of<P: Any>(&self) -> &P {
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
#[derive(Clone)]
pub struct AnyGame {
    game: Arc<dyn Rules<Position = AnyPosition, Move = AnyMove> + Send>,
    has_rules: bool,
}

tuner_base::impl_fmt! { Debug for AnyGame, |self, f| write!(f, "AnyGame({:?})", self.game.name()) }

impl AnyGame {
    /// Forgets which game it is.
    pub fn new<R: Rules + Send + 'static>(rules: R) -> Self {
        // Once a program for each of its games.
        let rules: &'static R = Box::leak(Box::new(rules));
        let records = rules.records().iter().map(|records| erased(records));
        Self {
            game: Arc::new(Erased {
                rules,
                records: records.collect(),
            }),
            has_rules: true,
        }
    }

    /// Forgets which notation it is of a game whose rules nobody has written down.
    pub fn of_notation<N>(notation: N) -> Self
    where
        N: PositionNotation<Position: Clone + fmt::Debug> + Send + 'static,
    {
        Self {
            has_rules: false,
            ..Self::new(Unruled(notation))
        }
    }

    /// A game whose positions are texts, as an evaluator writes them. `name` is the column
    /// of tables that holds them; `read` says of a text whether it is a position, and whether it
    /// is the first player's turn there.
    pub fn of_texts(
        name: &str,
        read: impl Fn(&str) -> Result<bool, Fault> + Send + Sync + 'static,
    ) -> Self {
        Self::of_notation(Texts {
            name: String::leak(name.to_uppercase()),
            read,
        })
    }

    /// Tells whether games can be played by it here. Where they cannot, positions have no
    /// moves.
    pub fn has_rules(&self) -> bool {
        self.has_rules
    }
}

/// Wraps the format of one game so that it yields positions of any game.
fn erased<P: Any + Send + Sync + fmt::Debug>(
    records: &'static Records<P>,
) -> &'static Records<AnyPosition> {
    let parse = |bytes: &[u8], sink: crate::EventSink<'_, AnyPosition>| {
        (records.parse)(bytes, &mut |event| {
            sink(match event {
                RecordEvent::Position(place, labelled) => {
                    RecordEvent::Position(place, labelled.with_position(AnyPosition::new))
                }
                RecordEvent::Unit => RecordEvent::Unit,
                RecordEvent::Unfinished => RecordEvent::Unfinished,
                RecordEvent::Rejected(place, fault) => RecordEvent::Rejected(place, fault),
            });
        });
    };
    Box::leak(Box::new(Records {
        name: records.name,
        pattern: records.pattern,
        unit: records.unit,
        recognises: records.recognises,
        cut: records.cut,
        count: records.count,
        parse: Box::leak(Box::new(parse)),
    }))
}

/// The rules of a game, for positions and moves of any.
struct Erased<R: 'static> {
    rules: &'static R,
    records: Vec<&'static Records<AnyPosition>>,
}

impl<R: Rules> Erased<R> {
    fn legal(&self, position: &R::Position, m: AnyMove) -> Option<R::Move> {
        let legal = self.rules.legal_moves(position);
        legal.get(m.0 as usize).copied()
    }

    fn number(&self, position: &R::Position, m: R::Move) -> Option<AnyMove> {
        let mut legal = self.rules.legal_moves(position).into_iter();
        let number = legal.position(|other| other == m)?;
        Some(AnyMove(number as u32))
    }

    /// The moves of a game as those of its rules.
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

/// Functions that a field answers.
macro_rules! answered_by {
    ($field:tt: $($name:ident($($argument:ident: $type:ty),*) $(-> $answer:ty)?;)*) => {
        $(fn $name(&self, $($argument: $type),*) $(-> $answer)? {
            self.$field.$name($($argument),*)
        })*
    };
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

impl<R: Rules> PositionNotation for Erased<R> {
    type Position = AnyPosition;

    answered_by! { rules:
        name() -> &'static str;
        with_clocks(text: &str, idle: &str, number: &str) -> Option<String>;
    }

    of_positions! {
        describe -> String;
        first_player_to_move -> bool;
        balance -> Option<i32>;
        material -> Option<i32>;
        pieces -> Option<u32>;
    }

    fn parse(&self, text: &str) -> Result<AnyPosition, Fault> {
        self.rules.parse(text).map(AnyPosition::new)
    }

    fn records(&self) -> &[&Records<AnyPosition>] {
        &self.records
    }
}

impl<R: Rules> Rules for Erased<R> {
    type Move = AnyMove;

    of_positions! {
        is_check -> bool;
        key -> u64;
        idle_plies -> u32;
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

    fn legal_moves(&self, position: &AnyPosition) -> Vec<AnyMove> {
        let count = self.rules.legal_moves(position.of()).len();
        (0..count as u32).map(AnyMove).collect()
    }

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

/// Positions that are texts.
struct Texts<F> {
    name: &'static str,
    read: F,
}

/// A position that is a text.
#[derive(Clone, Debug)]
struct Text {
    text: Box<str>,
    first_player_to_move: bool,
}

impl<F: Fn(&str) -> Result<bool, Fault> + Sync> PositionNotation for Texts<F> {
    type Position = Text;

    fn name(&self) -> &'static str {
        self.name
    }

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

/// A notation whose game has no rules here: nobody can move.
struct Unruled<N>(N);

/// The notation that a field is.
macro_rules! notation_of {
    ($field:tt, $position:ty) => {
        type Position = $position;

        answered_by! { $field:
            name() -> &'static str;
            parse(text: &str) -> Result<$position, Fault>;
            with_clocks(text: &str, idle: &str, number: &str) -> Option<String>;
            describe(position: &$position) -> String;
            first_player_to_move(position: &$position) -> bool;
            balance(position: &$position) -> Option<i32>;
            material(position: &$position) -> Option<i32>;
            pieces(position: &$position) -> Option<u32>;
            records() -> &[&Records<$position>];
        }
    };
}

impl<N: PositionNotation> PositionNotation for Unruled<N> {
    notation_of! { 0, N::Position }
}

impl<N: PositionNotation<Position: Clone + fmt::Debug>> Rules for Unruled<N> {
    type Move = ();

    fn initial(&self) -> N::Position {
        unreachable!("`has_rules` is asked before games of {}", self.0.name())
    }

    fn legal_moves(&self, _: &N::Position) -> Vec<()> {
        Vec::new()
    }

    fn play(&self, _: &mut N::Position, (): ()) {}

    fn key(&self, position: &N::Position) -> u64 {
        tuner_base::Fingerprint::of_bytes(self.0.describe(position).as_bytes())
    }

    fn ending(&self, _: &N::Position, _: &[Seen]) -> Option<Ending> {
        None
    }

    fn write_move(&self, _: &N::Position, (): ()) -> String {
        String::new()
    }
}

impl PositionNotation for AnyGame {
    notation_of! { game, AnyPosition }
}

impl Rules for AnyGame {
    type Move = AnyMove;

    answered_by! { game:
        initial() -> AnyPosition;
        legal_moves(position: &AnyPosition) -> Vec<AnyMove>;
        play(position: &mut AnyPosition, m: AnyMove);
        is_check(position: &AnyPosition) -> bool;
        is_tactical(position: &AnyPosition, m: AnyMove) -> bool;
        gain(position: &AnyPosition, m: AnyMove) -> i32;
        key(position: &AnyPosition) -> u64;
        idle_plies(position: &AnyPosition) -> u32;
        ending(position: &AnyPosition, before: &[Seen]) -> Option<Ending>;
        read_move(position: &AnyPosition, text: &str) -> Option<AnyMove>;
        write_move(position: &AnyPosition, m: AnyMove) -> String;
        read_record_move(position: &AnyPosition, text: &str) -> Option<AnyMove>;
        write_record_move(position: &AnyPosition, m: AnyMove) -> String;
        write_record(
            start: &AnyPosition,
            moves: &[AnyMove],
            outcome: Outcome
        ) -> Option<String>;
        write_file(played: &PlayedGame<'_, AnyPosition, AnyMove>) -> Option<GameFile>;
    }
}
