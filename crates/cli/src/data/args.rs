//! The arguments after `data`.

use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Arg, Args, Subcommand, ValueEnum};

use super::ranges;
use crate::heading;
use crate::play_args::{RuleArgs, ThinkingArgs, parse_pair, with_defaults};
use crate::shared_args::{PrintArgs, ReadingArgs, ThreadArgs, files_of, within, word, words_for};
use tuner_base::cloned_fields;
use tuner_data::GameDate;
use tuner_data::tools::{Duplicates, FilterRange, Filters, GameFilters, LineLayout, SplitPart};
use tuner_jobs::{
    InputsConfig, JobResult as Result, LabelConfig, LabelQuestion, LineOutput, Shard, SplitConfig,
    TransformConfig, Treatment, misuse, nothing_out,
};
use tuner_play::{Limit, PlayoutSettings};

#[derive(Debug, Subcommand)]
pub(crate) enum DataCommand {
    /// Takes positions from games: without openings (8 plies), checks, moves
    /// that capture or promote, mates, scores above 2000, games lost on time.
    /// Each filter can be set otherwise.
    #[command(mut_args(|arg| with_off(with_defaults(arg, &EXTRACTED))))]
    Extract(FilterArgs),
    /// Leaves positions out; without filters none.
    #[command(mut_args(with_off))]
    Filter(FilterArgs),
    /// Writes all positions in another format.
    Convert(OutputArgs),
    /// Parts positions by whole games.
    Split(SplitArgs),
    /// Says what is in the data.
    Profile(InputArgs),
    /// Fits win, draw and loss by search score and material, as `UCI_ShowWDL` shows them: the
    /// coefficients, and what a normalised centipawn is.
    Wdl(InputArgs),
    /// Gives positions the score of a search, by a program or by the evaluator of an engine;
    /// everything else stays.
    Rescore(LabelArgs),
    /// Gives positions the result of playing them on to the end, an engine against
    /// itself; everything else stays.
    Playout(PlayoutArgs),
    /// Puts the end of its quiescence search in the place of each position; needs the
    /// evaluator of an engine.
    Resolve(FileArgs),
}

impl DataCommand {
    /// Returns the arguments about what is read and printed, which every command on data has.
    pub(crate) const fn inputs(&self) -> &InputArgs {
        match self {
            Self::Extract(args) | Self::Filter(args) => &args.output.file.inputs,
            Self::Convert(args) => &args.file.inputs,
            Self::Split(args) => &args.inputs,
            Self::Profile(args) | Self::Wdl(args) => args,
            Self::Rescore(args) => &args.output.inputs,
            Self::Playout(args) => &args.label.output.inputs,
            Self::Resolve(args) => &args.inputs,
        }
    }

    /// Tells whether the command asks the evaluator of an engine: for scores or moves, where no
    /// program is named that gives them, or for quiescence searches.
    pub(crate) fn asks_evaluator(&self) -> bool {
        match self {
            Self::Extract(args) | Self::Filter(args) => {
                args.filters.quiet.is_some() || args.filters.against_quiescence.is_some()
            }
            Self::Rescore(args) => args.engine.engine.is_none(),
            Self::Playout(args) => args.label.engine.engine.is_none(),
            Self::Resolve(_) => true,
            Self::Convert(_) | Self::Split(_) | Self::Profile(_) | Self::Wdl(_) => false,
        }
    }

    /// Returns the weights that the evaluator is to have, as they are typed; `None` for those of
    /// the source.
    pub(crate) fn weights(&self) -> Option<&str> {
        self.engine()?.weights.as_deref()
    }

    /// Returns the arguments about the engine that searches or plays; `None` for a command without
    /// searches.
    pub(crate) const fn engine(&self) -> Option<&EngineArgs> {
        match self {
            Self::Rescore(args) => Some(&args.engine),
            Self::Playout(args) => Some(&args.label.engine),
            _ => None,
        }
    }
}

impl EngineArgs {
    /// Returns the options that are set in the program, and how long it may be silent.
    pub(crate) fn treatment(&self) -> Treatment {
        Treatment {
            options: self.option.clone(),
            patience: Duration::from_secs(self.patience.into()),
        }
    }
}

#[derive(Args, Debug)]
pub(crate) struct InputArgs {
    /// Files of positions or games, plain or compressed by gzip, zstd or xz, or folders of
    /// them; `-` is standard input. `FILE:limit=100000` takes so many positions;
    /// `:format=`, `:perspective=`, `:score-perspective=` and `:score-unit=` are for one file.
    #[arg(required = true, value_name = "FILE[:OPTION=VALUE]…")]
    pub(crate) data: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) reading: ReadingArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    #[command(flatten)]
    pub(crate) print: PrintArgs,
}

