#![allow(clippy::unwrap_used)] // a failing test may end with a panic
#![allow(clippy::float_cmp)] // exactness is what is tested

use super::*;
use tuner_base::Fingerprint;
use tuner_trace::{Expression, NonlinearOp, Step};

/// A row with one tapered and one untapered segment.
fn draft(i: u32) -> RowDraft {
    let phase = f64::from(i % 25) / 24.0;
    RowDraft {
        constant: f64::from(i % 3),
        segments: vec![
            Segment {
                factors: [phase, 1.0 - phase],
                entries: vec![(Slot(3), [-2, -2]), (Slot(0), [5, 7]), (Slot(3), [1, -3])],
            },
            Segment::same([1.0, 0.0], [(Slot(4), 1), (Slot(2), 0)]),
        ],
        expression: None,
    }
}

/// What the set must return, computed the plain way.
fn plain_score(draft: &RowDraft, lanes: &[f64]) -> f64 {
    draft.segments.iter().fold(draft.constant, |sum, segment| {
        segment.entries.iter().fold(sum, |sum, &(slot, [c, d])| {
            let slot = slot.index();
            let [f, g] = segment.factors;
            sum + f64::from(c) * f * lanes[2 * slot] + f64::from(d) * g * lanes[2 * slot + 1]
        })
    })
}

fn set_of(rows: std::ops::Range<u32>) -> TraceSet {
    let mut set = TraceSet::new(5);
    for i in rows {
        let mut info = RowInfo::new(f64::from(i % 3) / 2.0, i / 10);
        info.search_score = (i % 700 == 3).then_some(-5);
        set.push(&draft(i), &info).unwrap();
    }
    set
}

#[test]
fn scores_are_those_of_the_draft() {
    let set = set_of(0..1000);
    let lanes: Vec<f64> = (0..10).map(|j| f64::from(j * j) - 20.0).collect();
    for i in [0, 1, 255, 256, 257, 999] {
        let expected = plain_score(&draft(i), &lanes);
        assert!((set.score(i as usize, &lanes) - expected).abs() < 1e-12 * expected.abs().max(1.0));
    }
    assert_eq!(set.row(3).search_score(), Some(-5));
    assert_eq!(set.row(4).search_score(), None);
    assert_eq!((set.len(), set.games()), (1000, 100));
}

/// Two rows of three are not linear, each in its own way.
fn nonlinear(i: u32) -> RowDraft {
    let mut steps = vec![
        Step::Input(0),
        Step::Constant(0),
        Step::Nonlinear(NonlinearOp::Mul(0, 1)),
    ];
    if i % 3 == 2 {
        steps.push(Step::Neg(2));
    }
    let constants = vec![f64::from(i)];
    RowDraft {
        expression: (!i.is_multiple_of(3)).then_some(Expression { steps, constants }),
        ..draft(i)
    }
}

#[test]
fn joined_sets_keep_the_expression_of_each_row() {
    let set_of = |rows: &[u32]| {
        let mut set = TraceSet::new(5);
        for &i in rows {
            set.push(&nonlinear(i), &RowInfo::new(0.5, i)).unwrap();
        }
        set
    };
    // Linear ones alone first, between and last; shapes in another order.
    let parts: [&[u32]; 5] = [&[0, 3], &[4, 5, 6, 7], &[9], &[8, 1, 2], &[12]];
    let whole = set_of(&parts.concat());
    let mut joined = set_of(&[]);
    for part in parts {
        joined.append(&set_of(part));
    }
    let lanes: Vec<f64> = (0..10).map(f64::from).collect();
    assert_eq!(joined.fingerprint(), whole.fingerprint());
    for (row, &i) in parts.concat().iter().enumerate() {
        assert_eq!(joined.score(row, &lanes), whole.score(row, &lanes));
        let constants = joined
            .row(row)
            .expression()
            .map(|expression| expression.constants);
        assert_eq!(
            constants,
            (!i.is_multiple_of(3)).then(|| vec![f64::from(i)])
        );
    }
    let mut other = nonlinear(4);
    let mut sets = [set_of(&[4]), set_of(&[])];
    if let Some(expression) = &mut other.expression {
        expression.steps.push(Step::Neg(2));
    }
    sets[1].push(&other, &RowInfo::new(0.5, 4)).unwrap();
    assert_ne!(sets[0].fingerprint(), sets[1].fingerprint());
}

