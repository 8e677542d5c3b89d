//! The arguments about games.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Arg, Args, ValueEnum};
use serde_json::{Value, json};

use super::super::Failure;
use super::super::args::{MOST_THREADS, words_for};
use super::super::ranks;
use super::paste::Paste;
use crate::help::heading;
use tuner_base::Fingerprint;
use tuner_play::{
    Adjudication, ContestSettings, DrawRule, Limit, MatchTexts, OpeningChoice, Thinking,
    TimeControl, WinRule, Word,
};
use tuner_tournament::{EloUnit, Sprt, SprtError};

/// Plays the engine against itself and writes positions with results, search
/// scores and game numbers, for `fit`.
#[derive(Args, Debug)]
pub(crate) struct SelfPlayArgs {
    /// The table to write, compressed where its name ends in .zst.
    pub(super) output: PathBuf,
    /// Weights to play with: those of the spec, of the source, or of a file
    /// (summary.json, or lines NAME VALUE) [possible values: spec, source, FILE].
    #[arg(long, default_value = "source", value_name = "FROM")]
    pub(super) weights: String,
    /// Games in all, those of an interrupted run included.
    #[arg(long, value_name = "N", default_value_t = 1_000, help_heading = heading::GAMES)]
    pub(super) games: u64,
    #[command(flatten)]
    pub(super) play: GameArgs,
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
}

/// Changes defaults of options that several commands have.
pub(crate) fn with_defaults(arg: Arg, defaults: &[(&str, &'static str)]) -> Arg {
    let default = defaults.iter().find(|(id, _)| arg.get_id() == id);
    match default {
        Some((_, default)) => arg.default_value(default),
        None => arg,
    }
}

/// Defaults of `selfplay`. Chosen: many fast games say more of an evaluation than few slow ones.
pub(crate) const SELFPLAY: [(&str, &str); 3] =
    [("nodes", "800"), ("win", "600:8"), ("longest", "300")];

/// Defaults of `spsa`. Chosen: games take hundredths of a second, and tens of thousands are
/// needed.
pub(crate) const SPSA: [(&str, &str); 1] = [("nodes", "400")];

/// How games are played, in all commands that play some.
#[derive(Args, Debug)]
#[group(skip)]
pub(super) struct GameArgs {
    #[command(flatten)]
    pub(super) thinking: ThinkingArgs,
    #[command(flatten)]
    pub(super) openings: OpeningArgs,
    #[command(flatten)]
    pub(super) rules: RuleArgs,
    /// Seed of all random numbers.
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = heading::GAMES)]
    pub(super) seed: u64,
    /// Games at a time [default: all threads]. Games do not depend on it,
    /// unless time is measured.
    #[arg(long, visible_alias = "concurrency", value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MOST_THREADS), help_heading = heading::METHOD)]
    threads: Option<u16>,
    /// Continue what was interrupted, or begin where nothing was; give the options
    /// it was given.
    #[arg(long, help_heading = heading::OUTPUT)]
    pub(super) resume: bool,
    /// Print one JSON object.
    #[arg(long, help_heading = heading::OUTPUT)]
    pub(super) json: bool,
}

/// How much is thought about a move.
#[derive(Args, Debug)]
#[group(skip)]
pub(crate) struct ThinkingArgs {
    /// Positions to search a move. The usual number is enough for the evaluation to matter more
    /// than a capture overlooked.
    #[arg(long, value_name = "N", group = "thinking", default_value_t = 5_000, value_parser = clap::value_parser!(u64).range(1..), help_heading = heading::GAMES)]
    nodes: u64,
    /// Depth to search a move, instead of --nodes.
    #[arg(long, value_name = "N", group = "thinking", value_parser = clap::value_parser!(u32).range(1..), help_heading = heading::GAMES)]
    depth: Option<u32>,
}

/// When games end before the rules end them.
#[derive(Args, Debug)]
#[group(skip)]
pub(crate) struct RuleArgs {
    /// The game is won at this score in centipawns, seen for so many plies by
    /// both sides; or `none`.
    #[arg(long, value_name = "SCORE:PLIES", value_parser = parse_win, default_value = "1000:10", help_heading = heading::GAMES)]
    win: OrNone<WinRule>,
    /// The game is drawn at scores up to this one, seen for so many plies, from
    /// a ply on; or `none`.
    #[arg(long, value_name = "SCORE:PLIES:FROM", value_parser = parse_draw, default_value = "none", help_heading = heading::GAMES)]
    draw: OrNone<DrawRule>,
    /// Longer games, in plies, are drawn.
    #[arg(long, value_name = "N", default_value_t = 500, help_heading = heading::GAMES)]
    longest: usize,
}

/// The bound of random openings, unless told otherwise. Chosen: games
/// that begin so are still won by either side.
pub(super) const BALANCE: i32 = 150;

