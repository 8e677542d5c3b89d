//! Attack sets and distances: the facts that the terms count.

use tuner_shogi::{Color, PieceType, Position, Square, Squares, attacks};

/// Kinds that attack alike: pawn 0, lance, knight, silver, whatever moves as a
/// gold 4, bishop, rook, horse, dragon 8. By the index of the kind; the king,
/// which is in no group, has the one after the last.
pub(super) const GROUP: [usize; PieceType::COUNT] = [0, 1, 2, 3, 4, 5, 6, 9, 4, 4, 4, 4, 7, 8];

/// For each side the squares in the order of a printed board that it sees.
pub(super) static VIEW: [[u8; Square::COUNT]; 2] = views();

/// King's moves between two squares.
static DISTANCE: [[u8; Square::COUNT]; Square::COUNT] = distances();

/// What every piece attacks, and what each side attacks.
pub(super) struct Attacks {
    /// By square of the piece; nothing for empty squares.
    pub(super) from: [Squares; Square::COUNT],
    /// By side.
    pub(super) side: [SideAttacks; 2],
}

/// The attacks of one side, and its king.
pub(super) struct SideAttacks {
    /// By pieces other than the king.
    pub(super) pieces: Squares,
    pub(super) pawns: Squares,
    /// The squares next to the king.
    pub(super) ring: Squares,
}

impl SideAttacks {
    /// What any piece attacks.
    pub(super) fn all(&self) -> Squares {
        self.pieces | self.ring
    }
}

impl Attacks {
    pub(super) fn new(pos: &Position) -> Attacks {
        let mut from = [Squares::EMPTY; Square::COUNT];
        // A function of its own, and no closure: production is the same machine
        // code then, whether or not its twin calls this, too.
        let sente = SideAttacks::new(pos, Color::Sente, &mut from);
        let gote = SideAttacks::new(pos, Color::Gote, &mut from);
        let side = [sente, gote];
        Attacks { from, side }
    }
}

impl SideAttacks {
    #[inline(never)]
    fn new(pos: &Position, us: Color, from: &mut [Squares; Square::COUNT]) -> SideAttacks {
        let occupied = pos.occupied();
        let (mut pieces, mut pawns) = (Squares::EMPTY, Squares::EMPTY);
        let mut ring = Squares::EMPTY;
        for kind in PieceType::ALL {
            let mut all = Squares::EMPTY;
            for square in pos.pieces(us, kind) {
                let reached = attacks(kind, us, square, occupied);
                from[square.index()] = reached;
                all |= reached;
            }
            match kind {
                PieceType::King => ring = all,
                PieceType::Pawn => pawns = all,
                _ => pieces |= all,
            }
        }
        SideAttacks {
            pieces: pieces | pawns,
            pawns,
            ring,
        }
    }
}

/// King's moves from one square to another.
pub(super) fn distance(a: Square, b: Square) -> usize {
    usize::from(DISTANCE[a.index()][b.index()])
}

const fn views() -> [[u8; Square::COUNT]; 2] {
    let mut views = [[0; Square::COUNT]; 2];
    let mut square = 0;
    while square < Square::COUNT {
        // Squares are numbered down the files, from the right.
        let (file, rank) = (square / 9, square % 9);
        views[0][square] = (9 * rank + 8 - file) as u8;
        views[1][square] = (9 * (8 - rank) + file) as u8;
        square += 1;
    }
    views
}

const fn distances() -> [[u8; Square::COUNT]; Square::COUNT] {
    let mut distances = [[0; Square::COUNT]; Square::COUNT];
    let mut a = 0;
    while a < Square::COUNT {
        let mut b = 0;
        while b < Square::COUNT {
            let files = (a / 9).abs_diff(b / 9);
            let ranks = (a % 9).abs_diff(b % 9);
            distances[a][b] = if files > ranks { files } else { ranks } as u8;
            b += 1;
        }
        a += 1;
    }
    distances
}
