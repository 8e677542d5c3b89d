//! What is said of fits of data that say little, or nothing: a statement or an error
//! each, and no number that is none.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use tuner_base::{LaneId, Slot, WeightId};
use tuner_fit::run::{FitRun, FixedRows, PriorChoice, RunConfig, Variables};
use tuner_fit::{Settings, WeightGroup};
use tuner_judge::{FitVerdict, Judgement, WeightStatus, judge};
use tuner_rows::{RowDraft, RowInfo, Segment, TraceSet};
use tuner_solve::{PriorSpec, Reduction, ReductionParts};

/// Slots, of two weights each.
const SLOTS: usize = 4;
const WEIGHTS: usize = 2 * SLOTS;

/// Positions of a game.
const OF_GAME: u32 = 6;

/// What is special of some data.
struct Data {
    games: u32,
    /// The result of a position by its number and what its first entry counts.
    outcome: fn(&mut ChaCha8Rng, u32, i16) -> f64,
    phase: fn(u32) -> f64,
    /// What the first entry counts by the number of the position, where not by chance.
    first: Option<fn(u32) -> i16>,
    constant: f64,
    /// Times what an entry counts otherwise.
    count: i16,
    /// Whether the last slot is in a position at all.
    last: bool,
    games_known: bool,
    bounds: (f64, f64),
    prior: Option<f64>,
    held_out: f64,
    /// The weights before: each slot's first, and the second with the other sign.
    before: f64,
}

fn drawn(rng: &mut ChaCha8Rng, _: u32, count: i16) -> f64 {
    let expected = 0.5 + 0.08 * f64::from(count);
    if rng.random_bool(expected) { 1.0 } else { 0.0 }
}

impl Default for Data {
    fn default() -> Self {
        Self {
            games: 200,
            outcome: drawn,
            phase: |number| f64::from(number % 25) / 24.0,
            first: None,
            constant: 0.0,
            count: 1,
            last: true,
            games_known: true,
            bounds: (f64::NEG_INFINITY, f64::INFINITY),
            prior: None,
            held_out: 0.0,
            before: 0.0,
        }
    }
}

impl Data {
    fn judged(&self) -> Judgement {
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        let mut set = TraceSet::new(SLOTS);
        for number in 0..self.games * OF_GAME {
            let mut counts: Vec<i16> = (0..SLOTS).map(|_| rng.random_range(-3..=3)).collect();
            if let Some(first) = self.first {
                counts[0] = first(number);
            }
            let entries = (0..).map(Slot).zip(counts.iter().map(|c| self.count * c));
            let entries = entries.take(if self.last { SLOTS } else { SLOTS - 1 });
            let phase = (self.phase)(number);
            let draft = RowDraft {
                constant: self.constant,
                segments: vec![Segment::same([phase, 1.0 - phase], entries)],
                ..RowDraft::default()
            };
            let outcome = (self.outcome)(&mut rng, number, counts[0]);
            let game = if self.games_known {
                number / OF_GAME
            } else {
                number
            };
            set.push(&draft, &RowInfo::new(outcome, game)).unwrap();
        }
        let names: Vec<String> = (0..WEIGHTS)
            .map(|weight| format!("T[{}].{}", weight / 2, ["mg", "eg"][weight % 2]))
            .collect();
        let before: Vec<f64> = (0..WEIGHTS)
            .map(|weight| [self.before, -self.before][weight % 2])
            .collect();
        let mut bounds = [(f64::NEG_INFINITY, f64::INFINITY); WEIGHTS];
        bounds[0] = self.bounds;
        let lanes: Vec<LaneId> = (0..WEIGHTS as u32).map(LaneId).collect();
        let reduction = Reduction::new(&ReductionParts {
            lane_count: WEIGHTS,
            lanes: &lanes,
            frozen: &[false; WEIGHTS],
            ties: &[],
            bounds: &bounds,
            constraints: &[],
            initial: &before,
        });
        let variables = Variables {
            reduction: reduction.unwrap(),
            groups: vec![WeightGroup {
                name: "T".to_owned(),
                weights: (0..WEIGHTS).map(WeightId).collect(),
            }],
            names,
            initial: Some(before),
            prior: PriorSpec::default(),
        };
        let config = RunConfig {
            settings: Settings {
                k: Some(1.0),
                prior: self.prior,
                held_out: self.held_out,
                ..Settings::default()
            },
            prior_choice: PriorChoice::Declared,
            ..RunConfig::default()
        };
        let run = FitRun::new(&variables, config, &mut ()).unwrap();
        let mut rows = FixedRows::in_memory(set, self.games_known);
        let finished = run.run(&mut rows, &mut ()).unwrap();
        let judgement = judge(&finished, &rows).unwrap();
        assert_finite(&judgement);
        judgement
    }
}

