//! From what was typed to what is meant: the configuration of a run, all
//! defaults resolved, once.

use super::Failure;
use super::args::TraceFitArgs;
use super::args::{EngineFitArgs, FitArgs, PriorArg};
use super::fit::traces_prior as prior;
use super::fit::unknown_group;
use super::ranks::ranks;
use super::resolve::ResolveArg;
use tuner_base::available_memory;
use tuner_fit::run::{OptionsSnapshot, RunConfig, RunFiles, Variables};
use tuner_fit::{Anchor, LEAST_GAIN, Search, Settings};
use tuner_solve::{Options, Solver};
use tuner_spec::Layout;

pub(super) fn of_engine(
    args: &EngineFitArgs,
    variables: &Variables,
    layout: &Layout,
    options: OptionsSnapshot,
) -> Result<RunConfig, Failure> {
    if args.resolve_every.is_some() && args.data.resolve == ResolveArg::None {
        return Err("--resolve-every: nothing is resolved; add --resolve qsearch".into());
    }
    check(&args.fit, PriorArg::Evidence, variables)?;
    let anchor = anchor(&args.fit, variables, Some(layout))?;
    Ok(RunConfig {
        max_retraces: args.retrace,
        resolve_every: args.resolve_every.map(|every| every as usize),
        ..common(&args.fit, true, PriorArg::Evidence, anchor, options)
    })
}

pub(super) fn of_traces(
    args: &TraceFitArgs,
    variables: &Variables,
    layout: Option<&Layout>,
    options: OptionsSnapshot,
) -> Result<RunConfig, Failure> {
    check(&args.fit, prior(args), variables)?;
    let anchor = anchor(&args.fit, variables, layout)?;
    Ok(common(
        &args.fit,
        args.round || layout.is_some(),
        prior(args),
        anchor,
        options,
    ))
}

/// Fails, before the work, if an option has nothing to do.
/// `prior`: the one that is meant where none was typed.
fn check(args: &FitArgs, prior: PriorArg, variables: &Variables) -> Result<(), Failure> {
    args.objective.check()?;
    let without_prior = args.prior.unwrap_or(prior) == PriorArg::None;
    let by_search = args.solver.search() == Search::Alone;
    if args.exact && (without_prior || by_search || Solver::from(args.solver) == Solver::Adam) {
        return Err(Failure::Usage(
            "--exact: without a prior, by adam and by a local search alone a fit does not end \
             where the data say no more; leave it out"
                .to_owned(),
        ));
    }
    let judged = [
        (args.learning_curve, "--learning-curve"),
        (!args.ablate.is_empty(), "--ablate"),
    ];
    let unjudged = judged.iter().find(|(typed, _)| *typed);
    if let Some((_, option)) = unjudged.filter(|_| args.held_out <= 0.0) {
        return Err(Failure::Usage(format!(
            "{option}: compares fits on held-out games, of which --held-out {} leaves none; leave \
             one of the two out",
            args.held_out
        )));
    }
    for name in &args.ablate {
        let group = (variables.groups.iter()).find(|group| group.name == *name);
        let group = group.ok_or_else(|| unknown_group(name, variables))?;
        let roots = variables.reduction.roots();
        if !group.weights.iter().any(|weight| roots.contains(weight)) {
            return Err(Failure::Usage(format!(
                "--ablate {name}: all its weights are frozen or follow others, so no fit is \
                 without it; leave it out"
            )));
        }
    }
    Ok(())
}

/// What both have. `prior`: the one that is meant where none was typed.
fn common(
    args: &FitArgs,
    integers: bool,
    prior: PriorArg,
    anchor: Option<Anchor>,
    options: OptionsSnapshot,
) -> RunConfig {
    let search = args.solver.search();
    let defaults = Options::of(args.solver.into());
    let prior = args.prior.unwrap_or(prior);
    RunConfig {
        settings: Settings {
            k: args.k,
            loss: args.objective.loss,
            held_out: args.held_out,
            prior: prior.deviation(),
            prior_unit: None,
            anchor,
            solver: Options {
                iterations: args.max_iterations.unwrap_or(defaults.iterations),
                ..defaults
            },
            least_gain: if args.exact { 0.0 } else { LEAST_GAIN },
            integers: integers || search != Search::Promising,
            search,
            max_changed_branches: None, // told round by round
            memory: available_memory(),
        },
        prior_choice: prior.choice(),
        targets: (&args.objective).into(),
        init: args.init.clone(),
        prior_mean: args.prior_mean.clone(),
        files: Some(RunFiles {
            folder: args.out.clone(),
            weights: args.save_weights.map(Into::into),
            resume: args.resume,
            renamed: args.renamed.clone(),
            options,
        }),
        ranks: ranks(),
        ..RunConfig::default()
    }
}

fn anchor(
    args: &FitArgs,
    variables: &Variables,
    layout: Option<&Layout>,
) -> Result<Option<Anchor>, Failure> {
    let Some(anchor) = &args.anchor else {
        return Ok(None);
    };
    if args.solver.search() == Search::Alone {
        return Err(
            "--anchor: the integers of --solver local-search have no scale to change; take \
             --solver hybrid, which searches after a fit, or leave --anchor out"
                .into(),
        );
    }
    let (weight, value) = anchor.resolve(&variables.names, layout)?;
    Ok(Some(Anchor {
        weight,
        value,
        factor: None,
    }))
}
