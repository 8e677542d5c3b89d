//! A game that is known when the program runs: its positions and moves have one type, whatever
//! the game is.
//!
//! What reads, filters and plays is generic over a game; with [`AnyGame`] it is compiled once
//! and not once for each.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use crate::rules::{Ending, Game, GameFile, PlayedGame, Rules, Seen};
use crate::{Fault, LabelledPosition, Outcome, PositionNotation, RecordEvent, Records};

/// A position of a game that is not known here.
pub struct AnyPosition(Box<dyn ErasedPosition>);

trait ErasedPosition: Any + Send + Sync + fmt::Debug {
    fn cloned(&self) -> Box<dyn ErasedPosition>;
    fn any(&self) -> &dyn Any;
    fn any_mut(&mut self) -> &mut dyn Any;
}

impl<P: Any + Clone + fmt::Debug + Send + Sync> ErasedPosition for P {
    fn cloned(&self) -> Box<dyn ErasedPosition> {
        Box::new(self.clone())
    }

    fn any(&self) -> &dyn Any {
        self
    }

    fn any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

impl AnyPosition {
    fn new<P: Any + Clone + fmt::Debug + Send + Sync>(position: P) -> Self {
        Self(Box::new(position))
    }

    /// The position as one of a game; that of another game is a mistake of the program.
    fn of<P: Any>(&self) -> &P {
        let position = (*self.0).any().downcast_ref();
        position.unwrap_or_else(|| unreachable!("a position of another game"))
    }