#[test]
fn rows_with_other_traces_are_as_if_pushed_so() {
    let set_of = |drafts: &[RowDraft]| {
        let mut set = TraceSet::new(5);
        for (draft, i) in drafts.iter().zip(0..) {
            let mut info = RowInfo::new(f64::from(i % 3) / 2.0, i / 10);
            info.search_score = (i % 5 == 0).then_some(-5);
            set.push(draft, &info).unwrap();
        }
        set
    };
    // Linear ones in place of others and the other way round, with new tokens.
    let before: Vec<RowDraft> = (0..600).map(nonlinear).collect();
    let mut after = before.clone();
    for (number, draft) in after.iter_mut().enumerate().step_by(7) {
        *draft = nonlinear(1000 + number as u32 / 2);
        let entries = vec![(Slot(1), [number as i16, 1])];
        draft.segments.push(Segment {
            factors: [0.3, 0.1],
            entries,
        });
    }
    let mut set = set_of(&before);
    let rows = |set: &TraceSet| (0..600).map(|row| set.pushed_as(row)).collect::<Vec<_>>();
    assert_eq!(rows(&set), (0..600).collect::<Vec<_>>());
    set.finish();
    let order = rows(&set);
    assert_ne!(order, (0..600).collect::<Vec<_>>());
    let numbers = order.iter().copied().enumerate();
    let changed = numbers.filter(|(_, number)| number % 7 == 0);
    let changed = changed.map(|(row, number)| (row, after[number].clone()));
    let found = set.with_traces(&changed.collect()).unwrap();
    assert_eq!(rows(&found), order);
    // The same set, read in the order of the other.
    let expected = set_of(&after);
    let lanes: Vec<f64> = (0..10).map(|j| f64::from(j * j) - 20.0).collect();
    for (row, &number) in order.iter().enumerate() {
        let (found, expected) = (found.row(row), expected.row(number));
        assert_eq!(found.score(&lanes), expected.score(&lanes));
        assert_eq!(found.expression(), expected.expression());
        assert_eq!(
            (found.game(), found.outcome(), found.search_score()),
            (expected.game(), expected.outcome(), expected.search_score())
        );
    }
    let same = set.with_traces(&std::collections::BTreeMap::new()).unwrap();
    assert_eq!(same.fingerprint(), set.fingerprint());
    let mut joined = set.clone();
    joined.append(&found);
    assert_eq!(joined.pushed_as(700), 600 + order[100]);
}

/// In checkpoints and trace files, so it must never change without a version.
#[test]
fn the_fingerprint_is_that_of_the_documented_numbers() {
    let mut set = TraceSet::new(5);
    let mut info = RowInfo::new(0.5, 7);
    set.push(&draft(3), &info).unwrap();
    info.search_score = Some(-5);
    set.push(&nonlinear(4), &info).unwrap();
    let mut hash = Fingerprint::new();
    hash.text("rows 1");
    let bits = f64::to_bits;
    for row in [3, 4] {
        let phase = f64::from(row) / 24.0;
        let steps = Fingerprint::of_bytes(
            &[7, 0, 0, 1, 0, 4, 0, 1].map(u64::to_le_bytes).concat(), // f₀·c₀
        );
        let mut words = vec![bits(0.5), bits(1.0), bits(f64::from(row % 3)), 7];
        words.extend(if row == 3 {
            vec![0, 0, 0, 0]
        } else {
            vec![1, (-5_i64).cast_unsigned(), steps, 1, bits(4.0)]
        });
        words.extend([bits(phase), bits(1.0 - phase), 2]);
        words.extend([5 << 16 | 7, 3 << 32 | 0xffff_u64 << 16 | 0xfffb]);
        words.extend([bits(1.0), bits(0.0), 1, 4 << 32 | 1 << 16 | 1]);
        hash.list(words.into_iter());
    }
    assert_eq!(set.fingerprint(), hash.hex());
    assert_eq!(set.fingerprint(), "91fa86d0b0d6735e");
}

