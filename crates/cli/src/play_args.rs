//! The arguments about games, and the configurations that they mean.

use std::ops::Bound;
use std::path::PathBuf;

use clap::{Arg, Args, ValueEnum};

use crate::heading;
use crate::shared_args::{
    MOST_THREADS, PrintArgs, ThreadArgs, WeightChoiceArgs, first_typed, within, words_for,
};
use crate::sides::{Pair, ProgramArgs, side};
use tuner_base::cloned_fields;
use tuner_fit::run::OptionsSnapshot;
use tuner_jobs::{
    BOOK_PLIES, GamesConfig, JobFailure as Failure, JobResult as Result, LoopConfig, MatchConfig,
    MatchSide, MovedOption, OpeningSource, Perturbation, RANDOM_PLIES, ResultFormat,
    SelfPlayConfig, Shard, SpsaConfig, misuse,
};
use tuner_play::{Adjudication, DrawRule, Limit, Sampling, Thinking, WinRule, Word};
use tuner_spec::FrozenChoice;
use tuner_tournament::{EloUnit, Sprt, SprtError, usual_rate};

/// Plays the engine against itself and writes positions with results, search
/// scores and game numbers, for `fit`.
#[derive(Args, Debug)]
pub(crate) struct SelfPlayArgs {
    /// The table to write, compressed where its name ends in .zst.
    pub(crate) output: PathBuf,
    /// Weights to play with: those of the spec, of the source, or of a file
    /// (summary.json, or lines NAME VALUE) [possible values: spec, source, FILE].
    #[arg(long, default_value = "source", value_name = "FROM")]
    pub(crate) weights: String,
    /// Games in all, those of an interrupted run included.
    #[arg(long, value_name = "N", default_value_t = 1_000, help_heading = heading::GAMES)]
    pub(crate) games: u64,
    /// Play one of N parts of these games, for several machines: the tables of all parts, one
    /// after the other, are the whole table.
    #[arg(long, value_name = "I/N", help_heading = heading::GAMES)]
    shard: Option<Shard>,
    #[command(flatten)]
    pub(crate) play: GameArgs,
    /// Positions to keep of a game, at most.
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) positions: usize,
    /// Positions to search for the score of a position that is kept, in a search of its
    /// own [default: the score is that of the search that played].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) score_nodes: Option<u64>,
    /// Depth of this search, instead of --score-nodes.
    #[arg(long, value_name = "N", conflicts_with = "score_nodes", value_parser = clap::value_parser!(u32).range(1..))]
    score_depth: Option<u32>,
    /// No position before this ply.
    #[arg(long, value_name = "N", default_value_t = 14)]
    pub(crate) first_ply: usize,
    /// Keep positions in check.
    #[arg(long)]
    pub(crate) with_checks: bool,
    /// Keep positions whose best move captures or promotes.
    #[arg(long)]
    pub(crate) with_captures: bool,
    /// Keep positions where the quiescence search finds something to do.
    #[arg(long)]
    pub(crate) with_noise: bool,
}

/// Returns an option with the default that one command has for it: the one that `defaults` gives to
/// its id, where it has the id; else the option as it is.
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
pub(crate) struct GameArgs {
    #[command(flatten)]
    pub(crate) thinking: ThinkingArgs,
    #[command(flatten)]
    pub(crate) openings: OpeningArgs,
    #[command(flatten)]
    pub(crate) rules: RuleArgs,
    /// Seed of all random numbers.
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = heading::GAMES)]
    pub(crate) seed: u64,
    /// Games at a time [default: all threads]. Games do not depend on it,
    /// unless time is measured.
    #[arg(long, visible_alias = "concurrency", value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MOST_THREADS), help_heading = heading::METHOD)]
    pub(crate) threads: Option<u16>,
    /// Continue what was interrupted, or begin where nothing was; give the options
    /// it was given.
    #[arg(long, help_heading = heading::OUTPUT)]
    pub(crate) resume: bool,
    #[command(flatten)]
    pub(crate) print: PrintArgs,
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

