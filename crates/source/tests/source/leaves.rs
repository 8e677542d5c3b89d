//! Which parts of an initialiser are weights.

use syn::Expr;
use tuner_source::{Extent, Holds, Leaves, Scan, each_weight};

fn expr(text: &str) -> Expr {
    syn::parse_str(text).unwrap()
}

fn values(text: &str) -> Vec<f64> {
    Leaves::of(&expr(text)).values().collect()
}

fn at(text: &str, extent: Extent) -> &str {
    &text[extent.start.byte_range().start..extent.end.byte_range().end]
}

#[test]
fn arithmetic_on_literals_is_one_weight() {
    for (text, value) in [
        ("30", 30.0),
        ("1_000i16", 1000.0),
        ("0x1F", 31.0),
        ("-5", -5.0),
        ("- (5)", -5.0),
        ("2 * 30", 60.0),
        ("-(3 + 4)", -7.0),
        ("(2 * 30) as i16", 60.0),
        ("7 / 2 - -7 / 2", 6.0),
        ("-7 % 4", -3.0),
        ("1 << 4 | 1", 17.0),
        ("-8 >> 1", -4.0),
        ("300 as u8 as i32", 44.0),
        ("-1 as u16", 65535.0),
        ("200 as i8", -56.0),
        ("2.5 as i32", 2.0),
        ("1e9 as i16", 32767.0),
        ("3 as Score", 3.0),
        ("1f64", 1.0),
        ("1.5 * 3.0", 4.5),
        ("7 as f64 / 2.0", 3.5),
    ] {
        assert_eq!(values(text), [value], "{text}");
    }
}

#[test]
fn a_value_derived_from_names_holds_no_weight() {
    for text in [
        "BASE + 5",
        "MATERIAL[0] / 2",
        "2 * 30 + BASE",
        "S(1, 2) + S(3, 4)",
        "1 / 0",
        "2.0 * 3",
    ] {
        let leaves = Leaves::of(&expr(text));
        assert!(
            !leaves.derived.is_empty() && leaves.leaves.is_empty(),
            "{text}: {leaves:?}"
        );
    }
    let text = "[S(1, 2), S(BASE * 2, 4)]";
    let leaves = Leaves::of(&expr(text));
    assert_eq!(leaves.values().collect::<Vec<_>>(), [1.0, 2.0, 4.0]);
    assert_eq!(at(text, leaves.derived[0]), "BASE * 2");
}

#[test]
fn literals_elsewhere_are_none() {
    for text in [
        "A[3]",
        "{ 5 }",
        "|x: i32| 5",
        "if true { 1 } else { 2 }",
        "table.map(3)",
        "[A; 8]",
        "\"5\"",
        "true",
        "-BASE",
    ] {
        let leaves = Leaves::of(&expr(text));
        let none = leaves.leaves.is_empty() && leaves.derived.is_empty();
        assert!(none, "{text}: {leaves:?}");
    }
}

#[test]
fn shapes_count_arrays_around_an_entry() {
    for (text, dims, lanes) in [
        ("5", &[][..], 1),
        ("S(3, -8)", &[], 2),
        ("s!(3, -8)", &[], 2),
        ("Score::new(3, -8)", &[], 2),
        ("Score { mg: 3, eg: -8 }", &[], 2),
        ("(3, -8)", &[], 2),
        ("[1, 2, 3]", &[3], 1),
        ("&[[1, 2, 3], [4, 5, 6]]", &[2, 3], 1),
        ("[[[S(1, 2)]]]", &[1, 1, 1], 2),
        ("[[S(1, 2); 4]; 2]", &[2, 4], 2),
        ("SquareMap::from_array([1, 2, 3])", &[3], 1),
        (
            "[Table([S(1, 2), S(3, 4)]), Table([S(5, 6), S(7, 8)])]",
            &[2, 2],
            2,
        ),
        ("Table { entries: [1, 2] }", &[2], 1),
        ("[Score::from(1), Score::from(2)]", &[2], 1),
    ] {
        let leaves = Leaves::of(&expr(text));
        assert_eq!(
            (leaves.dims.as_slice(), leaves.lanes()),
            (dims, lanes),
            "{text}"
        );
        let entries: usize = dims.iter().product();
        assert_eq!(leaves.leaves.len(), entries * lanes, "{text}");
    }
}

#[test]
fn a_leaf_knows_its_place() {
    for (text, written) in [
        ("- 5", "- 5"),
        ("S(( -5 ) as i16)", "-5"),
        ("[é(1), é(2 * 30)]", "1"),
        ("-(3 + 4)", "-(3 + 4)"),
    ] {
        let leaf = &Leaves::of(&expr(text)).leaves[0];
        assert_eq!(&text[leaf.bytes.clone()], written);
    }
    let text = "[7; 3]";
    let leaves = Leaves::of(&expr(text)).leaves;
    assert_eq!(leaves.len(), 3);
    assert!(leaves.iter().all(|leaf| &text[leaf.bytes.clone()] == "7"));
}

#[test]
fn lengths_that_are_no_small_number_are_named() {
    for text in ["[7; SQUARES]", "[7; 70_000]", "[[7; 60_000]; 60_000]"] {
        let leaves = Leaves::of(&expr(text));
        assert_eq!(leaves.lengths.len(), 1, "{text}");
    }
    assert!(Leaves::of(&expr("[7; 0]")).leaves.is_empty());
}

#[test]
fn weights_are_visited_in_order_and_replaced() {
    let mut table = expr("[S(1, BASE + 2); 2]");
    let mut seen = Vec::new();
    each_weight(&mut table, &mut |weight| {
        seen.push(weight.clone());
        *weight = expr("x");
    });
    assert_eq!(seen, [expr("1"), expr("1")]);
    assert_eq!(table, expr("[S(x, BASE + 2), S(x, BASE + 2)]"));
}

#[test]
fn tables_of_numbers_that_are_no_weights_are_not_written_out() {
    let text = "type Board = u64;
                static ATTACKS: [[Board; 1024]; 1024] = [[0; 1024]; 1024];
                const TABLE: [[i32; 2]; 2] = [[3; 2]; 2];";
    let scan = Scan::of(&[text]).unwrap();
    let (attacks, table) = (&scan.consts[0], &scan.consts[1]);
    assert_eq!(attacks.holds, Holds::Nothing("u64".to_owned()));
    assert!(attacks.literals.is_empty());
    assert_eq!((table.literals.len(), scan.repeats.len()), (4, 2));
    assert!(
        table
            .literals
            .iter()
            .all(|literal| literal.array == Some(0))
    );
}