/// Positions, and the one file that they are written to.
#[derive(Args, Debug)]
pub(crate) struct FileArgs {
    #[command(flatten)]
    pub(super) inputs: InputArgs,
    /// The file to write, compressed if it ends with .zst or .gz; `-` is
    /// standard output. It is replaced once the new one is whole.
    #[arg(short, long, value_name = "FILE", help_heading = heading::OUTPUT)]
    pub(super) output: PathBuf,
    /// How positions are written.
    #[arg(long, value_enum, default_value_t, help_heading = heading::OUTPUT)]
    pub(super) to: LayoutArg,
}

#[derive(Args, Debug)]
pub(crate) struct OutputArgs {
    #[command(flatten)]
    pub(super) file: FileArgs,
    /// Write positions in random order; takes memory for all of them.
    #[arg(long)]
    pub(super) shuffle: bool,
    /// Seed of what is random: of --shuffle, of --per-game [default: 1].
    #[arg(long, help_heading = heading::GAMES)]
    pub(super) seed: Option<u64>,
}

#[derive(Args, Debug)]
pub(crate) struct LabelArgs {
    #[command(flatten)]
    pub(super) output: FileArgs,
    #[command(flatten)]
    pub(super) engine: EngineArgs,
}

/// Who works on positions, and how much.
#[derive(Args, Debug)]
#[group(skip)]
pub(crate) struct EngineArgs {
    /// A UCI or USI program with its arguments, as in `match` [default: the engine of
    /// tuner.toml]. Each thread starts one.
    #[arg(long, value_name = "COMMAND", help_heading = heading::ENGINES)]
    pub(super) engine: Option<String>,
    /// Weights of the engine of tuner.toml: those of the spec, of the source, all
    /// zero, or those of a file [default: source] [possible values: spec, source, zero, FILE].
    #[arg(long, value_name = "FROM", conflicts_with = "engine")]
    pub(super) weights: Option<String>,
    /// An option to set in it.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_pair, help_heading = heading::ENGINES)]
    pub(super) option: Vec<(String, String)>,
    #[command(flatten)]
    pub(super) thinking: ThinkingArgs,
    /// Milliseconds a move, instead of --nodes.
    #[arg(long, value_name = "MS", group = "thinking", value_parser = clap::value_parser!(u32).range(1..), help_heading = heading::GAMES)]
    pub(super) movetime: Option<u32>,
    /// Seconds that an engine may be silent, beside the time for a move.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=86_400), help_heading = heading::GAMES)]
    pub(super) patience: u32,
    /// Continue what was interrupted, or begin where nothing was; give the options
    /// it was given.
    #[arg(long, help_heading = heading::OUTPUT)]
    pub(super) resume: bool,
    /// Work on one of N parts of the positions, for several machines: the outputs of all parts,
    /// one after the other, are the whole output.
    #[arg(long, value_name = "I/N", help_heading = heading::OUTPUT)]
    pub(super) shard: Option<Shard>,
}

#[derive(Args, Debug)]
pub(crate) struct PlayoutArgs {
    #[command(flatten)]
    pub(super) label: LabelArgs,
    #[command(flatten)]
    pub(super) rules: RuleArgs,
}

#[derive(Args, Debug)]
pub(crate) struct FilterArgs {
    #[command(flatten)]
    pub(super) output: OutputArgs,
    #[command(flatten, next_help_heading = FILTERS)]
    pub(super) filters: FilterChoiceArgs,
}

