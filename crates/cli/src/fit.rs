//! `fit`: from positions, or from rows made elsewhere, to weights.

use std::path::Path;
use std::time::Instant;

use crate::fit_args::FitArgs;
use crate::output::Screen;
use crate::shared_args::word;
use crate::timings;
use tuner_base::shell_word;
use tuner_data::Input;
use tuner_fit::run::OptionsSnapshot;
use tuner_jobs::{
    FitInput, Job, JobFailure as Failure, JobResult as Result, Project, StepRunner, fit, misuse,
};
use tuner_report::{terminal_styled, verdict_lines};
use tuner_rows::import::RowsFile;

/// Tells whether a file, or standard input (`-`), holds rows that were made elsewhere and begins
/// with a head, which names the weights.
fn is_rows(file: &Path) -> bool {
    RowsFile::has_head(&Input::from_argument(file))
}

/// Returns the usage error of `--to`, the language of code to write, for a fit that writes none: of
/// rows whose weights have no names, or of the engine of `project`. Its text has the command that
/// writes code. `to`: the language that was typed.
fn code_is_refused(project: Option<&Project>, to: &str) -> Failure {
    let Some(project) = project else {
        return Failure::usage(
            "--to: code needs a spec, which tells the names and shapes of weights; give it by \
             --spec (`tuner spec init engine -o engine.toml` writes one to begin with, \
             docs/spec.md explains it), or leave --to out: weights.txt has a line for each column",
        );
    };
    let (spec, first) = match &project.file.spec {
        Some(spec) => (shell_word(spec), ""),
        None => (
            "engine.toml".to_owned(),
            "`tuner spec init -o engine.toml` and ",
        ),
    };
    Failure::Usage(format!(
        "--to: is for rows that were made elsewhere; after the fit of an engine {first}`tuner \
         spec emit {spec} --weights tuner-run/weights.txt --to {to}` write them"
    ))
}

/// Fits the weights of an engine, or of rows that were made elsewhere, and prints the result. Rows
/// are fitted where there is no engine (`project`), or where the data are one file of rows that
/// names its weights. `options`: those that a resumed fit must repeat; `steps` runs commands that
/// the fit needs; `is_step`: whether the fit is a step of a loop, whose standard output is not for
/// the fit's words.
pub(crate) fn run(
    job: &Job,
    project: Option<&Project>,
    args: &FitArgs,
    options: OptionsSnapshot,
    steps: &dyn StepRunner,
    is_step: bool,
) -> Result<()> {
    let begun = Instant::now();
    let is_of_rows = matches!(&args.data.data[..], [file] if is_rows(file));
    // Code needs names of weights: those of a spec, or of the head of a file of rows.
    if let Some(to) = args.to.filter(|_| args.spec.is_none() && !is_of_rows) {
        return Err(code_is_refused(project, &word(&to).unwrap_or_default()));
    }
    let result = if let Some(project) = project.filter(|_| !is_of_rows) {
        if args.round {
            misuse!("--round: is for rows that were made elsewhere; leave it out");
        }
        // `true`: the weights of an engine have names.
        let config = args.config(options, true)?;
        fit(job, FitInput::Engine(project), config, steps)?
    } else {
        let rows = args.rows(project.is_some())?;
        let is_named = rows.spec.is_some() || is_rows(&rows.file);
        let config = args.config(options, is_named)?;
        fit(job, FitInput::Rows(&rows, project), config, steps)?
    };
    args.print.show(&result.record)?;
    let screen = if args.print.json || is_step {
        Screen::error()
    } else {
        Screen::output()
    };
    let record = &result.record;
    screen.print(&if args.quiet {
        verdict_lines(record).join("\n") + "\n"
    } else {
        // A fit that failed says what to do in its failure.
        let next = (result.end.as_ref()).map_or(&[][..], |()| &result.next);
        terminal_styled(record, screen.width, &screen.styles, next)
    })?;
    if args.timings {
        let words = timings::words(begun.elapsed(), &result.phases);
        say!("{}", words.trim_end());
    }
    result.end
}
