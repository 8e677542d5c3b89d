//! Faults from outside: kills at any moment, a hangup, a full disk, little memory, nobody who
//! reads, two commands in one folder.

#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::chess::support::{command, table, tuner, words};

/// Numbers that look random and are the same in every run.
struct Seeded(u64);

impl Seeded {
    /// The next moment, in milliseconds.
    fn moment(&mut self, most: u64) -> Duration {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        Duration::from_millis((self.0 >> 33) % most)
    }
}

/// Names and bytes of all files in a folder, those below it included.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            all.extend(files(&path));
        } else {
            all.push((path.display().to_string(), fs::read(&path).unwrap()));
        }
    }
    all.sort();
    all
}

/// Temporary files that were left.
fn left_over(folder: &Path) -> Vec<String> {
    let names = files(folder).into_iter().map(|(name, _)| name);
    let left = |name: &String| Path::new(name).extension().is_some_and(|end| end == "tmp");
    names.filter(left).collect()
}

/// Runs a command that is killed at moments of a seed until it is through.
fn killed(folder: &Path, args: &[&str], seed: u64) -> usize {
    let mut seeded = Seeded(seed);
    let mut kills = 0;
    let mut most = 80;
    loop {
        let mut child = command(folder, args)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        sleep(seeded.moment(most));
        child.kill().unwrap();
        let status = child.wait().unwrap();
        if status.code().is_some() {
            assert!(status.success(), "{args:?}: {status} after {kills} kills");
            return kills;
        }
        kills += 1;
        assert!(kills < 200, "{args:?} never ends");
        // However slow the machine is.
        most += 40;
    }
}

#[test]
fn what_is_killed_at_any_moment_ends_with_the_same_bytes() {
    let selfplay = "selfplay games.tsv --games 30 --nodes 40 --threads 2 --resume";
    let contest = "match spec source --games 20 --nodes 40 --threads 2 --journal m.jsonl \
                   --pgn m.pgn --resume";
    let trace = "trace data.tsv -o rows.arrow";
    for (seed, line) in [(1, selfplay), (2, contest), (3, trace)] {
        let args: Vec<&str> = line.split_whitespace().collect();
        let [whole, folder] = [(); 2].map(|()| {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join("data.tsv"), table(10_000)).unwrap();
            folder
        });
        let output = tuner(whole.path(), &args);
        assert_eq!(output.status.code(), Some(0), "{}", words(&output));
        let kills = killed(folder.path(), &args, seed);
        assert!(kills > 0, "{line}");
        for (name, expected) in files(whole.path()) {
            let name = Path::new(&name).file_name().unwrap().to_owned();
            let found = fs::read(folder.path().join(&name)).unwrap();
            assert!(
                found == expected,
                "{name:?} differs after {kills} kills of {line}"
            );
        }
    }
}

/// Positions that vanish or change after they were read once, before branches change and they are
/// traced again.
#[test]
fn data_that_vanish_or_change_between_passes_end_a_fit_that_writes_nothing() {
    let changed = "data.tsv: changed since it was first read: 1500 positions then, ";
    let others = table(3000)
        .lines()
        .skip(1500)
        .collect::<Vec<_>>()
        .join("\n");
    let others = format!("fen\tresult\tscore_cp\tgame\tply\n{others}");
    for (text, expected) in [
        (None, "data.tsv: cannot be opened"),
        (Some(table(700)), changed),
        (Some(String::new()), changed),
        (Some(others), changed),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data.tsv");
        fs::write(&path, table(1500)).unwrap();
        let args = "fit data.tsv --prior 100 --differences 0 --out run";
        let args: Vec<&str> = args.split(' ').collect();
        let mut child = started(folder.path(), &args);
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let is_checked = |line: &String| line.starts_with("check:");
        assert!(lines.any(|line| is_checked(&line.unwrap())));
        match &text {
            None => fs::remove_file(&path).unwrap(),
            Some(text) => fs::write(&path, text).unwrap(),
        }
        let said: Vec<String> = lines.map(Result::unwrap).collect();
        let said = said.join("\n");
        assert_eq!(child.wait().unwrap().code(), Some(1), "{said}");
        assert!(said.contains(expected), "{said}");
        let left = files(&folder.path().join("run")).into_iter();
        let left: Vec<String> = left.map(|(name, _)| name).collect();
        let is_checkpoint = |name: &String| name.ends_with("checkpoint.json");
        assert!(left.iter().all(is_checkpoint), "{left:?}");
    }
}

