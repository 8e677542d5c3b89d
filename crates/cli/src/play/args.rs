//! What was typed of games.

use std::fs;
use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueEnum};
use serde_json::{Value, json};

use super::super::Failure;
use super::super::args::MOST_THREADS;
use super::super::ranks;
use super::paste::Paste;
use tuner_base::Fingerprint;
use tuner_play::{
    Adjudication, ContestSettings, DrawRule, Limit, MatchTexts, OpeningChoice, Thinking,
    TimeControl, WinRule,
};
use tuner_tournament::{EloUnit, Sprt};

/// Plays the engine against itself and writes positions with results, search
/// scores and game numbers, for `fit`.
#[derive(Args, Debug)]
#[command(group(ArgGroup::new("thinking").args(["nodes", "depth"])))]
pub(crate) struct SelfPlayArgs {
    /// The table to write, compressed where its name ends in .zst.
    pub(super) output: PathBuf,
    /// Weights to play with: those of the spec, of the source, or of a file
    /// (summary.json, or lines NAME VALUE) [possible values: spec, source, FILE].
    #[arg(long, default_value = "source", value_name = "FROM")]
    pub(super) weights: String,
    /// Games in all, those of an interrupted run included.
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    pub(super) games: u64,
    /// Positions to search a move [default: 800].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) nodes: Option<u64>,
    /// Depth to search a move, instead of --nodes.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) depth: Option<u32>,
    #[command(flatten)]
    pub(super) openings: OpeningArgs,
    /// The game is won at this score in centipawns, seen for so many plies by
    /// both sides; or `none`.
    #[arg(long, value_name = "SCORE:PLIES", value_parser = parse_win, default_value = "600:8")]
    pub(super) win: OrNone<WinRule>,
    /// The game is drawn at scores up to this one, seen for so many plies, from
    /// a ply on; or `none`.
    #[arg(long, value_name = "SCORE:PLIES:FROM", value_parser = parse_draw, default_value = "none")]
    pub(super) draw: OrNone<DrawRule>,
    /// Longer games are drawn.
    #[arg(long, value_name = "N", default_value_t = 300)]
    pub(super) longest: usize,
    /// Positions to keep of a game, at most.
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(super) positions: usize,
    /// Positions to search for the score of a position that is kept, in a search of its
    /// own [default: the score is that of the search that played].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) score_nodes: Option<u64>,
    /// No position before this ply.
    #[arg(long, value_name = "N", default_value_t = 14)]
    pub(super) first_ply: usize,
    /// Keep positions in check.
    #[arg(long)]
    pub(super) with_checks: bool,
    /// Keep positions whose best move captures or promotes.
    #[arg(long)]
    pub(super) with_captures: bool,
    /// Keep positions where the quiescence search finds something to do.
    #[arg(long)]
    pub(super) with_noise: bool,
    #[command(flatten)]
    pub(super) common: CommonArgs,
}

/// What both commands take.
#[derive(Args, Debug)]
pub(super) struct CommonArgs {
    /// Seed of all random numbers.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// Games at a time [default: all threads]. Games do not depend on it,
    /// unless time is measured.
    #[arg(long, visible_alias = "concurrency", value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MOST_THREADS))]
    pub(super) threads: Option<u16>,
    /// Continue what was interrupted, or begin where nothing was; give the options
    /// it was given.
    #[arg(long)]
    pub(super) resume: bool,
    /// Print one JSON object.
    #[arg(long)]
    pub(super) json: bool,
}

/// What a random opening may be off by, unless told otherwise. Chosen: games
/// that begin so are still won by either side.
pub(super) const BALANCE: i32 = 150;

/// Random moves of an opening, unless told otherwise.
pub(super) const RANDOM_PLIES: usize = 8;

