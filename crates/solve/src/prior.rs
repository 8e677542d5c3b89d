//! The prior of the weights: what is known before the data are seen, as a
//! function that is added to E.

use super::{PoolParts, PoolTerm, PriorSpec, Reduction, VariableId};
use crate::linalg::{Symmetric, add_products, add_scaled};

/// A normal prior: weights are near their prior means, and neighbours in a table
/// near each other, with a standard deviation τ.
///
/// The objective becomes `F(x) = E(x) + ½·Σ λ_v·(x_v − toward_v)² +
/// ½·Σ λ_l·(w_i − w_j)²`, λ in proportion to 1/τ², and where asked for
/// `Σ λ_a·|x_v − c_v|`, λ_a in proportion to √2/τ. In a pool the first sum is over the means
/// w̄ of its sets, and `½·Σ λ_p·(w − w̄)²` joins it. Of a weight that thousands
/// of games speak of, it changes nothing that matters; one that a few games
/// speak of stays where the author, or its neighbours, put it, instead of
/// explaining these few games by a number that loses the next one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prior {
    toward: Vec<f64>,
    /// λ of each variable.
    strengths: Vec<f64>,
    links: Vec<SmoothnessTerm>,
    pools: Vec<PoolTerm>,
    /// The terms with a kink.
    pub(super) kinks: Vec<Kink>,
}

/// A Laplace term of the prior: `strength·|x[variable] − centre|`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Kink {
    pub(super) variable: usize,
    pub(super) centre: f64,
    pub(super) strength: f64,
}

impl Kink {
    /// Returns the side of the centre that a value is on: −1, 0 or 1.
    pub(super) fn side(&self, value: f64) -> f64 {
        match value - self.centre {
            d if d > 0.0 => 1.0,
            d if d < 0.0 => -1.0,
            _ => 0.0,
        }
    }

    /// Returns the slope of the function to use at `value`, and the bounds narrowed to the side of
    /// the centre that the value is on, where the function is smooth. Away from the centre `slope`
    /// includes the Laplace term, and is returned as it is. At the centre it must be without the
    /// term: if it is steeper than `strength`, the value goes to the side on which the function
    /// falls; else it stays, with slope 0 and both bounds at the centre.
    pub(super) fn on_one_side(
        &self,
        value: f64,
        slope: f64,
        bounds: (f64, f64),
    ) -> (f64, (f64, f64)) {
        let (low, high) = bounds;
        let (above, below) = ((low.max(self.centre), high), (low, high.min(self.centre)));
        match self.side(value) {
            side if side > 0.0 => (slope, above),
            side if side < 0.0 => (slope, below),
            _ if slope > self.strength => (slope - self.strength, below),
            _ if slope < -self.strength => (slope + self.strength, above),
            _ => (0.0, (self.centre, self.centre)),
        }
    }
}

/// A smoothness term of the prior: `½·strength·(a·x[i] + b·x[j] + constant)²`. What is fixed is in
/// the constant; b = 0 and j = i where only one of two neighbours is a variable.
#[derive(Clone, Copy, Debug, PartialEq)]
struct SmoothnessTerm {
    variables: [usize; 2],
    factors: [f64; 2],
    constant: f64,
    strength: f64,
}

impl SmoothnessTerm {
    /// Returns the difference of the two neighbours' values at `x`, whose prior mean is 0. It is
    /// w_i − w_j or w_j − w_i, as only its square counts.
    fn difference(&self, x: &[f64]) -> f64 {
        let [i, j] = self.variables;
        self.factors[0] * x[i] + self.factors[1] * x[j] + self.constant
    }

    /// Makes the smoothness term of the difference of two weights, each given as `(variable,
    /// factor, offset)`, with `strength` λ; `None` if the difference is fixed. Terms that penalise
    /// the same difference are made equal: the smaller variable comes first, with a positive
    /// factor.
    fn new(left: Term, right: Term, strength: f64) -> Option<Self> {
        let constant = left.2 - right.2;
        let (variables, factors) = match (left.0, right.0) {
            (Some(i), Some(j)) if i == j => ([i, i], [left.1 - right.1, 0.0]),
            // The smaller variable first, so that equal differences give equal terms.
            (Some(i), Some(j)) if i > j => return Self::new(right, left, strength),
            (Some(i), Some(j)) => ([i, j], [left.1, -right.1]),
            (Some(i), None) => ([i, i], [left.1, 0.0]),
            (None, Some(_)) => return Self::new(right, left, strength),
            (None, None) => return None,
        };
        let moves = factors.iter().any(|factor| factor.abs() > 0.0);
        // The square of a difference does not change with its sign. And 0 is added, as −0 would not
        // be equal to 0 by its bits.
        let sign = if factors[0] < 0.0 { -1.0 } else { 1.0 };
        moves.then_some(Self {
            variables: variables.map(VariableId::index),
            factors: factors.map(|factor| sign * factor + 0.0),
            constant: sign * constant + 0.0,
            strength,
        })
    }