/// Starts the program, with the usual answer to a hangup also where this test was started
/// by `nohup`.
fn started(folder: &Path, args: &[&str]) -> Child {
    let program = command(folder, args);
    let mut command = Command::new("env");
    command
        .current_dir(folder)
        .arg("--default-signal=HUP")
        .arg(program.get_program())
        .args(program.get_args());
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

fn wait_for(path: &Path, child: &mut Child) {
    let begin = Instant::now();
    while !path.exists() {
        assert!(
            child.try_wait().unwrap().is_none(),
            "ended before {}",
            path.display()
        );
        assert!(
            begin.elapsed() < Duration::from_mins(1),
            "no {}",
            path.display()
        );
        sleep(Duration::from_millis(1));
    }
}

/// A fit that takes a while, with a checkpoint soon.
const LONG: &[&str] = &[
    "fit",
    "data.tsv",
    "--out",
    "run",
    "--solver",
    "gd",
    "--max-iterations",
    "100000",
];

#[test]
fn a_hangup_ends_a_fit_with_its_weights_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("data.tsv"), table(2000)).unwrap();
    let mut child = started(folder.path(), LONG);
    wait_for(&folder.path().join("run/checkpoint.json"), &mut child);
    let hangup = format!("kill -HUP {}", child.id());
    assert!(
        Command::new("sh")
            .args(["-c", &hangup])
            .status()
            .unwrap()
            .success()
    );
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", words(&output));
    assert!(words(&output).contains("the best weights so far are written"));
    assert!(folder.path().join("run/weights.txt").exists());
    assert_eq!(left_over(folder.path()), [""; 0]);
}

#[test]
fn two_fits_do_not_write_into_one_folder_at_once() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("data.tsv"), table(2000)).unwrap();
    let mut child = started(folder.path(), LONG);
    wait_for(&folder.path().join("run/checkpoint.json"), &mut child);
    let short = ["fit", "data.tsv", "--out", "run", "--max-iterations", "1"];
    let output = tuner(folder.path(), &short);
    let said = words(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("run: another command is writing there; wait for its end"),
        "{said}"
    );
    let looping = ["loop", "run", "--games", "2", "--rounds", "1"];
    let output = tuner(folder.path(), &looping);
    assert!(
        words(&output).contains("another command is writing"),
        "{}",
        words(&output)
    );
    // Both cures; a lock ends with its process, however that ended.
    let output = tuner(
        folder.path(),
        &["fit", "data.tsv", "--out", "other", "--max-iterations", "1"],
    );
    assert_eq!(output.status.code(), Some(0), "{}", words(&output));
    child.kill().unwrap();
    child.wait().unwrap();
    let output = tuner(folder.path(), &short);
    assert_eq!(output.status.code(), Some(0), "{}", words(&output));
}

/// Runs the program by a shell that confines it first.
fn confined(folder: &Path, limits: &str, args: &[&str]) -> Output {
    let script = format!("{limits}; exec \"$0\" \"$@\"");
    let program = command(folder, args);
    Command::new("sh")
        .current_dir(folder)
        .args(["-c", &script])
        .arg(program.get_program())
        .args(program.get_args())
        .output()
        .unwrap()
}

