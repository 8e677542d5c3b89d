//! Recognises the format of an input by its first lines.

use super::format::{Columns, Cut, Format};
use super::{Fault, InputError};
use tuner_base::Location;

/// Lines that are looked at. Chosen: enough that a few bad ones at the top of
/// a file do not hide its format.
const LOOKED_AT: usize = 64;

/// What an input is, and what of it nobody reads.
#[derive(Debug)]
pub(super) struct Recognised {
    pub(super) cut: Cut,
    pub(super) ignored_columns: Vec<String>,
}

/// Recognises an input by the lines of its first block that are not blank.
///
/// A table by its header; any other by what most of the first lines can be cut
/// as, so that bad lines at the top are told as bad lines. `stated` is taken as it is.
///
/// # Errors
/// If no format applies, or the header of a table is not usable.
pub(super) fn recognise(
    first: &Location,
    text: &str,
    stated: Option<Format>,
    notation: &str,
) -> Result<Recognised, InputError> {
    let mut lines = text.lines().filter(|line| !line.trim_ascii().is_empty());
    let header = lines.clone().next().unwrap_or_default();
    let cut = match stated {
        Some(Format::Bracketed) => Cut::Bracketed,
        Some(Format::ResultFirst) => Cut::ResultFirst,
        Some(Format::Semicolon) => Cut::Semicolon,
        Some(Format::C9) => Cut::C9,
        Some(Format::Piped) => Cut::Piped,
        Some(Format::Spaced) => Cut::Spaced,
        // Records are found by their name before.
        Some(Format::Table | Format::Records(_)) => return table(first, header, notation),
        None if Columns::is_header(header) => return table(first, header, notation),
        None => {
            let sample: Vec<&str> = lines.by_ref().take(LOOKED_AT).collect();
            let good = |cut: &Cut| {
                let fit = |line: &&&str| cut.fields(line).is_ok();
                sample.iter().filter(fit).count()
            };
            let best = (Cut::WITHOUT_HEADER.iter())
                .filter(|cut| good(cut) > 0)
                // The first of those that fit best, which `max_by_key` is not.
                .min_by_key(|cut| sample.len() - good(cut));
            let Some(&cut) = best else {
                let line = Fault::quote(header);
                return Err(InputError::Unrecognised {
                    location: first.clone(),
                    line,
                    others: Vec::new(),
                });
            };
            cut
        }
    };
    Ok(Recognised {
        cut,
        ignored_columns: Vec::new(),
    })
}

fn table(first: &Location, header: &str, notation: &str) -> Result<Recognised, InputError> {
    match Columns::from_header(header, notation) {
        Ok((columns, ignored_columns)) => Ok(Recognised {
            cut: Cut::Table(columns),
            ignored_columns,
        }),
        Err(faults) => Err(InputError::Header {
            location: first.clone(),
            faults,
        }),
    }
}
