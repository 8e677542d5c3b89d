//! Generated from `specs/chess.toml`. Do not edit: edit the spec.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// A tapered value: middlegame, endgame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct S(pub i32, pub i32);

impl S {
    /// Nothing.
    pub const ZERO: S = S(0, 0);

    /// Makes a value of both halves.
    pub const fn new(mg: i32, eg: i32) -> S {
        S(mg, eg)
    }

    /// The middlegame half.
    pub const fn mg(self) -> i32 {
        self.0
    }

    /// The endgame half.
    pub const fn eg(self) -> i32 {
        self.1
    }

    /// Blends both halves: `(mg * phase + eg * (full - phase)) / full`.
    pub fn taper(self, phase: i32, full: i32) -> i32 {
        (self.0 * phase + self.1 * (full - phase)) / full
    }
}

impl Add for S {
    type Output = S;
    fn add(self, other: S) -> S {
        S(self.0 + other.0, self.1 + other.1)
    }
}

impl AddAssign for S {
    fn add_assign(&mut self, other: S) {
        *self = *self + other;
    }
}

impl Sub for S {
    type Output = S;
    fn sub(self, other: S) -> S {
        S(self.0 - other.0, self.1 - other.1)
    }
}

impl SubAssign for S {
    fn sub_assign(&mut self, other: S) {
        *self = *self - other;
    }
}

impl Neg for S {
    type Output = S;
    fn neg(self) -> S {
        S(-self.0, -self.1)
    }
}

impl Mul<i32> for S {
    type Output = S;
    fn mul(self, factor: i32) -> S {
        S(self.0 * factor, self.1 * factor)
    }
}

impl MulAssign<i32> for S {
    fn mul_assign(&mut self, factor: i32) {
        *self = *self * factor;
    }
}

impl Sum for S {
    fn sum<I: Iterator<Item = S>>(values: I) -> S {
        values.fold(S::ZERO, Add::add)
    }
}

/// The right to move.
pub const TEMPO: S = S(14, 6);

/// Piece values; the king's never matters.
pub const MATERIAL: [S; 6] = [
    S(80, 100),
    S(320, 290),
    S(330, 305),
    S(470, 510),
    S(960, 930),
    S(0, 0),
];

/// Two bishops or more.
pub const BISHOP_PAIR: S = S(26, 46);

