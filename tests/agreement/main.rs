//! `check` on evaluations with planted errors: each is found, and named.
//!
//! The game is a toy: a position is four small numbers, `knights rooks passers
//! side`, all from the first player's side.

#![allow(
    clippy::unwrap_used,
    dead_code,
    missing_docs,
    unreachable_pub,
    reason = "a test whose modules stand for an engine's"
)]

mod elsewhere;
mod eval;
mod toy;
mod weights;

use std::path::Path;

use toy::{Toy, check, positions, spec};
use tuner_core::data::OnBadLine;
use tuner_core::engine::{
    Differences, Link, Positions, RecoveryOptions, check_notes, check_words, recover,
};
use tuner_core::spec::Spec;
use tuner_core::testing::{assert_agrees, assert_recovers};

#[test]
fn an_honest_evaluation_agrees() {
    let found = check(Toy {
        production: eval::honest,
        twin: eval::__traced::honest,
    });
    assert_eq!(
        (found.mismatches, found.residuals.count, found.wrapped.count),
        (0, 0, 0)
    );
    assert!(!found.is_wrong() && !found.has_foreign_constants());
    assert_eq!(found.constants.positions, 0);
    assert!(found.never_read().is_empty());
}

#[test]
fn a_position_that_an_evaluation_panics_on_is_a_bad_line() {
    fn fits(position: &toy::Position) {
        assert!(position.rooks < 3, "no room for so many rooks");
    }
    let toys = [
        Toy {
            production: |position| {
                fits(position);
                eval::honest(position)
            },
            twin: eval::__traced::honest,
        },
        Toy {
            production: eval::honest,
            twin: |position| {
                let score = eval::__traced::honest(position);
                fits(position);
                score
            },
        },
    ];
    for toy in toys {
        let error = toy::read(toy, OnBadLine::Stop).unwrap_err().to_string();
        let said = "the evaluation panicked: no room for so many rooks";
        assert!(error.contains("toy:13") && error.contains(said), "{error}");
        assert!(error.contains("--on-bad-line skip"), "{error}");
        // Without them all is as if they had not been there.
        let found = toy::read(toy, OnBadLine::Skip).unwrap();
        assert_eq!(
            (found.traces.len(), found.report.files[0].rejected),
            (96, 32)
        );
        assert!(!found.agreement.is_wrong() && !found.agreement.has_foreign_constants());
    }
}

#[test]
fn a_table_nobody_declared_is_named() {
    let found = check(Toy {
        production: eval::with_table,
        twin: eval::__traced::with_table,
    });
    assert_eq!(found.mismatches, 0, "the value alone shows nothing");
    assert!(found.has_foreign_constants());
    let place = found.constants.suspicious.first().unwrap();
    assert!(
        place.contains("agreement/eval.rs") && place.contains("UNDECLARED"),
        "{place}"
    );
}

#[test]
fn a_hash_shortcut_is_named() {
    let found = check(Toy {
        production: eval::with_cache,
        twin: eval::__traced::with_cache,
    });
    assert_eq!(found.mismatches, 0, "the value alone shows nothing");
    assert!(found.has_foreign_constants());
    assert!(found.unexplained.count > 0 && found.unexplained.first.is_some());
    let place = found.constants.suspicious.first().unwrap();
    assert!(
        place.contains("agreement/eval.rs") && place.contains("cached"),
        "{place}"
    );
}

#[test]
fn a_wrong_sign_is_named() {
    let found = check(Toy {
        production: eval::honest,
        twin: eval::__traced::with_wrong_sign,
    });
    assert!(found.is_wrong() && found.mismatches > 0);
    let example = found.examples.first().unwrap();
    assert!(!example.position.is_empty() && (example.production - example.twin).abs() > 0.5);
    let spec = Spec::parse(Path::new("toy.toml"), spec::GOOD).unwrap();
    let culprit = found.culprit(spec.layout()).unwrap();
    assert_eq!(culprit.parameter, "PASSER");
    assert!(
        culprit
            .sentence("production", "the twin")
            .contains("sign is wrong"),
        "{}",
        culprit.sentence("production", "the twin")
    );
}

#[test]
fn literals_that_join_the_score_are_reported_and_allowed() {
    for (production, twin, literal) in [
        (
            eval::with_literal as fn(&_) -> _,
            eval::__traced::with_literal as fn(&_) -> _,
            "`30`",
        ),
        (eval::with_one, eval::__traced::with_one, "`1`"),
    ] {
        let found = check(Toy { production, twin });
        assert!(!found.is_wrong() && !found.has_foreign_constants());
        let (place, (positions, _)) = found.constants.sites.first_key_value().unwrap();
        assert!(place.contains(literal) && *positions > 0, "{place}");
    }
}

