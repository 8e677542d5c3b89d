//! Games in JSON Kifu Format, as Kifu for JS writes it.
//!
//! *Accepts* one game a file: `initial` as a preset or as `data` with board,
//! hands and side to move, none for the usual start; `moves` with `to`, and
//! `from` unless a piece is dropped; moves as short as the format allows, with
//! or without `color`, `same`, `capture`, `relative`.
//!
//! *Positions* are those in which a move was played, of the main line. A game's
//! key is a fingerprint of its bytes.
//!
//! *Results* are those of `special`, by CSA's names without `%`: the same as in
//! CSA. Problems, in which sente has no king, count as games without result.
//!
//! *Rejects* text that is not JSON (with line and column), fields of other types,
//! moves that are not legal or name another piece or side than there is (with
//! the number of the move), moves after the end, other specials and presets.
//!
//! `ILLEGAL_ACTION` without a sign is a forfeit of who moved last.
//!
//! *Scores* come from `comments`, as [`score`](super::score) says.
//!
//! *Ignores* `header`, times, other comments, `forks` and all other fields.

use serde_json::Value;
use tuner_data::in_games::fault;
use tuner_data::{Fault, RecordEvent, RecordPlace, RecordUnit, Records, StatedScores, lines};

use super::csa::{ending, kind};
use super::game::{GameEnd, GameSoFar, Rejection, tell};
use crate::handicaps;
use crate::{Color, Move, Piece, PieceType, Position, Setup, Square};

/// Games in JSON; the [module](self) says what is accepted.
pub(crate) const JKF: Records<Position> = Records {
    name: "jkf",
    pattern: "{\"header\":{},\"moves\":[{}, …]}",
    unit: RecordUnit::Games,
    takes_stated: true,
    recognises,
    cut: |_| None,
    count: |bytes| u64::from(!bytes.trim_ascii().is_empty()),
    parse: &parse,
};

/// Tells whether an input is a JSON object that names a part of a game of JKF.
fn recognises(first: &[u8], _: bool) -> bool {
    let text = lines::without_bom(first).trim_ascii_start();
    let names: [&[u8]; 3] = [b"\"moves\"", b"\"header\"", b"\"initial\""];
    let has = |name: &&[u8]| text.windows(name.len()).any(|word| word == *name);
    text.starts_with(b"{") && names.iter().any(has)
}

/// Reads the one game of a file in JKF, and tells `to` of it; nothing if the file is empty.
/// `stated`: what options say of view and unit of scores.
fn parse(bytes: &[u8], stated: StatedScores, to: &mut dyn FnMut(RecordEvent<Position>)) {
    let text = lines::without_bom(bytes);
    if text.trim_ascii().is_empty() {
        return;
    }
    tell(game(text, stated), text, to);
}

/// Returns the place of element `number` of JKF's list of moves, which counts as line 0 and column
/// `number` + 1. Element 0 is what comes before the first move.
const fn place(number: usize) -> RecordPlace {
    RecordPlace::new(0, number as u64 + 1)
}

/// Reads a game of JKF: its start, then for each element of `moves` the move, the comments, and
/// `special`, a word that ends the game. Nothing behind the start of a problem is read.
fn game(text: &[u8], stated: StatedScores) -> Result<GameSoFar, Rejection> {
    let head = |fault| Rejection(place(0), fault);
    let json: Value = serde_json::from_slice(text).map_err(|error| {
        // The message of serde_json ends with line and column.
        head(fault(error.to_string(), "a game in JSON"))
    })?;
    let mut game = GameSoFar::stated(stated);
    game.begin(place(0), || {
        let setup = start(&json["initial"])?;
        super::game::start(&setup, "a legal start position")
    })?;
    if game.position().is_none() {
        return Ok(game);
    }
    let Value::Array(moves) = &json["moves"] else {
        return Err(head(wrong("moves", &json["moves"], "a list of moves")));
    };
    for (number, step) in moves.iter().enumerate() {
        let bad = |fault| Rejection(place(number), fault);
        // The game has a position, as it has begun and is not a problem.
        let position = game.position().unwrap_or_default();
        of_type(step, Value::is_object, "moves", "an object of a move").map_err(bad)?;
        if !step["move"].is_null() {
            game.before_move(place(number))?;
            let m = moved(&position, &step["move"]).map_err(bad)?;
            game.play(Some(m), &m.to_string(), place(number));
        }
        // Comments that are not text say nothing.
        for comment in step["comments"].as_array().into_iter().flatten() {
            game.comment(comment.as_str().unwrap_or_default(), place(number));
        }
        if !step["special"].is_null() {
            let us = game.position().unwrap_or_default().turn();
            let by = game.illegal_by();
            let word = step["special"].as_str();
            let found = word.and_then(|word| match word {
                // The word does not name a side, so it is the fault of the one that moved last.
                "ILLEGAL_ACTION" => Some(GameEnd::forfeited(by.map_or(us, Color::other))),
                word => ending(word.as_bytes(), us, by),
            });
            let expected = "an end such as TORYO or SENNICHITE";
            let found = found.ok_or_else(|| bad(wrong("special", &step["special"], expected)))?;
            game.end(found, place(number))?;
        }
    }
    Ok(game)
}