/// How games begin.
#[derive(Args, Debug)]
pub(crate) struct OpeningArgs {
    /// Openings of a file: a position a line (EPD, FEN, `startpos moves …`),
    /// games in PGN, or a Polyglot book (.bin), from which different openings are drawn by its
    /// weights [default: random moves].
    #[arg(long, value_name = "FILE", help_heading = heading::OPENINGS)]
    pub(crate) book: Option<PathBuf>,
    /// Moves to take of each game of a PGN book, or opening of a Polyglot book.
    #[arg(
        long,
        value_name = "N",
        default_value_t = BOOK_PLIES,
        requires = "book",
        conflicts_with = "random_plies",
        help_heading = heading::OPENINGS
    )]
    pub(crate) book_plies: usize,
    /// The order of a book.
    #[arg(
        long,
        value_enum,
        default_value_t,
        requires = "book",
        conflicts_with = "random_plies",
        help_heading = heading::OPENINGS
    )]
    pub(crate) book_order: BookOrder,
    /// Random moves at the start; self-play plays one more in half the games.
    #[arg(long, value_name = "N", default_value_t = RANDOM_PLIES, conflicts_with = "book", help_heading = heading::OPENINGS)]
    pub(crate) random_plies: usize,
    /// Largest score in centipawns, either way, that the quiescence search of
    /// the engine may find after random moves [default: 150]. External engines
    /// cannot tell.
    #[arg(long, value_name = "SCORE", conflicts_with = "book", help_heading = heading::OPENINGS)]
    pub(crate) balance: Option<i32>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum BookOrder {
    /// Shuffled by the seed.
    #[default]
    Random,
    /// As in the file.
    Sequential,
}

/// Plays sets of weights of the engine, or programs, one against another or several.
#[derive(Args, Debug)]
pub(crate) struct MatchArgs {
    /// Whose results are counted: weights (spec, source, zero, or a file), or a program with
    /// its arguments; spaces within them in quotes, as in a shell: '"my engine" --threads 1'.
    /// With options and a limit of its own as fastchess has them: 'cmd=./engine args="-x 1"
    /// name=new tc=8+0.08 option.Hash=16', where st=, nodes= or depth= may be in place of tc=.
    #[arg(value_name = "ENGINE")]
    first: String,
    /// The opponent, of the same kind; several play in turn.
    #[arg(value_name = "OPPONENT", required = true, num_args = 1..)]
    opponents: Vec<String>,
    #[command(flatten)]
    programs: ProgramArgs,
    /// An option to set in all programs.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_pair, help_heading = heading::ENGINES)]
    pub(crate) option: Vec<Pair>,
    /// An option to set in the first program.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_pair, help_heading = heading::ENGINES)]
    pub(crate) option_first: Vec<Pair>,
    /// An option to set in opponents.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_pair, help_heading = heading::ENGINES)]
    pub(crate) option_second: Vec<Pair>,
    /// Games against each opponent; an odd number is rounded up to whole pairs. With --sprt the
    /// most that are played.
    #[arg(long, value_name = "N", default_value_t = 400, help_heading = heading::GAMES)]
    pub(crate) games: u64,
    /// Play one of N parts of these games, for several machines: games in PGN of all parts, one
    /// after the other, are those of the whole match.
    #[arg(long, value_name = "I/N", conflicts_with = "sprt", help_heading = heading::GAMES)]
    shard: Option<Shard>,
    /// End as soon as the difference in Elo is surely above the first number or
    /// surely below the second.
    #[arg(long, value_name = "ELO0,ELO1", value_parser = parse_hypotheses, allow_hyphen_values = true, help_heading = heading::TEST)]
    pub(crate) sprt: Option<[f64; 2]>,
    #[command(flatten)]
    pub(crate) test: TestArgs,
    /// Exit status 3 unless the first one passes the test; without --sprt,
    /// unless the 95 % interval of its Elo is above 0.
    #[arg(long, help_heading = heading::TEST)]
    pub(crate) must_pass: bool,
    /// Write the result on standard output at the end, as others write theirs.
    #[arg(long, value_enum, default_value_t, conflicts_with = "json", help_heading = heading::DATA)]
    pub(crate) format: ResultFormatArg,
    #[command(flatten)]
    pub(crate) play: GameArgs,
    /// Write the games to this file, as PGN or as the game's own records are
    /// written.
    #[arg(long, value_name = "FILE", help_heading = heading::OUTPUT)]
    pub(crate) pgn: Option<PathBuf>,
    /// Write each game to a file of its own in this folder, as programs show games to
    /// people: KIF for shogi, PGN for others.
    #[arg(long, value_name = "FOLDER", help_heading = heading::OUTPUT)]
    pub(crate) records: Option<PathBuf>,
    /// Write the pairs to this file, to be resumed by --resume.
    #[arg(long, value_name = "FILE", help_heading = heading::OUTPUT)]
    pub(crate) journal: Option<PathBuf>,
    /// Write a page on the match to this file, also where it is interrupted;
    /// `report` makes it again from the file of --journal.
    #[arg(long, value_name = "FILE", help_heading = heading::OUTPUT)]
    pub(crate) report: Option<PathBuf>,
}

