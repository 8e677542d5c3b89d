//! `data extract`, `filter`, `convert`, `split`.

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::InputSet;
use super::args::{
    FileArgs, FilterArgs, FilterChoiceArgs, KeepArg, MoveArg, OutputArgs, SplitArgs,
};
use crate::args::word;
use crate::interrupt::Interrupt;
use crate::{Failure, output, report};
use tuner_data::AnyGame;
use tuner_data::tools::{
    Duplicates, Filter, FilterRange, Filters, GameFilters, KeyedPosition, LineLayout, QuietLook,
    SplitPart, TransformOptions, Transformed, Writer, transform,
};
use tuner_data::{InputError, ReadError, RecordUnit};

/// The seed where none is typed. Chosen; nothing depends on it.
const SEED: u64 = 1;

/// Leaves positions out: those of `extract` are mostly of games.
pub(super) fn filter(
    rules: &AnyGame,
    look: Option<&QuietLook<'_>>,
    args: &FilterArgs,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let per_game = args.filters.per_game;
    let options = TransformOptions {
        filters: filters(&args.filters, look.is_some())?,
        look,
        duplicates: args.filters.duplicates.into(),
        per_game: per_game.map(|most| most as usize),
        seed: args.output.seed.unwrap_or(SEED),
    };
    if per_game.is_none() {
        args.output.check_seed("--shuffle or --per-game")?;
    }
    one_file(rules, &args.output, &options, interrupt)
}

/// The filters that were typed, or are there by default.
fn filters(args: &FilterChoiceArgs, can_look: bool) -> Result<Filters<'_>, Failure> {
    let looking = [
        ("--quiet", args.quiet),
        ("--against-quiescence", args.against_quiescence),
    ];
    if let Some((option, _)) = looking.iter().find(|(_, most)| most.is_some() && !can_look) {
        let words = "there is no evaluator to ask; run in the folder of a tuner.toml, or name it with -C DIR";
        return Err(Failure::Usage(format!("{option}: {words}")));
    }
    let hundredths = |pawns: u32| i32::try_from(pawns).map_or(i32::MAX, |n| n.saturating_mul(100));
    let material = args.material.map(|range| FilterRange {
        from: range.from.map(hundredths),
        to: range.to.map(hundredths),
    });
    Ok(Filters {
        opening_plies: args.opening_plies,
        in_check: args.in_check == Some(KeepArg::Drop),
        last_tactical: args.last_move == Some(MoveArg::Quiet),
        next_tactical: args.best_move == Some(MoveArg::Quiet),
        most_score: args.max_score,
        against_result: args.against_result,
        most_idle: args.max_idle,
        plies_left: args.plies_left,
        forfeits: args.forfeits == Some(KeepArg::Drop),
        quiet: args.quiet,
        against_quiescence: args.against_quiescence,
        book: args.book == Some(KeepArg::Drop),
        pieces: args.pieces,
        material,
        games: GameFilters {
            min_rating: args.min_rating,
            player: args.player.as_deref(),
            event: args.event.as_deref(),
            dates: args.dates,
            seconds: args.time_control,
        },
    })
}

pub(super) fn convert(
    rules: &AnyGame,
    args: &OutputArgs,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    args.check_seed("--shuffle")?;
    // Nothing is drawn but the order.
    one_file(rules, args, &nothing_out(SEED), interrupt)
}

pub(super) fn nothing_out<'a>(seed: u64) -> TransformOptions<'a> {
    TransformOptions {
        filters: Filters::default(),
        look: None,
        duplicates: Duplicates::Keep,
        per_game: None,
        seed,
    }
}

/// Writes what is taken to one file.
fn one_file(
    rules: &AnyGame,
    args: &OutputArgs,
    options: &TransformOptions<'_>,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let file = &args.file;
    let json = file.inputs.json;
    let given = InputSet::new(rules, &file.inputs, !json, interrupt)?;
    given.check_output(&file.output)?;
    let name = file.output.display().to_string();
    let mut outputs = Outputs::new(vec![file.writer(rules)?], vec![name]);
    let mut all: Vec<KeyedPosition> = Vec::new();
    let found = given.transform(rules, options, interrupt, &mut |kept| {
        if args.shuffle {
            all.push(kept);
            return ControlFlow::Continue(());
        }
        outputs.write(0, &kept)
    });
    if found.is_ok() {
        for kept in shuffled(&all, args.seed.unwrap_or(SEED)) {
            if outputs.write(0, kept).is_break() {
                break;
            }
        }
    }
    outputs.finish(found, interrupt, json, &json!(word(&file.to)))
}

