//! Shapes of engines' evaluations, each with its derivatives found by hand.

use crate::support::{assert_derivatives, derivatives, registry};

mod params {
    //! Re-exports, as a `mod.rs` does.
    pub use super::numbers::*;
}

#[tuner_core::tunable]
mod numbers {
    pub const PAWN: i32 = 100;
    pub const KNIGHT: i32 = 320;
    pub const CURVE: [i32; 4] = [0, 5, 12, 20];
    pub const GRID: [[[i32; 2]; 2]; 2] = [[[1, 2], [3, 4]], [[5, 6], [7, 8]]];
    pub type Pair = (i32, i32);
    pub const ROOK: Pair = (500, 520);
    pub const FILES: [Pair; 2] = [(20, 5), (10, 3)];
    #[allow(non_upper_case_globals, reason = "a name that must be written raw")]
    pub const r#type: i32 = 7;
    pub const NARROW: i16 = -40;
    pub const FLOAT: f64 = 0.5;
    pub static MIRROR: [i32; 4] = mirrored(&CURVE);

    const fn mirrored(table: &[i32; 4]) -> [i32; 4] {
        let mut all = [0; 4];
        let mut index = 0;
        while index < 4 {
            all[index] = table[3 - index];
            index += 1;
        }
        all
    }
}

#[allow(
    clippy::all,
    clippy::pedantic,
    clippy::print_stdout,
    reason = "an engine's code as it is found"
)]
mod bodies {
    use super::numbers::{CURVE as TABLE, KNIGHT as HORSE, Pair};
    use super::params::*;

    pub struct Board {
        pub men: [i32; 4],
        pub side: bool,
    }

    pub trait Evaluate {
        fn value(&self) -> i32;
    }

    impl Evaluate for Board {
        fn value(&self) -> i32 {
            PAWN * self.men[0]
        }
    }

    impl Board {
        fn index(&self) -> usize {
            self.men[1] as usize
        }

        fn own(&self, index: usize) -> i32 {
            TABLE[index] * Self::sign(self.side)
        }

        fn sign(side: bool) -> i32 {
            if side { 1 } else { -1 }
        }
    }

    pub fn trait_method(board: &Board) -> i32 {
        board.value() + board.own(board.index())
    }

    pub fn renamed(board: &Board) -> i32 {
        let mut score = 0;
        score += HORSE * board.men[0];
        score -= TABLE[board.index()];
        score
    }

    pub fn closures(board: &Board) -> i32 {
        let taper = |mg: i32, eg: i32| -> i32 { (mg * 12 + eg * 12) / 24 };
        let mut total = 0;
        let mut add = |x: i32| total += x;
        add(PAWN);
        add(3);
        let bonus = |index| TABLE[index];
        taper(total, ROOK.1) + bonus(board.index())
    }

    pub fn by_name(board: &Board) -> i32 {
        fn plain(x: &i32) -> i32 {
            *x + 1
        }
        let counts: i32 = board.men.iter().map(plain).sum();
        (0..4).map(weight).sum::<i32>() + PAWN * counts
    }

    fn weight(index: usize) -> i32 {
        TABLE[index]
    }

    pub fn folds(board: &Board) -> i32 {
        let first = TABLE
            .iter()
            .zip(board.men.iter())
            .fold(0, |sum, (w, n)| sum + w * n);
        let second: i32 = TABLE.iter().map(|w| w * 2).sum();
        let third = board
            .men
            .iter()
            .enumerate()
            .map(|(i, &n)| n * TABLE[i])
            .sum::<i32>();
        first + second + third
    }

    pub fn tuples(board: &Board) -> i32 {
        let (mut mg, mut eg) = (0, 0);
        let pair: Pair = FILES[board.index()];
        mg += pair.0 + ROOK.0;
        eg += pair.1;
        let (a, b) = halves(board, ROOK);
        (mg + a) * 2 - (eg + b)
    }

    fn halves(board: &Board, pair: (i32, i32)) -> (i32, i32) {
        if board.side {
            return (0, 0);
        }
        (pair.0 * board.men[0], pair.1)
    }

    pub fn matched(board: &Board) -> i32 {
        let score = match board.men[0] {
            0 => 0,
            1 | 2 => PAWN,
            n if n > 5 => HORSE * n,
            _ => {
                let x = GRID[1][0][board.index()];
                x << 1
            }
        };
        let other = if let Some(first) = board.men.first()
            && *first > 1
        {
            MIRROR[0] * *first
        } else {
            0
        };
        score + other
    }

