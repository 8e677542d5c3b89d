//! Rows that are not linear, coefficients that are not whole, rows without
//! curvature, parts of the rows.

use super::*;
use tuner_fit::model::Split;

fn named(slots: &[&str]) -> Data {
    Data::new(slots.iter().map(|&slot| slot.to_owned()).collect())
}

/// Rows that read three features in lane 0, the third in a factor of it.
fn push(data: &mut Data, rows: usize, factor: f64, expression: Option<&Expression>) {
    for _ in 0..rows {
        let [a, b] = [0; 2].map(|_: i32| data.rng.random_range(-3..=3));
        let segment = |factor: f64, slot: u32, count: i16| {
            Segment::same([factor, 0.0], [(Slot(slot), count)])
        };
        let draft = RowDraft {
            constant: 5.0,
            segments: vec![
                segment(1.0, 0, a),
                segment(1.0, 1, b),
                segment(factor, 2, a),
            ],
            expression: expression.cloned(),
        };
        data.push_draft(&draft);
    }
}

#[test]
fn coefficients_need_not_be_whole() {
    let mut data = named(&["A", "B", "C"]);
    push(&mut data, 500, 0.374_166, None);
    let found = data.directions();
    assert_eq!(
        sentences(&found),
        ["adding 3.74 to A.mg and taking 10 from C.mg changes no score in these positions"]
    );
    assert!(found[0].is_exact() && !found[0].is_whole());
    // Ratios of small whole numbers are such.
    let mut data = named(&["A", "B", "C"]);
    push(&mut data, 500, 1.5, None);
    assert_eq!(
        sentences(&data.directions()),
        ["adding 30 to A.mg and taking 20 from C.mg changes no score in these positions"]
    );
}

/// (L₀ − L₄)²/100 of the sums over lane 0 of the first and the third segment.
fn square_of_difference() -> Expression {
    Expression {
        steps: vec![
            Step::Input(0),
            Step::Input(4),
            Step::Neg(1),
            Step::Add(0, 2),
            Step::Nonlinear(NonlinearOp::Power(3, 2)),
            Step::Constant(0),
            Step::Nonlinear(NonlinearOp::Div(4, 5)),
        ],
        constants: vec![100.0],
    }
}

#[test]
fn what_is_flat_to_first_order_only_says_so() {
    let mut data = named(&["A", "B", "C"]);
    push(&mut data, 300, 1.0, Some(&square_of_difference()));
    push(&mut data, 300, 1.0, None);
    // A = C, where the square has no slope.
    let found = data.directions_of(&data.reduction(), &[8.0, 0.0, 3.0, 0.0, 8.0, 0.0]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].flatness, Flatness::FirstOrder);
    // 10 to A and −10 to C, three times each: 60²/100.
    assert_eq!(
        found[0].sentence(),
        "adding 10 to A.mg and taking 10 from C.mg changes no score to first order at these \
         weights; so large a change moves scores of these positions by up to 36.00"
    );
    // Elsewhere it has.
    assert_eq!(data.directions(), []);
}

#[test]
fn rows_that_are_not_linear_confirm_as_well() {
    // √((L₀ + L₄)² + 900): A and C stand for each other there too.
    let root = Expression {
        steps: vec![
            Step::Input(0),
            Step::Input(4),
            Step::Add(0, 1),
            Step::Nonlinear(NonlinearOp::Power(2, 2)),
            Step::Constant(0),
            Step::Add(3, 4),
            Step::Nonlinear(NonlinearOp::Sqrt(5)),
        ],
        constants: vec![900.0],
    };
    let mut data = named(&["A", "B", "C"]);
    push(&mut data, 300, 1.0, Some(&root));
    let found = data.directions();
    assert_eq!(found.len(), 1);
    assert!(found[0].is_exact(), "{found:?}");
}

