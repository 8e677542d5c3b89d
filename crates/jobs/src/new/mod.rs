//! `new`: what an engine needs to be tuned, written into its folder.
//!
//! Everything is read and made in memory first; where anything is amiss, nothing is written.
//! `manifest` edits the engine's Cargo.toml, `modules` has its files and what they declare,
//! `evaluation` says how its functions are called, `reach` which files it reads weights in,
//! `shakmaty` whether its positions are the library's; `program` is the text of the evaluator,
//! `settings` that of tuner.toml; `without_tuner` is what builds of the engine alone need; `cpp` is
//! all of it for an engine in C++; `changes` is what would be written, and `clone` where Tuner is.
//!
//! Then the `conversation` with the `compiler`: what the macros ask for is written as
//! `annotations` of files, which consts are `counts` is guessed by names and uses.

mod annotations;
mod changes;
mod clone;
mod compiler;
mod conversation;
mod counts;
mod cpp;
mod distant;
mod entry;
mod evaluation;
mod foreign;
mod manifest;
mod modules;
mod program;
mod reach;
mod settings;
mod shakmaty;
mod without_tuner;

use std::path::{Component, Path, PathBuf};

use crate::copies::{manifest_in_copy, root_of};
use crate::failure::AtPath as _;
use crate::{Failure, Job, Result};
use annotations::Annotation;
use changes::Change;
use clone::{page, relative};
use compiler::{Compiler, Mistake};
use evaluation::Evaluation;
use foreign::Foreign;
use manifest::{Dependency, Manifest};
use modules::Modules;
use tuner_base::{shell_word, write_if_changed};
use tuner_data::Perspective;
use tuner_source::{Reader, in_a_thread};
use tuner_spec::source::{Choice, Imported, Sources, import};

/// What an engine needs to be tuned.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "a flag is a bool")]
pub struct NewConfig {
    /// The folder of the engine's Cargo.toml; with `cpp`, that of its sources.
    pub engine: PathBuf,
    /// Whether the engine is in C++.
    pub cpp: bool,
    /// What the evaluation's positions are.
    pub board: Board,
    /// The function that scores a position, by its path, or an expression of `pos`.
    pub evaluate: String,
    /// The path of the function that makes a position of a text, for a board of the engine's own;
    /// `None` where the evaluation takes a text.
    pub from_text: Option<String>,
    /// Whose view the scores have.
    pub perspective: Perspective,
    /// Files through which scores go, beside those of the evaluation's module.
    pub trace: Vec<PathBuf>,
    /// The clone of Tuner's repository, if it is not the one of this program.
    pub tuner: Option<PathBuf>,
    /// Name of the evaluator's folder, in that of the engine.
    pub out: String,
    /// Whether nothing is written.
    pub dry_run: bool,
    /// Whether the compiler is not asked what else is to be annotated.
    pub no_check: bool,
    /// Whether what would be written is returned as a diff.
    pub diff: bool,
}

impl NewConfig {
    /// Returns the engine's folder as paths begin with it: an empty path where it is the current
    /// folder, so that paths do not begin with `./`.
    fn engine(&self) -> &Path {
        if self.engine == Path::new(".") {
            Path::new("")
        } else {
            &self.engine
        }
    }
}

/// What positions are, from where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Board {
    /// `shakmaty::Chess`.
    Shakmaty,
    /// `cozy_chess::Board`.
    CozyChess,
    /// `tuner_shogi::Position`.
    Shogi,
    /// The engine's own type.
    Own,
}

/// Files: path and text of each.
type Texts = Vec<(PathBuf, String)>;

/// The annotation of a file, in its last lines.
const TRACED: &str = "\n#[cfg(feature = \"tune\")]\ntuner_core::traced!();\n";

/// The function by which the evaluator gets the list of weights, for the root of the library.
const REGISTRY: &str = "
/// The weights that are tuned.
#[cfg(feature = \"tune\")]
pub fn registry() -> &'static tuner_core::trace::Registry {
    tuner_core::registry!()
}
";