/// What is counted without a weight has no literal to make one of.
#[test]
fn a_count_that_joins_the_score_may_have_a_weight() {
    let found = check(Toy {
        production: eval::with_count,
        twin: eval::__traced::with_count,
    });
    let spec = Spec::parse(Path::new("toy.toml"), spec::GOOD).unwrap();
    let words = check_words(&found, &Differences::default(), spec.layout()).join("\n");
    let cure = "multiply what is counted there by a const of its own, which is 1 so far, or trace the file of the \
             consts that are read there (in Rust `tuner new` once more, with `--trace FILE`)";
    assert!(words.contains(cure), "{words}");
}

/// What scores are multiplied by adds nothing to them, and is named all the same.
#[test]
fn a_factor_from_elsewhere_is_named_and_a_frozen_one_is_none() {
    let toy = |production, twin| check(Toy { production, twin });
    let found = toy(eval::with_factor, eval::__traced::with_factor);
    assert!(found.constants.worst.is_none() && found.has_foreign_constants());
    let spec = Spec::parse(Path::new("toy.toml"), spec::GOOD).unwrap();
    let words = check_words(&found, &Differences::default(), spec.layout()).join("\n");
    assert!(
        words.contains("take part in what is not linear")
            && words.contains("`WHOLE`: a plain number joins the score on 128 positions"),
        "{words}"
    );
    let found = toy(eval::with_frozen_factor, eval::__traced::with_frozen_factor);
    assert!(!found.has_foreign_constants(), "{:?}", found.constants);
    // No literal is to become a const there.
    let notes = check_notes(&found, spec.layout()).join("\n");
    assert!(notes.contains("  frozen consts join scores: "), "{notes}");
}

#[test]
fn a_material_of_literals_is_refused() {
    let found = check(Toy {
        production: eval::with_literals,
        twin: eval::__traced::with_literals,
    });
    assert!(!found.is_wrong() && found.constants.suspicious.is_empty());
    assert!(found.constants.vary() && found.has_foreign_constants());
}

#[test]
fn weights_that_only_one_side_knows_are_named() {
    let link = |text| {
        let spec = Spec::parse(Path::new("toy.toml"), text).unwrap();
        Link::new(HONEST.linked().0.weights(), spec.layout())
            .unwrap_err()
            .mistakes
    };
    let missing = link(spec::WITHOUT_PASSER);
    assert_eq!(missing.len(), 1);
    assert!(missing[0].contains("agreement/weights.rs:") && missing[0].contains("`PASSER`"));
    let unknown = link(spec::WITH_QUEEN);
    assert!(unknown[0].contains("`QUEEN`") && unknown[0].contains("annotate"));
    let shape = link(spec::WITH_SHORT_ROOKS);
    assert!(
        shape[0].contains("`ROOKS`") && shape[0].contains("[4]") && shape[0].contains("[3]"),
        "{shape:?}"
    );
}

#[test]
fn an_overflow_of_the_production_type_is_found() {
    let found = check(Toy {
        production: eval::narrow,
        twin: eval::__traced::narrow,
    });
    assert!(found.wrapped.count > 0 && found.is_wrong());
}

const HONEST: Toy = Toy {
    production: eval::honest,
    twin: eval::__traced::honest,
};

#[test]
fn an_author_can_assert_that_the_twin_agrees() {
    let agrees = |toy: Toy| {
        let (evaluation, linked) = toy.linked();
        assert_agrees(
            &evaluation,
            &linked,
            &Positions::embedded("toy", positions(1)),
        );
    };
    agrees(HONEST);
    let wrong = Toy {
        production: eval::honest,
        twin: eval::__traced::with_wrong_sign,
    };
    let asserted = std::panic::catch_unwind(|| agrees(wrong));
    let panic = asserted.unwrap_err();
    let words = panic.downcast_ref::<String>().unwrap();
    for part in ["do not agree", "mismatches", "sign is wrong"] {
        assert!(words.contains(part), "{part}: {words}");
    }
}

#[test]
fn an_author_can_assert_that_known_weights_come_back() {
    let all = || Positions::embedded("toy", positions(200));
    let options = RecoveryOptions::default();
    let (evaluation, linked) = HONEST.linked();
    assert_recovers(&evaluation, &linked, all(), &options);
    let recovery = |options| recover(&evaluation, &linked, all(), options).unwrap();
    let found = recovery(&options);
    assert!(found.positions > 25_000 && found.unseen.is_empty());
    // They were drawn, and found by the results: none is where it was.
    assert!(found.weights.len() >= 5, "{:?}", found.weights);
    assert!(found.mean_square() < 3.0, "{:?}", found.weights);
    let precise = found.weights.iter().filter(|w| w.standard_error < 3.0);
    assert!(precise.count() >= 3, "{:?}", found.weights);
    assert_eq!(recovery(&options), found);
    let other = recovery(&RecoveryOptions { seed: 2, ..options });
    assert_ne!(other, found);
    // What does not come back is named.
    let mut lost = found;
    lost.weights[1].estimate = lost.weights[1].truth + 6.0 * lost.weights[1].standard_error;
    let names: Vec<&str> = lost.lost().iter().map(|w| w.name.as_str()).collect();
    assert_eq!(names, [lost.weights[1].name.as_str()]);
    assert!(!lost.is_complete());
}
