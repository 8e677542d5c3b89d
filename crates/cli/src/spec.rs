//! `spec check`, `spec emit`, `spec schema`, `spec import`; `spec set` has a module of its own.

use std::collections::BTreeSet;
use std::path::Path;

use crate::spec_args::{ImportArgs, SpecCommand};
use crate::{output, spec_set, weights};
use tuner_base::joined;
use tuner_jobs::{JobResult as Result, Project, fail};
use tuner_spec::codegen::{Provenance, emit_as};
use tuner_spec::source::{Choice, LeftOutConst, Sources, import, merge};
use tuner_spec::{Spec, SpecDocument, markdown, schema, template};

/// Runs a command on specs. `project` returns the engine, or fails where there is none; it is
/// called only where a new spec is made of an evaluator's weights.
pub(crate) fn run<'p>(
    command: &SpecCommand,
    project: impl Fn() -> Result<&'p Project>,
) -> Result<()> {
    match command {
        SpecCommand::Check { spec } => {
            let found = Spec::load(spec)?;
            let layout = found.layout();
            say!(
                "{}: {} parameters, {} weights, {} of them frozen, {} tied; hash {}",
                spec.display(),
                layout.parameters().len(),
                layout.weights(),
                layout.weight_ids().filter(|&w| layout.frozen(w)).count(),
                layout.ties().len(),
                found.hash()
            );
            Ok(())
        }
        SpecCommand::Emit {
            spec,
            to,
            weights,
            output,
        } => {
            let source = spec;
            let spec = Spec::load(spec)?;
            let mut provenance = Provenance::default();
            let values = match weights {
                None => spec.layout().initial_counts().to_vec(),
                Some(path) => {
                    let name = path.file_name().unwrap_or(path.as_os_str());
                    provenance.file = Some(name.to_string_lossy().into_owned());
                    fitted(&spec, path)?
                }
            };
            let text = emit_as((*to).into(), &spec, &values, &provenance)?;
            put_beside(source, &text, output.as_deref())
        }
        SpecCommand::Init {
            name,
            output,
            force,
        } => {
            let text = match name {
                Some(name) => template(name),
                None => project()?.spec_of_evaluator()?,
            };
            // A text is not written if it makes no valid spec, as of a NAME that is not an
            // identifier.
            Spec::parse(Path::new("the new spec"), &text)?;
            if let Some(file) = output.as_deref().filter(|file| file.exists() && !force) {
                let words = "it is there already; nothing was written (--force writes over it)";
                fail!("{}: {words}", file.display());
            }
            put(&text, output.as_deref())
        }
        SpecCommand::Set(args) => spec_set::run(args),
        SpecCommand::Doc { spec, output } => {
            let source = spec;
            let spec = Spec::load(spec)?;
            put_beside(source, &markdown(&spec), output.as_deref())
        }
        SpecCommand::Schema => output::line(schema()),
        SpecCommand::Import(args) => imported(args),
    }
}

/// Returns the weights of a file, as counts of their steps in the order of the spec. The user is
/// told of weights that the file does not name, which have their initial values, and of a fit that
/// refused its weights, which are taken all the same.
fn fitted(spec: &Spec, path: &Path) -> Result<Vec<i64>> {
    // Only the summary of a fit can have refused its weights. A file that cannot be read is told of
    // below.
    if path.extension().is_some_and(|end| end == "json")
        && let Ok(summary) = weights::read_summary(path)
        && let Some(refused) = weights::refusal(&summary)
    {
        say!("{}: {refused}", path.display());
    }
    Ok(weights::counts(spec.layout(), path)?.0)
}

