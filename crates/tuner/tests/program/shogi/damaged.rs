//! Damaged files of records: an error with place and cure, and, the cure followed, all the rest.

use std::fs;

use crate::examples;
use crate::shogi::support::{engine, table};

/// The usual start, as Apery and as YaneuraOu code it.
const APERY: &str = "58a449210cd757217e8e4d212caf427814c2ab109e4d212cd75f213e8e49210c";
const YANEURAOU: &str = "58a451220ceb67227e9653221caf447824c22b119e53221ceb6f223e9651220c";

fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks(2);
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.map(byte).collect()
}

/// Exit code and words of a command about the engine.
fn said(folder: &std::path::Path, args: &str) -> (Option<i32>, String) {
    let args: Vec<&str> = args.split(' ').collect();
    let output = examples::command(engine(), folder, &args).output().unwrap();
    let words = [output.stderr, output.stdout].concat();
    (output.status.code(), String::from_utf8(words).unwrap())
}

#[test]
fn damaged_records_are_placed_and_the_rest_is_read() {
    // Of each format the first record, with and without its search score, four times.
    let apery = |more: &str| bytes(&format!("{APERY}{more}")).repeat(4);
    let formats = [
        ("hcpe", 38, apery("000000000100")),
        (
            "psv",
            40,
            bytes(&format!("{YANEURAOU}0000000001000100")).repeat(4),
        ),
    ];
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (name, size, whole) in formats {
        let units = whole.len() / size;
        let file = format!("a.{name}");
        fs::write(folder.join(&file), &whole).unwrap();
        let (code, words) = said(folder, &format!("check {file}"));
        assert_eq!(code, Some(0), "{words}");
        assert!(
            words.contains(&format!("check: {units} positions")),
            "{words}"
        );
        let mut wrong_first = whole.clone();
        wrong_first[1] ^= 0xff;
        let mut wrong_last = whole.clone();
        wrong_last[(units - 1) * size + 8] ^= 0xff;
        for (damaged, place) in [
            (whole[..whole.len() - 3].to_vec(), units),
            (whole[..(units - 1) * size + 9].to_vec(), units),
            (wrong_first, 1),
            (wrong_last, units),
        ] {
            fs::write(folder.join(&file), damaged).unwrap();
            for command in ["check", "fit --out run"] {
                let (code, words) = said(folder, &format!("{command} {file}"));
                assert_eq!(code, Some(1), "{words}");
                assert!(
                    words.contains(&format!("{file}:{place}:1: found")),
                    "{words}"
                );
                assert!(words.contains("--on-bad-line skip"), "{words}");
            }
            if units > 1 {
                let (code, words) = said(folder, &format!("check {file} --on-bad-line skip"));
                assert_eq!(code, Some(0), "{words}");
                let rest = format!("check: {} positions", units - 1);
                assert!(words.contains(&rest), "{words}");
            }
        }
        for nothing in [Vec::new(), vec![0; 100], b"\x89PNG\r\n\x1a\n\0\0".to_vec()] {
            fs::write(folder.join(&file), nothing).unwrap();
            for command in ["check", "fit --out run", "check --on-bad-line skip"] {
                let (code, words) = said(folder, &format!("{command} {file}"));
                assert_eq!(code, Some(1), "{command} {file}: {words}");
                assert!(
                    words.contains(&file) && !words.contains("panicked"),
                    "{words}"
                );
            }
        }
    }
}

#[test]
fn features_are_suggested_of_chess_alone() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("data.tsv"), table(100)).unwrap();
    let (code, words) = said(folder.path(), "suggest data.tsv");
    assert_eq!(code, Some(1), "{words}");
    assert!(words.contains("suggest is for chess"), "{words}");
}
