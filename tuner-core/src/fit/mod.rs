//! One fit: from traces to integer weights, with what it cost.
//!
//! [`fit()`] puts the parts together in the order in which they depend on each
//! other: split by game, K at the anchoring weights, descent, rounding, errors
//! of what is written. It reads no file and prints nothing.

mod descents;
mod integers;
mod saved;
mod too_large;
mod unread;

pub use integers::Search;
pub use saved::{Progress, Saved};
pub use too_large::TooLarge;

use std::fmt;

use descents::Descents;
use integers::{Found, Judge};
use serde::{Deserialize, Serialize};

use crate::model::Objective;
use crate::model::{
    KError, KFit, Loss, NoRows, Part, Prior, Reduction, Regression, Sigmoid, Split, fit_k,
};
use crate::solve::{Flow, Options, SavedError, Summary};
use crate::stats::{Grid, GridError, Rounding, SearchEnd, Searched};
use crate::trace::rows::{Linearised, Row, TraceSet};

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
    /// How to descend.
    pub solver: Options,
    /// Whether weights are rounded to integers at the end.
    pub integers: bool,
    /// How integers are looked for, if they are.
    pub search: Search,
    /// Most memory that the fit may take beside the traces, in bytes; `None`
    /// for what the system grants.
    pub memory: Option<u64>,
}

/// The weights that a fit is given, in the order of the reduction's weights.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// Where K is fitted: they give the scale its meaning.
    pub anchor: &'a [f64],
    /// From where the descent starts.
    pub start: &'a [f64],
    /// What the prior is about.
    pub believed: &'a [f64],
    /// Variables that are held at their start: those of [`Fit::held`], where a
    /// fit goes on from another.
    pub held: &'a [usize],
    /// Where an interrupted fit of the same goes on.
    pub saved: Option<&'a Saved>,
}

/// A fit that has ended, for whatever reason.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Fit {
    /// The scaling constant used.
    pub k: f64,
    /// How it was fitted, unless it was given.
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
    /// Rows, held out ones as well, of which a branch would be taken the
    /// other way at the written weights: what is known of them there is only
    /// what the old branch says. Trace them again.
    pub flipped: u64,
    /// Games fitted on.
    pub games: usize,
    /// The descent; the last one, if weights were held.
    pub summary: Summary,
    /// Variables that ran away and are held at their start: see
    /// [`Summary::runaway`].
    pub held: Vec<usize>,
}

impl Fit {
    /// The same end, with what an earlier descent cost that led to its start:
    /// the errors before and all steps, K and its fit.
    #[must_use]
    pub fn after(mut self, earlier: Self) -> Self {
        self.k_fit = earlier.k_fit;
        self.held_out_start = earlier.held_out_start;
        self.summary = self.summary.after(earlier.summary);
        self
    }
}

/// Why there is no fit.
#[derive(Clone, Debug, PartialEq)]
pub enum FitError {
    /// There is no K.
    K(KError),
    /// A part of the data has no position: which.
    NoRows(&'static str),
    /// Some weights cannot become integers.
    Grid(Vec<GridError>),
    /// There is not enough memory.
    TooLarge(TooLarge),
    /// What was saved is of another fit.
    Saved(SavedError),
    /// The search for integers, where there is nothing else, is impossible.
    Search(SearchEnd),
}

impl fmt::Display for FitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::K(error) => write!(f, "K cannot be fitted: {error}"),
            Self::NoRows(part) => write!(f, "the {part} are empty: {NoRows}"),
            Self::Grid(errors) => {
                let words: Vec<String> = errors.iter().map(ToString::to_string).collect();
                f.write_str(&words.join("\n"))
            }
            Self::TooLarge(error) => error.fmt(f),
            Self::Saved(error) => error.fmt(f),
            Self::Search(end) => write!(f, "local search: {end}"),
        }
    }
}

impl std::error::Error for FitError {}

impl FitError {
    /// The same error of variables that are some of others.
    fn of(mut self, others: &[usize]) -> Self {
        if let Self::TooLarge(TooLarge { variables, .. }) = &mut self {
            for variable in variables {
                *variable = others[*variable];
            }
        }
        self
    }
}

