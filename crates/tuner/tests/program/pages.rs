//! Commands in pages: they are run, their output is that of the page, their options exist.
//!
//! A block of `README.md` or of the book in `docs` that begins with ` ```console` shows commands
//! behind `$ ` and what they print, errors too. All blocks of a page run in one copy of the
//! examples, in their order. A line `…` stands for any lines, ` …` at the end of a line for the
//! rest of it; indentation, and numbers that differ from run to run, are not compared
//! ([`UNSTEADY`]). A block that
//! is not to run says why: ` ```console not run: it takes an hour`. Records in `docs/lab` are of
//! earlier versions and are not looked at.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::examples::{Example, root};

/// Words behind a number that differs from run to run.
const UNSTEADY: [&str; 4] = ["s", "games a second", "nodes a second", "% of the time"];

/// Examples whose evaluators are built for the pages that name their folders.
const EXAMPLES: [Example; 3] = [
    crate::chess::EXAMPLE,
    crate::shogi::EXAMPLE,
    Example {
        name: "othello",
        evaluator: "othello",
    },
];

/// Lines of a page between fences.
struct Block {
    line: usize,
    /// What follows the opening fence.
    info: String,
    lines: Vec<String>,
}

fn pages() -> Vec<(String, String)> {
    let docs = fs::read_dir(root().join("docs")).unwrap();
    let files = docs.map(|entry| entry.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    let names = files.map(|path| format!("docs/{}", path.file_name().unwrap().display()));
    let mut names: Vec<String> = names.collect();
    names.push("README.md".to_owned());
    names.sort();
    let text = |name: &String| fs::read_to_string(root().join(name)).unwrap();
    names
        .iter()
        .map(|name| (name.clone(), text(name)))
        .collect()
}

fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let (mut is_open, mut indent) = (false, 0);
    for (number, line) in text.lines().enumerate() {
        if let Some(info) = line.trim_start().strip_prefix("```") {
            is_open = !is_open;
            if is_open {
                indent = line.len() - line.trim_start().len();
                let (line, info) = (number + 1, info.to_owned());
                blocks.push(Block {
                    line,
                    info,
                    lines: Vec::new(),
                });
            }
        } else if is_open {
            // As far as the fence is, in a list.
            let line = line.get(indent..).unwrap_or_default();
            blocks.last_mut().unwrap().lines.push(line.to_owned());
        }
    }
    blocks
}

/// The commands of a block, each with the lines that it prints.
fn shown(block: &Block) -> Vec<(&str, Vec<&str>)> {
    let mut shown: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in &block.lines {
        match line.strip_prefix("$ ") {
            Some(command) => shown.push((command, Vec::new())),
            None => shown.last_mut().expect("a command first").1.push(line),
        }
    }
    shown
}

/// A copy of the examples, whose evaluators are built if they are `named`.
fn copy(named: impl Fn(&str) -> bool) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["docs", "specs", "README.md"] {
        symlink(root().join(name), folder.path().join(name)).unwrap();
    }
    for example in fs::read_dir(root().join("examples")).unwrap() {
        let example = example.unwrap();
        let copy = folder.path().join("examples").join(example.file_name());
        fs::create_dir_all(&copy).unwrap();
        for entry in fs::read_dir(example.path()).unwrap() {
            let entry = entry.unwrap();
            symlink(entry.path(), copy.join(entry.file_name())).unwrap();
        }
    }
    for example in EXAMPLES.iter().filter(|example| named(example.name)) {
        let toml = folder
            .path()
            .join(format!("examples/{}/tuner.toml", example.name));
        let text = fs::read_to_string(&toml).unwrap();
        let (before, _) = text.split_once("[evaluator]").unwrap();
        fs::remove_file(&toml).unwrap();
        let text = format!("{before}[evaluator]\nrun = {:?}\n", example.evaluator());
        fs::write(toml, text).unwrap();
    }
    folder
}