/// Piece-square tables: a1 = 0, h8 = 63, from the piece's own side.
pub const PST: [[S; 64]; 6] = [
    [
        S(0, 0),
        S(0, 0),
        S(0, 0),
        S(0, 0),
        S(0, 0),
        S(0, 0),
        S(0, 0),
        S(0, 0),
        S(-4, 4),
        S(2, 6),
        S(0, 8),
        S(-14, 6),
        S(-14, 6),
        S(0, 8),
        S(2, 6),
        S(-4, 4),
        S(-4, 2),
        S(0, 4),
        S(2, 2),
        S(0, 4),
        S(0, 4),
        S(2, 2),
        S(0, 4),
        S(-4, 2),
        S(-8, 8),
        S(-4, 6),
        S(6, 0),
        S(16, -2),
        S(16, -2),
        S(6, 0),
        S(-4, 6),
        S(-8, 8),
        S(-2, 18),
        S(2, 14),
        S(8, 8),
        S(22, 4),
        S(22, 4),
        S(8, 8),
        S(2, 14),
        S(-2, 18),
        S(8, 44),
        S(12, 40),
        S(24, 32),
        S(30, 26),
        S(30, 26),
        S(24, 32),
        S(12, 40),
        S(8, 44),
        S(50, 90),
        S(50, 84),
        S(50, 76),
        S(50, 70),
        S(50, 70),
        S(50, 76),
        S(50, 84),
        S(50, 90),
        S(0, 0),
        S(0, 0),
        S(0, 0),
        S(0, 0),
        S(0, 0),
        S(0, 0),
        S(0, 0),
        S(0, 0),
    ],
    [
        S(-60, -44),
        S(-24, -34),
        S(-26, -24),
        S(-20, -18),
        S(-20, -18),
        S(-26, -24),
        S(-24, -34),
        S(-60, -44),
        S(-24, -32),
        S(-18, -18),
        S(-2, -10),
        S(4, -4),
        S(4, -4),
        S(-2, -10),
        S(-18, -18),
        S(-24, -32),
        S(-18, -22),
        S(2, -8),
        S(10, 2),
        S(14, 12),
        S(14, 12),
        S(10, 2),
        S(2, -8),
        S(-18, -22),
        S(-6, -12),
        S(4, 0),
        S(16, 14),
        S(20, 20),
        S(20, 20),
        S(16, 14),
        S(4, 0),
        S(-6, -12),
        S(2, -12),
        S(10, 2),
        S(20, 16),
        S(24, 22),
        S(24, 22),
        S(20, 16),
        S(10, 2),
        S(2, -12),
        S(4, -20),
        S(16, -6),
        S(28, 10),
        S(30, 14),
        S(30, 14),
        S(28, 10),
        S(16, -6),
        S(4, -20),
        S(-14, -30),
        S(-4, -18),
        S(16, -8),
        S(20, 0),
        S(20, 0),
        S(16, -8),
        S(-4, -18),
        S(-14, -30),
        S(-70, -52),
        S(-32, -36),
        S(-20, -22),
        S(-14, -18),
        S(-14, -18),
        S(-20, -22),
        S(-32, -36),
        S(-70, -52),
    ],
    [
        S(-14, -20),
        S(-8, -12),
        S(-12, -14),
        S(-10, -6),
        S(-10, -6),
        S(-12, -14),
        S(-8, -12),
        S(-14, -20),
        S(2, -12),
        S(14, -8),
        S(6, -4),
        S(4, 0),
        S(4, 0),
        S(6, -4),
        S(14, -8),
        S(2, -12),
        S(0, -8),
        S(10, 0),
        S(8, 4),
        S(8, 8),
        S(8, 8),
        S(8, 4),
        S(10, 0),
        S(0, -8),
        S(-2, -6),
        S(4, 2),
        S(8, 8),
        S(18, 10),
        S(18, 10),
        S(8, 8),
        S(4, 2),
        S(-2, -6),
        S(-6, -4),
        S(6, 4),
        S(10, 8),
        S(20, 12),
        S(20, 12),
        S(10, 8),
        S(6, 4),
        S(-6, -4),
        S(-4, -4),
        S(8, 2),
        S(14, 4),
        S(12, 8),
        S(12, 8),
        S(14, 4),
        S(8, 2),
        S(-4, -4),
        S(-18, -10),
        S(-4, -4),
        S(0, 0),
        S(-2, 0),
        S(-2, 0),
        S(0, 0),
        S(-4, -4),
        S(-18, -10),
        S(-22, -16),
        S(-14, -12),
        S(-16, -10),
        S(-12, -8),
        S(-12, -8),
        S(-16, -10),
        S(-14, -12),
        S(-22, -16),
    ],
    [
        S(-8, -6),
        S(-2, -2),
        S(6, 0),
        S(12, 0),
        S(12, 0),
        S(6, 0),
        S(-2, -2),
        S(-8, -6),
        S(-16, -6),
        S(-4, -4),
        S(0, 0),
        S(4, 0),
        S(4, 0),
        S(0, 0),
        S(-4, -4),
        S(-16, -6),
        S(-14, -4),
        S(-4, 0),
        S(0, -2),
        S(2, -2),
        S(2, -2),
        S(0, -2),
        S(-4, 0),
        S(-14, -4),
        S(-12, 2),
        S(-4, 4),
        S(-2, 4),
        S(2, 2),
        S(2, 2),
        S(-2, 4),
        S(-4, 4),
        S(-12, 2),
        S(-8, 6),
        S(0, 6),
        S(4, 6),
        S(8, 4),
        S(8, 4),
        S(4, 6),
        S(0, 6),
        S(-8, 6),
        S(-2, 8),
        S(6, 8),
        S(10, 6),
        S(12, 4),
        S(12, 4),
        S(10, 6),
        S(6, 8),
        S(-2, 8),
        S(12, 10),
        S(16, 10),
        S(20, 10),
        S(24, 8),
        S(24, 8),
        S(20, 10),
        S(16, 10),
        S(12, 10),
        S(4, 10),
        S(6, 10),
        S(8, 10),
        S(10, 10),
        S(10, 10),
        S(8, 10),
        S(6, 10),
        S(4, 10),
    ],
    [
        S(-12, -30),
        S(-10, -26),
        S(-4, -22),
        S(2, -16),
        S(2, -16),
        S(-4, -22),
        S(-10, -26),
        S(-12, -30),
        S(-8, -24),
        S(-2, -18),
        S(6, -12),
        S(4, -4),
        S(4, -4),
        S(6, -12),
        S(-2, -18),
        S(-8, -24),
        S(-4, -14),
        S(4, -4),
        S(2, 8),
        S(0, 10),
        S(0, 10),
        S(2, 8),
        S(4, -4),
        S(-4, -14),
        S(-2, -8),
        S(0, 6),
        S(-2, 14),
        S(-2, 24),
        S(-2, 24),
        S(-2, 14),
        S(0, 6),
        S(-2, -8),
        S(-4, -4),
        S(-2, 10),
        S(0, 18),
        S(2, 28),
        S(2, 28),
        S(0, 18),
        S(-2, 10),
        S(-4, -4),
        S(2, -10),
        S(4, 6),
        S(8, 18),
        S(10, 26),
        S(10, 26),
        S(8, 18),
        S(4, 6),
        S(2, -10),
        S(-6, -12),
        S(-10, 4),
        S(4, 14),
        S(6, 20),
        S(6, 20),
        S(4, 14),
        S(-10, 4),
        S(-6, -12),
        S(-4, -10),
        S(4, 2),
        S(8, 8),
        S(10, 12),
        S(10, 12),
        S(8, 8),
        S(4, 2),
        S(-4, -10),
    ],
    [
        S(16, -54),
        S(32, -34),
        S(4, -24),
        S(-12, -26),
        S(-12, -26),
        S(4, -24),
        S(32, -34),
        S(16, -54),
        S(18, -32),
        S(16, -14),
        S(-10, -4),
        S(-26, 0),
        S(-26, 0),
        S(-10, -4),
        S(16, -14),
        S(18, -32),
        S(-14, -20),
        S(-20, -4),
        S(-28, 8),
        S(-36, 12),
        S(-36, 12),
        S(-28, 8),
        S(-20, -4),
        S(-14, -20),
        S(-26, -14),
        S(-34, 6),
        S(-44, 18),
        S(-52, 24),
        S(-52, 24),
        S(-44, 18),
        S(-34, 6),
        S(-26, -14),
        S(-34, -6),
        S(-44, 16),
        S(-52, 26),
        S(-60, 30),
        S(-60, 30),
        S(-52, 26),
        S(-44, 16),
        S(-34, -6),
        S(-40, -4),
        S(-50, 20),
        S(-58, 28),
        S(-66, 32),
        S(-66, 32),
        S(-58, 28),
        S(-50, 20),
        S(-40, -4),
        S(-46, -16),
        S(-56, 10),
        S(-64, 16),
        S(-72, 20),
        S(-72, 20),
        S(-64, 16),
        S(-56, 10),
        S(-46, -16),
        S(-52, -48),
        S(-60, -24),
        S(-70, -14),
        S(-80, -10),
        S(-80, -10),
        S(-70, -14),
        S(-60, -24),
        S(-52, -48),
    ],
];