/// The text of the evaluator's `.gitignore`, which leaves out builds.
const IGNORED: &str = "/target\n";

/// How many consts are named one by one at most.
const NAMED: usize = 12;

/// Writes what an engine needs to be tuned: annotations, an evaluator, tuner.toml and a spec; of an
/// engine in C++ a header, an evaluator and tuner.toml. Returns the changes as a diff if a dry run
/// is asked for one, and otherwise an empty text. `game`: `chess` or `shogi` for a board of the
/// engine's own; `None`: chess.
///
/// # Errors
/// If the engine cannot be read, something is amiss with what was named, or mistakes are left
/// that only the author can decide.
pub fn new_engine(job: &Job, config: &NewConfig, game: Option<&str>) -> Result<String> {
    if config.cpp {
        return cpp::run(job, config);
    }
    // The parser of Rust may recurse deeply, which needs a larger stack than usual.
    let writing = || written(job, config, game);
    in_a_thread(writing).unwrap_or_else(|| Err("the parser did not start, or failed".into()))
}

/// Finds the evaluation that `--evaluate` names. Where that is an expression of `pos` and not a
/// path, a function with this expression is first written into the engine's sources, in memory.
/// `foreign`: the type of positions, if another crate has it; `arguments`: the generic arguments of
/// that type, such as `<Standard>`, or empty. Fails where the evaluation is not found, or reads
/// numbers that are included as bytes, in which no weight is seen.
fn found(
    config: &NewConfig,
    modules: &mut Modules,
    foreign: Option<&Foreign>,
    arguments: &str,
) -> Result<Evaluation> {
    let mut entry = config.clone();
    // A path has no parenthesis; an expression does.
    if config.evaluate.contains('(') {
        entry.evaluate = entry::write(config, modules, foreign, arguments)?;
    }
    let mut evaluation = Evaluation::find(&entry, modules, foreign)?;
    // The generic arguments were taken out of the path that `--from-text` names.
    if let Some(position) = &mut evaluation.position {
        *position += &entry::prefixed(arguments, "$LIBRARY::", modules);
    }
    let blobs = reach::blobs(modules, &evaluation);
    if blobs.is_empty() {
        Ok(evaluation)
    } else {
        Err(nothing_written(&blobs))
    }
}

