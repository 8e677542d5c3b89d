#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;

use super::*;
use crate::Pentanomial;

/// Pairs, elo0, elo1, and the ratio that was printed.
type Published = ([u64; 5], f64, f64, f64);

fn agrees(unit: EloUnit, published: &[Published]) {
    for &(pairs, elo0, elo1, llr) in published {
        let sprt = Sprt::new(elo0, elo1, 0.05, 0.05, unit).unwrap();
        let found = sprt.llr(&Pentanomial(pairs));
        assert!(
            (found - llr).abs() <= 0.005 + 1e-9,
            "{pairs:?}: {found}, published {llr}"
        );
    }
}

/// `LLR: 2.94 (-2.94,2.94) <0.50,2.50>` and the like: angle brackets are
/// normalised Elo. From pull requests of official-stockfish/Stockfish.
#[test]
fn fishtest_in_normalised_units() {
    agrees(
        EloUnit::Normalised,
        &[
            ([1, 1098, 3954, 1346, 1], 0.5, 2.5, 2.94),       // #6036
            ([0, 1236, 4490, 1474, 1], 0.0, 2.0, 2.94),       // #6036
            ([4, 2290, 7932, 2562, 4], 0.5, 2.5, 2.95),       // #6036
            ([264, 5737, 31270, 5964, 269], -0.5, 2.5, 2.97), // #3514
            ([29, 2205, 35000, 2392, 34], 0.5, 3.5, 2.94),    // #3514
        ],
    );
}

/// `LLR: 2.94 (-2.94,2.94) {-0.25,1.25}`: braces are logistic Elo. From pull
/// requests of official-stockfish/Stockfish.
#[test]
fn fishtest_in_logistic_units() {
    agrees(
        EloUnit::Logistic,
        &[
            ([253, 4282, 17604, 4431, 286], -0.25, 1.25, 2.94), // #3209
            ([58, 3302, 33130, 3518, 84], 0.25, 1.25, 2.97),    // #3209
            ([491, 7345, 29693, 7670, 465], -0.25, 1.25, 2.96), // #3098
            ([17, 253, 1042, 337, 39], -0.5, 1.5, 2.96),        // #2971
            ([11, 407, 3238, 513, 11], 0.25, 1.75, 2.93),       // #2971
            ([1284, 17437, 55536, 18085, 1292], 0.0, 2.0, 2.94), // #2493
        ],
    );
}

/// Counts and ratios as the tests of fastchess have them, of games alone.
#[test]
fn fastchess_of_single_games() {
    for (unit, games, elo0, elo1, llr) in [
        (
            EloUnit::Normalised,
            [36_027, 68_692, 36_433],
            0.0,
            2.0,
            0.92,
        ),
        (
            EloUnit::Normalised,
            [10_650, 20_431, 10_871],
            -1.75,
            0.25,
            2.30,
        ),
        (EloUnit::Logistic, [21_184, 40_708, 21_404], 0.5, 2.5, -1.57),
        (
            EloUnit::Logistic,
            [57_030, 106_593, 57_433],
            0.0,
            2.0,
            -2.59,
        ),
    ] {
        let sprt = Sprt::new(elo0, elo1, 0.05, 0.05, unit).unwrap();
        let found = sprt.llr(&Vec::from(games));
        assert!(
            (found - llr).abs() <= 0.02,
            "{games:?}: {found}, theirs {llr}"
        );
    }
}

/// Draws alone: equal strength explains them at once. The other hypothesis needs a share
/// w of wins with (w/2)/√(w/4) = t, so w = t², and explains them n·ln(1 − t²) worse.
#[test]
fn draws_alone_are_no_sign_of_strength() {
    let sprt = Sprt::new(0.0, 5.0, 0.05, 0.05, EloUnit::Normalised).unwrap();
    let t = 5.0 / NELO_PER_T;
    let by_hand = 16_700.0 * (1.0 - t * t).ln();
    let found = sprt.llr(&vec![0, 16_700, 0]);
    assert!((found - by_hand).abs() < 0.02, "{found}, by hand {by_hand}");
}

/// `LLR | 2.96 (-2.94, 2.94) [0.00, 3.00]`: OpenBench takes normalised Elo.
/// From pull requests of the engines named.
#[test]
fn openbench() {
    agrees(
        EloUnit::Normalised,
        &[
            ([1453, 8952, 16711, 9425, 1427], 0.0, 3.0, 2.96), // TerjeKir/weiss #766
            ([119, 2013, 3987, 2118, 142], -3.0, 0.0, 2.97),   // the same
            ([145, 850, 2205, 948, 176], 0.0, 5.0, 2.96),      // TheRealGioviok/Perseus-Engine #58
            ([49, 989, 1891, 903, 31], 0.0, 3.0, -2.26),       // Yoshie2000/PlentyChess #155
            ([13, 585, 1535, 719, 9], 0.5, 3.5, 1.92),         // the same
            ([214, 8992, 19871, 9102, 235], 0.0, 2.5, 0.16),   // PlentyChess #334
            ([1943, 4319, 7583, 4561, 2021], 0.0, 3.0, 2.89),  // PlentyChess #220
        ],
    );
}

