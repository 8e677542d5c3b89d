//! A small engine of marked items: the pair type in a module of its own with
//! its operators, generic sides, a running evaluation that borrows the board.

#![deny(warnings)]
use tuner_core::tunable;

pub mod scores {
    use std::ops::*;
    #[tuner_core::tunable]
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
    pub struct Score {
        pub mg: i16,
        pub eg: i16,
    }
    #[tuner_core::tunable]
    impl Score {
        pub const fn new(mg: i16, eg: i16) -> Self {
            Self { mg, eg }
        }
        pub const ZERO: Score = Score::new(0, 0);
        pub fn interpolate(self, phase: i32) -> i32 {
            let Score { mg, eg } = self;
            (i32::from(mg) * phase + eg as i32 * (24 - phase)) / 24
        }
    }
    #[tuner_core::tunable]
    impl Add for Score {
        type Output = Self;
        fn add(self, o: Self) -> Self {
            Self::new(self.mg + o.mg, self.eg + o.eg)
        }
    }
    #[tuner_core::tunable]
    impl Sub for Score {
        type Output = Self;
        fn sub(self, o: Self) -> Self {
            Self {
                mg: self.mg - o.mg,
                eg: self.eg - o.eg,
            }
        }
    }
    #[tuner_core::tunable]
    impl AddAssign for Score {
        fn add_assign(&mut self, o: Self) {
            *self = *self + o;
        }
    }
    #[tuner_core::tunable]
    impl Mul<i16> for Score {
        type Output = Self;
        fn mul(self, k: i16) -> Self {
            Self::new(self.mg * k, self.eg * k)
        }
    }
    #[tuner_core::tunable]
    impl Neg for Score {
        type Output = Self;
        fn neg(self) -> Self {
            Self::new(-self.mg, -self.eg)
        }
    }
    #[tuner_core::tunable]
    impl std::iter::Sum for Score {
        fn sum<I: Iterator<Item = Self>>(it: I) -> Self {
            it.fold(Self::ZERO, |a, b| a + b)
        }
    }
}

macro_rules! s {
    ($mg:expr, $eg:expr) => {
        Score::new($mg, $eg)
    };
}

pub mod tables {
    use super::scores::Score;
    #[tuner_core::tunable]
    pub const PST: [[Score; 4]; 2] = [
        [Score::new(1, 2); 4],
        [
            Score::new(3, 4),
            Score::new(5, 6),
            Score::new(7, 8),
            Score::new(-9, -10),
        ],
    ];
    #[tuner_core::tunable]
    pub const TEMPO: Score = s!(10, 0);
    #[tuner_core::tunable]
    pub const BISHOPS: Score = TEMPO;
    #[tuner_core::tunable]
    pub static HANGING: [Score; 2] = [Score { mg: 3, eg: 4 }, BISHOPS];
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Color {
    White,
    Black,
}
pub trait Side {
    const COLOR: Color;
    fn sign() -> i16;
}
pub struct White;
pub struct Black;
impl Side for White {
    const COLOR: Color = Color::White;
    fn sign() -> i16 {
        1
    }
}
impl Side for Black {
    const COLOR: Color = Color::Black;
    fn sign() -> i16 {
        -1
    }
}

pub struct Board {
    pub squares: [Vec<usize>; 2],
    pub stm: Color,
    pub phase: i32,
}

/// A running evaluation.
#[tunable]
pub struct Evaluator<'a> {
    board: &'a Board,
    score: scores::Score,
    extra: (i32, i32),
    terms: Vec<i32>,
}

