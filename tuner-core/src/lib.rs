//! Tuning of hand-written evaluation functions of game engines.
//!
//! Weights are consts, scores are integers, and the evaluation is the one that
//! the engine plays with. It gets a line at the end of its file, not a second
//! version:
//!
//! ```
//! /// Piece values, pawn to queen.
//! const MATERIAL: [i32; 5] = [100, 320, 330, 500, 950];
//! /// For the side to move.
//! const TEMPO: i32 = 12;
//!
//! /// How many pieces of each kind both sides have, side to move first.
//! pub struct Board {
//!     counts: [[i32; 5]; 2],
//! }
//!
//! pub fn evaluate(board: &Board) -> i32 {
//!     let mut score = TEMPO;
//!     for (piece, value) in MATERIAL.iter().enumerate() {
//!         score += value * (board.counts[0][piece] - board.counts[1][piece]);
//!     }
//!     score
//! }
//!
//! #[cfg(feature = "tune")]
//! tuner_core::traced!();
//!
//! # fn main() {
//! let board = Board { counts: [[8, 2, 2, 2, 1], [8, 2, 1, 2, 1]] };
//! assert_eq!(evaluate(&board), 342);
//! # }
//! ```
//!
//! With the engine's own feature `tune` there is a second `evaluate`, generated
//! in a module `__traced`: it computes the same score and records how often each
//! weight counts. An *evaluator*, a small program of the engine's own package, answers
//! questions about both over a pipe:
//!
//! ```ignore
//! fn main() -> std::process::ExitCode {
//!     tuner_core::serve_playing(&wren::evaluator::Wren)
//! }
//! ```
//!
//! The program `tuner` starts it, traces positions whose results are known, and finds the
//! weights that predict the results best.
//!
//! # Features
//!
//! None is on by default. An engine takes the crate without, and `evaluator` with its own
//! feature `tune`; the others are for programs that fit by themselves.
//!
//! | feature | brings | costs |
//! |---|---|---|
//! | none | the macros and [`trace`]: what an engine links | `syn`, `quote`, `proc-macro2` at compile time; `tuner-trace` without dependencies at run time |
//! | `evaluator` | `serve`, `serve_playing`; `evaluator`: what an author says of his engine; `game`: notation and rules; `play`: games between players | `rand`, and `rustix` on Unix |
//! | `fit` | `evaluator`, and what `tuner` is made of without its command line: `data`, `rows`, `spec`, `solve`, `fit`, `judge`, `engine`, `testing`, `tournament`, `record`, `report`, `jobs` | nalgebra, pulp, rayon, serde, toml, decompression |
//! | `arrow` | `fit`, and `rows::file`, `rows::arrow`: traces in files, for data larger than memory and for other languages | four Arrow crates, a third of the build |
//!
//! # Where to start
//!
//! - An engine of your own: `docs/existing-engine.md` in the repository walks
//!   through it, `examples/chess` is a complete one, `examples/othello` one in a file.
//! - Annotating: [`tunable`], which marks single items and says whether a score may be
//!   nonlinear in its weights; [`traced!`] for all items of a file; [`registry!`] for
//!   the list of weights.
//! - An evaluator: `evaluator::FunctionEngine`, or `evaluator::Engine` and
//!   `evaluator::Plays`; then `serve` or `serve_playing`.
//! - Fitting from a program: `engine::Evaluation::of`, then `engine::EngineRows` and
//!   `fit::run`: `examples/chess/examples/fit_from_rust.rs`; `fit::run::ClosureRows` for an
//!   evaluation that can only be called.
//! - A whole fit, match or loop from a program, as the command line has it: `jobs`.
//! - Tests of an engine's own: [`testing`](https://docs.rs/tuner-engine), whether the twin
//!   agrees and known weights come back.
//! - The solvers alone: `solve::minimise`.
//! - Games: `play::selfplay_game` and `play::play_pair`, many of either by
//!   `tournament::games_in_order`; a whole match: [below](#a-match-from-rust).
//!
//! # A fit from Rust
//!
//! With feature `fit` a program fits, judges and writes a page as `tuner fit` does:
//!
//! ```
//! # #[cfg(not(feature = "fit"))] fn main() {}
//! # #[cfg(feature = "fit")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use tuner_core::jobs::{FitConfig, FitInput, Job, RowsConfig, fit};
//! use tuner_core::{judge::FitVerdict, spec::codegen::Language};
//!
//! // A position a line: the result, and how often the features 0 and 1 count.
//! let folder = std::env::temp_dir().join(format!("tuner-{}", std::process::id()));
//! std::fs::create_dir_all(&folder)?;
//! let lines: String = (0..3_000)
//!     .map(|n| format!("{} 0:{} 1:{}\n", u8::from(n * 3 % 10 < n % 7 + 2), n % 7 - 3, n % 3 - 1))
//!     .collect();
//! let file = folder.join("rows.txt");
//! std::fs::write(&file, lines)?;
//!
//! let rows = RowsConfig { file, spec: None, language: Language::Rust };
//! let mut config = FitConfig { out: folder.clone(), ..FitConfig::default() };
//! config.run.settings.k = Some(1.0); // nothing else says what a centipawn is
//! config.run.settings.prior = None;
//! let found = fit(&Job::default(), FitInput::Rows(&rows, None), config, &())?;
//! found.end?;
//! assert_eq!(found.record.verdict, FitVerdict::Better);
//! assert!(std::fs::read_to_string(folder.join("report.html"))?.starts_with("<!DOCTYPE html>"));
//! # std::fs::remove_dir_all(folder)?;
//! # Ok(())
//! # }
//! ```
//!
//! # A match from Rust
//!
//! Weights of an engine with a `tuner.toml` against others, as `tuner match` plays them; without
//! weights, programs that speak UCI or USI, of a game that is given:
//!
//! ```no_run
//! # #[cfg(not(feature = "fit"))] fn main() {}
//! # #[cfg(feature = "fit")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use tuner_core::jobs::{Job, MatchConfig, MatchSide, Project, run_match};
//!
//! let job = Job::default();
//! let project = Project::find(&job, Some("examples/othello".as_ref()), &[])?;
//! let project = project.ok_or("found no tuner.toml")?;
//! let side = |named: &str| MatchSide { named: named.to_owned(), ..MatchSide::default() };
//! let sides = vec![side("tuner-run/weights.txt"), side("source")];
//! let config = MatchConfig { sides, pairs: 500, ..MatchConfig::default() };
//! if let Some(found) = run_match(&job, Some(&project), || project.game(), &config)? {
//!     println!("pairs by half points: {:?}", found.standing.pairs());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! This crate has no code of its own: it names the crates that it is made of, which
//! are not meant to be depended on directly.

