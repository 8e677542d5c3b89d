//! Recognises the format of an input by its first lines.

use super::format::{Columns, Cut, Format};
use super::{AnyGame, Fault};
use tuner_base::Location;

/// Lines that are looked at. Chosen: enough that a few bad ones at the top of
/// a file do not hide its format.
const LOOKED_AT: usize = 64;

/// How to mend a file whose lines end with carriage returns alone.
pub(super) const LONE_RETURNS: &str =
    "its line ends are carriage returns alone: write line feeds, as `tr '\\r' '\\n'` does";

/// What an input is, and the columns that nobody reads.
type Recognised = (Cut, Vec<String>);

/// Recognises the format of an input by the lines of its first block, `text`, that are not blank;
/// `first` is where the first of them is, for messages. If the options of the input state a format,
/// `stated`, it is that one.
///
/// A table is recognised by its header; any other format is the one as which most of the first 64
/// lines can be cut into fields, so that bad lines at the top are told as bad lines. If none can be
/// cut by any, it is the one that the first line looks like, so that each line is told as a bad
/// one.
///
/// # Errors
/// In words, if no format applies, or the header of a table is not usable.
pub(super) fn recognise(
    first: &Location,
    text: &str,
    stated: Option<Format>,
    game: &AnyGame,
) -> Result<Recognised, String> {
    let mut lines = text.lines().filter(|line| !line.trim_ascii().is_empty());
    let header = lines.clone().next().unwrap_or_default();
    if header.trim_ascii_end().contains('\r') {
        return Err(format!("{first}: {LONE_RETURNS}"));
    }
    let second = lines.clone().nth(1).unwrap_or_default();
    let stated = match stated {
        None if Columns::is_header(header, game.name()) => Some(Format::Table),
        stated => stated,
    };
    let found = if let Some(format) = stated {
        let mut all = Cut::WITHOUT_HEADER.iter();
        match all.find(|cut| cut.format() == format) {
            // This is a table: a stated format of records was found by its name before any line was
            // read.
            None => return table(first, header, game),
            found => found,
        }
    } else {
        let sample: Vec<&str> = lines.by_ref().take(LOOKED_AT).collect();
        let good = |cut: &Cut| {
            let fit = |line: &&&str| cut.fields(line).is_ok();
            sample.iter().filter(fit).count()
        };
        (Cut::WITHOUT_HEADER.iter())
            .filter(|cut| good(cut) > 0)
            // The first of those that fit best, which `max_by_key` is not.
            .min_by_key(|cut| sample.len() - good(cut))
    };
    // The second line has a position as one of several fields: it is a table whose columns have
    // other names or none, and the mistakes of its header are told. It is cut at the sign that it
    // has itself, as `header` may not be one.
    let mut parts = Columns::parts(second, second);
    if found.is_none() && parts.any(|part| part != second && game.parse(part).is_ok()) {
        return table(first, header, game);
    }
    let found = found.or_else(|| of_shape(header));
    let cut = *found.ok_or_else(|| unrecognised(first, header, game))?;
    Ok((cut, Vec::new()))
}

/// Says in words, for a message on the place `first`, that the line there is of no known format:
/// that a result is missing if it is a position, else which formats there are.
fn unrecognised(first: &Location, line: &str, game: &AnyGame) -> String {
    if game.parse(line.trim_ascii()).is_ok() {
        return format!(
            "{first}: found a position without a result, expected one in each line, such as \
             `POSITION [0.5]`; where games are at hand, give those"
        );
    }
    let own = Format::ALL.map(|format| (format.name(), format.pattern()));
    let others = game.records().iter().map(|r| (r.name, r.pattern));
    let formats: Vec<String> = (own.into_iter().chain(others))
        .map(|(name, pattern)| format!("{name} ({pattern})"))
        .collect();
    format!(
        "{first}: found {}, expected one of {}; state the format with --format, then each bad \
         line is listed",
        Fault::quote(line),
        formats.join(" ")
    )
}

/// Returns the format that a line looks like although it cannot be read as that, so that the reason
/// is told line by line; `None` if it looks like no format. Tables, and lines that end with a
/// result behind a blank, have no shape by which they could be told.
fn of_shape(line: &str) -> Option<&'static Cut> {
    let format = if line.matches('|').count() == 2 {
        Format::Piped
    } else if line.trim_ascii_start().starts_with('[') {
        Format::ResultFirst
    } else if line.contains('[') {
        Format::Bracketed
    } else if Format::has_operations(line) {
        Format::C9
    } else if line.contains(';') {
        Format::Semicolon
    } else {
        return None;
    };
    let mut all = Cut::WITHOUT_HEADER.iter();
    all.find(|cut| cut.format() == format)
}

/// Reads the header of a table, which is at `first`: returns its columns and the names that nobody
/// reads; the error is all mistakes of the header, a line each.
fn table(first: &Location, header: &str, game: &AnyGame) -> Result<Recognised, String> {
    match Columns::from_header(header, game.name()) {
        Ok((columns, ignored)) => Ok((Cut::Table(columns), ignored)),
        Err(faults) => {
            let lines = faults.iter().map(|fault| format!("{first}: {fault}"));
            Err(lines.collect::<Vec<_>>().join("\n"))
        }
    }
}
