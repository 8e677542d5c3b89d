//! Records made here, as a run would leave them.

use tuner_report::{
    DataRecord, DifferenceRecord, EstimateRecord, GroupRecord, IterationRecord, JudgementRecord,
    NoiseRecord, PriorChoiceRecord, PriorGroupRecord, RunRecord, SolverRecord, SpecRecord,
    WeightRecord, Word, WorthRecord,
};

/// A weight that was fitted, with numbers that depend on `seed`.
pub fn weight(name: &str, seed: usize) -> WeightRecord {
    let before = (seed * 37 % 101) as f64 - 50.0;
    let data = before + (seed * 53 % 41) as f64 - 20.25;
    WeightRecord {
        name: name.to_owned(),
        status: Word::Fitted,
        before: Some(before),
        value: Some(data.round()),
        standard_error: Some(2.5 + (seed % 7) as f64),
        data: Some(EstimateRecord {
            value: Some(data),
            standard_error: Some(3.0 + (seed % 11) as f64),
        }),
        changed: seed.is_multiple_of(9),
        advice: Some([Word::Keep, Word::Unclear, Word::Drop][seed % 3]),
        games: Some(100 + seed as u64),
    }
}

/// A judged run of these weights.
pub fn run(names: &[String]) -> RunRecord {
    let weights = names.iter().enumerate();
    RunRecord {
        error: Some(0.0987),
        held_out_error: Some(0.0998),
        k: Some(0.91),
        loss: Some("squared".to_owned()),
        termination: "small-decrease".into(),
        positions_fitted: Some(9000),
        positions_held_out: Some(1000),
        spec: Some(SpecRecord {
            name: "toy".to_owned(),
            hash: "0123".to_owned(),
        }),
        data: Some(DataRecord {
            fingerprint: Some("abcd".to_owned()),
            positions: Some(10_000),
            games: Some(500),
            ..DataRecord::default()
        }),
        solver: SolverRecord {
            undetermined: Some(3),
            records: (0..6).map(iteration).collect(),
            ..SolverRecord::default()
        },
        prior_choice: Some(PriorChoiceRecord {
            by: Some("evidence".to_owned()),
            groups: vec![PriorGroupRecord {
                name: "PST".to_owned(),
                deviation: Some(8.5),
                weights: Some(64),
                determined: Some(12.5),
            }],
            ..PriorChoiceRecord::default()
        }),
        judgement: Some(JudgementRecord {
            verdict: Word::Better,
            held_out: Some(difference(-0.0033, 0.0005)),
            fitted: Some(difference(-0.0038, 0.0002)),
            noise: Some(NoiseRecord {
                observed: Some(0.13),
                observed_error: Some(0.12),
                predicted: Some(0.26),
            }),
            games_known: Some(true),
            games: Some(450),
            clusters: Some(450),
            weights: weights.map(|(seed, name)| weight(name, seed)).collect(),
            groups: vec![GroupRecord {
                name: "PST".to_owned(),
                fitted: Some(60),
                weights: Some(64),
                p_zero: Some(0.0001),
                p_change: Some(0.2),
                advice: Some(Word::Keep),
                worth: Some(WorthRecord {
                    fitted: Some(1e-4),
                    expected: Some(8e-5),
                    standard_error: Some(1e-5),
                }),
                worth_of_change: None,
            }],
            ..JudgementRecord::default()
        }),
        ..RunRecord::default()
    }
}

fn difference(difference: f64, standard_error: f64) -> DifferenceRecord {
    DifferenceRecord {
        before: Some(0.103),
        after: Some(0.103 + difference),
        difference: Some(difference),
        standard_error: Some(standard_error),
        games: Some(50),
    }
}

fn iteration(number: u64) -> IterationRecord {
    let error = 0.0987 + 0.004 / (1.0 + number as f64);
    IterationRecord {
        iteration: Some(number),
        method: Some("gauss-newton".to_owned()),
        error: Some(error),
        objective: Some(error + 0.0002),
        held_out_error: Some(error + 0.001),
        seconds: Some(0.1 * number as f64),
    }
}

/// Names of boards, grids, lines and single weights.
pub fn names() -> Vec<String> {
    let phases = |name: String| [format!("{name}.mg"), format!("{name}.eg")];
    let boards = ["knight", "king"].into_iter();
    let boards =
        boards.flat_map(|piece| (0..64).map(move |square| format!("PST[{piece}][{square}]")));
    let shogi = (0..81).map(|square| format!("GOLD[{square}]"));
    let grid = (0..14).map(|n| format!("SHELTER[{}][{}]", n / 7, n % 7));
    let line = (0..9).map(|n| format!("MOBILITY[{n}]"));
    let named = ["pawn", "rook"].map(|piece| format!("MATERIAL[{piece}]"));
    boards
        .flat_map(phases)
        .chain(shogi)
        .chain(grid.flat_map(phases))
        .chain(line)
        .chain(named)
        .chain(["TEMPO.mg", "TEMPO.eg", "LIMIT"].map(str::to_owned))
        .collect()
}

/// Names that would do harm where they were not escaped or cut.
pub fn hostile() -> Vec<String> {
    let long = "A".repeat(100_000);
    [
        "<script>alert(1)</script>[0].mg",
        "<script>alert(1)</script>[1].mg",
        "\"onload=\"x",
        "A' style='x",
        "</style></title><img src=x onerror=y>",
        "\u{1b}[31m\u{1b}]0;title\u{7}",
        "line\nfeed\ttab\r\u{9b}\u{0}",
        "\u{202e}gnp.exe",
        "駒の価値[歩].eg",
        "é&amp;[</details>]",
        "[][[]]",
        "",
        &long,
    ]
    .map(str::to_owned)
    .to_vec()
}