    /// Returns numbers that are equal for two smoothness terms of the same difference: its
    /// variables, factors and constant, without the strength.
    fn key(&self) -> [u64; 5] {
        let [i, j] = self.variables.map(|variable| variable as u64);
        let [a, b] = self.factors.map(f64::to_bits);
        [i, j, a, b, self.constant.to_bits()]
    }
}

/// Variable (`None` if fixed), factor and offset of a weight.
type Term = (Option<VariableId>, f64, f64);

impl Prior {
    /// Makes the prior of variables with the means `toward` and the standard
    /// deviation `deviation`.
    ///
    /// The strength λ of the normal prior ½·λ·(x − toward)² of a variable is `unit`/τ², with τ the
    /// deviation. Minimising F, which is E plus the prior, maximises the posterior where `unit` is
    /// c/games, with c such that E/c is a mean negative log-likelihood (1 for cross-entropy, twice
    /// the variance of the residuals for the squared error). Games count and not positions, as
    /// those of a game share its result.
    ///
    /// *Units*: `deviation` in those of the weights, `unit` in those of E.
    pub fn new(toward: Vec<f64>, deviation: f64, unit: f64) -> Self {
        let strength = unit / (deviation * deviation);
        Self {
            strengths: vec![strength; toward.len()],
            toward,
            ..Self::default()
        }
    }

    /// Adds the priors of a spec: of single weights, Laplace ones included, of neighbours, and of
    /// pools, which take the place of the normal priors of their weights.
    ///
    /// A variable has the deviation of the weight whose value it is. Two neighbours that are the
    /// same variable, or both fixed, say nothing; where one is fixed, the other is drawn to it; and
    /// differences that ties make equal, as in a mirrored table, count once. `unit` is λ·τ², how
    /// much of F a squared standard deviation is worth: each strength λ is `unit`/τ² of its
    /// deviation τ.
    ///
    /// # Panics
    /// If a prior is about a weight that the reduction has not.
    #[must_use]
    pub fn with(mut self, spec: &PriorSpec, reduction: &Reduction, unit: f64) -> Self {
        // A root is the weight whose value a variable is.
        for (strength, root) in self.strengths.iter_mut().zip(reduction.roots()) {
            if let Some(deviation) = spec.deviations.get(root) {
                *strength = unit / (deviation * deviation);
            }
        }
        let terms: Vec<Term> = reduction.weight_terms().collect();
        let links = spec.neighbours.iter().filter_map(|pair| {
            let [left, right] = pair.weights.map(|weight| terms[weight.index()]);
            SmoothnessTerm::new(left, right, unit / (pair.deviation * pair.deviation))
        });
        self.links = links.collect();
        // Of terms of the same difference the strongest is kept; they differ in strength only
        // between tables that are tied to each other.
        self.links
            .sort_by(|a, b| (a.key().cmp(&b.key())).then(b.strength.total_cmp(&a.strength)));
        self.links.dedup_by_key(|link| link.key());
        self.pools = self.pool_terms(spec, &terms, unit);
        // The strengths of these weights are in the terms of their pools now.
        for variable in self.pools.iter().flat_map(PoolTerm::variables) {
            self.strengths[variable] = 0.0;
        }
        for (variable, root) in reduction.roots().iter().enumerate() {
            if let Some(laplace) = spec.laplace.get(root) {
                let mean = self.toward[variable];
                // The density of a Laplace distribution with the deviation τ falls as e^(−√2·|d|/τ)
                // with the distance d from its centre.
                self.kinks.push(Kink {
                    variable,
                    centre: if laplace.to_zero { 0.0 } else { mean },
                    strength: unit * std::f64::consts::SQRT_2 / laplace.deviation,
                });
            }
        }
        self
    }