/// Asserts that every number is one: JSON has no other, and writes null.
fn assert_finite(judgement: &Judgement) {
    let mut numbers = Vec::new();
    for weight in &judgement.weights {
        numbers.extend([weight.before, weight.value]);
        numbers.extend(
            [weight.standard_error, weight.p_zero, weight.p_change]
                .iter()
                .flatten(),
        );
        numbers.extend(weight.data.iter().flat_map(|d| [d.value, d.standard_error]));
        numbers.extend(weight.change());
    }
    for table in &judgement.tables {
        numbers.extend([table.mean, table.standard_error, table.common]);
        for entry in &table.entries {
            numbers.extend([entry.value, entry.standard_error, entry.share]);
            numbers.extend([entry.p_zero, entry.p_change].iter().flatten());
        }
    }
    for group in &judgement.groups {
        numbers.extend([group.p_zero, group.p_change].iter().flatten());
        for worth in [group.worth, group.worth_of_change].into_iter().flatten() {
            numbers.extend([worth.fitted, worth.expected, worth.standard_error]);
        }
    }
    for frozen in &judgement.frozen {
        numbers.extend([frozen.z, frozen.value]);
        numbers.extend(
            frozen
                .change
                .iter()
                .flat_map(|c| [c.value, c.standard_error]),
        );
    }
    for difference in [judgement.fitted, judgement.held_out].into_iter().flatten() {
        numbers.extend([difference.difference, difference.standard_error]);
    }
    numbers.extend([judgement.reach, judgement.determined].iter().flatten());
    if let Some(noise) = &judgement.noise {
        let all = [noise.observed, noise.observed_error, noise.predicted];
        numbers.extend(all.iter().flatten());
    }
    assert!(
        numbers.iter().all(|number| number.is_finite()),
        "{judgement:?}"
    );
}

/// Bits without a pattern, the same for all positions of a game.
fn game_hash(number: u32) -> u32 {
    (number / OF_GAME + 1).wrapping_mul(0x9e37_79b9) >> 8
}

fn words(judgement: &Judgement) -> String {
    judgement.words().join("\n")
}

#[test]
fn positions_without_games_have_errors_that_are_said_to_be_too_small() {
    let judgement = Data {
        games_known: false,
        ..Data::default()
    }
    .judged();
    assert!(!judgement.games_known);
    assert!(words(&judgement).contains("all errors are too small"));
}

#[test]
fn positions_of_a_game_on_both_sides_are_no_verdict() {
    // In three games of four who has more of the first entry wins.
    let data = |games_known| Data {
        outcome: |_, number, count| {
            let as_expected = !game_hash(number).is_multiple_of(4);
            f64::from(u8::from((count > 0) == as_expected))
        },
        first: Some(|number| if game_hash(number) & 16 == 0 { 2 } else { -2 }),
        games_known,
        held_out: 0.3,
        prior: Some(50.0),
        ..Data::default()
    };
    let judgement = data(false).judged();
    assert!(judgement.game_by_game);
    assert_eq!(judgement.verdict, FitVerdict::NotJudged);
    let said = words(&judgement);
    assert!(
        said.contains("held out are of games that were fitted too"),
        "{said}"
    );
    assert!(said.contains("give games, or the id of the game"), "{said}");
    // With the games it is a verdict.
    let judgement = data(true).judged();
    assert!(!judgement.game_by_game);
    assert_eq!(judgement.verdict, FitVerdict::Better);
}

#[test]
fn one_game_has_no_errors_and_the_reason_is_said() {
    let judgement = Data {
        games: 1,
        ..Data::default()
    }
    .judged();
    assert!(
        judgement
            .weights
            .iter()
            .all(|weight| weight.standard_error.is_none())
    );
    let words = words(&judgement);
    assert!(
        words.contains("no standard errors: all positions are of one game"),
        "{words}"
    );
}

#[test]
fn few_games_have_errors_that_are_said_to_be_too_small() {
    let judgement = Data {
        games: 20,
        ..Data::default()
    }
    .judged();
    let words = words(&judgement);
    assert!(
        words.contains("standard errors are too small: 20 games for 8 weights"),
        "{words}"
    );
    // Student's t with 19 degrees of freedom.
    assert!((judgement.reach.unwrap() - 2.093).abs() < 1e-3);
    let many = Data::default().judged();
    assert!(!many.words().join("\n").contains("too small"));
}

#[test]
fn draws_alone_say_nothing_of_errors() {
    for prior in [None, Some(20.0)] {
        let judgement = Data {
            outcome: |_, _, _| 0.5,
            prior,
            ..Data::default()
        }
        .judged();
        assert!(
            judgement
                .weights
                .iter()
                .all(|weight| weight.advice.is_none())
        );
        assert!(
            judgement
                .weights
                .iter()
                .all(|weight| weight.standard_error.is_none())
        );
        let words = words(&judgement);
        assert!(
            words.contains("all results are predicted exactly"),
            "{words}"
        );
    }
}

