//! The variables that a solver moves, and the weights that hang on them.

mod check;

use super::ReductionError;
use check::check;
use tuner_base::Fingerprint;

/// One weight that follows another: `w[weight] = factor·w[root] + difference`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tie {
    /// The weight that follows.
    pub weight: usize,
    /// The weight that it follows, itself not tied.
    pub root: usize,
    /// 1 for equal weights, −1 for a mirrored sign.
    pub factor: f64,
    /// What is added.
    pub difference: f64,
}

/// What a [`Reduction`] is made of. All lists have one entry per weight,
/// except the ties.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    /// Number of lanes of the traces, two per slot.
    pub lane_count: usize,
    /// The lane of each weight.
    pub lanes: &'a [usize],
    /// The weights that keep their initial value.
    pub frozen: &'a [bool],
    /// The weights that follow others.
    pub ties: &'a [Tie],
    /// Smallest and largest value of each weight, ±∞ for none.
    pub bounds: &'a [(f64, f64)],
    /// Values to start from, and of frozen weights for good.
    pub initial: &'a [f64],
}

/// Maps variables to weights and lanes: each lane is `factor·x[v] + offset`,
/// or fixed.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// The lane of each weight.
    weights: Vec<usize>,
    /// How each lane comes about; a dead lane is fixed at 0.
    lanes: Vec<Lane>,
    /// The weight whose value each variable is.
    roots: Vec<usize>,
    bounds: Vec<(f64, f64)>,
}

/// One lane: `offset`, plus `factor·x[variable]` if there is a variable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lane {
    /// The variable, if it is not fixed.
    pub variable: Option<usize>,
    /// What the variable is multiplied by.
    pub factor: f64,
    /// What is added.
    pub offset: f64,
}

impl Reduction {
    /// Makes one variable of each weight that is neither frozen nor tied.
    ///
    /// Bounds of a tied weight narrow those of its root's variable.
    ///
    /// # Errors
    /// All mistakes found, in the order of the weights.
    pub fn new(parts: &Parts<'_>) -> Result<Self, Vec<ReductionError>> {
        check(parts)?;
        let count = parts.lanes.len();
        let mut reduction = Self {
            weights: parts.lanes.to_vec(),
            lanes: vec![
                Lane {
                    variable: None,
                    factor: 0.0,
                    offset: 0.0
                };
                parts.lane_count
            ],
            roots: Vec::new(),
            bounds: Vec::new(),
        };
        let mut tied = vec![false; count];
        parts.ties.iter().for_each(|tie| tied[tie.weight] = true);
        for weight in (0..count).filter(|&weight| !tied[weight]) {
            reduction.lanes[parts.lanes[weight]] = if parts.frozen[weight] {
                Lane {
                    variable: None,
                    factor: 0.0,
                    offset: parts.initial[weight],
                }
            } else {
                reduction.roots.push(weight);
                reduction.bounds.push(parts.bounds[weight]);
                Lane {
                    variable: Some(reduction.roots.len() - 1),
                    factor: 1.0,
                    offset: 0.0,
                }
            };
        }
        let mut errors = Vec::new();
        for tie in parts.ties {
            let root = reduction.lanes[parts.lanes[tie.root]];
            reduction.lanes[parts.lanes[tie.weight]] = Lane {
                variable: root.variable,
                factor: root.factor * tie.factor,
                offset: root.offset * tie.factor + tie.difference,
            };
            match root.variable {
                Some(_) if parts.frozen[tie.weight] => {
                    errors.push(ReductionError::FrozenTied(tie.weight, tie.root));
                }
                Some(variable) => narrow(&mut reduction.bounds[variable], tie, parts),
                None => {}
            }
        }
        for (&(low, high), &root) in reduction.bounds.iter().zip(&reduction.roots) {
            if low > high {
                errors.push(ReductionError::TiesLeaveNothing(root));
            }
        }
        if errors.is_empty() {
            Ok(reduction)
        } else {
            Err(errors)
        }
    }

    /// Makes one free, unbounded variable of every lane, in their order: for
    /// traces made elsewhere.
    pub fn of_lanes(lane_count: usize) -> Self {
        Self {
            weights: (0..lane_count).collect(),
            lanes: (0..lane_count)
                .map(|lane| Lane {
                    variable: Some(lane),
                    factor: 1.0,
                    offset: 0.0,
                })
                .collect(),
            roots: (0..lane_count).collect(),
            bounds: vec![(f64::NEG_INFINITY, f64::INFINITY); lane_count],
        }
    }