/// Random moves of an opening, unless told otherwise.
pub(super) const RANDOM_PLIES: usize = 8;

/// How games begin.
#[derive(Args, Debug)]
pub(super) struct OpeningArgs {
    /// Openings of a file: a position a line (EPD, FEN, `startpos moves …`), or
    /// games in PGN [default: random moves].
    #[arg(long, value_name = "FILE", help_heading = heading::OPENINGS)]
    pub(super) book: Option<PathBuf>,
    /// Moves to take of each game of a PGN book.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 16,
        requires = "book",
        conflicts_with = "random_plies",
        help_heading = heading::OPENINGS
    )]
    pub(super) book_plies: usize,
    /// The order of a book.
    #[arg(
        long,
        value_enum,
        default_value_t,
        requires = "book",
        conflicts_with = "random_plies",
        help_heading = heading::OPENINGS
    )]
    pub(super) book_order: BookOrder,
    /// Random moves at the start; self-play plays one more in half the games.
    #[arg(long, value_name = "N", default_value_t = RANDOM_PLIES, conflicts_with = "book", help_heading = heading::OPENINGS)]
    pub(super) random_plies: usize,
    /// Largest score in centipawns, either way, that the quiescence search of
    /// the engine may find after random moves [default: 150]. External engines
    /// cannot tell.
    #[arg(long, value_name = "SCORE", conflicts_with = "book", help_heading = heading::OPENINGS)]
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
pub(crate) struct MatchArgs {
    /// Whose results are counted: weights (spec, source, zero, or a file), or a program with
    /// its arguments; spaces within them in quotes, as in a shell: '"my engine" --threads 1'.
    pub(super) first: String,
    /// The opponent, of the same kind.
    pub(super) second: String,
    /// Milliseconds a move, instead of --nodes; of programs, and where [engine] of tuner.toml
    /// plays.
    #[arg(long, value_name = "MS", group = "thinking", value_parser = clap::value_parser!(u32).range(1..), help_heading = heading::GAMES)]
    pub(super) movetime: Option<u32>,
    /// Clocks, instead of --nodes: seconds and increment, 8+0.08; for each 40 moves,
    /// 40/60+0.6; minutes, 5:00+3. Who is out of time loses. Of those that --movetime is for.
    #[arg(long, value_name = "TC", group = "thinking", help_heading = heading::GAMES)]
    pub(super) tc: Option<TimeControl>,
    /// How late a move may come without losing the game, beside the time that asking
    /// an engine takes, which is measured and not counted [default: 20].
    #[arg(long, value_name = "MS", requires = "tc", value_parser = clap::value_parser!(u32).range(..=60_000), help_heading = heading::GAMES)]
    pub(super) time_margin: Option<u32>,
    /// Seconds that a program may be silent, beside the time for a move [default: 60].
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=86_400), help_heading = heading::GAMES)]
    pub(super) patience: Option<u32>,
    /// An option to set in both programs.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_pair, help_heading = heading::ENGINES)]
    pub(super) option: Vec<Pair>,
    /// An option to set in the first program.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_pair, help_heading = heading::ENGINES)]
    pub(super) option_first: Vec<Pair>,
    /// An option to set in the second one.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_pair, help_heading = heading::ENGINES)]
    pub(super) option_second: Vec<Pair>,
    /// Games; an odd number is rounded up to whole pairs. With --sprt the most
    /// that are played.
    #[arg(long, value_name = "N", default_value_t = 400, help_heading = heading::GAMES)]
    pub(super) games: u64,
    /// End as soon as the difference in Elo is surely above the first number or
    /// surely below the second.
    #[arg(long, value_name = "ELO0,ELO1", value_parser = parse_hypotheses, allow_hyphen_values = true, help_heading = heading::TEST)]
    pub(super) sprt: Option<[f64; 2]>,
    #[command(flatten)]
    pub(super) test: TestArgs,
    /// Exit status 3 unless the first one passes the test; without --sprt,
    /// unless the 95 % interval of its Elo is above 0.
    #[arg(long, help_heading = heading::TEST)]
    pub(super) must_pass: bool,
    /// Write the result on standard output at the end, as others write theirs.
    #[arg(long, value_enum, default_value_t, conflicts_with = "json", help_heading = heading::DATA)]
    pub(super) format: Paste,
    #[command(flatten)]
    pub(super) play: GameArgs,
    /// Write the games to this file, as PGN or as the game's own records are
    /// written.
    #[arg(long, value_name = "FILE", help_heading = heading::OUTPUT)]
    pub(super) pgn: Option<PathBuf>,
    /// Write each game to a file of its own in this folder, as programs show games to
    /// people: KIF for shogi, PGN for others.
    #[arg(long, value_name = "FOLDER", help_heading = heading::OUTPUT)]
    pub(super) records: Option<PathBuf>,
    /// Write the pairs to this file, to be resumed by --resume.
    #[arg(long, value_name = "FILE", help_heading = heading::OUTPUT)]
    pub(super) journal: Option<PathBuf>,
    /// Write a page on the match to this file, also where it is interrupted;
    /// `report` makes it again from the file of --journal.
    #[arg(long, value_name = "FILE", help_heading = heading::OUTPUT)]
    pub(super) report: Option<PathBuf>,
}