#[tunable]
impl<'a> Evaluator<'a> {
    pub fn new(board: &'a Board) -> Self {
        Evaluator {
            board,
            score: scores::Score::ZERO,
            extra: (0, 0),
            terms: Vec::new(),
        }
    }
    fn side<S: Side>(&mut self) {
        let index = if S::COLOR == Color::White { 0 } else { 1 };
        for &sq in &self.board.squares[index] {
            self.score += tables::PST[index][sq] * S::sign();
        }
        self.extra.0 += KNIGHTS[0].0 * 2;
        let r = &mut self.extra.1;
        *r += KNIGHTS[1].1;
        self.terms.push(BONUS.0);
    }
    pub fn run(mut self) -> i32 {
        self.side::<White>();
        self.side::<Black>();
        let mut score = self.score;
        score += match self.board.stm {
            Color::White => tables::TEMPO,
            Color::Black => -tables::TEMPO,
        };
        score += tables::HANGING.iter().copied().sum();
        score.interpolate(self.board.phase) + self.extra.0 - self.extra.1
            + self.terms.iter().sum::<i32>()
    }
}

#[tunable]
#[derive(Clone, Copy)]
pub struct Wrapped(i32);

#[tunable]
const BONUS: Wrapped = Wrapped(-12);

#[tunable]
const KNIGHTS: [(i32, i32); 2] = [(1, 2), (3, 4)];

#[tunable]
pub fn evaluate(board: &Board) -> i32 {
    if board.squares[0].is_empty() && board.squares[1].is_empty() {
        return 0;
    }
    let score = Evaluator::new(board).run();
    let score = score + free(board).interpolate(board.phase);
    if board.stm == Color::White {
        score
    } else {
        -score
    }
}

#[tunable]
fn free(board: &Board) -> scores::Score {
    use scores::Score;
    let mut total = Score::default();
    for (i, list) in board.squares.iter().enumerate() {
        let s: Score = list.iter().map(|&sq| tables::PST[i][sq]).sum();
        total = if i == 0 { total + s } else { total - s };
    }
    total += s!(0, 0);
    total += if board.phase > 3 {
        s!(1, 2)
    } else {
        Score::ZERO
    };
    let mut plain = 0;
    plain += if board.phase > 3 { KNIGHTS[0].0 } else { 0 };
    plain =
        3 + match board.phase {
            0 => 0,
            7 => KNIGHTS[1].1 * 2,
            _ => {
                let x = 4;
                x
            }
        } + plain;
    plain -= board
        .squares
        .iter()
        .map(|l| if l.len() > 2 { KNIGHTS[0].1 } else { 0 })
        .sum::<i32>();
    plain += [KNIGHTS[0].0, 0].into_iter().fold(0, |a, b| a - b);
    total.eg += plain as i16;
    let mut rows = [[0; 2]; 3];
    for row in rows.iter_mut() {
        for (k, x) in row.iter_mut().enumerate() {
            *x += KNIGHTS[k].0;
        }
    }
    for x in &mut rows[0] {
        *x -= 1;
    }
    let flat: i32 = rows.iter().flatten().sum();
    let flat2: i32 = rows.iter().flat_map(|r| r.iter()).copied().sum::<i32>()
        + rows.concat().iter().sum::<i32>();
    let best = [KNIGHTS[0].0, 0, 3].iter().sum::<i32>();
    let neg = -(flat + flat2 + best + {
        let f = |a: &Score| a.mg;
        i32::from(f(&tables::TEMPO))
    });
    total.mg += neg as i16;
    let Score { mg: ref a, .. } = total;
    let _b = *a;
    let mut arr: [Score; 2] = [Score::ZERO; 2];
    arr[1] += total;
    std::mem::swap(&mut total, &mut arr[1]);
    total = arr[1];
    total
}

fn main() {
    for stm in [Color::White, Color::Black] {
        for phase in [0, 7, 24] {
            let b = Board {
                squares: [vec![0, 3], vec![1, 2, 2]],
                stm,
                phase,
            };
            let (a, t) = (evaluate(&b), __traced::evaluate(&b));
            assert_eq!(a.to_string(), t.to_string());
        }
    }
    let parameters = tuner_core::registry!().parameters;
    assert_eq!(
        parameters.iter().map(|p| p.values.len()).sum::<usize>(),
        1 + 4 + 16 + 2 + 2
    );
}
