//! Drawn rows of every kind.

use std::path::{Path, PathBuf};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tempfile::TempDir;
use tuner_base::Slot;
use tuner_fit::model::Sigmoid;
use tuner_rows::file::{Example, TraceFile, TraceFileInfo, TraceWriter};
use tuner_rows::{RowDraft, RowInfo, Segment, TraceSet};
use tuner_trace::{Expression, NonlinearOp, Relation, Step};

pub(crate) const SLOTS: usize = 6;

/// Which rows are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// All linear, all of weight 1, without search scores and constants.
    Plain,
    /// Some not linear, weights, constants, search scores for some.
    Everything,
}

/// 0.01·L₀·L₂ + √(L₁² + c), with a guard.
fn nonlinear(constant: f64) -> Expression {
    Expression {
        steps: vec![
            Step::Input(0),
            Step::Input(2),
            Step::Nonlinear(NonlinearOp::Mul(0, 1)),
            Step::Constant(0),
            Step::Nonlinear(NonlinearOp::Mul(2, 3)),
            Step::Input(1),
            Step::Nonlinear(NonlinearOp::Power(5, 2)),
            Step::Constant(1),
            Step::Add(6, 7),
            Step::Nonlinear(NonlinearOp::Sqrt(8)),
            Step::Guard(0, Relation::Positive, true),
            Step::Add(4, 9),
        ],
        constants: vec![0.01, constant],
    }
}

/// Draws rows; games of five positions that follow each other but for every
/// tenth row.
pub(crate) fn drawn(kind: Kind, rows: u32) -> TraceSet {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let mut set = TraceSet::new(SLOTS);
    for row in 0..rows {
        let phase = f64::from(rng.random_range(0..=24_u8)) / 24.0;
        let count = rng.random_range(0..=9_u32);
        let entry = |rng: &mut ChaCha8Rng| {
            let slot = rng.random_range(0..SLOTS as u32);
            (Slot(slot), rng.random_range(-3..=3_i16))
        };
        let entries: Vec<_> = (0..count).map(|_| entry(&mut rng)).collect();
        let mut draft = RowDraft {
            constant: 0.0,
            segments: vec![Segment::same([phase, 1.0 - phase], entries)],
            expression: None,
        };
        let truth = [80.0, 60.0, -30.0, 10.0, 45.0, 20.0];
        let score: f64 = (draft.segments[0].entries.iter())
            .map(|&(slot, [c, _])| f64::from(c) * truth[slot.index()])
            .sum();
        let wins = rng.random::<f64>() < Sigmoid::new(1.0).expectation(score);
        let game = if row % 10 == 0 { row % 7 } else { 10 + row / 5 };
        let mut info = RowInfo::new(f64::from(u8::from(wins)), game);
        if kind == Kind::Everything {
            draft.constant = f64::from(row % 4) * 1.25;
            let more = (0..2).map(|_| entry(&mut rng)).collect::<Vec<_>>();
            draft.segments.push(Segment::same([0.1, 0.0], more));
            draft.expression = (row % 3 == 0).then(|| nonlinear(900.0 + f64::from(row % 5)));
            info.weight = 0.5 + f64::from(row % 3);
            info.search_score = (row % 4 > 0).then_some(score.round() as i32);
            if row % 11 == 0 {
                info.outcome = 0.375;
            }
        }
        set.push(&draft, &info).unwrap();
    }
    set
}

pub(crate) fn about() -> TraceFileInfo {
    TraceFileInfo {
        engine: "drawn".to_owned(),
        with_game: 7,
        examples: vec![Example {
            position: "a position".to_owned(),
            row: "its row".to_owned(),
        }],
        weights: vec![0.1, -3.0],
        ..TraceFileInfo::default()
    }
}

/// Writes rows in blocks of at most `block`, in pieces of another size.
pub(crate) fn write(set: &TraceSet, path: &Path, block: usize) -> String {
    let mut writer = TraceWriter::create(path, set.slots())
        .unwrap()
        .with_block_rows(block);
    writer.append(set).unwrap();
    writer.finish(about()).unwrap()
}

/// A folder, and where the file of rows is in it.
pub(crate) fn file(set: &TraceSet, block: usize) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.arrow");
    write(set, &path, block);
    (folder, path)
}

/// The same, opened.
pub(crate) fn opened(set: &TraceSet, block: usize) -> (TempDir, TraceFile) {
    let (folder, path) = file(set, block);
    let opened = TraceFile::open(&path).unwrap();
    (folder, opened)
}
