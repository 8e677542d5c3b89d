//! From what was typed to what is meant: the configuration of a run, all
//! defaults resolved, once.

use super::Failure;
use super::args::{FitArgs, PriorArg, ResolveArg};
use super::ranks::ranks;
use super::scale;
use tuner_engine::LinkedSpec;
use tuner_fit::run::{OptionsSnapshot, RunConfig, RunFiles, Variables};
use tuner_fit::{Anchor, LEAST_GAIN, Search, Settings};
use tuner_solve::{Options, Solver};
use tuner_spec::Spec;

/// The input of a fit of an engine: the spec with the weights that were chosen, the
/// variables, and the configuration.
pub(super) fn of_engine(
    linked: LinkedSpec,
    args: &FitArgs,
    options: OptionsSnapshot,
) -> Result<(LinkedSpec, Variables, RunConfig), Failure> {
    let choice = args.choice.choice(linked.spec.layout(), &args.init)?;
    let linked = linked.choose(choice);
    let linked = linked.map_err(|error| Failure::Usage(format!("--{error}")))?;
    let variables = linked.variables()?;
    let prior = args.prior.unwrap_or(PriorArg::Evidence);
    let config = config(args, &variables, Some(&linked.spec), prior, true, options)?;
    Ok((linked, variables, config))
}

/// The configuration of a run; `integers`: whether weights are rounded in any case.
pub(super) fn config(
    args: &FitArgs,
    variables: &Variables,
    spec: Option<&Spec>,
    prior: PriorArg,
    integers: bool,
    options: OptionsSnapshot,
) -> Result<RunConfig, Failure> {
    if args.resolve_every.is_some() && args.data.resolve == ResolveArg::None {
        return Err("--resolve-every: nothing is resolved; add --resolve qsearch".into());
    }
    check(args, prior, variables)?;
    let search = args.solver.search();
    let defaults = Options::of(args.solver.into());
    Ok(RunConfig {
        settings: Settings {
            k: args.k,
            loss: args.objective.loss,
            held_out: args.held_out,
            prior: prior.deviation(),
            prior_unit: None,
            anchor: anchor(args, variables, spec)?,
            solver: Options {
                iterations: args.max_iterations.unwrap_or(defaults.iterations),
                ..defaults
            },
            least_gain: if args.exact { 0.0 } else { LEAST_GAIN },
            integers: integers || search != Search::Promising,
            search,
            max_changed_branches: None, // told round by round
            memory: None,               // told once there are rows
        },
        prior_choice: prior.choice(),
        targets: (&args.objective).into(),
        init: args.init.clone(),
        prior_mean: args.prior_mean.clone(),
        max_retraces: args.retrace,
        resolve_every: args.resolve_every.map(|every| every as usize),
        files: Some(RunFiles {
            folder: args.out.clone(),
            weights: args.save_weights.map(Into::into),
            resume: args.resume,
            renamed: args.renamed.clone(),
            options,
        }),
        ranks: ranks(),
    })
}

/// Fails, before the work, if an option has nothing to do.
fn check(args: &FitArgs, prior: PriorArg, variables: &Variables) -> Result<(), Failure> {
    args.objective.check()?;
    let by_search = args.solver.search() == Search::Alone;
    if args.exact
        && (prior == PriorArg::None || by_search || Solver::from(args.solver) == Solver::Adam)
    {
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
        let group = group.ok_or_else(|| {
            let names: Vec<String> = (variables.groups.iter())
                .map(|group| group.name.clone())
                .collect();
            Failure::Usage(format!(
                "--ablate {name}: no parameter of that name; did you mean {}?",
                scale::near(name, &names).join(" or ")
            ))
        })?;
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

fn anchor(
    args: &FitArgs,
    variables: &Variables,
    spec: Option<&Spec>,
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
    let (weight, value) = anchor.resolve(&variables.names, spec.map(Spec::layout))?;
    Ok(Some(Anchor {
        weight,
        value,
        factor: None,
    }))
}
