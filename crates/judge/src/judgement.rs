//! All that is said of a fit.

mod statements;

use serde::{Deserialize, Serialize};

use crate::contrast::TableStatement;
use crate::frozen::FrozenStatement;
use crate::identifiability::{Direction, PartRows, canonical};
use crate::statistics::two_sided_by_games;
use crate::variance::Worth;
use crate::verdict::{ErrorDifference, FitVerdict, NoiseShare};
pub(crate) use statements::{Statements, advice};
use tuner_base::phase;
use tuner_fit::model::{ByGame, GameLoss, Loss, Part, losses_by_game};
use tuner_fit::run::{FinishedRun, RowSource};
use tuner_fit::{FitError, parts};
use tuner_rows::{TraceSet, Traces};

/// A weight within so much of 0 for sure, in its unit, is as good as none.
/// Chosen: two hundredths of a pawn.
pub const NEGLIGIBLE: f64 = 2.0;

/// Games for each weight that they determine, below which standard errors are called too small.
/// With w such weights and G games variances are too small by about w/G of themselves, so that with
/// ten games a weight a standard error is off by a twentieth. *Source*: J. MacKinnon, H. White,
/// Some heteroskedasticity-consistent covariance matrix estimators with improved finite sample
/// properties, Journal of Econometrics 29, 1985.
const FEW_GAMES: f64 = 10.0;

/// The share of noise in a gain from which on all of it counts as noise. Chosen: shares are known
/// to a tenth or so.
const ALL_NOISE: f64 = 0.9;

/// Whether an engine would miss a weight, by what the data say alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Advice {
    /// The weight is not 0, for all that the data say: at most 5 % of such statements are wrong.
    Keep,
    /// The data tell neither that the weight differs from 0 nor that it is near 0.
    Unclear,
    /// The weight is within [`NEGLIGIBLE`] of 0 for sure.
    Drop,
}

tuner_base::impl_fmt! { Display for Advice, |self, f| self.serialize(f) }

/// The status of a weight in the fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WeightStatus {
    /// The weight was fitted.
    #[default]
    Fitted,
    /// The spec freezes it, or it is fixed otherwise.
    Frozen,
    /// No position of the games fitted reads it.
    Unseen,
    /// Every position with it has the same result: it was pinned at its start.
    Separated,
    /// The weight is at a bound that the error pushes against, or where `l1` keeps it: it has no
    /// interval, as the error would be smaller beyond.
    AtBound,
}

tuner_base::impl_fmt! { Display for WeightStatus, |self, f| self.serialize(f) }

/// An estimate and how far it may be off.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct WeightEstimate {
    /// The estimate.
    pub value: f64,
    /// Its standard error.
    pub standard_error: f64,
}

impl WeightEstimate {
    /// Returns the estimate minus `value`, in standard errors; `None` where the standard error is
    /// 0.
    pub fn from(&self, value: f64) -> Option<f64> {
        (self.standard_error > 0.0).then(|| (self.value - value) / self.standard_error)
    }

    /// Returns the two-sided probability, by Student's t, of an estimate as far from `value` as
    /// this one if `value` were true. `clusters`: how many games, or groups of games, the standard
    /// error rests on. `None` where the standard error is 0, or there are not two clusters.
    pub(crate) fn p(&self, value: f64, clusters: usize) -> Option<f64> {
        two_sided_by_games(self.from(value)?, clusters)
    }
}

/// The statement on one weight, in its unit.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct WeightStatement {
    /// Its name.
    pub name: String,
    /// Its status in the fit.
    pub status: WeightStatus,
    /// Its value before the fit, in the unit of the written weights: where a weight is
    /// anchored, at the scale that this sets.
    pub before: f64,
    /// Its value as it is written.
    pub value: f64,
    /// The standard error, with the prior taken as true; `None` where the weight
    /// was not fitted, or nothing is known of errors.
    pub standard_error: Option<f64>,
    /// The estimate of the data without any prior. A standard error of hundreds: the
    /// data do not determine it alone, but together with others. `None` where the weight did not
    /// move, or such estimates are not known; then there are no probabilities and no advice.
    pub data: Option<WeightEstimate>,
    /// The probability of such data if it were 0.
    pub p_zero: Option<f64>,
    /// The probability of such data if it were what it was before.
    pub p_change: Option<f64>,
    /// Whether the data tell it from what it was before, at most 5 % of such
    /// statements being wrong.
    pub changed: bool,
    /// Whether an engine would miss it.
    pub advice: Option<Advice>,
    /// How many games read it, fitted and held out.
    pub games: u32,
}

