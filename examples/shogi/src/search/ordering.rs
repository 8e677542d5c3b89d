//! Which move to try first: the table's move, captures, killers, history.

use tuner_shogi::{Color, Move, MoveList, PieceType, Position, Square, attacks};

use super::MAX_PLY;

/// Values for exchanges, by the index of the kind. They order moves and bound
/// captures; they are no part of the evaluation.
const EXCHANGE: [i32; PieceType::COUNT] = [
    100, 330, 390, 540, 600, 900, 1050, 10_000, 600, 590, 590, 600, 1130, 1380,
];

const TABLE_MOVE: i32 = 1_000_000;
const CAPTURE: i32 = 500_000;
const KILLER: i32 = 400_000;
/// Larger than any history score.
const HISTORY_LIMIT: i32 = 16_384;

/// What changes when a piece is taken: one side loses what is on the board,
/// the other has it in hand.
pub(super) fn exchange_value(kind: PieceType) -> i32 {
    EXCHANGE[kind.index()] + EXCHANGE[kind.unpromoted().index()]
}

/// Returns what a move gains at once: the captured piece, and by promotion.
pub(super) fn immediate_gain(pos: &Position, m: Move) -> i32 {
    let captured = pos
        .captured(m)
        .map_or(0, |piece| exchange_value(piece.kind));
    let promoted = match pos.moved(m) {
        Some(kind) if m.promotes() => kind.promoted().map_or(0, |promoted| {
            EXCHANGE[promoted.index()] - EXCHANGE[kind.index()]
        }),
        _ => 0,
    };
    captured + promoted
}

/// Neither a capture nor a promotion.
pub(super) fn is_quiet(pos: &Position, m: Move) -> bool {
    !pos.is_tactical(m)
}

/// Whether the piece that moves gives check where it arrives. Checks that a
/// move uncovers are not seen.
pub(super) fn gives_check(pos: &Position, m: Move) -> bool {
    let Some(kind) = pos.moved(m) else {
        return false;
    };
    let kind = match kind.promoted() {
        Some(promoted) if m.promotes() => promoted,
        _ => kind,
    };
    let us = pos.turn();
    attacks(kind, us, m.to(), pos.occupied()).contains(pos.king(us.other()))
}

/// Whether a pawn, bishop or rook could promote and does not, which only helps
/// in problems: what promotes does all that it did before.
pub(super) fn is_pointless(pos: &Position, m: Move) -> bool {
    let us = pos.turn();
    let camp = |square: Square| square.relative_rank(us) <= 3;
    let loses_nothing = matches!(
        pos.moved(m),
        Some(PieceType::Pawn | PieceType::Bishop | PieceType::Rook)
    );
    loses_nothing && !m.promotes() && m.from().is_some_and(|from| camp(from) || camp(m.to()))
}

/// Two quiet moves a ply that refuted a sister position.
#[derive(Debug)]
pub(super) struct Killers(Vec<[Option<Move>; 2]>);

impl Killers {
    pub(super) fn new() -> Killers {
        Killers(vec![[None; 2]; MAX_PLY + 1])
    }

    pub(super) fn add(&mut self, ply: usize, m: Move) {
        let [first, second] = &mut self.0[ply];
        if *first != Some(m) {
            *second = first.replace(m);
        }
    }
}

/// The squares, and the hand's seven kinds.
const ORIGINS: usize = Square::COUNT + PieceType::IN_HAND.len();

/// How often a quiet move, by side, origin and target, was a refutation.
#[derive(Debug)]
pub(super) struct History(Vec<i32>);

impl History {
    pub(super) fn new() -> History {
        History(vec![0; 2 * ORIGINS * Square::COUNT])
    }

    /// Halves all scores, so that those of a new search soon prevail.
    pub(super) fn fade(&mut self) {
        for score in &mut self.0 {
            *score /= 2;
        }
    }

    pub(super) fn get(&self, us: Color, m: Move) -> i32 {
        self.0[index(us, m)]
    }

    /// Adds a bonus to the refutation, and a malus to the quiet moves before it.
    pub(super) fn update(&mut self, us: Color, refutation: Move, before: &[Move], depth: i32) {
        let bonus = (depth * depth).min(400);
        self.add(us, refutation, bonus);
        for &m in before {
            self.add(us, m, -bonus);
        }
    }

    /// Moves a score towards the limit, by less the nearer it is.
    fn add(&mut self, us: Color, m: Move, bonus: i32) {
        let score = &mut self.0[index(us, m)];
        *score += bonus - *score * bonus.abs() / HISTORY_LIMIT;
    }
}

fn index(us: Color, m: Move) -> usize {
    let dropped = m.dropped().map_or(0, PieceType::index);
    let origin = m.from().map_or(Square::COUNT + dropped, Square::index);
    (us.index() * ORIGINS + origin) * Square::COUNT + m.to().index()
}

/// Returns moves best first, and sorts no more of them than are taken.
pub(super) struct Picker {
    moves: Vec<(i32, Move)>,
    next: usize,
}

impl Picker {
    /// Orders captures by the most valuable victim, then by the least
    /// valuable attacker.
    pub(super) fn captures(pos: &Position, moves: &MoveList) -> Picker {
        Picker::new(pos, moves, |m| capture_score(pos, m))
    }

    /// Orders all moves of a position.
    pub(super) fn all(
        pos: &Position,
        moves: &MoveList,
        table_move: Option<Move>,
        killers: &Killers,
        history: &History,
        ply: usize,
    ) -> Picker {
        let (us, killers) = (pos.turn(), killers.0[ply]);
        Picker::new(pos, moves, |m| {
            if Some(m) == table_move {
                TABLE_MOVE
            } else if !is_quiet(pos, m) {
                CAPTURE + capture_score(pos, m)
            } else if let Some(rank) = killers.iter().position(|&killer| killer == Some(m)) {
                KILLER - rank as i32
            } else {
                history.get(us, m)
            }
        })
    }

    fn new(pos: &Position, moves: &MoveList, score: impl Fn(Move) -> i32) -> Picker {
        let useful = moves.iter().filter(|m| !is_pointless(pos, **m));
        Picker {
            moves: useful.map(|&m| (score(m), m)).collect(),
            next: 0,
        }
    }
}

fn capture_score(pos: &Position, m: Move) -> i32 {
    let own = pos.moved(m).map_or(0, exchange_value);
    16 * immediate_gain(pos, m) - own / 16
}

impl Iterator for Picker {
    type Item = Move;

    fn next(&mut self) -> Option<Move> {
        let rest = &self.moves[self.next..];
        // The first of the best, so that the order is deterministic.
        let best = rest.iter().enumerate().rev();
        let (best, _) = best.max_by_key(|&(_, (score, _))| *score)?;
        self.moves.swap(self.next + best, self.next);
        self.next += 1;
        Some(self.moves[self.next - 1].1)
    }
}