/// Plays games, fits the weights to them, tests the new weights against the best
/// ones so far, keeps them if they pass; and again.
///
/// The same command continues a loop that was interrupted or killed, to the same
/// files; with more --rounds one that was done. Words behind `--` are options for
/// each `fit`.
#[derive(Args, Debug)]
pub(crate) struct LoopArgs {
    /// The folder of the loop.
    pub(crate) folder: PathBuf,
    /// Rounds in all. It ends earlier where the weights of two rounds in a row are
    /// not kept.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Weights of the start: those of the spec, of the source, all zero (or as near
    /// as their bounds allow), or of a file [possible values: spec, source, zero,
    /// FILE].
    #[arg(long, default_value = "spec", value_name = "FROM")]
    from: String,
    /// Games to play a round; from zero a quarter of them, as long as each round wins 100
    /// Elo or more.
    #[arg(long, value_name = "N", default_value_t = 48_000, value_parser = clap::value_parser!(u64).range(1..), help_heading = heading::GAMES)]
    games: u64,
    /// Positions to search a move of these games.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..), help_heading = heading::GAMES)]
    nodes: u64,
    /// Depth of all searches of the loop, instead of --nodes, --score-nodes and --test-nodes: for
    /// engines that ignore `go nodes`. The first scores of positions are those of the games.
    #[arg(long, value_name = "N", conflicts_with_all = ["nodes", "score_nodes", "test_nodes"], value_parser = clap::value_parser!(u32).range(1..), help_heading = heading::GAMES)]
    depth: Option<u32>,
    /// Positions to keep of a game, at most.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..))]
    positions: u64,
    /// Positions to search for the score of a position that is kept; 0 for the score of the
    /// search that played.
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    score_nodes: u64,
    /// Times that all positions of a fit are scored anew, by the weights that were fitted to
    /// them, and fitted again [default: 1; 0 where scores change nothing, with
    /// --score-nodes 0 or --lambda 1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=100))]
    refits: Option<u32>,
    /// The last rounds whose games are fitted; with --refits 0 those of a round count half
    /// as much as those of the next [default: 3; from zero 1 as long as
    /// each round wins 100 Elo or more, and then none of before].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    keep: Option<u32>,
    /// Part of the result in the target of the fit, the rest is the search's score
    /// [default: 0.2]. From zero the first fit is to results alone.
    #[arg(long, value_name = "SHARE", help_heading = heading::FITTED)]
    #[arg(value_parser = within(0.0..=1.0, "a number from 0 to 1"))]
    lambda: Option<f64>,
    /// The test that new weights must pass, as in `match`.
    #[arg(
        long,
        value_name = "ELO0,ELO1",
        default_value = "0,10",
        value_parser = parse_hypotheses,
        allow_hyphen_values = true,
        help_heading = heading::TEST
    )]
    sprt: [f64; 2],
    /// Most games of a test. Where they do not decide it, the weights are kept if the
    /// 95 % interval of their Elo is above 0.
    #[arg(long, value_name = "N", default_value_t = 4_000, value_parser = clap::value_parser!(u64).range(2..))]
    test_games: u64,
    /// Positions to search a move of a test.
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = clap::value_parser!(u64).range(1..))]
    test_nodes: u64,
    /// Openings of the test, a book as `match` takes it; without it random ones, which for an
    /// engine by UCI or USI only an evaluator with a quiescence search can judge.
    #[arg(long, value_name = "FILE", help_heading = heading::TEST)]
    book: Option<PathBuf>,
    /// Games against the weights of the start, after each round whose weights are
    /// kept; 0 for none.
    #[arg(long, value_name = "N", default_value_t = 400)]
    start_games: u64,
    /// Seed of all random numbers.
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = heading::GAMES)]
    seed: u64,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    /// Print one JSON object at the end.
    #[arg(long, help_heading = heading::OUTPUT)]
    pub(crate) json: bool,
    /// Options for each fit, such as `-- --prior 20`.
    #[arg(last = true, value_name = "FIT OPTION")]
    fit: Vec<String>,
}

