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

use shakmaty::{Chess, Move, Position};
use tuner_data::in_bytes::{BEYOND_MATE, fault, score, truncated};
use tuner_data::{
    Fault, GameKey, PositionNotation as _, RecordEvent, RecordPlace, RecordUnit, RecordedGame,
    RecordedPly, Records, units,
};

use super::board::{Packed, PackedMoves, labelled_board, packed_move};
use crate::Fen;
use crate::moves::plies_before;

/// Where a move, two bytes, has its parts.
const MOVES: PackedMoves = PackedMoves {
    from: 0,
    to: 6,
    promotion: 12,
    kinds: [0b10, 0b01, 0b11],
};
/// Bytes of a game's first position, with its score and the result.
const HEADER: usize = Packed::SIZE;
/// Bytes of a move and its score.
const STEP: usize = 4;

/// viriformat; the [module](self) says what is accepted.
pub(crate) const VIRI: Records<Chess> = Records {
    name: "viriformat",
    pattern: "32 bytes a game and 4 a move",
    unit: RecordUnit::Games,
    takes_stated: false,
    recognises,
    cut: |bytes| units::cut(bytes, end),
    count: |bytes| units::count(bytes, end),
    parse: &|bytes, _, to| {
        let expected = "games that end with four zeros";
        units::parse(bytes, end, expected, to, |game, line, to| {
            match read(game, line) {
                Ok((game, plies)) => {
                    let beyond = plies.iter().filter(|ply| ply.score.is_none());
                    let beyond = beyond.count() as u64;
                    game.tell(&Fen, plies.into_iter(), to);
                    if beyond > 0 {
                        let place = RecordPlace::new(line, 1);
                        to(RecordEvent::Unread(place, beyond, BEYOND_MATE.into()));
                    }
                }
                Err((place, fault)) => to(RecordEvent::Rejected(place, fault)),
            }
        });
    },
};

/// Tells whether an input begins with a legal game of viriformat of at least one move.
fn recognises(first: &[u8], _: bool) -> bool {
    // Only whether it can be read counts, and not of which number (0) the game is.
    let game = end(first).and_then(|end| read(&first[..end], 0).ok());
    game.is_some_and(|(_, plies)| !plies.is_empty())
}

/// Returns where the first game ends, behind the four zeros that follow its moves of 4 bytes;
/// `None` if these are not there yet.
fn end(bytes: &[u8]) -> Option<usize> {
    let steps = bytes.get(HEADER..)?.as_chunks::<STEP>().0;
    let zeros = steps.iter().position(|step| *step == [0; STEP])?;
    Some(HEADER + (zeros + 1) * STEP)
}

/// A game, and its moves.
type Game = (RecordedGame<Chess>, Vec<RecordedPly<Move>>);

/// Reads a game of viriformat, which is number `line` of the input: 32 bytes of its first position,
/// then 4 bytes for each move and its score, and four zeros. A score beyond that of a mate (32,000)
/// is left out, but for 32,002, which marks a position to be left out. The error is at the
/// half-move, counted from 1, that is wrong; at 1 also if it is the first position.
fn read(game: &[u8], line: u64) -> Result<Game, (RecordPlace, Fault)> {
    let head = |fault| (RecordPlace::new(line, 1), fault);
    let Some((header, moves)) = game.split_first_chunk::<HEADER>() else {
        return Err(head(truncated(game.len(), "32 bytes of a position")));
    };
    let (start, outcome) = labelled_board(header).map_err(head)?;
    let mut position = start.clone();
    let steps = moves.as_chunks::<STEP>().0;
    let mut plies = Vec::with_capacity(steps.len());
    // The last step is the four zeros at the end of the game.
    for (column, &[a, b, c, d]) in (1..).zip(steps.iter().take(steps.len().saturating_sub(1))) {
        let place = RecordPlace { line, column };
        let bits = u16::from_le_bytes([a, b]);
        let Some(played) = packed_move(bits, &MOVES, &position) else {
            let found = format!("the move {bits:#06x} in {}", Fen.describe(&position));
            return Err((place, fault(found, "a legal move")));
        };
        plies.push(RecordedPly {
            played,
            score: score(i16::from_le_bytes([c, d])),
            book: None,
            place,
        });
        position.play_unchecked(played);
    }
    let recorded = RecordedGame {
        plies_before: plies_before(&start),
        start,
        outcome: outcome.into(),
        forfeit: None,
        key: GameKey::of_bytes(game),
        tags: None,
    };
    Ok((recorded, plies))
}
