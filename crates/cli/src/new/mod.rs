//! `new`: what an engine needs to be tuned, written into its folder.
//!
//! Everything is read and made in memory first; where anything is amiss, nothing is
//! written. `manifest` edits the engine's Cargo.toml, `modules` has its files and what they declare,
//! `evaluation` says how its functions are called, `reach` which files it reads weights
//! in, `shakmaty` whether its positions are the library's; `program` is the text of the
//! evaluator, `settings` that of tuner.toml; `changes` is what would be written, and `clone`
//! where Tuner is.

mod changes;
mod clone;
mod evaluation;
mod manifest;
mod modules;
mod program;
mod reach;
mod settings;
mod shakmaty;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::heading;
use crate::output;
use crate::shared_args::PerspectiveArg;
use changes::Change;
use clone::{page, relative};
use evaluation::Evaluation;
use manifest::Manifest;
use modules::Modules;
use tuner_base::{shell_word, write_if_changed};
use tuner_jobs::JobFailure as Failure;
use tuner_source::{CrateFile, in_a_thread};
use tuner_spec::source::{Choice, Sources, import};

#[derive(Args, Debug)]
pub(super) struct NewArgs {
    /// The folder of the engine's Cargo.toml.
    #[arg(default_value = ".")]
    engine: PathBuf,
    /// What the evaluation's positions are.
    #[arg(long, value_enum)]
    board: Board,
    /// The function that scores a position, by its path in the engine: `eval::evaluate`, or of a
    /// method with its type, `board::Board::evaluate`.
    #[arg(long, value_name = "PATH")]
    evaluate: String,
    /// Of a board of its own, the function that makes one of a FEN (of an SFEN with --game
    /// shogi): `board::Board::from_fen`.
    #[arg(long, value_name = "PATH", required_if_eq("board", "own"))]
    from_text: Option<String>,
    /// Whose view the scores have.
    #[arg(long, value_enum, default_value = "side-to-move", help_heading = heading::DATA)]
    perspective: PerspectiveArg,
    /// A file through which scores go, beside those of the evaluation's module: tables, terms.
    #[arg(long, value_name = "FILE.rs")]
    trace: Vec<PathBuf>,
    /// The clone of Tuner's repository [default: the one that this program was built in].
    #[arg(long, value_name = "FOLDER")]
    tuner: Option<PathBuf>,
    /// Name of the evaluator's folder, in that of the engine.
    #[arg(long, value_name = "NAME", default_value = "tuner", value_parser = parse_name, help_heading = heading::OUTPUT)]
    out: String,
    /// Write nothing; say which files would be new or changed.
    #[arg(long)]
    dry_run: bool,
    /// Print what would be written, as a diff.
    #[arg(long, requires = "dry_run")]
    diff: bool,
}

fn parse_name(text: &str) -> Result<String, String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    let fits = !text.is_empty() && text.chars().all(is_name);
    fits.then(|| text.to_owned())
        .ok_or_else(|| "expected a name of letters, digits, - and _".to_owned())
}

impl NewArgs {
    /// The engine's folder as a beginning of paths: empty where it is this one.
    fn engine(&self) -> &Path {
        if self.engine == Path::new(".") {
            Path::new("")
        } else {
            &self.engine
        }
    }
}

/// What positions are, from where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Board {
    /// `shakmaty::Chess`.
    Shakmaty,
    /// `cozy_chess::Board`.
    CozyChess,
    /// `tuner_shogi::Position`.
    Shogi,
    /// The engine's own type.
    Own,
}

/// The annotation of a file, in its last lines.
const TRACED: &str = "\n#[cfg(feature = \"tune\")]\ntuner_core::traced!();\n";

const REGISTRY: &str = "
/// The weights that are tuned.
#[cfg(feature = \"tune\")]
pub fn registry() -> &'static tuner_core::trace::Registry {
    tuner_core::registry!()
}
";

/// The `.gitignore` of the evaluator: it leaves out builds.
const IGNORED: &str = "/target\n";

/// Consts of this many are named one by one.
const NAMED: usize = 12;

pub(super) fn run(args: &NewArgs, game: Option<&str>) -> Result<(), Failure> {
    let writing = || written(args, game);
    in_a_thread(writing).unwrap_or_else(|| Err("the parser did not start, or failed".into()))
}

