//! An objective along a straight line: what a line search asks for.
//!
//! [`Objective::line`] gives one. The default, [`ByGradient`], takes a pass for
//! every point; an objective that stores the score of every row overrides it, and
//! its points cost a pass over scores.

use super::{Cost, Objective, PassResult, Prior};
use crate::linalg::dot;

/// f(x + t·d) and its derivatives by t.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinePoint {
    /// The value.
    pub value: f64,
    /// Its first derivative by t.
    pub slope: f64,
    /// Its second derivative by t, where that costs next to nothing.
    pub curvature: Option<f64>,
}

/// An objective along x + t·d, for fixed x and d.
///
/// Deterministic to the bit, on any number of threads.
pub trait Line {
    /// Returns value and slope of the function t ↦ f(x + t·d) at `t`, and its curvature where that
    /// costs next to nothing.
    ///
    /// # Errors
    /// If data cannot be read.
    fn at(&mut self, t: f64) -> PassResult<LinePoint>;

    /// Returns what the line has cost until now: passes, and readings of stored scores.
    fn cost(&self) -> Cost;
}

/// A line of which every point costs a gradient.
#[derive(Debug)]
pub struct ByGradient<'a, T: ?Sized> {
    objective: &'a T,
    x: Vec<f64>,
    d: Vec<f64>,
    gradient: Vec<f64>,
    passes: usize,
}

impl<'a, T: Objective + ?Sized> ByGradient<'a, T> {
    /// Makes the line t ↦ f(`x` + t·`d`) of an objective f. *Cost*: none before a point is asked
    /// for.
    pub fn new(objective: &'a T, x: &[f64], d: &[f64]) -> Self {
        Self {
            objective,
            x: x.to_vec(),
            d: d.to_vec(),
            gradient: vec![0.0; x.len()],
            passes: 0,
        }
    }
}

impl<T: Objective + ?Sized> Line for ByGradient<'_, T> {
    fn at(&mut self, t: f64) -> PassResult<LinePoint> {
        let moved = self.x.iter().zip(&self.d).map(|(x, d)| x + t * d);
        let moved: Vec<f64> = moved.collect();
        self.passes += 1;
        let value = self.objective.gradient(&moved, &mut self.gradient)?;
        Ok(LinePoint {
            value,
            slope: dot(&self.gradient, &self.d),
            curvature: None,
        })
    }

    fn cost(&self) -> Cost {
        Cost::of_passes(self.passes)
    }
}

/// A line with a prior added, which is a parabola along it.
pub(super) struct WithPrior<'a> {
    line: Box<dyn Line + 'a>,
    /// The prior at t = 0, its slope there, and its curvature.
    value: f64,
    slope: f64,
    curvature: f64,
}

impl<'a> WithPrior<'a> {
    /// Adds a prior to the line from `x` along `d`. The prior must have no kinks: it then is a
    /// parabola along the line, which its value, slope and curvature at `x` determine.
    pub(super) fn new(line: Box<dyn Line + 'a>, prior: &Prior, x: &[f64], d: &[f64]) -> Self {
        let (mut gradient, mut product) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        let value = prior.add_gradient(x, &mut gradient);
        prior.add_product(d, &mut product);
        Self {
            line,
            value,
            slope: dot(&gradient, d),
            curvature: dot(&product, d),
        }
    }
}

impl Line for WithPrior<'_> {
    /// Adds the prior's parabola, value + t·slope + ½·t²·curvature, to the point of the line at
    /// `t`.
    fn at(&mut self, t: f64) -> PassResult<LinePoint> {
        let along = self.line.at(t)?;
        Ok(LinePoint {
            value: along.value + self.value + t * (self.slope + 0.5 * t * self.curvature),
            slope: along.slope + self.slope + t * self.curvature,
            curvature: along.curvature.map(|c| c + self.curvature),
        })
    }

    fn cost(&self) -> Cost {
        self.line.cost()
    }
}
