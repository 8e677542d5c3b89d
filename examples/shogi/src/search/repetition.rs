//! Repetitions: a draw, unless one side gave check with every move.

use tuner_shogi::Position;

use super::MATE_BOUND;

/// The score against perpetual check, which the rules forbid: above any
/// evaluation, and below a mate, because the opponent can still deviate.
pub const FORBIDDEN: i32 = MATE_BOUND - 1;

/// A position of a game or a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visit {
    /// [`Position::key`].
    pub key: u64,
    /// Whether the side to move was in check.
    pub check: bool,
}

impl Visit {
    /// Returns what later positions are compared with.
    pub fn of(pos: &Position) -> Visit {
        Visit {
            key: pos.key(),
            check: pos.is_check(),
        }
    }
}

/// Scores a repeated position from the side to move; `None` if it is not
/// repeated. `path` holds the positions before it, oldest first.
///
/// By the rules the fourth occurrence counts. Here the second does: a side that
/// repeats once can repeat again.
pub(super) fn score(path: &[Visit], now: Visit) -> Option<i32> {
    let before = path.iter().rev().skip(1).step_by(2);
    let back = before.take_while(|visit| visit.key != now.key).count();
    let first = path.len().checked_sub(2 * (back + 1))?;
    // From there on the sides alternate, the one to move now first.
    let since = &path[first..];
    let us_in_check = now.check && since.iter().step_by(2).all(|visit| visit.check);
    let them_in_check = since.iter().skip(1).step_by(2).all(|visit| visit.check);
    Some(match (us_in_check, them_in_check) {
        (true, _) => FORBIDDEN,
        (false, true) => -FORBIDDEN,
        (false, false) => 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(visits: &[(u64, bool)]) -> Vec<Visit> {
        let visit = |&(key, check)| Visit { key, check };
        visits.iter().map(visit).collect()
    }

    fn at(visits: &[(u64, bool)], now: (u64, bool)) -> Option<i32> {
        let (key, check) = now;
        score(&path(visits), Visit { key, check })
    }

    #[test]
    fn a_new_position_is_no_repetition() {
        assert_eq!(at(&[], (1, false)), None);
        assert_eq!(at(&[(1, false)], (1, false)), None);
        assert_eq!(at(&[(2, false), (3, false)], (1, false)), None);
        // Two plies ago it was the same side's turn, one ply ago it was not.
        assert_eq!(at(&[(1, false), (3, false)], (1, false)), Some(0));
        assert_eq!(at(&[(2, false), (1, false), (3, false)], (2, false)), None);
    }

    #[test]
    fn whoever_checks_for_ever_loses() {
        let round = |us, them| {
            let path = [(9, false), (1, us), (2, them), (3, us), (4, them)];
            at(&path, (1, us))
        };
        assert_eq!(round(false, false), Some(0));
        assert_eq!(round(true, false), Some(FORBIDDEN));
        assert_eq!(round(false, true), Some(-FORBIDDEN));
        // One quiet move on the way.
        let path = [(1, true), (2, false), (3, false), (4, false)];
        assert_eq!(at(&path, (1, true)), Some(0));
    }
}
