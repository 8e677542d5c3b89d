//! Records made here, as a run would leave them.

use tuner_data::tools::ResultCounts;
use tuner_engine::examine::{FittedPositions, WorstPosition};
use tuner_engine::notes::{DataProfile, DataProfileBin, PositionsOfGame};
use tuner_fit::run::OptionsSnapshot;
use tuner_judge::{
    Ablation, Advice, Bin, BinTable, Calibration, CalibrationAt, CrossValidation, ErrorDifference,
    FitVerdict, GroupStatement, Judgement, LearningCurve, LearningPoint, NoiseShare, Residual,
    WdlModel, WdlSample, WeightEstimate, WeightStatement, WeightStatus, Worth, fit_wdl,
};
use tuner_record::{
    ChosenPrior, DataRecord, EvidencePrior, GroupDeviation, NamedValues, NodeTime, RUN_FORMAT,
    RunRecord, SolverRecord, SpecRecord, StandingRecord, TermRecord, TermWorth,
};
use tuner_solve::{Cost, Method, Record, Summary, Termination};

/// A weight that was fitted, with numbers that depend on `seed`.
pub fn weight(name: &str, seed: usize) -> WeightStatement {
    let before = (seed * 37 % 101) as f64 - 50.0;
    let data = before + (seed * 53 % 41) as f64 - 20.25;
    WeightStatement {
        name: name.to_owned(),
        status: WeightStatus::Fitted,
        before,
        value: data.round(),
        standard_error: Some(2.5 + (seed % 7) as f64),
        data: Some(WeightEstimate {
            value: data,
            standard_error: 3.0 + (seed % 11) as f64,
        }),
        p_zero: Some(0.01),
        p_change: Some(0.02),
        changed: seed.is_multiple_of(9),
        advice: Some([Advice::Keep, Advice::Unclear, Advice::Drop][seed % 3]),
        games: 100 + seed as u32,
    }
}

/// A judged run of these weights.
pub fn run(names: &[String]) -> RunRecord {
    let weights = names.iter().enumerate();
    let judgement = Judgement {
        held_out: Some(difference(-0.0033, 0.0005)),
        fitted: Some(difference(-0.0038, 0.0002)),
        noise: Some(NoiseShare {
            observed: Some(0.13),
            observed_error: Some(0.12),
            predicted: Some(0.26),
        }),
        clusters: 450,
        weights: weights.map(|(seed, name)| weight(name, seed)).collect(),
        groups: vec![GroupStatement {
            name: "PST".to_owned(),
            fitted: 60,
            weights: 64,
            p_zero: Some(0.0001),
            p_change: Some(0.2),
            advice: Some(Advice::Keep),
            worth: Some(Worth {
                fitted: 1e-4,
                expected: 8e-5,
                standard_error: 1e-5,
            }),
            worth_of_change: None,
        }],
        ..judgement(FitVerdict::Better)
    };
    let summary = Summary {
        undetermined: Some(3),
        records: (0..6).map(iteration).collect(),
        ..bare().solver.summary
    };
    RunRecord {
        held_out_error: Some(0.0998),
        verdict: judgement.verdict,
        judgement,
        examined: examined(),
        spec: Some(SpecRecord {
            name: "toy".to_owned(),
            hash: "0123".to_owned(),
        }),
        solver: SolverRecord {
            summary,
            ..bare().solver
        },
        prior_choice: Some(ChosenPrior::Evidence(EvidencePrior {
            unit: 0.01,
            ln_evidence: 42.0,
            clusters: 450,
            rounds: 5,
            declared_scale: 1.0,
            groups: vec![GroupDeviation {
                name: "PST".to_owned(),
                deviation: 8.5,
                weights: 64,
                determined: 12.5,
            }],
            pools: vec![GroupDeviation {
                name: "PST".to_owned(),
                deviation: 3.25,
                weights: 56,
                determined: 7.5,
            }],
        })),
        learning_curve: Some(LearningCurve {
            points: (1..=5_u32)
                .map(|n| LearningPoint {
                    part: f64::from(n) / 5.0,
                    games: 90 * n as usize,
                    held_out: difference(-0.0006 * f64::from(n), 0.0005),
                })
                .collect(),
            with_twice_the_games: Some(0.0988),
        }),
        folds: Some(CrossValidation {
            folds: (0..5).map(|_| difference(-0.003, 0.001)).collect(),
            all: Some(difference(-0.003, 0.0004)),
        }),
        ablations: vec![Ablation {
            group: "PST".to_owned(),
            without: Some(difference(0.002, 0.0004)),
            unchanged: Some(difference(0.001, 0.0003)),
            weights: Vec::new(),
        }],
        terms: vec![TermRecord {
            group: "PST".to_owned(),
            worth: Some(TermWorth::Needed),
            standing: StandingRecord {
                games: 400,
                elo: Some(-33.0),
                elo_interval: Some([None, Some(-12.0)]),
                ..StandingRecord::default()
            },
            node_time: Some(NodeTime {
                ratio: 0.97,
                interval: [0.96, 0.98],
            }),
        }],
        ..bare()
    }
}

