//! What recording one position costs, on one core: the twin's operations and
//! the reverse sweep, for evaluations of 250 nodes.
//! `cargo bench -p tuner-core --bench record`; `-- pairs` for one of the kinds.
//!
//! The evaluations are made up: tapered sums of 600 weights, which ones by a
//! generator of random numbers, the way a board chooses them. As pairs; packed
//! in one integer; and with king danger squared, clamped and a branch.

#![allow(clippy::print_stdout)] // a benchmark prints

use std::hint::black_box;
use std::time::Instant;

use tuner_trace::{Recorder, Tr, Trace, cast, derived, nonlinear};

const POSITIONS: usize = 2_000;
const ROUNDS: usize = 30;
const WEIGHTS: u32 = 300;

/// Which weights a position counts, and how often.
struct Position {
    terms: Vec<(u32, i32)>,
    phase: i32,
}

fn position(seed: &mut u64, terms: usize) -> Position {
    let mut random = |below: u64| {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (*seed >> 33) % below
    };
    let term = |_| {
        (
            random(WEIGHTS.into()) as u32,
            if random(2) == 0 { 1 } else { -1 },
        )
    };
    let terms = (0..terms).map(term).collect();
    let phase = random(25) as i32;
    Position { terms, phase }
}

#[derive(Clone, Copy, Default)]
struct S(Tr<i32>, Tr<i32>);

fn weight(index: u32) -> S {
    let w = |leaf: u32| Tr::weight(leaf as i32 % 90 - 40, leaf);
    S(w(2 * index), w(2 * index + 1))
}

impl S {
    fn count(&mut self, other: Self, by: i32) {
        if by > 0 {
            self.0 += other.0;
            self.1 += other.1;
        } else {
            self.0 -= other.0;
            self.1 -= other.1;
        }
    }
}

fn pairs(position: &Position) -> Tr<i32> {
    let mut score = S::default();
    for &(index, by) in &position.terms {
        score.count(weight(index), by);
    }
    (score.0 * position.phase + score.1 * (24 - position.phase)) / 24
}

/// The table that a `const` of `S::new(mg, eg)` entries becomes in the twin.
fn packed_table() -> &'static [Tr<i32>; WEIGHTS as usize] {
    derived(|| {
        std::array::from_fn(|index| {
            let S(mg, eg) = weight(index as u32);
            (eg << 16) + mg
        })
    })
}

fn packed(position: &Position) -> Tr<i32> {
    let table = packed_table();
    let mut score = Tr::default();
    for &(index, by) in &position.terms {
        if by > 0 {
            score += table[index as usize];
        } else {
            score -= table[index as usize];
        }
    }
    let half = |score: Tr<i32>| cast::<i32, _>(cast::<i16, _>(score));
    let (mg, eg) = (half(score), half((score + 0x8000) >> 16));
    (mg * position.phase + eg * (24 - position.phase)) / 24
}

fn danger(terms: &[(u32, i32)]) -> Tr<i32> {
    let mut units = Tr::lit(0);
    for &(index, _) in terms {
        units += Tr::weight(index as i32 % 7, 2 * WEIGHTS + index % 40);
    }
    nonlinear::min(nonlinear::mul(units, units) / 8, 400)
}

fn nonlinear(position: &Position) -> Tr<i32> {
    let (kings, rest) = position.terms.split_at(20);
    let mut score = S::default();
    for &(index, by) in rest {
        score.count(weight(index), by);
    }
    score.0 += danger(&kings[..10]) - danger(&kings[10..]);
    let phase = position.phase;
    let scale = if nonlinear::gt(score.1, 0) { 64 } else { 32 };
    (score.0 * phase + score.1 * scale / 64 * (24 - phase)) / 24
}

/// Prints nodes and nanoseconds of one kind, the best of several rounds.
fn measure(name: &str, terms: usize, twin: fn(&Position) -> Tr<i32>) {
    let mut wanted = std::env::args().skip(1).filter(|arg| !arg.starts_with('-'));
    if wanted.next().is_some_and(|wanted| wanted != name) {
        return;
    }
    let seed = &mut 7;
    let positions: Vec<Position> = (0..POSITIONS).map(|_| position(seed, terms)).collect();
    let (mut recorder, mut trace) = (Recorder::new(), Trace::default());
    let (mut best, mut nodes) = (f64::MAX, 0);
    for _ in 0..ROUNDS {
        nodes = 0;
        let start = Instant::now();
        for position in &positions {
            recorder.record(|| twin(black_box(position)), &mut trace);
            nodes += black_box(&trace).nodes;
        }
        best = best.min(start.elapsed().as_secs_f64());
    }
    let ns = best * 1e9 / POSITIONS as f64;
    let nodes = nodes as f64 / POSITIONS as f64;
    let verdict = if ns * 250.0 / nodes <= 3000.0 {
        "met"
    } else {
        "missed"
    };
    println!("{name:<8} {nodes:>6.0} nodes {ns:>7.0} ns; goal 3000 ns for 250 nodes: {verdict}");
}

fn main() {
    measure("pairs", 123, pairs);
    measure("packed", 242, packed);
    measure("nonlinear", 130, nonlinear);
}
