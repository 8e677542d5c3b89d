//! The head in front of lines of rows: what an evaluator answers to `tuner` and `weights`.

use tuner_base::quote;
use tuner_protocol::{About, DONE, VERSION, WeightTable};

/// How a file of rows begins.
pub(super) const MARK: &[u8] = b"version ";

/// The keys that lines of the first part of a head may have.
const KEYS: [&str; 7] = [
    "version", "name", "game", "view", "build", "can", LINEARISED,
];

/// The line that says that rows hold only near the weights that they were made at.
const LINEARISED: &str = "linearised";

/// The evaluation that lines of rows are of.
#[derive(Clone, Debug, PartialEq)]
pub struct RowsHead {
    /// The name of the evaluation, its game, whose view its scores have, and so on.
    pub about: About,
    /// Its weights, at the values at which the rows were made.
    pub weights: WeightTable,
    /// Whether rows are linearised, so that they hold only near these weights.
    pub(super) linearised: bool,
}

impl RowsHead {
    /// Reads the lines of a head: the answers of an evaluator to `tuner` and to `weights`, each up
    /// to its last line, `ok` ([`DONE`]). `next` returns one line after another with its number,
    /// `None` at the end of the text.
    ///
    /// # Errors
    /// The number of the line that is wrong, or behind which one is missing, and what is wrong.
    pub(super) fn read(
        mut next: impl FnMut() -> Option<(u64, String)>,
    ) -> Result<Self, (u64, String)> {
        let mut linearised = false;
        let mut last = 1;
        // Reads the lines of an answer, each of which `check` must allow; returns the number of its
        // last line, and the lines in front of that.
        let mut part = |check: &mut dyn FnMut(&str) -> Result<(), String>| {
            let mut lines = Vec::new();
            loop {
                let (number, line) = next().ok_or_else(|| {
                    let words = format!(
                        "found the end in the head, expected the answers to `tuner {VERSION}` and \
                         `weights`, each with its last line `{DONE}` (docs/traces.md)"
                    );
                    (last, words)
                })?;
                last = number;
                let line = line.trim_end();
                if line == DONE {
                    return Ok((number, lines));
                }
                check(line).map_err(|words| (number, words))?;
                lines.push(line.to_owned());
            }
        };
        // The answer to `tuner`.
        let (number, lines) = part(&mut |line| {
            let key = line.split(' ').next().unwrap_or_default();
            linearised |= key == LINEARISED;
            if KEYS.contains(&key) {
                return Ok(());
            }
            let known = KEYS.join(", ");
            Err(format!("found {}, expected one of {known}", quote(line)))
        })?;
        let about = About::read(lines.iter().map(|line| &**line));
        let about = about.map_err(|words| (number, words))?;
        if about.version != VERSION {
            let words = format!(
                "is of version {} of the protocol, and this program reads version {VERSION}",
                about.version
            );
            return Err((number, words));
        }
        // The answer to `weights`.
        let (number, lines) = part(&mut |_| Ok(()))?;
        let weights = WeightTable::read(lines.iter().map(|line| &**line));
        let weights = weights.map_err(|words| (number, words))?;
        Ok(Self {
            about,
            weights,
            linearised,
        })
    }
}