/// Moves numbers by games: each pair plays them all moved a little, up or down at random,
/// against the same moved the other way (SPSA, as fishtest has it).
///
/// Numbers are weights of the engine of tuner.toml, for few of them, named by --only; or
/// options of a program, such as constants of its search. It takes tens of thousands of games.
/// At the end the numbers play those of the start.
#[derive(Args, Debug)]
pub(crate) struct SpsaArgs {
    /// The program whose options are moved, with its arguments, in quotes as in a shell; without
    /// it the engine of tuner.toml plays, and its weights are moved.
    program: Option<String>,
    /// An option to move, NAME=START:LOW..HIGH:SIZE, such as LmrBase=75:40..120:8: both sides
    /// move it by SIZE at the end. NAME=VALUE sets one that stays.
    #[arg(long, value_name = "OPTION", value_parser = parse_option, help_heading = heading::ENGINES)]
    option: Vec<ProgramOption>,
    /// Options to move, of a file as OpenBench or weather-factory have it.
    #[arg(long, value_name = "FILE", help_heading = heading::ENGINES)]
    options: Option<PathBuf>,
    #[command(flatten)]
    programs: ProgramArgs,
    /// Games of the test against the start, once all are played; 0 for none.
    #[arg(long, value_name = "N", default_value_t = 1_000, help_heading = heading::TEST)]
    test_games: u64,
    /// The folder to write into: weights.txt, options.txt, spsa.json, spsa.html.
    #[arg(long, default_value = "tuner-spsa", value_name = "FOLDER", help_heading = heading::OUTPUT)]
    out: PathBuf,
    /// Weights of the start: those of the spec, of the source, or of a file.
    #[arg(
        long,
        default_value = "spec",
        value_name = "FROM",
        conflicts_with = "program"
    )]
    from: String,
    #[command(flatten)]
    choice: WeightChoiceArgs,
    /// How far weights are moved either way at the end, in their unit; `NAME=SIZE` for
    /// those of a parameter, whose name may hold `*`.
    #[arg(long, value_name = "SIZE|NAME=SIZE", default_value = "10", value_delimiter = ',', value_parser = parse_perturbation, conflicts_with = "program")]
    perturb: Vec<Perturbation>,
    /// What a won game of the end moves a number by, as a part of --perturb or SIZE, where a file
    /// of options does not say so [default: 0.01 for 20000 games, less for more].
    #[arg(long, value_name = "SHARE")]
    #[arg(value_parser = within(above_0_to(1.0), "a number above 0 and up to 1, such as 0.01"))]
    rate: Option<f64>,
    /// Games in all, those of an interrupted run included.
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(2..), help_heading = heading::GAMES)]
    games: u64,
    #[command(flatten)]
    pub(crate) play: GameArgs,
}

/// Says how far a sequential test of results is.
#[derive(Args, Debug)]
pub(crate) struct SprtArgs {
    /// The hypotheses: passed is what is surely above the first, failed what is surely
    /// below the second.
    #[arg(id = "sprt", long = "elo", value_name = "ELO0,ELO1", value_parser = parse_hypotheses, allow_hyphen_values = true, help_heading = heading::TEST)]
    pub(crate) elo: [f64; 2],
    #[command(flatten)]
    pub(crate) test: TestArgs,
    #[command(flatten)]
    pub(crate) results: ResultArgs,
}