/// By number of safe squares attacked.
pub const KNIGHT_MOBILITY: [S; 9] = [
    S(-50, -60),
    S(-28, -34),
    S(-16, -20),
    S(-6, -10),
    S(2, 0),
    S(10, 8),
    S(18, 16),
    S(24, 24),
    S(30, 30),
];

/// By number of safe squares attacked.
pub const BISHOP_MOBILITY: [S; 14] = [
    S(-40, -56),
    S(-18, -26),
    S(-8, -12),
    S(2, -2),
    S(10, 8),
    S(16, 16),
    S(22, 24),
    S(28, 30),
    S(34, 38),
    S(40, 44),
    S(46, 50),
    S(50, 56),
    S(56, 60),
    S(60, 66),
];

/// By number of safe squares attacked.
pub const ROOK_MOBILITY: [S; 15] = [
    S(-48, -70),
    S(-30, -36),
    S(-20, -18),
    S(-14, -2),
    S(-6, 10),
    S(0, 22),
    S(4, 32),
    S(10, 42),
    S(14, 52),
    S(20, 60),
    S(24, 68),
    S(28, 78),
    S(32, 84),
    S(36, 92),
    S(40, 100),
];

/// By number of safe squares attacked.
pub const QUEEN_MOBILITY: [S; 28] = [
    S(-30, -44),
    S(-16, -20),
    S(-10, -8),
    S(-4, 2),
    S(2, 12),
    S(6, 20),
    S(10, 26),
    S(14, 34),
    S(18, 40),
    S(22, 46),
    S(26, 52),
    S(28, 58),
    S(32, 62),
    S(34, 68),
    S(38, 74),
    S(40, 78),
    S(44, 84),
    S(46, 88),
    S(48, 92),
    S(50, 96),
    S(54, 102),
    S(56, 106),
    S(58, 110),
    S(60, 114),
    S(64, 118),
    S(66, 122),
    S(68, 126),
    S(70, 130),
];

/// A knight that a pawn defends and no enemy pawn can ever attack.
pub const KNIGHT_OUTPOST: S = S(26, 18);

/// A bishop on such a square.
pub const BISHOP_OUTPOST: S = S(18, 8);

/// A rook on a file without pawns.
pub const ROOK_OPEN_FILE: S = S(36, 8);

/// A rook on a file with enemy pawns only.
pub const ROOK_HALF_OPEN_FILE: S = S(16, 6);

/// A rook on its seventh rank.
pub const ROOK_ON_SEVENTH: S = S(8, 22);

/// A pawn with another of its own in front on the file, by rank, second to seventh.
pub const DOUBLED_PAWN: [S; 6] = [
    S(-8, -22),
    S(-10, -20),
    S(-10, -18),
    S(-8, -16),
    S(-8, -16),
    S(-8, -16),
];

