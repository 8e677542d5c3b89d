#![no_main]

use tuner_chess::Fen;
use tuner_data::{Input, OnBadLine, ReadOptions, read};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let path = std::env::temp_dir().join(format!("tuner-fuzz-{}", std::process::id()));
    std::fs::write(&path, bytes).expect("a file can be written");
    let options = ReadOptions {
        on_bad_line: OnBadLine::Skip,
        ..ReadOptions::default()
    };
    let (read, report) = match read(&[Input::File(path)], &options, &Fen, |_| Ok(())) {
        Ok((samples, report)) => (samples.len() as u64, report),
        Err(error) => (error.report.total().positions, error.report),
    };
    let total = report.total();
    assert_eq!(total.positions, read);
    if total.unit.is_none() {
        let counted = total.headers + total.blank + total.positions + total.rejected;
        assert_eq!(total.lines, counted);
    }
});
