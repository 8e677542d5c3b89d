//! Attack sets and pawn masks: the facts that the terms count.

use shakmaty::attacks::{bishop_attacks, king_attacks, knight_attacks, rook_attacks};
use shakmaty::{Bitboard, Board, ByColor, ByRole, Color, File, Rank, Role, Square};

const FILE_A: Bitboard = Bitboard::from_file(File::A);
const FILE_H: Bitboard = Bitboard::from_file(File::H);

/// What every piece attacks, and what each side attacks with which pieces.
pub(super) struct Attacks {
    /// By square of the piece; empty for pawns and empty squares.
    pub(super) from: [Bitboard; 64],
    pub(super) side: ByColor<SideAttacks>,
}

/// The attacks of one side, and its king.
pub(super) struct SideAttacks {
    pub(super) by: ByRole<Bitboard>,
    pub(super) all: Bitboard,
    /// What at least two of its pieces and pawns attack.
    pub(super) twice: Bitboard,
    pub(super) king: Square,
}

impl Attacks {
    pub(super) fn new(board: &Board) -> Attacks {
        let mut from = [Bitboard::EMPTY; 64];
        let white = SideAttacks::new(board, Color::White, &mut from);
        let black = SideAttacks::new(board, Color::Black, &mut from);
        Attacks {
            from,
            side: ByColor { black, white },
        }
    }
}

impl SideAttacks {
    fn new(board: &Board, us: Color, from: &mut [Bitboard; 64]) -> SideAttacks {
        let occupied = board.occupied();
        let [left, right] = pawn_attacks_by_side(board.by_piece(us.pawn()), us);
        let (mut once, mut twice) = (left | right, left & right);
        let mut collect = |role: Role, attacks: &dyn Fn(Square) -> Bitboard| {
            let mut all = Bitboard::EMPTY;
            for square in board.by_piece(role.of(us)) {
                let attacked = attacks(square);
                from[square.to_usize()] = attacked;
                all |= attacked;
                twice |= once & attacked;
                once |= attacked;
            }
            all
        };
        let by = ByRole {
            pawn: left | right,
            knight: collect(Role::Knight, &knight_attacks),
            bishop: collect(Role::Bishop, &|square| bishop_attacks(square, occupied)),
            rook: collect(Role::Rook, &|square| rook_attacks(square, occupied)),
            queen: collect(Role::Queen, &|square| {
                bishop_attacks(square, occupied) | rook_attacks(square, occupied)
            }),
            king: collect(Role::King, &king_attacks),
        };
        SideAttacks {
            all: by.pawn | by.knight | by.bishop | by.rook | by.queen | by.king,
            by,
            twice,
            // A legal position has a king; an impossible board gets a harmless answer.
            king: board.king_of(us).unwrap_or(Square::A1),
        }
    }
}

/// The squares that a set of pawns attacks.
pub(super) fn pawn_attacks(pawns: Bitboard, us: Color) -> Bitboard {
    let [left, right] = pawn_attacks_by_side(pawns, us);
    left | right
}

/// The same towards the a-file and towards the h-file.
fn pawn_attacks_by_side(pawns: Bitboard, us: Color) -> [Bitboard; 2] {
    let (to_a, to_h) = (pawns & !FILE_A, pawns & !FILE_H);
    us.fold_wb(
        [to_a.shift(7), to_h.shift(9)],
        [to_a.shift(-9), to_h.shift(-7)],
    )
}

/// All ranks in front of a square, from a side's view.
pub(super) fn ranks_ahead(square: Square, us: Color) -> Bitboard {
    let rank = Bitboard::from_rank(us.relative_rank(square.rank()));
    // Whatever is above the lowest set bit's rank, then turned for Black.
    let above = Bitboard(!(rank.0 | (rank.0.wrapping_sub(1))));
    us.fold_wb(above, above.flip_vertical())
}

/// The squares in front of a set, to the end of each file, from a side's view.
pub(super) fn front_span(set: Bitboard, us: Color) -> Bitboard {
    let (up, down) = (set.0 << 8, set.0 >> 8);
    let up = up | up << 8;
    let up = up | up << 16;
    let down = down | down >> 8;
    let down = down | down >> 16;
    us.fold_wb(Bitboard(up | up << 32), Bitboard(down | down >> 32))
}

/// The neighbours of a set on the same rank.
pub(super) fn sideways(set: Bitboard) -> Bitboard {
    (set & !FILE_H).shift(1) | (set & !FILE_A).shift(-1)
}

/// The squares from which a pawn's next step leads into a set.
pub(super) fn one_step_behind(set: Bitboard, us: Color) -> Bitboard {
    us.fold_wb(set.shift(-8), set.shift(8))
}

/// The rank as its owner sees it, 0 … 7.
pub(super) fn relative_rank(square: Square, us: Color) -> usize {
    us.relative_rank(square.rank()).to_usize()
}

/// The square in front of a pawn.
pub(super) fn in_front(pawn: Square, us: Color) -> Square {
    // A pawn is never on its last rank.
    pawn.offset(us.fold_wb(8, -8)).unwrap_or(pawn)
}

/// The mask of a rank as its owner counts it.
pub(super) fn rank_mask(rank: Rank, us: Color) -> Bitboard {
    Bitboard::from_rank(us.relative_rank(rank))
}
