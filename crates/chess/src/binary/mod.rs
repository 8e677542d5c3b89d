//! Positions and games as bytes: bulletformat, viriformat, Stockfish's binpack.
//!
//! Read by code of our own, which checks every byte that matters: the crates
//! that define the formats trust their input, and panic or go wrong on other.
//! Tests of binpack compare with what its crate writes, those of the others
//! with bytes written as their descriptions say.

mod binpack;
mod bits;
mod bullet;
mod viri;

pub(crate) use binpack::Binpack;
pub(crate) use bullet::Bullet;
pub(crate) use viri::Viri;

use shakmaty::{Bitboard, CastlingMode, Chess, FromSetup, Piece, Role, Setup, Square};
use tuner_data::Fault;

/// Roles by the numbers of bulletformat and viriformat.
const ROLES: [Role; 6] = [
    Role::Pawn,
    Role::Knight,
    Role::Bishop,
    Role::Rook,
    Role::Queen,
    Role::King,
];

/// Puts pieces on squares: one nibble each, the lower first, of the squares of
/// `occupied` in their order. `place` says what a nibble is.
///
/// # Errors
/// If there are more than 32 pieces, or a nibble is none.
fn board(
    occupied: u64,
    nibbles: &[u8; 16],
    mut place: impl FnMut(&mut Setup, Square, u8) -> Option<Piece>,
) -> Result<Setup, Fault> {
    let mut setup = Setup::empty();
    let squares = Bitboard(occupied);
    if squares.count() > 32 {
        let found = format!("{} pieces", squares.count());
        return Err(fault(found, "32 pieces at most"));
    }
    for (number, square) in squares.into_iter().enumerate() {
        let nibble = (nibbles[number / 2] >> (4 * (number % 2))) & 15;
        let Some(piece) = place(&mut setup, square, nibble) else {
            return Err(fault(
                format!("{nibble} on {square}"),
                "the number of a piece",
            ));
        };
        setup.board.set_piece_at(square, piece);
    }
    Ok(setup)
}

/// Makes a position, Chess960's castling rights among what is legal.
fn position(setup: &Setup) -> Result<Chess, Fault> {
    if let Ok(position) = Chess::from_setup(setup.clone(), CastlingMode::Standard) {
        return Ok(position);
    }
    let position = Chess::from_setup(setup.clone(), CastlingMode::Chess960);
    position.map_err(|error| fault(crate::fen::illegal_words(&error), "a legal position"))
}

fn fault(found: impl Into<String>, expected: &'static str) -> Fault {
    Fault {
        offset: 0,
        found: found.into(),
        expected: expected.into(),
        cure: "the file is damaged or of another format; pass over bad records with \
               --on-bad-line skip"
            .into(),
    }
}

/// What is left at the end of an input.
fn torn(bytes: usize, expected: &'static str) -> Fault {
    fault(format!("{bytes} bytes at the end"), expected)
}

#[cfg(test)]
mod tests;