/// Returns the positions in an order that depends on the seed and their number alone.
fn shuffled(all: &[KeyedPosition], seed: u64) -> impl Iterator<Item = &KeyedPosition> {
    let order = tuner_data::tools::permutation(all.len(), seed);
    order.into_iter().map(|number| &all[number])
}

pub(super) fn split(
    rules: &AnyGame,
    args: &SplitArgs,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let shares: f64 = args.parts.iter().map(|part| part.share).sum();
    if shares > 1.0 + 1e-9 {
        let words = format!("--part: the shares are {shares} together, expected 1 or less");
        return Err(Failure::Usage(words));
    }
    let given = InputSet::new(rules, &args.inputs, !args.inputs.json, interrupt)?;
    let mut writers = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let mut files: Vec<PathBuf> = Vec::new();
    for part in &args.parts {
        given.check_output(&part.path)?;
        let name = part.path.display().to_string();
        // What has no folder cannot be written, as is told below.
        let file = tuner_base::resolved_target(&part.path).unwrap_or_else(|_| part.path.clone());
        if let Some(other) = files.iter().position(|other| *other == file) {
            let words = format!(
                "--part: found {name} twice, the first time as {}; name each file once",
                names[other]
            );
            return Err(Failure::Usage(words));
        }
        files.push(file);
        writers.push(writer(rules, &part.path, args.to.into(), args.inputs.json)?);
        names.push(name);
    }
    let mut outputs = Outputs::new(writers, names);
    let options = nothing_out(args.seed);
    let found = given.transform(rules, &options, interrupt, &mut |kept| {
        if let Some(part) = SplitPart::of(&args.parts, args.seed, &kept) {
            return outputs.write(part, &kept);
        }
        outputs.left_over += 1;
        ControlFlow::Continue(())
    });
    outputs.finish(found, interrupt, args.inputs.json, &Value::Null)
}

/// Begins an output; `json` if the object is wanted on standard output.
fn writer(rules: &AnyGame, path: &Path, layout: LineLayout, json: bool) -> Result<Writer, Failure> {
    let opened = if path == Path::new("-") {
        if json {
            let words = "--json: found -, standard output, for data as well; name a file for one";
            return Err(Failure::Usage(words.to_owned()));
        }
        let out = io::BufWriter::new(io::stdout());
        Writer::stream(Box::new(out), layout, rules.name())
    } else {
        Writer::create(path, layout, rules.name())
    };
    let name = path.display();
    opened.map_err(|error| match error.kind() {
        io::ErrorKind::InvalidInput => {
            Failure::Usage(format!("{name}: {error}; name the file otherwise"))
        }
        _ => format!("{name}: cannot be written: {error}; check the folder and the rights").into(),
    })
}

impl InputSet {
    pub(super) fn transform(
        &self,
        rules: &AnyGame,
        options: &TransformOptions<'_>,
        interrupt: &Interrupt,
        give: &mut dyn FnMut(KeyedPosition) -> ControlFlow<()>,
    ) -> Result<Transformed, Failure> {
        let found = transform(rules, &self.inputs, &self.options, options, give);
        self.progress.done();
        if interrupt.asked() {
            let words = "before everything was read; nothing was written";
            return Err(Failure::Interrupted(words.to_owned()));
        }
        found.map_err(|error| match error.inputs.as_slice() {
            // The reason is known where it broke off.
            [InputError::Stopped] => Failure::Error(String::new()),
            [] => bad_lines(&error).into(),
            _ => error.into(),
        })
    }
}

/// The advice on bad lines, behind the list of them: collections of real games
/// have some.
fn bad_lines(error: &ReadError) -> String {
    let total = error.report.total();
    let of = match total.unit {
        Some(RecordUnit::Games) => format!("of {} games", total.units),
        Some(RecordUnit::Records | RecordUnit::Chains) => format!("of {} records", total.units),
        None => format!("of {} lines", total.lines),
    };
    format!(
        "{error}\n{} {of} cannot be read, and nothing was written; --on-bad-line skip passes over \
         them, and counts and lists them",
        total.rejected
    )
}

