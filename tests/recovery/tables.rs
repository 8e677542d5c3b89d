//! A table of a board comes back better where its neighbours have a prior that they are
//! alike, with ties, a frozen square and squares that no position reads.

use std::ops::ControlFlow;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tuner_core::fit::model::{Loss, Sigmoid};
use tuner_core::fit::{Fit, FitInputs, Settings, fit};
use tuner_core::rows::Slot;
use tuner_core::rows::{RowDraft, RowInfo, Segment, TraceSet};
use tuner_core::solve::{LaneId, Neighbours, PriorSpec, WeightId};
use tuner_core::solve::{Reduction, ReductionParts, Tie};

const K: Sigmoid = Sigmoid::new(1.2);

/// Squares that no position reads: two, and their mirror images.
const UNREAD: [usize; 4] = [27, 28, 8, 15];
/// A square that is frozen at its truth, and its mirror image.
const FROZEN: [usize; 2] = [35, 36];

/// The true value of a square, in centipawns: a hill, the same on both wings.
fn truth(square: usize) -> f64 {
    let (rank, file) = ((square / 8) as f64, (square % 8) as f64);
    60.0 - 4.0 * (rank - 3.0) * (rank - 3.0) - 3.0 * (file - 3.5) * (file - 3.5)
}

fn mirror(square: usize) -> usize {
    square ^ 7
}

/// Games of one position, with a few pieces of each side on the board.
fn traces(rows: u32) -> TraceSet {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut set = TraceSet::new(64);
    for game in 0..rows {
        let mut entries = Vec::new();
        while entries.len() < 6 {
            let square: usize = rng.random_range(0..64);
            if !UNREAD.contains(&square) {
                entries.push((
                    Slot(square as u32),
                    if entries.len() % 2 == 0 { 1 } else { -1 },
                ));
            }
        }
        let score: f64 = entries
            .iter()
            .map(|&(square, c)| f64::from(c) * truth(square.index()))
            .sum();
        let wins = rng.random::<f64>() < K.expectation(score);
        let draft = RowDraft {
            constant: 0.0,
            segments: vec![Segment::same([1.0, 0.0], entries)],
            expression: None,
        };
        let info = RowInfo::new(f64::from(u8::from(wins)), game);
        set.push(&draft, &info).expect("a good row");
    }
    set
}

/// The right half of each rank follows the left.
fn reduction() -> Reduction {
    let ties: Vec<Tie> = (0..64)
        .filter(|square| square % 8 > 3)
        .map(|square| Tie {
            weight: WeightId(square),
            root: WeightId(mirror(square)),
            factor: 1.0,
            difference: 0.0,
        })
        .collect();
    let mut frozen = [false; 64];
    frozen[FROZEN[0]] = true;
    let lanes: Vec<LaneId> = (0..64).map(|square| LaneId(2 * square)).collect();
    Reduction::new(&ReductionParts {
        constraints: &[],
        lane_count: 128,
        lanes: &lanes,
        frozen: &frozen,
        ties: &ties,
        bounds: &[(-500.0, 500.0); 64],
        initial: &initial(),
    })
    .expect("a good reduction")
}

/// What the author has: nothing but the frozen square.
fn initial() -> Vec<f64> {
    let value = |square| {
        if FROZEN.contains(&square) {
            truth(square)
        } else {
            0.0
        }
    };
    (0..64).map(value).collect()
}

/// Left and right, above and below.
fn board(deviation: f64) -> PriorSpec {
    let mut neighbours = Vec::new();
    for square in 0..64 {
        for (next, there) in [(square + 1, square % 8 < 7), (square + 8, square < 56)] {
            if there {
                neighbours.push(Neighbours {
                    weights: [square, next].map(WeightId),
                    deviation,
                });
            }
        }
    }
    PriorSpec {
        neighbours,
        ..PriorSpec::default()
    }
}

fn run(traces: &TraceSet, prior: &PriorSpec, deviation: f64) -> Fit {
    let initial = initial();
    let given = FitInputs {
        prior,
        ..FitInputs::at(&initial)
    };
    let settings = Settings {
        k: Some(K.k()),
        loss: Loss::CrossEntropy,
        prior: Some(deviation),
        ..Settings::default()
    };
    let found = fit(traces, &reduction(), &given, &settings, &mut |_| {
        ControlFlow::Continue(())
    });
    let found = found.expect("a fit");
    assert!(found.summary.termination.is_optimum());
    for square in 0..64 {
        let other = found.weights[mirror(square)];
        assert!((found.weights[square] - other).abs() < 1e-12, "mirrored");
    }
    found
}

/// The root of the mean square of errors over some squares.
fn error(found: &Fit, squares: impl Iterator<Item = usize>) -> f64 {
    let squares: Vec<f64> = squares
        .map(|square| (found.weights[square] - truth(square)).powi(2))
        .collect();
    (squares.iter().sum::<f64>() / squares.len() as f64).sqrt()
}

#[test]
fn neighbours_that_are_alike_lower_the_error() {
    let traces = traces(3000);
    let none = run(&traces, &PriorSpec::default(), 60.0);
    let smooth = run(&traces, &board(12.0), 60.0);
    let read = || (0..64).filter(|square| !UNREAD.contains(square));
    let (rough, fine) = (error(&none, read()), error(&smooth, read()));
    println!("error of a square: {rough:.2} alone, {fine:.2} with neighbours");
    assert!(fine < 0.8 * rough, "{fine} {rough}");
    // What no position reads stays where it was, or follows.
    assert_eq!(none.summary.unseen.len(), 2);
    assert!(
        UNREAD
            .iter()
            .all(|&square| none.weights[square].abs() < 1e-12)
    );
    assert!(smooth.summary.unseen.is_empty());
    assert_eq!(smooth.followed.len(), 2);
    let unread = error(&smooth, UNREAD.into_iter());
    assert!(
        unread < 15.0 && unread < 0.4 * error(&none, UNREAD.into_iter()),
        "{unread}"
    );
    // 112 pairs: 8 join mirror images, 52 of the others are another's image.
    assert_eq!((none.links, smooth.links), (0, 52));
    for square in FROZEN {
        assert!((smooth.weights[square] - truth(square)).abs() < 1e-12);
    }
}

#[test]
fn many_games_outweigh_the_neighbours() {
    let few = error(&run(&traces(3000), &board(12.0), 60.0), 0..64);
    let many = error(
        &run(&traces(60_000), &board(12.0), 60.0),
        (0..64).filter(|s| !UNREAD.contains(s)),
    );
    assert!(many < 0.5 * few, "{many} {few}");
}
