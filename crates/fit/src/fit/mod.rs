//! One fit: from traces to integer weights, with what it cost.
//!
//! [`fit()`] puts the parts together in the order in which they depend on each
//! other: split by game, K at the anchoring weights, descent, rounding, errors
//! of what is written. It reads no file and prints nothing.

mod anchor;
mod counts;
mod error;
mod evidence;
mod integers;
mod method;
mod prior;
mod saved;
mod separation;
mod targets;

pub use anchor::{Anchor, AnchorError, Anchored, Reason};
pub use error::{FitError, TooLarge};
pub use evidence::{EvidencePrior, GroupDeviation, MOST_VARIABLES, WeightGroup};
pub use integers::Search;
pub use method::NoMatrix;
pub use prior::{BASE, ChosenPrior, Strength, Trial, choose, choose_by_evidence};
pub use saved::{FitProgress, SavedFit};
pub use targets::{AgainstResults, Targets, TracesMut};

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use integers::{Integers, Judge};
use separation::Descent;
use serde::{Deserialize, Serialize};

use crate::integers::{Grid, Rounding, SearchEnd, Searched};
use crate::model::{KFit, Loss, Part, Regression, Sigmoid, Split, effective_games, fit_k};
use tuner_rows::Traces;
use tuner_solve::Objective;
use tuner_solve::PriorSpec;
use tuner_solve::{CheckpointError, Options, Summary, Termination};
use tuner_solve::{Prior, Reduction, Subset};

/// Which games are held out is decided by a hash with this seed; chosen,
/// nothing depends on it.
const SPLIT_SEED: u64 = 1;

/// What can be chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The scaling constant; fitted at the anchoring weights by default.
    pub k: Option<f64>,
    /// The loss.
    pub loss: Loss,
    /// Fraction of the games held out, from 0 (none) to below 1.
    pub held_out: f64,
    /// How far an initial value may be off, as a standard deviation in the
    /// unit of the weights; `None` for no prior: see [`Prior`].
    pub prior: Option<f64>,
    /// λ·τ² of the prior, where it is not that of one observation a game (see
    /// [`Loss::prior_unit`]): that of the evidence.
    pub prior_unit: Option<f64>,
    /// A weight that is to end at a given value, by another scale.
    pub anchor: Option<Anchor>,
    /// How to descend.
    pub solver: Options,
    /// Whether weights are rounded to integers at the end.
    pub integers: bool,
    /// How integers are looked for, if they are.
    pub search: Search,
    /// Maximum number of rows whose branch may change before the positions are
    /// traced again. Where more do as a descent with a matrix comes near the
    /// optimum it ends there, as [`NeedsRetrace`](tuner_solve::Termination::NeedsRetrace), to be continued
    /// on traces at its weights; `None`: it descends to the end.
    pub max_changed_branches: Option<u64>,
    /// Most memory that the fit may take beside the traces, in bytes; `None`
    /// for what the system grants.
    pub memory: Option<u64>,
}

/// K fitted, squared error, nothing held out, no prior, real weights. The
/// command line has other defaults.
impl Default for Settings {
    fn default() -> Self {
        Self {
            k: None,
            loss: Loss::default(),
            held_out: 0.0,
            prior: None,
            prior_unit: None,
            anchor: None,
            solver: Options::default(),
            integers: false,
            search: Search::default(),
            max_changed_branches: None,
            memory: None,
        }
    }
}

/// The weights that go into a fit, in the order of the reduction's weights.
#[derive(Clone, Copy, Debug)]
pub struct FitInputs<'a> {
    /// Where K is fitted: they give the scale its meaning.
    pub anchor: &'a [f64],
    /// From where the descent starts.
    pub start: &'a [f64],
    /// What the prior is around.
    pub prior_mean: &'a [f64],
    /// Standard deviations of single weights and of neighbours; without effect
    /// where there is no prior.
    pub prior: &'a PriorSpec,
    /// Variables that are pinned at their start: those of [`Fit::pinned`], where
    /// a fit continues another.
    pub pinned: &'a [usize],
    /// Where an interrupted fit of the same resumes.
    pub saved: Option<&'a SavedFit>,
}

/// The prior of single weights and neighbours where nothing is said.
static NOTHING: PriorSpec = PriorSpec {
    deviations: BTreeMap::new(),
    neighbours: Vec::new(),
};

