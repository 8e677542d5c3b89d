//! One fit: from traces to integer weights, with what it cost.
//!
//! [`fit()`] puts the parts together in the order in which they depend on each
//! other: split by game, K at the anchoring weights, descent, rounding, errors
//! of what is written. It reads no file and prints nothing.

mod anchor;
mod error;
mod evidence;
mod integers;
mod learning;
mod method;
mod posterior;
mod prior;
mod saved;
mod separation;
mod sources;
mod targets;

pub use anchor::{Anchor, AnchorError, Anchored, Reason};
pub use error::{FitError, TooLarge};
pub use evidence::{EvidencePrior, GroupDeviation, WeightGroup};
pub use integers::MOST_BY_MATRICES;
pub use learning::PartOfGames;
pub use method::NoMatrix;
pub use prior::{BASE, ChosenPrior, FitBeginning, Strength, Trial};
pub use saved::{FitProgress, ProgressObserver, SavedFit};
pub use sources::SourceWeights;
pub use targets::{AgainstResults, TargetRows, Targets};
pub use tuner_model::counts::rows_with_changed_branch;
pub use tuner_model::integers::Search;

use std::sync::{Arc, LazyLock};

use method::FitMethod;
use serde::{Deserialize, Serialize};

use crate::integers::{Grid, Rounding, SearchEnd, Searched};
use crate::model::{KFit, Loss, Part, Regression, Sigmoid, Split, effective_games, fit_k};
use crate::model::{counted, counts};
use tuner_base::phase;
use tuner_rows::Traces;
use tuner_solve::linalg::Symmetric;
use tuner_solve::{
    Curvature, Objective, Options, PassResult, Prior, PriorSpec, Reduction, Solution, Subset,
    Summary, Termination,
};

/// Which games are held out is decided by a hash with this seed; chosen,
/// nothing depends on it.
const SPLIT_SEED: u64 = 1;

/// Part of the standard error of E below which a step is not worth a pass, unless it is
/// chosen otherwise.
///
/// A weight that is off by one of its own standard errors costs E about E/G, with G games;
/// the standard error of E is about E/√G. So for 40,000 games this is 0.0002 of that cost,
/// and no combination of weights is further from the optimum than 0.015 of its own standard
/// error; the fewer the games the nearer.
pub const LEAST_GAIN: f64 = 1e-6;

/// The settings of a fit. The default: K fitted, squared error, nothing held out, no
/// prior, real weights; the command line has others.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Settings {
    /// The scaling constant; fitted at the anchoring weights by default.
    pub k: Option<f64>,
    /// The loss.
    pub loss: Loss,
    /// Fraction of the games held out, from 0 (none) to below 1.
    pub held_out: f64,
    /// How far an initial value may be off, as a standard deviation in the unit of the weights;
    /// `None` for no [`Prior`].
    pub prior: Option<f64>,
    /// The unit u of the prior, whose strength is u/τ² with a standard deviation τ: that of the
    /// evidence; `None` for that of one observation a game, [`Loss::prior_unit`].
    pub prior_unit: Option<f64>,
    /// A weight that is to end at a given value, by another scale.
    pub anchor: Option<Anchor>,
    /// How to descend.
    pub solver: Options,
    /// A step that promises to lower E by less than this part of its standard error, with
    /// games clustered, is not worth a pass: a descent with a prior ends there. 0: it ends
    /// where E is at rounding, as where all games are explained equally badly at the start,
    /// so that E has no error there. Default: 0; that of a [run](crate::run::RunConfig)
    /// is [`LEAST_GAIN`].
    pub least_gain: f64,
    /// Whether weights are rounded to integers at the end.
    pub integers: bool,
    /// How integers are looked for, if they are.
    pub search: Search,
    /// Maximum number of rows whose branch may change before the positions are traced again. Where
    /// more do as a descent with a matrix comes near the optimum it ends there, as
    /// [`NeedsRetrace`](tuner_solve::Termination::NeedsRetrace), to be continued on traces at its
    /// weights; `None`: it descends to the end.
    pub max_changed_branches: Option<u64>,
    /// Most memory that the fit may take beside the traces, in bytes; `None`
    /// for what the system grants.
    pub memory: Option<u64>,
}