/// Makes all that an engine in Rust needs to be tuned in memory, asks the compiler, then writes all
/// files. Returns the changes as a diff where `--diff` asks for it, else an empty text. `game`:
/// `chess` or `shogi` for a board of the engine's own; `None`: chess.
///
/// In order: what was named is found in the engine's sources; files are annotated; manifest,
/// program and settings of the evaluator are made; the compiler is asked what else is to be
/// annotated, which writes for a time into the engine, or into a copy of it for `--dry-run`; the
/// spec is made of the weights that there are then.
fn written(job: &Job, config: &NewConfig, game: Option<&str>) -> Result<String> {
    let is_shogi = is_shogi(config, game)?;
    let mut config = config.clone();
    let arguments = config.from_text.as_mut().map(entry::take_arguments);
    let (config, arguments) = (&config, arguments.unwrap_or_default());
    let engine = config.engine();
    let manifest = Manifest::read(engine)?;
    let folder = engine.join(&config.out);
    let settings_file = engine.join(settings::FILE);
    let clone = clone::folder(config)?;
    if config.board == Board::Shakmaty {
        shakmaty::check(&manifest, &clone)?;
    }
    let mut modules = Modules::read(engine, &manifest)?;
    let before = texts_at(modules.files.iter().map(|file| &file.path));
    if config.no_check {
        // All calls of `traced!` are the author's.
        let files = modules.files.iter().enumerate();
        let traced = files.filter(|(_, file)| annotations::is_traced(&file.text));
        modules.own.extend(traced.map(|(number, _)| number));
    } else {
        modules.forget(|path| copy_of(config, path))?;
    }
    let foreign = Foreign::named(config, &manifest);
    let evaluation = found(config, &mut modules, foreign.as_ref(), &arguments)?;
    annotate(config, &mut modules, &evaluation)?;
    let program_with_macros = without_tuner::define(job, &mut modules, &manifest, engine);
    let spec_name = manifest.package.replace('-', "_");
    let spec = spec_file(&spec_name);
    // A first import, whose result is not used: it fails early where there are no weights.
    imported(&modules, &spec_name)?;

    let program = program::Program {
        name: &manifest.package,
        library: &manifest.library,
        board: config.board,
        is_shogi,
        perspective: config.perspective,
        evaluation: &evaluation,
        start: modules.called_first(engine),
    };
    let from_engine = relative(engine, &clone)?;
    let packages = |in_copy: bool| {
        // In a copy of the engine, for a dry run, relative paths to Tuner's clone and to crates
        // that are not copied with it would lead elsewhere, so they are absolute there.
        let copied = in_copy.then(|| root_of(engine));
        let whole = in_copy.then(|| clone.canonicalize()).transpose()?;
        let clone = whole.map_or_else(|| from_engine.clone(), |path| path.display().to_string());
        let dependency = dependency(config, &manifest, foreign.as_ref(), copied.as_deref());
        packages(config, &manifest, &program, &dependency, &clone)
    };
    let protocol = if is_shogi { "usi" } else { "uci" };
    // The evaluator has no rules of a board of the engine's own, so that it cannot play games; the
    // engine's own program does, if it has one.
    let plays = config.board == Board::Own && modules::program(engine).is_some();
    let (sources, evaluator) = (&modules.folder, program.package());
    // `own`: the engine's Cargo.toml, the files of the evaluator, and tuner.toml. Those that are as
    // they are to be already (`unchanged`) are not named to the user.
    let mut own = packages(false)?;
    own.push((
        settings_file,
        settings::text(&spec, sources, &config.out, &evaluator, protocol, plays),
    ));
    are_new(config, &folder, &own)?;
    let own_before = texts_at(own.iter().map(|(path, _)| path));
    let unchanged: Vec<PathBuf> = (own.iter().zip(&own_before))
        .filter(|((_, text), before)| before.as_ref() == Some(text))
        .map(|((path, _), _)| path.clone())
        .collect();

    // `left`: mistakes that only the author can decide.
    let asked = if config.no_check {
        Ok(Vec::new())
    } else {
        asked(job, config, &mut modules, &manifest, &evaluation, &packages)
    };
    let asked = asked.and_then(|left| Ok((left, self::imported(&modules, &spec_name)?)));
    let (left, imported) = asked.inspect_err(|_| {
        // What was written to ask the compiler is taken back; a dry run wrote into a copy only.
        if !config.no_check && !config.dry_run {
            restore(own.iter().map(|(path, _)| path).zip(&own_before));
            restore(modules.files.iter().map(|file| &file.path).zip(&before));
        }
    })?;
    let mut writes = own;
    writes.extend(program_with_macros);
    let files = modules.files.iter();
    let texts = files.map(|file| (file.path.clone(), manifest.with_feature(&file.text)));
    let changed = texts.zip(&before);
    let changed = changed.filter(|((_, text), before)| before.as_ref() != Some(text));
    // The engine's sources are written after its Cargo.toml, which is first, and before the files
    // of the evaluator.
    writes.splice(1..1, changed.map(|(file, _)| file));
    let is_new = left.is_empty() && !engine.join(&spec).exists();
    writes.extend(is_new.then(|| (engine.join(&spec), imported.text.clone())));
    let diff = if config.dry_run {
        show(job, config.diff, &writes)
    } else {
        write(job, config, &writes, &unchanged)?;
        if !config.no_check {
            remember(config, &modules, !left.is_empty())?;
        }
        String::new()
    };
    say_weights(job, &imported, &modules, &left);
    if !left.is_empty() {
        return Err(undecided(config, &left, &from_engine).into());
    }
    if !config.dry_run {
        let spec = (&*spec, is_new);
        say_next(job, config, &manifest, &from_engine, &modules.folder, spec);
    }
    Ok(diff)
}