    /// Makes a term for each set of weights of the pools, one where ties make several sets of a
    /// pool equal; a set of fixed weights has none. `terms`: of each weight its variable (`None` if
    /// fixed), factor and offset; `unit`: λ·τ², by which each strength λ follows from its deviation
    /// τ.
    ///
    /// A pool takes the place of the normal priors of its weights: the mean of a set has the λ that
    /// its first variable had, and the entries are drawn to the mean with `unit`/τ² of the pool's
    /// deviation, or, where the pool has none, with the λ of the first variable too.
    fn pool_terms(&self, spec: &PriorSpec, terms: &[Term], unit: f64) -> Vec<PoolTerm> {
        let mut pools: Vec<PoolTerm> = Vec::new();
        for (table, pool) in spec.pools.iter().enumerate() {
            let first = pools.len();
            for set in &pool.sets {
                let members = set.iter().filter_map(|weight| {
                    let (variable, factor, offset) = terms[weight.index()];
                    Some((variable?.index(), factor, offset))
                });
                let Some(mut term) = PoolTerm::new(table, members, &self.toward) else {
                    continue;
                };
                // A term has at least one variable.
                let own = term.variables().next().map(|v| self.strengths[v]);
                let mean = own.unwrap_or_default();
                let apart = (pool.deviation).map_or(mean, |apart| unit / (apart * apart));
                term.strengths = PoolParts { mean, apart };
                let mut before = pools[first..].iter();
                if !before.any(|other| other.says_the_same(&term)) {
                    pools.push(term);
                }
            }
        }
        pools
    }

    /// Returns the terms of the prior's pools, one for each set of weights that is drawn toward its
    /// common mean.
    pub fn pools(&self) -> &[PoolTerm] {
        &self.pools
    }

    /// Returns the prior means of the variables.
    pub fn toward(&self) -> &[f64] {
        &self.toward
    }

    /// Returns the strength λ of each variable's normal prior, in units of E per squared unit of a
    /// weight; 0 for variables in pools, which have a prior of their set instead.
    pub fn strengths(&self) -> &[f64] {
        &self.strengths
    }

    /// Returns the number of pairs of neighbours with a prior on their difference.
    pub fn links(&self) -> usize {
        self.links.len()
    }

    /// Tells whether the prior has a Laplace term, λ·|x − c|: it has a kink at c, which only
    /// methods with a matrix take.
    pub fn has_kinks(&self) -> bool {
        !self.kinks.is_empty()
    }

    /// Returns the variables that are, at `x`, exactly at the centre of their Laplace prior,
    /// ascending.
    pub fn kept(&self, x: &[f64]) -> Vec<usize> {
        let kept = |kink: &&Kink| kink.side(x[kink.variable]) == 0.0;
        (self.kinks.iter().filter(kept))
            .map(|kink| kink.variable)
            .collect()
    }

    /// Returns the prior's part of F at `x`, in units of E.
    pub fn value(&self, x: &[f64]) -> f64 {
        // ½·Σ λ·(x − toward)² and ½·Σ λ·(w_i − w_j)², both without their ½.
        let squares = x.iter().zip(&self.toward).zip(&self.strengths);
        let ridge: f64 = squares.map(|((x, m), s)| s * (x - m) * (x - m)).sum();
        let squares = self.links.iter().map(|link| {
            let difference = link.difference(x);
            link.strength * difference * difference
        });
        let kinks =
            (self.kinks.iter()).map(|kink| kink.strength * (x[kink.variable] - kink.centre).abs());
        let pools: f64 = self.pools.iter().map(|pool| pool.value(x)).sum();
        0.5 * (ridge + squares.sum::<f64>()) + pools + kinks.sum::<f64>()
    }

    /// Returns by how much the prior's part of F changes where `variable` of `x` is moved by
    /// `step`. *Cost*: a look at each link, kink and pool.
    pub fn change(&self, x: &[f64], variable: usize, step: f64) -> f64 {
        // ½·s·((d + h)² − d²) = s·h·(d + ½·h), for a strength s, a distance d and a step h of it.
        let square =
            |strength: f64, distance: f64, step: f64| strength * step * (distance + 0.5 * step);
        let distance = x[variable] - self.toward[variable];
        let ridge = square(self.strengths[variable], distance, step);
        let links = self.links.iter().map(|link| {
            let factors = link.variables.iter().zip(link.factors);
            let own = factors.filter(|(of, _)| **of == variable);
            let factor: f64 = own.map(|(_, factor)| factor).sum();
            square(link.strength, link.difference(x), factor * step)
        });
        let kinks = self.kinks.iter().filter(|kink| kink.variable == variable);
        let kinks = kinks.map(|kink| {
            let distance = x[variable] - kink.centre;
            kink.strength * ((distance + step).abs() - distance.abs())
        });
        let pools = (self.pools.iter()).map(|pool| pool.change(x, variable, step));
        ridge + links.sum::<f64>() + pools.sum::<f64>() + kinks.sum::<f64>()
    }

