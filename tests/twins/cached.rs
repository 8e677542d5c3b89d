//! A file whose terms come from a cache and from what moves keep up to date:
//! the twin computes them from scratch. Its other mistakes are where the
//! traced score never comes.

use std::cell::Cell;
use std::ops::{Add, Mul, Shl};

pub const MAN: i32 = 100;
pub const ROWS: [i32; 3] = [4, -7, 11];
pub const MOBILITY: i32 = 6;

thread_local! {
    static CACHE: Cell<Option<(i32, i32)>> = const { Cell::new(None) };
}

pub struct Camp {
    pub men: [i32; 3],
    /// What a move adds and takes.
    pub material: i32,
}

/// A score that knows what a mate is.
#[derive(Clone, Copy)]
pub struct Verdict {
    score: i32,
}

impl Verdict {
    pub const fn new(score: i32) -> Self {
        Self { score }
    }

    pub const fn raw(self) -> i32 {
        self.score
    }

    pub fn is_mate(self) -> bool {
        self.score.saturating_abs() > 30_000
    }
}

impl Shl<()> for Verdict {
    type Output = Self;
    fn shl(self, (): ()) -> Self {
        let sign = if self.is_mate() {
            self.score.signum()
        } else {
            0
        };
        Self::new(self.score.saturating_sub(sign))
    }
}

macro_rules! operators {
    ($($operator:ident $function:ident),*) => {
        $(
            impl $operator for Verdict {
                type Output = Self;
                fn $function(self, other: Self) -> Self {
                    Self::new(self.score.$function(other.score))
                }
            }
        )*
    };
}
operators!(Add add, Mul mul);

impl Camp {
    pub fn set_up(men: [i32; 3]) -> Self {
        let material = MAN * men.iter().sum::<i32>();
        Self { men, material }
    }

    pub fn evaluate(&self) -> Verdict {
        Verdict::new(
            self.material() + rows(self, self.men[0] + 16 * self.men[1] + 256 * self.men[2]),
        ) + Verdict::new(MOBILITY * self.men[2])
    }

    fn material(&self) -> i32 {
        self.material
    }

    #[allow(dead_code, reason = "for the twin")]
    fn counted(&self) -> i32 {
        MAN * self.men.iter().sum::<i32>()
    }
}

fn rows(board: &Camp, key: i32) -> i32 {
    if let Some((known, score)) = CACHE.get()
        && known == key
    {
        return score;
    }
    let score = rows_from_scratch(board, key);
    CACHE.set(Some((key, score)));
    score
}

fn rows_from_scratch(board: &Camp, _: i32) -> i32 {
    let men = board.men.iter().zip(ROWS);
    men.map(|(&count, value)| count * value).sum()
}

#[cfg(feature = "tune")]
tuner_core::traced!(
    untraced(set_up, is_mate, shl),
    replaced(material => counted, rows => rows_from_scratch)
);

#[cfg(test)]
mod tests {
    use super::{__traced::*, Camp};
    use crate::support::{assert_derivatives, derivatives};

    #[test]
    fn what_is_kept_elsewhere_is_computed_from_scratch() {
        for men in [[0, 1, 2], [5, 3, 1], [5, 3, 9], [2, 2, 2]] {
            let board = Camp::set_up(men);
            let (score, ..) = derivatives(|| board.__traced_evaluate().raw());
            assert_eq!(score, f64::from(board.evaluate().raw()));
        }
        let board = Camp::set_up([5, 3, 1]);
        assert_derivatives(
            || board.__traced_evaluate().raw(),
            &[
                ("MAN0", 9.0),
                ("MOBILITY0", 1.0),
                ("ROWS0", 5.0),
                ("ROWS1", 3.0),
                ("ROWS2", 1.0),
            ],
        );
    }
}