/// What is left out.
#[derive(Args, Debug)]
pub(crate) struct FilterChoiceArgs {
    /// Leave out positions with fewer half-moves before them.
    #[arg(long, value_name = "PLIES")]
    pub(super) opening_plies: Option<u32>,
    /// Positions in check.
    #[arg(long, value_enum)]
    pub(super) in_check: Option<KeepArg>,
    /// Positions that a capture or promotion led to.
    #[arg(long, value_enum)]
    pub(super) last_move: Option<MoveArg>,
    /// Positions in which a capture or promotion was played, or is best.
    #[arg(long, value_enum)]
    pub(super) best_move: Option<MoveArg>,
    /// Leave out positions with a mate, or a larger score in centipawns.
    #[arg(long, value_name = "CENTIPAWNS", value_parser = clap::value_parser!(i32).range(0..))]
    pub(super) max_score: Option<i32>,
    /// Leave out positions whose score says the opposite of the result by so
    /// much; of a draw, that somebody is better by so much.
    #[arg(long, value_name = "CENTIPAWNS", value_parser = clap::value_parser!(i32).range(0..))]
    pub(super) against_result: Option<i32>,
    /// Leave out positions after more half-moves without capture or pawn move.
    #[arg(long, value_name = "PLIES")]
    pub(super) max_idle: Option<u32>,
    /// Leave out positions with fewer half-moves to the end of the game.
    #[arg(long, value_name = "PLIES")]
    pub(super) plies_left: Option<u32>,
    /// Leave out positions whose evaluation and quiescence score differ by more;
    /// 0 keeps the quiet ones. Needs an evaluation: `data` of an engine's tuning
    /// binary.
    #[arg(long, value_name = "CENTIPAWNS", value_parser = clap::value_parser!(i32).range(0..))]
    pub(super) quiet: Option<i32>,
    /// Leave out positions whose search score and quiescence score differ by
    /// more. Needs an evaluation, as --quiet does.
    #[arg(long, value_name = "CENTIPAWNS", value_parser = clap::value_parser!(i32).range(0..))]
    pub(super) against_quiescence: Option<i32>,
    /// Games that ended on time, by an illegal move, a lost connection.
    #[arg(long, value_enum)]
    pub(super) forfeits: Option<KeepArg>,
    /// Positions in which a move of an opening book was played, by the comments
    /// `book` and `Book exit` of PGN.
    #[arg(long, value_enum)]
    pub(super) book: Option<KeepArg>,
    /// Take positions with so many pieces on the board, kings among them.
    #[arg(long, value_name = "FROM..TO", value_parser = ranges::whole_numbers)]
    pub(super) pieces: Option<FilterRange<u32>>,
    /// Take positions with so much material on the board, of both players, in
    /// pawns: in chess at most 78.
    #[arg(long, value_name = "FROM..TO", value_parser = ranges::whole_numbers)]
    pub(super) material: Option<FilterRange<u32>>,
    /// Take games whose players both have this rating or more.
    #[arg(long, value_name = "RATING")]
    pub(super) min_rating: Option<u32>,
    /// Take games of a player with this in the name.
    #[arg(long, value_name = "NAME")]
    pub(super) player: Option<String>,
    /// Take games of events with this in the name.
    #[arg(long, value_name = "NAME")]
    pub(super) event: Option<String>,
    /// Take games of these days, months or years, such as 2019..2021.06.
    #[arg(long, value_name = "FROM..TO", value_parser = ranges::dates)]
    pub(super) dates: Option<FilterRange<GameDate>>,
    /// Take games in which a player has so many seconds for 40 moves, such as
    /// 180..600; 300+3 is 420.
    #[arg(long, value_name = "FROM..TO", value_parser = ranges::seconds)]
    pub(super) time_control: Option<FilterRange<f64>>,
    /// Positions that are there more than once: `keep` all, the `first` with
    /// its result, or the `first-of-result`, so once with each result.
    #[arg(long, value_enum, default_value_t)]
    pub(super) duplicates: DuplicatesArg,
    /// Take so many positions of each game at most, drawn by --seed.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) per_game: Option<u32>,
}

#[derive(Args, Debug)]
pub(crate) struct SplitArgs {
    #[command(flatten)]
    pub(super) inputs: InputArgs,
    /// A file and its share of the games, such as train.tsv.zst=0.9; give one
    /// for each part. The shares are 1 together, or less.
    #[arg(long = "part", required = true, value_name = "FILE=SHARE", value_parser = parse_part)]
    pub(super) parts: Vec<SplitPart>,
    /// How positions are written.
    #[arg(long, value_enum, default_value_t, help_heading = heading::OUTPUT)]
    pub(super) to: LayoutArg,
    /// Seed of the draw.
    #[arg(long, default_value_t = 1, help_heading = heading::GAMES)]
    pub(super) seed: u64,
}

impl InputArgs {
    /// Returns which files are read, and how, by these arguments.
    pub(super) fn config(&self) -> InputsConfig {
        InputsConfig {
            data: files_of(&self.data),
            reading: (&self.reading).into(),
        }
    }