/// A judgement that says nothing of weights.
pub fn judgement(verdict: FitVerdict) -> Judgement {
    Judgement {
        verdict,
        advice: None,
        held_out: None,
        fitted: None,
        noise: None,
        games_known: true,
        game_by_game: false,
        games: 450,
        clusters: 0,
        without_errors: None,
        approximate_curvature: false,
        reach: Some(1.96),
        determined: None,
        weights: Vec::new(),
        tables: Vec::new(),
        frozen: Vec::new(),
        groups: Vec::new(),
        directions: Vec::new(),
        undetermined: Vec::new(),
        correlated: Vec::new(),
    }
}

/// The record of a run of no weights, without all that a run need not have.
pub fn bare() -> RunRecord {
    let at = CalibrationAt {
        expected_error: 0.0,
        by_chance: None,
        tables: Vec::new(),
    };
    let calibration = Calibration {
        held_out: false,
        positions: 0,
        before: at.clone(),
        after: at,
    };
    RunRecord {
        format: RUN_FORMAT,
        tuner: String::new(),
        command: String::new(),
        date: "2026-11-28 17:05".to_owned(),
        error: 0.0987,
        held_out_error: None,
        k: 0.91,
        loss: "squared".to_owned(),
        iterations: 5,
        passes: 9,
        seconds: 0.5,
        termination: Termination::SmallDecrease,
        held_out_error_at_start: None,
        prior: None,
        positions_fitted: 9000,
        positions_held_out: 1000,
        rounding: None,
        search: None,
        effective_games: 450.0,
        links: 0,
        held: 0,
        flipped: 0,
        fallback: None,
        solver: SolverRecord {
            summary: Summary {
                initial_error: 0.103,
                error: 0.0987,
                objective: 0.0989,
                held_out_error: None,
                termination: Termination::SmallDecrease,
                iterations: 5,
                cost: Cost {
                    curvature_evaluations: 3,
                    passes: 9,
                    score_passes: 0,
                    seconds: 0.5,
                },
                gradient: 1e-9,
                unseen: Vec::new(),
                undetermined: None,
                separated: Vec::new(),
                at_bound: Vec::new(),
                kept: Vec::new(),
                binding: Vec::new(),
                fallbacks: Vec::new(),
                records: Vec::new(),
            },
            followed: Vec::new(),
            pinned: Vec::new(),
        },
        weights: NamedValues::default(),
        target: None,
        weigh: "positions".to_owned(),
        against_results: None,
        anchor: None,
        prior_choice: None,
        initial: None,
        spec: None,
        data: DataRecord {
            fingerprint: "abcd".to_owned(),
            files_fingerprint: "ef01".to_owned(),
            positions: 10_000,
            games: 500,
            rejected: 0,
            bytes_per_position: 100.0,
            streamed: false,
            files: Vec::new(),
        },
        options: OptionsSnapshot::default(),
        sources: None,
        verdict: FitVerdict::NotJudged,
        learning_curve: None,
        folds: None,
        ablations: Vec::new(),
        terms: Vec::new(),
        judgement: judgement(FitVerdict::NotJudged),
        examined: FittedPositions::of_rows(calibration, "traces keep no positions".to_owned()),
        fast_games: None,
        refused: None,
        timings: None,
    }
}