/// The weights that go into a fit, in the order of the reduction's weights.
#[derive(Clone, Copy, Debug)]
pub struct FitInputs<'a> {
    /// Where K is fitted: they give the scale its meaning.
    pub anchor: &'a [f64],
    /// From where the descent starts.
    pub start: &'a [f64],
    /// The prior mean of each weight.
    pub prior_mean: &'a [f64],
    /// Standard deviations of single weights and of neighbours; without effect
    /// where there is no prior.
    pub prior: &'a PriorSpec,
    /// Variables that are pinned at their start: those of [`Fit::pinned`], where
    /// a fit continues another.
    pub pinned: &'a [usize],
    /// Where an interrupted fit of the same resumes.
    pub saved: Option<&'a SavedFit>,
    /// Results that are known of the start; they save time and change nothing else.
    pub beginning: Option<&'a FitBeginning>,
}

/// The prior of single weights and neighbours where nothing is said.
static NOTHING: LazyLock<PriorSpec> = LazyLock::new(PriorSpec::default);

impl<'a> FitInputs<'a> {
    /// Returns the inputs of a fit that starts at weights which also give the scale its
    /// meaning, and are the prior means.
    pub fn at(weights: &'a [f64]) -> Self {
        Self {
            anchor: weights,
            start: weights,
            prior_mean: weights,
            prior: &NOTHING,
            pinned: &[],
            saved: None,
            beginning: None,
        }
    }
}

/// A fit that has ended, for whatever reason.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Fit {
    /// The scaling constant used.
    pub k: f64,
    /// How K was fitted; `None` if it was given.
    pub k_fit: Option<KFit>,
    /// All weights before rounding, in the reduction's order.
    pub weights: Vec<f64>,
    /// The result of rounding; its `x` are variables.
    pub rounding: Option<Rounding>,
    /// The result of the local search around the rounded weights; its `x` are variables.
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
    /// The unit u of the prior, whose strength is u/τ² with a standard deviation τ; `None` without
    /// one.
    pub prior_unit: Option<f64>,
    /// Games fitted on.
    pub games: usize,
    /// How many games of equal weight those fitted on are worth: what the prior counts.
    pub effective_games: f64,
    /// How many pairs of neighbours are alike by the prior.
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
    /// Constraints, by their numbers, that the written integers do not satisfy.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub broken: Vec<usize>,
    /// Variables that are separated by the data and pinned at their start: every
    /// position with them has the same result.
    pub pinned: Vec<usize>,
    /// Newton's curvature where the fit ended, before rounding, or so near that no standard
    /// error sees the difference.
    #[serde(skip)]
    pub curvature: Option<Arc<FittedCurvature>>,
}

/// A curvature matrix of variables that were fitted.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedCurvature {
    /// The variables, ascending.
    pub variables: Vec<usize>,
    /// The matrix over them, without the prior's part.
    pub values: Symmetric,
}

/// A matrix stands for that of the end if E falls by no more than this from where it was
/// formed: the expected results of positions differ by a thousandth then, and so, by
/// some times that part of itself, does the curvature.
const NEAR: f64 = 1e-6;

impl Fit {
    /// Returns K in the scale that the weights had at the start, before an anchor may have changed
    /// it.
    pub fn k_before(&self) -> f64 {
        self.anchored.map_or(self.k, |anchored| anchored.k_before)
    }

    /// Returns this fit and the earlier one, from whose weights it started, as one. How K was
    /// fitted and the errors at the start are those of the earlier fit; records, iterations and
    /// cost are joined; all else is of this fit.
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

