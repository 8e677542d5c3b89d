//! The linear systems A·z = b of the curvature and a prior, A = H + P, without the
//! matrix of all: by conjugate gradients, all right sides together, so that a step of
//! all of them takes one pass.
//! Preconditioned by the inverse between the most frequent weights ([`Preconditioner`]).

use super::{PassResult, ProductBuffers, Regression};
use tuner_parallel as parallel;
use tuner_solve::linalg::{Symmetric, add_scaled, dot};
use tuner_solve::{Curvature, Objective, Preconditioner, Prior, Subset, most_frequent};

/// Most steps of conjugate gradients.
const MOST_STEPS: usize = 100;

/// The systems A·z = b with A = H + P: H is the curvature of Gauss and Newton at a point, P that of
/// a prior.
#[derive(Debug)]
pub struct CurvatureSystem<'a> {
    objective: &'a Regression<'a>,
    x: &'a [f64],
    prior: Option<Prior>,
    /// The diagonal of H.
    diagonal: Vec<f64>,
    /// The variables that are read most often, with those chosen, and H between them.
    frequent: (Subset, Symmetric),
    preconditioner: Preconditioner,
    /// Residual at which a solution is good enough, in parts of the right side.
    tolerance: f64,
    /// How many passes over the rows it has taken until now, where a pass is of all vectors at
    /// once: rows are read once for each eight of them.
    pub passes: usize,
    buffers: ProductBuffers,
}

impl<'a> CurvatureSystem<'a> {
    /// Makes the system A·z = b at `x`, still without prior, so that A is the curvature H of Gauss
    /// and Newton. For the preconditioner H is formed between the `frequent` variables that are
    /// read most often, and those `chosen`; `tolerance` is the residual at which a solution is good
    /// enough, in parts of its right side.
    ///
    /// *Cost*: two passes.
    ///
    /// # Errors
    /// If rows cannot be read.
    pub fn new(
        objective: &'a Regression<'a>,
        x: &'a [f64],
        chosen: &[usize],
        frequent: usize,
        tolerance: f64,
    ) -> PassResult<Self> {
        // The exact curvature may fall at kinks; that of Gauss and Newton never.
        let diagonal = objective.diagonal(x, Curvature::GaussNewton)?;
        let subset = most_frequent(&diagonal, frequent, chosen);
        let matrix = objective.curvature_between(x, Curvature::GaussNewton, &subset)?;
        let mut system = Self {
            objective,
            x,
            prior: None,
            diagonal,
            frequent: (subset, matrix),
            // Replaced at once, by `set_prior`.
            preconditioner: Preconditioner::of_diagonal(Vec::new()),
            tolerance,
            passes: 2,
            buffers: ProductBuffers::default(),
        };
        system.set_prior(None);
        Ok(system)
    }

    /// Changes the prior, whose curvature P makes A = H + P; `None` makes A = H, the curvature of
    /// the data. Makes the preconditioner anew: it inverts A between the variables that are read
    /// most often or were chosen, and the diagonal of A for all others. *Cost*: the inverse of the
    /// matrix between the former.
    pub fn set_prior(&mut self, prior: Option<Prior>) {
        let (subset, data) = &self.frequent;
        let (mut diagonal, mut matrix) = (self.diagonal.clone(), data.clone());
        if let Some(prior) = &prior {
            prior.add_diagonal(&mut diagonal);
            prior.add_curvature(subset.indices(), &mut matrix);
        }
        // 0 keeps a variable without curvature where it is.
        let inverse = |&d: &f64| if d > 0.0 { d.recip() } else { 0.0 };
        let of_diagonal = Preconditioner::of_diagonal(diagonal.iter().map(inverse).collect());
        self.preconditioner = of_diagonal.with_block(subset, &matrix);
        self.prior = prior;
    }

    /// Returns the curvature H of the data alone times some vectors. *Cost*: a pass for each eight
    /// of them, which [`passes`](Self::passes) counts as one pass for all.
    ///
    /// # Errors
    /// If rows cannot be read.
    pub fn curvature_products(&mut self, vectors: &[Vec<f64>]) -> PassResult<Vec<Vec<f64>>> {
        self.passes += 1;
        self.objective
            .curvature_products(self.x, vectors, &mut self.buffers)
    }

    /// Returns A = H + P, with P the curvature of the prior, times some vectors. *Cost*: a pass for
    /// each eight.
    fn products(&mut self, vectors: &[Vec<f64>]) -> PassResult<Vec<Vec<f64>>> {
        let mut products = self.curvature_products(vectors)?;
        if let Some(prior) = &self.prior {
            let parts = vectors.iter().zip(&mut products);
            parallel::for_each_part(parts, |(vector, product)| {
                prior.add_product(vector, product);
            });
        }
        Ok(products)
    }