    /// Returns an output of positions: the file `path`, or standard output where it is `-`. Fails
    /// for `-` with `--json`, which needs standard output too. `layout`: how lines are written.
    fn output(&self, path: &Path, layout: LayoutArg) -> Result<LineOutput> {
        let is_stream = path == Path::new("-");
        if is_stream && self.print.json {
            misuse!("--json: found -, standard output, for data as well; name a file for one");
        }
        let stream = || -> Box<dyn io::Write + Send> { Box::new(BufWriter::new(io::stdout())) };
        Ok(LineOutput {
            path: path.to_path_buf(),
            layout: layout.into(),
            // A table has its line of heads; for the later parts of `--shard` this is changed.
            is_continued: false,
            stream: is_stream.then(stream),
        })
    }
}

impl FileArgs {
    /// Returns the output that positions are written to: the file or stream, and its layout.
    fn line_output(&self) -> Result<LineOutput> {
        self.inputs.output(&self.output, self.to)
    }

    /// Returns the configuration of `data resolve`: each position is replaced by the one in which
    /// its quiescence search ends.
    pub(super) fn config(&self) -> Result<LabelConfig> {
        Ok(LabelConfig {
            inputs: self.inputs.config(),
            output: self.line_output()?,
            question: LabelQuestion::QuietEnd,
            engine: None,
            treatment: Treatment::default(),
            resume: false,
            shard: Shard::default(),
        })
    }
}

/// The seed where none is typed. Chosen; nothing depends on it.
const SEED: u64 = 1;

impl OutputArgs {
    /// Returns the configuration of `data convert`, by which all positions are written. Fails if
    /// `--seed` is typed without `--shuffle`; `drawn_by`, for the message: the options that need a
    /// seed.
    pub(super) fn config(&self, drawn_by: &str) -> Result<TransformConfig<'_>> {
        if self.seed.is_some() && !self.shuffle {
            misuse!("--seed: nothing is random without {drawn_by}; leave it out");
        }
        self.all()
    }

    /// Returns the configuration by which all positions are written, with `--seed` if it is typed,
    /// else `SEED` (1). It does not ask whether anything is random.
    fn all(&self) -> Result<TransformConfig<'_>> {
        Ok(TransformConfig {
            inputs: self.file.inputs.config(),
            output: self.file.line_output()?,
            options: nothing_out(self.seed.unwrap_or(SEED)),
            shuffle: self.shuffle,
        })
    }

    /// Returns the name of the layout of the file, as it is typed.
    pub(super) fn layout(&self) -> Option<String> {
        word(&self.file.to)
    }
}

impl FilterArgs {
    /// Returns the configuration by which those positions are written that no filter leaves out.
    /// Fails if `--seed` is typed and nothing is drawn at random.
    pub(super) fn config(&self) -> Result<TransformConfig<'_>> {
        let per_game = self.filters.per_game;
        let mut all = match per_game {
            Some(_) => self.output.all()?,
            None => self.output.config("--shuffle or --per-game")?,
        };
        all.options.filters = self.filters.filters();
        all.options.duplicates = self.filters.duplicates.into();
        all.options.per_game = per_game.map(|most| most as usize);
        Ok(all)
    }
}

impl FilterChoiceArgs {
    /// Returns which positions and games are left out. Material, which is typed in pawns, is in
    /// hundredths of a pawn.
    fn filters(&self) -> Filters<'_> {
        // What does not fit 32 bits, which no board has, becomes the largest number that does.
        let hundredths =
            |pawns: u32| i32::try_from(pawns).map_or(i32::MAX, |n| n.saturating_mul(100));
        let material = self.material.map(|range| FilterRange {
            from: range.from.map(hundredths),
            to: range.to.map(hundredths),
        });
        // `Drop` and `Quiet` leave out; `Keep`, `Any` and nothing typed do not.
        cloned_fields! { Filters {
            opening_plies, against_result, plies_left, quiet, against_quiescence, pieces,
        } of self,
            in_check: self.in_check == Some(KeepArg::Drop),
            last_tactical: self.last_move == Some(MoveArg::Quiet),
            next_tactical: self.best_move == Some(MoveArg::Quiet),
            most_score: self.max_score,
            most_idle: self.max_idle,
            forfeits: self.forfeits == Some(KeepArg::Drop),
            book: self.book == Some(KeepArg::Drop),
            material,
            games: GameFilters {
                min_rating: self.min_rating,
                player: self.player.as_deref(),
                event: self.event.as_deref(),
                dates: self.dates,
                seconds: self.time_control,
            },
        }
    }
}

