//! Commands that are killed at the moment when one of their files appears. The same command then
//! leaves the files of one that was not killed, and no other.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::chess::support::{command, table};
#[cfg(unix)]
use crate::spsa::engine;

/// How often is looked.
const LOOK: Duration = Duration::from_micros(300);

/// Longest that is waited for a file.
const PATIENCE: Duration = Duration::from_mins(2);

/// Files below a folder by name; temporary ones without the number of their process.
fn names(folder: &Path) -> BTreeSet<String> {
    let (mut names, mut folders) = (BTreeSet::new(), vec![folder.to_path_buf()]);
    while let Some(inner) = folders.pop() {
        // What is removed meanwhile is passed over.
        for entry in fs::read_dir(inner).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = path.strip_prefix(folder).unwrap().display().to_string();
            let name = name.split(".tuner-").collect::<Vec<_>>();
            names.insert(match name[..] {
                [name, _] => format!("{name} on its way"),
                _ => name.concat(),
            });
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
    names
}

/// Files by name.
type Contents = BTreeMap<String, Vec<u8>>;

/// What is written in files, but for those that hold times and the words of the command.
fn contents(folder: &Path) -> Contents {
    let of_times = ["summary.json", "report.html", "command.txt", "spsa.html"];
    let read = |name: String| {
        let is_of_times = of_times.iter().any(|other| name.ends_with(other));
        let is_of_times = is_of_times && name != "l/report.html";
        let bytes = fs::read(folder.join(&name)).unwrap_or_default();
        let bytes = if is_of_times { Vec::new() } else { bytes };
        (name, bytes)
    };
    names(folder).into_iter().map(read).collect()
}

/// A command, and what is there before it.
struct Killed<'a> {
    args: &'a str,
    /// Whether it takes `--resume`, or resumes by itself.
    resumes: bool,
    set_up: &'a (dyn Fn(&Path) + Sync),
}

impl Killed<'_> {
    fn command(&self, folder: &Path, again: bool) -> Command {
        let mut args: Vec<&str> = self.args.split(' ').collect();
        let checkpoint = folder.join("run/checkpoint.json").exists();
        let by_itself = args[0] == "loop";
        if again && !by_itself && (self.resumes || checkpoint) {
            args.insert(1, "--resume");
            if args[0] == "data" {
                args.swap(1, 2);
            }
        }
        let mut command = command(folder, &args);
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        command
    }

    fn done(&self, folder: &Path, again: bool, after: &str) {
        let output = self.command(folder, again).output().unwrap();
        let words = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}, {after}: {words}", self.args);
    }

    /// Kills the command as soon as there is a file that was not there before; returns its name,
    /// `None` where the command ended.
    fn killed(&self, mut child: Child, folder: &Path, before: &BTreeSet<String>) -> Option<String> {
        let since = Instant::now();
        let appeared = loop {
            let ended = child.try_wait().unwrap();
            let now = names(folder);
            if let Some(new) = now.difference(before).next() {
                break Some(new.clone());
            }
            if let Some(status) = ended {
                let mut said = Vec::new();
                let stderr = child.stderr.as_mut().unwrap();
                stderr.read_to_end(&mut said).unwrap();
                let said = String::from_utf8_lossy(&said);
                assert!(status.success(), "{}: {said}", self.args);
                break None;
            }
            assert!(since.elapsed() < PATIENCE, "{}", self.args);
            sleep(LOOK);
        };
        child.kill().unwrap();
        child.wait().unwrap();
        appeared
    }

    fn folder(&self) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        (self.set_up)(folder.path());
        folder
    }

    /// What it leaves where nobody kills it.
    fn whole(&self) -> Contents {
        let folder = self.folder();
        self.done(folder.path(), false, "not killed");
        contents(folder.path())
    }

    /// Tells whether all is there but the end of the process: once more would be another fit.
    fn is_whole(&self, folder: &Path, expected: &Contents) -> bool {
        !self.resumes && names(folder).iter().eq(expected.keys())
    }

    fn compared(&self, folder: &Path, expected: &Contents, after: &str) {
        let found = contents(folder);
        let list = |of: &Contents| of.keys().cloned().collect::<Vec<_>>();
        assert_eq!(list(&found), list(expected), "{}, {after}", self.args);
        for (name, bytes) in expected {
            assert!(found[name] == *bytes, "{}, {after}: {name}", self.args);
        }
    }

    /// Runs it again and again, each time killed at the first file that is new; returns all that
    /// were seen.
    fn in_a_row(&self, expected: &Contents) -> BTreeSet<String> {
        let folder = self.folder();
        let mut seen = names(folder.path());
        let mut again = false;
        while !self.is_whole(folder.path(), expected) {
            let child = self.command(folder.path(), again).spawn().unwrap();
            let Some(appeared) = self.killed(child, folder.path(), &seen) else {
                break;
            };
            seen.insert(appeared);
            assert!(seen.len() < 4 * expected.len(), "{seen:?}");
            again = true;
        }
        self.compared(folder.path(), expected, &format!("killed at {seen:?}"));
        seen
    }

    /// Kills it at each of its files: in a row, and alone at every fifth, at all of them where
    /// `TUNER_ROUNDS` is set.
    fn test(&self) {
        let expected = self.whole();
        let seen = self.in_a_row(&expected);
        let apart = std::env::var("TUNER_ROUNDS").map_or(5, |_| 1);
        let each = |part: usize| {
            for name in seen.iter().skip(part * apart).step_by(2 * apart) {
                let folder = self.folder();
                if names(folder.path()).contains(name) {
                    continue;
                }
                let others = seen.iter().filter(|other| *other != name).cloned();
                let child = self.command(folder.path(), false).spawn().unwrap();
                let appeared = self.killed(child, folder.path(), &others.collect());
                let after = format!("killed at {appeared:?}");
                if appeared.is_some() && !self.is_whole(folder.path(), &expected) {
                    self.done(folder.path(), true, &after);
                }
                self.compared(folder.path(), &expected, &after);
            }
        };
        scope(|threads| {
            threads.spawn(|| each(0));
            each(1);
        });
    }
}