    fn of_mut<P: Any>(&mut self) -> &mut P {
        let position = (*self.0).any_mut().downcast_mut();
        position.unwrap_or_else(|| unreachable!("a position of another game"))
    }
}

impl Clone for AnyPosition {
    fn clone(&self) -> Self {
        Self((*self.0).cloned())
    }
}

impl fmt::Debug for AnyPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
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
    game: Arc<dyn ErasedGame>,
    records: Arc<[&'static Records<AnyPosition>]>,
    has_rules: bool,
}

trait ErasedGame: Send + Sync {
    fn name(&self) -> &'static str;
    fn parse(&self, text: &str) -> Result<AnyPosition, Fault>;
    fn with_clocks(&self, text: &str, idle: &str, number: &str) -> Option<String>;
    fn describe(&self, position: &AnyPosition) -> String;
    fn first_player_to_move(&self, position: &AnyPosition) -> bool;
    fn balance(&self, position: &AnyPosition) -> Option<i32>;
    fn material(&self, position: &AnyPosition) -> Option<i32>;
    fn pieces(&self, position: &AnyPosition) -> Option<u32>;
    fn initial(&self) -> AnyPosition;
    fn moves(&self, position: &AnyPosition) -> u32;
    fn play(&self, position: &mut AnyPosition, m: AnyMove);
    fn is_check(&self, position: &AnyPosition) -> bool;
    fn is_tactical(&self, position: &AnyPosition, m: AnyMove) -> bool;
    fn gain(&self, position: &AnyPosition, m: AnyMove) -> i32;
    fn key(&self, position: &AnyPosition) -> u64;
    fn idle_plies(&self, position: &AnyPosition) -> u32;
    fn ending(&self, position: &AnyPosition, before: &[Seen]) -> Option<Ending>;
    fn read_move(&self, position: &AnyPosition, text: &str) -> Option<AnyMove>;
    fn write_move(&self, position: &AnyPosition, m: AnyMove) -> String;
    fn read_record_move(&self, position: &AnyPosition, text: &str) -> Option<AnyMove>;
    fn write_record_move(&self, position: &AnyPosition, m: AnyMove) -> String;
    fn write_record(
        &self,
        start: &AnyPosition,
        moves: &[AnyMove],
        outcome: Outcome,
    ) -> Option<String>;
    fn write_file(
        &self,
        start: &AnyPosition,
        moves: &[AnyMove],
        played: &PlayedGame<'_, AnyGame>,
    ) -> Option<GameFile>;
}

impl AnyGame {
    /// Forgets which game it is.
    pub fn new<R: Rules + Send + Sync + 'static>(rules: R) -> Self {
        // Once a program for each of its games.
        let rules: &'static R = Box::leak(Box::new(rules));
        let records = rules.records().iter().map(|records| erased(records));
        Self {
            records: records.collect(),
            game: Arc::new(ErasedRules(rules)),
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

impl fmt::Debug for AnyGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AnyGame").field(&self.game.name()).finish()
    }
}

/// The same format, telling positions of any game.
fn erased<P: Any + Clone + fmt::Debug + Send + Sync>(
    records: &'static Records<P>,
) -> &'static Records<AnyPosition> {
    let parse = |bytes: &[u8], sink: crate::EventSink<'_, AnyPosition>| {
        (records.parse)(bytes, &mut |event| {
            sink(match event {
                RecordEvent::Position(place, labelled) => {
                    RecordEvent::Position(place, with_any(labelled))
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

fn with_any<P: Any + Clone + fmt::Debug + Send + Sync>(
    labelled: LabelledPosition<P>,
) -> LabelledPosition<AnyPosition> {
    let (position, labels) = labelled.apart();
    labels.with_position(AnyPosition::new(position))
}

struct ErasedRules<R: Rules + 'static>(&'static R);

impl<R: Rules + 'static> ErasedRules<R> {
    fn legal(&self, position: &AnyPosition, m: AnyMove) -> Option<R::Move> {
        let legal = self.0.legal_moves(position.of::<R::Position>());
        legal.get(m.0 as usize).copied()
    }

    fn number(&self, position: &R::Position, m: R::Move) -> Option<AnyMove> {
        let mut legal = self.0.legal_moves(position).into_iter();
        legal
            .position(|other| other == m)
            .map(|number| AnyMove(number as u32))
    }

    fn game(&self, start: &AnyPosition, moves: &[AnyMove]) -> Game<'static, R> {
        let mut game = Game::new(self.0, start.of::<R::Position>().clone());
        for m in moves {
            let legal = self.0.legal_moves(game.position());
            let Some(&m) = legal.get(m.0 as usize) else {
                break;
            };
            game.play(m);
        }
        game
    }
}

impl<R: Rules + Send + Sync + 'static> ErasedGame for ErasedRules<R> {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn parse(&self, text: &str) -> Result<AnyPosition, Fault> {
        self.0.parse(text).map(AnyPosition::new)
    }

    fn with_clocks(&self, text: &str, idle: &str, number: &str) -> Option<String> {
        self.0.with_clocks(text, idle, number)
    }

    fn describe(&self, position: &AnyPosition) -> String {
        self.0.describe(position.of())
    }

    fn first_player_to_move(&self, position: &AnyPosition) -> bool {
        self.0.first_player_to_move(position.of())
    }

    fn balance(&self, position: &AnyPosition) -> Option<i32> {
        self.0.balance(position.of())
    }

    fn material(&self, position: &AnyPosition) -> Option<i32> {
        self.0.material(position.of())
    }

    fn pieces(&self, position: &AnyPosition) -> Option<u32> {
        self.0.pieces(position.of())
    }

    fn initial(&self) -> AnyPosition {
        AnyPosition::new(self.0.initial())
    }

    fn moves(&self, position: &AnyPosition) -> u32 {
        self.0.legal_moves(position.of()).len() as u32
    }

    fn play(&self, position: &mut AnyPosition, m: AnyMove) {
        if let Some(m) = self.legal(position, m) {
            self.0.play(position.of_mut(), m);
        }
    }

    fn is_check(&self, position: &AnyPosition) -> bool {
        self.0.is_check(position.of())
    }

    fn is_tactical(&self, position: &AnyPosition, m: AnyMove) -> bool {
        let m = self.legal(position, m);
        m.is_some_and(|m| self.0.is_tactical(position.of(), m))
    }

    fn gain(&self, position: &AnyPosition, m: AnyMove) -> i32 {
        let m = self.legal(position, m);
        m.map_or(0, |m| self.0.gain(position.of(), m))
    }

    fn key(&self, position: &AnyPosition) -> u64 {
        self.0.key(position.of())
    }

    fn idle_plies(&self, position: &AnyPosition) -> u32 {
        self.0.idle_plies(position.of())
    }

    fn ending(&self, position: &AnyPosition, before: &[Seen]) -> Option<Ending> {
        self.0.ending(position.of(), before)
    }

    fn read_move(&self, position: &AnyPosition, text: &str) -> Option<AnyMove> {
        let position = position.of();
        self.number(position, self.0.read_move(position, text)?)
    }

    fn write_move(&self, position: &AnyPosition, m: AnyMove) -> String {
        let m = self.legal(position, m);
        m.map_or_else(String::new, |m| self.0.write_move(position.of(), m))
    }

    fn read_record_move(&self, position: &AnyPosition, text: &str) -> Option<AnyMove> {
        let position = position.of();
        self.number(position, self.0.read_record_move(position, text)?)
    }

    fn write_record_move(&self, position: &AnyPosition, m: AnyMove) -> String {
        let m = self.legal(position, m);
        m.map_or_else(String::new, |m| self.0.write_record_move(position.of(), m))
    }

    fn write_record(
        &self,
        start: &AnyPosition,
        moves: &[AnyMove],
        outcome: Outcome,
    ) -> Option<String> {
        self.0.write_record(&self.game(start, moves), outcome)
    }

    fn write_file(
        &self,
        start: &AnyPosition,
        moves: &[AnyMove],
        played: &PlayedGame<'_, AnyGame>,
    ) -> Option<GameFile> {
        self.0.write_file(&PlayedGame {
            game: &self.game(start, moves),
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

impl<N: PositionNotation> PositionNotation for Unruled<N> {
    type Position = N::Position;

    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn parse(&self, text: &str) -> Result<N::Position, Fault> {
        self.0.parse(text)
    }

    fn with_clocks(&self, text: &str, idle: &str, number: &str) -> Option<String> {
        self.0.with_clocks(text, idle, number)
    }

    fn describe(&self, position: &N::Position) -> String {
        self.0.describe(position)
    }

    fn first_player_to_move(&self, position: &N::Position) -> bool {
        self.0.first_player_to_move(position)
    }

    fn balance(&self, position: &N::Position) -> Option<i32> {
        self.0.balance(position)
    }

    fn material(&self, position: &N::Position) -> Option<i32> {
        self.0.material(position)
    }

    fn pieces(&self, position: &N::Position) -> Option<u32> {
        self.0.pieces(position)
    }

    fn records(&self) -> &[&Records<N::Position>] {
        self.0.records()
    }
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
    type Position = AnyPosition;

    fn name(&self) -> &'static str {
        self.game.name()
    }

    fn parse(&self, text: &str) -> Result<AnyPosition, Fault> {
        self.game.parse(text)
    }

    fn with_clocks(&self, text: &str, idle: &str, number: &str) -> Option<String> {
        self.game.with_clocks(text, idle, number)
    }

    fn describe(&self, position: &AnyPosition) -> String {
        self.game.describe(position)
    }

    fn first_player_to_move(&self, position: &AnyPosition) -> bool {
        self.game.first_player_to_move(position)
    }

    fn balance(&self, position: &AnyPosition) -> Option<i32> {
        self.game.balance(position)
    }

    fn material(&self, position: &AnyPosition) -> Option<i32> {
        self.game.material(position)
    }

    fn pieces(&self, position: &AnyPosition) -> Option<u32> {
        self.game.pieces(position)
    }

    fn records(&self) -> &[&Records<AnyPosition>] {
        &self.records
    }
}

impl Rules for AnyGame {
    type Move = AnyMove;

    fn initial(&self) -> AnyPosition {
        self.game.initial()
    }

    fn legal_moves(&self, position: &AnyPosition) -> Vec<AnyMove> {
        (0..self.game.moves(position)).map(AnyMove).collect()
    }

    fn play(&self, position: &mut AnyPosition, m: AnyMove) {
        self.game.play(position, m);
    }

    fn is_check(&self, position: &AnyPosition) -> bool {
        self.game.is_check(position)
    }

    fn is_tactical(&self, position: &AnyPosition, m: AnyMove) -> bool {
        self.game.is_tactical(position, m)
    }

    fn gain(&self, position: &AnyPosition, m: AnyMove) -> i32 {
        self.game.gain(position, m)
    }

    fn key(&self, position: &AnyPosition) -> u64 {
        self.game.key(position)
    }

    fn idle_plies(&self, position: &AnyPosition) -> u32 {
        self.game.idle_plies(position)
    }

    fn ending(&self, position: &AnyPosition, before: &[Seen]) -> Option<Ending> {
        self.game.ending(position, before)
    }

    fn read_move(&self, position: &AnyPosition, text: &str) -> Option<AnyMove> {
        self.game.read_move(position, text)
    }

    fn write_move(&self, position: &AnyPosition, m: AnyMove) -> String {
        self.game.write_move(position, m)
    }

    fn read_record_move(&self, position: &AnyPosition, text: &str) -> Option<AnyMove> {
        self.game.read_record_move(position, text)
    }

    fn write_record_move(&self, position: &AnyPosition, m: AnyMove) -> String {
        self.game.write_record_move(position, m)
    }

    fn write_record(&self, game: &Game<'_, Self>, outcome: Outcome) -> Option<String> {
        self.game.write_record(game.start(), game.moves(), outcome)
    }

    fn write_file(&self, played: &PlayedGame<'_, Self>) -> Option<GameFile> {
        let game = played.game;
        self.game.write_file(game.start(), game.moves(), played)
    }
}