    /// Adds the prior's gradient at `x` and returns the prior's value there. A Laplace term λ·|x −
    /// c| adds no slope exactly at its centre c.
    pub fn add_gradient(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        let ridge = x.iter().zip(&self.toward).zip(&self.strengths);
        for (g, ((x, m), s)) in gradient.iter_mut().zip(ridge) {
            *g += s * (x - m);
        }
        for link in &self.links {
            let amount = link.strength * link.difference(x);
            for (&variable, factor) in link.variables.iter().zip(link.factors) {
                gradient[variable] += amount * factor;
            }
        }
        for pool in &self.pools {
            pool.add_gradient(x, gradient);
        }
        for kink in &self.kinks {
            gradient[kink.variable] += kink.strength * kink.side(x[kink.variable]);
        }
        self.value(x)
    }

    /// Adds the prior's second derivatives between some variables, ascending: row and column `i` of
    /// the matrix belong to `variables[i]`. Variables that are not among them count as fixed.
    /// Laplace terms have no curvature.
    pub fn add_curvature(&self, variables: &[usize], matrix: &mut Symmetric) {
        let mut numbers = vec![None; self.toward.len()];
        for (number, &variable) in variables.iter().enumerate() {
            numbers[variable] = Some(number);
            matrix.add(number, number, self.strengths[variable]);
        }
        for link in &self.links {
            let ([i, j], [a, b]) = (link.variables.map(|v| numbers[v]), link.factors);
            if let Some(i) = i {
                matrix.add(i, i, link.strength * a * a);
            }
            if let Some(j) = j {
                matrix.add(j, j, link.strength * b * b);
            }
            if let (Some(i), Some(j)) = (i, j)
                && i != j
            {
                matrix.add(i, j, link.strength * a * b);
            }
        }
        for pool in &self.pools {
            pool.add_curvature(&numbers, matrix);
        }
    }

    /// Returns Σ Pᵢⱼ·Mᵢⱼ over all pairs, the trace of P·M, with P the prior's curvature and M a
    /// symmetric matrix whose element of row i and column j is `element(i, j)`.
    pub fn inner_product(&self, element: &dyn Fn(usize, usize) -> f64) -> f64 {
        let strengths = self.strengths.iter().enumerate();
        let own = strengths.map(|(variable, strength)| strength * element(variable, variable));
        let links = self.links.iter().map(|link| {
            let ([i, j], [a, b]) = (link.variables, link.factors);
            let squares = a * a * element(i, i) + b * b * element(j, j);
            link.strength * (squares + 2.0 * a * b * element(i, j))
        });
        let pools = self.pools.iter().map(|pool| {
            let (strengths, traces) = (pool.strengths, pool.traces(element));
            strengths.mean * traces.mean + strengths.apart * traces.apart
        });
        own.sum::<f64>() + links.sum::<f64>() + pools.sum::<f64>()
    }

    /// Adds the diagonal of the prior's curvature, one number per variable.
    pub fn add_diagonal(&self, diagonal: &mut [f64]) {
        add_scaled(diagonal, 1.0, &self.strengths);
        for link in &self.links {
            for (&variable, factor) in link.variables.iter().zip(link.factors) {
                diagonal[variable] += link.strength * factor * factor;
            }
        }
        for pool in &self.pools {
            pool.add_diagonal(diagonal);
        }
    }

    /// Adds the product of the prior's curvature and a vector, both with one number per variable.
    pub fn add_product(&self, vector: &[f64], product: &mut [f64]) {
        add_products(product, vector, &self.strengths);
        for link in &self.links {
            let ([i, j], [a, b]) = (link.variables, link.factors);
            let amount = link.strength * (a * vector[i] + b * vector[j]);
            product[i] += a * amount;
            product[j] += b * amount;
        }
        for pool in &self.pools {
            pool.add_product(vector, product);
        }
    }
}

#[cfg(test)]
mod tests;