/// Writes the spec of sources, or with `--into` brings one up to date; says which consts were taken
/// and which not. Fails if the file is there with another text, unless `--force` is typed.
fn imported(args: &ImportArgs) -> Result<()> {
    let sources = Sources::read(&args.sources)?;
    let choice = Choice::from(&args.names);
    if let Some(spec) = &args.into {
        return merged(args, spec, &sources, &choice);
    }
    let found = import(&sources, &choice, &args.name)?;
    output::say_all(found.taken.iter().map(|one| format!("taken: {one}")));
    left_out(&found.passed, args.all);
    say!(
        "{} taken, {} left out; --only and --except choose by name",
        found.taken.len(),
        found.passed.len()
    );
    if let Some(file) = args.output.as_deref().filter(|file| file.exists())
        && !args.force
        && std::fs::read(file).ok().as_deref() != Some(found.text.as_bytes())
    {
        let file = file.display();
        fail!(
            "{file}: it is there already; nothing was written (--into {file} brings it up to \
             date, --force writes over it)"
        );
    }
    put(&found.text, args.output.as_deref())
}

/// Writes a text that was made of a spec to a file, or to standard output; fails if the file is the
/// spec itself.
fn put_beside(spec: &Path, text: &str, output: Option<&Path>) -> Result<()> {
    let whole = |file: &Path| file.canonicalize().ok();
    if let Some(file) = output
        && whole(file).is_some_and(|file| whole(spec) == Some(file))
    {
        let file = file.display();
        fail!("{file}: it is the spec itself; give another file");
    }
    put(text, output)
}

/// Most consts of a file that are named one by one where they are left out for one reason.
const NAMED: usize = 3;

/// Tells the user which consts `tuner spec import` takes for no weights. Those of a file that are
/// left out for one reason have one line if they are more than `NAMED` (3), with the names of the
/// first 3 and how many more there are. Those in files without annotations, where other files have
/// some (`is_elsewhere`), have one line in all if they are more than 3. Other consts have a line
/// each, and so has every const with `all`.
fn left_out(passed: &[LeftOutConst], all: bool) {
    let is_elsewhere = |one: &&LeftOutConst| one.is_elsewhere;
    let many = !all && passed.iter().filter(is_elsewhere).count() > NAMED;
    let is_summed = |one: &&LeftOutConst| many && one.is_elsewhere;
    // Consts by file and reason, in the order in which the first of each comes.
    let mut kinds: Vec<((&str, &str), Vec<&LeftOutConst>)> = Vec::new();
    for one in passed.iter().filter(|one| !is_summed(one)) {
        let key = (one.file.as_str(), one.reason.as_str());
        match kinds.iter_mut().find(|(known, _)| *known == key) {
            Some((_, of_kind)) => of_kind.push(one),
            None => kinds.push((key, vec![one])),
        }
    }
    for ((file, reason), of_kind) in kinds {
        if all || of_kind.len() <= NAMED {
            for one in of_kind {
                say!("left out: {one}");
            }
            continue;
        }
        let names = joined(of_kind.iter().take(NAMED).map(|one| &one.name), ", ");
        say!(
            "left out: {file}: {names} and {} more (--all names them), each {reason}",
            of_kind.len() - NAMED
        );
    }
    let elsewhere: Vec<&LeftOutConst> = passed.iter().filter(is_summed).collect();
    if !elsewhere.is_empty() {
        let files: BTreeSet<&str> = elsewhere.iter().map(|one| one.file.as_str()).collect();
        say!(
            "left out: consts in files that are not annotated: {} in {} (--all names them)",
            elsewhere.len(),
            files.len()
        );
    }
}

/// Brings a spec up to date with sources, and writes it over the old one, or where `--output` says.
/// Weights that the sources no longer have are treated as `--vanished` says.
fn merged(args: &ImportArgs, spec: &Path, sources: &Sources, choice: &Choice) -> Result<()> {
    let document = SpecDocument::load(spec)?;
    let found = merge(&document, sources, choice, args.vanished.into())
        .map_err(|error| format!("{error}\nnothing was written"))?;
    output::say_all(found.notes);
    left_out(&found.passed, args.all);
    put(&found.text, Some(args.output.as_deref().unwrap_or(spec)))
}

/// Writes a text to the file `output`, or, where it is `None`, to standard output.
fn put(text: &str, output: Option<&Path>) -> Result<()> {
    match output {
        Some(path) => output::file(path, text, "; nothing was written"),
        None => output::raw(text),
    }
}
