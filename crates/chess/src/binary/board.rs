//! The common parts of the formats: 32 bytes that hold a board, and moves.

use shakmaty::{Bitboard, Chess, Color, Move, Piece, Position, Role, Setup, Square};
use tuner_data::in_bytes::fault;
use tuner_data::{Fault, Outcome};

/// Roles by the numbers of bulletformat and viriformat.
pub(super) const ROLES: [Role; 6] = [
    Role::Pawn,
    Role::Knight,
    Role::Bishop,
    Role::Rook,
    Role::Queen,
    Role::King,
];

/// The 32 bytes of a position in bulletformat, marlinformat and viriformat, and of the first entry
/// of a chain in a binpack.
pub(super) struct Packed {
    /// A bit for each occupied square, in the byte order of the format.
    pub(super) occupied: [u8; 8],
    /// A piece each: the lower four bits of a byte first, in the order of the
    /// occupied squares.
    nibbles: [u8; 16],
    /// The bytes that the formats use differently.
    pub(super) rest: [u8; 8],
}

impl Packed {
    /// Bytes of all fields.
    pub(super) const SIZE: usize = 32;

    /// Cuts 32 bytes into 8 with a bit for each occupied square, 16 with four bits for each piece,
    /// and 8 that the formats use differently.
    pub(super) fn new(bytes: &[u8; Self::SIZE]) -> Self {
        Self {
            occupied: std::array::from_fn(|at| bytes[at]),
            nibbles: std::array::from_fn(|at| bytes[8 + at]),
            rest: std::array::from_fn(|at| bytes[24 + at]),
        }
    }

    /// Puts the pieces on the squares `occupied`, a bit each, a1 the lowest. `piece` decodes the
    /// nibble, 4 bits, of a square, and notes in the setup what the nibble says beside the piece,
    /// such as the right to castle.
    ///
    /// # Errors
    ///
    /// Fails if there are more than 32 pieces, or a nibble does not code a piece.
    pub(super) fn board(
        &self,
        occupied: u64,
        mut piece: impl FnMut(&mut Setup, Square, u8) -> Option<Piece>,
    ) -> Result<Setup, Fault> {
        let mut setup = Setup::empty();
        let squares = Bitboard(occupied);
        if squares.count() > 32 {
            let found = format!("{} pieces", squares.count());
            return Err(fault(found, "32 pieces at most"));
        }
        for (number, square) in squares.into_iter().enumerate() {
            let nibble = (self.nibbles[number / 2] >> (4 * (number % 2))) & 15;
            let Some(piece) = piece(&mut setup, square, nibble) else {
                let found = format!("{nibble} on {square}");
                return Err(fault(found, "the number of a piece"));
            };
            setup.board.set_piece_at(square, piece);
        }
        Ok(setup)
    }
}

/// Makes a position, with castling rights of standard chess or Chess960; a fault if it is not
/// legal.
pub(super) fn position(setup: &Setup) -> Result<Chess, Fault> {
    crate::fen::position(setup, |error| {
        fault(crate::fen::illegal_words(error), "a legal position")
    })
}

/// Reads a result for White, or for the side that the format writes as White: 0 of a loss, 1 of a
/// draw, 2 of a win.
pub(super) fn outcome(result: u8) -> Result<Outcome, Fault> {
    Ok(match result {
        0 => Outcome::Loss,
        1 => Outcome::Draw,
        2 => Outcome::Win,
        _ => return Err(fault(format!("the result {result}"), "0, 1 or 2")),
    })
}

/// Reads a position and White's result, as marlinformat has them and viriformat at the start of a
/// game. After the squares and their nibbles, in which the number 6 is a rook that may castle and 8
/// is added for Black, follow: a byte with the en passant square (64 if there is none, and 128 more
/// if Black moves), the half-move clock, the number of the move in 2 bytes (0, which programs write
/// that do not count moves, is read as 1), 2 bytes of score, which are not read by this function,
/// and the result.
pub(super) fn labelled_board(bytes: &[u8; Packed::SIZE]) -> Result<(Chess, Outcome), Fault> {
    let packed = Packed::new(bytes);
    let occupied = u64::from_le_bytes(packed.occupied);
    let mut setup = packed.board(occupied, |setup, square, nibble| {
        let role = match nibble & 7 {
            6 => {
                setup.castling_rights.add(square);
                Role::Rook
            }
            code => *ROLES.get(usize::from(code))?,
        };
        Some(role.of(Color::from_white(nibble < 8)))
    })?;
    let [turn, halfmoves, low, high, _, _, result, _] = packed.rest;
    setup.turn = Color::from_white(turn < 128);
    let number = turn & 127;
    // 64 is not a square, so that there is none to take en passant on.
    setup.ep_square = Square::try_from(number).ok();
    if number > 64 {
        let found = format!("the en passant square {number}");
        return Err(fault(found, "a square, or 64"));
    }
    setup.halfmoves = u32::from(halfmoves);
    // At least 1, so that there always is a number.
    let fullmoves = u32::from(u16::from_le_bytes([low, high])).max(1);
    setup.fullmoves = std::num::NonZeroU32::new(fullmoves).unwrap_or(setup.fullmoves);
    let outcome = outcome(result)?;
    Ok((position(&setup)?, outcome))
}

/// Makes a move that neither castles nor takes en passant, legal or not; `None` if there is no
/// piece on `from`.
pub(super) fn normal(
    position: &Chess,
    from: Square,
    to: Square,
    promotion: Option<Role>,
) -> Option<Move> {
    Some(Move::Normal {
        role: position.board().role_at(from)?,
        from,
        capture: position.board().role_at(to),
        to,
        promotion,
    })
}

/// Where moves of 16 bits have their parts; the highest two bits say their kind.
pub(super) struct PackedMoves {
    /// Bits below the square that a move comes from.
    pub(super) from: u16,
    /// Bits below the square that it goes to.
    pub(super) to: u16,
    /// Bits below what a pawn becomes, a knight to a queen from 0.
    pub(super) promotion: u16,
    /// The values of the kind for castling (king takes rook), en passant and promotion.
    pub(super) kinds: [u16; 3],
}

/// Decodes a move of 16 bits: two squares and a promotion, whose places `packed` gives, and in the
/// highest two bits the kind of the move: castling, en passant, promotion, whose values `packed`
/// gives as well, or else a usual move. `None` if it is not legal.
pub(super) fn packed_move(bits: u16, packed: &PackedMoves, position: &Chess) -> Option<Move> {
    let square = |shift: u16| Square::try_from(((bits >> shift) & 63) as u8).ok();
    let (from, to) = (square(packed.from)?, square(packed.to)?);
    let promotion = ROLES[usize::from((bits >> packed.promotion) & 3) + 1];
    let kind = bits >> 14;
    let [castling, en_passant, promotes] = packed.kinds;
    let m = if kind == castling {
        Move::Castle {
            king: from,
            rook: to,
        }
    } else if kind == en_passant {
        Move::EnPassant { from, to }
    } else {
        let promotion = Some(promotion).filter(|_| kind == promotes);
        normal(position, from, to, promotion)?
    };
    position.is_legal(m).then_some(m)
}