fn written(args: &NewArgs, game: Option<&str>) -> Result<(), Failure> {
    let is_shogi = is_shogi(args, game)?;
    let engine = args.engine();
    let manifest = Manifest::read(engine)?;
    let folder = engine.join(&args.out);
    let settings_file = engine.join(settings::FILE);
    are_new(args, &folder, &settings_file)?;
    let clone = clone::folder(args)?;
    if args.board == Board::Shakmaty {
        shakmaty::check(&manifest, &clone)?;
    }
    let mut modules = Modules::read(engine, &manifest)?;
    let evaluation = Evaluation::find(args, &modules)?;
    annotate(args, &mut modules, &evaluation)?;
    if !modules.files[0].text.contains("registry!()") {
        modules.files[0].text.push_str(REGISTRY);
    }

    let spec_name = manifest.package.replace('-', "_");
    let spec = match format!("{spec_name}.toml") {
        taken if taken == settings::FILE => "weights.toml".to_owned(),
        own => own,
    };
    let texts = modules.files.iter();
    let sources = Sources::of(texts.map(|file| (file.path.clone(), file.text.clone())))?;
    let imported = import(&sources, &Choice::default(), &spec_name).map_err(|error| {
        format!(
            "{error}\nnothing was written; name the files of the tables and terms with --trace, which is \
             repeated for each"
        )
    })?;

    let from_engine = relative(engine, &clone)?;
    let mut writes: Vec<(PathBuf, String)> = vec![(
        engine.join("Cargo.toml"),
        manifest.with_tuner(&from_engine)?,
    )];
    let is_there =
        |file: &CrateFile| std::fs::read_to_string(&file.path).is_ok_and(|t| t == file.text);
    let changed = modules.files.iter().filter(|file| !is_there(file));
    writes.extend(changed.map(|file| (file.path.clone(), file.text.clone())));
    if !engine.join(&spec).exists() {
        writes.push((engine.join(&spec), imported.text));
    }
    let program = program::Program {
        name: &manifest.package,
        library: &manifest.library,
        board: args.board,
        is_shogi,
        perspective: args.perspective.into(),
        evaluation: &evaluation,
    };
    let cozy_chess = (manifest.dependency("cozy-chess")).map(|found| found.elsewhere());
    // The evaluator's folder is in that of the engine.
    let from_folder = if Path::new(&from_engine).is_absolute() {
        from_engine.clone()
    } else {
        format!("../{from_engine}")
    };
    let package = program.manifest(&from_folder, cozy_chess.as_deref());
    writes.push((folder.join("Cargo.toml"), package));
    writes.push((folder.join("src/main.rs"), program.main()));
    if let Some(notation) = program.notation() {
        writes.push((folder.join("src/notation.rs"), notation));
    }
    writes.push((folder.join(".gitignore"), IGNORED.to_owned()));
    let protocol = if is_shogi { "usi" } else { "uci" };
    let (sources, evaluator) = (&modules.folder, program.package());
    let settings = settings::text(&spec, sources, &args.out, &evaluator, protocol);
    writes.push((settings_file, settings));
    if args.dry_run {
        show(args.diff, &writes)?;
    } else {
        write(&folder, &writes)?;
    }

    say_weights(&imported.taken);
    if modules.is_new_root {
        say!(
            "{}: new, with the modules of src/main.rs once more; what they name by `crate::` \
             must be in one of them",
            modules.files[0].path.display()
        );
    }
    if !args.dry_run {
        say_next(engine, &from_engine, &modules.folder, &spec);
    }
    Ok(())
}

/// Tells whether positions are of shogi; refuses a game that the board is not of.
fn is_shogi(args: &NewArgs, game: Option<&str>) -> Result<bool, Failure> {
    match (game, args.board) {
        (Some("shogi"), Board::Own | Board::Shogi) | (None, Board::Shogi) => Ok(true),
        (Some("chess"), Board::Own | Board::Shakmaty | Board::CozyChess) | (None, _) => Ok(false),
        (Some(other), Board::Own) => Err(Failure::Usage(format!(
            "--game: found {other}, expected chess or shogi; {} has an example of any other",
            page(args, "other-games.md")
        ))),
        _ => {
            let words = "--game is for --board own; the other boards are of one game";
            Err(Failure::Usage(words.to_owned()))
        }
    }
}