#[cfg(feature = "fit")]
pub use tuner_data as data;
#[cfg(feature = "fit")]
pub use tuner_engine as engine;
#[cfg(feature = "fit")]
pub use tuner_engine::testing;
#[cfg(feature = "evaluator")]
pub use tuner_evaluator as evaluator;
#[cfg(feature = "fit")]
pub use tuner_fit as fit;
#[cfg(feature = "evaluator")]
pub use tuner_game as game;
#[cfg(feature = "fit")]
pub use tuner_jobs as jobs;
#[cfg(feature = "fit")]
pub use tuner_judge as judge;
#[cfg(feature = "evaluator")]
pub use tuner_play as play;
#[cfg(feature = "fit")]
pub use tuner_record as record;
#[cfg(feature = "fit")]
pub use tuner_report as report;
#[cfg(feature = "fit")]
pub use tuner_rows as rows;
#[cfg(feature = "fit")]
pub use tuner_solve as solve;
#[cfg(feature = "fit")]
pub use tuner_spec as spec;
#[cfg(feature = "fit")]
pub use tuner_tournament as tournament;
pub use tuner_trace as trace;

#[cfg(feature = "evaluator")]
pub use tuner_evaluator::{serve, serve_playing};

pub use tuner_trace::{freeze, interpolated, traced_as, untraced, weight};

#[doc(hidden)]
pub use tuner_edition::of_its_edition as of_2021;
#[doc(hidden)]
pub use tuner_edition_2018::of_its_edition as of_2018;
pub use tuner_macros::{frozen, registry, traced, tunable};
