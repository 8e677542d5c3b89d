//! Random evaluations and their twins: values, traces, first and second derivatives.
//!
//! 30 programs, seeds 1 to 30; `TUNER_PROGRAMS=500 TUNER_PROGRAM_SEED=1000 cargo test
//! --release -p tuner-program-tests` makes others. They are one crate, which the test
//! writes and compiles; then it asks its program for numbers, and compares them with
//! those of `program::run`.

use std::path::Path;

use crate::built::position;
use crate::program::Program;
use crate::program::run::{Outcome, Position, run};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Positions of each program.
const POSITIONS: usize = 24;

/// A program at a position, at its weights and at other ones.
struct Question<'a> {
    program: &'a Program,
    number: usize,
    position: Position,
    outcome: Outcome,
    other_weights: Vec<i64>,
    other: Outcome,
}

impl<'a> Question<'a> {
    /// Draws one; `None` where a score does not fit its type.
    fn draw(program: &'a Program, number: usize, rng: &mut ChaCha8Rng) -> Option<Self> {
        let own: Vec<i64> = program.weights().map(i64::from).collect();
        let position = position(rng);
        let other = own.iter().map(|&weight| weight + rng.random_range(-5..=5));
        let other_weights: Vec<i64> = other.collect();
        Some(Self {
            outcome: run(program, &own, &position).ok()?,
            other: run(program, &other_weights, &position).ok()?,
            program,
            number,
            position,
            other_weights,
        })
    }

    fn line(&self) -> String {
        crate::built::line(self.number, &self.position, &self.other_weights)
    }
}

/// What was compared.
#[derive(Debug, Default)]
struct Compared {
    values: usize,
    predicted: usize,
    derivatives: usize,
    seconds: usize,
}

impl Compared {
    fn compare(&mut self, question: &Question<'_>, answer: &str) {
        let seed = question.program.seed;
        let what = format!("program {seed}: {}", question.line());
        let numbers: Vec<f64> = answer.split(' ').map(|n| n.parse().unwrap()).collect();
        let head: [f64; 7] = numbers[..7].try_into().unwrap();
        let [production, twin, wrapped, exact, predicted, slack, flipped] = head;
        let outcome = &question.outcome;
        let score = outcome.score as f64;
        assert!(
            (production - score).abs() < 0.5,
            "{what}: {production}, not {score}"
        );
        assert!(
            (twin - score).abs() < 0.5,
            "{what}: twin {twin}, not {score}"
        );
        assert!(wrapped < 0.5, "{what}: wrapped");
        self.values += 1;
        let other = question.other.score as f64;
        assert!(
            (exact - other).abs() < 0.5,
            "{what}: elsewhere {exact}, not {other}"
        );
        // What truncation alone decides otherwise, real numbers cannot know.
        if flipped < 0.5 && question.other.decisions == outcome.decisions {
            let off = (predicted - other).abs();
            assert!(
                off <= slack,
                "{what}: elsewhere {other}, predicted {predicted} ± {slack}"
            );
            self.predicted += 1;
        }
        if outcome.at_kink {
            return;
        }
        let size = 1.0 + outcome.real.value.abs();
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (size + a.abs().max(b.abs()));
        let (first, second) = numbers[7..].split_at(outcome.real.first.len());
        for (weight, (&a, &b)) in first.iter().zip(&outcome.real.first).enumerate() {
            assert!(near(a, b), "{what}: derivative {weight}: {a}, not {b}");
            self.derivatives += usize::from(b != 0.0);
        }
        assert_eq!(second.len(), outcome.real.second.len(), "{what}");
        for (at, (&a, &b)) in second.iter().zip(&outcome.real.second).enumerate() {
            assert!(near(a, b), "{what}: second derivative {at}: {a}, not {b}");
            self.seconds += usize::from(b != 0.0);
        }
    }
}

#[test]
fn twins_of_random_programs_agree() {
    let (first, count) = crate::program::asked();
    let programs: Vec<Program> = (first..first + count)
        .map(crate::program::program)
        .collect();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("programs");
    let file = |program: &Program| {
        (
            format!("p{}", program.seed),
            crate::program::print::file(program),
        )
    };
    let files: Vec<_> = programs.iter().map(file).collect();
    let list = crate::program::print::list(&programs);
    let binary = crate::built::compiled(&folder, "harness.rs", &list, &files);
    let binary = binary.unwrap_or_else(|said| panic!("{said}"));
    let mut questions = Vec::new();
    for (number, program) in programs.iter().enumerate() {
        let mut rng = ChaCha8Rng::seed_from_u64(program.seed + 1_000_000);
        let drawn = (0..POSITIONS).filter_map(|_| Question::draw(program, number, &mut rng));
        questions.extend(drawn);
    }
    let lines: String = questions.iter().map(Question::line).collect();
    let answers = crate::built::answers(&binary, &folder, &lines);
    let mut found = Compared::default();
    for (question, answer) in questions.iter().zip(&answers) {
        found.compare(question, answer);
    }
    println!("{count} programs: {found:?}");
    let count = count as usize;
    assert!(
        found.values > 12 * count && found.predicted > 6 * count,
        "{found:?}"
    );
    assert!(
        found.derivatives > 12 * count && found.seconds > count,
        "{found:?}"
    );
}
