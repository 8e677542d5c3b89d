//! Tables whose entries are literals and other consts: those of a type, frozen
//! ones, weights, and entries of other tables.

use std::ops::{Add, Neg};

use tuner_core::engine::Link;
use tuner_core::spec::Spec;
use tuner_core::spec::source::{Choice, Sources, import};
use tuner_core::trace::{Declared, Registry};
use tuner_protocol::{WeightTable, weight_lines};

use crate::support::{assert_derivatives, registry};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mixed(i32, i32);

impl Mixed {
    const NULL: Self = Self(0, 0);
    const EVEN: Self = Self::new(9, 9);

    const fn new(mg: i32, eg: i32) -> Self {
        Self(mg, eg)
    }
}

impl Add for Mixed {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0, self.1 + other.1)
    }
}

impl Neg for Mixed {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }
}

const MIXED_UNIT: i32 = 4;
const MIXED_STEP: i32 = 6;
const MIXED_ZERO: Mixed = Mixed(0, 0);
#[tuner_core::frozen]
const MIXED_BASE: Mixed = Mixed::new(2, 1);
const MIXED_BISHOP: Mixed = Mixed(30, 40);
/// Seven entries with twelve numbers of their own in seven would not say which.
const MIXED_PAIRS: [Mixed; 7] = [
    Mixed::NULL,
    Mixed(1, 2),
    MIXED_ZERO,
    MIXED_BISHOP,
    Mixed(5, 6),
    Mixed::EVEN,
    Mixed(3, 3),
];
const MIXED_COUNTS: [[i32; 3]; 2] = [[1, MIXED_STEP, 3], [MIXED_UNIT, -MIXED_STEP, 5]];

pub fn evaluate(index: usize) -> i32 {
    let pair = MIXED_PAIRS[index] + MIXED_PAIRS[4] + MIXED_PAIRS[3] + MIXED_BASE;
    pair.0 + 2 * pair.1 + MIXED_COUNTS[1][index % 3] + MIXED_COUNTS[0][index % 3]
}

#[cfg(feature = "tune")]
tuner_core::traced!(frozen(MIXED_UNIT, MIXED_ZERO));

#[test]
fn entries_that_are_consts_follow_them() {
    for index in 0..7 {
        let (score, ..) = crate::support::derivatives(|| __traced::evaluate(index));
        assert_eq!(score, f64::from(evaluate(index)), "{index}");
    }
    let always = [
        ("MIXED_BISHOP0", 1.0),
        ("MIXED_BISHOP1", 2.0),
        ("MIXED_PAIRS2", 1.0),
        ("MIXED_PAIRS3", 2.0),
    ];
    let first = [&always[..], &[("MIXED_COUNTS0", 1.0)]].concat();
    assert_derivatives(|| __traced::evaluate(0), &first);
    // The other const counts twice in the row and once here with a minus.
    let fifth = [
        &always[..],
        &[("MIXED_COUNTS1", 1.0), ("MIXED_COUNTS2", 1.0)],
    ]
    .concat();
    assert_derivatives(|| __traced::evaluate(5), &fifth);
}

/// The registered items of this file, numbered from 0.
fn items() -> Vec<Declared> {
    let mut items = registry().parameters.to_vec();
    items.retain(|item| item.name.starts_with("MIXED_"));
    let mut first = 0;
    for item in &mut items {
        item.first = first;
        first += item.values.len() as u32;
    }
    items
}

fn linked(spec: &str) -> Result<Vec<f64>, String> {
    let spec = Spec::parse(std::path::Path::new("mixed.toml"), spec).unwrap();
    let parameters: &'static [Declared] = items().leak();
    let weights = weight_lines(&Registry { parameters });
    let weights = WeightTable::read(weights.lines()).unwrap();
    let link = Link::new(&weights, spec.layout());
    let link = link.map_err(|error| error.to_string())?;
    Ok(link.source_weights())
}

const SPEC: &str = r#"
version = 1
name = "mixed"
[[parameter]]
name = "MIXED_STEP"
initial = 6
[[parameter]]
name = "MIXED_BISHOP"
phases = ["mg", "eg"]
initial = [30, 40]
[[parameter]]
name = "MIXED_PAIRS"
shape = [7]
phases = ["mg", "eg"]
frozen = ["[0]", "[2]", "[5]"]
initial = [[0, 0], [1, 2], [0, 0], [30, 40], [5, 6], [9, 9], [3, 3]]
[[parameter]]
name = "MIXED_COUNTS"
shape = [2, 3]
frozen = ["[1][0]"]
initial = [[1, 6, 3], [4, -6, 5]]
[[tie]]
entry = "MIXED_COUNTS[0][1]"
to = "MIXED_STEP"
[[tie]]
entry = "MIXED_COUNTS[1][1]"
to = "MIXED_STEP"
factor = -1
"#;

#[test]
fn an_entry_that_is_a_const_is_tied_or_frozen_in_the_spec() {
    let tie = "[[tie]]\nentry = \"MIXED_PAIRS[3]\"\nto = \"MIXED_BISHOP\"\n";
    let values = linked(&format!("{SPEC}{tie}")).unwrap();
    let counts = [1.0, 6.0, 3.0, 4.0, -6.0, 5.0];
    assert_eq!(values[values.len() - 6..], counts);
    let words = linked(SPEC).unwrap_err();
    let expected = "MIXED_PAIRS[3].mg has no literal in the source, as its entry is another const, \
                    and is free in the spec; tie it to that const (`[[tie]]`), or list it in `frozen`";
    assert!(words.contains(expected), "{words}");
}

#[test]
fn the_import_ties_and_freezes_such_entries() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("twins/mixed.rs");
    let sources = Sources::read(&[path]).unwrap();
    let text = import(&sources, &Choice::default(), "mixed").unwrap().text;
    let tie = |entry: &str, to: &str| format!("[[tie]]\nentry = \"{entry}\"\nto = \"{to}\"\n");
    for part in [
        "frozen = [\"[0]\", \"[2]\", \"[5]\"]",
        "frozen = [\"[1][0]\"]",
        &tie("MIXED_PAIRS[3]", "MIXED_BISHOP"),
        &tie("MIXED_COUNTS[0][1]", "MIXED_STEP"),
        &(tie("MIXED_COUNTS[1][1]", "MIXED_STEP") + "factor = -1\n"),
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}