/// How games begin.
#[derive(Args, Debug)]
pub(super) struct OpeningArgs {
    /// Openings of a file: a position a line (EPD, FEN, `startpos moves …`), or
    /// games in PGN [default: random moves].
    #[arg(long, value_name = "FILE")]
    pub(super) book: Option<PathBuf>,
    /// Moves to take of each game of a PGN book.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 16,
        requires = "book",
        conflicts_with = "random_plies"
    )]
    pub(super) book_plies: usize,
    /// The order of a book.
    #[arg(
        long,
        value_enum,
        default_value_t,
        requires = "book",
        conflicts_with = "random_plies"
    )]
    pub(super) book_order: BookOrder,
    /// Random moves at the start; self-play plays one more in half the games.
    #[arg(long, value_name = "N", default_value_t = RANDOM_PLIES, conflicts_with = "book")]
    pub(super) random_plies: usize,
    /// Largest score in centipawns, either way, that the quiescence search of
    /// the engine may find after random moves [default: 150]. External engines
    /// cannot tell.
    #[arg(long, value_name = "SCORE", conflicts_with = "book")]
    pub(super) balance: Option<i32>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum BookOrder {
    /// Shuffled by the seed.
    #[default]
    Random,
    /// As in the file.
    Sequential,
}

/// Plays two sets of weights of the engine, or two programs, against each other.
#[derive(Args, Debug)]
#[command(group(ArgGroup::new("thinking").args(["nodes", "depth", "movetime", "tc"])))]
pub(crate) struct MatchArgs {
    /// Whose results are counted: weights (spec, source, zero, or a file), or a program with
    /// its arguments; spaces within them in quotes, as in a shell: '"my engine" --threads 1'.
    pub(super) first: String,
    /// The opponent, of the same kind.
    pub(super) second: String,
    /// Positions to search a move [default: 5000].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) nodes: Option<u64>,
    /// Depth to search a move, instead of --nodes.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) depth: Option<u32>,
    /// Milliseconds a move, instead of --nodes; of programs.
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) movetime: Option<u32>,
    /// Clocks, instead of --nodes: seconds and increment, 8+0.08; for each 40 moves,
    /// 40/60+0.6; minutes, 5:00+3. Who is out of time loses. Of programs.
    #[arg(long, value_name = "TC")]
    pub(super) tc: Option<TimeControl>,
    /// How late a move may come without losing the game, beside the time that asking
    /// an engine takes, which is measured and not counted [default: 20].
    #[arg(long, value_name = "MS", requires = "tc", value_parser = clap::value_parser!(u32).range(..=60_000))]
    pub(super) time_margin: Option<u32>,
    /// Seconds that a program may be silent, beside the time for a move [default: 60].
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub(super) patience: Option<u32>,
    /// An option to set in both programs.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_pair)]
    pub(super) option: Vec<Pair>,
    /// An option to set in the first program.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_pair)]
    pub(super) option_first: Vec<Pair>,
    /// An option to set in the second one.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_pair)]
    pub(super) option_second: Vec<Pair>,
    #[command(flatten)]
    pub(super) games: GamesArgs,
}

impl MatchArgs {
    /// The first option that is about programs and was typed.
    pub(super) fn about_programs(&self) -> Option<&'static str> {
        let typed = [
            (self.movetime.is_some(), "--movetime"),
            (self.tc.is_some(), "--tc"),
            (self.patience.is_some(), "--patience"),
            (!self.option.is_empty(), "--option"),
            (!self.option_first.is_empty(), "--option-first"),
            (!self.option_second.is_empty(), "--option-second"),
        ];
        typed.iter().find(|option| option.0).map(|option| option.1)
    }
}

