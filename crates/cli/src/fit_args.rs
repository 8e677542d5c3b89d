//! The arguments of a fit, and the configuration that they mean.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};

use crate::heading;
use crate::shared_args::{
    DataArgs, ObjectiveArgs, PrintArgs, ThreadArgs, WeightChoiceArgs, first_typed, parse_k, within,
    words_for,
};
use crate::spec_args::LanguageArg;
use crate::terminal::Talk;
use tuner_base::cloned_fields;
use tuner_data::Input;
use tuner_engine::COMPARED;
use tuner_fit::run::{
    HELD_OUT, Init, MAX_RETRACES, OptionsSnapshot, PriorChoice, Renamed, RunConfig, RunFiles,
    WeightsFormat,
};
use tuner_fit::{BASE, LEAST_GAIN, Search, Settings};
use tuner_jobs::{
    FitConfig, JobResult as Result, PositionsConfig, RescoreConfig, RowsConfig, misuse,
};
use tuner_solve::{Options, Solver};
use tuner_spec::Spec;

/// A fit of the positions of an engine, or of rows that were made elsewhere.
#[expect(clippy::struct_excessive_bools, reason = "a flag is a bool")]
#[derive(Args, Debug)]
pub(crate) struct FitArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Scaling constant of σ(s) = 1/(1 + 10^(−K·s/400)); `tanh:A` for
    /// (1 + tanh(A·s))/2, `e:K'` for 1/(1 + e^(−K'·s/400)), `fitted` to fit it at the
    /// initial weights [default: that of the file of --init, or of the spec; where these
    /// have none, fitted; traces made elsewhere need it unless --spec or --init
    /// names a file].
    #[arg(long, value_parser = FitK::parse, allow_negative_numbers = true, help_heading = heading::FITTED)]
    pub(crate) k: Option<FitK>,
    /// Bring the result to the scale on which a weight has a value, such as
    /// MATERIAL[pawn].mg=100: after the fit all weights are multiplied by what
    /// leads there, K is divided by it, the weight is fixed and the others are
    /// fitted again.
    #[arg(long, value_name = "WEIGHT=VALUE", value_parser = parse_anchor, help_heading = heading::FITTED)]
    pub(crate) anchor: Option<(String, f64)>,
    #[command(flatten)]
    pub(crate) objective: ObjectiveArgs,
    /// Weights to start from: those of the spec (zero for traces without one), all
    /// zero, or those of a file: a summary.json, an object of names
    /// and numbers, or lines `NAME VALUE` [possible values: spec, zero, FILE].
    #[arg(long, default_value_t, value_name = "FROM", help_heading = heading::WEIGHTS)]
    pub(crate) init: Init,
    /// The method.
    #[arg(long, value_enum, default_value_t, help_heading = heading::METHOD)]
    pub(crate) solver: SolverArg,
    /// How far a weight may be off at first, as a standard deviation in its
    /// unit. `evidence` finds one for each parameter for which the spec declares
    /// none, such that the results are as likely as they can be: where few games
    /// say little, weights stay where they were. `auto` multiplies 20, and what
    /// the spec says of parameters (`prior`, `smooth`), by 1/16, 1/8 … 16, and
    /// takes what does best on a fifth of the games that are fitted; that costs
    /// about five times the iterations of the fit itself. `none`: few games
    /// decide on a weight that few games have [default: evidence for an engine;
    /// and with --spec; none for other traces].
    #[arg(long, value_name = "DEVIATION", value_parser = parse_prior, allow_negative_numbers = true, help_heading = heading::FITTED)]
    pub(crate) prior: Option<PriorArg>,
    /// The weights that the prior is around, as for --init [default: those of
    /// --init].
    #[arg(long, value_name = "FROM", help_heading = heading::FITTED)]
    pub(crate) prior_mean: Option<Init>,
    /// Fraction of the games that judge the fit and are not fitted.
    #[arg(long, value_name = "FRACTION", default_value_t = HELD_OUT, help_heading = heading::DATA)]
    #[arg(value_parser = within(0.0..1.0, "a number from 0 (none) to below 1"))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) held_out: f64,
    /// Most iterations of the descent, and most rounds of a local search
    /// [default: 100; of cg and lbfgs 2000, of adam and gd 5000].
    #[arg(long, value_name = "N", help_heading = heading::METHOD)]
    pub(crate) max_iterations: Option<usize>,
    /// Descend until rounding. By default a fit with a prior ends where a step promises
    /// to lower E by less than a millionth of its standard error, with games clustered:
    /// some weights are then rounded otherwise, by one or two, where others make up for it.
    #[arg(long, help_heading = heading::METHOD)]
    pub(crate) exact: bool,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    /// Also fit 1/16, 1/8, 1/4, 1/2 and all of the games, and say what the held-out
    /// error of each is: whether more games would help.
    #[arg(long, help_heading = heading::JUDGING)]
    pub(crate) learning_curve: bool,
    /// Also fit so many times, each time without one of so many parts of the
    /// games, which judges: how far the choice of the held-out games decides.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=100), help_heading = heading::JUDGING)]
    pub(crate) folds: Option<u32>,
    /// Also fit without a parameter, once with its weights at 0 and, where that is something
    /// else, once as they were before, and say what the held-out error is then; `*` stands for
    /// anything; may be repeated.
    #[arg(long, value_name = "PARAMETER", value_delimiter = ',', help_heading = heading::JUDGING)]
    pub(crate) ablate: Vec<String>,
    /// Also play so many fast games for each parameter of --ablate, on average, without it
    /// against with it: what it is worth in Elo. Those that are decided leave theirs to others.
    #[arg(long, value_name = "N", requires = "ablate", value_parser = clap::value_parser!(u64).range(2..), help_heading = heading::JUDGING)]
    pub(crate) ablate_games: Option<u64>,
    /// Print the verdict alone, in at most three lines; if the fit fails, all that was said before.
    #[arg(long, help_heading = heading::OUTPUT)]
    pub(crate) quiet: bool,
    /// Say more on standard error: iterations, targets, priors, K, weights that are never read,
    /// what the data do not determine, rounding, calibration. All of it is in summary.json.
    #[arg(long, help_heading = heading::OUTPUT)]
    pub(crate) details: bool,
    /// Replace tuned_weights.rs and weights.txt even by weights that the held-out
    /// games find worse than those before; without, the exit status is then 3.
    #[arg(long, help_heading = heading::OUTPUT)]
    pub(crate) write_worse: bool,
    /// Folder for the results, and for the checkpoint of a fit on its way.
    #[arg(long, short, default_value = "tuner-run", value_name = "DIR", help_heading = heading::OUTPUT)]
    pub(crate) out: PathBuf,
    /// Write the weights after every iteration, before rounding, into the folder
    /// `weights` of --out.
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = heading::OUTPUT)]
    pub(crate) save_weights: Option<WeightsFormatArg>,
    /// Resume the fit that was interrupted in the folder of --out, to the
    /// result that it would have had; give the options it was given. Where
    /// parameters were added, removed or renamed since, start from its weights
    /// by name.
    #[arg(long, help_heading = heading::OUTPUT)]
    pub(crate) resume: bool,
    /// A parameter of the interrupted fit that has another name now.
    #[arg(long, value_name = "OLD=NEW", requires = "resume", value_parser = parse_renamed, help_heading = heading::OUTPUT)]
    pub(crate) renamed: Vec<Renamed>,
    /// Say how long each phase took, and write it into summary.json (`timings`).
    #[arg(long, help_heading = heading::OUTPUT)]
    pub(crate) timings: bool,
    #[command(flatten)]
    pub(crate) print: PrintArgs,
    /// Positions on which all derivatives are compared with differences first.
    #[arg(long, value_name = "N", default_value_t = COMPARED, help_heading = heading::METHOD)]
    pub(crate) differences: usize,
    /// How often positions are traced again at new weights, where a branch of
    /// the evaluation goes another way there in more than one of a thousand;
    /// 0 from standard input and other pipes, and of a file of traces.
    #[arg(long, value_name = "N", default_value_t = MAX_RETRACES, help_heading = heading::METHOD)]
    pub(crate) retrace: usize,
    /// Resolve and trace the positions again after so many iterations, at the
    /// weights reached, at most as often as --retrace says; by default only
    /// where --retrace traces again anyway.
    #[arg(long, value_name = "ITERATIONS", value_parser = clap::value_parser!(u32).range(1..), help_heading = heading::METHOD)]
    pub(crate) resolve_every: Option<u32>,
    /// Most games of the new weights against those before, at 100 positions a move, which
    /// tell whether the engine plays better: until a test of 0 against 20 normalised Elo is
    /// decided.
    /// Weights that do not pass it do not replace those before (exit status 3). 0 for none
    /// [default: 4000 where the engine plays].
    #[arg(long, value_name = "N", help_heading = heading::JUDGING)]
    pub(crate) fast_games: Option<u64>,
    /// Depth of a move in fast games, for engines that ignore `go nodes`, such as 4.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = heading::JUDGING)]
    pub(crate) fast_depth: Option<u32>,
    /// First give each position the score of the engine's own search of so many
    /// positions, at the weights of --init. The files are in the folder of --out, for
    /// further fits to the same data and by `data rescore`, as which it works.
    #[arg(long, value_name = "NODES", value_parser = clap::value_parser!(u64).range(1..), help_heading = heading::DATA)]
    pub(crate) rescore: Option<u64>,
    /// The same with searches of this depth, for engines that ignore `go nodes`.
    #[arg(long, value_name = "N", conflicts_with = "rescore", value_parser = clap::value_parser!(u32).range(1..), help_heading = heading::DATA)]
    rescore_depth: Option<u32>,
    /// Find how much each file of the data is to count, so that the fit explains best games of
    /// one of them, which is to be named here: the engine's own, with scores of its own search.
    #[arg(long, value_name = "FILE", help_heading = heading::DATA)]
    pub(crate) weigh_sources: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) choice: WeightChoiceArgs,
    /// Text of the date to write into the generated file [default: none].
    #[arg(long, help_heading = heading::OUTPUT)]
    pub(crate) date: Option<String>,
    /// Move the mean of a table into the single weight that it stands for, such as
    /// a piece's value, where no score changes by it.
    #[arg(long, help_heading = heading::FITTED)]
    pub(crate) canonical: bool,
    /// Write the standard error of each weight into the generated file, as comments
    /// beside the weights.
    #[arg(long, conflicts_with = "canonical", help_heading = heading::OUTPUT)]
    pub(crate) errors_in_code: bool,
    /// The spec of rows that were made elsewhere (lines as an evaluator answers them, Arrow IPC,
    /// CSV, or lines `outcome index:coefficient …`; docs/traces.md), whose weights the features
    /// are, by name or in its order. Without it, and without an engine, weights have no names,
    /// unless the file has those of an evaluator.
    #[arg(long, value_name = "SPEC")]
    pub(crate) spec: Option<PathBuf>,
    /// Language of the file of weights of such rows, tuned_weights.* [default: rust].
    #[arg(long, value_enum, value_name = "LANGUAGE", help_heading = heading::OUTPUT)]
    pub(crate) to: Option<LanguageArg>,
    /// Round the weights of such rows to integers, as with --spec they are.
    #[arg(long, help_heading = heading::METHOD)]
    pub(crate) round: bool,
}