/// How late a move may come, in milliseconds, unless told otherwise. Chosen: more than
/// a busy machine keeps an answer waiting, and less than an engine gains by it.
const MARGIN: u32 = 20;

/// Seconds that a program may be silent, unless told otherwise.
const PATIENCE: u32 = 60;

/// The options of a program, and how many seconds it may be silent.
#[derive(Clone, Debug)]
pub(crate) struct Treatment {
    pub(crate) options: Vec<Pair>,
    pub(crate) patience: u32,
}

impl Default for Treatment {
    fn default() -> Self {
        Self {
            options: Vec::new(),
            patience: PATIENCE,
        }
    }
}

impl MatchArgs {
    /// The test, if there is to be one.
    pub(super) fn sprt(&self) -> Result<Option<Sprt>, Failure> {
        let sprt = self.sprt.map(|hypotheses| self.test.of(hypotheses));
        Ok(sprt
            .transpose()
            .map_err(|error| format!("--sprt: {error}"))?)
    }

    /// Which texts of the games are wanted. `names`: of both sides.
    pub(super) fn texts(&self, event: &str, names: [&str; 2]) -> MatchTexts {
        MatchTexts {
            event: event.to_owned(),
            names: names.map(str::to_owned),
            text: self.pgn.is_some(),
            files: self.records.is_some(),
        }
    }

    pub(super) fn pairs(&self) -> u64 {
        self.games.div_ceil(2)
    }

    /// How long programs may think about a move or a game.
    pub(super) fn thinking(&self) -> Thinking {
        let ms = |time| Duration::from_millis(u64::from(time));
        match (self.tc, self.movetime) {
            (Some(control), _) => Thinking::Game(TimeControl {
                margin: ms(self.time_margin.unwrap_or(MARGIN)),
                ..control
            }),
            (None, Some(time)) => Thinking::Move(Limit::Time(ms(time))),
            (None, None) => Thinking::Move(self.play.thinking.limit()),
        }
    }

    /// How the two programs are treated.
    pub(super) fn treatment(&self) -> [Treatment; 2] {
        [&self.option_first, &self.option_second].map(|options| Treatment {
            options: self.option.iter().chain(options).cloned().collect(),
            patience: self.patience.unwrap_or(PATIENCE),
        })
    }

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

/// What a sequential test depends on, beside its hypotheses.
#[derive(Args, Debug)]
#[group(skip)]
pub(super) struct TestArgs {
    /// The unit of the hypotheses.
    #[arg(long, value_enum, default_value_t, requires = "sprt", help_heading = heading::TEST)]
    elo_model: EloModel,
    /// The risk of passing what is only ELO0 better.
    #[arg(long, value_name = "P", default_value_t = 0.05, requires = "sprt", help_heading = heading::TEST)]
    alpha: f64,
    /// The risk of failing what is ELO1 better.
    #[arg(long, value_name = "P", default_value_t = 0.05, requires = "sprt", help_heading = heading::TEST)]
    beta: f64,
}

impl TestArgs {
    /// The test of two hypotheses.
    pub(super) fn of(&self, [elo0, elo1]: [f64; 2]) -> Result<Sprt, SprtError> {
        Sprt::new(elo0, elo1, self.alpha, self.beta, self.elo_model.into())
    }
}

words_for! {
    #[derive(Default)]
    EloModel => EloUnit {
        /// Points over their deviation a game, as fishtest and OpenBench have it.
        #[default]
        #[value(name = "normalized")]
        Normalised,
        /// The logistic curve of points.
        Logistic,
    }
}

/// Something, or `none`.
#[derive(Clone, Copy, Debug)]
struct OrNone<T>(Option<T>);

/// An option of an engine: name and value.
pub(crate) type Pair = (String, String);

pub(super) fn parse_hypotheses(text: &str) -> Result<[f64; 2], String> {
    let numbers = text
        .split_once(',')
        .and_then(|(elo0, elo1)| Some([elo0.trim().parse().ok()?, elo1.trim().parse().ok()?]));
    numbers.ok_or_else(|| "expected two numbers, such as 0,5".to_owned())
}

/// Largest score of a rule.
const MOST_SCORE: i32 = 1_000_000;

fn parse_win(text: &str) -> Result<OrNone<WinRule>, String> {
    let is_rule = |rule: &WinRule| (1..=MOST_SCORE).contains(&rule.score) && rule.plies > 0;
    or_none(text, is_rule, "SCORE:PLIES, such as 600:8")
}

fn parse_draw(text: &str) -> Result<OrNone<DrawRule>, String> {
    let is_rule = |rule: &DrawRule| (0..=MOST_SCORE).contains(&rule.score) && rule.plies > 0;
    or_none(text, is_rule, "SCORE:PLIES:FROM, such as 10:8:80")
}

/// Reads a rule, or `none`.
fn or_none<T: Word>(
    text: &str,
    is_rule: impl FnOnce(&T) -> bool,
    expected: &str,
) -> Result<OrNone<T>, String> {
    let rule = Option::<T>::of_word(text).ok();
    let rule = rule.filter(|rule| rule.as_ref().is_none_or(is_rule));
    rule.map(OrNone)
        .ok_or_else(|| format!("expected {expected}, or none"))
}

pub(crate) fn parse_pair(text: &str) -> Result<Pair, String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !text.contains(['\n', '\r']) => {
            Ok((name.to_owned(), value.to_owned()))
        }
        _ => Err("expected NAME=VALUE".to_owned()),
    }
}