/// Reads a move of JKF, with `to` and `from`, and `promote` if it is true; or, for a drop, with
/// `to` and `piece`. If it has a `color`, that has to be the side to move, and if it has `from` and
/// `piece`, that has to be the piece which is there. A move that ends where it begins is refused;
/// whether it is legal otherwise is not looked at.
fn moved(position: &Position, step: &Value) -> Result<Move, Fault> {
    let to = square(&step["to"]).ok_or_else(|| wrong("to", &step["to"], "x and y from 1 to 9"))?;
    let named = match &step["piece"] {
        Value::Null => None,
        name => Some(piece(name)?),
    };
    if let Some(color) = color(&step["color"])?
        && color != position.turn()
    {
        let expected = "the color of the side to move";
        return Err(fault("a move of the other side", expected));
    }
    if step["from"].is_null() {
        let drop = named.and_then(|kind| Move::drop(kind, to));
        return drop.ok_or_else(|| wrong("piece", &step["piece"], "a piece to drop"));
    }
    let from = square(&step["from"]);
    let from = from.ok_or_else(|| wrong("from", &step["from"], "x and y from 1 to 9"))?;
    let there = position.piece_at(from).map(|piece| piece.kind);
    if from == to || named.is_some_and(|kind| Some(kind) != there) {
        return Err(wrong("piece", &step["piece"], "the piece that is there"));
    }
    match &step["promote"] {
        Value::Null | Value::Bool(false) => Ok(Move::new(from, to)),
        Value::Bool(true) => Ok(Move::promoting(from, to)),
        other => Err(wrong("promote", other, "true or false")),
    }
}

/// Reads the position that a game of JKF starts from, legal or not: the usual one if `initial` is
/// null, a handicap by its name (`preset`), or, if that is `OTHER` or missing, `data` with board,
/// hands and side to move. In `data` a square or a hand that is missing is empty, and without a
/// side sente is to move.
fn start(initial: &Value) -> Result<Setup, Fault> {
    let preset = match &initial["preset"] {
        Value::Null if initial.is_null() => "HIRATE",
        Value::Null => "OTHER",
        Value::String(preset) => preset.as_str(),
        other => return Err(wrong("preset", other, "a name such as HIRATE")),
    };
    if let Some(setup) = handicaps::by_preset(preset) {
        return Ok(setup);
    }
    let expected = "an object of board, hands and color";
    let data = of_type(&initial["data"], Value::is_object, "data", expected)?;
    if preset != "OTHER" || data.is_null() {
        let expected = "a name such as HIRATE, or data";
        return Err(wrong("preset", &initial["preset"], expected));
    }
    let mut setup = Setup::EMPTY;
    setup.turn = color(&data["color"])?.unwrap_or(Color::Sente);
    let board = of_type(&data["board"], Value::is_array, "board", "nine files")?;
    for square in Square::all() {
        // A list by files, each of them a list by ranks; `null` where there is no such element.
        let file = &board[usize::from(square.file()) - 1];
        let file = of_type(file, Value::is_array, "board", "nine squares of a file")?;
        let cell = &file[usize::from(square.rank()) - 1];
        let cell = of_type(cell, Value::is_object, "board", "color and kind")?;
        if !cell["kind"].is_null() {
            let kind = piece(&cell["kind"])?;
            let color = color(&cell["color"])?;
            let color = color.ok_or_else(|| wrong("color", &cell["color"], "0 or 1"))?;
            setup.board[square.index()] = Some(Piece { color, kind });
        }
    }
    let hands = of_type(&data["hands"], Value::is_array, "hands", "two hands")?;
    for color in Color::ALL {
        let hand = &hands[color.index()];
        let hand = of_type(hand, Value::is_object, "hands", "counts of pieces in hand")?;
        for (name, count) in hand.as_object().into_iter().flatten() {
            // The first seven kinds can be in hand.
            let kind = kind(name.as_bytes()).filter(|kind| kind.index() < 7);
            let count = count.as_u64().filter(|count| *count <= 18);
            let (Some(kind), Some(count)) = (kind, count) else {
                return Err(fault(Fault::quote(name), "counts of pieces in hand"));
            };
            (0..count).for_each(|_| setup.hands[color.index()].add(kind));
        }
    }
    Ok(setup)
}

/// Returns a value of JKF, the field `name` or a part of it, if it is null, as it is where it is
/// missing, or of the type that `is_of` tells; else the fault says what was `expected`.
fn of_type<'j>(
    value: &'j Value,
    is_of: impl Fn(&Value) -> bool,
    name: &str,
    expected: &'static str,
) -> Result<&'j Value, Fault> {
    if value.is_null() || is_of(value) {
        return Ok(value);
    }
    Err(wrong(name, value, expected))
}

/// Reads a square of JKF, an object with the file as `x` and the rank as `y`, both from 1; `None`
/// of other values.
fn square(value: &Value) -> Option<Square> {
    let digit = |value: &Value| value.as_u64().and_then(|digit| u8::try_from(digit).ok());
    Square::new(digit(&value["x"])?, digit(&value["y"])?)
}

/// Reads a side of JKF, sente as 0 and gote as 1; `None` where there is no value.
fn color(value: &Value) -> Result<Option<Color>, Fault> {
    match (value, value.as_u64()) {
        (Value::Null, _) => Ok(None),
        (_, Some(0)) => Ok(Some(Color::Sente)),
        (_, Some(1)) => Ok(Some(Color::Gote)),
        _ => Err(wrong("color", value, "0 or 1")),
    }
}

/// Reads a kind of piece by its two letters in CSA, such as `FU`.
fn piece(value: &Value) -> Result<PieceType, Fault> {
    let found = value.as_str().and_then(|name| kind(name.as_bytes()));
    found.ok_or_else(|| wrong("piece", value, "a piece such as FU"))
}

/// Makes the fault that the field `name` of JKF has a value other than is expected.
fn wrong(name: &str, value: &Value, expected: &'static str) -> Fault {
    let found = format!("{} as {name:?}", Fault::quote(&value.to_string()));
    fault(found, expected)
}

#[cfg(test)]
mod tests;
