//! A generic struct of tables under an alias, in files of their own: of pairs it holds
//! the weights, of plain numbers the features that the engine counts itself. And a score
//! type whose methods macros write.

use crate::support::{assert_derivatives, derivatives, registry};

#[path = "generic/eval.rs"]
mod eval;
#[path = "generic/score.rs"]
mod score;
#[path = "generic/tables.rs"]
mod tables;

#[test]
fn an_alias_of_a_generic_struct_holds_weights_and_another_does_not() {
    let found = registry().parameters.iter();
    let found = found.filter(|p| p.file.contains("generic/"));
    let names: Vec<_> = found.map(|p| (p.name, p.dims, p.lanes)).collect();
    let expected: [(&str, &[usize], usize); 4] = [
        ("ALL_TERMS_TABLES_MEN", &[2], 2),
        ("ALL_TERMS_TABLES_RANKS", &[3], 2),
        ("ALL_TERMS_BONUS", &[], 2),
        ("SECOND_ROW", &[2], 1),
    ];
    assert_eq!(names, expected);

    let (score, ..) = derivatives(|| eval::__traced::evaluate(&[0, 2], true));
    assert_eq!(score, f64::from(eval::evaluate(&[0, 2], true)));
    assert_derivatives(
        || eval::__traced::evaluate(&[0, 2], true),
        &[
            ("ALL_TERMS_TABLES_MEN2", 1.5),
            ("ALL_TERMS_TABLES_MEN3", 0.5),
            ("ALL_TERMS_TABLES_RANKS0", 0.75),
            ("ALL_TERMS_TABLES_RANKS1", 0.25),
            ("ALL_TERMS_TABLES_RANKS4", 0.75),
            ("ALL_TERMS_TABLES_RANKS5", 0.25),
            ("ALL_TERMS_BONUS0", 0.75),
            ("ALL_TERMS_BONUS1", 0.25),
            ("SECOND_ROW1", 1.0),
        ],
    );
    assert_eq!(eval::counted(&[0, 2]).tables.ranks, [1, 0, 1]);
}
