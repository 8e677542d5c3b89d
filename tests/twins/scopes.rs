//! One name in several modules, with one value, so that only the derivatives
//! tell which const is meant: private ones that a glob does not bring, and
//! what a block imports for itself.

use crate::support::{derivatives, registry};

#[tuner_core::tunable]
mod hidden {
    const BONUS: [i32; 2] = [5, 5];
    pub const STEP: i32 = 3;
    use super::shown::ROOM;

    pub fn in_full(count: i32) -> i32 {
        BONUS[0] * count + STEP + ROOM
    }
}

#[tuner_core::tunable]
mod shown {
    pub const BONUS: [i32; 2] = [5, 5];
    pub const ROOM: i32 = 8;
}

#[tuner_core::tunable]
mod inner {
    pub const STEP: i32 = 3;
}

#[tuner_core::tunable]
mod eval {
    use super::hidden::*;
    use super::shown::*;

    const ROOM: i32 = 8;

    pub fn evaluate(count: i32) -> i32 {
        let far = {
            use super::inner::*;
            STEP * count
        };
        let near = {
            use super::inner::STEP as WIDE;
            WIDE
        };
        far + near * 100 + BONUS[1] * 7 + STEP * 11 + ROOM + in_full(0)
    }
}

#[test]
fn a_name_means_what_it_means_in_production() {
    let (score, _, trace) = derivatives(|| eval::__traced::evaluate(2));
    assert_eq!(score, f64::from(eval::evaluate(2)));
    let of = |module: &str, name: &str, entry: u32| {
        let module = format!("crate::scopes::{module}");
        let mut all = registry().parameters.iter();
        let found = all.find(|p| p.module == module && p.name == name);
        found.unwrap().first + entry
    };
    let mut expected = vec![
        (of("hidden", "STEP", 0), 12),
        (of("shown", "BONUS", 1), 7),
        (of("shown", "ROOM", 0), 1),
        (of("inner", "STEP", 0), 102),
        (of("eval", "ROOM", 0), 1),
    ];
    let terms = trace.forms[0].terms.iter();
    let mut found: Vec<(u32, i64)> = terms.map(|&(leaf, count)| (leaf.0, count)).collect();
    expected.sort_unstable();
    found.sort_unstable();
    assert_eq!((found, trace.forms.len()), (expected, 1));
}