#[test]
fn wins_alone_say_nothing_of_errors_or_are_separated() {
    let judgement = Data {
        outcome: |_, _, _| 1.0,
        constant: 50.0,
        prior: Some(20.0),
        ..Data::default()
    }
    .judged();
    // One side always wins, so all that a weight does is to be against chance.
    for weight in &judgement.weights {
        assert!(
            weight.standard_error.is_none_or(|error| error > 0.0),
            "{weight:?}"
        );
    }
}

#[test]
fn separated_weights_have_no_interval() {
    // Who has more of the first entry wins.
    let judgement = Data {
        outcome: |_, _, count| f64::from(count.signum() + 1) / 2.0,
        ..Data::default()
    }
    .judged();
    let separated = |s: &&tuner_judge::WeightStatement| s.status == WeightStatus::Separated;
    for weight in judgement.weights.iter().filter(separated) {
        assert!(
            weight.standard_error.is_none() && weight.data.is_none(),
            "{weight:?}"
        );
    }
    let first = &judgement.weights[..2];
    let is_said = first
        .iter()
        .all(|weight| weight.status == WeightStatus::Separated);
    assert!(
        is_said || judgement.without_errors.is_some(),
        "{judgement:?}"
    );
}

#[test]
fn a_weight_at_its_bound_has_no_interval_and_where_it_would_go() {
    let judgement = Data {
        bounds: (-5.0, 5.0),
        ..Data::default()
    }
    .judged();
    let weight = &judgement.weights[0];
    assert_eq!((weight.status, weight.value), (WeightStatus::AtBound, 5.0));
    assert!(weight.standard_error.is_none() && judgement.interval(weight).is_none());
    let beyond = &judgement.frozen[0];
    assert_eq!(
        (&*beyond.name, beyond.status),
        ("T[0].mg", WeightStatus::AtBound)
    );
    assert!(beyond.change.unwrap().value > 5.0, "{beyond:?}");
    // The data that pushed it there are no test of it.
    assert!(!beyond.would_move, "{beyond:?}");
}

#[test]
fn weights_that_no_position_reads_are_said_to_be_unseen() {
    let judgement = Data {
        last: false,
        ..Data::default()
    }
    .judged();
    for weight in &judgement.weights[WEIGHTS - 2..] {
        assert_eq!((weight.status, weight.games), (WeightStatus::Unseen, 0));
        assert!(weight.standard_error.is_none() && weight.advice.is_none());
    }
}

#[test]
fn openings_alone_say_nothing_of_endings() {
    for prior in [None, Some(20.0)] {
        let judgement = Data {
            phase: |_| 1.0,
            prior,
            ..Data::default()
        }
        .judged();
        for weight in judgement.weights.iter().skip(1).step_by(2) {
            assert_eq!(weight.status, WeightStatus::Unseen, "{weight:?}");
            assert!(weight.standard_error.is_none() && weight.advice.is_none());
        }
        assert!(judgement.weights[0].standard_error.is_some());
    }
}

#[test]
fn scores_far_too_large_have_errors_as_large_as_the_prior() {
    for prior in [None, Some(20.0)] {
        let judgement = Data {
            constant: 1e6,
            prior,
            ..Data::default()
        }
        .judged();
        for weight in &judgement.weights {
            // Such positions say nothing of any weight.
            let error = weight.standard_error;
            assert!(error.is_none_or(|error| error > 10.0), "{weight:?}");
            assert!(!weight.changed, "{weight:?}");
        }
    }
    let judgement = Data {
        count: 10_000,
        held_out: 0.3,
        ..Data::default()
    }
    .judged();
    assert!(judgement.held_out.is_some());
}

/// Only the sum of a slot's weights counts, so where they were before is as good as any other split.
#[test]
fn a_direction_without_data_is_no_change() {
    let [near, far] = [0.0, 5000.0].map(|before| {
        let data = Data {
            phase: |_| 0.5,
            before,
            ..Data::default()
        };
        data.judged()
    });
    let p =
        |of: &Judgement| -> Vec<f64> { of.weights.iter().map(|w| w.p_change.unwrap()).collect() };
    for (near, far) in p(&near).into_iter().zip(p(&far)) {
        assert!((near - far).abs() < 1e-3, "{near} {far}");
    }
    let changed = |of: &Judgement| of.weights.iter().filter(|w| w.changed).count();
    assert_eq!(changed(&near), changed(&far));
    let [near, far] = [&near, &far].map(|of| of.groups[0].p_change.unwrap());
    assert!((near - far).abs() < 1e-3, "{near} {far}");
}
