//! The commands that a loop's steps are, and what can be wrong with them.

use super::fits::{K_FROM_ZERO, LAMBDA, can_refit};
use super::{LoopConfig, StepRunner};
use crate::Failure;

/// Refuses options of the loop's steps that make no sense, before anything is played.
pub(super) fn check(config: &LoopConfig, steps: &dyn StepRunner) -> Result<(), Failure> {
    if config.refits.is_some_and(|refits| refits > 0) && !can_refit(config) {
        misuse!(
            "--refits: other scores change nothing with --score-nodes 0 or --lambda 1; leave it out"
        );
    }
    if config.fit.iter().any(|word| word.starts_with("--rescore")) {
        misuse!("behind --: --rescore: `loop` itself scores positions, --refits times");
    }
    let options = fit_options(config, ["spec", "fit"].map(str::to_owned), LAMBDA);
    let flags = [&FIT_FLAGS[..], &["--resume"]].concat();
    let mut words = step_words(config, "fit", &["games"], &options, &flags);
    words.extend(config.fit.iter().cloned());
    steps.check(&words).map_err(|error| {
        Failure::Usage(format!(
            "behind --: {error}\n`loop` itself gives each fit --init, --out, --lambda, --threads and {}",
            flags.join(" ")
        ))
    })
}

/// Flags of each fit.
pub(super) const FIT_FLAGS: [&str; 4] = ["--quiet", "--write-worse", "--fast-games", "0"];

/// The options that a loop gives a fit, names and values: the weights of its start, the folder of
/// its results, lambda, and K of a loop from zero, unless the user gives one.
pub(super) fn fit_options(
    config: &LoopConfig,
    [init, out]: [String; 2],
    lambda: f64,
) -> Vec<(&'static str, String)> {
    let own = |option: &str| config.fit.iter().any(|word| word.starts_with(option));
    let mut options = vec![
        ("--init", init),
        ("--out", out),
        ("--lambda", lambda.to_string()),
    ];
    if config.from == "zero" && !own("--k") {
        options.push(("--k", K_FROM_ZERO.to_owned()));
    }
    options
}

/// The words of a step: the command, arguments without a name (`names`), options with values, the
/// threads of the loop, and flags.
pub(super) fn step_words(
    config: &LoopConfig,
    command: &str,
    names: &[&str],
    options: &[(&str, String)],
    flags: &[&str],
) -> Vec<String> {
    let mut words = vec![command];
    words.extend(names);
    words.extend(options.iter().flat_map(|(name, value)| [*name, value]));
    let threads = config.threads.map(|threads| threads.to_string());
    words.extend(threads.iter().flat_map(|threads| ["--threads", threads]));
    words.extend(flags);
    words.into_iter().map(str::to_owned).collect()
}