/// Refuses to write where an evaluator or settings are.
fn are_new(args: &NewArgs, folder: &Path, settings_file: &Path) -> Result<(), Failure> {
    let cures = [
        (folder, "Name another folder with --out"),
        (settings_file, "Move it"),
    ];
    let page = || page(args, "existing-engine.md");
    let mistakes: Vec<String> = (cures.iter())
        .filter(|(path, _)| path.exists())
        .map(|(path, cure)| {
            format!(
                "{}: it is there already; nothing was written. {cure}, or continue from it by {}",
                path.display(),
                page()
            )
        })
        .collect();
    if mistakes.is_empty() {
        return Ok(());
    }
    Err(mistakes.join("\n").into())
}

/// Says which consts are weights, a sentence for each.
fn say_weights(taken: &[String]) {
    let count = taken.len();
    let are = if count == 1 {
        "const is a weight"
    } else {
        "consts are weights"
    };
    let among = if count <= NAMED { ":" } else { ", among them:" };
    say!("{count} {are} so far{among}");
    for sentence in taken.iter().take(NAMED) {
        say!("  {sentence}");
    }
}

/// Says what to do then; all paths are those in the engine's folder.
fn say_next(engine: &Path, clone: &str, sources: &str, spec: &str) {
    if engine.as_os_str().is_empty() {
        say!("next, in this folder:");
    } else {
        say!("next: `cd {}`, and there", shell_word(engine));
    }
    say!(
        "  `cargo check --lib --features tune`, and do what its messages say: which files and consts \
         belong to the evaluation ({clone}/docs/existing-engine.md, from section 1)"
    );
    say!(
        "  `tuner spec import {} --into {spec}` where other consts are weights then",
        shell_word(Path::new(sources))
    );
    say!(
        "  `tuner check DATA --rebuild`, which builds it with other weights too, then `tuner fit DATA`"
    );
}

/// Appends `traced!()` to the file of the evaluation, to those of its module that it reads
/// weights in, and to those that were named.
fn annotate(args: &NewArgs, modules: &mut Modules, evaluation: &Evaluation) -> Result<(), Failure> {
    // Of `eval::evaluate::material` all of `eval`, in which its tables are.
    let is_of_it = |name: &String| name.to_lowercase().contains("eval");
    let module = &evaluation.modules;
    let outer = module.iter().position(is_of_it);
    let mut files = modules.with_inner(&module[..outer.map_or(module.len(), |first| first + 1)]);
    let reached = reach::files(modules, &files, evaluation)?;
    // The function may be in a module that is written in the file.
    let own = modules.file_of(module);
    files.retain(|file| own == *file || reached.contains(file));
    for named in &args.trace {
        let found = modules.files.iter().position(|file| {
            let paths = [named.clone(), args.engine().join(named)];
            paths.iter().any(|path| same_file(path, &file.path))
        });
        files.push(found.ok_or_else(|| {
            format!(
                "--trace {}: found no module of the crate in it, expected one of {}",
                named.display(),
                modules.list()
            )
        })?);
    }
    for file in files {
        let text = &mut modules.files[file].text;
        if !text.contains("traced!(") {
            if !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(TRACED);
        }
    }
    Ok(())
}

fn same_file(a: &Path, b: &Path) -> bool {
    let whole = |path: &Path| path.canonicalize().ok();
    whole(a).is_some() && whole(a) == whole(b)
}

/// Says what the files would be.
fn show(as_diff: bool, writes: &[(PathBuf, String)]) -> Result<(), Failure> {
    for (path, after) in writes {
        let before = std::fs::read_to_string(path).ok();
        let change = Change {
            path,
            before: before.as_deref(),
            after,
        };
        if as_diff {
            output::text(&change.diff())?;
        }
        say!("{}", change.summary());
    }
    let more = if as_diff {
        ""
    } else {
        "; --diff shows the lines"
    };
    say!("nothing was written{more}");
    Ok(())
}

/// Writes the files; what was written is named where one fails.
fn write(folder: &Path, writes: &[(PathBuf, String)]) -> Result<(), Failure> {
    let source = folder.join("src");
    std::fs::create_dir_all(&source).map_err(|error| format!("{}: {error}", source.display()))?;
    for (path, text) in writes {
        write_if_changed(path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        say!("{}: written", path.display());
    }
    Ok(())
}
