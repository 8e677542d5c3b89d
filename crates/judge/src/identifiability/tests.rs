//! Planted directions, found and in words.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tuner_base::{LaneId, Slot, Tie};
use tuner_fit::model::{Loss, Sigmoid};
use tuner_rows::{RowDraft, RowInfo, Segment, TraceSet};
use tuner_solve::ReductionParts;
use tuner_trace::{Expression, NonlinearOp, Step};

mod canonical;
mod planted;
mod special;

const FREE: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

/// Slots by name, and rows that read them.
struct Data {
    /// The name of each slot.
    slots: Vec<String>,
    set: TraceSet,
    rng: ChaCha8Rng,
}

impl Data {
    fn new(slots: Vec<String>) -> Self {
        let set = TraceSet::new(slots.len());
        Self {
            set,
            slots,
            rng: ChaCha8Rng::seed_from_u64(7),
        }
    }

    fn slot(&self, name: &str) -> usize {
        self.slots.iter().position(|slot| slot == name).unwrap()
    }

    /// Adds rows whose features are those that `features` writes, tapered.
    fn push(&mut self, rows: usize, features: impl Fn(&mut ChaCha8Rng, &mut [i16])) {
        for _ in 0..rows {
            let phase = f64::from(self.rng.random_range(0..=24)) / 24.0;
            let mut counts = vec![0; self.slots.len()];
            features(&mut self.rng, &mut counts);
            self.push_row([phase, 1.0 - phase], &counts, 0.0);
        }
    }

    fn push_row(&mut self, factors: [f64; 2], counts: &[i16], constant: f64) {
        let entries = (0..).map(Slot).zip(counts.iter().copied());
        let draft = RowDraft {
            constant,
            segments: vec![Segment::same(factors, entries)],
            expression: None,
        };
        self.push_draft(&draft);
    }

    fn push_draft(&mut self, draft: &RowDraft) {
        let outcome = f64::from(self.rng.random_range(0..=2)) / 2.0;
        let game = self.set.len() as u32 / 4;
        self.set.push(draft, &RowInfo::new(outcome, game)).unwrap();
    }

    /// Names of the weights, two for each slot.
    fn names(&self) -> Vec<String> {
        let both = |slot: &String| ["mg", "eg"].map(|phase| format!("{slot}.{phase}"));
        self.slots.iter().flat_map(both).collect()
    }

    fn groups(&self) -> Vec<WeightGroup> {
        let mut groups: Vec<WeightGroup> = Vec::new();
        for (slot, name) in self.slots.iter().enumerate() {
            let name = name.split('[').next().unwrap();
            if groups.last().is_none_or(|group| group.name != name) {
                groups.push(WeightGroup {
                    name: name.to_owned(),
                    weights: Vec::new(),
                });
            }
            let weights = [2 * slot, 2 * slot + 1].map(WeightId);
            groups.last_mut().unwrap().weights.extend(weights);
        }
        groups
    }

    fn reduction(&self) -> Reduction {
        Reduction::of_lanes(2 * self.slots.len())
    }

    /// A reduction with frozen weights, ties with their factors, and bounds, by
    /// name.
    fn reduction_with(
        &self,
        frozen: &[&str],
        ties: &[(&str, &str, f64)],
        bounds: &[(&str, (f64, f64))],
    ) -> Reduction {
        let names = self.names();
        let weight = |name: &str| names.iter().position(|other| other == name).unwrap();
        let ties = ties.iter().map(|&(name, root, factor)| Tie {
            weight: WeightId(weight(name)),
            root: WeightId(weight(root)),
            factor,
            difference: 0.0,
        });
        let mut all_bounds = vec![FREE; names.len()];
        for (name, bounds) in bounds {
            all_bounds[weight(name)] = *bounds;
        }
        let is_frozen = |name: &String| frozen.contains(&name.as_str());
        Reduction::new(&ReductionParts {
            lane_count: names.len(),
            lanes: &(0..names.len() as u32).map(LaneId).collect::<Vec<_>>(),
            frozen: &names.iter().map(is_frozen).collect::<Vec<_>>(),
            ties: &ties.collect::<Vec<_>>(),
            bounds: &all_bounds,
            constraints: &[],
            initial: &vec![0.0; names.len()],
        })
        .unwrap()
    }

    fn rows(&self) -> PartRows<'_> {
        PartRows {
            traces: (&self.set).into(),
            part: Part::All,
        }
    }

    fn directions_of(&self, reduction: &Reduction, x: &[f64]) -> Vec<Direction> {
        let (loss, sigmoid) = (Loss::Squared, Sigmoid::new(1.0));
        let objective = Regression::new(&self.set, reduction, loss, sigmoid, Part::All).unwrap();
        directions(&objective, self.rows(), x, &self.names(), &self.groups()).unwrap()
    }

    fn directions(&self) -> Vec<Direction> {
        let reduction = self.reduction();
        self.directions_of(&reduction, &somewhere(reduction.variables()))
    }
}

/// The directions of an objective at `x`.
fn directions(
    objective: &Regression<'_>,
    rows: PartRows<'_>,
    x: &[f64],
    names: &[String],
    groups: &[WeightGroup],
) -> Result<Vec<Direction>, NotComputed> {
    let curvature = gauss_newton(objective, x)?;
    directions_of(objective.reduction(), &curvature, rows, x, names, groups)
}

/// Weights at which nothing is special.
fn somewhere(count: usize) -> Vec<f64> {
    (0..count).map(|j| 30.0 * (j as f64 * 1.7).sin()).collect()
}

/// Slots of a table for each piece, and of their values.
fn board(pieces: &[&str], squares: usize) -> Vec<String> {
    let value = |piece: &&str| format!("MATERIAL[{piece}]");
    let mut slots: Vec<String> = pieces.iter().map(value).collect();
    for piece in pieces {
        slots.extend((0..squares).map(|square| format!("PST[{piece}][{square}]")));
    }
    slots
}

/// Puts up to three pieces of each kind on each side of a board.
fn place(rng: &mut ChaCha8Rng, counts: &mut [i16], pieces: usize, squares: usize) {
    for piece in 0..pieces {
        for side in [1, -1] {
            for _ in 0..rng.random_range(0..4) {
                counts[piece] += side;
                counts[pieces + piece * squares + rng.random_range(0..squares)] += side;
            }
        }
    }
}