/// Returns the name of the spec's file for an engine called `name`: `NAME.toml`, but `weights.toml`
/// where that would be tuner.toml, the file of the settings.
fn spec_file(name: &str) -> String {
    match format!("{name}.toml") {
        taken if taken == settings::FILE => "weights.toml".to_owned(),
        own => own,
    }
}

/// Returns the line of the evaluator's Cargo.toml for the crate that the board comes from; empty
/// where Tuner's crates or the engine itself have it. `copied`: for a dry run the folder that is
/// copied, outside of which paths in the line are absolute.
fn dependency(
    config: &NewConfig,
    manifest: &Manifest,
    foreign: Option<&Foreign>,
    copied: Option<&Path>,
) -> String {
    let line = |found: &Dependency| found.elsewhere(config.engine(), copied);
    if config.board == Board::CozyChess {
        // Where the engine itself does not depend on the crate, its version 0.3 is taken.
        let own = manifest.dependency("cozy-chess");
        let own = own.map_or_else(|| "\"0.3\"".to_owned(), |found| line(&found));
        return format!("cozy-chess = {own}\n");
    }
    foreign.map_or_else(String::new, |found| {
        let (name, dependency) = &found.dependency;
        format!("{name} = {}\n", line(dependency))
    })
}

/// Returns the failure of a command that found these mistakes and wrote nothing.
fn nothing_written(mistakes: &[String]) -> Failure {
    format!("{}\nnothing was written", mistakes.join("\n")).into()
}

/// Compiles the engine with its traced twin, and annotates files and consts until the compiler and
/// the macros find no mistake that an annotation cures. Then compiles the evaluator. Returns the
/// mistakes that are left to the author. A dry run works in a copy of the engine. `packages` makes
/// the engine's Cargo.toml, which is first, and the files of the evaluator, for a copy of the
/// engine if its argument is `true`, or else for its own folder.
fn asked(
    job: &Job,
    config: &NewConfig,
    modules: &mut Modules,
    manifest: &Manifest,
    evaluation: &Evaluation,
    packages: &dyn Fn(bool) -> Result<Texts>,
) -> Result<Vec<Mistake>> {
    let engine = config.engine();
    let here = Path::new(".").join(engine);
    // From here on the sources are changed, so Ctrl-C must not end the process before they are
    // restored.
    job.observer.listen()?;
    let copy = config.dry_run.then(tempfile::tempdir).transpose()?;
    let (at, texts) = match &copy {
        Some(copy) => {
            // The first is the engine's Cargo.toml, whose relative paths may lead out of the copy.
            let mut texts = packages(true)?;
            let (path, text) = &mut texts[0];
            *text = manifest_in_copy(path, std::mem::take(text));
            (crate::copy_sources(&here, copy.path())?, texts)
        }
        None => (here, packages(false)?),
    };
    for (path, text) in texts {
        put(&at.join(path.strip_prefix(engine).unwrap_or(&path)), &text)?;
    }
    let compiler = Compiler {
        job,
        folder: &at,
        evaluator: format!("{}/Cargo.toml", config.out),
        package: &manifest.package,
        own: String::new(),
    };
    job.say("asking the compiler which files and consts belong to the evaluation");
    let mut talk = conversation::of(job, modules, compiler, manifest, engine, evaluation);
    let left = talk.run()?;
    if !left.is_empty() {
        // `of_entry`: mistakes of the compiler itself in the function that was written for an
        // expression. What the macros say follows from these, and is left out.
        let (mut of_entry, left): (Vec<Mistake>, _) = left
            .into_iter()
            .partition(|one| is_of_entry(one, talk.modules));
        if let Some(first) = of_entry.first_mut() {
            if config.board == Board::Own && config.from_text.is_none() {
                first.text += "; without --from-text, which names the function that makes a position of a \
                               text, `pos` is that text, `&str`";
            }
            return Ok(of_entry);
        }
        return Ok(match distant::cause(talk.modules, &left) {
            Some(cause) => vec![cause],
            None => left,
        });
    }
    // The library is right, so the evaluator's program is checked too.
    let left = talk.compiler.check(&[])?;
    // Whether a mistake is in the evaluator's program, and about types or names of the twin.
    let is_of_twin = |one: &Mistake| {
        one.text.starts_with("src/main.rs:")
            && (one.text.contains("`__traced_") || one.text.contains("mismatched types"))
    };
    Ok(match &evaluation.position {
        // A field of the board is a score: then the board has a twin, on which the traced
        // evaluation is a method, and the evaluator makes the board that production has.
        Some(position) if !left.is_empty() && left.iter().all(is_of_twin) => {
            let position = position.trim_start_matches("$LIBRARY::");
            let name = position.rsplit("::").next().unwrap_or(position);
            vec![Mistake {
                text: format!(
                    "`{position}` has a twin, as a field of it is a score, and the evaluator has production's; \
                     write `traced!(untraced({name}))` in its file, and where the evaluation reads the field \
                     `tuner_core::traced_as!(board.FIELD => FROM_SCRATCH)`"
                ),
                ..Mistake::default()
            }]
        }
        _ => left,
    })
}