    /// Turns the fit of a subset of the variables into that of all: renumbers variables, and gives
    /// rounded and searched points the values in `x` for variables outside the subset; `x` has one
    /// for each variable. Lists of weights have all of them already.
    fn of(mut self, subset: &Subset, mut x: Vec<f64>) -> Self {
        let summary = &mut self.summary;
        let curvature = self.curvature.as_mut().map(Arc::make_mut);
        let lists = [
            &mut summary.unseen,
            &mut summary.separated,
            &mut summary.at_bound,
            &mut summary.kept,
            &mut self.pinned,
            &mut self.followed,
        ];
        let of_curvature = curvature.map(|of| &mut of.variables);
        for variable in lists.into_iter().chain(of_curvature).flatten() {
            *variable = subset.index_in_full(*variable);
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
    observer: ProgressObserver<'_>,
) -> Result<Fit, FitError> {
    FitTask::new(traces, reduction, inputs, settings).run(observer)
}

/// The error E of some weights on the games fitted on and on held-out games, `None` if there are
/// none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Errors {
    pub(crate) error: f64,
    /// With the prior's part.
    pub(crate) objective: f64,
    pub(crate) held_out: Option<f64>,
}

/// A fit to be made: its rows, variables and settings, for [`fit()`] and for all that is done
/// before and beside it.
#[derive(Clone, Copy, Debug)]
pub struct FitTask<'a> {
    pub(crate) traces: Traces<'a>,
    /// The games that are fitted.
    train: Part,
    /// The games that judge the fit; `None` if none are held out.
    judged: Option<Part>,
    reduction: &'a Reduction,
    pub(crate) inputs: FitInputs<'a>,
    pub(crate) settings: Settings,
    /// E at the prior mean, which the prior is measured by, where it is not what
    /// the rows and variables give.
    pub(crate) prior_error: Option<f64>,
}

impl<'a> FitTask<'a> {
    /// Makes the task of fitting the variables of a reduction to traces.
    pub fn new<'t: 'a>(
        traces: impl Into<Traces<'t>>,
        reduction: &'a Reduction,
        inputs: &FitInputs<'a>,
        settings: &Settings,
    ) -> Self {
        let (train, judged) = parts(settings.held_out);
        Self {
            traces: traces.into(),
            train,
            judged,
            reduction,
            inputs: *inputs,
            settings: *settings,
            prior_error: None,
        }
    }

    /// Returns the task on other games: those that are fitted, and those that judge the fit.
    fn on(self, train: Part, judged: Part) -> Self {
        Self {
            train,
            judged: Some(judged),
            ..self
        }
    }

    /// Returns the task of fitting once more, from the weights where `fit` has ended. K and the
    /// factor of the scale are taken from that fit: both are found only once.
    pub(crate) fn following(mut self, fit: &'a Fit) -> Self {
        (self.inputs.start, self.inputs.pinned) = (&fit.weights, &fit.pinned);
        self.settings.k = Some(fit.k);
        if let Some(anchor) = &mut self.settings.anchor {
            anchor.factor = fit.anchored.map(|anchored| anchored.factor);
        }
        self
    }

    /// Makes the fit; where a weight is anchored, one in the scale of the start and one in the
    /// scale that the anchor asks for. Fails at once where rows are streamed and a search for
    /// integers is asked for that needs them in memory, and where the saved fit has changed the
    /// scale though no weight is anchored here.
    pub(crate) fn run(self, observer: ProgressObserver<'_>) -> Result<Fit, FitError> {
        let settings = self.settings;
        // `Promising` rounds by passes over rows, and only leaves its search out where they are
        // streamed.
        let searches = settings.integers && settings.search != Search::Promising;
        if self.traces.are_streamed() && searches {
            return Err(FitError::Search(SearchEnd::Streamed));
        }
        let saved = self.inputs.saved;
        let is_scaled = saved.is_some_and(|saved| saved.scaled.is_some());
        match settings.anchor {
            Some(anchor) => anchor::fit(anchor, &self, observer),
            None if is_scaled => Err(FitError::inconsistent("it is of a fit with another scale")),
            None => self.fit(observer),
        }
    }

