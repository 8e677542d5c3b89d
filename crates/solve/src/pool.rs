//! Pools: entries of tables along an axis, drawn toward their common mean.

use crate::linalg::Symmetric;
use tuner_base::WeightId;

/// Entries along an axis of a table, each set of which has a common mean that it is drawn to.
///
/// *Source*: hierarchical priors, as in A. Gelman, J. Hill, Data analysis using regression and
/// multilevel/hierarchical models, 2007, chapter 12.
#[derive(Clone, Debug, PartialEq)]
pub struct PoolPrior {
    /// The name of the table.
    pub name: String,
    /// The weights that are drawn together, set by set.
    pub sets: Vec<Vec<WeightId>>,
    /// The standard deviation of an entry from the mean of its set, in the unit of the
    /// weights; `None`: that of the weights from their initial values.
    pub deviation: Option<f64>,
}

/// The variables of one set, with the strengths of both parts of its prior: with w = factor·x +
/// offset and n members, ½·`mean`·(w̄ − `toward`)² + ½·`apart`·Σ(w − w̄)².
#[derive(Clone, Debug, PartialEq)]
pub struct PoolTerm {
    /// Ascending by variable, each once.
    members: Vec<Member>,
    /// The number of its table among the pools of the spec.
    pub table: usize,
    toward: f64,
    /// The strengths λ of both parts of the prior.
    pub strengths: PoolParts,
}

/// A weight of a set: `factor·x[variable] + offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Member {
    variable: usize,
    factor: f64,
    offset: f64,
}

/// Two numbers: one for the common mean of a set, one for the differences from it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PoolParts {
    /// The number for the mean.
    pub mean: f64,
    /// The number for the differences.
    pub apart: f64,
}

impl PoolTerm {
    /// Makes the term of one set of weights, each given as its variable, factor and offset; weights
    /// that are one variable count once. `table`: the number of the pool in the spec; `toward`: the
    /// prior mean of each variable of the problem, whose mean over the set the term draws to.
    /// Strengths are 0 until they are set. `None` if there is no weight.
    pub(super) fn new(
        table: usize,
        weights: impl Iterator<Item = (usize, f64, f64)>,
        toward: &[f64],
    ) -> Option<Self> {
        let members = weights.map(|(variable, factor, offset)| Member {
            variable,
            factor,
            offset,
        });
        let mut members: Vec<Member> = members.collect();
        members.sort_by_key(|member| member.variable);
        members.dedup_by_key(|member| member.variable);
        if members.is_empty() {
            return None;
        }
        let mut term = Self {
            members,
            table,
            toward: 0.0,
            strengths: PoolParts::default(),
        };
        term.toward = mean(term.values(toward));
        Some(term)
    }

    /// Tells whether another term has the same members, as where ties make two sets of a table
    /// equal.
    pub(super) fn says_the_same(&self, other: &Self) -> bool {
        self.members == other.members
    }

    /// Returns the variables of the set, ascending.
    pub fn variables(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.members.iter().map(|member| member.variable)
    }

    /// Returns how many of the set's differences from its mean are independent: one less than it
    /// has variables, as the differences add up to 0.
    pub fn apart(&self) -> usize {
        self.members.len() - 1
    }

    /// Iterates over the values of the set's weights at `x`, which has a value per variable of the
    /// problem.
    fn values<'a>(&'a self, x: &'a [f64]) -> impl ExactSizeIterator<Item = f64> + Clone + 'a {
        (self.members.iter()).map(|member| member.factor * x[member.variable] + member.offset)
    }

    /// Iterates over the changes of the set's weights where the variables of the problem change by
    /// `step`.
    fn along<'a>(&'a self, step: &'a [f64]) -> impl ExactSizeIterator<Item = f64> + Clone + 'a {
        (self.members.iter()).map(|member| member.factor * step[member.variable])
    }

    /// Returns, for the set's mean w̄ at `x`, its squared distance from its prior mean, and Σ (w −
    /// w̄)² over the weights w of the set; in squared units of the weights and without the
    /// strengths.
    pub fn squares(&self, x: &[f64]) -> PoolParts {
        let own = mean(self.values(x));
        PoolParts {
            mean: (own - self.toward).powi(2),
            apart: self.values(x).map(|value| (value - own).powi(2)).sum(),
        }
    }

    /// Returns the two products leftᵀ·P·right, without the strengths: for the mean w̄ of the set P
    /// are the second derivatives of ½·w̄², for the differences from it those of ½·Σ (w − w̄)².
    /// *Shapes*: `left` and `right` have one value per variable of the problem.
    pub fn products(&self, left: &[f64], right: &[f64]) -> PoolParts {
        let (a, b) = (mean(self.along(left)), mean(self.along(right)));
        let pairs = self.along(left).zip(self.along(right));
        PoolParts {
            mean: a * b,
            apart: pairs.map(|(x, y)| (x - a) * (y - b)).sum(),
        }
    }