fn positions(folder: &Path) {
    fs::write(folder.join("data.tsv"), table(300)).unwrap();
}

/// Games by weights, and what moves them.
#[test]
fn games_that_are_killed_at_a_file() {
    let set_up = |folder: &Path| {
        fs::write(folder.join("w.txt"), "MATERIAL[pawn].mg 77\n").unwrap();
    };
    for args in [
        "selfplay games.tsv.zst --games 300 --nodes 9 --positions 1 --longest 30",
        "match source w.txt --games 20 --nodes 20 --longest 40 --journal j.jsonl --pgn g.pgn \
         --report p.html --records all",
        "spsa --only TEMPO,MATERIAL --nodes 20 --games 80 --test-games 8 --longest 60 --out run",
    ] {
        let resumes = true;
        #[rustfmt::skip]
        Killed { args, resumes, set_up: &set_up }.test();
    }
}

/// Options of a program, which has the weights of its side on a file.
#[cfg(unix)]
#[test]
fn options_that_are_killed_at_a_file() {
    let set_up = |folder: &Path| engine(folder, "engine", true);
    let args = "spsa ./engine --option V=90:0..100:6 --book book.epd --nodes 9 --rate 0.1 \
                --games 128 --test-games 4 --out run";
    #[rustfmt::skip]
    Killed { args, resumes: true, set_up: &set_up }.test();
}

/// Positions to labels, traces, other files.
#[test]
fn data_that_are_killed_at_a_file() {
    for (args, resumes) in [
        ("data rescore data.tsv -o out.tsv.zst --nodes 20", true),
        ("data playout data.tsv -o out.tsv --nodes 5", true),
        ("data resolve data.tsv -o out.tsv", false),
        ("data filter data.tsv -o out.tsv --max-score 300", false),
        (
            "data split data.tsv --part a.tsv=0.5 --part b.tsv=0.5",
            false,
        ),
        ("trace data.tsv -o out.arrow --differences 5", false),
    ] {
        #[rustfmt::skip]
        Killed { args, resumes, set_up: &positions }.test();
    }
}

/// A fit: its checkpoint, what it leaves, and the folder of its run.
#[test]
fn fits_that_are_killed_at_a_file() {
    let args = "fit data.tsv --only TEMPO --out run --save-weights txt";
    let resumes = false;
    #[rustfmt::skip]
    Killed { args, resumes, set_up: &positions }.test();
}

/// A loop, in a row alone, as it has many files.
#[test]
fn a_loop_that_is_killed_at_its_files() {
    let rounds = std::env::var("TUNER_ROUNDS").map_or(1, |rounds| rounds.parse().unwrap());
    let args = format!(
        "loop l --from zero --rounds {rounds} --games 60 --nodes 10 --score-nodes 10 --threads 2 \
         --test-games 8 --test-nodes 10 --start-games 4 -- --only MATERIAL"
    );
    let resumes = true;
    #[rustfmt::skip]
    let killed = Killed { args: &args, resumes, set_up: &|_| {} };
    let kills = killed.in_a_row(&killed.whole()).len();
    assert!(kills >= 10 * rounds, "{kills} kills");
}