/// Tells whether a mistake was found by the compiler itself, not by a macro, and is in the function
/// `score_for_tuner`, which `new` wrote for an expression that `--evaluate` gives.
fn is_of_entry(mistake: &Mistake, modules: &Modules) -> bool {
    let seen = mistake.seen.as_ref().filter(|_| mistake.place.is_none());
    seen.is_some_and(|(path, line)| {
        let mut all = modules.model.readers.all.iter();
        // The line of the function's head, and the next one, which has the expression.
        let is_it = |one: &Reader| (one.location.0..one.location.0 + 2).contains(line);
        all.any(|one| {
            one.name == entry::NAME && modules.file_at(path) == Some(one.file) && is_it(one)
        })
    })
}

/// Reads the texts of files, in their order; `None` for a file that is not there or cannot be read.
fn texts_at<'p>(paths: impl Iterator<Item = &'p PathBuf>) -> Vec<Option<String>> {
    let texts = paths.map(|path| std::fs::read_to_string(path).ok());
    texts.collect()
}

/// Makes files as they were before the compiler was asked, after that failed. `before`: pairs of
/// the path of a file and its text before, `None` if it was not there.
fn restore<'p>(before: impl Iterator<Item = (&'p PathBuf, &'p Option<String>)>) {
    for (path, text) in before {
        // A failure is passed over: the caller returns why the compiler could not be asked, and a
        // second failure would hide that. `Unchanged` is not used; it gives both arms one type.
        let _ = match text {
            Some(text) => tuner_base::write_if_changed(path, text),
            None => std::fs::remove_file(path).map(|()| tuner_base::Written::Unchanged),
        };
    }
}

/// Returns the message on the mistakes that are left to the author: a line for each, and what to do
/// then. `clone`: the path of Tuner's repository from the engine's folder.
fn undecided(config: &NewConfig, left: &[Mistake], clone: &str) -> String {
    // That there are no weights follows from mistakes about their tables, if there are any, and is
    // then left out.
    let follows = |mistake: &&Mistake| mistake.text.contains(distant::NO_WEIGHTS);
    let (follow, causes): (Vec<&Mistake>, Vec<&Mistake>) = left.iter().partition(follows);
    let left = if causes.is_empty() { follow } else { causes };
    let lines = left.iter().map(|mistake| format!("  {}\n", mistake.text));
    let rest = if config.dry_run {
        "nothing was written"
    } else {
        "the rest is written"
    };
    let count = match left.len() {
        1 => "one mistake is".to_owned(),
        count => format!("{count} mistakes are"),
    };
    format!(
        "{count} left that only you can decide; {rest}:\n{}cure them, and say `tuner new` with the \
         same words again ({clone}/docs/existing-engine.md has a table of cures)",
        lines.collect::<String>()
    )
}

