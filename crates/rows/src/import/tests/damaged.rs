//! Files that somebody changed: refused, or read, and never a panic.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use arrow_ipc::CompressionType;
use arrow_ipc::writer::IpcWriteOptions;
use tuner_base::mix;

use super::*;

/// Panics of this test's threads while it reads.
static PANICS: AtomicUsize = AtomicUsize::new(0);
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Files of all kinds of columns and compressions.
fn files() -> Vec<Vec<u8>> {
    let mut columns = with("game", Arc::new(StringArray::from(vec!["a", "b"])));
    columns.push(("score", Arc::new(Float64Array::from(vec![Some(1.0), None]))));
    let dictionary: arrow_array::DictionaryArray<arrow_array::types::Int8Type> =
        vec!["a", "b"].into_iter().collect();
    let with_dictionary = with("game", Arc::new(dictionary));
    let mut files = Vec::new();
    for columns in [columns, with_dictionary] {
        for compression in [
            None,
            Some(CompressionType::LZ4_FRAME),
            Some(CompressionType::ZSTD),
        ] {
            let batch = RecordBatch::try_from_iter_with_nullable(
                (columns.iter()).map(|(name, array)| (*name, Arc::clone(array), true)),
            )
            .unwrap();
            let options = IpcWriteOptions::default()
                .try_with_compression(compression)
                .unwrap();
            let mut writer =
                FileWriter::try_new_with_options(Vec::new(), &batch.schema(), options).unwrap();
            writer.write(&batch).unwrap();
            writer.finish().unwrap();
            files.push(writer.into_inner().unwrap());
        }
    }
    files
}

/// `TUNER_MUTATIONS` sets how many files are tried.
#[test]
fn changed_files_are_refused_or_read() {
    let count = std::env::var("TUNER_MUTATIONS")
        .ok()
        .and_then(|n| n.parse().ok());
    let count: u64 = count.unwrap_or(1_000);
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let own = std::thread::current().id();
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if std::thread::current().id() == own {
            PANICS.fetch_add(1, Ordering::Relaxed);
            if std::env::var_os("TUNER_MUTATIONS").is_some() {
                before(info);
            }
        } else {
            before(info);
        }
    }));
    let files = files();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("traces.arrow");
    let (mut refused, mut read_through) = (0, 0);
    for number in 0..count {
        let random = |salt: u64| mix(number * 64 + salt);
        let mut bytes = files[(random(0) % files.len() as u64) as usize].clone();
        for change in 0..=random(1) % 3 {
            let at = (random(10 + change) % bytes.len() as u64) as usize;
            let extremes = [0, 1, 0x7f, 0x80, 0xff];
            let value = match random(20 + change) % 4 {
                0 => extremes[(random(30 + change) % 5) as usize],
                1 => bytes[at] ^ 1 << (random(30 + change) % 8),
                _ => random(30 + change) as u8,
            };
            // Of a length or an offset all bytes are somebody's.
            let width = [1, 1, 4, 8][(random(40 + change) % 4) as usize];
            let end = (at + width).min(bytes.len());
            bytes[at..end].fill(value);
        }
        std::fs::write(&path, &bytes).unwrap();
        match read(&path, None) {
            Ok(_) => read_through += 1,
            Err(_) => refused += 1,
        }
    }
    let _ = std::panic::take_hook();
    assert!(refused > 0 && read_through > 0, "{refused} {read_through}");
    assert_eq!(PANICS.load(Ordering::Relaxed), 0, "of {count} files");
}

#[test]
fn one_large_feature_costs_what_a_small_one_does() {
    let mut feature = ListBuilder::new(arrow_array::builder::UInt32Builder::new());
    feature.append_value([Some(0), Some(8_388_608)]);
    feature.append_value([Some(0), Some(4_000_000_000), Some(1)]);
    let read = read_back(with("feature", Arc::new(feature.finish()))).unwrap();
    assert_eq!(read.traces.slots(), 4);
    let name = |weight: usize| &*read.weights[weight].0;
    assert_eq!(
        (name(4), name(7)),
        ("feature[8388608].mg", "feature[4000000000].eg")
    );
}