/// The choice of K: a number, or fitted at the initial weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum FitK {
    Given(f64),
    Fitted,
}

impl FitK {
    /// Reads the value of `--k`: `fitted`, or a number in the scale of this or another tool.
    fn parse(text: &str) -> Result<Self, String> {
        match text {
            "fitted" => Ok(Self::Fitted),
            _ => parse_k(text)
                .map(Self::Given)
                .map_err(|error| format!("{error}, or `fitted`")),
        }
    }
}

/// The option that says how often positions are traced again.
const RETRACE: &str = "--retrace";

impl FitArgs {
    /// Returns how much the fit says on standard error: with `--quiet` nothing, unless it fails;
    /// with `--details` everything; else all but details.
    pub(crate) fn talk(&self) -> Talk {
        if self.quiet {
            Talk::Quiet(Arc::default())
        } else if self.details {
            Talk::All
        } else {
            Talk::Short
        }
    }

    /// Returns the configuration of a fit by these arguments. `options`: those that a resumed fit
    /// must have too; `is_named`: whether the weights have names, as those of an engine or a spec;
    /// else they are columns of rows. The field `for_positions` of the configuration is the first
    /// typed option that only positions heed, so that a file of traces can refuse it.
    pub(crate) fn config(&self, options: OptionsSnapshot, is_named: bool) -> Result<FitConfig> {
        self.objective.check()?;
        // Of the two at most one is typed.
        let depth = (self.rescore_depth).map(|depth| ["--depth".to_owned(), depth.to_string()]);
        let nodes = (self.rescore).map(|nodes| ["--nodes".to_owned(), nodes.to_string()]);
        let rescore = depth.or(nodes).map(|thinking| RescoreConfig {
            thinking,
            reading: self.data.reading.words(),
        });
        Ok(cloned_fields! { FitConfig {
            weigh_sources, anchor, out, canonical, learning_curve, folds, ablate, ablate_games,
            fast_games, fast_depth, write_worse, date, errors_in_code, timings,
        } of self,
            data: PositionsConfig {
                differences: self.differences,
                ..(&self.data).into()
            },
            for_positions: self.about_positions(),
            rescore,
            choice: (&self.choice).into(),
            run: self.run(options, is_named),
        })
    }