impl GameArgs {
    /// How many games are played at a time.
    pub(super) fn threads(&self) -> usize {
        let all = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let share = || ranks::threads().unwrap_or_else(all);
        self.threads.map_or_else(share, usize::from)
    }

    /// Returns the settings of games in which each side thinks as long as `thinking` says.
    /// `judged`: whether somebody can tell whether a random opening is balanced.
    pub(super) fn settings(
        &self,
        thinking: Thinking,
        judged: bool,
        texts: MatchTexts,
    ) -> Result<ContestSettings, Failure> {
        Ok(ContestSettings {
            seed: self.seed,
            thinking,
            openings: self.openings.openings(self.seed, judged)?,
            adjudication: self.rules.adjudication(),
            texts,
        })
    }
}

/// Returns the identity that games that are resumed must have in common: who plays, and what the
/// line of their settings says, by name; of a book its fingerprint.
pub(super) fn identity(mut players: Value, line: &str, openings: &OpeningChoice) -> Value {
    let words: Vec<&str> = line.split(' ').collect();
    for [name, value] in words.as_chunks::<2>().0 {
        // What is a limit of self-play is how much both sides of a match think.
        let name = if *name == "limit" { "thinking" } else { *name };
        players[name] = json!(value);
    }
    if let Some(book) = openings.book() {
        players["book"] = json!(format!("{:016x}", Fingerprint::of_bytes(book.as_bytes())));
    }
    players
}

impl ThinkingArgs {
    pub(crate) fn limit(&self) -> Limit {
        self.depth.map_or(Limit::Nodes(self.nodes), Limit::Depth)
    }
}

impl RuleArgs {
    pub(crate) fn adjudication(&self) -> Adjudication {
        Adjudication {
            win: self.win.0,
            draw: self.draw.0,
            longest: self.longest,
        }
    }
}

impl OpeningArgs {
    /// Reads the book, or takes random moves. `judged`: whether somebody can tell whether a
    /// random opening is balanced.
    fn openings(&self, seed: u64, judged: bool) -> Result<OpeningChoice, Failure> {
        let Some(path) = &self.book else {
            if !judged && self.balance.is_some() {
                let words = "--balance: external engines cannot tell; leave it out, or give a book";
                return Err(Failure::Usage(words.to_owned()));
            }
            return Ok(OpeningChoice::Random {
                plies: self.random_plies,
                bound: judged.then_some(self.balance.unwrap_or(BALANCE)),
            });
        };
        let of_book = |error: String| format!("--book {}: {error}", path.display());
        let bytes = fs::read(path).map_err(|error| of_book(error.to_string()))?;
        Ok(OpeningChoice::Book {
            text: tuner_data::text_of(&bytes).map_err(of_book)?.into(),
            plies: self.book_plies,
            shuffle: (self.book_order == BookOrder::Random).then_some(seed),
        })
    }

    /// Makes the failure of a book, with its name.
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
}

/// How much both sides may think, in words.
pub(super) fn thinking_words(thinking: Thinking) -> String {
    match thinking {
        Thinking::Move(limit) => limit_words(limit),
        Thinking::Game(control) => {
            format!("{control}, {} ms of margin", control.margin.as_millis())
        }
    }
}

/// How much a player may think about a move, in words.
pub(crate) fn limit_words(limit: Limit) -> String {
    match limit {
        Limit::Nodes(nodes) => format!("{nodes} nodes a move"),
        Limit::Depth(depth) => format!("depth {depth}"),
        Limit::Time(time) => format!("{} ms a move", time.as_millis()),
        Limit::Clock(_) => "clocks".to_owned(),
    }
}