    /// Keeps the variables named, in their order, and fixes all others at `x`.
    ///
    /// # Panics
    /// If there is not one value per variable.
    #[must_use]
    pub fn keeping(&self, kept: &[usize], x: &[f64]) -> Self {
        assert_eq!(x.len(), self.variables(), "one value per variable");
        let mut numbers = vec![None; x.len()];
        for (number, &variable) in kept.iter().enumerate() {
            numbers[variable] = Some(number);
        }
        let lane = |lane: &Lane| match lane.variable {
            Some(v) if numbers[v].is_none() => Lane {
                variable: None,
                factor: 0.0,
                offset: lane.factor * x[v] + lane.offset,
            },
            variable => Lane {
                variable: variable.and_then(|v| numbers[v]),
                ..*lane
            },
        };
        Self {
            weights: self.weights.clone(),
            lanes: self.lanes.iter().map(lane).collect(),
            roots: kept.iter().map(|&v| self.roots[v]).collect(),
            bounds: kept.iter().map(|&v| self.bounds[v]).collect(),
        }
    }

    /// Adds all of it to a fingerprint, in this order: the lanes of the weights,
    /// a list; of each lane, after their count, its variable plus 1 or 0 for
    /// none, factor and offset; the roots, a list; of each variable both bounds.
    pub fn add_to(&self, fingerprint: &mut Fingerprint) {
        fingerprint.list(self.weights.iter().map(|&lane| lane as u64));
        fingerprint.count(self.lanes.len());
        for lane in &self.lanes {
            fingerprint.count(lane.variable.map_or(0, |variable| variable + 1));
            fingerprint.f64(lane.factor);
            fingerprint.f64(lane.offset);
        }
        fingerprint.list(self.roots.iter().map(|&root| root as u64));
        for &(low, high) in &self.bounds {
            fingerprint.f64(low);
            fingerprint.f64(high);
        }
    }

    /// Returns the number of variables.
    pub fn variables(&self) -> usize {
        self.roots.len()
    }

    /// Returns smallest and largest value of each variable.
    pub fn bounds(&self) -> &[(f64, f64)] {
        &self.bounds
    }

    /// Returns, for each variable, the weight whose value it is.
    pub fn roots(&self) -> &[usize] {
        &self.roots
    }

    /// Returns the number of lanes.
    pub fn lane_count(&self) -> usize {
        self.lanes.len()
    }

    /// Returns the variables at given weights, moved into their bounds where
    /// they are outside: a start must be feasible.
    ///
    /// # Panics
    /// If there are not as many values as weights.
    pub fn start(&self, weights: &[f64]) -> Vec<f64> {
        assert_eq!(weights.len(), self.weights.len(), "one value per weight");
        let inside = |(&root, &(low, high)): (&usize, &(f64, f64))| weights[root].clamp(low, high);
        self.roots.iter().zip(&self.bounds).map(inside).collect()
    }

    /// Returns all weights at given variables.
    pub fn weights(&self, x: &[f64]) -> Vec<f64> {
        self.weights
            .iter()
            .map(|&lane| self.lane(lane, x))
            .collect()
    }

    /// Returns all lanes at given variables.
    pub fn lanes(&self, x: &[f64]) -> Vec<f64> {
        (0..self.lanes.len())
            .map(|lane| self.lane(lane, x))
            .collect()
    }

    /// Returns all lanes at given weights, whether ties hold or not.
    ///
    /// # Panics
    /// If there are not as many values as weights.
    pub fn lanes_of(&self, weights: &[f64]) -> Vec<f64> {
        assert_eq!(weights.len(), self.weights.len(), "one value per weight");
        let mut lanes = vec![0.0; self.lanes.len()];
        for (&lane, &weight) in self.weights.iter().zip(weights) {
            lanes[lane] = weight;
        }
        lanes
    }

    /// Returns, for each weight, its variable and what its value is made of:
    /// `(variable, factor, offset)`.
    pub fn weight_terms(&self) -> impl Iterator<Item = (Option<usize>, f64, f64)> + '_ {
        self.weights.iter().map(|&lane| {
            let lane = self.lanes[lane];
            (lane.variable, lane.factor, lane.offset)
        })
    }

    /// Returns how each lane comes about.
    pub fn lane_terms(&self) -> &[Lane] {
        &self.lanes
    }

    /// Adds up a vector over lanes into one over variables: the transpose of
    /// the map from variables to lanes.
    pub fn gather(&self, lanes: &[f64], variables: &mut [f64]) {
        variables.fill(0.0);
        for (lane, value) in self.lanes.iter().zip(lanes) {
            if let Some(variable) = lane.variable {
                variables[variable] += lane.factor * value;
            }
        }
    }

    /// Returns the change of all lanes along a change of the variables.
    pub fn spread(&self, variables: &[f64]) -> Vec<f64> {
        let spread = |lane: &Lane| lane.variable.map_or(0.0, |v| lane.factor * variables[v]);
        self.lanes.iter().map(spread).collect()
    }

    fn lane(&self, lane: usize, x: &[f64]) -> f64 {
        let lane = self.lanes[lane];
        lane.variable
            .map_or(lane.offset, |v| lane.factor * x[v] + lane.offset)
    }
}

