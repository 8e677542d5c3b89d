//! Impasse: when a side may declare a win with an entered king.

use super::{Color, PieceType, Position, Squares};

/// Pieces, other than the king, that must have come to the enemy's camp.
const PIECES: u32 = 10;

impl Position {
    /// Tells whether the side to move may declare a win by impasse
    /// (nyūgyoku-sengen), by the 27-point rule of the Computer Shogi
    /// Association (rules of the World Computer Shogi Championship, article
    /// 25), which engines know as `CSARule27`:
    ///
    /// 1. its king is in the enemy's camp, the three farthest ranks;
    /// 2. it is not in check;
    /// 3. ten more of its pieces are in that camp;
    /// 4. these ten or more and its hand are worth 28 points for sente, 27 for
    ///    gote: five for a rook or bishop, promoted or not, one for others.
    ///
    /// Handicap games need the same points. The fifth condition of the rule, that
    /// the declaring side has time left, is not checked here.
    pub fn may_declare(&self) -> bool {
        let us = self.turn();
        let camp = Squares::promotion_zone(us);
        if self.is_check() || !camp.contains(self.king(us)) {
            return false;
        }
        // The king is one of these pieces, so there must be more than ten.
        let inside = self.color(us) & camp;
        inside.count() > PIECES && self.points(us) >= needed(us)
    }

    /// Counts the points of a side by the 27-point rule: five for a rook or bishop, one for others,
    /// of its pieces in the enemy's camp and in hand.
    pub(super) fn points(&self, color: Color) -> u32 {
        let worth = |kind: PieceType| match kind.unpromoted() {
            PieceType::Bishop | PieceType::Rook => 5,
            PieceType::King => 0,
            _ => 1,
        };
        let camp = Squares::promotion_zone(color);
        let inside = self
            .on_board()
            .filter(|(square, piece)| piece.color == color && camp.contains(*square));
        let inside = inside.map(|(_, piece)| worth(piece.kind));
        let in_hand = self.hand(color).pieces();
        let in_hand = in_hand.map(|(kind, count)| worth(kind) * u32::from(count));
        inside.chain(in_hand).sum()
    }
}

/// Returns the points that a side needs to declare a win by the 27-point rule: 28 for sente, 27 for
/// gote.
const fn needed(color: Color) -> u32 {
    [28, 27][color.index()]
}
