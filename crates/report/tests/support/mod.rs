//! Records made here, as a run would leave them.

use tuner_report::{
    AblationRecord, CalibrationAtRecord, CalibrationBinRecord, CalibrationRecord,
    CalibrationTableRecord, DataProfileBinRecord, DataProfileRecord, DataRecord, DifferenceRecord,
    EstimateRecord, ExaminedRecord, FoldsRecord, GroupRecord, IterationRecord, JudgementRecord,
    LearningCurveRecord, LearningPointRecord, NoiseRecord, PositionsOfGameRecord,
    PriorChoiceRecord, PriorGroupRecord, RunRecord, SolverRecord, SpecRecord, WeightRecord, Word,
    WorstPositionRecord, WorthRecord,
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
        examined: Some(examined()),
        learning_curve: Some(LearningCurveRecord {
            points: (1..=5_u32)
                .map(|n| LearningPointRecord {
                    part: Some(f64::from(n) / 5.0),
                    games: Some(90 * u64::from(n)),
                    held_out: Some(difference(-0.0006 * f64::from(n), 0.0005)),
                })
                .collect(),
            with_twice_the_games: Some(0.0988),
        }),
        folds: Some(FoldsRecord {
            folds: (0..5).map(|_| difference(-0.003, 0.001)).collect(),
            all: Some(difference(-0.003, 0.0004)),
        }),
        ablations: vec![AblationRecord {
            group: "PST".to_owned(),
            without: Some(difference(0.002, 0.0004)),
            unchanged: Some(difference(0.001, 0.0003)),
        }],
        ..RunRecord::default()
    }
}

/// What the positions of a run said.
fn examined() -> ExaminedRecord {
    let at = |off: f64| CalibrationAtRecord {
        expected_error: Some(off.abs()),
        by_chance: Some(0.003),
        tables: ["score", "phase"]
            .map(|by| CalibrationTableRecord {
                by: by.to_owned(),
                bins: (0..6_u32)
                    .map(|n| CalibrationBinRecord {
                        label: format!("{} to {}", 10 * n, 10 * n + 10),
                        positions: Some(100),
                        games: Some(50),
                        expectation: Some(0.1 * f64::from(n)),
                        outcome: Some(0.1 * f64::from(n) + off),
                        residual: Some(off),
                        reach: Some(0.02),
                        stands_out: off.abs() > 0.02,
                    })
                    .collect(),
            })
            .to_vec(),
    };
    let bin = |label: &str| DataProfileBinRecord {
        label: label.to_owned(),
        positions: Some(600),
        wins: Some(300),
        draws: Some(200),
        losses: Some(100),
    };
    ExaminedRecord {
        resolved: false,
        calibration: Some(CalibrationRecord {
            held_out: Some(true),
            positions: Some(1000),
            before: at(0.05),
            after: at(-0.01),
        }),
        worst: [CHESS, SHOGI].map(worst).to_vec(),
        profile: Some(DataProfileRecord {
            positions: Some(1200),
            wins: Some(600),
            draws: Some(400),
            losses: Some(200),
            games: Some(100),
            positions_of_game: Some(PositionsOfGameRecord {
                fewest: Some(1),
                mean: Some(12.0),
                most: Some(40),
            }),
            duplicates: Some(12),
            contradictions: Some(3),
            by_phase: vec![bin("1 to 4 men"), bin("29 to 32 men")],
            by_ply: vec![bin("0 to 19")],
            by_side: vec![bin("first player"), bin("second player")],
            ..DataProfileRecord::default()
        }),
        left_out: None,
    }
}

pub const CHESS: &str = "r1bq1rk1/pp2bppp/2n2n2/3p4/3P4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 10";
pub const SHOGI: &str = "lnsgk1snl/1r4gb+P/p1ppppppp/9/1p7/9/PP1PPPPPP/1B5R1/LNSGKGSNL b 2Pp 12";

/// A position that is explained badly.
pub fn worst(position: &str) -> WorstPositionRecord {
    WorstPositionRecord {
        position: position.to_owned(),
        file: "games.tsv".to_owned(),
        line: Some(17),
        game: Some(4),
        outcome: Some(1.0),
        scores: [Some(-250.0), Some(-312.0)],
        expectations: [Some(0.19), Some(0.14)],
        search_score: Some(20.0),
        loss: Some(0.74),
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
