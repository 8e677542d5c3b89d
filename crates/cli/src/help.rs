//! The layout of `--help`, completions, and man pages.

use std::path::Path;

use clap::{Command, CommandFactory};
use clap_complete::{Shell, generate};

use crate::output;
use crate::tuner_args::TunerArgs;
use tuner_jobs::JobResult as Result;
use tuner_spec::{Parameter, ProjectFile, Spec};

/// Lines are wrapped at the terminal's width, at most this: longer ones are hard to read.
const WIDEST: usize = 100;

/// The commands that are typed most often, by the heading `[command]`; `PROGRAM` is the program's
/// name.
const EXAMPLES: &str = include_str!("examples.txt");

/// Returns clap's description of the whole program, named as it was called, with examples in its
/// help.
pub(super) fn command() -> Command {
    let called = std::env::args_os().next();
    let stem = called.as_ref().and_then(|word| Path::new(word).file_stem());
    let name = stem.map_or("tuner".into(), |stem| stem.to_string_lossy());
    let mut command = TunerArgs::command().name(name.to_string());
    let game = command.get_arguments().find(|arg| arg.get_id() == "game");
    if let Some(game) = game.cloned().map(|game| game.hide(true)) {
        // `new`, `data`, `match` and `spsa` take `--game`; others refuse it, so their help does not
        // show it.
        command = command.mut_subcommands(|inner| match inner.get_name() {
            "new" | "data" | "match" | "spsa" => inner,
            _ => inner.arg(game.clone()),
        });
    }
    with_examples(command.max_term_width(WIDEST), &name)
}

/// Returns `command` with examples behind its help, and behind that of its subcommands. They are
/// paragraphs of `EXAMPLES` below the command's name in brackets; those of `fit` name the engine
/// of this folder, if there is one. `program` is the name of the program.
fn with_examples(command: Command, program: &str) -> Command {
    let name = command.get_name();
    let lines = EXAMPLES.split_once(&format!("[{name}]\n"));
    let lines = lines.and_then(|(_, lines)| lines.trim_end().split("\n\n").next());
    let own = (name == "fit").then(examples_here).flatten();
    let command = match own.as_deref().or(lines) {
        Some(lines) => {
            let lines = lines.replace("PROGRAM", program).replace('\n', "\n  ");
            command.after_help(format!("Examples:\n  {lines}"))
        }
        None => command,
    };
    command.mut_subcommands(|inner| with_examples(inner, program))
}

/// Returns examples of `fit` for the engine of this folder, with its data and a parameter of it
/// that is not frozen. `None` where no help is asked for, or no engine is in this folder or above.
fn examples_here() -> Option<String> {
    // Only `--help` needs the examples, so other commands read no file for them.
    let mut words = std::env::args_os();
    words.find(|word| word == "--help" || word == "-h" || word == "help")?;
    let folder = ProjectFile::folder_of(&std::env::current_dir().ok()?)?;
    let file = ProjectFile::load(&folder).ok()?;
    let data = if file.data.is_empty() {
        " games.tsv.zst"
    } else {
        ""
    };
    let mut lines = vec![
        format!("PROGRAM fit{data}"),
        format!("PROGRAM fit{data} --resume"),
    ];
    let spec = file.spec.and_then(|spec| Spec::load(&spec).ok());
    let layout = spec.as_ref().map(Spec::layout);
    let free = |parameter: &&Parameter| {
        let weights = parameter.weights();
        layout.is_some_and(|layout| weights.into_iter().any(|weight| !layout.frozen(weight)))
    };
    if let Some(parameter) = layout.and_then(|layout| layout.parameters().iter().find(free)) {
        let name = parameter.name();
        lines.push(format!(
            "PROGRAM fit{data} --only {name} --out {}",
            name.to_lowercase()
        ));
    }
    Some(lines.join("\n"))
}

/// Prints the script by which a shell completes commands and options of this program.
pub(super) fn completions(shell: Shell) -> Result<()> {
    let (mut command, mut text) = (command(), Vec::new());
    let name = command.get_name().to_owned();
    generate(shell, &mut command, name, &mut text);
    output::raw(&String::from_utf8_lossy(&text))
}

/// Writes man pages into a folder, which is made if need be: one for each command.
pub(super) fn pages(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(command(), folder))
        .map_err(|error| format!("{}: cannot be written to: {error}", folder.display()))?;
    say!("{}: a page for each command is written", folder.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// An example of a command that was removed would be shown nowhere, in silence.
    #[test]
    fn examples_are_of_commands() {
        let mut names = HashSet::new();
        let mut waiting = vec![TunerArgs::command()];
        while let Some(command) = waiting.pop() {
            names.insert(command.get_name().to_owned());
            waiting.extend(command.get_subcommands().cloned());
        }
        for heading in EXAMPLES.lines().filter(|line| line.starts_with('[')) {
            assert!(
                names.contains(heading.trim_matches(['[', ']'])),
                "{heading}"
            );
        }
    }

    #[test]
    fn the_commands_hold_together() {
        with_examples(TunerArgs::command(), "x").debug_assert();
    }
}