/// Runs a command as it is typed into a shell; returns the lines that it prints.
fn run(folder: &Path, command: &str) -> Vec<String> {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_tuner"));
    let mut paths = vec![program.parent().unwrap().to_owned()];
    paths.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap()));
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1\n{command}")])
        .current_dir(folder)
        .env("PATH", std::env::join_paths(paths).unwrap())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "`{command}` fails:\n{text}");
    // On a busy machine a line of progress comes in between: `17 s: read: 1850 positions`.
    let is_progress = |line: &&str| {
        let seconds = line.split_once(" s: ");
        seconds.is_some_and(|(seconds, _)| seconds.parse::<u32>().is_ok())
    };
    text.lines()
        .filter(|line| !is_progress(line))
        .map(|line| line.trim_end().to_owned())
        .collect()
}

/// A line without the numbers that differ from run to run.
fn steady(line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let steady = words.iter().enumerate().map(|(at, word)| {
        let rest = words[at + 1..].join(" ");
        let follows = |unit: &&'static str| {
            let after = rest.strip_prefix(*unit);
            after.is_some_and(|after| !after.starts_with(char::is_alphabetic))
        };
        if word.parse::<f64>().is_ok() && UNSTEADY.iter().any(follows) {
            "N"
        } else {
            word
        }
    });
    steady.collect::<Vec<_>>().join(" ")
}

/// The first line of a page that is not printed, or of the output that is not in the page.
fn difference(page: &[&str], printed: &[String]) -> Option<String> {
    let is = |shown: &str, line: &str| match shown.strip_suffix(" …") {
        Some(start) => steady(line.trim()).starts_with(&steady(start.trim())),
        None => steady(shown.trim()) == steady(line.trim()),
    };
    let (mut at, mut skips) = (0, false);
    for shown in page {
        if *shown == "…" {
            skips = true;
            continue;
        }
        let mut lines = printed[at..]
            .iter()
            .take(if skips { usize::MAX } else { 1 });
        let found = lines.position(|line| is(shown, line));
        let Some(found) = found else {
            return Some(format!("the page has `{shown}`"));
        };
        (at, skips) = (at + found + 1, false);
    }
    let more = printed.get(at).filter(|_| !skips);
    more.map(|line| format!("the page lacks `{line}`, or a line `…`"))
}

#[test]
fn commands_in_pages_print_what_the_pages_show() {
    let mut complaints = Vec::new();
    let mut count = 0;
    for (page, text) in pages() {
        let all = blocks(&text);
        let run_blocks: Vec<&Block> = all.iter().filter(|block| block.info == "console").collect();
        for block in &all {
            let reason = block.info.strip_prefix("console").map(str::trim);
            let says_why = |reason: &str| {
                reason
                    .strip_prefix("not run: ")
                    .is_some_and(|why| why.len() > 5)
            };
            if reason.is_some_and(|reason| !reason.is_empty() && !says_why(reason)) {
                complaints.push(format!(
                    "{page}:{}: expected `console` or `console not run: WHY`",
                    block.line
                ));
            }
        }
        if run_blocks.is_empty() {
            continue;
        }
        let names = |name: &str| {
            let folder = format!("examples/{name}");
            run_blocks
                .iter()
                .any(|block| block.lines.iter().any(|line| line.contains(&folder)))
        };
        let folder = copy(names);
        for block in run_blocks {
            for (command, expected) in shown(block) {
                count += 1;
                let printed = run(folder.path(), command);
                if let Some(what) = difference(&expected, &printed) {
                    complaints.push(format!(
                        "{page}:{}: {what}\n$ {command}\n{}",
                        block.line,
                        printed.join("\n")
                    ));
                }
            }
        }
    }
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n\n"));
    assert!(count > 10, "{count}");
}

#[test]
fn lines_are_compared_but_for_numbers_that_differ_from_run_to_run() {
    let printed = [
        "a 5 passes, 2.25 s".to_owned(),
        "b".to_owned(),
        "c 1 2 3".to_owned(),
    ];
    for page in [
        &["a 5 passes, 7.1 s", "b", "c 1 2 3"][..],
        &["…", "b", "c 1 …"],
        &["a 5 passes, 2 s", "…"],
    ] {
        assert_eq!(difference(page, &printed), None, "{page:?}");
    }
    for page in [
        &["a 6 passes, 2.25 s", "b", "c 1 2 3"][..],
        &["a 5 passes, 2.25 s", "b"],
        &["a 5 passes, 2.25 s", "c 1 2 3"],
        &["…", "d", "…"],
    ] {
        assert!(difference(page, &printed).is_some(), "{page:?}");
    }
    assert_eq!(
        steady("0.1 s, 3 games a second, 5 steps"),
        "N s, N games a second, 5 steps"
    );
}