/// Reads the weights of the engine's files as a spec called `name`. The files are those in memory,
/// with all annotations that are still to be written. Errors have the cures of `tuner new`, which
/// differ from those of `spec import`.
fn imported(modules: &Modules, name: &str) -> Result<Imported> {
    let texts = modules.files.iter();
    let sources = Sources::of(texts.map(|file| (file.path.clone(), file.text.clone())))?;
    import(&sources, &Choice::default(), name).map_err(|error| {
        let error = error.to_string();
        // The import's own cures are for `spec import`.
        let (what, cure) = match error.split_once("; rename one of the two") {
            Some((twice, _)) => (
                twice,
                "rename one of the two, or write `traced!(frozen(NAME))` at the end of its file if it is no weight",
            ),
            None => (
                &*error,
                "name the files of the tables and terms with --trace, which is repeated for each",
            ),
        };
        format!("{what}\nnothing was written; {cure}").into()
    })
}

/// Makes the engine's Cargo.toml, which is the first, and the files of the evaluator: path and text
/// of each. `dependency`: the line of the evaluator's Cargo.toml for the crate of the board, or
/// empty; `clone`: the path of Tuner's repository, from the engine's folder or absolute.
fn packages(
    config: &NewConfig,
    manifest: &Manifest,
    program: &program::Program<'_>,
    dependency: &str,
    clone: &str,
) -> Result<Texts> {
    let engine = config.engine();
    let folder = engine.join(&config.out);
    // The evaluator's folder is one level below that of the engine.
    let from_folder = if Path::new(clone).is_absolute() {
        clone.to_owned()
    } else {
        format!("../{clone}")
    };
    let package = program
        .manifest(&from_folder, dependency)
        .replace("$FEATURE", manifest.feature());
    let mut texts = vec![
        (engine.join("Cargo.toml"), manifest.with_tuner(clone)?),
        (folder.join("Cargo.toml"), package),
        (folder.join("src/main.rs"), program.main()),
    ];
    let notation = program.notation();
    texts.extend(notation.map(|text| (folder.join("src/notation.rs"), text)));
    texts.push((folder.join(".gitignore"), IGNORED.to_owned()));
    // By this file git leaves out the results of fits; one that is there already stays as it is.
    let runs = engine.join("tuner-run/.gitignore");
    if !runs.exists() {
        texts.push((runs, "*\n".to_owned()));
    }
    Ok(texts)
}

/// Tells whether positions are of shogi, by `--game` and `--board`; fails where `--game` names a
/// game that is not the board's, or neither chess nor shogi.
fn is_shogi(config: &NewConfig, game: Option<&str>) -> Result<bool> {
    match (game, config.board) {
        (Some("shogi"), Board::Own | Board::Shogi) | (None, Board::Shogi) => Ok(true),
        (Some("chess"), Board::Own | Board::Shakmaty | Board::CozyChess) | (None, _) => Ok(false),
        (Some(other), Board::Own) => misuse!(
            "--game: found {other}, expected chess or shogi; {} has an example of any other",
            page(config, "other-games.md")
        ),
        _ => misuse!("--game is for --board own; the other boards are of one game"),
    }
}

/// Fails if an evaluator or a tuner.toml would be replaced that somebody else wrote. `own`: the
/// files that are to be written; one that is there must have the text that is written now, or the
/// text that `new` wrote last. The first of `own`, the engine's Cargo.toml, is the author's, and is
/// changed in any case. `folder`: the evaluator's folder.
fn are_new(config: &NewConfig, folder: &Path, own: &[(PathBuf, String)]) -> Result<()> {
    let is_other = |(path, text): &&(PathBuf, String)| {
        let there = std::fs::read_to_string(path).ok();
        let last = || std::fs::read_to_string(copy_of(config, path)).ok();
        // `new` writes texts, so a file that cannot be read as text is somebody else's.
        path.exists() && there.as_ref() != Some(text) && (there.is_none() || there != last())
    };
    let mistakes: Vec<String> = (own.iter().skip(1).filter(is_other))
        .map(|(path, _)| {
            let cure = if path.starts_with(folder) {
                "Name another folder with --out"
            } else {
                "Move it"
            };
            format!(
                "{}: it is there already; nothing was written. {cure}, or continue from it by {}",
                path.display(),
                page(config, "existing-engine.md")
            )
        })
        .collect();
    if mistakes.is_empty() {
        return Ok(());
    }
    Err(mistakes.join("\n").into())
}