/// Results of games.
#[derive(Args, Debug)]
pub(crate) struct ResultArgs {
    /// Games won, drawn and lost (W D L); pairs by half points (LL LD WL+DD WD WW); or a
    /// file: games in PGN, or the --journal of a match.
    #[arg(required = true, num_args = 1.., value_name = "COUNTS | FILE")]
    pub(crate) results: Vec<String>,
    /// Whose results are counted in games of PGN [default: White's of the first game].
    #[arg(long, value_name = "NAME")]
    pub(crate) player: Option<String>,
    /// How the result is written on standard output.
    #[arg(long, value_enum, default_value_t, conflicts_with = "json", help_heading = heading::DATA)]
    pub(crate) format: ResultFormatArg,
    #[command(flatten)]
    pub(crate) print: PrintArgs,
}

/// What a sequential test depends on, beside its hypotheses.
#[derive(Args, Debug)]
#[group(skip)]
pub(crate) struct TestArgs {
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

words_for! {
    #[derive(Default, PartialEq, Eq)]
    ResultFormatArg => ResultFormat {
        /// In words.
        #[default]
        Plain,
        /// As OpenBench does.
        Openbench,
        /// As fastchess does.
        Fastchess,
    }
}

/// A value, or `None` where `none` was typed.
#[derive(Clone, Copy, Debug)]
struct OrNone<T>(Option<T>);

/// An option of a program.
#[derive(Clone, Debug)]
enum ProgramOption {
    /// One that is moved.
    Moved(MovedOption),
    /// One that stays.
    Fixed(Pair),
}

/// Reads the value of `--option` of `spsa`: an option to move, whose value is a range,
/// `START:LOW..HIGH:SIZE`, or one that stays, `NAME=VALUE`.
fn parse_option(text: &str) -> Result<ProgramOption, String> {
    // Taken for a range: a value with `..` or a colon that begins as a number does, perhaps a
    // mistaken range. Other values with these may be paths.
    let value = text.split_once('=').map_or("", |(_, value)| value);
    let digits = value.trim_start_matches(['+', '-', '.']);
    let is_number = digits.starts_with(|c: char| c.is_ascii_digit());
    if is_number && (value.contains("..") || value.contains(':')) {
        text.parse().map(ProgramOption::Moved)
    } else {
        parse_pair(text).map(ProgramOption::Fixed)
    }
}

/// Reads both hypotheses of a test, `ELO0,ELO1`: differences in Elo.
pub(crate) fn parse_hypotheses(text: &str) -> Result<[f64; 2], String> {
    let number = |text: &str| text.trim().parse().ok();
    let numbers = text.split_once(',');
    let numbers = numbers.and_then(|(elo0, elo1)| Some([number(elo0)?, number(elo1)?]));
    numbers.ok_or_else(|| "expected two numbers, such as 0,5".to_owned())
}

/// Largest score of a rule.
const MOST_SCORE: i32 = 1_000_000;

/// Reads the value of `--win`, the rule by which games are won: `SCORE:PLIES`, a score that is seen
/// for so many plies, or `none`. The score is in centipawns, from 1 to a million.
fn parse_win(text: &str) -> Result<OrNone<WinRule>, String> {
    let is_rule = |rule: &WinRule| (1..=MOST_SCORE).contains(&rule.score) && rule.plies > 0;
    or_none(text, is_rule, "SCORE:PLIES, such as 600:8")
}

/// Reads the value of `--draw`, the rule by which games are drawn: `SCORE:PLIES:FROM`, scores up to
/// one that are seen for so many plies, from a ply on; or `none`. The score is in centipawns, from
/// 0 to a million.
fn parse_draw(text: &str) -> Result<OrNone<DrawRule>, String> {
    let is_rule = |rule: &DrawRule| (0..=MOST_SCORE).contains(&rule.score) && rule.plies > 0;
    or_none(text, is_rule, "SCORE:PLIES:FROM, such as 10:8:80")
}

/// Reads a rule by which games end early, or `none`. `is_rule`: whether its numbers make sense;
/// `expected`: what it looks like, for the message.
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

/// Reads an option of an engine, `NAME=VALUE` in one line; the value may be empty.
pub(crate) fn parse_pair(text: &str) -> Result<Pair, String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !text.contains(['\n', '\r']) => {
            Ok((name.to_owned(), value.to_owned()))
        }
        _ => Err("expected NAME=VALUE".to_owned()),
    }
}

