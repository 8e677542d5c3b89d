//! Which method a fit takes: `auto` forms a matrix where memory and time allow.

use serde::{Deserialize, Serialize};

use super::error::too_much;
use super::{Search, Settings, TooLarge};
use crate::integers::{Grid, KnownPoint, Rounding, round, round_by_diagonal};
use crate::model::Regression;
use tuner_solve::{Objective, PassResult, Penalised};
use tuner_solve::{Options, Solver};

/// `auto` forms no matrix of more variables than this, though there were
/// memory. Not for the factorisation: rank and Cholesky's factor of 2,000, 4,000 and
/// 10,000 take 1.3, 7 and 190 seconds on two cores that ten others share, and 45 seconds of
/// one processor for 8,000 and 10,000 together (`FACTOR=2000,4000,8000,10000 cargo bench -p
/// tuner-fit --features arrow --bench solve`). But what a pass that forms so large a matrix
/// takes has not been measured.
const MOST_DENSE: usize = 3000;

/// How a fit descends and rounds.
#[derive(Clone, Debug)]
pub(super) struct FitMethod {
    pub(super) options: Options,
    pub(super) choice: MethodChoice,
}

/// Choices that depend on the machine, saved so that a resumed fit repeats them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MethodChoice {
    /// Whether weights are rounded with a curvature matrix; else by its diagonal.
    dense: bool,
    /// Why the method is another than was asked for; `None` if it is that one.
    pub(super) fallback: Option<NoMatrix>,
}

impl MethodChoice {
    /// Returns the method of a choice that a saved fit has made. Fails if there is no memory for
    /// its matrices any more: another method would not resume to the same bits.
    pub(super) fn again(
        self,
        objective: &Regression<'_>,
        settings: &Settings,
    ) -> Result<FitMethod, TooLarge> {
        let method = FitMethod::new(self, settings);
        if !alone(settings) && (self.dense || method.options.solver.forms_matrix()) {
            let all = (0..objective.len()).collect();
            ask(all, objective.second_order_bytes(), settings.memory)?;
        }
        Ok(method)
    }
}

impl FitMethod {
    /// Makes the method of a choice: with a `fallback` it is Newton-CG, which forms no matrix, else
    /// the solver of the settings. Where integers are searched without a descent it makes no
    /// iteration.
    fn new(choice: MethodChoice, settings: &Settings) -> Self {
        let mut options = settings.solver;
        if choice.fallback.is_some() {
            options.solver = Solver::NewtonCg;
        }
        if alone(settings) {
            options.iterations = 0;
        }
        Self { options, choice }
    }

    /// Rounds `x` to the grid, by a curvature matrix, which `known` may have, or by its diagonal
    /// alone, as was chosen when the fit began.
    pub(super) fn round(
        &self,
        objective: &Penalised<'_>,
        grid: &Grid,
        x: &[f64],
        known: KnownPoint,
    ) -> PassResult<Rounding> {
        if self.choice.dense {
            round(objective, grid, x, known)
        } else {
            round_by_diagonal(objective, grid, x)
        }
    }
}

/// The end of the words for each reason why no matrix is formed.
const NEWTON_CG: &str = ": fitted by newton-cg, which forms no matrix and does not tell which \
                         weights the data leave undetermined";

/// Why `auto` took `newton-cg`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "kebab-case", deny_unknown_fields)]
pub enum NoMatrix {
    /// Matrices over the variables ask for more memory than there is.
    #[error(
        "the curvature of {variables} weights {}{}", too_much(*bytes, *available, " and"), NEWTON_CG
    )]
    Memory {
        /// How many variables there are.
        variables: usize,
        /// The memory that the matrices need, in bytes.
        bytes: u64,
        /// The memory that there is, in bytes, if that is known.
        available: Option<u64>,
    },
    /// There is memory, but factorising would take longer than doing without.
    #[error(
        "the curvature of {variables} weights takes longer to factorise than to do without{}",
        NEWTON_CG
    )]
    Time {
        /// How many variables there are.
        variables: usize,
    },
}

/// Tells whether the settings ask for integers by a search from the start alone, without a descent
/// before it.
pub(super) fn alone(settings: &Settings) -> bool {
    settings.integers && settings.search == Search::Alone
}

/// Chooses how a fit of an objective descends and rounds, by its variables and the memory; fails if
/// a method that needs a matrix was asked for by name, and there is not enough memory.
pub(super) fn choose(
    objective: &Regression<'_>,
    settings: &Settings,
) -> Result<FitMethod, TooLarge> {
    let variables = objective.len();
    if alone(settings) {
        return Ok(FitMethod::new(MethodChoice::default(), settings));
    }
    // Whether the system grants the memory of the matrices, and whether they are factorised
    // quickly. A method that was asked for by name is taken at any size, if memory allows; then
    // only rounding does without a matrix that is too large.
    let all = (0..variables).collect();
    let granted = ask(all, objective.second_order_bytes(), settings.memory);
    let quick = variables <= MOST_DENSE;
    let dense = granted.is_ok() && quick;
    let fallback = match (granted, settings.solver.solver) {
        (Err(error), Solver::Auto) => Some(NoMatrix::Memory {
            variables,
            bytes: error.bytes,
            available: error.available,
        }),
        (Err(error), solver) if solver.forms_matrix() => return Err(error),
        (Ok(()), Solver::Auto) if !quick => Some(NoMatrix::Time { variables }),
        _ => None,
    };
    let choice = MethodChoice { dense, fallback };
    Ok(FitMethod::new(choice, settings))
}

/// Tells whether there is memory of `bytes`: asks the system for it, without touching it, and gives
/// it back. Fails if the system does not grant it, or it is more than `memory`, the limit of the
/// user, if there is one. `variables`: those of the fit, for the error.
pub(super) fn ask(variables: Vec<usize>, bytes: u64, memory: Option<u64>) -> Result<(), TooLarge> {
    let beyond = memory.is_some_and(|memory| bytes > memory);
    let granted =
        usize::try_from(bytes).is_ok_and(|bytes| Vec::<u8>::new().try_reserve_exact(bytes).is_ok());
    if beyond || !granted {
        return Err(TooLarge {
            variables,
            bytes,
            available: memory.filter(|_| beyond),
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_system_grants_is_refused_though_none_tells_how_much_there_is() {
        let refused = ask(vec![0, 1], u64::MAX / 2, None);
        assert!(refused.is_err_and(|error| error.to_string().contains("more than there is")));
        assert_eq!(ask(Vec::new(), 1 << 20, None), Ok(()));
    }
}