    /// Returns the part of the configuration that is the same for an engine and for rows: method,
    /// prior, start, files. `options`: those that a resumed fit must repeat; `is_named`: whether
    /// the weights have names. If so the default prior is `evidence` and the result is integers;
    /// else there is no prior, and weights stay floats unless `--round` or a search of integers is
    /// typed.
    fn run(&self, options: OptionsSnapshot, is_named: bool) -> RunConfig {
        let default = if is_named {
            PriorArg::Evidence
        } else {
            PriorArg::None
        };
        let prior = self.prior.unwrap_or(default);
        let search = self.solver.search();
        // The solver's defaults, of which `--max-iterations` overrides one.
        let solver = Options::of(self.solver.into());
        RunConfig {
            settings: Settings {
                k: match self.k {
                    Some(FitK::Given(k)) => Some(k),
                    Some(FitK::Fitted) | None => None,
                },
                loss: self.objective.loss,
                held_out: self.held_out,
                prior: prior.deviation(),
                solver: Options {
                    iterations: self.max_iterations.unwrap_or(solver.iterations),
                    ..solver
                },
                // With a prior a descent ends where a step promises to lower E by less than this
                // part of its standard error; with `--exact` rounding alone ends it.
                least_gain: if self.exact { 0.0 } else { LEAST_GAIN },
                integers: self.round || is_named || search != Search::Promising,
                search,
                ..Settings::default()
            },
            prior_choice: prior.choice(),
            targets: (&self.objective).into(),
            fit_k: self.k == Some(FitK::Fitted),
            init: self.init.clone(),
            prior_mean: self.prior_mean.clone(),
            max_retraces: self.retrace,
            resolve_every: self.resolve_every.map(|every| every as usize),
            files: Some(RunFiles {
                folder: self.out.clone(),
                weights: self.save_weights.map(Into::into),
                resume: self.resume,
                renamed: self.renamed.clone(),
                options,
            }),
            ..RunConfig::default()
        }
    }

