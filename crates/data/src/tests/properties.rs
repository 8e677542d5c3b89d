//! What holds for any bytes.

use proptest::prelude::*;

use super::*;

/// Bytes that look like data more often than not.
fn messy() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"word [0.5]".to_vec()),
        Just(b"word c9 \"1-0\";".to_vec()),
        Just(b"word | 3 | 0.5".to_vec()),
        Just(b"[0.5] word".to_vec()),
        Just(b"word;w".to_vec()),
        Just(b"word 0.5".to_vec()),
        Just(b"word\tresult\tscore_cp\tgame\tply".to_vec()),
        Just(b"word\t1-0\t\tg\t7".to_vec()),
        Just(b"\n".to_vec()),
        Just(b"\n".to_vec()),
        Just(b"\r\n".to_vec()),
        "[ -~]{0,9}".prop_map(String::into_bytes),
        prop::collection::vec(any::<u8>(), 0..5),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_bytes_panic_and_counts_add_up(
        bytes in messy(),
        format in prop::option::of(prop::sample::select(&Format::ALL[..])),
        pack in prop::sample::select(vec![0, 1, 2, 3]),
    ) {
        let packed = match pack { 0 => bytes.clone(), 1 => gzip(&bytes), 2 => xz(&bytes), _ => zstd(&bytes) };
        let options = ReadOptions { format, on_bad_line: OnBadLine::Skip, ..ReadOptions::default() };
        let (values, report, unreadable) = match read_all(&[&packed], &options) {
            Ok((samples, report)) => (samples.len() as u64, report, false),
            Err(error) => (error.report.total().positions, error.report, !error.inputs.is_empty()),
        };
        let total = report.total();
        prop_assert_eq!(total.positions, values);
        prop_assert_eq!(
            total.lines,
            total.headers + total.blank + total.positions + total.rejected
        );
        prop_assert_eq!(report.bad_lines.len() as u64, total.rejected.min(10));
        if !unreadable {
            let lines = bytes.split_inclusive(|&byte| byte == b'\n').count();
            prop_assert_eq!(total.lines, lines as u64);
        }
    }
}
