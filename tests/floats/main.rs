//! An evaluation of floats, from spec to generated file and back.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    unreachable_pub,
    reason = "a test whose modules stand for an engine's"
)]

mod eval;
mod game;
#[expect(
    dead_code,
    reason = "a generated file has more than this evaluation needs"
)]
mod tuned_weights;

use std::fmt::Write as _;
use std::path::Path;

use game::Floats;
use tuner_core::engine::{EngineRows, Evaluation, LinkedSpec, Positions, RecoveryOptions};
use tuner_core::fit::run::{FinishedRun, FitRun, PriorChoice, RunConfig, Variables};
use tuner_core::spec::codegen::{Language, Provenance, emit, emit_as};
use tuner_core::spec::{Spec, SpecDocument};
use tuner_core::testing::{assert_agrees, assert_recovers};

const SPEC: &str = include_str!("engine.toml");

/// Every position, so many times, with results that knights and rooks explain in part.
fn positions(times: usize) -> Positions {
    let mut lines = String::new();
    for code in (0..64).cycle().take(64 * times) {
        let counts = [code % 4, code / 4 % 4, code / 16];
        let result = [0.0, 0.0, 0.5, 0.5, 1.0, 1.0][counts[0] + lines.len() % 3];
        writeln!(
            lines,
            "{} {} {} [{result}]",
            counts[0], counts[1], counts[2]
        )
        .unwrap();
    }
    Positions::embedded("floats", Box::leak(lines.into_bytes().into_boxed_slice()))
}

/// The engine as the tuner asks it, and its spec.
fn linked() -> (Evaluation, LinkedSpec) {
    let evaluation = Evaluation::of(Floats).unwrap();
    let linked = LinkedSpec::of_text(evaluation.weights(), Path::new("engine.toml"), SPEC);
    (evaluation, linked.unwrap())
}

fn fitted<T>(read: impl FnOnce(&LinkedSpec, &FinishedRun<'_>, &Variables) -> T) -> T {
    let (evaluation, linked) = linked();
    let variables = linked.variables().unwrap();
    let mut rows = EngineRows::read(&evaluation, &linked, positions(50)).unwrap();
    let mut config = RunConfig {
        prior_choice: PriorChoice::Declared,
        ..RunConfig::default()
    };
    config.settings.prior = Some(1.0);
    config.settings.integers = true;
    config.settings.k = Some(100.0); // of scores in pawns
    let run = FitRun::new(&variables, config, &mut ()).unwrap();
    let run = run.run(&mut rows, &mut ()).unwrap();
    read(&linked, &run, &variables)
}

#[test]
fn the_file_is_that_of_the_spec() {
    let spec = Spec::parse(Path::new("engine.toml"), SPEC).unwrap();
    let text = emit(
        &spec,
        spec.layout().initial_counts(),
        &Provenance::default(),
    )
    .unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("floats/tuned_weights.rs");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&file, &text).unwrap();
    }
    assert_eq!(text, std::fs::read_to_string(file).unwrap());
    assert!(text.contains("= [3.000, 5.000, 0.400];"), "{text}");
}

#[test]
fn the_twin_agrees_and_its_weights_come_back() {
    let (evaluation, linked) = linked();
    assert_agrees(&evaluation, &linked, &positions(1));
    let options = RecoveryOptions {
        k: 100.0,
        ..RecoveryOptions::default()
    };
    assert_recovers(&evaluation, &linked, positions(200), &options);
}

#[test]
fn fitted_weights_are_multiples_of_their_steps() {
    fitted(|linked, run, variables| {
        let written = &run.fit.written;
        for (name, weight) in variables.names.iter().zip(written) {
            let step = match name.split(['[', '.']).next() {
                Some("MATERIAL") => 0.001,
                Some("TEAM") => 0.01,
                _ => 0.0625,
            };
            let steps = weight / step;
            assert!((steps - steps.round()).abs() < 1e-9, "{name} {weight}");
        }
        assert!(written.iter().any(|weight| weight.fract() != 0.0));
        let initial = linked.spec.layout().initial();
        let moved = written
            .iter()
            .zip(&initial)
            .filter(|(a, b)| (*a - *b).abs() > 1e-9);
        assert!(moved.count() > 5, "{written:?}");
        // What is written costs next to nothing.
        let rounding = run.fit.rounding.as_ref().unwrap();
        assert!(rounding.error - rounding.error_before < 1e-4);
    });
}

#[test]
fn fitted_weights_go_back_into_the_spec_and_out_again() {
    fitted(|linked, run, _| {
        let layout = linked.spec.layout();
        let counts = layout.counts(&run.fit.written).unwrap();
        let document = SpecDocument::parse(Path::new("engine.toml"), SPEC.to_owned()).unwrap();
        let text = document.with_values(&counts, Some("a fit"), None).unwrap();
        let again = Spec::parse(Path::new("engine.toml"), &text).unwrap();
        assert_eq!(again.layout().initial_counts(), counts);
        let lines = |text: &str| text.lines().filter(|l| !l.contains("initial")).count();
        assert_eq!(
            lines(&text),
            lines(SPEC) + 1,
            "`values` is new, nothing else\n{text}"
        );
        for language in Language::ALL {
            let code = emit_as(language, &again, &counts, &Provenance::default()).unwrap();
            let number = layout.parameters()[0].step.text(counts[0]);
            assert!(
                code.contains(&number) && number.contains('.'),
                "{number} in {code}"
            );
        }
        // The file of the fit itself says the same numbers.
        let file = linked.emit(run, None, None).unwrap();
        let numbers = |text: &str| {
            let at = text.find("pub const MATERIAL").unwrap();
            text[at..].to_owned()
        };
        let of_spec = emit(&again, &counts, &Provenance::default()).unwrap();
        assert_eq!(numbers(&file), numbers(&of_spec));
        // Finer numbers are refused, with the name.
        let mut finer = run.fit.written.clone();
        finer[1] += 0.0004;
        let error = layout.counts(&finer).unwrap_err().to_string();
        assert!(
            error.contains("MATERIAL[rook]") && error.contains("0.001"),
            "{error}"
        );
    });
}