/// The games of a match.
#[derive(Args, Debug)]
pub(super) struct GamesArgs {
    /// Games; an odd number is rounded up to whole pairs. With --sprt the most
    /// that are played.
    #[arg(long, value_name = "N", default_value_t = 400)]
    pub(super) games: u64,
    /// End as soon as the difference in Elo is surely above the first number or
    /// surely below the second.
    #[arg(long, value_name = "ELO0,ELO1", value_parser = parse_hypotheses, allow_hyphen_values = true)]
    pub(super) sprt: Option<[f64; 2]>,
    /// The unit of --sprt.
    #[arg(long, value_enum, default_value_t, requires = "sprt")]
    pub(super) elo_model: EloModel,
    /// The risk of passing what is only ELO0 better.
    #[arg(long, value_name = "P", default_value_t = 0.05, requires = "sprt")]
    pub(super) alpha: f64,
    /// The risk of failing what is ELO1 better.
    #[arg(long, value_name = "P", default_value_t = 0.05, requires = "sprt")]
    pub(super) beta: f64,
    /// Exit status 3 unless the first one passes the test; without --sprt,
    /// unless the 95 % interval of its Elo is above 0.
    #[arg(long)]
    pub(super) must_pass: bool,
    /// Write the result on standard output at the end, as others write theirs.
    #[arg(long, value_enum, default_value_t, conflicts_with = "json")]
    pub(super) format: Paste,
    #[command(flatten)]
    pub(super) openings: OpeningArgs,
    /// As in `selfplay`.
    #[arg(long, value_name = "SCORE:PLIES", value_parser = parse_win, default_value = "1000:10")]
    pub(super) win: OrNone<WinRule>,
    /// As in `selfplay`.
    #[arg(long, value_name = "SCORE:PLIES:FROM", value_parser = parse_draw, default_value = "none")]
    pub(super) draw: OrNone<DrawRule>,
    /// Longer games are drawn.
    #[arg(long, value_name = "N", default_value_t = 500)]
    pub(super) longest: usize,
    /// Write the games to this file, as PGN or as the game's own records are
    /// written.
    #[arg(long, value_name = "FILE")]
    pub(super) pgn: Option<PathBuf>,
    /// Write each game to a file of its own in this folder, as programs show games to
    /// people: KIF for shogi, PGN for others.
    #[arg(long, value_name = "FOLDER")]
    pub(super) records: Option<PathBuf>,
    /// Write the pairs to this file, to be resumed by --resume.
    #[arg(long, value_name = "FILE")]
    pub(super) journal: Option<PathBuf>,
    /// Write a page on the match to this file, also where it is interrupted;
    /// `report` makes it again from the file of --journal.
    #[arg(long, value_name = "FILE")]
    pub(super) report: Option<PathBuf>,
    #[command(flatten)]
    pub(super) common: CommonArgs,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum EloModel {
    /// Points over their deviation a game, as fishtest and OpenBench have it.
    #[default]
    Normalized,
    /// The logistic curve of points.
    Logistic,
}

/// Something, or `none`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OrNone<T>(Option<T>);

/// An option of an engine: name and value.
pub(crate) type Pair = (String, String);

pub(super) fn parse_hypotheses(text: &str) -> Result<[f64; 2], String> {
    let numbers = text
        .split_once(',')
        .and_then(|(elo0, elo1)| Some([elo0.trim().parse().ok()?, elo1.trim().parse().ok()?]));
    numbers.ok_or_else(|| "expected two numbers, such as 0,5".to_owned())
}

/// Whole numbers between colons, or `none`.
fn numbers<const N: usize>(text: &str) -> Option<OrNone<[u32; N]>> {
    if text == "none" {
        return Some(OrNone(None));
    }
    let parts: Option<Vec<u32>> = text.split(':').map(|part| part.parse().ok()).collect();
    Some(OrNone(Some(parts?.try_into().ok()?)))
}

pub(crate) fn parse_win(text: &str) -> Result<OrNone<WinRule>, String> {
    match numbers(text) {
        Some(OrNone(None)) => Ok(OrNone(None)),
        Some(OrNone(Some([score @ 1..=1_000_000, plies @ 1..=u32::MAX]))) => {
            Ok(OrNone(Some(WinRule {
                score: score as i32,
                plies: plies as usize,
            })))
        }
        _ => Err("expected SCORE:PLIES, such as 600:8, or none".to_owned()),
    }
}

pub(crate) fn parse_draw(text: &str) -> Result<OrNone<DrawRule>, String> {
    match numbers(text) {
        Some(OrNone(None)) => Ok(OrNone(None)),
        Some(OrNone(Some([score @ 0..=1_000_000, plies @ 1..=u32::MAX, from]))) => {
            Ok(OrNone(Some(DrawRule {
                score: score as i32,
                plies: plies as usize,
                from: from as usize,
            })))
        }
        _ => Err("expected SCORE:PLIES:FROM, such as 10:8:80, or none".to_owned()),
    }
}

pub(crate) fn parse_pair(text: &str) -> Result<Pair, String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !text.contains(['\n', '\r']) => {
            Ok((name.to_owned(), value.to_owned()))
        }
        _ => Err("expected NAME=VALUE".to_owned()),
    }
}

impl CommonArgs {
    pub(super) fn threads(&self) -> usize {
        let all = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let share = || ranks::threads().unwrap_or_else(all);
        self.threads.map_or_else(share, usize::from)
    }
}

/// When games end early.
pub(crate) fn adjudication(
    win: OrNone<WinRule>,
    draw: OrNone<DrawRule>,
    longest: usize,
) -> Adjudication {
    Adjudication {
        win: win.0,
        draw: draw.0,
        longest,
    }
}