pub(super) struct Outputs {
    writers: Vec<Writer>,
    names: Vec<String>,
    counts: Vec<u64>,
    /// Positions beyond all shares, or without the label that they were to get.
    pub(super) left_over: u64,
    /// The message on what could not be written.
    lost: Option<String>,
}

impl Outputs {
    pub(super) fn new(writers: Vec<Writer>, names: Vec<String>) -> Self {
        Self {
            counts: vec![0; writers.len()],
            writers,
            names,
            left_over: 0,
            lost: None,
        }
    }

    pub(super) fn write(&mut self, part: usize, kept: &KeyedPosition) -> ControlFlow<()> {
        match self.writers[part].write(kept) {
            Ok(()) => {
                self.counts[part] += 1;
                ControlFlow::Continue(())
            }
            Err(error) => {
                let name = &self.names[part];
                self.lost = Some(format!("{name}: cannot be written: {error}"));
                ControlFlow::Break(())
            }
        }
    }

    /// Takes the message on what could not be written, as an error.
    pub(super) fn take_lost(&mut self) -> Failure {
        self.lost.take().unwrap_or_default().into()
    }

    /// Ends the files, and says what became of the inputs.
    pub(super) fn finish(
        self,
        found: Result<Transformed, Failure>,
        interrupt: &Interrupt,
        json: bool,
        more: &Value,
    ) -> Result<(), Failure> {
        if let Some(lost) = self.lost {
            return Err(lost.into());
        }
        let found = found?;
        if interrupt.asked() {
            return Err(Failure::Interrupted("nothing was written".to_owned()));
        }
        // Before anything is said, which may be to nobody.
        for (writer, name) in self.writers.into_iter().zip(&self.names) {
            (writer.finish()).map_err(|error| format!("{name}: cannot be written: {error}"))?;
        }
        report::reading(&found.report);
        output::say_all(found.filtered.words());
        let total = found.report.total();
        for (name, count) in self.names.iter().zip(&self.counts) {
            say!("{name}: {count} positions");
        }
        let filtered = found.filtered.total();
        let left_over = self.left_over;
        let rest = if left_over > 0 {
            format!(" + {left_over} beyond all shares")
        } else {
            String::new()
        };
        say!(
            "{} positions = {} written + {filtered} left out{rest}, {} games",
            total.positions,
            found.written - left_over,
            found.games
        );
        if let Some(words) = nearly_nothing(&found) {
            say!("{words}");
        }
        if json {
            let reasons = Filter::ALL.into_iter();
            let reasons: serde_json::Map<String, Value> = reasons
                .filter(|&filter| found.filtered.by(filter) > 0)
                .map(|filter| (filter.name().to_owned(), found.filtered.by(filter).into()))
                .collect();
            let object = json!({
                "positions": found.written - left_over,
                "read": total.positions,
                "rejected": total.rejected,
                "unfinished": total.unfinished,
                "filtered": filtered,
                "filters": reasons,
                "games": found.games,
                "files": self.names,
                "format": more,
            });
            output::line(&object.to_string())?;
        }
        Ok(())
    }
}

/// Says which filter took the most, where under one in a hundred is left.
fn nearly_nothing(found: &Transformed) -> Option<String> {
    let read = found.report.total().positions;
    let most = (Filter::ALL.into_iter()).max_by_key(|&filter| found.filtered.by(filter))?;
    let taken = found.filtered.by(most);
    (taken > 0 && found.written.saturating_mul(100) < read).then(|| {
        format!(
            "nearly nothing is left, {} of {read} positions: --{} left out the most, {taken}",
            found.written,
            most.name()
        )
    })
}

impl FileArgs {
    /// Begins the file.
    pub(super) fn writer(&self, rules: &AnyGame) -> Result<Writer, Failure> {
        writer(rules, &self.output, self.to.into(), self.inputs.json)
    }
}

impl OutputArgs {
    /// Fails if a seed was typed where nothing is drawn.
    fn check_seed(&self, drawn_by: &str) -> Result<(), Failure> {
        if self.seed.is_some() && !self.shuffle {
            let words = format!("--seed: nothing is random without {drawn_by}; leave it out");
            return Err(Failure::Usage(words));
        }
        Ok(())
    }
}
