//! Stockfish's `bin` of nodchip: one position in 40 bytes.
//!
//! *Layout* (little endian): 32 bytes of a position, 2 of score, 2 of the move
//! that was played or is best, 2 of plies before, a byte of result (1, 0, -1),
//! one that is ignored. Score and result are the side to move's.
//!
//! *The position* in bits, the lowest of a byte first: side to move; 6 bits each
//! for White's and Black's king; the other squares from a8 to h1, an empty one 0,
//! others 1, three bits from pawn (0) to queen (4), and the colour; castling K,
//! Q, k, q; 0, or 1 and 6 bits of an en passant square; 6 bits of the half-move
//! clock, 8 of the move number, 8 more of that, 1 more of the clock, which old
//! files have as zeros. Castling rights are of the outermost rooks.
//!
//! *The move*: 6 bits to, 6 from, 2 of promotion (knight to queen), 2 of kind (1 promotion, 2 en
//! passant, 3 castling, king takes rook). If it is legal it says whether it captures or promotes.
//! *Scores* beyond ±32,000 are none; 32,002 leaves the position out.
//!
//! *Rejects* bits that do not code a piece, both kings on one square, castling rights
//! without rook, positions that are not legal, other results.
//! *Source*: `PackedSfenValue` of the branch `tools` of Stockfish (nodchip).

use shakmaty::{Chess, Color, Position, Rank, Role, Setup, Square};
use tuner_data::bits::LowBits;
use tuner_data::in_bytes::{fault, movers_result, movers_score};
use tuner_data::{Around, Fault, LabelledPosition, Records, fixed_records};

use super::board::{PackedMoves, ROLES, packed_move, position};
use crate::moves::is_tactical;

const SIZE: usize = 40;
/// Where a move, two bytes, has its parts. Converters leave moves out; what is there instead is not
/// a legal move.
const MOVES: PackedMoves = PackedMoves {
    from: 6,
    to: 0,
    promotion: 12,
    kinds: [0b11, 0b10, 0b01],
};

/// `bin`; the [module](self) says what is accepted.
pub(crate) const NODCHIP: Records<Chess> = fixed_records!("bin", 40, record);

/// Reads a record of `bin`: 32 bytes of a position, 2 of score, 2 of the move played or best, 2 of
/// plies before, a byte of result, and one that is ignored. Score and result are the side to
/// move's, and are turned to White's. A score beyond that of a mate (32,000) is left out, but for
/// 32,002, which marks a position to be left out. A move that is not legal is left out too:
/// converters write such bytes where they have no move.
fn record(bytes: &[u8; SIZE]) -> Result<LabelledPosition<Chess>, Fault> {
    let (packed, rest) = bytes.split_at(32);
    let position = position(&setup(packed)?)?;
    let [s0, s1, m0, m1, p0, p1, result, _] = *rest else {
        return Err(fault("a short record", "records of 40 bytes"));
    };
    let white = position.turn().is_white();
    let outcome = movers_result(result.cast_signed().into(), white)?;
    let best = packed_move(u16::from_le_bytes([m0, m1]), &MOVES, &position);
    Ok(LabelledPosition {
        search_score: movers_score(i16::from_le_bytes([s0, s1]), white),
        ply: Some(u32::from(u16::from_le_bytes([p0, p1]))),
        around: Around {
            next_tactical: best.map(is_tactical),
            ..Around::default()
        },
        ..LabelledPosition::new(position, outcome.into())
    })
}

/// Reads six bits as the number of a square, a1 being 0; a fault if there is no such square.
fn square(bits: &mut LowBits<'_>) -> Result<Square, Fault> {
    let number = bits.take(6);
    Square::try_from(number).map_err(|_| fault(format!("the square {number}"), "a square"))
}

/// Unpacks a position, legal or not, from bits: the side to move, the squares of both kings, the
/// other squares from a8 to h1, castling rights, the en passant square, and the lower 6 bits of the
/// half-move clock, 16 of the move number (0 is read as 1), 1 more of the clock. A fault if a code
/// is of no square or piece, both kings are on one square, a castling right has no rook, or the
/// bits do not suffice.
fn setup(packed: &[u8]) -> Result<Setup, Fault> {
    let mut bits = LowBits::new(packed);
    let mut setup = Setup::empty();
    setup.turn = Color::from_black(bits.flag());
    let kings = [square(&mut bits)?, square(&mut bits)?];
    if kings[0] == kings[1] {
        let found = format!("both kings on {}", kings[0]);
        return Err(fault(found, "two squares"));
    }
    for (colour, square) in [Color::White, Color::Black].into_iter().zip(kings) {
        setup.board.set_piece_at(square, Role::King.of(colour));
    }
    for rank in Rank::ALL.into_iter().rev() {
        for file in shakmaty::File::ALL {
            let square = Square::from_coords(file, rank);
            if kings.contains(&square) || !bits.flag() {
                continue;
            }
            let code = bits.take(3);
            // The numbers of all pieces but the king, whose square is written before.
            let Some(role) = ROLES[..5].get(usize::from(code)) else {
                let found = format!("{code} on {square}");
                return Err(fault(found, "the number of a piece"));
            };
            let colour = Color::from_black(bits.flag());
            setup.board.set_piece_at(square, role.of(colour));
        }
    }
    castling(&mut bits, &mut setup)?;
    if bits.flag() {
        setup.ep_square = Some(square(&mut bits)?);
    }
    let low = bits.take(6);
    let moves = u16::from_le_bytes([bits.take(8), bits.take(8)]);
    setup.halfmoves = u32::from(low | bits.take(1) << 6);
    setup.fullmoves =
        std::num::NonZeroU32::new(u32::from(moves)).unwrap_or(std::num::NonZeroU32::MIN);
    // Behind the end of the 32 bytes zeros were read, so that it is known only now.
    if bits.read() > 256 {
        return Err(fault("more than 256 bits", "a position in 256 bits"));
    }
    Ok(setup)
}

/// Reads castling rights, a bit each for K, Q, k and q, and adds them to `setup`, which has all
/// pieces. Of the rooks on the first rank of its side, K and k are of the one nearest to the
/// h-file, Q and q of the one nearest to the a-file. A fault if there is no rook on that rank.
fn castling(bits: &mut LowBits<'_>, setup: &mut Setup) -> Result<(), Fault> {
    for colour in [Color::White, Color::Black] {
        let first = colour.fold_wb(Rank::First, Rank::Eighth);
        let rooks = setup.board.rooks() & setup.board.by_color(colour) & first;
        // Squares of a rank are ordered from the a-file to the h-file.
        for rook in [rooks.last(), rooks.first()] {
            if bits.flag() {
                let rook =
                    rook.ok_or_else(|| fault("a castling right without rook", "rooks to castle"))?;
                setup.castling_rights.add(rook);
            }
        }
    }
    Ok(())
}