/// Returns the path of the copy that `new` keeps of a file as it wrote it last, below `target/new`
/// in the evaluator's folder. As long as file and copy agree, nobody has edited the file, so that
/// `new` may replace it when it is called with other options.
fn copy_of(config: &NewConfig, path: &Path) -> PathBuf {
    let engine = config.engine();
    // Of a file outside of the engine's folder, roots and `..` are left out of the path.
    let names = (path.strip_prefix(engine).unwrap_or(path).components())
        .filter(|part| matches!(part, Component::Normal(_)));
    let copies = engine.join(&config.out).join("target/new");
    names.fold(copies, |copy, name| copy.join(name))
}

/// Says which consts are weights, a sentence for each, up to [`NAMED`] (12), and which are left out
/// because of one of their entries. Says also that there may be more weights in tables whose type
/// another crate declares, unless a mistake in `left` tells of them; and whether the root of the
/// library is a new file.
fn say_weights(job: &Job, imported: &Imported, modules: &Modules, left: &[Mistake]) {
    let count = imported.taken.len();
    let are = if count == 1 {
        "const is a weight"
    } else {
        "consts are weights"
    };
    let among = if count <= NAMED { ":" } else { ", among them:" };
    job.say(format_args!("{count} {are} so far{among}"));
    for sentence in imported.taken.iter().take(NAMED) {
        job.say(format_args!("  {sentence}"));
    }
    // Consts that the import passed over because an entry is not a plain number: the spec has them
    // only as comments.
    for one in (imported.passed.iter()).filter(|one| one.reason.starts_with("has an entry")) {
        job.say(format_args!("note: {one}"));
    }
    let mut left = left.iter();
    let is_told = left.any(|one| one.text.contains(distant::OF_ANOTHER));
    if let Some(words) = distant::unseen(modules, count).filter(|_| !is_told) {
        job.say(format_args!("note: {words}"));
    }
    if modules.is_new_root {
        job.say(format_args!(
            "{}: new, with the modules of src/main.rs once more; what they name by `crate::` \
             must be in one of them",
            modules.files[0].path.display()
        ));
    }
}

/// Says what the author does next, in the engine's folder, from which all paths are. `clone`: the
/// path of Tuner's repository; `sources`: the folder of the engine's sources; the last argument:
/// the file of the spec, and whether `new` wrote it now.
fn say_next(
    job: &Job,
    config: &NewConfig,
    manifest: &Manifest,
    clone: &str,
    sources: &str,
    (spec, is_new): (&str, bool),
) {
    let engine = config.engine();
    if engine.as_os_str().is_empty() {
        job.say(format_args!("next, in this folder:"));
    } else {
        job.say(format_args!("next: `cd {}`, and there", shell_word(engine)));
    }
    // There is a Cargo.lock, and tuner-core is not in it yet.
    if let Some((_, versions)) = manifest.locked("tuner-core")
        && versions.is_empty()
    {
        job.say("  `cargo build`, which adds tuner-core to Cargo.lock: `cargo build --locked` needs that");
    }
    if config.no_check {
        job.say(format_args!(
            "  `cargo check --lib --features {}`, and do what its messages say: which files and consts \
             belong to the evaluation ({clone}/docs/existing-engine.md)",
            manifest.feature()
        ));
    }
    if config.no_check || !is_new {
        job.say(format_args!(
            "  `tuner spec import {} --into {spec} --vanished drop` where other consts are weights then",
            shell_word(Path::new(sources))
        ));
    }
    job.say(format_args!(
        "  `tuner check DATA --rebuild`, which builds it with other weights too, then `tuner fit DATA`"
    ));
}