/// Fits the variables of a reduction to traces.
///
/// Variables that no position of the games fitted on reads keep what the
/// author says, and take no part: they cost no memory.
///
/// # Errors
/// If K cannot be fitted, a part of the split is empty, a tie or bound allows
/// no integer, the memory is too small, or what was saved is of another fit.
pub fn fit(
    traces: &TraceSet,
    reduction: &Reduction,
    given: &Given<'_>,
    settings: &Settings,
    observer: &mut dyn FnMut(&Progress<'_>) -> Flow,
) -> Result<Fit, FitError> {
    let (train, _) = parts(settings.held_out);
    let grid = if settings.integers {
        Some(Grid::new(reduction).map_err(FitError::Grid)?)
    } else {
        None
    };
    let (read, unread) = unread::sort(traces, reduction, train);
    let mut fixed = within(&reduction.start(given.believed), reduction.bounds());
    if let Some(grid) = &grid {
        for &variable in &unread {
            fixed[variable] = grid.nearest(variable, fixed[variable]);
        }
    }
    let fewer = reduction.keeping(&read, &fixed);
    let held: Vec<usize> = (0..read.len())
        .filter(|&number| given.held.contains(&read[number]))
        .collect();
    let mut found = fit_read(
        traces,
        &fewer,
        &Given {
            held: &held,
            ..*given
        },
        settings,
        observer,
    )
    .map_err(|error| error.of(&read))?;
    let summary = &mut found.summary;
    for variables in [
        &mut summary.unseen,
        &mut summary.runaway,
        &mut summary.at_bound,
        &mut found.held,
    ] {
        for variable in variables {
            *variable = read[*variable];
        }
    }
    summary.unseen.extend(unread);
    summary.unseen.sort_unstable();
    let rounded = found.rounding.as_mut().map(|rounding| &mut rounding.x);
    let searched = found.searched.as_mut().map(|searched| &mut searched.x);
    for x in rounded.into_iter().chain(searched) {
        for (&variable, x) in read.iter().zip(&*x) {
            fixed[variable] = *x;
        }
        x.clone_from(&fixed);
    }
    Ok(found)
}

/// Fits variables that are all read.
fn fit_read(
    traces: &TraceSet,
    reduction: &Reduction,
    given: &Given<'_>,
    settings: &Settings,
    observer: &mut dyn FnMut(&Progress<'_>) -> Flow,
) -> Result<Fit, FitError> {
    let (train, judged) = parts(settings.held_out);
    let grid = if settings.integers {
        Some(Grid::new(reduction).map_err(FitError::Grid)?)
    } else {
        None
    };
    let k_fit = match given.saved {
        Some(saved) => saved.k_fit,
        None if settings.k.is_none() => {
            let lanes = reduction.lanes(&reduction.start(given.anchor));
            Some(fit_k(traces, &lanes, settings.loss, train).map_err(FitError::K)?)
        }
        None => None,
    };
    let known = given.saved.map(|saved| saved.k).or(settings.k);
    let k = known.or(k_fit.map(|fit| fit.k)).unwrap_or(1.0);
    let regression = |part, name| {
        Regression::new(traces, reduction, settings.loss, Sigmoid::new(k), part)
            .map_err(|NoRows| FitError::NoRows(name))
    };
    let objective = regression(train, "games to fit on")?;
    let all = (0..reduction.variables()).collect();
    let mut options = settings.solver.clone();
    if grid.is_some() && settings.search == Search::Alone {
        options.iterations = 0;
    } else {
        too_large::ask(all, objective.second_order_bytes(), settings.memory)
            .map_err(FitError::TooLarge)?;
    }
    let held_out = judged
        .map(|part| regression(part, "held-out games"))
        .transpose()?;
    let games = games(traces, train);
    let prior = settings.prior.map(|deviation| {
        let toward = within(&reduction.start(given.believed), reduction.bounds());
        let error = objective.value(&toward);
        Prior::new(toward, deviation, settings.loss, error, games)
    });
    let start = within(&reduction.start(given.start), reduction.bounds());
    let (mut solution, held, last) = Descents {
        reduction,
        objective: &objective,
        held_out: held_out.as_ref().map(|h| h as &dyn Objective),
        prior: prior.as_ref(),
        options: &options,
        start: &start,
        k,
        k_fit,
    }
    .run(given, observer)
    .map_err(FitError::Saved)?;
    // What no position speaks of is what the author says it is.
    let believed = within(&reduction.start(given.believed), reduction.bounds());
    for &variable in &solution.summary.unseen {
        solution.x[variable] = believed[variable];
    }
    let judge = Judge {
        traces,
        reduction,
        objective: &objective,
        prior: prior.as_ref(),
        settings,
        k,
        held: &held,
    };
    let integers = grid
        .map(|grid| judge.integers(&grid, &mut solution, last.as_ref(), observer))
        .transpose()?;
    let Found { rounding, searched } = integers.unwrap_or_default();
    let rounded = rounding.as_ref().map(|rounding| &rounding.x);
    let searched_x = searched.as_ref().map(|searched| &searched.x);
    let x = searched_x.or(rounded).unwrap_or(&solution.x);
    Ok(Fit {
        k,
        k_fit,
        weights: reduction.weights(&solution.x),
        written: reduction.weights(x),
        error: objective.value(x),
        held_out_error: held_out.as_ref().map(|h| h.value(x)),
        held_out_start: held_out.as_ref().map(|h| h.value(&start)),
        rows: (
            rows(traces, train),
            judged.map_or(0, |part| rows(traces, part)),
        ),
        flipped: flipped(traces, &reduction.lanes(x)),
        games,
        rounding,
        searched,
        held,
        summary: solution.summary,
    })
}

/// Counts the rows that take another branch at the given lanes.
fn flipped(traces: &TraceSet, lanes: &[f64]) -> u64 {
    let (pairs, _) = lanes.as_chunks::<2>();
    let mut linearised = Linearised::default();
    let mut flips = |row: &Row<'_>| {
        row.expression().is_some() && {
            linearised.at(row, pairs);
            linearised.flipped(row)
        }
    };
    traces
        .rows(0..traces.len())
        .filter(|row| flips(row))
        .count() as u64
}

/// Counts the rows of a part.
fn rows(traces: &TraceSet, part: Part) -> u64 {
    let all = traces.rows(0..traces.len());
    all.filter(|row| part.contains(row.game())).count() as u64
}

/// Counts the games of a part.
fn games(traces: &TraceSet, part: Part) -> usize {
    let all = traces.rows(0..traces.len()).map(|row| row.game());
    let mut games: Vec<u32> = all.filter(|&game| part.contains(game)).collect();
    games.sort_unstable();
    games.dedup();
    games.len()
}

fn parts(held_out: f64) -> (Part, Option<Part>) {
    if held_out > 0.0 {
        let split = Split::new(held_out, SPLIT_SEED);
        (Part::Train(split), Some(Part::HeldOut(split)))
    } else {
        (Part::All, None)
    }
}

/// A start outside the bounds (all zeros, another spec's weights) is moved to
/// the nearest allowed one.
fn within(start: &[f64], bounds: &[(f64, f64)]) -> Vec<f64> {
    start
        .iter()
        .zip(bounds)
        .map(|(&x, &(low, high))| x.clamp(low, high))
        .collect()
}
