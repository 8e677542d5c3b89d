//! What several ranks do not do, and ranks that do not belong together.

use std::fs;
use std::path::Path;
use std::process::Output;
use std::time::{Duration, Instant};

use crate::{engine, mpirun, on, program, said, table};

/// Two ranks, of which each is in a folder of its own, `0` and `1`.
fn apart(folder: &Path, words: &str) -> Output {
    let program = program();
    let line = format!(
        "cd $OMPI_COMM_WORLD_RANK && exec {} -C {} {words}",
        program.display(),
        engine().display()
    );
    let begun = Instant::now();
    let output = mpirun(2, folder, &["bash", "-c", &line]).output().unwrap();
    // Within seconds.
    assert!(
        begun.elapsed() < Duration::from_secs(20),
        "{}",
        said(&output)
    );
    output
}

/// Two folders with the same games.
fn folders() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for rank in ["0", "1"] {
        fs::create_dir(folder.path().join(rank)).unwrap();
        fs::copy(table(), folder.path().join(rank).join("games.tsv.zst")).unwrap();
    }
    folder
}

fn nothing_is_written(folder: &Path) {
    for rank in ["0", "1"] {
        assert!(!folder.join(rank).join("tuned/weights.txt").exists());
    }
}

#[test]
#[ignore = "needs mpirun and a program built with feature `mpi`; .ci/ranks runs it"]
fn a_rank_without_the_data_is_named() {
    let folder = folders();
    fs::remove_file(folder.path().join("1/games.tsv.zst")).unwrap();
    let output = apart(folder.path(), "fit games.tsv.zst --fast-games 0");
    let words = said(&output);
    assert!(!output.status.success());
    assert!(words.contains("rank 1 on "), "{words}");
    assert!(words.contains("games.tsv.zst: cannot be opened"), "{words}");
    nothing_is_written(folder.path());
}

#[test]
#[ignore = "needs mpirun and a program built with feature `mpi`; .ci/ranks runs it"]
fn a_rank_with_other_data_is_named() {
    let folder = folders();
    let other = folder.path().join("1/games.tsv.zst");
    let text = fs::read(&other).unwrap();
    // Cut off within the second half of its blocks, or of its only one.
    fs::write(&other, &text[..text.len() * 3 / 4]).unwrap();
    let output = apart(
        folder.path(),
        "fit games.tsv.zst --fast-games 0 --on-bad-line skip",
    );
    assert!(!output.status.success());
    assert!(said(&output).contains("rank 1"), "{}", said(&output));
    nothing_is_written(folder.path());
}

#[test]
#[ignore = "needs mpirun and a program built with feature `mpi`; .ci/ranks runs it"]
fn a_rank_that_starts_from_other_weights_is_named() {
    let folder = folders();
    for (rank, pawn) in [("0", 100), ("1", 101)] {
        let weights = format!("MATERIAL[pawn].mg {pawn}\n");
        fs::write(folder.path().join(rank).join("start.txt"), weights).unwrap();
    }
    let output = apart(
        folder.path(),
        "fit games.tsv.zst --fast-games 0 --init start.txt",
    );
    let words = said(&output);
    assert!(!output.status.success());
    let expected = "rank 1 has other weights to start from than rank 0";
    assert!(words.contains(expected), "{words}");
    nothing_is_written(folder.path());
}

#[test]
#[ignore = "needs mpirun and a program built with feature `mpi`; .ci/ranks runs it"]
fn a_rank_that_is_another_program_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("other");
    let mut bytes = fs::read(program()).unwrap();
    // Behind the end of what is run.
    bytes.extend(b"another build");
    fs::write(&other, bytes).unwrap();
    fs::set_permissions(&other, fs::metadata(program()).unwrap().permissions()).unwrap();
    let line = format!(
        "if [ $OMPI_COMM_WORLD_RANK = 1 ]; then exec {} \"$@\"; else exec {} \"$@\"; fi",
        other.display(),
        program().display()
    );
    for command in ["fit", "check"] {
        let words = [
            "bash",
            "-c",
            &line,
            "ranks",
            "-C",
            engine().to_str().unwrap(),
            command,
            table().to_str().unwrap(),
        ];
        let output = mpirun(2, folder.path(), &words).output().unwrap();
        assert!(!output.status.success());
        let words = said(&output);
        assert!(
            words.contains("rank 1 has another program than rank 0"),
            "{words}"
        );
        assert_eq!(words.matches("another program").count(), 1, "{words}");
    }
}

#[test]
#[ignore = "needs mpirun and a program built with feature `mpi`; .ci/ranks runs it"]
fn bad_lines_are_listed_whoever_found_them() {
    let folder = tempfile::tempdir().unwrap();
    let mut lines = vec!["fen\tresult\tgame".to_owned()];
    for game in 0..40 {
        let board = if game % 5 == 3 {
            "8/8/8/8/8/8/8/8"
        } else {
            "4k3/8/8/8/8/8/4P3/4K3"
        };
        let result = ["1-0", "0-1", "1/2-1/2"][game % 3];
        lines.push(format!("{board} w - - 0 1\t{result}\tg{game}"));
    }
    // One that nobody can read.
    lines.push("nonsense\n".to_owned());
    fs::write(folder.path().join("bad.tsv"), lines.join("\n")).unwrap();
    let words = ["check", "bad.tsv", "--on-bad-line", "skip"];
    let found = [1, 2, 4].map(|size| {
        let output = on(size, folder.path(), &words).output().unwrap();
        let said = said(&output);
        let lines = said.lines().filter(|line| line.starts_with("bad.tsv"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    });
    assert_eq!(found[0].len(), 1 + 9, "{found:?}");
    assert!(
        found[0][0].contains("32 positions + 9 rejected"),
        "{found:?}"
    );
    assert!(found.iter().all(|lines| *lines == found[0]), "{found:#?}");
    // Where they are not skipped each is said once.
    let output = on(4, folder.path(), &["check", "bad.tsv"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    for line in [5, 10, 15, 20, 25, 30, 35, 40, 42] {
        let place = format!("bad.tsv:{line}:");
        assert!(said(&output).contains(&place), "{}", said(&output));
    }
}

#[test]
#[ignore = "needs mpirun and a program built with feature `mpi`; .ci/ranks runs it"]
fn what_one_process_does_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let games = table().to_str().unwrap();
    for (words, expected) in [
        (&["recover"][..], "recover: works in one process"),
        (&["spsa", "--perturb", "10"], "spsa: works in one process"),
        (&["fit", "-"], "standard input comes to one process only"),
    ] {
        let output = on(2, folder.path(), words).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert_eq!(
            said(&output).matches(expected).count(),
            1,
            "{}",
            said(&output)
        );
    }
    // A mistake is said once, too.
    let words = ["fit", games, "--out", "/proc/nowhere"];
    let output = on(2, folder.path(), &words).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert_eq!(
        said(&output).matches("error: --out").count(),
        1,
        "{}",
        said(&output)
    );
    let output = on(2, folder.path(), &["fit", "--nonsense"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        said(&output).matches("--nonsense").count(),
        1,
        "{}",
        said(&output)
    );
}