impl<'a> FitInputs<'a> {
    /// Returns those of a fit from weights that also give the scale its meaning,
    /// and that the prior is around.
    pub fn at(weights: &'a [f64]) -> Self {
        Self {
            anchor: weights,
            start: weights,
            prior_mean: weights,
            prior: &NOTHING,
            pinned: &[],
            saved: None,
        }
    }
}

/// A fit that has ended, for whatever reason.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Fit {
    /// The scaling constant used.
    pub k: f64,
    /// How it was fitted, unless it was inputs.
    #[serde(with = "saved::k_fit")]
    pub k_fit: Option<KFit>,
    /// All weights before rounding, in the reduction's order.
    pub weights: Vec<f64>,
    /// What rounding did; its `x` are variables.
    pub rounding: Option<Rounding>,
    /// What the search around it did; its `x` are variables.
    pub searched: Option<Searched>,
    /// All weights as they are to be written: rounded, if asked for.
    pub written: Vec<f64>,
    /// E of the written weights on the games fitted on.
    pub error: f64,
    /// E of the written weights on the held-out games.
    pub held_out_error: Option<f64>,
    /// E of the starting weights on the held-out games.
    pub held_out_start: Option<f64>,
    /// Rows fitted on, and rows held out.
    pub rows: (u64, u64),
    /// Rows, held out ones as well, that take another branch at the written
    /// weights: what is known of them there is only what the old branch says.
    /// Trace them again.
    pub changed_branches: u64,
    /// λ·τ² of the prior, if there is one.
    pub prior_unit: Option<f64>,
    /// Games fitted on.
    pub games: usize,
    /// How many games of equal weight they are worth: what the prior counts.
    pub effective_games: f64,
    /// Pairs of neighbours that are alike by the prior.
    pub links: usize,
    /// Variables that no position depends on, and that follow their neighbours
    /// in a table.
    pub followed: Vec<usize>,
    /// How the scale was changed, if a weight was anchored.
    pub anchored: Option<Anchored>,
    /// Why `auto` formed no matrix, if it did not.
    pub fallback: Option<NoMatrix>,
    /// The errors against results alone, where targets or weights are others.
    pub against_results: Option<AgainstResults>,
    /// The descent; the last one, if weights were pinned.
    pub summary: Summary,
    /// Variables that are separated by the data and pinned at their start: every
    /// position with them has the same result.
    pub pinned: Vec<usize>,
}

impl Fit {
    /// The same end, with what an earlier descent cost that led to its start:
    /// the errors before and all steps, K and its fit.
    #[must_use]
    pub fn after(mut self, earlier: Self) -> Self {
        self.k_fit = earlier.k_fit;
        self.held_out_start = earlier.held_out_start;
        if let (Some(later), Some(earlier)) = (&mut self.against_results, earlier.against_results) {
            later.held_out_start = earlier.held_out_start;
        }
        self.summary = self.summary.after(earlier.summary);
        self
    }
}

/// Fits the variables of a reduction to traces.
///
/// Variables that no position of the games fitted on reads keep the prior mean,
/// and take no part: they cost no memory. Only where the prior says that
/// neighbours are alike do they follow those that are read.
///
/// # Errors
/// If K cannot be fitted, a part of the split is empty, a tie or bound allows
/// no integer, a weight cannot be anchored, the memory is too small, rows cannot
/// be read, or what was saved is of another fit.
pub fn fit<'a>(
    traces: impl Into<Traces<'a>>,
    reduction: &Reduction,
    inputs: &FitInputs<'_>,
    settings: &Settings,
    observer: &mut dyn FnMut(&FitProgress<'_>) -> ControlFlow<()>,
) -> Result<Fit, FitError> {
    let traces = traces.into();
    if traces.are_streamed() && settings.integers && settings.search != Search::Promising {
        return Err(FitError::Search(SearchEnd::Streamed));
    }
    let division = Division::of(settings.held_out);
    match settings.anchor {
        Some(anchor) => anchor::fit(anchor, traces, reduction, inputs, settings, observer),
        None if inputs.saved.is_some_and(|saved| saved.scaled.is_some()) => {
            let what = "it is of a fit with another scale";
            Err(FitError::SavedFit(CheckpointError::Inconsistent(what)))
        }
        None => fit_on(division, traces, reduction, inputs, settings, observer),
    }
}

