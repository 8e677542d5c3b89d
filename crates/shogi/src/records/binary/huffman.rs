//! Positions in 256 bits: side to move, squares of the kings, the other 79
//! squares, hands, and pieces that are not in the game, each by a code of one
//! to eight bits, lowest bit first.

use tuner_data::Fault;
use tuner_data::in_bytes::fault;

use crate::{Color, Piece, PieceType, Setup, Square};

/// What a code stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Item {
    Nothing,
    Piece(Piece),
    /// A piece that is not in the game.
    Boxed(PieceType),
}

/// By the next eight bits: an item, and how many bits it takes.
type Table = [Option<(Item, u8)>; 256];

pub(super) struct Tables {
    board: Table,
    rest: Table,
}

/// The bits of a kind on the board, in hand, and outside the game: a code and how many
/// bits it has; then the bits that are added on the board for gote, in hand for gote,
/// and for promotion.
type Bits = ([(u8, u8); 3], [u8; 3]);

/// Apery's HuffmanCodedPos: by kinds in the order of [`PieceType::IN_HAND`].
pub(super) static HCP: Tables = tables(&[
    ([(0x01, 4), (0x00, 3), (0x02, 3)], [0x04, 0x04, 0x08]),
    ([(0x03, 6), (0x01, 5), (0x09, 5)], [0x10, 0x10, 0x20]),
    ([(0x07, 6), (0x03, 5), (0x0b, 5)], [0x10, 0x10, 0x20]),
    ([(0x0b, 6), (0x05, 5), (0x0d, 5)], [0x10, 0x10, 0x20]),
    ([(0x0f, 6), (0x07, 5), (0x1d, 5)], [0x20, 0x10, 0]),
    ([(0x1f, 8), (0x1f, 7), (0x0f, 7)], [0x40, 0x40, 0x80]),
    ([(0x3f, 8), (0x3f, 7), (0x2f, 7)], [0x40, 0x40, 0x80]),
]);

/// YaneuraOu's PackedSfen, likewise.
pub(super) static PSV: Tables = tables(&[
    ([(0x01, 4), (0x00, 3), (0x02, 3)], [0x08, 0x04, 0x04]),
    ([(0x03, 6), (0x01, 5), (0x09, 5)], [0x20, 0x10, 0x10]),
    ([(0x0b, 6), (0x05, 5), (0x0d, 5)], [0x20, 0x10, 0x10]),
    ([(0x07, 6), (0x03, 5), (0x0b, 5)], [0x20, 0x10, 0x10]),
    ([(0x0f, 6), (0x07, 5), (0x1b, 5)], [0x20, 0x10, 0]),
    ([(0x1f, 8), (0x0f, 7), (0x2f, 7)], [0x80, 0x40, 0x40]),
    ([(0x3f, 8), (0x1f, 7), (0x3f, 7)], [0x80, 0x40, 0x40]),
]);

const fn tables(all: &[Bits; 7]) -> Tables {
    let mut tables = Tables {
        board: [None; 256],
        rest: [None; 256],
    };
    fill(&mut tables.board, (0, 1), Item::Nothing);
    let mut number = 0;
    while number < all.len() {
        let kind = PieceType::IN_HAND[number];
        let ([board, hand, boxed], [gote, hand_gote, promoted]) = all[number];
        let mut side = 0;
        while side < 2 {
            let color = Color::ALL[side as usize];
            let code = board.0 | (side * gote);
            let piece = Item::Piece(Piece { color, kind });
            fill(&mut tables.board, (code, board.1), piece);
            if let Some(kind) = kind.promoted() {
                let piece = Item::Piece(Piece { color, kind });
                fill(&mut tables.board, (code | promoted, board.1), piece);
            }
            fill(
                &mut tables.rest,
                (hand.0 | (side * hand_gote), hand.1),
                piece,
            );
            side += 1;
        }
        fill(&mut tables.rest, boxed, Item::Boxed(kind));
        number += 1;
    }
    tables
}

const fn fill(table: &mut Table, (code, width): (u8, u8), item: Item) {
    let mut byte = 0;
    while byte < 256 {
        if byte & ((1 << width) - 1) == code as usize {
            table[byte] = Some((item, width));
        }
        byte += 1;
    }
}

/// Reads bits; after the end it reads zeros, which [`decode`] detects.
struct Reader<'a> {
    bytes: &'a [u8; 32],
    at: usize,
}

impl Reader<'_> {
    /// The next eight bits.
    fn peek(&self) -> u8 {
        let byte = |at: usize| u16::from(self.bytes.get(at).copied().unwrap_or_default());
        let two = byte(self.at / 8) | byte(self.at / 8 + 1) << 8;
        (two >> (self.at % 8)) as u8
    }

    fn take(&mut self, width: u8) -> u8 {
        let bits = self.peek() & ((1_u16 << width) - 1) as u8;
        self.at += usize::from(width);
        bits
    }

    fn item(&mut self, table: &Table) -> Result<Item, Fault> {
        let found = table[usize::from(self.peek())];
        let (item, width) = found.ok_or_else(|| wrong(format!("no piece in bit {}", self.at)))?;
        self.at += usize::from(width);
        Ok(item)
    }
}

/// Reads a position, legal or not.
///
/// # Errors
///
/// Fails if bits are no piece, or the pieces are not those of a game.
pub(super) fn decode(bytes: &[u8; 32], tables: &Tables) -> Result<Setup, Fault> {
    let mut reader = Reader { bytes, at: 0 };
    let mut setup = Setup::EMPTY;
    if reader.take(1) == 1 {
        setup.turn = Color::Gote;
    }
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
        if let Item::Piece(piece) = reader.item(&tables.board)? {
            setup.board[index] = Some(piece);
            counts[piece.kind.unpromoted().index()] += 1;
        }
    }
    while reader.at < 256 {
        let kind = match reader.item(&tables.rest)? {
            Item::Piece(piece) => {
                setup.hands[piece.color.index()].add(piece.kind);
                piece.kind
            }
            Item::Boxed(kind) => kind,
            Item::Nothing => return Err(wrong(format!("nothing in bit {}", reader.at))),
        };
        counts[kind.index()] += 1;
    }
    for kind in PieceType::IN_HAND {
        let count = counts[kind.index()];
        if count != kind.in_a_set() || reader.at != 256 {
            let (letter, all, bits) = (kind.letter(), kind.in_a_set(), reader.at);
            return Err(wrong(format!(
                "{count} pieces {letter} of {all}, in {bits} bits"
            )));
        }
    }
    Ok(setup)
}

fn wrong(found: String) -> Fault {
    fault(found, "a position")
}