    /// Returns the file of rows that were made elsewhere, with their spec and language.
    /// `are_asked_about`: whether there is an engine whose evaluator is asked about their
    /// positions; these can be traced again, so `--retrace` is then allowed.
    ///
    /// # Errors
    /// If an option is about positions, if the spec cannot be read, if an option is behind the name
    /// of a file and `--spec` is typed, or if there is not one file.
    pub(crate) fn rows(&self, are_asked_about: bool) -> Result<RowsConfig> {
        // 0 asks for no games.
        let plays = |games: Option<u64>| games.is_some_and(|games| games > 0);
        let option = first_typed(&[
            (self.rescore.is_some(), "--rescore"),
            (self.rescore_depth.is_some(), "--rescore-depth"),
            (plays(self.fast_games), "--fast-games"),
            (plays(self.ablate_games), "--ablate-games"),
            (self.fast_depth.is_some(), "--fast-depth"),
            (self.canonical, "--canonical"),
            (self.errors_in_code, "--errors-in-code"),
            (self.date.is_some(), "--date"),
        ]);
        let about_positions = self.about_positions();
        let about_positions = about_positions.filter(|o| !(are_asked_about && *o == RETRACE));
        if let Some(option) = option.or(about_positions) {
            misuse!(
                "{option}: is about positions of an engine, and rows were made elsewhere; leave it \
                 out, or name the folder of the engine by -C"
            );
        }
        // A spec that cannot be read is told before what is wrong with the files.
        self.spec.as_deref().map(Spec::load).transpose()?;
        if let Some(file) = self.data.data.first()
            && self.spec.is_some()
            && !Input::parted(file).1.is_empty()
        {
            misuse!(
                "{}: options of a file are for positions, and with --spec it has rows that were \
                 made elsewhere; to fit an engine, leave --spec out and name its spec in tuner.toml, \
                 `spec = …`",
                file.display()
            );
        }
        let [file] = &self.data.data[..] else {
            let found = self.data.data.len();
            misuse!(
                "fit: found no tuner.toml here or above, and {found} files of rows, expected one \
                 (docs/traces.md); to fit positions, go to the folder of a tuner.toml, or name \
                 it by -C DIR"
            );
        };
        Ok(RowsConfig {
            file: file.clone(),
            spec: self.spec.clone(),
            language: self.to.unwrap_or_default().into(),
        })
    }