impl SplitArgs {
    /// Returns the configuration of `data split`, by which whole games are dealt out to files, to
    /// each file the share that is typed.
    pub(super) fn config(&self) -> Result<SplitConfig> {
        let part = |part: &SplitPart| Ok((self.inputs.output(&part.path, self.to)?, part.share));
        let parts: Result<_> = self.parts.iter().map(part).collect();
        Ok(SplitConfig {
            inputs: self.inputs.config(),
            parts: parts?,
            seed: self.seed,
        })
    }
}

impl LabelArgs {
    /// Returns the configuration by which positions get scores of a search; or, where `rules` by
    /// which games end early are given, results of games that are played on from the positions.
    pub(super) fn config(&self, rules: Option<&RuleArgs>) -> Result<LabelConfig> {
        let engine = &self.engine;
        let limit = match engine.movetime {
            Some(time) => Limit::Time(Duration::from_millis(time.into())),
            None => engine.thinking.limit(),
        };
        let question = match rules {
            None => LabelQuestion::Score(limit),
            Some(rules) => LabelQuestion::Result(PlayoutSettings {
                limit,
                adjudication: rules.adjudication(),
            }),
        };
        Ok(LabelConfig {
            question,
            engine: engine.engine.clone(),
            treatment: engine.treatment(),
            resume: engine.resume,
            shard: engine.shard.unwrap_or_default(),
            // Of `data resolve`, from which only inputs and output are taken.
            ..self.output.config()?
        })
    }
}

/// What `extract` leaves out unless told otherwise: ids of options and their defaults. Chosen: what
/// tools of this kind usually do; the opening is a book's, and static scores say nothing of
/// positions in which something is taken next.
const EXTRACTED: [(&str, &str); 5] = [
    ("opening_plies", "8"),
    ("in_check", "drop"),
    ("best_move", "quiet"),
    ("max_score", "2000"),
    ("forfeits", "drop"),
];

/// The heading of options that leave something out.
const FILTERS: &str = "Filters";

/// Adds `[default: off]` to the help of a filter that has no default: if it is not typed, it leaves
/// nothing out. Other options stay as they are.
fn with_off(arg: Arg) -> Arg {
    let is_filter = arg.get_help_heading() == Some(FILTERS);
    if !is_filter || !arg.get_default_values().is_empty() {
        return arg;
    }
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    arg.help(format!("{help} [default: off]"))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum KeepArg {
    Keep,
    Drop,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MoveArg {
    Any,
    Quiet,
}

words_for! {
    #[derive(Default)]
    DuplicatesArg => Duplicates {
        #[default]
        Keep,
        First,
        FirstOfResult,
    }
}

words_for! {
    #[derive(Default)]
    LayoutArg => LineLayout {
        /// Columns by tabs: position, result, score, game, ply, moves around.
        #[default]
        Table,
        /// `POSITION [0.5]`
        Bracketed,
        /// `POSITION | 63 | 0.5`
        Piped,
        /// EPD, `POSITION ce 63; c9 "1-0";`
        C9,
        /// Stockfish's lines fen, score, ply, result, e
        Plain,
        /// 32 bytes a position, which lose colour to move, castling rights and clocks
        Bulletformat,
        /// Refused with the reason.
        #[value(hide = true)]
        Viriformat,
    }
}

/// Reads a part of `data split`, `FILE=SHARE`: a file, and its share of the games, from 0 to 1.
fn parse_part(text: &str) -> Result<SplitPart, String> {
    let expected = "FILE=SHARE with a share from 0 to 1";
    // Without `=` the share is empty, which is refused below.
    let (path, share) = text.rsplit_once('=').unwrap_or((text, ""));
    Ok(SplitPart {
        path: path.into(),
        share: within(0.0..=1.0, expected)(share)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_shows_the_defaults() {
        let command = DataCommand::augment_subcommands(clap::Command::new("data"));
        let help = |name: &str| {
            let command = command.find_subcommand(name).cloned();
            let mut command = command.unwrap_or_default();
            let help = command.render_long_help().to_string();
            help.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let extract = help("extract");
        for default in ["8", "2000"] {
            assert!(
                extract.contains(&format!("[default: {default}]")),
                "{extract}"
            );
        }
        let count = |help: &str, words: &str| help.matches(words).count();
        assert_eq!(count(&extract, "[default: drop]"), 2, "{extract}");
        assert_eq!(count(&extract, "[default: off]"), 20 - 5);
        assert_eq!(count(&help("filter"), "[default: off]"), 20);
        assert_eq!(count(&help("convert"), "[default: off]"), 0);
    }
}