#[test]
fn a_direction_that_only_decided_rows_tell_is_not_exact() {
    let mut data = named(&["A", "B", "C"]);
    push(&mut data, 300, 1.0, None);
    // No probability of it differs from 1, so it has no curvature.
    data.push_row([1.0, 0.0], &[1, 0, 0], 100_000.0);
    let found = data.directions();
    assert_eq!(found.len(), 1);
    assert!(matches!(found[0].flatness, Flatness::Near { inflation } if inflation > 1e9));
    assert!((found[0].largest_change - 10.0).abs() < 1e-6);
    assert!(found[0].sentence().contains("is over a million times what"));
}

#[test]
fn only_rows_of_the_part_count() {
    let mut data = named(&["A", "B", "C"]);
    push(&mut data, 2000, 1.0, None);
    let split = Split::new(0.3, 1);
    // Held-out games tell A from C.
    for game in (0..5000).filter(|&game| split.holds_out(game)).take(50) {
        let draft = RowDraft {
            segments: vec![Segment::same([1.0, 0.0], [(Slot(0), 1)])],
            ..RowDraft::default()
        };
        data.set.push(&draft, &RowInfo::new(0.5, game)).unwrap();
    }
    assert!(
        data.directions()
            .iter()
            .all(|direction| !direction.is_exact())
    );
    let reduction = data.reduction();
    let (loss, sigmoid, part) = (Loss::CrossEntropy, Sigmoid::new(1.0), Part::Train(split));
    let objective = Regression::new(&data.set, &reduction, loss, sigmoid, part).unwrap();
    let rows = PartRows {
        part,
        ..data.rows()
    };
    let x = somewhere(reduction.variables());
    let found = directions(&objective, rows, &x, &data.names(), &data.groups()).unwrap();
    assert_eq!(found.len(), 1);
    assert!(found[0].is_exact());
    assert!((1000..2000).contains(&found[0].rows), "{}", found[0].rows);
}

#[test]
fn a_part_of_a_table_is_counted() {
    let mut slots = board(&["knight"], 8);
    slots.push("CENTRE".to_owned());
    let mut data = Data::new(slots);
    data.push(2000, |rng, counts| {
        place(rng, counts, 1, 8);
        counts[9] = counts[1..6].iter().sum();
        counts[0] = 0;
    });
    assert_eq!(
        sentences(&data.directions()),
        [
            "adding 10 to 5 of the 8 PST[knight] and taking 10 from CENTRE changes no score in \
             these positions (mg and eg each on its own)"
        ]
    );
}

#[test]
fn too_many_variables_are_refused() {
    let slots = (0..=MOST_BY_MATRICES / 2)
        .map(|slot| format!("F[{slot}]"))
        .collect();
    let mut data = Data::new(slots);
    data.push(1, |_, counts| counts[0] = 1);
    let reduction = data.reduction();
    let (loss, sigmoid) = (Loss::Squared, Sigmoid::new(1.0));
    let objective = Regression::new(&data.set, &reduction, loss, sigmoid, Part::All).unwrap();
    let count = reduction.variables();
    let x = vec![0.0; count];
    let found = directions(&objective, data.rows(), &x, &data.names(), &[]);
    let error = found.unwrap_err().to_string();
    assert!(
        error.starts_with(&format!("not computed of {count} weights")),
        "{error}"
    );
}

#[test]
fn too_few_positions_are_said_to_be() {
    let mut data = Data::new(board(&["knight", "bishop", "rook", "queen", "pawn"], 64));
    data.push(100, |rng, counts| place(rng, counts, 5, 64));
    let reduction = data.reduction();
    let (loss, sigmoid) = (Loss::Squared, Sigmoid::new(1.0));
    let objective = Regression::new(&data.set, &reduction, loss, sigmoid, Part::All).unwrap();
    let x = vec![0.0; reduction.variables()];
    let error = directions(&objective, data.rows(), &x, &data.names(), &[]).unwrap_err();
    // Each position determines one.
    let error = error.to_string();
    let counts: Vec<usize> = error
        .split(' ')
        .filter_map(|word| word.parse().ok())
        .collect();
    assert!(
        matches!(counts[..], [open, read] if open + 100 == read),
        "{error}"
    );
    assert!(error.ends_with("; take more games"));
}