/// Fits rows that are the score only around the start; `prior_error` is E at the
/// prior mean, which they do not tell.
///
/// # Errors
/// As [`fit`].
pub(crate) fn fit_with_prior_error(
    prior_error: Option<f64>,
    traces: Traces<'_>,
    reduction: &Reduction,
    inputs: &FitInputs<'_>,
    settings: &Settings,
    observer: &mut dyn FnMut(&FitProgress<'_>) -> ControlFlow<()>,
) -> Result<Fit, FitError> {
    let division = Division {
        prior_error,
        ..Division::of(settings.held_out)
    };
    fit_on(division, traces, reduction, inputs, settings, observer)
}

/// What a fit is of.
#[derive(Clone, Copy, Debug)]
struct Division {
    /// The part to fit on.
    train: Part,
    /// The part that judges.
    judged: Option<Part>,
    /// E at the prior mean, which the prior is measured by; where a variable was
    /// taken out it is not what the others give.
    prior_error: Option<f64>,
}

impl Division {
    /// Returns the usual one, of a fraction held out.
    fn of(held_out: f64) -> Self {
        let (train, judged) = parts(held_out);
        Self {
            train,
            judged,
            prior_error: None,
        }
    }
}

/// Fits on a part.
fn fit_on(
    division: Division,
    traces: Traces<'_>,
    reduction: &Reduction,
    inputs: &FitInputs<'_>,
    settings: &Settings,
    observer: &mut dyn FnMut(&FitProgress<'_>) -> ControlFlow<()>,
) -> Result<Fit, FitError> {
    let grid = grid(reduction, settings)?;
    let joined = settings.prior.is_some().then_some(inputs.prior);
    let (read, unread) = counts::read_variables(traces, reduction, division.train, joined)?;
    let mut fixed = reduction.start(inputs.prior_mean);
    if let Some(grid) = &grid {
        for &variable in &unread {
            fixed[variable] = grid.nearest(variable, fixed[variable]);
        }
    }
    let fewer = reduction.keeping(&read, &fixed);
    let pinned = numbers(inputs.pinned, &read);
    let inputs = FitInputs {
        pinned: &pinned,
        ..*inputs
    };
    let mut found = fit_read(division, traces, &fewer, &inputs, settings, observer)
        .map_err(|error| error.of(read.indices()))?
        .of(&read, fixed);
    found.summary.unseen.extend(unread);
    found.summary.unseen.sort_unstable();
    Ok(found)
}

/// The integers that variables may be, if they are to be.
fn grid(reduction: &Reduction, settings: &Settings) -> Result<Option<Grid>, FitError> {
    let grid = settings.integers.then(|| Grid::new(reduction)).transpose();
    grid.map_err(FitError::Grid)
}

/// The numbers, among those of a subset, of some variables.
fn numbers(variables: &[usize], subset: &Subset) -> Vec<usize> {
    let numbers = variables.iter();
    let mut numbers: Vec<usize> = numbers
        .filter_map(|&variable| subset.index_in_part(variable))
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

impl Fit {
    /// The fit of all variables, of which those outside the subset are at `x`.
    fn of(mut self, subset: &Subset, mut x: Vec<f64>) -> Self {
        let summary = &mut self.summary;
        for variables in [
            &mut summary.unseen,
            &mut summary.separated,
            &mut summary.at_bound,
            &mut self.pinned,
            &mut self.followed,
        ] {
            for variable in variables {
                *variable = subset.index_in_full(*variable);
            }
        }
        let rounded = self.rounding.as_mut().map(|rounding| &mut rounding.x);
        let searched = self.searched.as_mut().map(|searched| &mut searched.x);
        for found in rounded.into_iter().chain(searched) {
            subset.scatter(found, &mut x);
            found.clone_from(&x);
        }
        self
    }
}

/// Fits variables that are all read, or follow some that are.
fn fit_read(
    division: Division,
    traces: Traces<'_>,
    reduction: &Reduction,
    inputs: &FitInputs<'_>,
    settings: &Settings,
    observer: &mut dyn FnMut(&FitProgress<'_>) -> ControlFlow<()>,
) -> Result<Fit, FitError> {
    let grid = grid(reduction, settings)?;
    let Division { train, judged, .. } = division;
    let (k, k_fit) = scaling(division, traces, reduction, inputs, settings)?;
    let regression = |part, name| {
        Regression::new(traces, reduction, settings.loss, Sigmoid::new(k), part)
            .map_err(|error| FitError::of_part(error, name))
    };
    let objective = regression(train, "games to fit on")?;
    let method = match inputs.saved {
        Some(saved) => saved.method.again(&objective, settings),
        None => method::choose(&objective, settings),
    };
    let method = method.map_err(FitError::TooLarge)?;
    let held_out = judged
        .map(|part| regression(part, "held-out games"))
        .transpose()?;
    let effective_games = effective_games(traces, train)?;
    let games = effective_games.round() as usize;
    let prior = prior::prior(&objective, division.prior_error, games, inputs, settings)?;
    let (prior, prior_unit) = prior.unzip();
    let start = reduction.start(inputs.start);
    let changed = |x: &[f64]| counts::changed_branches(traces, &reduction.lanes(x));
    let needs_retrace = |x: &[f64]| match settings.max_changed_branches {
        Some(most) => changed(x).map(|count| count > most),
        None => Ok(false),
    };
    let (mut solution, pinned, last) = Descent {
        reduction,
        objective: &objective,
        held_out: held_out.as_ref().map(|h| h as &dyn Objective),
        prior: prior.as_ref(),
        method: &method,
        start: &start,
        needs_retrace: &needs_retrace,
        k,
        k_fit,
    }
    .refit_without_separated(inputs, observer)?;
    let mean = reduction.start(inputs.prior_mean);
    let neighbours = prior.is_some().then_some(inputs.prior);
    let followed = prior::settle(&mut solution, neighbours, reduction, &mean);
    let judge = Judge {
        traces,
        reduction,
        objective: &objective,
        prior: prior.as_ref(),
        settings,
        method: &method,
        train,
        k,
        pinned: &pinned,
    };
    let nearest = grid
        .as_ref()
        .filter(|_| solution.summary.termination == Termination::NeedsRetrace);
    let integers = grid
        .as_ref()
        .map(|grid| judge.integers(grid, &mut solution, last.as_ref(), observer))
        .transpose()?;
    let Integers { rounding, searched } = integers.unwrap_or_default();
    let rounded = rounding.as_ref().map(|rounding| &rounding.x);
    let searched_x = searched.as_ref().map(|searched| &searched.x);
    // Where positions are to be traced again, scores are those of integers.
    let nearest: Option<Vec<f64>> = nearest.map(|grid| grid.nearest_all(&solution.x));
    let x = searched_x.or(rounded).or(nearest.as_ref());
    let x = x.unwrap_or(&solution.x);
    Ok(Fit {
        k,
        k_fit,
        weights: reduction.weights(&solution.x),
        written: reduction.weights(x),
        error: objective.value(x)?,
        held_out_error: held_out.as_ref().map(|h| h.value(x)).transpose()?,
        held_out_start: held_out.as_ref().map(|h| h.value(&start)).transpose()?,
        rows: (
            counts::rows(traces, train)?,
            judged.map_or(Ok(0), |part| counts::rows(traces, part))?,
        ),
        changed_branches: changed(x)?,
        prior_unit,
        games: counts::games(traces, train)?,
        effective_games,
        links: prior.as_ref().map_or(0, Prior::links),
        followed,
        anchored: None,
        fallback: method.fallback,
        against_results: None,
        rounding,
        searched,
        pinned,
        summary: solution.summary,
    })
}

/// K, and how it was fitted, if it was.
fn scaling(
    division: Division,
    traces: Traces<'_>,
    reduction: &Reduction,
    inputs: &FitInputs<'_>,
    settings: &Settings,
) -> Result<(f64, Option<KFit>), FitError> {
    if let Some(saved) = inputs.saved {
        return Ok((saved.k, saved.k_fit));
    }
    if let Some(k) = settings.k {
        return Ok((k, None));
    }
    let lanes = reduction.lanes(&reduction.start(inputs.anchor));
    let fit = fit_k(traces, &lanes, settings.loss, division.train)?;
    Ok((fit.k, Some(fit)))
}

/// Returns the part to fit on and the part that judges, of a fraction held out.
pub fn parts(held_out: f64) -> (Part, Option<Part>) {
    if held_out > 0.0 {
        let split = Split::new(held_out, SPLIT_SEED);
        (Part::Train(split), Some(Part::HeldOut(split)))
    } else {
        (Part::All, None)
    }
}