/// Adds `traced!()` to the text of the file of the evaluation, to the files near it that it reads
/// weights from, and to those that `--trace` names; and adds the function `registry` to the root
/// file of the library. All in memory.
fn annotate(config: &NewConfig, modules: &mut Modules, evaluation: &Evaluation) -> Result<()> {
    // `among`: the files that are looked through for weights. If the evaluation is in the module
    // `eval::evaluate::material`, these are the files of all modules in `eval`: those in the first
    // module whose name contains `eval`, as tables are there too.
    let is_of_it = |name: &String| name.to_lowercase().contains("eval");
    let module = &evaluation.modules;
    let outer = module.iter().position(is_of_it);
    let own = modules.file_of(module);
    let mut among = vec![own];
    if !module.is_empty() {
        // The root file is never among them: an annotation there would be about the whole crate.
        let outer = &module[..outer.map_or(module.len(), |first| first + 1)];
        let is_inner = |file: &tuner_source::CrateFile| {
            !file.module.is_empty() && file.module.starts_with(outer)
        };
        among.extend((0..modules.files.len()).filter(|&file| is_inner(&modules.files[file])));
    }
    let mut files = reach::files(modules, &among, evaluation)?;
    files.insert(own);
    for named in &config.trace {
        let found = modules.files.iter().position(|file| {
            let mut paths = [named.clone(), config.engine().join(named)].into_iter();
            let whole = file.path.canonicalize().ok();
            whole.is_some() && paths.any(|path| path.canonicalize().ok() == whole)
        });
        files.insert(found.ok_or_else(|| {
            format!(
                "--trace {}: found no module of the crate in it, expected one of {}",
                named.display(),
                modules.list()
            )
        })?);
    }
    for file in files {
        Annotation::Traced.write(&mut modules.files[file].text);
    }
    if !modules.files[0].text.contains("registry!()") {
        modules.files[0].text.push_str(REGISTRY);
    }
    Ok(())
}

/// Says of each file how a run that is not a dry one would change it. Returns all changes as a diff
/// if `as_diff`, else an empty text. `writes`: paths, and the texts that would be written there.
fn show(job: &Job, as_diff: bool, writes: &[(PathBuf, String)]) -> String {
    let mut diff = String::new();
    for (path, after) in writes {
        let before = std::fs::read_to_string(path).ok();
        let change = Change {
            path,
            before: before.as_deref(),
            after,
        };
        if as_diff {
            diff += &change.diff();
        }
        job.say(format_args!("{}", change.summary()));
    }
    let more = if as_diff {
        ""
    } else {
        "; --diff shows the lines"
    };
    job.say(format_args!("nothing was written{more}"));
    diff
}

/// Writes files, and says the name of each that was written, unless it is among `unchanged`, which
/// had their texts before. Of the files of an evaluator in Rust and of tuner.toml copies are kept,
/// by which a later call of `new` sees whether somebody edited them.
fn write(
    job: &Job,
    config: &NewConfig,
    writes: &[(PathBuf, String)],
    unchanged: &[PathBuf],
) -> Result<()> {
    let folder = config.engine().join(&config.out);
    for (path, text) in writes {
        put(path, text)?;
        let is_own = path.starts_with(&folder) || path.ends_with(settings::FILE);
        if is_own && !config.cpp {
            put(&copy_of(config, path), text)?;
        }
        if !unchanged.contains(path) {
            job.say(format_args!("{}: written", path.display()));
        }
    }
    Ok(())
}

/// Remembers which calls of `traced!` are from `new`, for its next call. If mistakes are left to
/// the author (`is_left`), copies of the files with such calls are kept, so that the next call can
/// begin without them. Otherwise the copies are removed: from now on all calls are the author's.
fn remember(config: &NewConfig, modules: &Modules, is_left: bool) -> Result<()> {
    for (number, file) in modules.files.iter().enumerate() {
        let copy = copy_of(config, &file.path);
        if is_left && annotations::is_traced(&file.text) && !modules.own.contains(&number) {
            put(&copy, &file.text)?;
        } else if copy.exists() {
            std::fs::remove_file(&copy).at(&copy)?;
        }
    }
    Ok(())
}

/// Writes a file, unless it has this text already, and makes its folder if it is not there.
fn put(path: &Path, text: &str) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    std::fs::create_dir_all(folder).at(folder)?;
    write_if_changed(path, text).at(path)?;
    Ok(())
}
