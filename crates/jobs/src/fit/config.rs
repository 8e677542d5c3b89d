//! What a fit is to be.

use std::path::PathBuf;

use super::names::{near, one_weight};
use crate::{Job, PositionsConfig, Result, weights_of_file};
use tuner_engine::Resolve;
use tuner_fit::run::{Init, PriorChoice, RunConfig, Variables};
use tuner_fit::{Anchor, Search, WeightGroup};
use tuner_solve::Solver;
use tuner_spec::codegen::Language;
use tuner_spec::source::Choice;
use tuner_spec::{FrozenChoice, Layout, Spec};

/// A fit, and what is found out about it. The default is that of an engine on the command line.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "a flag is a bool")]
pub struct FitConfig {
    /// The positions that are fitted; rows that were made elsewhere have none here.
    pub data: PositionsConfig,
    /// An option that only positions heed, if one was given; a file of traces refuses it.
    pub for_positions: Option<&'static str>,
    /// The search that first gives the positions scores; `None` keeps theirs.
    pub rescore: Option<RescoreConfig>,
    /// The file of the data whose games decide how much each file counts; `None`: no weighing.
    pub weigh_sources: Option<PathBuf>,
    /// Which weights move. Its `start` is set by the fit.
    pub choice: FrozenChoice,
    /// The run; its anchor, ranks and memory are set by the fit.
    pub run: RunConfig,
    /// The weight that sets the scale, and its value.
    pub anchor: Option<(String, f64)>,
    /// The folder of the results; an empty name is `tuner-run`.
    pub out: PathBuf,
    /// Whether to move the mean of a table into the weight that it stands for.
    pub canonical: bool,
    /// Whether to fit also fractions of the games, for a learning curve.
    pub learning_curve: bool,
    /// How many folds to fit, each without its part of the games, which judges it; `None` for none.
    pub folds: Option<u32>,
    /// Names of parameters, `*` for anything, without each of which is fitted too.
    pub ablate: Vec<String>,
    /// Games of the fit without each parameter of `ablate`, on average; `None`: none are played.
    pub ablate_games: Option<u64>,
    /// Most games of the new weights against those before; `None`: the default where the engine
    /// plays.
    pub fast_games: Option<u64>,
    /// Depth of a move in fast games; `None`: a number of nodes limits it.
    pub fast_depth: Option<u32>,
    /// Whether worse weights replace those before.
    pub write_worse: bool,
    /// The text of the date in the generated file, if any.
    pub date: Option<String>,
    /// Whether the generated file has standard errors.
    pub errors_in_code: bool,
    /// Whether the record tells how long each phase took.
    pub timings: bool,
}

/// Scores of the engine's own search for the positions of a fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RescoreConfig {
    /// How much each position is searched: an option of `data rescore` and its value.
    pub thinking: [String; 2],
    /// How the data are read, as words of options of `data rescore`.
    pub reading: Vec<String>,
}

/// Rows that were made elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowsConfig {
    /// The file of the rows.
    pub file: PathBuf,
    /// The spec of their weights, if they have names.
    pub spec: Option<PathBuf>,
    /// The language of the generated file.
    pub language: Language,
}

impl FitConfig {
    /// Returns which weights move and which are frozen. Where options choose (`--only`, `--freeze`,
    /// `--free`) and the fit starts at the weights of a file, frozen weights keep the file's
    /// values; else those of the spec.
    pub(super) fn choice(&self, layout: &Layout) -> Result<FrozenChoice> {
        let mut choice = self.choice.clone();
        if let Init::File(file) = &self.run.init
            && choice != FrozenChoice::default()
        {
            choice.start = Some(weights_of_file(layout, file)?.weights);
        }
        Ok(choice)
    }

    /// Returns how the run is to be done: as the field `run` says, with K of the spec (the scaling
    /// constant), the ranks of the job, and the weight of `--anchor`, whose name is looked up among
    /// `variables`. Options that contradict each other are found out now, before any work.
    ///
    /// # Errors
    /// If an option has nothing to do, or names nothing.
    pub(super) fn run(
        &self,
        job: &Job,
        variables: &Variables,
        spec: Option<&Spec>,
    ) -> Result<RunConfig> {
        if self.run.resolve_every.is_some() && self.data.resolve == Resolve::None {
            fail!("--resolve-every: nothing is resolved; add --resolve qsearch");
        }
        self.check(variables)?;
        let mut run = self.run.clone();
        run.spec_k = spec.and_then(Spec::k);
        run.ranks = job.ranks;
        if let Some((name, value)) = &self.anchor {
            if run.settings.search == Search::Alone {
                fail!(
                    "--anchor: the integers of --solver local-search have no scale to change; take \
                     --solver hybrid, which searches after a fit, or leave --anchor out"
                );
            }
            let layout = spec.map(Spec::layout);
            run.settings.anchor = Some(Anchor {
                weight: one_weight("--anchor", name, &variables.names, layout)?,
                value: *value,
                factor: None,
            });
        }
        Ok(run)
    }

    /// Tells whether the fit chooses the strengths of its prior by the evidence, the probability of
    /// the data under the prior.
    pub(super) fn is_by_evidence(&self) -> bool {
        self.run.prior_choice == PriorChoice::Evidence && self.run.settings.prior.is_some()
    }

    /// Fails if an option has nothing to do: `--exact` where nothing ends a fit early;
    /// `--learning-curve` or `--ablate`, which held-out games judge, without such games; `--ablate`
    /// of a parameter that is not there, or that has no free weight.
    fn check(&self, variables: &Variables) -> Result<()> {
        let settings = &self.run.settings;
        let by_search = settings.search == Search::Alone;
        // `--exact` sets the least gain to 0.
        if settings.least_gain <= 0.0
            && (settings.prior.is_none() || by_search || settings.solver.solver == Solver::Adam)
        {
            misuse!(
                "--exact: without a prior, by adam and by a local search alone a fit does not end \
                 where the data say no more; leave it out"
            );
        }
        let judged = [
            (self.learning_curve, "--learning-curve"),
            (!self.ablate.is_empty(), "--ablate"),
        ];
        let unjudged = judged.iter().find(|(wanted, _)| *wanted);
        if let Some((_, option)) = unjudged.filter(|_| settings.held_out <= 0.0) {
            misuse!(
                "{option}: compares fits on held-out games, of which --held-out {} leaves none; leave \
                 one of the two out",
                settings.held_out
            );
        }
        for name in &self.ablate {
            let mut groups = named(name, variables).peekable();
            if groups.peek().is_none() {
                let names = variables.groups.iter();
                let names: Vec<String> = names.map(|group| group.name.clone()).collect();
                let near = near(name, &names).join(" or ");
                misuse!("--ablate {name}: no parameter of that name; did you mean {near}?");
            }
            // The weights that the solver moves for themselves; others are frozen or follow one of
            // these.
            let roots = variables.reduction.roots();
            if !groups.any(|group| group.weights.iter().any(|weight| roots.contains(weight))) {
                misuse!(
                    "--ablate {name}: all its weights are frozen or follow others, so no fit is \
                     without it; leave it out"
                );
            }
        }
        Ok(())
    }
}

/// Returns the groups of weights, one a parameter, whose name is `name`, in which `*` is any text.
pub(super) fn named<'a>(
    name: &str,
    variables: &'a Variables,
) -> impl Iterator<Item = &'a WeightGroup> {
    let choice = Choice {
        only: vec![name.to_owned()],
        ..Choice::default()
    };
    let groups = variables.groups.iter();
    groups.filter(move |group| choice.takes_name(&group.name))
}
