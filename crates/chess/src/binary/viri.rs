//! viriformat: games of viridithas, a position and its moves with scores.
//!
//! *Layout* (little endian): 32 bytes of the first position (8 of occupied
//! squares, 16 with a nibble a piece: pawn to king from 0, 6 a rook that may
//! castle, 8 added for Black; a byte with the en passant square, 64 if none,
//! and 128 if Black moves; half-move clock; 2 bytes of move number, 2 of score;
//! result 0, 1, 2 for White; a byte that is ignored), then 4 bytes a move: from,
//! to, promotion, kind (castling is king takes rook), and White's score of the
//! position before it; four zeros end the game.
//!
//! *Positions* are those in which a move was played. Plies are counted from the
//! move number; where games that begin after a random opening all begin with
//! move number 0 or 1, plies count from that opening, and `--opening-plies`
//! leaves out moves of the engine. *Rejects* games whose first position is not
//! legal, games with illegal moves, and other results.
//! *Source*: crate viriformat 3.0.

use shakmaty::{Chess, Move, Position, Square};
use tuner_data::in_bytes::{fault, truncated};
use tuner_data::{
    Around, Fault, GameKey, LabelledPosition, MATE, Outcome, RecordEvent, RecordPlace, RecordUnit,
    Records,
};

use super::board::{Packed, ROLES, labelled_board, normal};
use crate::moves::is_tactical;

const HEADER: usize = Packed::SIZE;
const STEP: usize = 4;

/// viriformat; the [module](self) says what is accepted.
pub(crate) const VIRI: Records<Chess> = Records {
    name: "viriformat",
    pattern: "32 bytes a game and 4 a move",
    unit: RecordUnit::Games,
    recognises,
    cut,
    count: |bytes| games(bytes).count() as u64,
    parse: &parse,
};

fn recognises(first: &[u8], _: bool) -> bool {
    let Some((game, true)) = games(first).next() else {
        return false;
    };
    read(game).is_ok_and(|(plies, _)| !plies.is_empty())
}

fn cut(bytes: &[u8]) -> Option<usize> {
    let whole = games(bytes).filter(|(_, whole)| *whole);
    let end = whole.map(|(game, _)| game.len()).sum();
    (end > 0).then_some(end)
}

fn parse(bytes: &[u8], to: &mut dyn FnMut(RecordEvent<Chess>)) {
    for (line, (game, whole)) in (0..).zip(games(bytes)) {
        if !whole {
            let fault = truncated(game.len(), "games that end with four zeros");
            to(RecordEvent::Rejected(RecordPlace::new(line, 1), fault));
            continue;
        }
        match read(game) {
            Ok((plies, outcome)) => emit(game, line, plies, outcome, to),
            Err((column, fault)) => {
                to(RecordEvent::Rejected(RecordPlace { line, column }, fault));
            }
        }
    }
}

/// Cuts games; the last may not be whole.
fn games(bytes: &[u8]) -> impl Iterator<Item = (&[u8], bool)> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let steps = rest.get(HEADER..).unwrap_or_default().as_chunks::<STEP>().0;
        let end = steps.iter().position(|step| *step == [0; STEP]);
        let Some(end) = end else {
            return Some((std::mem::take(&mut rest), false));
        };
        let (game, after) = rest.split_at(HEADER + (end + 1) * STEP);
        rest = after;
        Some((game, true))
    })
}

/// A position in which a move was played.
struct Ply {
    position: Chess,
    tactical: bool,
    score: i32,
}

/// Reads a game, or says at which half-move, counted from 1, it is wrong.
fn read(game: &[u8]) -> Result<(Vec<Ply>, Outcome), (u64, Fault)> {
    let Some((header, moves)) = game.split_first_chunk::<HEADER>() else {
        return Err((1, truncated(game.len(), "32 bytes of a position")));
    };
    let (mut position, outcome) = labelled_board(header).map_err(|fault| (1, fault))?;
    let steps = moves.as_chunks::<STEP>().0;
    let mut plies = Vec::with_capacity(steps.len());
    for (number, &[a, b, c, d]) in (1..).zip(steps.iter().take(steps.len().saturating_sub(1))) {
        let bits = u16::from_le_bytes([a, b]);
        let Some(m) = decode_move(bits, &position) else {
            let fen = shakmaty::fen::Fen::from_position(&position, shakmaty::EnPassantMode::Legal);
            let found = format!("the move {bits:#06x} in {fen}");
            return Err((number, fault(found, "a legal move")));
        };
        plies.push(Ply {
            position: position.clone(),
            tactical: is_tactical(m),
            score: i32::from(i16::from_le_bytes([c, d])),
        });
        position.play_unchecked(m);
    }
    Ok((plies, outcome))
}

/// Decodes a legal move.
fn decode_move(bits: u16, position: &Chess) -> Option<Move> {
    let square = |shift: u16| Square::try_from(((bits >> shift) & 63) as u8).ok();
    let (from, to) = (square(0)?, square(6)?);
    let promotion = ROLES.get(usize::from((bits >> 12) & 3) + 1).copied();
    let m = match bits >> 14 {
        0b10 => Move::Castle {
            king: from,
            rook: to,
        },
        0b01 => Move::EnPassant { from, to },
        kind => normal(position, from, to, promotion.filter(|_| kind == 0b11))?,
    };
    position.is_legal(m).then_some(m)
}

/// Emits the positions of a game, and that it is complete.
fn emit(
    game: &[u8],
    line: u64,
    plies: Vec<Ply>,
    outcome: Outcome,
    to: &mut dyn FnMut(RecordEvent<Chess>),
) {
    let key = GameKey::of_bytes(game);
    let count = plies.len() as u32;
    let mut last_tactical = None;
    for (number, ply) in (0..).zip(plies) {
        let moves = ply.position.fullmoves().get() - 1;
        let around = Around {
            last_tactical,
            next_tactical: Some(ply.tactical),
            plies_left: Some(count - number),
            forfeit: Some(false),
            book: None,
        };
        last_tactical = Some(ply.tactical);
        let black = u32::from(ply.position.turn().is_black());
        let labelled = LabelledPosition {
            outcome: outcome.into(),
            search_score: (ply.score.abs() <= MATE).then_some(ply.score),
            game: Some(key),
            ply: Some(moves * 2 + black),
            around,
            tags: None,
            position: ply.position,
        };
        let column = u64::from(number) + 1;
        to(RecordEvent::Position(
            RecordPlace::new(line, column),
            labelled,
        ));
    }
    to(RecordEvent::Unit);
}
