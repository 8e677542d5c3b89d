//! `fit --events FILE`: what happens as lines of JSON, for user interfaces.
//!
//! Each line is one object with a field `event`, written at once and flushed, so that a
//! fit that is killed leaves whole lines. The fields are documented in
//! `docs/events.md`.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::launch::ranks;
use crate::options::typed_words;
use tuner_data::ReadProgress;
use tuner_fit::ChosenPrior;
use tuner_fit::run::RunEvent;
use tuner_jobs::{JobFailure as Failure, misuse};
use tuner_judge::{ErrorDifference, FitVerdict, Judgement, NoiseShare, StatementCounts};

/// Version of the events, raised where a field changes its meaning or is gone.
const FORMAT: u32 = 1;

/// How often it is told how far the reading got. Chosen: a bar moves smoothly enough.
const READING: Duration = Duration::from_millis(250);

/// Longest first line that is looked at, in bytes; of ours it has the command.
const LONGEST_BEGIN: u64 = 1 << 20;

/// Writes events; or nothing, where nobody asks for them.
#[derive(Clone, Default)]
pub(crate) struct EventWriter(Option<Arc<Mutex<EventFile>>>);

struct EventFile {
    to: Box<dyn Write + Send>,
    name: String,
    /// Whether a line could not be written, after which there are no more.
    is_lost: bool,
    /// The descent or pass that is under way, counted from 1.
    stage: u32,
    begun: Instant,
    /// When the reading was told of last.
    told: Option<Instant>,
    /// The last event of the reading, if it has not been written yet.
    reading: Option<Event<'static>>,
}

/// A line: an event, and when it was.
#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    event: Event<'a>,
    seconds: f64,
}

/// An event, as its line has it.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum Event<'a> {
    Begin {
        format: u32,
        tuner: &'static str,
        command: Vec<String>,
    },
    Reading {
        bytes: u64,
        size: Option<u64>,
        positions: u64,
    },
    Targets {
        text: String,
    },
    Prior {
        prior: ChosenPrior,
        text: String,
    },
    Iteration {
        stage: u32,
        iteration: usize,
        limit: usize,
        error: f64,
        objective: f64,
        held_out_error: Option<f64>,
        step: f64,
        gradient: f64,
        passes: usize,
        descent_seconds: f64,
    },
    StageEnded {
        stage: u32,
    },
    Retracing {
        changed_branches: u64,
        text: String,
    },
    Note {
        kind: &'static str,
        text: String,
    },
    Judgement {
        held_out: Option<ErrorDifference>,
        fitted: Option<ErrorDifference>,
        noise: Option<NoiseShare>,
        games: usize,
        games_known: bool,
        #[serde(flatten)]
        counts: StatementCounts,
        undetermined: usize,
    },
    Verdict {
        verdict: FitVerdict,
        replaces: bool,
        text: String,
    },
    Written {
        run: &'a Path,
    },
    End {
        status: u8,
        message: Option<&'a str>,
    },
}

impl EventFile {
    fn line(&mut self, event: Event<'_>) {
        if self.is_lost {
            return;
        }
        let seconds = self.begun.elapsed().as_secs_f64();
        let line = serde_json::to_string(&Line { event, seconds });
        let line = line.map_err(io::Error::from);
        let written = line.and_then(|line| writeln!(self.to, "{line}"));
        if let Err(error) = written.and_then(|()| self.to.flush()) {
            self.is_lost = true;
            say!(
                "--events {}: {error}; the fit continues without events",
                self.name
            );
        }
    }
}

/// Runs a fit, with events if they are asked for (`json`: standard output is taken): the first before the work, the last
/// whatever became of it.
pub(crate) fn with_events(
    file: Option<&Path>,
    json: bool,
    fit: impl FnOnce(&EventWriter) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let events = EventWriter::open(file, json)?;
    events.write(|| Event::Begin {
        format: FORMAT,
        tuner: env!("CARGO_PKG_VERSION"),
        command: typed_words(),
    });
    let result = fit(&events);
    let failure = result.as_ref().err();
    events.write(|| Event::End {
        status: failure.map_or(0, Failure::status),
        message: failure.map(Failure::words),
    });
    result
}

impl EventWriter {
    /// Opens what was asked for.
    fn open(file: Option<&Path>, json: bool) -> Result<Self, Failure> {
        let Some(path) = file.filter(|_| ranks().is_first()) else {
            return Ok(Self::default());
        };
        let name = path.display().to_string();
        let to: Box<dyn Write + Send> = if path.as_os_str() == "-" {
            if json {
                misuse!(
                    "--events -: standard output is that of --json; name a file, or leave one \
                     of the two out"
                );
            }
            Box::new(io::stdout())
        } else {
            let refused =
                |error| format!("--events {name}: {error}; name a file that can be written");
            Box::new(replaced(path).map_err(refused)?)
        };
        Ok(Self(Some(Arc::new(Mutex::new(EventFile {
            to,
            name,
            is_lost: false,
            stage: 1,
            begun: Instant::now(),
            told: None,
            reading: None,
        })))))
    }