impl WeightStatement {
    /// Returns by how much the data alone, without the prior, change the weight from its value
    /// before the fit, in standard errors of this estimate; `None` without such an estimate or its
    /// error.
    pub fn change(&self) -> Option<f64> {
        self.data?.from(self.before)
    }
}

/// The statement on the weights of one parameter together.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct GroupStatement {
    /// The name of the parameter.
    pub name: String,
    /// How many of its weights were fitted.
    pub fitted: usize,
    /// How many weights it has.
    pub weights: usize,
    /// The probability of such data if all of them were 0.
    pub p_zero: Option<f64>,
    /// The probability of such data if all of them were what they were before.
    pub p_change: Option<f64>,
    /// Whether an engine would miss them.
    pub advice: Option<Advice>,
    /// How much E rises if they go back to what they were before, and all others
    /// follow.
    pub worth_of_change: Option<Worth>,
    /// How much E rises without them, and all others follow.
    pub worth: Option<Worth>,
}

/// All that is said of a fit.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Judgement {
    /// Whether the new weights are better.
    pub verdict: FitVerdict,
    /// Advice that follows from the verdict, if there is some.
    pub advice: Option<String>,
    /// E on the held-out games, before the fit and after; `None` without such games.
    pub held_out: Option<ErrorDifference>,
    /// E on the games fitted, before the fit and after; `None` if no game has weight.
    pub fitted: Option<ErrorDifference>,
    /// How much of the gain on the games fitted is noise; `None` if nothing was gained on them.
    pub noise: Option<NoiseShare>,
    /// Whether positions came with their games. If not each counts as a game of
    /// its own, and all errors are too small.
    pub games_known: bool,
    /// Whether positions come game by game without the ids of their games: then
    /// positions of one game are among those fitted and those held out, so a smaller
    /// error says nothing of other games.
    pub game_by_game: bool,
    /// Games fitted.
    pub games: usize,
    /// Clusters of games that the standard errors rest on; 0 where there are no such errors.
    pub clusters: usize,
    /// Why there are no standard errors, if there are none.
    pub without_errors: Option<String>,
    /// Whether the curvature is that of Gauss and Newton, as the exact one is not
    /// that of a minimum.
    pub approximate_curvature: bool,
    /// How many standard errors a 95 % interval reaches to each side: Student's t,
    /// by the clusters, or by the games where there are no matrices. `None` where there are no
    /// standard errors.
    pub reach: Option<f64>,
    /// How many weights the data determine, tr(A⁻¹H), with H the curvature of E and A that of E and
    /// the prior; the prior decides on the others. Where games are not ten times as many, standard
    /// errors are too small.
    pub determined: Option<f64>,
    /// Statements on all weights by themselves, in their order.
    pub weights: Vec<WeightStatement>,
    /// Statements on entries of tables against the mean of their table, where these
    /// say more than the entries by themselves.
    pub tables: Vec<TableStatement>,
    /// Weights that could not move, the one that the data would like to move most
    /// first.
    pub frozen: Vec<FrozenStatement>,
    /// Statements on groups.
    pub groups: Vec<GroupStatement>,
    /// Combinations of weights that the data do not determine, or hardly.
    pub directions: Vec<Direction>,
    /// The directions in words.
    pub undetermined: Vec<String>,
    /// Pairs of weights that stand for each other, in words.
    pub correlated: Vec<String>,
}

/// Judges a run by its rows. `source`: what the rows that were fitted come from.
///
/// *Cost*: five passes, the exact curvature matrix and Gauss-Newton's, and some eight
/// products of matrices of the number of variables.
///
/// # Errors
/// If rows cannot be read. What cannot be computed is left out, with the reason
/// in [`Judgement::without_errors`].
pub fn judge(run: &FinishedRun<'_>, source: &dyn RowSource) -> Result<Judgement, FitError> {
    let targets = run.targets.targets;
    // Whether rows of one game follow one another is known of rows in memory alone; it counts if
    // they do so on all ranks.
    let game_by_game = !run.all_with_game() && {
        let traces = source.rows();
        let here = traces.in_memory().is_some_and(TraceSet::come_game_by_game);
        !traces.ranks().any(!here)
    };
    // `true`: at the weights before the fit, `false`: at those that are written.
    let before = Losses::of(run, targets.of(source.rows())?.traces(), true)?;
    let rows = targets.of(run.last_rows(source))?;
    let traces = rows.traces();
    let after = Losses::of(run, traces, false)?;
    let fitted = ErrorDifference::new(&before.fitted, &after.fitted);
    let held_out = ErrorDifference::new(&before.held_out, &after.held_out);
    let statements = Statements::of(run, traces)?;
    let mut judgement = statements.judgement(fitted, held_out);
    judgement.game_by_game = game_by_game;
    if judgement.are_games_few() {
        judgement.take_back();
    }
    // Held-out positions may be of games that were fitted.
    if game_by_game && judgement.verdict == FitVerdict::Better {
        judgement.verdict = FitVerdict::NotJudged;
    }
    // The rows are linear models of scores that are not linear.
    if run.facts.linearised {
        judgement.verdict = FitVerdict::Predicted;
    }
    let follows = judgement.what_follows().map(str::to_owned);
    let sentences = [against_scores(run, held_out.as_ref()), follows];
    judgement.advice = (sentences.into_iter().flatten()).reduce(|a, b| format!("{a}; {b}"));
    Ok(judgement)
}

