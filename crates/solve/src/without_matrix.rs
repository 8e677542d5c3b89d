//! The methods that never form a matrix: what they share.
//!
//! [`descend`] runs any of them: it finds out which variables are in play,
//! asks the method for a step at a time, and books it. A method is one struct
//! that holds all that it knows from one step to the next.

use serde::{Deserialize, Serialize};

use super::adam::Adam;
use super::cg::Cg;
use super::feasible::free;
use super::gd::GradientDescent;
use super::lbfgs::Lbfgs;
use super::newton_cg::NewtonCg;
use super::saved::{Course, finite};
use super::state::{Findings, Point, State};
use super::{Flow, Method, Options, Solver, Termination};
use crate::Curvature;
use crate::linalg::{dot, max_abs};

/// The scale of a variable is at least this part of its largest so far, so
/// that a weight whose curvature vanishes as it runs away takes no giant steps.
const LEAST_SCALE: f64 = 1e-10;

/// So many steps without a lower value are the end: where the data are matched
/// exactly, there is no other, for every decrease is a large part of what is
/// left. Chosen; at rounding a second lower value in a row is rare.
const STALLED: usize = 5;

/// What all methods know beside the point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WithoutMatrix {
    pub(super) scales: Scales,
    method: Kept,
}

/// What one of them knows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kept {
    NewtonCg(NewtonCg),
    Cg(Cg),
    Lbfgs(Lbfgs),
    Adam(Adam),
    Gd(GradientDescent),
}

/// The diagonal of the Gauss-Newton matrix, which makes variables of rare and
/// of frequent features alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Scales {
    /// At the start, without the prior's part.
    first: Vec<f64>,
    /// Its largest value so far, the prior's part included.
    largest: Vec<f64>,
    /// The one in use, the prior's part included; 0 for variables that are
    /// not in play: neither seen nor believed, or without room.
    now: Vec<f64>,
    /// Whether it was formed again where the end seemed near.
    checked: bool,
}

/// A step that was taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// The largest change of a variable.
    pub(super) length: f64,
}

impl Scales {
    /// Forms it at the start: one pass.
    fn new(state: &mut State<'_, '_>) -> Self {
        let first = state.diagonal(Curvature::GaussNewton);
        let mut now = first.clone();
        if let Some(prior) = state.problem.prior {
            prior.add_diagonal(&mut now);
        }
        for (scale, (low, high)) in now.iter_mut().zip(state.problem.bounds) {
            if low >= high {
                *scale = 0.0;
            }
        }
        Self {
            first,
            largest: now.clone(),
            now,
            checked: false,
        }
    }

    /// Forms it again where the state is: one pass.
    pub(super) fn renew(&mut self, state: &mut State<'_, '_>) {
        let mut diagonal = state.diagonal(Curvature::GaussNewton);
        if let Some(prior) = state.problem.prior {
            prior.add_diagonal(&mut diagonal);
        }
        for (i, diagonal) in diagonal.into_iter().enumerate() {
            if self.now[i] > 0.0 {
                self.largest[i] = self.largest[i].max(diagonal);
                self.now[i] = diagonal.max(LEAST_SCALE * self.largest[i]);
            }
        }
    }

    /// Returns 1/scale of the variables that may move, 0 of all others.
    pub(super) fn inverse(&self, state: &State<'_, '_>) -> Vec<f64> {
        let in_play: Vec<bool> = self.now.iter().map(|&scale| scale > 0.0).collect();
        let free = free(&state.x, &state.gradient, state.problem.bounds, &in_play);
        let inverse = |(free, scale): (bool, &f64)| if free { scale.recip() } else { 0.0 };
        free.into_iter().zip(&self.now).map(inverse).collect()
    }

    /// Tells whether the diagonal promises too little for another step. Where
    /// that seems so it is formed again once, for weights that run away have
    /// left it behind: a pass.
    pub(super) fn promise_little(&mut self, state: &mut State<'_, '_>, options: &Options) -> bool {
        let least = options.decrease * state.value;
        let little = |scales: &Self, state: &State<'_, '_>| {
            promise(&state.gradient, &scales.inverse(state)) <= least
        };
        if little(self, state) && !self.checked {
            self.checked = true;
            self.renew(state);
        }
        little(self, state)
    }

    fn check(&self, variables: usize) -> bool {
        [&self.first, &self.largest, &self.now]
            .into_iter()
            .all(|v| is_vector(v, variables) && v.iter().all(|&scale| scale >= 0.0))
    }
}