impl OpeningArgs {
    /// Reads the book, or takes random moves. `judged`: whether somebody can
    /// tell whether a random opening is balanced.
    pub(super) fn openings(&self, seed: u64, judged: bool) -> Result<OpeningChoice, Failure> {
        let Some(path) = &self.book else {
            if !judged && self.balance.is_some() {
                let words = "--balance: external engines cannot tell; leave it out, or give a book";
                return Err(Failure::Usage(words.to_owned()));
            }
            return Ok(OpeningChoice::Random {
                plies: self.random_plies,
                bound: judged.then_some(self.bound()),
            });
        };
        let name = path.display();
        let bytes = fs::read(path).map_err(|error| format!("--book {name}: {error}"))?;
        let text =
            tuner_data::text_of(&bytes).map_err(|error| format!("--book {name}: {error}"))?;
        Ok(OpeningChoice::Book {
            text: text.into(),
            plies: self.book_plies,
            shuffle: (self.book_order == BookOrder::Random).then_some(seed),
        })
    }

    /// What is wrong with a book, with its name.
    pub(super) fn refused(&self, words: &str) -> Failure {
        match &self.book {
            Some(path) => format!("--book {}:{words}", path.display()).into(),
            None => words.into(),
        }
    }

    /// Says how many openings a book has.
    pub(super) fn say(&self, count: Option<u64>) {
        if let (Some(path), Some(count)) = (&self.book, count) {
            say!("{}: {count} openings", path.display());
        }
    }

    fn bound(&self) -> i32 {
        self.balance.unwrap_or(BALANCE)
    }

    /// Where openings come from, in words.
    pub(super) fn words(&self) -> String {
        let Some(path) = &self.book else {
            let plies = self.random_plies;
            return format!("{plies} random half-moves");
        };
        let order = match self.book_order {
            BookOrder::Random => "shuffled",
            BookOrder::Sequential => "as in the file",
        };
        format!("{}, {order}", path.display())
    }

    /// What tells whether a match or a table resumes with the same openings.
    pub(super) fn identity(&self) -> Result<Value, Failure> {
        let Some(path) = &self.book else {
            return Ok(json!([self.random_plies, self.bound()]));
        };
        let bytes =
            fs::read(path).map_err(|error| format!("--book {}: {error}", path.display()))?;
        let mut hash = Fingerprint::new();
        hash.bytes(&bytes);
        let random = self.book_order == BookOrder::Random;
        Ok(json!([hash.hex(), self.book_plies, random]))
    }
}

impl From<EloModel> for EloUnit {
    fn from(model: EloModel) -> Self {
        match model {
            EloModel::Normalized => Self::Normalised,
            EloModel::Logistic => Self::Logistic,
        }
    }
}

impl GamesArgs {
    /// The test, if there is to be one.
    pub(super) fn test(&self) -> Result<Option<Sprt>, Failure> {
        let sprt = self.sprt.map(|[elo0, elo1]| {
            Sprt::new(elo0, elo1, self.alpha, self.beta, self.unit())
                .map_err(|error| format!("--sprt: {error}"))
        });
        Ok(sprt.transpose()?)
    }

    /// The unit of the test.
    pub(super) fn unit(&self) -> EloUnit {
        self.elo_model.into()
    }

    /// What is to be played. `names`: of both sides.
    pub(super) fn contest(
        &self,
        thinking: Thinking,
        judged: bool,
        (event, names): (&str, [&str; 2]),
    ) -> Result<ContestSettings, Failure> {
        let seed = self.common.seed;
        Ok(ContestSettings {
            seed,
            thinking,
            openings: self.openings.openings(seed, judged)?,
            adjudication: adjudication(self.win, self.draw, self.longest),
            texts: MatchTexts {
                event: event.to_owned(),
                names: names.map(str::to_owned),
                text: self.pgn.is_some(),
                files: self.records.is_some(),
            },
        })
    }

    pub(super) fn pairs(&self) -> u64 {
        self.games.div_ceil(2)
    }
}

/// A limit from the options; nodes where nothing was typed.
pub(crate) fn limit(nodes: Option<u64>, depth: Option<u32>, default: u64) -> Limit {
    match (nodes, depth) {
        (None, Some(depth)) => Limit::Depth(depth),
        (nodes, _) => Limit::Nodes(nodes.unwrap_or(default)),
    }
}