/// E of results against search scores up to which results are taken to be made of these scores.
const NONE: f64 = 1e-12;

/// Says what the held-out errors are in centipawns, the root of E over the slope of the
/// expectation; `None` unless the fit is by squared error to search scores alone.
fn against_scores(run: &FinishedRun<'_>, held_out: Option<&ErrorDifference>) -> Option<String> {
    // The fit is to scores alone: `lambda`, the part of the result in the target, is 0, or the
    // results are made of these scores.
    let (blend, held_out) = (run.targets.blend()?, held_out?);
    let alone = blend.lambda == 0.0 || blend.score_error.is_some_and(|error| error < NONE);
    let is_told = alone && blend.positions_without_score == 0 && run.settings.loss == Loss::Squared;
    // The slope of σ at 0 is K·ln 10/1600.
    let unit = 1600.0 / (run.fit.k * std::f64::consts::LN_10);
    let [before, after] = [held_out.before, held_out.after].map(|error| error.sqrt() * unit);
    is_told.then(|| {
        format!(
            "against the scores that is {before:.1} → {after:.1} centipawns near equality (root \
             mean square)"
        )
    })
}

/// Losses by game of some weights.
struct Losses {
    fitted: ByGame<GameLoss>,
    held_out: ByGame<GameLoss>,
}

impl Losses {
    /// Computes the losses, game by game, of the games fitted and of those held out, at the weights
    /// before the fit if `before`, else at those that are written.
    fn of(run: &FinishedRun<'_>, traces: Traces<'_>, before: bool) -> Result<Self, FitError> {
        let _phase = phase("errors by game");
        let ((sigmoid, weights), loss) = (run.scored_by(before), run.settings.loss);
        let lanes = run.variables.reduction.lanes_of(weights);
        let (train, judged) = parts(run.settings.held_out);
        let losses = |part| losses_by_game(traces, part, loss, sigmoid, &lanes);
        Ok(Self {
            fitted: losses(train)?,
            held_out: judged.map(losses).transpose()?.unwrap_or_default(),
        })
    }
}

/// Returns the written weights with the mean of each table moved into a single weight, where one
/// exists that can take it without any score changing; and, a sentence each, what was moved and
/// what could not be. Nothing is moved unless all weights are whole numbers.
///
/// # Errors
/// If rows cannot be read.
pub fn canonicalise(
    run: &FinishedRun<'_>,
    source: &dyn RowSource,
    judgement: &Judgement,
) -> Result<(Vec<f64>, Vec<String>), FitError> {
    let written = &run.fit.written;
    if !run.is_whole() {
        let why = "no mean was moved: not all weights are whole numbers";
        return Ok((written.clone(), vec![why.to_owned()]));
    }
    let variables = run.variables;
    let rows = PartRows {
        traces: source.rows(),
        part: Part::All,
    };
    let weights: Vec<i64> = written.iter().map(|&value| value as i64).collect();
    let (directions, names) = (&judgement.directions, &variables.names);
    let form = canonical(directions, rows, &variables.reduction, &weights, names)?;
    let weights = form.weights.iter().map(|&weight| weight as f64);
    Ok((weights.collect(), [form.moved, form.left_out].concat()))
}

impl Judgement {
    /// Returns the verdict in one line, with the numbers behind it.
    pub fn headline(&self) -> String {
        let Some(held_out) = self.held_out.filter(|d| d.games >= 2) else {
            let games = match self.held_out {
                Some(one) if one.games == 1 => "one game was held out, which is too few",
                _ => "no games were held out",
            };
            let verdict = match self.verdict {
                FitVerdict::Predicted => FitVerdict::Predicted,
                _ => FitVerdict::NotJudged,
            };
            return format!("{verdict}: {games} to judge by");
        };
        let unknown = "positions, perhaps of games that were fitted";
        let of = if self.games_known { "games" } else { unknown };
        format!("{}: held-out E {}", self.verdict, held_out.in_words(of))
    }

