//! The commands that a loop's steps are, and what can be wrong with them.

use super::fits::{K_FROM_ZERO, LAMBDA, can_refit};
use super::{LoopConfig, StepRunner};
use crate::Failure;

/// Fails if options of a loop make no sense together, or if the options that the user gives for
/// each fit (behind `--`) are not accepted by `fit`. It is called before anything is played.
pub(super) fn check(config: &LoopConfig, steps: &dyn StepRunner) -> Result<(), Failure> {
    if config.refits.is_some_and(|refits| refits > 0) && !can_refit(config) {
        misuse!(
            "--refits: other scores change nothing with --score-nodes 0 or --lambda 1; leave it out"
        );
    }
    if config.fit.iter().any(|word| word.starts_with("--rescore")) {
        misuse!("behind --: --rescore: `loop` itself scores positions, --refits times");
    }
    // A fit as the loop would run it, to see whether the program accepts it; the names of files in
    // it do not matter.
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

/// Returns the options that a loop gives a fit, names and values: the weights that it starts from
/// (`init`), the folder of its results (`out`), the part of the result in the target (`lambda`),
/// and in a loop from zero the scaling constant K, which is 1 there, unless the user gives one.
pub(super) fn fit_options(
    config: &LoopConfig,
    [init, out]: [String; 2],
    lambda: f64,
) -> Vec<(&'static str, String)> {
    // An option of the user may have its value in the same word, `--k=1`.
    let own = |option| {
        config
            .fit
            .iter()
            .any(|word| word.split('=').next() == Some(option))
    };
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

/// Returns the words of a command that is a step of a loop: the command, arguments that are not
/// options (`names`), options with their values, the number of threads if the loop has one, and
/// options without values (`flags`).
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
