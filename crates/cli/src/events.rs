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

use serde_json::{Value, json};

use super::Failure;
use super::options::typed_words;
use super::ranks::ranks;
use tuner_data::ReadProgress;
use tuner_fit::run::RunEvent;
use tuner_judge::Judgement;

/// Version of the events, raised where a field changes its meaning or is gone.
const FORMAT: u32 = 1;

/// How often it is told how far the reading got. Chosen: a bar moves smoothly enough.
const READING: Duration = Duration::from_millis(250);

/// Longest first line that is looked at, in bytes; of ours it has the command.
const LONGEST_BEGIN: u64 = 1 << 20;

/// Writes events; or nothing, where nobody asks for them.
#[derive(Clone, Default)]
pub(super) struct EventWriter(Option<Arc<Mutex<EventFile>>>);

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
    reading: Option<Value>,
}

impl EventFile {
    fn line(&mut self, event: &str, fields: Value) {
        if self.is_lost {
            return;
        }
        let mut object = json!({
            "event": event,
            "seconds": self.begun.elapsed().as_secs_f64(),
        });
        if let (Value::Object(object), Value::Object(fields)) = (&mut object, fields) {
            object.extend(fields);
        }
        let line = format!("{object}\n");
        let written = self.to.write_all(line.as_bytes());
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
pub(super) fn with_events(
    file: Option<&Path>,
    json: bool,
    fit: impl FnOnce(&EventWriter) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let events = EventWriter::open(file, json)?;
    let words = typed_words();
    events.write(
        "begin",
        || json!({ "format": FORMAT, "tuner": env!("CARGO_PKG_VERSION"), "command": words }),
    );
    let result = fit(&events);
    events.write("end", || {
        let (status, message) = match &result {
            Ok(()) => (0, None),
            Err(failure) => (failure.status(), Some(failure.words())),
        };
        json!({ "status": status, "message": message })
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
                return Err(Failure::Usage(
                    "--events -: standard output is that of --json; name a file, or leave one \
                     of the two out"
                        .to_owned(),
                ));
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
    pub(super) fn write(&self, event: &str, fields: impl FnOnce() -> Value) {
        self.with(|file| {
            if let Some(reading) = file.reading.take() {
                file.line("reading", reading);
            }
            file.line(event, fields());
        });
    }

    /// Tells how far the reading of so many bytes got.
    pub(super) fn reading(&self, at: ReadProgress, size: Option<u64>) {
        self.with(|file| {
            let fields = json!({ "bytes": at.bytes, "size": size, "positions": at.positions });
            if file.told.is_some_and(|told| told.elapsed() < READING) {
                file.reading = Some(fields);
            } else {
                file.reading = None;
                file.told = Some(Instant::now());
                file.line("reading", fields);
            }
        });
    }

    /// Tells of the judgement, and of what follows from it.
    pub(super) fn judged(&self, found: &Judgement, accepted: bool) {
        let counts = found.counts();
        self.write("judgement", || {
            json!({
                "held_out": found.held_out,
                "fitted": found.fitted,
                "noise": found.noise,
                "games": found.games,
                "games_known": found.games_known,
                "changed": counts.changed,
                "keep": counts.keep,
                "unclear": counts.unclear,
                "drop": counts.drop,
                "undetermined": found.undetermined.len(),
            })
        });
        self.write("verdict", || {
            json!({
                "verdict": found.verdict,
                "replaces": accepted,
                "text": found.headline(),
            })
        });
    }

    /// Tells of an event of a run.
    pub(super) fn run(&self, event: &RunEvent<'_>) {
        let note = |kind: &str| json!({ "kind": kind, "text": event.to_string() });
        let (name, fields) = match event {
            RunEvent::Iteration { record, limit } => {
                let mut fields = json!({
                    "iteration": record.iteration,
                    "limit": limit,
                    "error": record.error,
                    "objective": record.objective,
                    "held_out_error": record.held_out_error,
                    "step": record.step,
                    "gradient": record.gradient,
                    "passes": record.cost.passes,
                    "descent_seconds": record.cost.seconds,
                });
                self.with(|file| fields["stage"] = json!(file.stage));
                ("iteration", fields)
            }
            RunEvent::StageEnded => {
                let mut stage = 0;
                self.with(|file| {
                    stage = file.stage;
                    file.stage += 1;
                });
                ("stage-ended", json!({ "stage": stage }))
            }
            RunEvent::Retracing(changed) => (
                "retracing",
                json!({ "changed_branches": changed, "text": event.to_string() }),
            ),
            RunEvent::PriorChosen(chosen) => (
                "prior",
                json!({ "prior": (*chosen).clone().of_fitted(), "text": event.to_string() }),
            ),
            RunEvent::TargetsChosen(_) => ("targets", json!({ "text": event.to_string() })),
            RunEvent::CheckpointFound(_) => ("note", note("checkpoint-found")),
            RunEvent::WeightsRead(_) => ("note", note("weights-read")),
            RunEvent::OtherVersion { .. } => ("note", note("other-version")),
            RunEvent::Resumed { .. } => ("note", note("resumed")),
            RunEvent::CarriedOver { .. } => ("note", note("carried-over")),
            RunEvent::OtherLimit { .. } => ("note", note("other-limit")),
            RunEvent::PriorResumed => ("note", note("prior-resumed")),
            RunEvent::ResolvingAgain(_) => ("note", note("resolving-again")),
            RunEvent::RoundLeftOut(_) => ("note", note("round-left-out")),
            RunEvent::CheckpointNotWritten(..) => ("note", note("checkpoint-not-written")),
            RunEvent::WeightsNotWritten(..) => ("note", note("weights-not-written")),
        };
        self.write(name, || fields);
    }
}

/// Opens a file for events, in place of earlier events and of nothing else.
fn replaced(path: &Path) -> io::Result<File> {
    let found = fs::metadata(path);
    if found.is_ok_and(|found| found.is_file() && found.len() > 0) {
        let mut first = String::new();
        let head = File::open(path)?.take(LONGEST_BEGIN);
        // A file that is not text is not one of ours.
        let _ = BufReader::new(head).read_line(&mut first);
        let first: Value = serde_json::from_str(&first).unwrap_or_default();
        if first["event"] != "begin" {
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
