//! `check` and `trace`: production against trace.

use crate::check_args::{CheckArgs, TraceArgs};
use crate::output;
use tuner_jobs::{Job, JobResult as Result, Project};
use tuner_source::BodyLiterals;
use tuner_spec::source::{Sources, unified_diff};

/// Runs `check`: prints the summary, a diff of literals if `--consts` asks for it, and fails if
/// production and trace do not agree.
pub(crate) fn check(job: &Job, project: &Project, args: &CheckArgs) -> Result<()> {
    let data = (&args.agreement).into();
    let (summary, verdict) =
        tuner_jobs::check(job, project, &data, args.rebuild, !args.asymmetric)?;
    args.agreement.print.show(&summary)?;
    if args.consts {
        consts(project, &summary.constant_sites)?;
    }
    Ok(verdict?)
}

/// Prints a diff that makes consts of literals that join the score: those at `sites`, each written
/// as ``src/eval.rs:12: `15` ``, and those in functions that are called at `sites`. A site of
/// another form is passed over. A literal whose type is not seen in the source is only named.
fn consts(project: &Project, sites: &[String]) -> Result<()> {
    let sites = sites.iter().filter_map(|site| {
        let (at, text) = site.split_once(": `")?;
        let (file, line) = at.rsplit_once(':')?;
        Some((file, line.parse().ok()?, text.trim_end_matches('`')))
    });
    let sites: Vec<(&str, usize, &str)> = sites.collect();
    let sources = Sources::read(&project.file.sources)?;
    let texts: Vec<&str> = sources.texts().map(|(_, text)| text).collect();
    let mut count = 0;
    for (path, text) in sources.texts() {
        // A site in another file counts only as a call of a function of this file: it has line 0,
        // on which no literal is.
        let here = |file: &str, line| if path.ends_with(file) { line } else { 0 };
        let meant = sites.iter();
        let meant: Vec<_> = meant
            .map(|&(file, line, text)| (here(file, line), text))
            .collect();
        let (found, new) = BodyLiterals::named(&texts, text, &meant);
        let path = path.display().to_string().replace('\\', "/");
        for (line, text) in &found.untyped {
            say!("{path}:{line}: the type of `{text}` is not seen; write its const by hand");
        }
        if !found.names.is_empty() {
            output::raw(&unified_diff([&path, &path], text, &new))?;
        }
        count += found.names.len();
    }
    let next = if count == 0 {
        "nothing to change"
    } else {
        "with the change applied, `tuner spec import` takes them"
    };
    say!("literals to be consts: {count}; {next}");
    Ok(())
}

/// Runs `trace`: writes a file of traces and prints its summary.
pub(crate) fn trace(job: &Job, project: &Project, args: &TraceArgs) -> Result<()> {
    let summary = tuner_jobs::trace(job, project, &(&args.agreement).into(), &args.output)?;
    args.agreement.print.show(&summary)
}