    /// Returns the first typed option that is about positions and their tracing and asks for
    /// something; `None` where there is none. 0 asks for nothing, and a value that equals the
    /// default is taken for not typed.
    fn about_positions(&self) -> Option<&'static str> {
        let own = first_typed(&[
            (self.resolve_every.is_some(), "--resolve-every"),
            (self.weigh_sources.is_some(), "--weigh-sources"),
            (![0, COMPARED].contains(&self.differences), "--differences"),
            (![0, MAX_RETRACES].contains(&self.retrace), RETRACE),
        ]);
        self.data.about_positions().or(own)
    }
}

words_for! {
    WeightsFormatArg => WeightsFormat {
        /// Lines `NAME VALUE`.
        Txt,
        /// One object of names and numbers.
        Json,
    }
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum SolverArg {
    /// Gauss-Newton far out, Newton near; newton-cg where there are too many
    /// weights for a matrix.
    #[default]
    Auto,
    /// Gauss-Newton with Levenberg-Marquardt damping.
    GaussNewton,
    /// The exact second derivative.
    Newton,
    /// Newton without a matrix, for tens of thousands of weights.
    NewtonCg,
    /// Non-linear conjugate gradients, scaled by the diagonal.
    Cg,
    /// Limited-memory BFGS, scaled by the diagonal.
    Lbfgs,
    /// Adam with the settings of other tuners: a baseline.
    Adam,
    /// Gradient descent with one rate: a baseline.
    Gd,
    /// On integers from the start: each weight up or down by one as long as
    /// that helps (Texel's original way); slow from afar. It has no scale for
    /// --anchor to change; strengths of --prior auto are tried by auto.
    LocalSearch,
    /// As auto, then rounding, then a local search over all weights.
    Hybrid,
}

impl SolverArg {
    /// Returns how integers are searched: instead of the descent (`local-search`), over all weights
    /// after it (`hybrid`), or over promising ones after it.
    pub(crate) const fn search(self) -> Search {
        match self {
            Self::LocalSearch => Search::Alone,
            Self::Hybrid => Search::All,
            _ => Search::Promising,
        }
    }
}

/// How strong the prior is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PriorArg {
    None,
    Deviation(f64),
    /// What games held out say.
    Auto,
    /// What the evidence says.
    Evidence,
}

