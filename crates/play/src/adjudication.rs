//! When a game is over before the rules end it.

use super::player::Score;
use tuner_game::Outcome;

/// Rules for ending games early. Scores are those of the players themselves,
/// from the first player's side: both have to agree, as they move in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adjudication {
    /// When a game is won by scores; `None`: never.
    pub win: Option<WinRule>,
    /// When a game is drawn by scores; `None`: never.
    pub draw: Option<DrawRule>,
    /// Plies after which it is drawn, the opening's counted.
    pub longest: usize,
}

/// A game is won at a score seen so many plies in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WinRule {
    /// At least this score, in centipawns.
    pub score: i32,
    /// Plies in a row, of both sides.
    pub plies: usize,
}

/// A game is drawn at scores near 0 seen so many plies in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawRule {
    /// At most this score, in centipawns.
    pub score: i32,
    /// Plies in a row, of both sides.
    pub plies: usize,
    /// Not before so many plies of the game.
    pub from: usize,
}

/// Counts of consecutive scores of a game.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Watch {
    /// Scores in a row by which the first player wins, the second wins, and nobody does.
    first: usize,
    second: usize,
    level: usize,
}

impl Watch {
    /// Takes the score of a move, from the first player's side, after `ply` plies of the game, and
    /// returns the result if it decides the game, else `None`. What counts is how many scores in a
    /// row were good enough for a side, or near enough to 0; a ply without a score begins anew.
    pub(super) fn see(
        &mut self,
        score: Option<Score>,
        ply: usize,
        rules: &Adjudication,
    ) -> Option<Outcome> {
        let count = |so_far: usize, holds: bool| if holds { so_far + 1 } else { 0 };
        let score = score.map(Score::bounded);
        if let Some(rule) = rules.win {
            self.first = count(self.first, score.is_some_and(|s| s >= rule.score));
            self.second = count(self.second, score.is_some_and(|s| s <= -rule.score));
            if self.first >= rule.plies {
                return Some(Outcome::Win);
            }
            if self.second >= rule.plies {
                return Some(Outcome::Loss);
            }
        }
        if let Some(rule) = rules.draw {
            let level = score.is_some_and(|s| s.unsigned_abs() <= rule.score.unsigned_abs());
            self.level = count(self.level, level && ply >= rule.from);
            if self.level >= rule.plies {
                return Some(Outcome::Draw);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: Adjudication = Adjudication {
        win: Some(WinRule {
            score: 600,
            plies: 3,
        }),
        draw: Some(DrawRule {
            score: 10,
            plies: 2,
            from: 5,
        }),
        longest: 100,
    };

    fn ends(scores: &[Option<i32>]) -> Option<(usize, Outcome)> {
        let mut watch = Watch::default();
        scores.iter().enumerate().find_map(|(ply, score)| {
            let outcome = watch.see(score.map(Score::Centipawns), ply, &RULES)?;
            Some((ply, outcome))
        })
    }

    #[test]
    fn a_row_decides_and_a_gap_begins_anew() {
        let (win, loss, level) = (Some(600), Some(-700), Some(-10));
        assert_eq!(ends(&[win, win, win]), Some((2, Outcome::Win)));
        assert_eq!(ends(&[loss, loss, loss]), Some((2, Outcome::Loss)));
        assert_eq!(ends(&[win, win, Some(599), win, win]), None);
        assert_eq!(ends(&[win, win, None, win, win]), None);
        assert_eq!(ends(&[win, loss, win, loss, win, loss]), None);
        // Level from the start, and counted from the fifth ply on.
        assert_eq!(ends(&[level; 10]), Some((6, Outcome::Draw)));
    }

    #[test]
    fn mates_count_for_who_gives_them() {
        let mut watch = Watch::default();
        let mut see = |moves| watch.see(Some(Score::Mate(moves)), 0, &RULES);
        assert_eq!((see(3), see(2), see(1)), (None, None, Some(Outcome::Win)));
        assert_eq!(
            (see(-3), see(0), see(-1)),
            (None, None, Some(Outcome::Loss))
        );
        assert_eq!(Score::Mate(0).flipped(), Score::Mate(1));
        assert_eq!(Score::Mate(4).flipped(), Score::Mate(-4));
    }
}