    pub fn labelled(board: &Board) -> i32 {
        let mut start = 0;
        let found = 'outer: loop {
            for (index, &count) in board.men.iter().enumerate().skip(start) {
                if count > 2 {
                    break 'outer TABLE[index] * count;
                }
            }
            start += 1;
            if start > 3 {
                break 0;
            }
        };
        let block = 'block: {
            if board.side {
                break 'block PAWN;
            }
            0
        };
        // The branch is plain, by each of its ends.
        let plain = if board.men[0] > 100 {
            PAWN
        } else {
            'plain: {
                if board.side {
                    break 'plain 3;
                }
                4
            }
        };
        found + block + plain
    }

    pub fn casts(board: &Board) -> i32 {
        let small: i16 = NARROW * board.men[0] as i16;
        let wide = i32::from(small) + (FLOAT * f64::from(board.men[1])) as i32;
        wide + r#type - small as i32 / 2
    }

    pub fn early(board: &Board) -> i32 {
        let Some(&count) = board.men.iter().find(|n| **n > 1) else {
            return 0;
        };
        if count == 4 {
            return PAWN;
        }
        let score = PAWN * count;
        let score = score + 1;
        assert!(score > 0, "{score}");
        debug_assert_ne!(score, 7);
        println!("{score}");
        -score
    }

    pub fn local_use(board: &Board) -> i32 {
        use super::numbers::{FILES, PAWN as P};
        let mut table = [[0; 2]; 2];
        table[0][1] += P * board.men[0];
        table[1][0] -= FILES[0].0;
        let mut all = vec![0; 4];
        all[2] += table[0][1];
        all.iter().sum::<i32>() + table[1][0]
    }

    pub fn out<const SIDE: bool>(board: &Board) -> i32 {
        let mut score = 0;
        put::<SIDE>(board, &mut score);
        score <<= 1;
        score
    }

    fn put<const SIDE: bool>(board: &Board, score: &mut i32) {
        if SIDE {
            *score += PAWN;
        } else {
            *score -= weight(board.index());
        }
    }

    pub fn branches(board: &Board) -> i32 {
        let mut score = 0;
        score += if board.side { PAWN } else { 0 };
        score =
            3 + match board.men[0] {
                0 => 0,
                4 => TABLE[1] * 2,
                _ => {
                    let x = 4;
                    x
                }
            } + score;
        score -= board
            .men
            .iter()
            .map(|&n| if n > 2 { TABLE[2] } else { 0 })
            .sum::<i32>();
        score += [TABLE[3], 0].iter().sum::<i32>();
        let mut rows = [[0; 2]; 2];
        for row in &mut rows {
            for (index, entry) in row.iter_mut().enumerate() {
                *entry += TABLE[index];
            }
        }
        let last = &mut rows[1][0];
        *last -= PAWN * 2;
        score + rows.iter().flatten().sum::<i32>()
    }

    pub fn option(board: &Board) -> i32 {
        let bonus = (board.men[0] > 1).then(|| TABLE[1]);
        let other = if board.side { Some(PAWN) } else { None };
        let both = match (bonus, other) {
            (Some(a), Some(b)) => a + b,
            (Some(a), None) => a,
            _ => 0,
        };
        both + bonus.unwrap_or(0) + other.map_or(0, |x| x * 2) + i32::from(other.is_some())
    }

    #[cfg(feature = "tune")]
    tuner_core::traced!();
}

use bodies::{__traced as twin, Board};

fn board() -> Board {
    Board {
        men: [4, 1, 0, 3],
        side: true,
    }
}

/// Value and derivatives: `terms` are name, derivative.
macro_rules! shape {
    ($name:ident, $f:ident $(::<$side:literal>)?, $terms:expr) => {
        #[test]
        fn $name() {
            let pos = board();
            let (score, ..) = derivatives(|| twin::$f $(::<$side>)? (&pos));
            assert!((score - f64::from(bodies::$f $(::<$side>)? (&pos))).abs() < 0.5);
            assert_derivatives(|| twin::$f $(::<$side>)? (&pos), &$terms);
        }
    };
}

shape!(
    methods_of_traits,
    trait_method,
    [("PAWN0", 4.0), ("CURVE1", 1.0)]
);
shape!(
    names_brought_under_others,
    renamed,
    [("KNIGHT0", 4.0), ("CURVE1", -1.0)]
);
shape!(
    closures_in_variables,
    closures,
    [("PAWN0", 0.5), ("ROOK1", 0.5), ("CURVE1", 1.0)]
);
shape!(
    functions_by_name,
    by_name,
    [
        ("CURVE0", 1.0),
        ("CURVE1", 1.0),
        ("CURVE2", 1.0),
        ("CURVE3", 1.0),
        ("PAWN0", 12.0)
    ]
);
shape!(
    folds_and_sums,
    folds,
    [
        ("CURVE0", 10.0),
        ("CURVE1", 4.0),
        ("CURVE2", 2.0),
        ("CURVE3", 8.0)
    ]
);
shape!(
    tuples_and_aliases,
    tuples,
    [("FILES2", 2.0), ("FILES3", -1.0), ("ROOK0", 2.0)]
);
shape!(arms_of_matches, matched, [("GRID5", 2.0), ("CURVE3", 4.0)]);
shape!(labels, labelled, [("CURVE0", 4.0), ("PAWN0", 1.0)]);
shape!(
    casts,
    casts,
    [("NARROW0", 2.0), ("FLOAT0", 1.0), ("type0", 1.0)]
);
shape!(early_returns, early, [("PAWN0", 1.0)]);
shape!(
    imports_in_bodies,
    local_use,
    [("PAWN0", 4.0), ("FILES0", -1.0)]
);
shape!(references_to_scores, out::<true>, [("PAWN0", 2.0)]);
shape!(const_generics, out::<false>, [("CURVE1", -2.0)]);
shape!(
    plain_branches_next_to_traced_ones,
    branches,
    [
        ("CURVE0", 2.0),
        ("CURVE1", 4.0),
        ("CURVE2", -2.0),
        ("CURVE3", 1.0),
        ("PAWN0", -1.0)
    ]
);
shape!(options, option, [("CURVE1", 2.0), ("PAWN0", 3.0)]);

#[test]
fn a_tie_is_no_weight_of_its_own() {
    let names: Vec<_> = registry().parameters.iter().map(|p| p.name).collect();
    assert!(
        names.contains(&"type") && !names.contains(&"MIRROR"),
        "{names:?}"
    );
}
