//! Words of the format: squares, pieces, sides, endings.

use crate::records::game::GameEnd;
use crate::{Color, PieceType, Square};

/// Where a piece is.
#[derive(Clone, Copy, Debug)]
pub(super) enum At {
    Hand,
    On(Square),
}

/// Reads two digits, file and rank, as a square, `00` as the hand; `None` of other text.
pub(super) fn at(text: &[u8]) -> Option<At> {
    match text {
        b"00" => Some(At::Hand),
        [file @ b'1'..=b'9', rank @ b'1'..=b'9'] => {
            Square::new(file - b'0', rank - b'0').map(At::On)
        }
        _ => None,
    }
}

/// Reads the two letters of a piece, such as `FU`; `None` of others.
pub(crate) fn kind(text: &[u8]) -> Option<PieceType> {
    const NAMES: [&[u8]; PieceType::COUNT] = [
        b"FU", b"KY", b"KE", b"GI", b"KI", b"KA", b"HI", b"OU", b"TO", b"NY", b"NK", b"NG", b"UM",
        b"RY",
    ];
    let index = NAMES.iter().position(|name| *name == text)?;
    Some(PieceType::ALL[index])
}

/// Reads a sign as a side, `+` as sente; `None` of other signs.
pub(super) const fn side(sign: u8) -> Option<Color> {
    match sign {
        b'+' => Some(Color::Sente),
        b'-' => Some(Color::Gote),
        _ => None,
    }
}

/// Reads how a game ended from the `word` behind CSA's `%`: `us` is to move, `illegal` is the side
/// that made a last move that is not legal, if one was made. Where the word says that a move was
/// not legal and the record does not have it, it was `us` who made it. `None` of words that end no
/// game.
pub(crate) fn ending(word: &[u8], us: Color, illegal: Option<Color>) -> Option<GameEnd> {
    Some(match word {
        // Resignation, mate; declaration of a win.
        b"TORYO" | b"TSUMI" => GameEnd::won(!us),
        b"KACHI" => GameEnd::won(us),
        b"TIME_UP" => GameEnd::forfeited(!us),
        b"ILLEGAL_MOVE" => GameEnd::forfeited(illegal.unwrap_or(us).other()),
        b"+ILLEGAL_ACTION" => GameEnd::forfeited(Color::Gote),
        b"-ILLEGAL_ACTION" => GameEnd::forfeited(Color::Sente),
        // Repetition; draws, by agreement, by impasse and by the number of moves; ends without
        // result.
        b"SENNICHITE" => GameEnd::Repetition,
        b"HIKIWAKE" | b"JISHOGI" | b"MAX_MOVES" => GameEnd::drawn(),
        b"CHUDAN" | b"MATTA" | b"ERROR" | b"FUZUMI" => GameEnd::Unfinished,
        _ => return None,
    })
}