    /// Makes one fit, in the scale of the start. Variables that no position of the fitted games
    /// reads are left out, at their prior means (on the grid, if weights are to be integers), and
    /// are put back into the result. With a prior, those that it joins to variables that are read
    /// take part, as they follow these. What is known of the start is used only if it is of the
    /// same variables.
    pub(crate) fn fit(self, observer: ProgressObserver<'_>) -> Result<Fit, FitError> {
        let (reduction, inputs) = (self.reduction, self.inputs);
        let grid = grid(reduction, &self.settings)?;
        let joined = self.settings.prior.is_some().then_some(inputs.prior);
        let prepare = phase("weights that are read");
        let (read, unread) = counts::read_variables(self.traces, reduction, self.train, joined)?;
        // The prior means, or the nearest point at which the variables that are read can still
        // satisfy the constraints.
        let mut fixed = reduction.fixable(&read, &reduction.start(inputs.prior_mean));
        if let Some(grid) = &grid {
            for &variable in &unread {
                fixed[variable] = grid.nearest(variable, fixed[variable]);
            }
        }
        let task = FitTask {
            reduction: &reduction.keeping(&read, &fixed),
            inputs: FitInputs {
                pinned: &numbers(inputs.pinned, &read),
                beginning: inputs.beginning.filter(|known| known.read == read),
                ..inputs
            },
            ..self
        };
        drop(prepare);
        let descent = {
            let _phase = phase("beginning");
            Descent::new(&task)?
        };
        let found = descent.fit(observer);
        let found = found.map_err(|error| error.of(read.indices()))?;
        let mut found = found.of(&read, fixed);
        found.summary.unseen.extend(unread);
        found.summary.unseen.sort_unstable();
        Ok(found)
    }

    /// Returns E of a part of the games, with the scaling constant `k`. `name`: what a message
    /// calls the part if it has no rows.
    fn regression(
        &self,
        k: f64,
        part: Part,
        name: &'static str,
    ) -> Result<Regression<'a>, FitError> {
        let (sigmoid, loss) = (Sigmoid::new(k), self.settings.loss);
        Regression::new(self.traces, self.reduction, loss, sigmoid, part)
            .map_err(|error| FitError::of_part(error, name))
    }

    /// Returns E of the games that are fitted, with the scaling constant `k`.
    pub(crate) fn objective(&self, k: f64) -> Result<Regression<'a>, FitError> {
        self.regression(k, self.train, "games to fit on")
    }

    /// Returns E of the games that judge the fit, with the scaling constant `k`; `None` if no games
    /// are held out.
    pub(crate) fn judge(&self, k: f64) -> Result<Option<Regression<'a>>, FitError> {
        let judged = self.judged;
        let of_part = |part| self.regression(k, part, "held-out games");
        judged.map(of_part).transpose()
    }

    /// Returns the errors of the fitted and of the held-out games where the variables are `x`, with
    /// the scaling constant `k`. If there is a prior, the settings must have its unit, as games are
    /// not counted here.
    pub(crate) fn errors(&self, k: f64, x: &[f64]) -> Result<Errors, FitError> {
        let objective = self.objective(k)?;
        let error = objective.value(x)?;
        let judge = self.judge(k)?;
        // The number of games, here 0, has no effect, as the settings have the unit.
        let prior = self.prior(&objective, 0.0)?;
        Ok(Errors {
            error,
            objective: error + prior.map_or(0.0, |(prior, _)| prior.value(x)),
            held_out: judge.map(|judge| judge.value(x)).transpose()?,
        })
    }

    /// Returns K, and how it was fitted, `None` if it was given. It is the K of the saved fit, of
    /// the settings, or of what is known of the start, in this order; else it is fitted at the
    /// weights `inputs.anchor`.
    pub(crate) fn scaling(&self) -> Result<(f64, Option<KFit>), FitError> {
        let saved = self.inputs.saved.map(|saved| (saved.k, saved.k_fit));
        let given = self.settings.k.map(|k| (k, None));
        let known = self.inputs.beginning.map(|known| (known.k, known.k_fit));
        if let Some(known) = saved.or(given).or(known) {
            return Ok(known);
        }
        let _phase = phase("K");
        let reduction = self.reduction;
        let lanes = reduction.lanes(&reduction.start(self.inputs.anchor));
        let fit = fit_k(self.traces, &lanes, self.settings.loss, self.train)?;
        Ok((fit.k, Some(fit)))
    }
}