    /// Returns what a person needs to know, a line each: the verdict, then advice, the part of the
    /// gain that is noise, warnings, five sentences at most on what is not determined, and
    /// findings.
    pub fn words(&self) -> Vec<String> {
        let noise = self.noise.as_ref().and_then(NoiseShare::sentence);
        let open = self.undetermined.iter().take(5);
        let open = open.map(|sentence| format!("not determined: {sentence}"));
        let more = self.undetermined.len().saturating_sub(5);
        let more = (more > 0).then(|| format!("… and {more} more in summary.json"));
        let below = (self.advice.iter().cloned().chain(noise))
            .chain(self.warnings())
            .chain(open.chain(more))
            .chain(self.findings());
        let below = below.map(|sentence| format!("  {sentence}"));
        std::iter::once(self.headline()).chain(below).collect()
    }

    /// Returns what makes the numbers less than they look, a sentence each.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.game_by_game {
            warnings.push(
                "positions come game by game without the ids of their games, so those held out \
                 are of games that were fitted too: what is said here holds for these games only"
                    .to_owned(),
            );
        } else if !self.games_known {
            warnings.push(
                "the games are unknown: each position counts as one, and all errors are too small"
                    .to_owned(),
            );
        }
        if let Some(reason) = &self.without_errors {
            warnings.push(format!("no standard errors: {reason}"));
        }
        if self.approximate_curvature {
            warnings.push(
                "standard errors are by the curvature of Gauss and Newton, as the exact one is \
                 not that of a minimum"
                    .to_owned(),
            );
        }
        if let Some(determined) = self.determined.filter(|_| self.are_games_few()) {
            warnings.push(format!(
                "standard errors are too small: {} games for {determined:.0} weights that they \
                 determine; so nothing is said of what changed, to keep or to drop",
                self.games
            ));
        }
        warnings
    }

    /// Returns what is said of weights, of entries of tables and of frozen weights, a
    /// sentence each. Each is left out where there is nothing to say: no weight has advice, no
    /// table has a statement, the data would move no frozen weight.
    pub fn findings(&self) -> Vec<String> {
        let counts = self.counts();
        let changed = counts.changed;
        let weights = (counts.are_advised()).then(|| {
            let changed = tuner_base::counted(changed, "weight");
            format!("{changed} changed for sure; {counts}")
        });
        let of_weights = weights.into_iter().chain(self.tables_in_words());
        of_weights.chain(self.frozen_in_words()).collect()
    }

    /// Returns the ends of the 95 % interval of a weight, with the prior taken as true; `None`
    /// where its standard error is not known.
    pub fn interval(&self, statement: &WeightStatement) -> Option<(f64, f64)> {
        let reach = self.reach? * statement.standard_error?;
        Some((statement.value - reach, statement.value + reach))
    }

    /// Counts the statements on single weights, by their advice and by whether they say that the
    /// weight changed.
    pub fn counts(&self) -> StatementCounts {
        StatementCounts::of(self.weights.iter().map(|s| (s.advice, s.changed)))
    }

    /// Says how many entries of tables changed against the mean of their table, and how many are to
    /// be kept or dropped; `None` if there are no statements on tables.
    fn tables_in_words(&self) -> Option<String> {
        let entries = || self.tables.iter().flat_map(|table| &table.entries);
        let counts = StatementCounts::of(entries().map(|e| (Some(e.advice), e.changed)));
        let (changed, all, tables) = (counts.changed, entries().count(), self.tables.len());
        (tables > 0).then(|| {
            format!(
                "against the mean of their table {changed} of {all} entries of {tables} tables \
                 changed for sure; {counts}"
            )
        })
    }

    /// Says how many frozen weights the data would move, and which most surely; `None` if they
    /// would move no weight.
    fn frozen_in_words(&self) -> Option<String> {
        // Those that would move are all frozen: of a weight at a bound it is never said. The list
        // has the surest first.
        let count = self.frozen.iter().filter(|s| s.would_move).count();
        let most = self.frozen.iter().find(|s| s.would_move)?;
        let tested = |s: &&FrozenStatement| s.status == WeightStatus::Frozen;
        let (all, name) = (self.frozen.iter().filter(tested).count(), &most.name);
        let by = match most.change {
            Some(change) => {
                let (value, error) = (change.value, change.standard_error);
                format!("by {value:+.1} ± {error:.1}")
            }
            None if most.z > 0.0 => "up".to_owned(),
            None => "down".to_owned(),
        };
        Some(format!(
            "the data would move {count} of {all} weights that are frozen, most surely {name} {by}"
        ))
    }

    /// Tells whether no held-out game has another error than before; false where none is held out.
    fn is_unchanged(&self) -> bool {
        (self.held_out).is_some_and(|d| d.difference == 0.0 && d.standard_error == 0.0)
    }

    /// Tells whether nine tenths or more of the gain on the games fitted are noise, both by the
    /// held-out games and as predicted from the curvature; false where either share is not known.
    fn is_all_noise(&self) -> bool {
        self.noise.as_ref().is_some_and(|noise| {
            let all = |share: Option<f64>| share.is_some_and(|share| share >= ALL_NOISE);
            all(noise.observed) && all(noise.predicted)
        })
    }

    /// Tells whether there are fewer than ten games for each weight that the games determine, so
    /// that standard errors are too small; false where the number of these weights is not known.
    fn are_games_few(&self) -> bool {
        (self.determined).is_some_and(|determined| (self.games as f64) < FEW_GAMES * determined)
    }

    /// Takes back all that is said for sure, as standard errors are too small for it: nothing
    /// changed or would move, and all advice is unclear.
    fn take_back(&mut self) {
        for weight in &mut self.weights {
            weight.changed = false;
            weight.advice = weight.advice.map(|_| Advice::Unclear);
        }
        for entry in self.tables.iter_mut().flat_map(|table| &mut table.entries) {
            entry.changed = false;
            entry.advice = Advice::Unclear;
        }
        for frozen in &mut self.frozen {
            frozen.would_move = false;
        }
        for group in &mut self.groups {
            group.advice = group.advice.map(|_| Advice::Unclear);
        }
    }

    /// Says what to do, by the verdict; `None` where the weights are better.
    fn what_follows(&self) -> Option<&'static str> {
        match self.verdict {
            FitVerdict::Better => None,
            FitVerdict::WithinNoise if self.is_unchanged() => {
                Some("the weights are as they were; more games would tell more")
            }
            FitVerdict::WithinNoise if self.is_all_noise() => Some(
                "all of the gain on the games fitted is noise: keep the weights before, and take \
                 more games, or a stronger prior (--prior evidence or --prior auto)",
            ),
            FitVerdict::WithinNoise => Some(
                "the held-out games do not tell the new weights from the old ones; more games \
                 would",
            ),
            FitVerdict::Worse => Some(
                "do not use these weights: take more games, or a stronger prior (--prior evidence \
                 or --prior auto)",
            ),
            FitVerdict::Predicted => Some(
                "put these weights into the spec, write the rows again at them, and fit again with \
                 this K (--k): the first E is then the true one, and has to be below the first E \
                 of now",
            ),
            FitVerdict::NotJudged if self.game_by_game => Some(
                "give games, or the id of the game with each position, so that whole games are \
                 held out",
            ),
            FitVerdict::NotJudged if self.held_out.is_some() => {
                Some("more games, or a larger --held-out, leave more of them to judge by")
            }
            FitVerdict::NotJudged => {
                Some("--held-out 0.1 keeps a tenth of the games back to judge by")
            }
        }
    }
}

/// Counts of statements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StatementCounts {
    /// How many say that something changed for sure.
    pub changed: usize,
    /// How many advise to keep it.
    pub keep: usize,
    /// How many are unclear.
    pub unclear: usize,
    /// How many advise to drop it.
    pub drop: usize,
}

tuner_base::impl_fmt! { Display for StatementCounts, |self, f| {
    let Self { keep, unclear, drop, .. } = self;
    write!(f, "keep {keep}, unclear {unclear}, drop {drop}")
} }

impl StatementCounts {
    /// Counts statements by their advice and by whether they say that something changed.
    pub fn of(statements: impl Iterator<Item = (Option<Advice>, bool)>) -> Self {
        let mut counts = Self::default();
        for (advice, changed) in statements {
            counts.changed += usize::from(changed);
            match advice {
                Some(Advice::Keep) => counts.keep += 1,
                Some(Advice::Unclear) => counts.unclear += 1,
                Some(Advice::Drop) => counts.drop += 1,
                None => {}
            }
        }
        counts
    }

    /// Tells whether any of the statements counted has advice.
    pub const fn are_advised(&self) -> bool {
        self.keep + self.unclear + self.drop > 0
    }
}