/// What the positions of a run said.
fn examined() -> FittedPositions {
    let at = |off: f64| CalibrationAt {
        expected_error: off.abs(),
        by_chance: Some(0.003),
        tables: ["score", "phase"]
            .map(|by| BinTable {
                by: by.to_owned(),
                bins: (0..6_u32)
                    .map(|n| Bin {
                        label: format!("{} to {}", 10 * n, 10 * n + 10),
                        positions: 100,
                        games: 50,
                        means: Residual {
                            expectation: 0.1 * f64::from(n),
                            outcome: 0.1 * f64::from(n) + off,
                            residual: off,
                        },
                        standard_error: Some(0.01),
                        reach: Some(0.02),
                        p_zero: None,
                        stands_out: off.abs() > 0.02,
                    })
                    .collect(),
                other_positions: 0,
                mean_size: Some(off.abs()),
            })
            .to_vec(),
    };
    let results = |positions: u64| ResultCounts {
        positions,
        wins: positions / 2,
        draws: positions / 3,
        losses: positions / 6,
    };
    let bin = |label: &str| DataProfileBin {
        label: label.to_owned(),
        results: results(600),
    };
    FittedPositions {
        resolved: false,
        calibration: Calibration {
            held_out: true,
            positions: 1000,
            before: at(0.05),
            after: at(-0.01),
        },
        worst: [CHESS, SHOGI].map(worst).to_vec(),
        profile: Some(DataProfile {
            results: results(1200),
            games: Some(100),
            without_game: 0,
            positions_of_game: Some(PositionsOfGame {
                fewest: 1,
                mean: 12.0,
                most: 40,
            }),
            duplicates: 12,
            contradictions: 3,
            by_phase: vec![bin("1 to 4 men"), bin("29 to 32 men")],
            by_ply: vec![bin("0 to 19")],
            without_ply: 0,
            by_side: vec![bin("first player"), bin("second player")],
        }),
        wdl: Some(wdl()),
        wdl_left_out: None,
        left_out: None,
    }
}

/// Curves of games that are won, drawn and lost in turn, more often won with a high score.
fn wdl() -> WdlModel {
    let samples = (0..3000_u32).map(|game| {
        let score = f64::from(game * 37 % 601) - 300.0;
        let luck = f64::from(game * 53 % 599) - 299.0;
        let outcome = match score + luck {
            ..-90.0 => 0.0,
            90.0.. => 1.0,
            _ => 0.5,
        };
        WdlSample {
            game,
            weight: 1.0,
            outcome,
            score,
            material: f64::from(20 + game * 7 % 59),
        }
    });
    fit_wdl(&samples.collect::<Vec<_>>()).unwrap()
}

pub const CHESS: &str = "r1bq1rk1/pp2bppp/2n2n2/3p4/3P4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 10";
pub const SHOGI: &str = "lnsgk1snl/1r4gb+P/p1ppppppp/9/1p7/9/PP1PPPPPP/1B5R1/LNSGKGSNL b 2Pp 12";

/// A position that is explained badly.
pub fn worst(position: &str) -> WorstPosition {
    WorstPosition {
        position: position.to_owned(),
        file: "/a/folder/with/a/long/name/and/no/blank/anywhere/in/it/games.tsv".to_owned(),
        line: 17,
        game: Some(4),
        outcome: 1.0,
        scores: [-250.0, -312.0],
        expectations: [0.19, 0.14],
        search_score: Some(20),
        loss: 0.74,
    }
}

pub fn difference(difference: f64, standard_error: f64) -> ErrorDifference {
    ErrorDifference {
        before: 0.103,
        after: 0.103 + difference,
        difference,
        standard_error,
        games: 50,
    }
}

fn iteration(number: usize) -> Record {
    let error = 0.0987 + 0.004 / (1.0 + number as f64);
    Record {
        iteration: number,
        method: Method::GaussNewton,
        error,
        objective: error + 0.0002,
        held_out_error: Some(error + 0.001),
        step: 1.0,
        gradient: 0.01,
        damping: 0.0,
        cost: Cost {
            curvature_evaluations: number,
            passes: 2 * number,
            score_passes: 0,
            seconds: 0.1 * number as f64,
        },
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
