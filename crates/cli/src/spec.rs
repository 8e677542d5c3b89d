//! `spec check`, `spec emit`, `spec schema`, `spec import`; `spec set` and `spec diff`
//! have modules of their own.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::args::{ImportArgs, SpecCommand};
use super::patch::read_summary;
use super::{Failure, output, spec_diff, spec_set};
use tuner_record::NamedValues;
use tuner_report::{SpecPageRecord, SpecParameterRecord, spec_page};
use tuner_spec::codegen::{Provenance, emit_as};
use tuner_spec::source::{Choice, LeftOutConst, Sources, import, merge};
use tuner_spec::{Parameter, Spec, SpecDocument, WeightId, markdown, schema, template};

pub(super) fn run(command: &SpecCommand) -> Result<(), Failure> {
    match command {
        SpecCommand::Check { spec } => {
            let found = Spec::load(spec)?;
            let layout = found.layout();
            say!(
                "{}: {} parameters, {} weights, {} of them frozen, {} tied; hash {}",
                spec.display(),
                layout.parameters().len(),
                layout.weights(),
                layout
                    .weight_ids()
                    .filter(|&weight| layout.frozen(weight))
                    .count(),
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
            check,
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
            match output {
                Some(file) if *check => same(file, &text),
                _ => put_beside(source, &text, output.as_deref()),
            }
        }
        SpecCommand::Init {
            name,
            output,
            force,
        } => {
            let text = template(name);
            Spec::parse(Path::new("the new spec"), &text)?;
            if let Some(file) = output.as_deref().filter(|file| file.exists() && !force) {
                let words = "it is there already; nothing was written (--force writes over it)";
                return Err(format!("{}: {words}", file.display()).into());
            }
            put(&text, output.as_deref())
        }
        SpecCommand::Set(args) => spec_set::run(args),
        SpecCommand::Diff(args) => spec_diff::run(args),
        SpecCommand::Doc { spec, output } => {
            let source = spec;
            let spec = Spec::load(spec)?;
            let is_page = |file: &PathBuf| file.extension().is_some_and(|end| end == "html");
            let text = match output {
                Some(file) if is_page(file) => spec_page(&page_record(&spec)),
                _ => markdown(&spec),
            };
            put_beside(source, &text, output.as_deref())
        }
        SpecCommand::Schema => output::line(schema()),
        SpecCommand::Import(args) => imported(args),
    }
}

/// The numbers of a file of weights, as counts of their steps; those that it does not name are the
/// initial ones, which is said.
fn fitted(spec: &Spec, path: &Path) -> Result<Vec<i64>, Failure> {
    let layout = spec.layout();
    if path.extension().is_some_and(|end| end == "json")
        && let Ok(summary) = read_summary(path)
        && let Some(worse) = spec_set::worse(&summary)
    {
        say!("{}: {worse}", path.display());
    }
    spec_set::counts(path, layout)
}

fn imported(args: &ImportArgs) -> Result<(), Failure> {
    let sources = Sources::read(&args.sources)?;
    let choice = Choice {
        only: args.only.clone(),
        except: args.except.clone(),
    };
    if let Some(spec) = &args.into {
        return merged(args, spec, &sources, &choice);
    }
    let found = import(&sources, &choice, &args.name)?;
    for sentence in &found.taken {
        say!("taken: {sentence}");
    }
    left_out(&found.passed, args.all);
    say!(
        "{} taken, {} left out; --only and --except choose by name",
        found.taken.len(),
        found.passed.len()
    );
    if let Some(file) = args.output.as_deref().filter(|file| file.exists())
        && !args.force
        && !is_text(file, &found.text)
    {
        let file = file.display();
        return Err(format!(
            "{file}: it is there already; nothing was written (--into {file} brings it up to \
             date, --force writes over it)"
        )
        .into());
    }
    put(&found.text, args.output.as_deref())
}

/// Whether a file holds a text already.
fn is_text(file: &Path, text: &str) -> bool {
    std::fs::read(file).is_ok_and(|found| found == text.as_bytes())
}

/// Writes what is made of a spec, never over the spec.
fn put_beside(spec: &Path, text: &str, output: Option<&Path>) -> Result<(), Failure> {
    let whole = |file: &Path| file.canonicalize().ok();
    if let Some(file) = output
        && whole(file).is_some_and(|file| whole(spec) == Some(file))
    {
        let file = file.display();
        return Err(format!("{file}: it is the spec itself; give another file").into());
    }
    put(text, output)
}

/// What a page says of a spec.
fn page_record(spec: &Spec) -> SpecPageRecord {
    let layout = spec.layout();
    let fact = |what: &str, words: String| (what.to_owned(), words);
    let frozen = layout.weight_ids().filter(|&w| layout.frozen(w)).count();
    let values = spec.values().unwrap_or("initial ones, not fitted");
    let parameter = |parameter: &Parameter| {
        let mut facts = Vec::new();
        let dims: Vec<String> = (parameter.dims().iter())
            .map(|dim| {
                dim.list()
                    .map_or_else(|| dim.len().to_string(), str::to_owned)
            })
            .collect();
        if !dims.is_empty() {
            facts.push(fact("shape", dims.join(" × ")));
        }
        let (low, high) = parameter.bounds();
        if low.is_finite() {
            facts.push(fact("bounds", format!("{low} to {high}")));
        }
        if !parameter.step().is_one() {
            facts.push(fact("step", parameter.step().size().to_string()));
        }
        if let Some(deviation) = parameter.prior() {
            facts.push(fact("prior", format!("± {deviation}")));
        }
        if let Some(smooth) = parameter.smooth() {
            facts.push(fact("neighbours", format!("± {}", smooth.deviation())));
        }
        if let Some(laplace) = parameter.laplace() {
            let to = if laplace.to_zero() {
                "0"
            } else {
                "initial values"
            };
            facts.push(fact("l1", format!("± {} toward {to}", laplace.deviation())));
        }
        if let Some(group) = parameter.group() {
            facts.push(fact("group", group.to_owned()));
        }
        let of_it = |weight: WeightId| parameter.weights().any(|own| own == weight);
        let tied = layout.ties().iter().filter(|tie| of_it(tie.weight)).count();
        let fixed = parameter.weights().filter(|&w| layout.frozen(w)).count();
        let ordered = (layout.constraints().iter())
            .filter(|row| row.terms.iter().any(|&(weight, _)| of_it(weight)))
            .count();
        for (what, count) in [
            ("tied", tied),
            ("frozen", fixed),
            ("orders and sums", ordered),
        ] {
            if count > 0 {
                facts.push(fact(what, count.to_string()));
            }
        }
        SpecParameterRecord {
            name: parameter.name().to_owned(),
            doc: parameter.doc().to_vec(),
            facts,
        }
    };
    let names = layout.weight_ids().map(|weight| layout.name(weight));
    SpecPageRecord {
        name: spec.name().to_owned(),
        facts: vec![
            fact("weights", layout.weights().to_string()),
            fact("unit", spec.unit().to_owned()),
            fact("tied", layout.ties().len().to_string()),
            fact("frozen", frozen.to_string()),
            fact("values", values.to_owned()),
            fact("hash", spec.hash().to_owned()),
        ],
        parameters: layout.parameters().iter().map(parameter).collect(),
        values: NamedValues(names.zip(layout.initial()).collect()),
    }
}

/// Most consts of a file that are named one by one where they are left out for one reason.
const NAMED: usize = 3;

/// Says what is left out: of many in a file, for one reason, how many; of files without
/// annotations, where others have some, one line.
fn left_out(passed: &[LeftOutConst], all: bool) {
    let is_elsewhere = |one: &&LeftOutConst| one.is_elsewhere;
    let many = !all && passed.iter().filter(is_elsewhere).count() > NAMED;
    let is_summed = |one: &&LeftOutConst| many && one.is_elsewhere;
    let mut kinds: Vec<((&str, &str), Vec<&LeftOutConst>)> = Vec::new();
    for one in passed.iter().filter(|one| !is_summed(one)) {
        // The reason may name a place in it.
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
        let names: Vec<&str> = (of_kind.iter().take(NAMED))
            .map(|one| one.name.as_str())
            .collect();
        say!(
            "left out: {file}: {} and {} more (--all names them), each {reason}",
            names.join(", "),
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

/// Brings a spec up to date with sources.
fn merged(
    args: &ImportArgs,
    spec: &Path,
    sources: &Sources,
    choice: &Choice,
) -> Result<(), Failure> {
    let document = SpecDocument::load(spec)?;
    let found = merge(&document, sources, choice, args.vanished.into())
        .map_err(|error| format!("{error}\nnothing was written"))?;
    for words in found.notes {
        say!("{words}");
    }
    left_out(&found.passed, args.all);
    put(&found.text, Some(args.output.as_deref().unwrap_or(spec)))
}

/// Fails if a file does not hold a text.
fn same(file: &Path, text: &str) -> Result<(), Failure> {
    let name = file.display();
    let found = std::fs::read_to_string(file).map_err(|error| format!("{name}: {error}"))?;
    if found == text {
        return Ok(());
    }
    let line = 1 + found
        .lines()
        .zip(text.lines())
        .take_while(|(a, b)| a == b)
        .count();
    Err(Failure::NotPassed(format!(
        "{name}:{line}: it is not what its spec says; without --check it is written anew"
    )))
}

fn put(text: &str, output: Option<&Path>) -> Result<(), Failure> {
    match output {
        Some(path) => output::file(path, text, "; nothing was written"),
        None => output::raw(text),
    }
}
