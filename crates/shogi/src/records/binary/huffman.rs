//! Positions in 256 bits: side to move, squares of the kings, the other 79
//! squares, hands, and pieces that are not in the game, each by a code of one
//! to eight bits, lowest bit first.

use std::sync::LazyLock;

use tuner_data::Fault;
use tuner_data::bits::LowBits;
use tuner_data::in_bytes::fault;

use crate::{Color, Piece, PieceType, Setup, Square};

/// The meaning of a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Item {
    Nothing,
    Piece(Piece),
    /// A piece that is not in the game.
    Boxed(PieceType),
}

/// By the next eight bits: an item, and how many bits it takes.
type Table = [Option<(Item, u8)>; 256];

/// The codes of a format: on the board, and behind it, of pieces in hand or not in the game.
pub(super) struct Tables {
    board: Table,
    rest: Table,
}

/// The bits of a kind on the board, in hand, and outside the game: a code and how many
/// bits it has; then the bits that are added on the board for gote, in hand for gote,
/// and for promotion.
type Bits = ([(u8, u8); 3], [u8; 3]);

/// Apery's HuffmanCodedPos: by kinds in the order of [`PieceType::IN_HAND`].
pub(super) static HCP: LazyLock<Tables> = LazyLock::new(|| {
    tables([
        ([(0x01, 4), (0x00, 3), (0x02, 3)], [0x04, 0x04, 0x08]),
        ([(0x03, 6), (0x01, 5), (0x09, 5)], [0x10, 0x10, 0x20]),
        ([(0x07, 6), (0x03, 5), (0x0b, 5)], [0x10, 0x10, 0x20]),
        ([(0x0b, 6), (0x05, 5), (0x0d, 5)], [0x10, 0x10, 0x20]),
        ([(0x0f, 6), (0x07, 5), (0x1d, 5)], [0x20, 0x10, 0]),
        ([(0x1f, 8), (0x1f, 7), (0x0f, 7)], [0x40, 0x40, 0x80]),
        ([(0x3f, 8), (0x3f, 7), (0x2f, 7)], [0x40, 0x40, 0x80]),
    ])
});

/// YaneuraOu's PackedSfen: by kinds in the order of [`PieceType::IN_HAND`].
pub(super) static PSV: LazyLock<Tables> = LazyLock::new(|| {
    tables([
        ([(0x01, 4), (0x00, 3), (0x02, 3)], [0x08, 0x04, 0x04]),
        ([(0x03, 6), (0x01, 5), (0x09, 5)], [0x20, 0x10, 0x10]),
        ([(0x0b, 6), (0x05, 5), (0x0d, 5)], [0x20, 0x10, 0x10]),
        ([(0x07, 6), (0x03, 5), (0x0b, 5)], [0x20, 0x10, 0x10]),
        ([(0x0f, 6), (0x07, 5), (0x1b, 5)], [0x20, 0x10, 0]),
        ([(0x1f, 8), (0x0f, 7), (0x2f, 7)], [0x80, 0x40, 0x40]),
        ([(0x3f, 8), (0x1f, 7), (0x3f, 7)], [0x80, 0x40, 0x40]),
    ])
});

/// Makes the tables that decode a format, by the next eight bits. `all` has for each kind of piece
/// its code on the board, in hand, and outside the game, each with the number of its bits; then the
/// bits that are set beside these for gote's piece on the board, for gote's in hand, and for
/// a promoted piece.
fn tables(all: [Bits; 7]) -> Tables {
    let mut tables = Tables {
        board: [None; 256],
        rest: [None; 256],
    };
    // An empty square is the single bit 0.
    fill(&mut tables.board, 0, 1, Item::Nothing);
    for (kind, ([board, hand, boxed], added)) in PieceType::IN_HAND.into_iter().zip(all) {
        for (color, side) in Color::ALL.into_iter().zip(0..) {
            let [gote, hand_gote, promoted] = added;
            let code = board.0 | (side * gote);
            let piece = |kind| Item::Piece(Piece { color, kind });
            fill(&mut tables.board, code, board.1, piece(kind));
            if let Some(kind) = kind.promoted() {
                fill(&mut tables.board, code | promoted, board.1, piece(kind));
            }
            let code = hand.0 | (side * hand_gote);
            fill(&mut tables.rest, code, hand.1, piece(kind));
        }
        fill(&mut tables.rest, boxed.0, boxed.1, Item::Boxed(kind));
    }
    tables
}

/// Enters an item into a table of all bytes: for those whose lowest `width` bits are its code,
/// whatever the other bits are.
fn fill(table: &mut Table, code: u8, width: u8, item: Item) {
    for (byte, entry) in table.iter_mut().enumerate() {
        if byte & ((1 << width) - 1) == usize::from(code) {
            *entry = Some((item, width));
        }
    }
}

/// Reads the item (a piece, an empty square, or a piece outside the game) that the next bits code,
/// by a table of the next eight. A fault if they code none. Behind the end there are zeros, which
/// are read as items too: the caller sees by the number of bits read that there were too few.
fn item(bits: &mut LowBits<'_>, table: &Table) -> Result<Item, Fault> {
    let found = table[usize::from(bits.peek())];
    let (item, width) = found.ok_or_else(|| wrong(format!("no piece in bit {}", bits.read())))?;
    bits.take(width);
    Ok(item)
}

/// Reads a position, legal or not, from 256 bits: the side to move, the squares of both kings, the
/// other squares, then pieces in hand and outside the game, each by a code of `tables`.
///
/// # Errors
///
/// Fails if a king's square is not on the board, or is that of the other king, bits do not code a
/// piece, the pieces, with those outside the game, are not a full set, or their codes do not end
/// with the last of the 256 bits.
pub(super) fn decode(bytes: &[u8; 32], tables: &Tables) -> Result<Setup, Fault> {
    let mut reader = LowBits::new(bytes);
    let mut setup = Setup::EMPTY;
    if reader.flag() {
        setup.turn = Color::Gote;
    }
    // The squares of the kings; `usize::MAX` is no square, until each king's is read.
    let mut kings = [usize::MAX; 2];
    for color in Color::ALL {
        let index = usize::from(reader.take(7));
        if index >= Square::COUNT || kings.contains(&index) {
            return Err(wrong(format!("a king on square {index}")));
        }
        kings[color.index()] = index;
        setup.board[index] = Some(Piece {
            color,
            kind: PieceType::King,
        });
    }
    let mut counts = [0_u8; 7];
    for index in (0..Square::COUNT).filter(|index| !kings.contains(index)) {
        if let Item::Piece(piece) = item(&mut reader, &tables.board)? {
            setup.board[index] = Some(piece);
            counts[piece.kind.unpromoted().index()] += 1;
        }
    }
    while reader.read() < 256 {
        let kind = match item(&mut reader, &tables.rest)? {
            Item::Piece(piece) => {
                setup.hands[piece.color.index()].add(piece.kind);
                piece.kind
            }
            Item::Boxed(kind) => kind,
            Item::Nothing => return Err(wrong(format!("nothing in bit {}", reader.read()))),
        };
        counts[kind.index()] += 1;
    }
    for kind in PieceType::IN_HAND {
        let count = counts[kind.index()];
        if count != kind.in_a_set() || reader.read() != 256 {
            let (letter, all, bits) = (kind.letter(), kind.in_a_set(), reader.read());
            return Err(wrong(format!(
                "{count} pieces {letter} of {all}, in {bits} bits"
            )));
        }
    }
    Ok(setup)
}

/// Makes the fault of bits that do not code a position.
fn wrong(found: String) -> Fault {
    fault(found, "a position")
}