/// Reads the value of `--perturb`, how far weights are moved: `SIZE` for all parameters, or
/// `NAME=SIZE` for those of that name.
fn parse_perturbation(text: &str) -> Result<Perturbation, String> {
    let (name, size) = match text.rsplit_once('=') {
        Some((name, size)) => (Some(name.to_owned()), size),
        None => (None, text),
    };
    // A larger size would leave scores, which are of 32 bits.
    let expected = "a size above 0 and up to 1000000, such as 10, or NAME=10";
    let size = within(above_0_to(1e6), expected)(size)?;
    Ok(Perturbation { name, size })
}

/// Returns the range of numbers above 0 up to `most`.
fn above_0_to(most: f64) -> (Bound<f64>, Bound<f64>) {
    (Bound::Excluded(0.0), Bound::Included(most))
}

impl GameArgs {
    /// Returns how games are played, by these arguments. `thinking`: the time of programs, if it is
    /// typed; else searches have `--nodes` or `--depth`.
    fn config(&self, thinking: Option<Thinking>) -> GamesConfig {
        GamesConfig {
            seed: self.seed,
            thinking: thinking.unwrap_or(Thinking::Move(self.thinking.limit())),
            openings: self.openings.source(),
            adjudication: self.rules.adjudication(),
            resume: self.resume,
        }
    }
}

impl ThinkingArgs {
    /// Returns the limit of a search: the depth, if one is typed, else a number of nodes.
    pub(crate) fn limit(&self) -> Limit {
        self.depth.map_or(Limit::Nodes(self.nodes), Limit::Depth)
    }
}

impl RuleArgs {
    /// Returns when games end before the rules of the game end them: by scores, or as too long.
    pub(crate) fn adjudication(&self) -> Adjudication {
        Adjudication {
            win: self.win.0,
            draw: self.draw.0,
            longest: self.longest,
        }
    }
}

impl OpeningArgs {
    /// Returns how games begin: from a book if one is named, else by random moves.
    fn source(&self) -> OpeningSource {
        match &self.book {
            Some(file) => OpeningSource::Book {
                file: file.clone(),
                plies: self.book_plies,
                shuffled: self.book_order == BookOrder::Random,
            },
            None => OpeningSource::Random {
                plies: self.random_plies,
                balance: self.balance,
            },
        }
    }
}

impl SelfPlayArgs {
    /// Returns the configuration of `selfplay` by these arguments: how games are played, and which
    /// positions of them are kept.
    pub(crate) fn config(&self) -> SelfPlayConfig {
        SelfPlayConfig {
            output: self.output.clone(),
            weights: self.weights.clone(),
            count: self.games,
            shard: self.shard.unwrap_or_default(),
            games: self.play.config(None),
            score: (self.score_depth.map(Limit::Depth)).or(self.score_nodes.map(Limit::Nodes)),
            sampling: Sampling {
                positions: self.positions,
                first_ply: self.first_ply,
                checks: self.with_checks,
                tactical: self.with_captures,
                noisy: self.with_noise,
            },
        }
    }
}