    /// Returns the preconditioner, an approximate inverse of the curvature of data and prior, times
    /// some residuals.
    fn preconditioned<'r>(&self, residuals: impl Iterator<Item = &'r Vec<f64>>) -> Vec<Vec<f64>> {
        let residuals: Vec<&[f64]> = residuals.map(Vec::as_slice).collect();
        self.preconditioner.apply_all(&residuals)
    }

    /// Solves A·z = b for several right sides b by conjugate gradients, side by side; A is the
    /// curvature of data and prior. With each z comes whether its residual is small enough: `false`
    /// where a hundred steps were too few, or there was no curvature along a direction. `near` has
    /// a z for each to begin at, such as the solution with a prior that is much alike; if it is
    /// empty, all begin at 0.
    ///
    /// *Shapes*: each has one value per variable. *Cost*: a pass a step, of which there are some
    /// tens.
    ///
    /// # Errors
    /// If rows cannot be read.
    pub fn solve(
        &mut self,
        rights: Vec<Vec<f64>>,
        near: &[Vec<f64>],
    ) -> PassResult<Vec<(Vec<f64>, bool)>> {
        let mut open = self.begin(rights, near)?;
        let mut solutions = vec![(Vec::new(), false); open.len()];
        // Systems that are done are taken out of `open`, all others step together.
        let mut steps = 0;
        loop {
            for done in open.extract_if(.., |descent| descent.norm <= descent.small) {
                solutions[done.number] = (done.solution, true);
            }
            if open.is_empty() || steps == MOST_STEPS {
                break;
            }
            steps += 1;
            let take = |descent: &mut Descent| std::mem::take(&mut descent.direction);
            let directions: Vec<Vec<f64>> = open.iter_mut().map(take).collect();
            let products = self.products(&directions)?;
            let parts = open.iter_mut().zip(directions).zip(products);
            parallel::for_each_part(parts, |((descent, direction), product)| {
                descent.step(direction, &product);
            });
            // A direction without curvature leads nowhere: the solution so far stays, and counts as
            // one whose residual is not small enough.
            for ended in open.extract_if(.., |descent| !descent.norm.is_finite()) {
                solutions[ended.number].0 = ended.solution;
            }
            let next = self.preconditioned(open.iter().map(|descent| &descent.residual));
            parallel::for_each_part(open.iter_mut().zip(next), |(descent, next)| {
                descent.turn(&next);
            });
        }
        // Those that the steps did not suffice for.
        for descent in open {
            solutions[descent.number].0 = descent.solution;
        }
        Ok(solutions)
    }

    /// Begins conjugate gradients for each right side b, at its z in `near`, or at 0 if that is
    /// empty. The first direction is the preconditioned residual b − A·z. A residual counts as
    /// small enough by its norm rᵀP·r, with P the preconditioner, against the tolerance squared
    /// times bᵀP·b, wherever the descent begins.
    fn begin(&mut self, rights: Vec<Vec<f64>>, near: &[Vec<f64>]) -> PassResult<Vec<Descent>> {
        let mut first = self.preconditioned(rights.iter());
        let norms = rights.iter().zip(&first);
        let norms: Vec<f64> = norms.map(|(right, first)| dot(right, first)).collect();
        let mut begun = near.to_vec();
        let mut residuals = rights;
        if near.is_empty() {
            begun.extend(residuals.iter().map(|right| vec![0.0; right.len()]));
        } else {
            for (residual, product) in residuals.iter_mut().zip(self.products(near)?) {
                add_scaled(residual, -1.0, &product);
            }
            first = self.preconditioned(residuals.iter());
        }
        let parts = residuals.into_iter().zip(first).zip(norms).zip(begun);
        let descents: Vec<Descent> = (parts.enumerate())
            .map(
                |(number, (((residual, direction), of_right), solution))| Descent {
                    number,
                    small: self.tolerance * self.tolerance * of_right,
                    norm: dot(&residual, &direction),
                    solution,
                    residual,
                    direction,
                },
            )
            .collect();
        Ok(descents)
    }
}

/// Conjugate gradients of one system.
struct Descent {
    /// The number of the system among those that are solved together.
    number: usize,
    solution: Vec<f64>,
    residual: Vec<f64>,
    direction: Vec<f64>,
    /// Residual times preconditioned residual.
    norm: f64,
    /// The norm at which the residual is small enough.
    small: f64,
}

impl Descent {
    /// Steps to the minimum along `direction`, by which solution and residual change; `product` is
    /// the matrix A times it. Where it has no curvature the norm becomes NaN, which ends the
    /// descent.
    fn step(&mut self, direction: Vec<f64>, product: &[f64]) {
        let curvature = dot(&direction, product);
        if curvature <= 0.0 {
            self.norm = f64::NAN;
            return;
        }
        let step = self.norm / curvature;
        add_scaled(&mut self.solution, step, &direction);
        add_scaled(&mut self.residual, -step, product);
        self.direction = direction;
    }

    /// Turns to the next direction, conjugate to those before. `next`: the preconditioned residual,
    /// after the step.
    fn turn(&mut self, next: &[f64]) {
        let after = dot(&self.residual, next);
        let ratio = after / self.norm;
        (self.direction.iter_mut().zip(next)).for_each(|(d, n)| *d = n + ratio * *d);
        self.norm = after;
    }
}