/// Returns the values that variables may take so that weights are multiples of their steps; `None`
/// if weights are not to be rounded. Fails if a tie or a bound allows no such value.
pub(crate) fn grid(reduction: &Reduction, settings: &Settings) -> Result<Option<Grid>, FitError> {
    let grid = settings.integers.then(|| Grid::new(reduction)).transpose();
    grid.map_err(FitError::Grid)
}

/// Returns the numbers that some variables have in a subset, ascending and each once; variables
/// outside the subset are left out.
fn numbers(variables: &[usize], subset: &Subset) -> Vec<usize> {
    let numbers = (variables.iter()).filter_map(|&variable| subset.index_in_part(variable));
    let mut numbers: Vec<usize> = numbers.collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// A fit of variables that are all read, or follow some that are: its steps are
/// in [`separation`] and [`integers`].
struct Descent<'a> {
    task: FitTask<'a>,
    objective: Regression<'a>,
    held_out: Option<Regression<'a>>,
    prior: Option<Prior>,
    /// The unit u of the prior, whose strength is u/τ² with a standard deviation τ; `None` without
    /// one.
    prior_unit: Option<f64>,
    method: FitMethod,
    /// Where the descent starts, by variable.
    start: Vec<f64>,
    k: f64,
    k_fit: Option<KFit>,
    /// How many games of equal weight those fitted on are worth.
    effective_games: f64,
}

impl<'a> Descent<'a> {
    /// Prepares all that a descent needs: K, the objectives, the method, the prior. Fails if there
    /// are constraints, or kinks of the prior (Laplace terms), and the method forms no matrix; not
    /// where integers are searched from the start alone, as then there is no descent.
    ///
    /// *Cost*: some passes for each of these that is not known yet.
    fn new(task: &FitTask<'a>) -> Result<Self, FitError> {
        let settings = task.settings;
        let (k, k_fit) = task.scaling()?;
        let mut objective = task.objective(k)?;
        // What is known of the start holds for this K alone.
        let known = task.inputs.beginning;
        let known = known.filter(|known| known.k.to_bits() == k.to_bits());
        if let Some(curvature) = known.and_then(|known| known.curvature.as_ref()) {
            objective = objective.knowing(Arc::clone(curvature));
        }
        let method = match task.inputs.saved {
            Some(saved) => saved.method.again(&objective, &settings),
            None => method::choose(&objective, &settings),
        };
        let mut method = method.map_err(FitError::TooLarge)?;
        let solver = method.options.solver;
        let held_out = task.judge(k)?;
        let effective_games = effective_games(task.traces, task.train)?;
        let (prior, prior_unit) = task.prior(&objective, effective_games)?.unzip();
        let start = task.reduction.start(task.inputs.start);
        // With a prior alone the descent ends where a step is not worth it by the data: without one
        // there may be no optimum, and to see that takes steps that bring next to nothing.
        if settings.least_gain > 0.0 && prior.is_some() {
            method.options.worth = settings.least_gain * objective.standard_error(&start)?;
        }
        let by_matrix = !task.reduction.constraints().is_empty()
            || prior.as_ref().is_some_and(Prior::has_kinks);
        if by_matrix && !solver.forms_matrix() && !method::alone(&settings) {
            return Err(FitError::Constrained(solver));
        }
        Ok(Self {
            task: *task,
            objective,
            held_out,
            prior,
            prior_unit,
            method,
            start,
            k,
            k_fit,
            effective_games,
        })
    }

    /// Counts the rows of all ranks, held-out ones as well, that take another branch where the
    /// variables are `x` than where they were traced. *Cost*: a pass.
    fn changed_branches(&self, x: &[f64]) -> PassResult<u64> {
        let (traces, lanes) = (self.task.traces, self.task.reduction.lanes(x));
        let changed = traces.count(|set| rows_with_changed_branch(set, &lanes).len());
        counted(traces, changed)
    }

