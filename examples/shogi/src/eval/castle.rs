//! Castles that have a name: whole formations, in addition to the single
//! guards that [`super::king`] counts.

use tuner_core::tunable;
use tuner_shogi::{Color, PieceType, Position, Square};

use crate::tuned_weights::{CASTLE, S};

/// A king and its guards, by file and rank as sente sees them, on the right
/// wing; every castle is there on the left wing, too.
struct Formation {
    king: (u8, u8),
    guards: [(PieceType, u8, u8); 3],
}

const GOLD: PieceType = PieceType::Gold;
const SILVER: PieceType = PieceType::Silver;
const LANCE: PieceType = PieceType::Lance;

/// The formations as handbooks draw them, without the pieces that differ from
/// one to the other.
static FORMATIONS: [Formation; 5] = [
    // Mino.
    Formation {
        king: (2, 8),
        guards: [(SILVER, 3, 8), (GOLD, 4, 9), (LANCE, 1, 9)],
    },
    // Yagura.
    Formation {
        king: (2, 8),
        guards: [(GOLD, 3, 8), (SILVER, 3, 7), (GOLD, 4, 7)],
    },
    // Anaguma, the bear in the hole.
    Formation {
        king: (1, 9),
        guards: [(LANCE, 1, 8), (SILVER, 2, 8), (GOLD, 3, 9)],
    },
    // Funagakoi, the boat.
    Formation {
        king: (3, 8),
        guards: [(SILVER, 3, 9), (GOLD, 4, 9), (GOLD, 5, 8)],
    },
    // Kanigakoi, the crab.
    Formation {
        king: (4, 9),
        guards: [(GOLD, 3, 8), (SILVER, 4, 8), (GOLD, 5, 8)],
    },
];

/// What a whole castle is worth beyond its guards.
#[tunable]
pub(super) fn named(pos: &Position, us: Color) -> S {
    let mut score = S::ZERO;
    for (number, formation) in FORMATIONS.iter().enumerate() {
        if stands(formation, pos, us) {
            score += CASTLE[number];
        }
    }
    score
}

/// Tells whether a side has a formation around its king, on either wing.
///
/// Inlined by order: production is the same machine code then, whether or not
/// its twin calls this, too.
#[inline(always)]
fn stands(formation: &Formation, pos: &Position, us: Color) -> bool {
    let king = pos.king(us).relative(us);
    let (file, rank) = formation.king;
    if king.rank() != rank || (king.file() != file && king.file() != 10 - file) {
        return false;
    }
    let mirrored = king.file() != file;
    formation.guards.iter().all(|&(kind, file, rank)| {
        let file = if mirrored { 10 - file } else { file };
        Square::new(file, rank)
            .is_some_and(|square| pos.pieces(us, kind).contains(square.relative(us)))
    })
}