impl PriorArg {
    /// Returns the standard deviation of the prior of a weight, in the weight's unit; `None`
    /// without a prior. Where the fit is to choose the strength, it is `BASE`, which the
    /// strengths that are tried multiply.
    pub(crate) const fn deviation(self) -> Option<f64> {
        match self {
            Self::None => None,
            Self::Deviation(deviation) => Some(deviation),
            Self::Auto | Self::Evidence => Some(BASE),
        }
    }

    /// Returns how the fit chooses the strength of its prior: by validation or by the evidence;
    /// with a number or `none` it does not choose.
    pub(crate) const fn choice(self) -> PriorChoice {
        match self {
            Self::None | Self::Deviation(_) => PriorChoice::Declared,
            Self::Auto => PriorChoice::Validation,
            Self::Evidence => PriorChoice::Evidence,
        }
    }
}

impl From<SolverArg> for Solver {
    fn from(arg: SolverArg) -> Self {
        match arg {
            // Hybrid descends as auto does. A local search alone does not descend, but tries
            // strengths of `--prior auto` by the method of auto.
            SolverArg::Auto | SolverArg::LocalSearch | SolverArg::Hybrid => Self::Auto,
            SolverArg::GaussNewton => Self::GaussNewton,
            SolverArg::Newton => Self::Newton,
            SolverArg::NewtonCg => Self::NewtonCg,
            SolverArg::Cg => Self::Cg,
            SolverArg::Lbfgs => Self::Lbfgs,
            SolverArg::Adam => Self::Adam,
            SolverArg::Gd => Self::Gd,
        }
    }
}

/// Reads the value of `--anchor`, `NAME=VALUE`: a weight and its value, which is finite.
fn parse_anchor(text: &str) -> Result<(String, f64), String> {
    let expected = || "expected NAME=VALUE, as in MATERIAL[pawn].mg=100".to_owned();
    let (name, value) = text.rsplit_once('=').ok_or_else(expected)?;
    let value: f64 = value.trim().parse().map_err(|_| expected())?;
    if name.trim().is_empty() || !value.is_finite() {
        return Err(expected());
    }
    Ok((name.trim().to_owned(), value))
}

/// Reads the value of `--renamed`, `OLD=NEW`: the old and the new name of a parameter.
fn parse_renamed(text: &str) -> Result<Renamed, String> {
    match text.split_once('=') {
        Some((old, new)) if !old.is_empty() && !new.is_empty() => Ok(Renamed {
            old: old.to_owned(),
            new: new.to_owned(),
        }),
        _ => Err("expected OLD=NEW, names of parameters".to_owned()),
    }
}

/// Reads the value of `--prior`: a standard deviation, or `none`, `auto` or `evidence`.
fn parse_prior(text: &str) -> Result<PriorArg, String> {
    match text {
        "none" => return Ok(PriorArg::None),
        "auto" => return Ok(PriorArg::Auto),
        "evidence" => return Ok(PriorArg::Evidence),
        _ => {}
    }
    let expected = "a positive number, from 1e-6 to 1e6, or none, auto or evidence";
    within(1e-6..=1e6, expected)(text).map(PriorArg::Deviation)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failing test may end with a panic
    use super::*;

    #[test]
    fn an_anchor_is_a_name_and_a_number() {
        let anchor = parse_anchor("MATERIAL[pawn].mg = 100").unwrap();
        assert_eq!(anchor, ("MATERIAL[pawn].mg".to_owned(), 100.0));
        for bad in ["", "=", "A", "A=", "=1", "A=x", "A=inf", "A=nan"] {
            assert!(
                parse_anchor(bad).unwrap_err().contains("NAME=VALUE"),
                "{bad}"
            );
        }
    }
}