#[test]
fn rows_that_are_skipped_lead_to_those_that_are_looked_up() {
    let set = set_of(0..2000);
    let lanes: Vec<f64> = (0..10).map(f64::from).collect();
    let scores = |row: Row<'_>| (row.game(), row.score(&lanes));
    for step in [1, 2, 255, 256, 257, 700, 1999, 2000, 5000] {
        let stepped: Vec<_> = set.rows(3..2000).step_by(step).map(scores).collect();
        let looked_up: Vec<_> = (3..2000)
            .step_by(step)
            .map(|at| scores(set.row(at)))
            .collect();
        assert_eq!(stepped, looked_up, "{step}");
    }
    assert!(set.rows(3..2000).nth(usize::MAX).is_none());
}

#[test]
fn joined_sets_equal_one_set() {
    let lanes: Vec<f64> = (0..10).map(f64::from).collect();
    let whole = set_of(0..1500);
    let mut joined = set_of(0..0);
    for part in [0..7, 7..600, 600..600, 600..1500] {
        joined.append(&set_of(part));
    }
    assert_eq!(joined.len(), whole.len());
    for (a, b) in whole.rows(0..1500).zip(joined.rows(0..1500)) {
        assert_eq!(a.score(&lanes), b.score(&lanes));
        assert_eq!((a.outcome(), a.game()), (b.outcome(), b.game()));
        assert_eq!(a.search_score(), b.search_score());
    }
    assert_eq!(joined.row(1234).score(&lanes), whole.score(1234, &lanes));
}

#[test]
fn more_than_65535_entries_and_slots_work() {
    let slots = 200_000_u32;
    let entries = (0..slots)
        .rev()
        .map(|slot| (Slot(slot), (slot % 7) as i16 - 3));
    let repeated = std::iter::repeat_n((Slot(70_000), i16::MAX), 70_000);
    let row = RowDraft {
        constant: 0.0,
        segments: vec![
            Segment::same([1.0, 0.5], entries),
            Segment::same([0.25, 0.0], repeated),
        ],
        expression: None,
    };
    let mut set = TraceSet::new(slots as usize);
    set.push(&row, &RowInfo::new(1.0, 0)).unwrap();
    set.push(&RowDraft::default(), &RowInfo::new(0.0, 1))
        .unwrap();
    let lanes: Vec<f64> = (0..2 * slots).map(|j| f64::from(j % 11)).collect();
    assert_eq!(set.score(0, &lanes), plain_score(&row, &lanes));
    assert_eq!(set.score(1, &lanes), 0.0);
}

#[test]
fn keeps_the_budget() {
    let mut set = TraceSet::new(100);
    let mut entries = 0;
    for i in 0..10_000_u32 {
        let phase = f64::from(i % 25) / 24.0;
        let row = RowDraft {
            constant: f64::from(i % 50) + 0.1,
            segments: vec![Segment::same(
                [phase, 1.0 - phase],
                (0..30).map(|k| (Slot((i + 3 * k) % 100), 1)),
            )],
            expression: None,
        };
        entries += 30;
        set.push(&row, &RowInfo::new(0.5 * f64::from(i % 3), i))
            .unwrap();
    }
    set.finish();
    assert!(
        set.bytes() <= 4 * entries + 24 * set.len() + 1000,
        "{} bytes",
        set.bytes()
    );
}

#[test]
fn refuses_what_is_not_a_number_or_not_there() {
    let mut set = TraceSet::new(5);
    let good = draft(1);
    let mut bad = draft(1);
    bad.constant = f64::NAN;
    assert!(matches!(
        set.push(&bad, &RowInfo::new(0.5, 0)),
        Err(RowError::NotFinite(..))
    ));
    let mut bad = draft(1);
    bad.segments[0].entries.push((Slot(5), [1, 1]));
    assert_eq!(
        set.push(&bad, &RowInfo::new(0.5, 0)),
        Err(RowError::SlotOutOfRange {
            slot: Slot(5),
            slots: 5
        })
    );
    assert!(matches!(
        set.push(&good, &RowInfo::new(1.5, 0)),
        Err(RowError::Outcome(_))
    ));
    let info = RowInfo {
        weight: -1.0,
        ..RowInfo::new(0.5, 0)
    };
    assert!(matches!(set.push(&good, &info), Err(RowError::Weight(_))));
    assert!(set.is_empty());
}
