//! The `main.rs` of a crate of unusual evaluations: compares production with the twin of the
//! first at the weights of each, and says where they differ.

#![allow(warnings, reason = "unusual code")]

mod made;

use std::panic::{AssertUnwindSafe, catch_unwind};

use tuner_core::trace::{ExpressionValues, Recorder, Registry, Tr, Trace};

/// A position, as far as the evaluations look at it.
pub struct B {
    pub m: [i32; 8],
    pub s: [usize; 4],
    pub ph: i32,
    pub side: bool,
    pub bits: u64,
}

/// An evaluation, its twin, and production with other literals, by the names of its modules.
pub struct Shape {
    pub name: &'static str,
    pub production: fn(&B) -> i32,
    pub twin: fn(&B) -> Tr<i32>,
    pub others: &'static [(&'static str, fn(&B) -> i32)],
}

fn registry() -> &'static Registry {
    tuner_core::registry!()
}

fn position(mut seed: u64) -> B {
    let mut next = |below: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 20) % below
    };
    B {
        m: std::array::from_fn(|_| next(9) as i32 - 4),
        s: std::array::from_fn(|_| next(8) as usize),
        ph: next(25) as i32,
        side: next(2) == 1,
        bits: next(u64::MAX) & next(u64::MAX),
    }
}

/// The weights of a module, and their numbers.
fn weights(module: &str) -> Vec<(usize, f64)> {
    let file = format!("made/{module}.rs");
    let parameters = registry().parameters.iter().filter(|p| p.file.ends_with(&file));
    parameters
        .flat_map(|p| (p.first as usize..).zip(p.values.iter().copied()))
        .collect()
}

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let positions: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let source = registry().values();
    let (mut scores, mut predicted, mut reads) = (0, 0, ExpressionValues::default());
    for shape in made::SHAPES {
        let own = weights(shape.name);
        for number in 1..=positions {
            let board = position(number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
            let Ok(score) = catch_unwind(AssertUnwindSafe(|| (shape.production)(&board))) else {
                continue;
            };
            let mut trace = Trace::default();
            Recorder::new().record(|| (shape.twin)(&board), &mut trace);
            if trace.wrapped {
                continue;
            }
            if trace.score != f64::from(score) {
                println!("{} {number}: {score}, twin {}", shape.name, trace.score);
            }
            for (other, production) in shape.others {
                let mut values = source.clone();
                for (&(leaf, _), (_, value)) in own.iter().zip(weights(other)) {
                    values[leaf] = value;
                }
                let Ok(score) = catch_unwind(AssertUnwindSafe(|| production(&board))) else {
                    continue;
                };
                let score = f64::from(score);
                let (twin, is_defined) = Recorder::defined_at(&values, || (shape.twin)(&board));
                if !is_defined {
                    continue;
                }
                scores += 1;
                if twin != score {
                    println!("{other} {number}: {score}, twin {twin}");
                }
                let found = trace.score_at(&values, &mut reads);
                if !found.changed_branch {
                    predicted += 1;
                    if (found.score - score).abs() > found.bound + 1e-6 {
                        println!("{other} {number}: {score}, trace {} ± {}", found.score, found.bound);
                    }
                }
            }
        }
    }
    println!("compared {scores} {predicted}");
}