/// From `app/tests/sprt_test.cpp` of Disservin/fastchess.
#[test]
fn fastchess() {
    agrees(
        EloUnit::Logistic,
        &[
            ([223, 9863, 21279, 10037, 246], 0.5, 2.5, -3.07),
            ([871, 26175, 55983, 26678, 821], 0.0, 2.0, -4.98),
        ],
    );
    agrees(
        EloUnit::Normalised,
        &[([365, 16618, 36229, 16974, 390], 0.0, 2.0, 2.25)],
    );
}

#[test]
fn bounds_are_walds() {
    let sprt = Sprt::new(0.0, 2.0, 0.05, 0.05, EloUnit::Normalised).unwrap();
    let (fails, passes) = sprt.bounds();
    assert!((passes - 2.944_44).abs() < 1e-5 && (fails + 2.944_44).abs() < 1e-5);
    // As OpenBench prints them with risks of 0.05 and 0.1.
    let sprt = Sprt::new(0.0, 3.0, 0.05, 0.1, EloUnit::Normalised).unwrap();
    let (fails, passes) = sprt.bounds();
    assert!((passes - 2.89).abs() < 0.005 && (fails + 2.25).abs() < 0.005);
    assert_eq!(sprt.verdict(2.9), Some(Verdict::Passed));
    assert_eq!(sprt.verdict(-2.9), Some(Verdict::Failed));
    assert_eq!(sprt.verdict(0.0), None);
}

#[test]
fn impossible_tests_are_refused() {
    for (elo0, elo1, alpha, beta) in [
        (2.0, 2.0, 0.05, 0.05),
        (3.0, 2.0, 0.05, 0.05),
        (0.0, f64::NAN, 0.05, 0.05),
        (0.0, 500.0, 0.05, 0.05),
        (0.0, 2.0, 0.0, 0.05),
        (0.0, 2.0, 0.05, -1.0),
        (0.0, 2.0, 0.5, 0.5),
        (0.0, 2.0, f64::NAN, 0.5),
    ] {
        assert!(Sprt::new(elo0, elo1, alpha, beta, EloUnit::Logistic).is_err());
    }
}

/// The optima of an independent optimiser (sequential least squares).
#[test]
fn bounds_far_apart_have_the_ratio_that_an_optimiser_finds() {
    for (elo1, llr) in [(250.0, 33.68), (400.0, 28.83)] {
        let sprt = Sprt::new(0.0, elo1, 0.05, 0.05, EloUnit::Normalised).unwrap();
        let found = sprt.llr(&Pentanomial([2, 8, 20, 12, 60]));
        assert!((found - llr).abs() <= 0.005, "{elo1}: {found}");
    }
}

/// A case in which each round leaves nineteen parts in twenty of what is missing.
#[test]
fn a_distribution_far_from_the_counts_is_found_as_well() {
    let counts = [73.0, 512.0, 755.0, 388.0, 423.0];
    let total: f64 = counts.iter().sum();
    let t = -247.69 / NELO_PER_T * 2.0_f64.sqrt();
    let (mean, deviation) = moments(&with_t(&counts.map(|n| n / total), t));
    assert!(((mean - 0.5) / deviation - t).abs() < 1e-9);
}

proptest! {
    /// Whatever is asked for, the distribution that is found has it.
    #[test]
    fn the_most_likely_distribution_has_the_value_asked_for(
        pairs in prop::array::uniform5(0_u64..1_000),
        elo in -MOST_ELO..MOST_ELO,
    ) {
        let counts = pairs.map(|n| if n == 0 { NEVER_SEEN } else { n as f64 });
        let total: f64 = counts.iter().sum();
        let t = elo / NELO_PER_T * 2.0_f64.sqrt();
        let q = with_t(&counts.map(|n| n / total), t);
        let (mean, deviation) = moments(&q);
        prop_assert!((q.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        prop_assert!(((mean - 0.5) / deviation - t).abs() < 1e-6, "{q:?}");
    }

    /// Any counts have a ratio, and it changes sign with the sides.
    #[test]
    fn any_counts_have_a_ratio(
        pairs in prop::array::uniform5(0_u64..1_000_000),
        elo in 0.1_f64..MOST_ELO,
        normalised: bool,
    ) {
        let unit = if normalised { EloUnit::Normalised } else { EloUnit::Logistic };
        let sprt = Sprt::new(-elo, elo, 0.05, 0.05, unit).unwrap();
        let llr = sprt.llr(&Pentanomial(pairs));
        prop_assert!(llr.is_finite());
        let mut turned = pairs;
        turned.reverse();
        let other = sprt.llr(&Pentanomial(turned));
        prop_assert!((llr + other).abs() <= 1e-6 * (1.0 + llr.abs()), "{} {}", llr, other);
    }
}