/// The options of each command, by the words that it is called with.
fn options() -> BTreeMap<String, Vec<String>> {
    let folder = tempfile::tempdir().unwrap();
    let help = |command: &str| run(folder.path(), &format!("tuner {command} --help"));
    let mut options = BTreeMap::new();
    let mut open = vec![String::new()];
    while let Some(command) = open.pop() {
        let lines = help(&command);
        let (commands, rest) = match lines.iter().position(|line| line == "Commands:") {
            Some(start) => {
                let end = lines.iter().position(|line| line == "Options:").unwrap();
                (&lines[start + 1..end], &lines[end..])
            }
            None => (&lines[..0], &lines[..]),
        };
        let names = commands.iter().filter_map(|line| line.strip_prefix("  "));
        let names = names.filter(|line| !line.starts_with(' '));
        let names = names.filter_map(|line| line.split_whitespace().next());
        let names = names.filter(|name| *name != "help");
        open.extend(names.map(|name| format!("{command} {name}").trim().to_owned()));
        let words = rest
            .iter()
            .flat_map(|line| line.split([' ', ',', '=', '[', ']', '<']));
        let found = words
            .filter(|word| word.starts_with("--"))
            .map(str::to_owned);
        options.insert(command, found.collect());
    }
    options
}

/// What a text says of commands that is not so, if it is the call of one.
fn wrong_options(text: &str, options: &BTreeMap<String, Vec<String>>) -> Option<String> {
    let text = text.strip_prefix("$ ").unwrap_or(text);
    let call = match text.split_once("-p tuner -- ") {
        Some((_, call)) => call,
        None => text.strip_prefix("tuner ").unwrap_or(text),
    };
    let mut words = call.split_whitespace().peekable();
    let mut command = String::new();
    while let Some(word) = words.peek() {
        if ["-C", "--game"].contains(word) {
            words.nth(1);
        } else {
            let longer = format!("{command} {word}").trim().to_owned();
            if !options.contains_key(&longer) {
                break;
            }
            command = longer;
            words.next();
        }
    }
    let is_option = text.starts_with("--");
    if command.is_empty() && !is_option {
        return None;
    }
    let ends = ["|", "&&", "||", "#", "--", ";"];
    let words = words.take_while(|word| !ends.contains(word) && !word.ends_with(';'));
    let named = words.filter(|word| word.starts_with("--"));
    let named = named.map(|word| word.split(['=', '`', ')']).next().unwrap_or_default());
    let exists = |option: &&str| {
        if is_option {
            options.values().flatten().any(|known| known == option)
        } else {
            options[&command].iter().any(|known| known == option)
        }
    };
    let mut unknown = named.filter(|option| !exists(option));
    let unknown = unknown.next()?;
    Some(format!("`{text}`: `tuner {command}` has no `{unknown}`"))
}

#[test]
fn options_in_pages_exist() {
    let options = options();
    assert!(
        options.len() > 30 && options["fit"].len() > 40,
        "{options:?}"
    );
    assert!(wrong_options("tuner -C DIR data filter A --quiet 30", &options).is_none());
    assert!(wrong_options("$ tuner fit --quite", &options).is_some());
    assert!(wrong_options("--nonsense 3", &options).is_some());
    // Of the program's own builds, and of other programs.
    let others = [
        "--package",
        "--features",
        "--details-of",
        "--locked",
        "--mca",
        "--bind-to",
        "--document-private-items",
    ];
    let mut complaints = Vec::new();
    for (page, text) in pages() {
        let mut is_code = false;
        for (number, line) in text.lines().enumerate() {
            let fence = line.trim_start().starts_with("```");
            is_code ^= fence;
            let parts: Vec<&str> = if is_code || fence {
                vec![line.trim()]
            } else {
                line.split('`').skip(1).step_by(2).collect()
            };
            let parts = parts
                .into_iter()
                .filter(|part| !others.iter().any(|other| part.starts_with(other)));
            let parts = parts.filter(|part| !is_code || !part.starts_with("--"));
            let wrong = parts.filter_map(|part| wrong_options(part, &options));
            complaints.extend(wrong.map(|what| format!("{page}:{}: {what}", number + 1)));
        }
    }
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}