/// A limit on the size of files, whose signal is ignored, fails as a full disk does: a write
/// returns an error, at any byte.
#[test]
fn a_full_disk_is_said_and_leaves_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("data.tsv"), table(1500)).unwrap();
    let output = tuner(folder.path(), &["fit", "data.tsv", "--out", "run"]);
    assert_eq!(output.status.code(), Some(0), "{}", words(&output));
    let kept = |folder: &Path| {
        let mut all = files(&folder.join("run"));
        all.retain(|(name, _)| !name.contains("/runs/"));
        all
    };
    let before = kept(folder.path());
    let mut refused = 0;
    for (blocks, args) in [
        (0, &["fit", "data.tsv", "--out", "run", "--k", "1.1"][..]),
        (8, &["fit", "data.tsv", "--out", "run", "--k", "1.1"]),
        (1, &["trace", "data.tsv", "-o", "rows.arrow"]),
        (40, &["trace", "data.tsv", "-o", "rows.arrow"]),
        (
            1,
            &["selfplay", "games.tsv", "--games", "40", "--nodes", "40"],
        ),
        (
            1,
            &[
                "match",
                "spec",
                "source",
                "--games",
                "20",
                "--nodes",
                "40",
                "--journal",
                "m.jsonl",
            ],
        ),
    ] {
        let limits = format!("trap '' XFSZ; ulimit -f {blocks}");
        let output = confined(folder.path(), &limits, args);
        let said = words(&output);
        assert_eq!(output.status.code(), Some(1), "{blocks} {args:?}: {said}");
        assert!(said.contains("File too large"), "{blocks} {args:?}: {said}");
        assert!(!said.contains("panicked"), "{said}");
        assert_eq!(left_over(folder.path()), [""; 0], "{blocks} {args:?}");
        refused += 1;
    }
    assert_eq!(refused, 6);
    // Of several results some may have been replaced, each by a whole one.
    for (name, bytes) in kept(folder.path()) {
        let was = before.iter().find(|(other, _)| *other == name);
        assert!(was.is_some_and(|(_, was)| *was == bytes), "{name}");
    }
    assert!(!folder.path().join("rows.arrow").exists());
}

#[test]
fn nobody_who_reads_is_no_reason_to_panic() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("data.tsv"), table(500)).unwrap();
    for line in [
        "data profile data.tsv",
        "data convert data.tsv -o -",
        "check data.tsv --json",
        "fit data.tsv --out run --json",
        "outliers data.tsv",
    ] {
        let args: Vec<&str> = line.split_whitespace().collect();
        let mut child = command(folder.path(), &args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let said = words(&output);
        assert_eq!(output.status.code(), Some(1), "{line}: {said}");
        assert!(said.contains("Broken pipe"), "{line}: {said}");
        assert!(!said.contains("panicked"), "{line}: {said}");
    }
}

#[test]
fn little_memory_is_said_and_a_file_of_rows_is_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("data.tsv"), table(60_000)).unwrap();
    // In KiB, of addresses.
    let little = "ulimit -v 190000";
    let fit = |data| {
        let more = ["--threads", "1", "--out", "run", "--prior", "100"];
        let more = [&more[..], &["--freeze", "PST"]].concat();
        [&["fit", data, "--max-iterations", "2"][..], &more].concat()
    };
    let output = confined(folder.path(), little, &fit("data.tsv"));
    let said = words(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("too little memory: the rows of the first "),
        "{said}"
    );
    let cure = "write rows to a file with `trace DATA -o ROWS.arrow`";
    assert!(said.contains(cure), "{said}");
    let trace = ["trace", "data.tsv", "--threads", "1", "-o", "rows.arrow"];
    let output = confined(folder.path(), little, &trace);
    let said = words(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("to write rows to a file takes about 224 MB"),
        "{said}"
    );
    for args in [&trace[..], &fit("rows.arrow")] {
        let output = confined(folder.path(), "ulimit -v 320000", args);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{args:?}: {}",
            words(&output)
        );
    }
}