    fn with(&self, f: impl FnOnce(&mut EventFile)) {
        if let Some(file) = &self.0 {
            f(&mut file.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Writes an event, after what is left to be told of the reading.
    fn write<'a>(&self, event: impl FnOnce() -> Event<'a>) {
        self.with(|file| {
            if let Some(reading) = file.reading.take() {
                file.line(reading);
            }
            file.line(event());
        });
    }

    /// Tells how far the reading of so many bytes got.
    pub(crate) fn reading(&self, at: ReadProgress, size: Option<u64>) {
        let ReadProgress { bytes, positions } = at;
        self.with(|file| {
            let event = Event::Reading {
                bytes,
                size,
                positions,
            };
            if file.told.is_some_and(|told| told.elapsed() < READING) {
                file.reading = Some(event);
            } else {
                file.reading = None;
                file.told = Some(Instant::now());
                file.line(event);
            }
        });
    }

    /// Tells of the judgement, and of what follows from it.
    pub(crate) fn judged(&self, found: &Judgement, replaces: bool) {
        self.write(|| Event::Judgement {
            held_out: found.held_out,
            fitted: found.fitted,
            noise: found.noise,
            games: found.games,
            games_known: found.games_known,
            counts: found.counts(),
            undetermined: found.undetermined.len(),
        });
        self.write(|| Event::Verdict {
            verdict: found.verdict,
            replaces,
            text: found.headline(),
        });
    }

    /// Tells where the results are.
    pub(crate) fn written(&self, run: &Path) {
        self.write(|| Event::Written { run });
    }

    /// Tells of an event of a run.
    pub(crate) fn run(&self, event: &RunEvent<'_>) {
        let mut stage = 1;
        self.with(|file| {
            stage = file.stage;
            file.stage += u32::from(matches!(event, RunEvent::StageEnded));
        });
        let text = || event.to_string();
        let note = |kind| Event::Note { kind, text: text() };
        self.write(|| match *event {
            RunEvent::Iteration { record, limit } => Event::Iteration {
                stage,
                iteration: record.iteration,
                limit,
                error: record.error,
                objective: record.objective,
                held_out_error: record.held_out_error,
                step: record.step,
                gradient: record.gradient,
                passes: record.cost.passes,
                descent_seconds: record.cost.seconds,
            },
            RunEvent::StageEnded => Event::StageEnded { stage },
            RunEvent::Retracing(changed_branches) => Event::Retracing {
                changed_branches,
                text: text(),
            },
            RunEvent::PriorChosen(chosen) => Event::Prior {
                prior: chosen.clone().of_fitted(),
                text: text(),
            },
            RunEvent::TargetsChosen(_) => Event::Targets { text: text() },
            RunEvent::CheckpointFound(_) => note("checkpoint-found"),
            RunEvent::WeightsRead(_) => note("weights-read"),
            RunEvent::OtherVersion { .. } => note("other-version"),
            RunEvent::Resumed { .. } => note("resumed"),
            RunEvent::CarriedOver { .. } => note("carried-over"),
            RunEvent::OtherLimit { .. } => note("other-limit"),
            RunEvent::PriorResumed => note("prior-resumed"),
            RunEvent::ResolvingAgain(_) => note("resolving-again"),
            RunEvent::RoundLeftOut(_) => note("round-left-out"),
            RunEvent::Verified { .. } => note("verified"),
            RunEvent::CheckpointNotWritten(..) => note("checkpoint-not-written"),
            RunEvent::WeightsNotWritten(..) => note("weights-not-written"),
        });
    }
}

/// The first line of a file, as far as it tells whether it holds events.
#[derive(Deserialize)]
struct FirstLine {
    event: String,
}

/// Opens a file for events, in place of earlier events and of nothing else.
fn replaced(path: &Path) -> io::Result<File> {
    let found = fs::metadata(path);
    if found.is_ok_and(|found| found.is_file() && found.len() > 0) {
        let mut first = String::new();
        let head = File::open(path)?.take(LONGEST_BEGIN);
        // A file that is not text is not one of ours.
        let _ = BufReader::new(head).read_line(&mut first);
        let first: Option<FirstLine> = serde_json::from_str(&first).ok();
        if first.is_none_or(|first| first.event != "begin") {
            let words = "is there, and holds no events; it is left as it is";
            return Err(io::Error::other(words));
        }
    }
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .open(path)
}