impl MatchArgs {
    /// Returns the configuration of `match` by these arguments: what is played, and what of it is
    /// written. Its field `for_programs` is the first typed option that only programs heed, so that
    /// weights can refuse it.
    pub(crate) fn config(&self) -> Result<MatchConfig> {
        let sprt = self.sprt.map(|hypotheses| self.test.of(hypotheses));
        let sprt = sprt.transpose();
        let sides = [&self.first].into_iter().chain(&self.opponents).enumerate();
        let sides = sides.map(|(at, text)| {
            // All opponents have the options of the second side.
            let own = [&self.option_first, &self.option_second][at.min(1)];
            let options = self.option.iter().chain(own).cloned().collect();
            side(text, &self.programs, options)
        });
        let sides = sides.collect::<Result<Vec<_>, _>>()?;
        // A limit of time of one side, which only programs heed.
        let timed = |side: &MatchSide| match side.thinking {
            Some(Thinking::Game(_) | Thinking::Move(Limit::Time(_))) => Some("tc= or st="),
            _ => None,
        };
        Ok(
            cloned_fields! { MatchConfig { must_pass, pgn, records, journal, report } of self,
                for_programs: (self.about_programs()).or(sides.iter().find_map(timed)),
                sides,
                games: self.play.config(self.programs.thinking()),
                pairs: self.games.div_ceil(2),
                shard: self.shard.unwrap_or_default(),
                sprt: sprt.map_err(|error| format!("--sprt: {error}"))?,
            },
        )
    }

    /// Returns the first typed option that is about programs, which sides that are weights refuse;
    /// `None` where there is none.
    fn about_programs(&self) -> Option<&'static str> {
        let option = first_typed(&[
            (!self.option.is_empty(), "--option"),
            (!self.option_first.is_empty(), "--option-first"),
            (!self.option_second.is_empty(), "--option-second"),
        ]);
        self.programs.typed().or(option)
    }
}

/// Both risks of the test of a loop, alpha and beta. Chosen: the default of `match`.
const RISK: f64 = 0.05;

impl LoopArgs {
    /// Returns the configuration of `loop` by these arguments. `options`: those that must be the
    /// same where an interrupted loop continues. The hypotheses of its test are in normalised Elo.
    pub(crate) fn config(&self, options: OptionsSnapshot) -> Result<LoopConfig> {
        let [elo0, elo1] = self.sprt;
        let sprt = Sprt::new(elo0, elo1, RISK, RISK, EloUnit::Normalised);
        Ok(cloned_fields! { LoopConfig {
            folder, rounds, from, games, nodes, depth, positions, score_nodes, refits, keep, lambda,
            test_games, test_nodes, book, start_games, seed, fit,
        } of self,
            sprt: sprt.map_err(|error| Failure::Usage(format!("--sprt: {error}")))?,
            threads: self.threads.threads,
            options,
        })
    }
}

impl SpsaArgs {
    /// Returns the configuration of `spsa` by these arguments: which numbers are moved, and how.
    /// Reads the file of options if one is named. Fails where a program is named and weights are
    /// chosen, as a program has only options. The field `for_programs` of the configuration is the
    /// first typed option that only programs heed, so that weights can refuse it.
    pub(crate) fn config(&self) -> Result<SpsaConfig> {
        let choice: FrozenChoice = (&self.choice).into();
        if self.program.is_some() && choice != FrozenChoice::default() {
            misuse!(
                "--only, --free and --freeze choose weights, and a program has none; leave them out"
            );
        }
        let (mut moved, mut fixed) = (Vec::new(), Vec::new());
        for option in &self.option {
            match option {
                ProgramOption::Moved(option) => moved.push(option.clone()),
                ProgramOption::Fixed(option) => fixed.push(option.clone()),
            }
        }
        if let Some(file) = &self.options {
            moved.extend(MovedOption::read(file)?);
        }
        let set = (!fixed.is_empty()).then_some("--option");
        Ok(SpsaConfig {
            program: self.program.clone(),
            options: moved,
            for_programs: self.programs.typed().or(set),
            treatment: self.programs.treatment(fixed),
            test_games: self.test_games,
            out: self.out.clone(),
            from: self.from.clone(),
            choice,
            perturbations: self.perturb.clone(),
            rate: (self.rate).unwrap_or_else(|| usual_rate(self.games.div_ceil(2))),
            count: self.games,
            games: self.play.config(self.programs.thinking()),
        })
    }
}

impl TestArgs {
    /// Returns the sequential test of two hypotheses, differences in Elo. Fails unless the first is
    /// below the second, both are within ±400, and both risks are above 0 with a sum below 1.
    pub(crate) fn of(&self, [elo0, elo1]: [f64; 2]) -> Result<Sprt, SprtError> {
        Sprt::new(elo0, elo1, self.alpha, self.beta, self.elo_model.into())
    }
}