    /// Returns the two sums Σ Pᵢⱼ·Mᵢⱼ, without the strengths: for the mean w̄ of the set P are the
    /// second derivatives of ½·w̄², for the differences from it those of ½·Σ (w − w̄)². With the
    /// factors f of the n weights of the set they are f·fᵀ/n², and the diagonal of f² less f·fᵀ/n.
    /// M is a matrix whose element of the variables i and j is `element(i, j)`.
    pub fn traces(&self, element: &dyn Fn(usize, usize) -> f64) -> PoolParts {
        let (mut all, mut own) = (0.0, 0.0);
        for left in &self.members {
            for right in &self.members {
                let value = element(left.variable, right.variable);
                all += left.factor * right.factor * value;
            }
            own += left.factor * left.factor * element(left.variable, left.variable);
        }
        let count = self.members.len() as f64;
        PoolParts {
            mean: all / (count * count),
            apart: own - all / count,
        }
    }

    /// Returns the set's part of the prior at `x`, strengths included, in units of E: half the
    /// squared distance of its mean from the prior mean, and half the sum of squared differences
    /// from the mean, each times its strength.
    pub fn value(&self, x: &[f64]) -> f64 {
        let squares = self.squares(x);
        0.5 * (self.strengths.mean * squares.mean + self.strengths.apart * squares.apart)
    }

    /// Adds the derivatives of the set's part of the prior at `x` to a gradient over all variables.
    pub fn add_gradient(&self, x: &[f64], gradient: &mut [f64]) {
        self.add_slopes(self.values(x), self.toward, gradient);
    }

    /// Adds the curvature of the set's part of the prior times a vector; `vector` and `product`
    /// have one number per variable of the problem.
    pub(super) fn add_product(&self, vector: &[f64], product: &mut [f64]) {
        self.add_slopes(self.along(vector), 0.0, product);
    }

    /// Adds to `into`, which has one entry per variable of the problem, for each of the set's n
    /// weights factor·(apart·(w − w̄) + mean·(w̄ − toward)/n), where w is its entry of `values`, w̄
    /// their mean, and `apart` and `mean` are the strengths. That is the gradient where `values`
    /// are the weights, and a product with the curvature where they are changes of the weights and
    /// `toward` is 0.
    fn add_slopes(
        &self,
        values: impl ExactSizeIterator<Item = f64> + Clone,
        toward: f64,
        into: &mut [f64],
    ) {
        let own = mean(values.clone());
        let common = self.strengths.mean * (own - toward) / values.len() as f64;
        for (member, value) in self.members.iter().zip(values) {
            into[member.variable] +=
                member.factor * (self.strengths.apart * (value - own) + common);
        }
    }

    /// Returns by how much the set's part of the prior changes where `variable` of `x` is moved by
    /// `step`: step times slope, and half of step² times curvature. 0 for a variable that is not in
    /// the set.
    pub(super) fn change(&self, x: &[f64], variable: usize, step: f64) -> f64 {
        let search = (self.members).binary_search_by_key(&variable, |member| member.variable);
        let Ok(place) = search else {
            return 0.0;
        };
        let (member, own) = (&self.members[place], mean(self.values(x)));
        let count = self.members.len() as f64;
        let value = member.factor * x[variable] + member.offset;
        let slope = self.strengths.apart * (value - own)
            + self.strengths.mean * (own - self.toward) / count;
        member.factor * step * slope + 0.5 * step * step * self.curvature_of(member, member)
    }

    /// Returns the second derivative of the set's part of the prior by the variables of two of its
    /// n members, strengths included: the product of their factors times (`mean`/n² − `apart`/n),
    /// with `apart` added in the brackets where both are one member.
    fn curvature_of(&self, left: &Member, right: &Member) -> f64 {
        let count = self.members.len() as f64;
        let is_one = left.variable == right.variable;
        let own = if is_one { self.strengths.apart } else { 0.0 };
        left.factor
            * right.factor
            * (own - self.strengths.apart / count + self.strengths.mean / (count * count))
    }

    /// Adds the curvature of the set's part of the prior to a matrix over some variables.
    /// `numbers`: for each variable of the problem its row in the matrix, `None` for one that is
    /// fixed there.
    pub(super) fn add_curvature(&self, numbers: &[Option<usize>], matrix: &mut Symmetric) {
        for (place, left) in self.members.iter().enumerate() {
            for right in &self.members[place..] {
                if let (Some(i), Some(j)) = (numbers[left.variable], numbers[right.variable]) {
                    matrix.add(i, j, self.curvature_of(left, right));
                }
            }
        }
    }

    /// Adds the diagonal of the curvature of the set's part of the prior; `diagonal` has one number
    /// per variable of the problem.
    pub(super) fn add_diagonal(&self, diagonal: &mut [f64]) {
        for member in &self.members {
            diagonal[member.variable] += self.curvature_of(member, member);
        }
    }
}

/// Returns the mean of some numbers, at least one.
fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}