/// A pawn without its own pawns on neighbouring files, by rank.
pub const ISOLATED_PAWN: [S; 6] = [
    S(-12, -14),
    S(-12, -14),
    S(-14, -12),
    S(-12, -10),
    S(-8, -8),
    S(-8, -8),
];

/// A pawn that no neighbour can support and whose next square an enemy pawn controls, by rank.
pub const BACKWARD_PAWN: [S; 6] = [
    S(-12, -12),
    S(-12, -12),
    S(-10, -10),
    S(-8, -8),
    S(-6, -6),
    S(0, 0),
];

/// A pawn defended by a pawn, by rank.
pub const SUPPORTED_PAWN: [S; 6] = [S(0, 0), S(10, 6), S(10, 6), S(16, 12), S(30, 24), S(50, 30)];

/// A pawn with a neighbour on the same rank, by rank.
pub const PHALANX_PAWN: [S; 6] = [S(4, 0), S(8, 4), S(12, 8), S(20, 18), S(34, 30), S(50, 40)];

/// A pawn that no enemy pawn can stop, by rank.
pub const PASSED_PAWN: [S; 6] = [
    S(0, 8),
    S(2, 12),
    S(6, 28),
    S(20, 54),
    S(46, 90),
    S(80, 130),
];

/// An enemy piece on the square in front of a passed pawn, by the pawn's rank.
pub const BLOCKED_PASSED_PAWN: [S; 6] = [
    S(-2, -4),
    S(-2, -6),
    S(-6, -14),
    S(-12, -26),
    S(-20, -44),
    S(-28, -60),
];

/// Distance of the own king from the square in front of a passed pawn.
pub const PASSED_OWN_KING: [S; 8] = [
    S(0, 16),
    S(0, 16),
    S(0, 10),
    S(0, 4),
    S(0, 0),
    S(0, -6),
    S(0, -8),
    S(0, -10),
];

/// Distance of the enemy king from the square in front of a passed pawn.
pub const PASSED_ENEMY_KING: [S; 8] = [
    S(0, -30),
    S(0, -24),
    S(0, -10),
    S(0, 4),
    S(0, 14),
    S(0, 20),
    S(0, 24),
    S(0, 26),
];

/// A pawn attacks a piece.
pub const THREAT_BY_PAWN: [S; 4] = [S(44, 24), S(46, 30), S(60, 20), S(56, 20)];

/// A knight or bishop attacks a piece, or a pawn that no pawn defends.
pub const THREAT_BY_MINOR: [S; 5] = [S(4, 16), S(18, 20), S(20, 22), S(44, 22), S(40, 28)];

/// A rook attacks a piece or pawn that no pawn defends.
pub const THREAT_BY_ROOK: [S; 5] = [S(2, 16), S(14, 22), S(16, 22), S(4, 12), S(38, 24)];

/// A piece or pawn that is attacked and not defended.
pub const HANGING: [S; 5] = [S(10, 18), S(26, 24), S(26, 24), S(28, 20), S(16, 16)];

/// The own pawn nearest to the king's rank or beyond, by distance of its file from the king's (0, 1) and of its rank; entry 0 where there is none.
pub const SHELTER: [[S; 7]; 2] = [
    [
        S(0, 0),
        S(30, 0),
        S(22, 0),
        S(10, 0),
        S(6, 0),
        S(4, 0),
        S(2, 0),
    ],
    [
        S(0, 0),
        S(28, 0),
        S(20, 0),
        S(6, 0),
        S(4, 0),
        S(2, 0),
        S(2, 0),
    ],
];

/// The enemy pawn nearest to the king's rank or beyond, counted in the same way.
pub const STORM: [[S; 7]; 2] = [
    [
        S(0, 0),
        S(4, 0),
        S(-20, 0),
        S(-14, 0),
        S(-6, 0),
        S(-2, 0),
        S(0, 0),
    ],
    [
        S(0, 0),
        S(-6, 0),
        S(-24, 0),
        S(-14, 0),
        S(-6, 0),
        S(-2, 0),
        S(0, 0),
    ],
];

/// Each square next to the enemy king that a piece attacks.
pub const KING_RING_ATTACK: [S; 4] = [S(8, -2), S(8, 0), S(10, -2), S(8, 4)];

/// How many pieces attack squares next to the enemy king; 7 stands for more as well.
pub const KING_ATTACKERS: [S; 8] = [
    S(0, 0),
    S(-6, 0),
    S(8, 0),
    S(28, 0),
    S(52, 0),
    S(76, 0),
    S(96, 0),
    S(110, 0),
];

/// Each undefended square from which a piece could give check.
pub const SAFE_CHECK: [S; 4] = [S(24, 2), S(16, 4), S(28, 2), S(18, 8)];

#[cfg(feature = "tune")]
::tuner_core::traced!();