/// Narrows a root's bounds to what a tied weight's bounds allow.
fn narrow(bounds: &mut (f64, f64), tie: &Tie, parts: &Parts<'_>) {
    let (low, high) = parts.bounds[tie.weight];
    if tie.factor == 0.0 {
        return;
    }
    let [a, b] = [low, high].map(|bound| (bound - tie.difference) / tie.factor);
    *bounds = (bounds.0.max(a.min(b)), bounds.1.min(a.max(b)));
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failing test may end with a panic
    #![allow(clippy::float_cmp)] // small integers are exact
    use super::ReductionError as E;
    use super::*;

    const FREE: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

    #[test]
    fn maps_variables_to_weights_and_back() {
        let reduction = Reduction::new(&Parts {
            lane_count: 8,
            lanes: &[0, 1, 2, 4, 7],
            frozen: &[false, true, false, false, false],
            ties: &[
                Tie {
                    weight: 3,
                    root: 0,
                    factor: -1.0,
                    difference: 10.0,
                },
                Tie {
                    weight: 4,
                    root: 1,
                    factor: 2.0,
                    difference: 1.0,
                },
            ],
            bounds: &[(-100.0, 100.0), FREE, FREE, (0.0, 50.0), FREE],
            initial: &[5.0, 6.0, 7.0, 5.0, 13.0],
        })
        .unwrap();
        assert_eq!(reduction.variables(), 2);
        assert_eq!(reduction.roots(), &[0, 2]);
        assert_eq!(reduction.bounds(), &[(-40.0, 10.0), FREE]);
        assert_eq!(reduction.start(&[99.0, 0.0, 3.0, 0.0, 0.0]), [10.0, 3.0]);
        assert_eq!(reduction.weights(&[4.0, 1.0]), [4.0, 6.0, 1.0, 6.0, 13.0]);
        assert_eq!(
            reduction.lanes(&[4.0, 1.0]),
            [4.0, 6.0, 1.0, 0.0, 6.0, 0.0, 0.0, 13.0]
        );
        let weights = reduction.weights(&[4.0, 1.0]);
        assert_eq!(reduction.lanes_of(&weights), reduction.lanes(&[4.0, 1.0]));
        let fewer = reduction.keeping(&[1], &[4.0, 1.0]);
        assert_eq!((fewer.roots(), fewer.bounds()), (&[2][..], &[FREE][..]));
        assert_eq!(fewer.weights(&[2.0]), [4.0, 6.0, 2.0, 6.0, 13.0]);
        let mut gathered = [0.0; 2];
        reduction.gather(&[1.0, 1.0, 1.0, 1.0, 3.0, 1.0, 1.0, 1.0], &mut gathered);
        assert_eq!(gathered, [-2.0, 1.0]);
    }

    #[test]
    fn reports_all_mistakes_at_once() {
        let errors = Reduction::new(&Parts {
            lane_count: 4,
            lanes: &[0, 0, 9, 3],
            frozen: &[false; 4],
            ties: &[
                Tie {
                    weight: 0,
                    root: 1,
                    factor: 1.0,
                    difference: 0.0,
                },
                Tie {
                    weight: 1,
                    root: 3,
                    factor: f64::NAN,
                    difference: 0.0,
                },
                Tie {
                    weight: 8,
                    root: 3,
                    factor: 1.0,
                    difference: 0.0,
                },
            ],
            bounds: &[FREE, FREE, FREE, (1.0, 0.0)],
            initial: &[0.0; 4],
        })
        .unwrap_err();
        assert_eq!(
            errors,
            [
                E::SharedLane(0, 1),
                E::NoSuchLane(2, 9),
                E::BoundsCross(3),
                E::NotFinite(1),
                E::NoSuchWeight(8),
                E::RootIsTied(0, 1),
            ]
        );
    }

    #[test]
    fn refuses_ties_that_contradict_frozen_weights_and_bounds() {
        let tie = [Tie {
            weight: 1,
            root: 0,
            factor: 1.0,
            difference: 0.0,
        }];
        let mut parts = Parts {
            lane_count: 2,
            lanes: &[0, 1],
            frozen: &[false, true],
            ties: &tie,
            bounds: &[FREE, FREE],
            initial: &[0.0, 0.0],
        };
        assert_eq!(
            Reduction::new(&parts).unwrap_err(),
            [ReductionError::FrozenTied(1, 0)]
        );
        parts.frozen = &[false, false];
        parts.bounds = &[(0.0, 1.0), (2.0, 3.0)];
        assert_eq!(
            Reduction::new(&parts).unwrap_err(),
            [ReductionError::TiesLeaveNothing(0)]
        );
    }
}