impl WithoutMatrix {
    /// Sets out from the start.
    fn new(state: &mut State<'_, '_>, options: &Options) -> Option<Self> {
        let scales = Scales::new(state);
        let method = match options.solver {
            Solver::Auto | Solver::GaussNewton | Solver::Newton => return None,
            Solver::NewtonCg => Kept::NewtonCg(NewtonCg::default()),
            Solver::Cg => Kept::Cg(Cg::default()),
            Solver::Lbfgs => Kept::Lbfgs(Lbfgs::default()),
            Solver::Adam => Kept::Adam(Adam::new(state)),
            Solver::Gd => Kept::Gd(GradientDescent::default()),
        };
        Some(Self { scales, method })
    }

    /// Takes a step.
    fn step(&mut self, state: &mut State<'_, '_>, options: &Options) -> Result<Step, Termination> {
        let scales = &mut self.scales;
        match &mut self.method {
            Kept::NewtonCg(method) => method.step(scales, state, options),
            Kept::Cg(method) => method.step(scales, state, options),
            Kept::Lbfgs(method) => method.step(scales, state, options),
            Kept::Adam(method) => method.step(state),
            Kept::Gd(method) => method.step(state, options),
        }
    }

    fn name(&self) -> Method {
        match self.method {
            Kept::NewtonCg(_) => Method::NewtonCg,
            Kept::Cg(_) => Method::Cg,
            Kept::Lbfgs(_) => Method::Lbfgs,
            Kept::Adam(_) => Method::Adam,
            Kept::Gd(_) => Method::Gd,
        }
    }

    /// Says what in it cannot be, for so many variables.
    pub(super) fn check(&self, variables: usize) -> Result<(), &'static str> {
        let good = self.scales.check(variables)
            && match &self.method {
                Kept::NewtonCg(method) => method.check(),
                Kept::Cg(method) => method.check(variables),
                Kept::Lbfgs(method) => method.check(variables),
                Kept::Adam(method) => method.check(variables),
                Kept::Gd(method) => method.check(),
            };
        if good {
            Ok(())
        } else {
            Err("a number of the method is missing or cannot be")
        }
    }
}

/// Tells whether it is a finite number for each variable.
pub(super) fn is_vector(vector: &[f64], variables: usize) -> bool {
    vector.len() == variables && finite(vector)
}

/// Goes down until there is a reason to stop, from the start or from where the
/// method was saved.
pub(super) fn descend(
    state: &mut State<'_, '_>,
    options: &Options,
    saved: Option<&WithoutMatrix>,
) -> (Termination, Findings) {
    if let Some(end) = state.cannot_begin() {
        return (end, Findings::default());
    }
    let kept = saved
        .cloned()
        .or_else(|| WithoutMatrix::new(state, options));
    let Some(mut kept) = kept else {
        return (Termination::NothingToFit, Findings::default());
    };
    let termination = if max_abs(&kept.scales.now) > 0.0 {
        run(&mut kept, state, options)
    } else {
        Termination::NothingToFit
    };
    if let Kept::Adam(adam) = &mut kept.method {
        adam.take_best(state);
    }
    let scales = &kept.scales;
    let in_play = (0..scales.now.len()).filter(|&i| scales.now[i] > 0.0);
    let findings = Findings {
        curvature: None,
        unseen: (0..scales.first.len())
            .filter(|&i| scales.first[i] <= 0.0)
            .collect(),
        undetermined: None,
        runaway: state.runaway(&scales.first, in_play),
    };
    (termination, findings)
}

fn run(kept: &mut WithoutMatrix, state: &mut State<'_, '_>, options: &Options) -> Termination {
    let baseline = matches!(kept.method, Kept::Adam(_) | Kept::Gd(_));
    while state.iterations() < options.iterations {
        if !baseline && state.stalled(STALLED) {
            return Termination::NoFurtherDecrease;
        }
        let step = match kept.step(state, options) {
            Ok(step) => step,
            Err(end) => return end,
        };
        let course = || Course::WithoutMatrix(kept.clone());
        if state.record(kept.name(), step.length, 0.0, &course) == Flow::Stop {
            return Termination::Interrupted;
        }
    }
    Termination::IterationLimit
}

/// Moves to a point and tells how far it was.
pub(super) fn go(state: &mut State<'_, '_>, point: Point) -> Step {
    let change = point.x.iter().zip(&state.x).map(|(new, old)| new - old);
    let length = max_abs(&change.collect::<Vec<_>>());
    state.take(point);
    Step { length }
}

/// Minus the scaled gradient.
pub(super) fn downhill(gradient: &[f64], inverse: &[f64]) -> Vec<f64> {
    let scaled = |(g, m): (&f64, &f64)| if *m > 0.0 { -g * m } else { 0.0 };
    gradient.iter().zip(inverse).map(scaled).collect()
}

/// ½·gᵀ·D⁻¹·g: what the value would fall by if the matrix were its diagonal.
pub(super) fn promise(gradient: &[f64], inverse: &[f64]) -> f64 {
    -0.5 * dot(gradient, &downhill(gradient, inverse))
}
