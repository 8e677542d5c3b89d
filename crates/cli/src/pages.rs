//! `report`: the page of a run, one that compares two, and those of a match and of a loop.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::output::Screen;
use crate::{heading, output};
use tuner_jobs::{JobResult as Result, fail, is_match, misuse, read_match, summary_of};
use tuner_record::{LoopRecord, RunRecord};
use tuner_report::{compare, compare_terminal, html, loop_page, match_page, terminal_styled};

/// The arguments of `report`.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// The folder of a fit, its summary.json, the folder of a loop, or the file that a
    /// match wrote by --journal.
    #[arg(default_value = "tuner-run", value_name = "RUN")]
    run: PathBuf,
    /// A second one, to compare with the first.
    #[arg(value_name = "RUN2")]
    other: Option<PathBuf>,
    /// The page to write [default: report.html in the folder of the fit,
    /// compare.html in the present one, or for a match FILE.html].
    #[arg(short, long, value_name = "FILE", conflicts_with = "text", help_heading = heading::OUTPUT)]
    output: Option<PathBuf>,
    /// Print the most important lines instead of writing a page.
    #[arg(long)]
    text: bool,
}

/// Runs `report`: writes a page, or with `--text` prints lines, on what was named: a match, a loop,
/// a fit, or two fits compared.
pub(crate) fn run(args: &ReportArgs) -> Result<()> {
    if is_match(&args.run) {
        return of_match(args);
    }
    let of_rounds = args.run.join("loop.json");
    if of_rounds.is_file()
        && let Some(record) = LoopRecord::read(&of_rounds)?
    {
        return of_loop(args, &record);
    }
    let first = read(&args.run)?;
    let second = args.other.as_deref().map(read).transpose()?;
    if args.text {
        let screen = Screen::output();
        return screen.print(&match &second {
            Some(second) => compare_terminal(&first, second, screen.width, &screen.styles),
            None => terminal_styled(&first, screen.width, &screen.styles, &[]),
        });
    }
    let (name, page) = match &second {
        Some(second) => (PathBuf::from("compare.html"), compare(&first, second)),
        None => (
            summary_of(&args.run).with_file_name("report.html"),
            html(&first),
        ),
    };
    args.write(&name, &page)
}

impl ReportArgs {
    /// Writes a page to the file of `--output`, else to `name`.
    fn write(&self, name: &Path, page: &str) -> Result<()> {
        let path = self.output.as_deref().unwrap_or(name);
        output::file(path, page, "; name another file with -o")
    }
}

/// Writes the page of a loop. Fails with `--text`, as a loop has no lines, and with a second run,
/// as a loop is compared with nothing.
fn of_loop(args: &ReportArgs, record: &LoopRecord) -> Result<()> {
    if args.text || args.other.is_some() {
        misuse!(
            "{}: a loop is shown alone, as a page; the folders of its fits are {}",
            args.run.display(),
            args.run.join("round-N").join("fit").display()
        );
    }
    args.write(&args.run.join("report.html"), &loop_page(record))
}

/// Writes the page of a match, or with `--text` prints its result. Fails where a second run is
/// named.
fn of_match(args: &ReportArgs) -> Result<()> {
    if let Some(other) = &args.other {
        misuse!(
            "{}: {} is the file of a match; a match is shown alone",
            other.display(),
            args.run.display()
        );
    }
    let record = read_match(&args.run)?;
    if args.text {
        return output::text(&(record.result.join("\n") + "\n"));
    }
    args.write(&args.run.with_added_extension("html"), &match_page(&record))
}

/// Reads the record of a fit; `run` is its folder or its `summary.json`.
fn read(run: &Path) -> Result<RunRecord> {
    if !run.exists() {
        let run = run.display();
        let cure = "name the folder of a fit (--out); `tuner runs` lists them";
        fail!("{run}: found no such file or folder; {cure}");
    }
    Ok(RunRecord::read(&summary_of(run))?)
}