    /// Descends, rounds, searches for integers, and computes the errors of the weights that are
    /// written. Where positions are to be traced again, weights only go to the nearest integers.
    fn fit(self, observer: ProgressObserver<'_>) -> Result<Fit, FitError> {
        let task = self.task;
        let (traces, reduction) = (task.traces, task.reduction);
        let grid = grid(reduction, &task.settings)?;
        // `last`: the state that the descents saved last, if any; a local search is saved with it,
        // or resumes from it.
        let (mut solution, pinned, last) = {
            let _phase = phase("descents");
            self.refit_without_separated(observer)?
        };
        let mean = reduction.start(task.inputs.prior_mean);
        let neighbours = self.prior.is_some().then_some(task.inputs.prior);
        let followed = prior::settle(&mut solution, neighbours, reduction, &mean);
        let (mut rounding, mut searched, mut nearest) = (None, None, None);
        if let Some(grid) = &grid {
            if solution.summary.termination == Termination::NeedsRetrace {
                // Positions are traced again here, at integers, and fitted again: not worth a
                // search.
                nearest = Some(grid.nearest_all(&solution.x));
            } else {
                (rounding, searched) =
                    self.integers(grid, &mut solution, &pinned, last.as_ref(), observer)?;
            }
        }
        // The weights to be written: of the last step that there was.
        let rounded = rounding.as_ref().map(|rounding| &rounding.x);
        let searched_x = searched.as_ref().map(|searched| &searched.x);
        let x = searched_x.or(rounded).or(nearest.as_ref());
        let x = x.unwrap_or(&solution.x);
        let _phase = phase("errors of the weights");
        let held_out = |x: &[f64]| self.held_out.as_ref().map(|h| h.value(x)).transpose();
        Ok(Fit {
            k: self.k,
            k_fit: self.k_fit,
            weights: reduction.weights(&solution.x),
            written: reduction.weights(x),
            error: self.objective.value(x)?,
            held_out_error: held_out(x)?,
            held_out_start: held_out(&self.start)?,
            rows: (
                counts::rows(traces, task.train)?,
                (task.judged).map_or(Ok(0), |part| counts::rows(traces, part))?,
            ),
            changed_branches: self.changed_branches(x)?,
            prior_unit: self.prior_unit,
            games: counts::games(traces, task.train)?,
            effective_games: self.effective_games,
            links: self.prior.as_ref().map_or(0, Prior::links),
            followed,
            anchored: None,
            fallback: self.method.choice.fallback,
            against_results: None,
            broken: grid.as_ref().map_or_else(Vec::new, |grid| grid.broken(x)),
            rounding,
            searched,
            pinned,
            curvature: curvature_at(&mut solution),
            summary: solution.summary,
        })
    }
}

/// Takes the curvature matrix that the descent formed last out of the solution. Returns it if it
/// serves as the curvature at the end: the descent ended at an optimum, and the matrix is Newton's
/// and was formed so near that by it E falls by at most [`NEAR`] from there to the end. It must not
/// rise either, as it does by a matrix that is not that of a minimum. Else `None`.
fn curvature_at(solution: &mut Solution) -> Option<Arc<FittedCurvature>> {
    let known = solution.curvature.take()?;
    let is_near = known.kind == Curvature::Newton
        && solution.summary.termination.is_optimum()
        && (0.0..=NEAR).contains(&known.fall_to(&solution.x));
    is_near.then(|| {
        Arc::new(FittedCurvature {
            variables: (0..solution.x.len()).collect(),
            values: known.values,
        })
    })
}

/// Returns the part of the games that is fitted and the part that judges the fit. `held_out`: the
/// fraction of the games that judges; where it is 0 all are fitted and no game judges.
pub fn parts(held_out: f64) -> (Part, Option<Part>) {
    if held_out > 0.0 {
        let split = Split::new(held_out, SPLIT_SEED);
        (Part::Train(split), Some(Part::HeldOut(split)))
    } else {
        (Part::All, None)
    }
}
