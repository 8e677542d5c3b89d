//! A UCI program as an evaluator: its options are the weights, and a line that it prints is the
//! score.

use std::collections::VecDeque;
use std::time::Duration;

use super::{Connection, Lost, Pipe};
use crate::session::EvaluationProblem;
use tuner_base::quote;
use tuner_data::Perspective;
use tuner_protocol::answer::{ScoreAnswer, position};
use tuner_protocol::{About, Command, DONE, ERROR, VERSION};
use tuner_spec::fits;

/// How a UCI program is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UciEvaluator {
    /// Names of the options that are weights; `*` stands for any letters.
    pub weights: Vec<String>,
    /// The command for a score: `eval`, `go depth 1`.
    pub ask: String,
    /// The words of the line with the score, `*` where the number stands.
    pub score: String,
    /// A score of 1, in centipawns.
    pub unit: i64,
    /// Whose view scores have.
    pub view: Perspective,
    /// The game, `chess` or `shogi`.
    pub game: String,
}

/// An option of a UCI program that is a whole number, with its default value and its bounds.
#[derive(Debug)]
struct SpinOption {
    name: String,
    value: i64,
    low: i64,
    high: i64,
}

/// Options of the protocol, and of most programs, that no pattern takes for weights.
const NO_WEIGHTS: [&str; 5] = ["Hash", "Threads", "MultiPV", "Move Overhead", "Skill Level"];

/// A conversation by the protocol of evaluators, held in UCI. Questions wait here until they are
/// read: a program may print more for each than a pipe holds.
pub(crate) struct Uci {
    pipe: Pipe,
    settings: UciEvaluator,
    name: String,
    options: Vec<SpinOption>,
    questions: VecDeque<String>,
    /// What the program is told with the next question for a score.
    told: String,
    /// What it printed and was not read yet.
    printed: Vec<u8>,
}

impl Uci {
    /// Asks the program for its options and takes those that the settings name as weights, in the
    /// order of the patterns. `patience`: how long it may be silent.
    ///
    /// # Errors
    /// If it is no UCI program, or has no such options.
    pub(crate) fn new(
        pipe: Pipe,
        settings: UciEvaluator,
        patience: Duration,
    ) -> Result<Self, EvaluationProblem> {
        let mut uci = Self {
            pipe,
            settings,
            name: String::new(),
            options: Vec::new(),
            questions: VecDeque::new(),
            told: String::new(),
            printed: Vec::new(),
        };
        let mut all = Vec::new();
        let unable = EvaluationProblem::Unable;
        let lost = |lost| match lost {
            Lost::Ended(how, last) => unable(format!("it does not answer `uci`: {how}{last}")),
            Lost::Silent(_) => unable("it does not answer `uci`".to_owned()),
        };
        uci.pipe.send(b"uci\n").map_err(lost)?;
        // The lines up to `uciok` have the program's name and its options.
        for number in 0.. {
            let line = uci.line(patience).map_err(lost)?;
            if number == LINES {
                return Err(lost(endless()));
            }
            if line == "uciok" {
                break;
            }
            if let Some(name) = line.strip_prefix("id name ") {
                name.trim().clone_into(&mut uci.name);
            }
            all.extend(spin_option(&line));
        }
        if uci.name.is_empty() {
            "uci".clone_into(&mut uci.name);
        }
        let names: Vec<String> =
            (all.iter().map(|option: &SpinOption| option.name.clone())).collect();
        // Each pattern takes the options that it names from those that are left.
        for pattern in &uci.settings.weights {
            // Options such as `Hash` are taken only if a pattern is exactly their name.
            let is_own = |option: &SpinOption| !NO_WEIGHTS.contains(&&*option.name);
            let named = |option: &SpinOption| {
                option.name == *pattern || is_own(option) && fits(pattern, &option.name)
            };
            if !all.iter().any(named) {
                return Err(unable(format!(
                    "no option that is a whole number (`type spin`) is named {}, as `weights` in \
                     tuner.toml says; it has {}",
                    quote(pattern),
                    if names.is_empty() {
                        "none".to_owned()
                    } else {
                        names.join(", ")
                    }
                )));
            }
            let (chosen, rest): (Vec<_>, Vec<_>) = all.into_iter().partition(named);
            all = rest;
            uci.options.extend(chosen);
        }
        Ok(uci)
    }

    /// Returns the next line that the program prints, without blanks at its ends. `patience`: how
    /// long to wait for each piece of the line at most. Fails also on a line longer than
    /// [`LONGEST`] (1 MiB).
    fn line(&mut self, patience: Duration) -> Result<String, Lost> {
        while self.printed.len() < LONGEST {
            if let Some(end) = self.printed.iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.printed.drain(..=end).collect();
                return Ok(String::from_utf8_lossy(&line).trim().to_owned());
            }
            self.pipe.receive(&mut self.printed, patience)?;
        }
        Err(endless())
    }

    /// Returns the answer to a line of the evaluators' protocol, with its end. The program itself
    /// is only asked for scores: positions and weights are noted in `told`, to be sent with the
    /// next such question.
    fn answer(&mut self, question: &str, patience: Duration) -> Result<String, Lost> {
        let refused = |words: String| format!("{ERROR} {words}\n");
        Ok(match Command::read(question) {
            Err(words) => refused(words),
            // It says of no ability that it has it, so it is only asked for scores.
            Ok(Command::Tuner(_)) => About {
                version: VERSION,
                name: self.name.clone(),
                game: self.settings.game.clone(),
                view: self.settings.view,
                ..About::default()
            }
            .to_string(),
            Ok(Command::Weights) => {
                let line = |option: &SpinOption| {
                    let SpinOption {
                        value, low, high, ..
                    } = option;
                    let name = identifier(&option.name);
                    format!("parameter {name} bounds {low},{high} values {value}\n")
                };
                let lines: String = self.options.iter().map(line).collect();
                lines + DONE + "\n"
            }
            Ok(Command::SetSource) => {
                let all = (0..).zip(&self.options);
                let all = all.map(|(number, option)| (number, option.value as f64));
                self.set(all.collect())
            }
            Ok(Command::Set(values)) => self.set(values),
            Ok(Command::Position(text)) => {
                let is_shogi = self.settings.game == "shogi";
                let notation = if is_shogi { "sfen" } else { "fen" };
                let words = ["position ", notation, " ", &text, "\n"];
                self.told.extend(words);
                // The second field of the text is the player to move.
                let first = if is_shogi { "b" } else { "w" };
                position(text.split_whitespace().nth(1) == Some(first)).to_owned() + "\n"
            }
            Ok(Command::Score) => match self.score(patience)? {
                Some(value) => {
                    let is_defined = true;
                    format!("{}\n", ScoreAnswer { value, is_defined })
                }
                None => refused(format!(
                    "`{}` prints no line with {}, as `score` in tuner.toml says",
                    self.settings.ask,
                    quote(&self.settings.score)
                )),
            },
            Ok(_) => refused(format!("{question}: a UCI program is not asked this")),
        })
    }

    /// Notes values of options, by their numbers, for the next question, and returns the answer to
    /// `set`. A value is rounded to a whole one; where one is beyond the bounds of its option, or
    /// there is no option of its number, all are refused.
    fn set(&mut self, values: Vec<(u32, f64)>) -> String {
        let mut lines = String::new();
        for (number, value) in values {
            let Some(option) = self.options.get(number as usize) else {
                return format!("{ERROR} there is no weight {number}\n");
            };
            let (name, value) = (&option.name, value.round() as i64);
            if !(option.low..=option.high).contains(&value) {
                let (low, high) = (option.low, option.high);
                return format!("{ERROR} option {name} takes {low} to {high}, not {value}\n");
            }
            lines.extend(["setoption name ", name, " value ", &value.to_string(), "\n"]);
        }
        self.told += &lines;
        format!("{DONE}\n")
    }

    /// Asks for a score, after all that the program was to be told, and reads until it is ready
    /// again: the last score that it prints, in centipawns; `None` if it prints no score.
    fn score(&mut self, patience: Duration) -> Result<Option<f64>, Lost> {
        // A search ends with `bestmove`; after any other command `isready` asks for an end.
        let is_search = self.settings.ask.starts_with("go");
        self.told += &self.settings.ask;
        self.told += if is_search { "\n" } else { "\nisready\n" };
        let told = std::mem::take(&mut self.told);
        self.pipe.send(told.as_bytes())?;
        let mut found = None;
        for _ in 0..LINES {
            let line = self.line(patience)?;
            let is_end = if is_search {
                line.starts_with("bestmove")
            } else {
                line == "readyok"
            };
            if is_end {
                // Rounded to a millionth, as 0.29 · 100 is not quite 29 in floats.
                let cents = |score: f64| (score * self.settings.unit as f64 * 1e6).round() / 1e6;
                return Ok(found.map(cents));
            }
            found = number_in(&line, &self.settings.score).or(found);
        }
        Err(endless())
    }
}

/// Bytes that a line has at most.
const LONGEST: usize = 1 << 20;

/// Lines that an answer has at most: the longest of known programs have a hundred.
const LINES: usize = 100_000;

/// Returns the reason for ending a program that prints a line of more than [`LONGEST`] bytes (1
/// MiB) or an answer of more than [`LINES`] lines (100 000).
fn endless() -> Lost {
    let what = "it prints without end, where `readyok` or `bestmove` was expected";
    Lost::Ended(what.to_owned(), String::new())
}

impl Connection for Uci {
    /// Keeps the questions, a line each, until `receive` answers them. Never fails.
    fn send(&mut self, request: &[u8]) -> Result<(), Lost> {
        let text = String::from_utf8_lossy(request);
        self.questions.extend(text.lines().map(str::to_owned));
        Ok(())
    }

    /// Answers the first question that is kept, by asking the program if it is about a score, and
    /// appends the answer to `to`. Fails if no question is kept, or the program ends, prints
    /// without end, or is silent for longer than `patience`.
    fn receive(&mut self, to: &mut Vec<u8>, patience: Duration) -> Result<(), Lost> {
        let question = self.questions.pop_front().ok_or_else(super::over)?;
        let answer = self.answer(&question, patience)?;
        to.extend_from_slice(answer.as_bytes());
        Ok(())
    }
}

/// Reads the line of an option that is a whole number, `option name N type spin default D min L max
/// H`; `None` of any other line.
fn spin_option(line: &str) -> Option<SpinOption> {
    let (name, rest) = line
        .strip_prefix("option name ")?
        .split_once(" type spin")?;
    let words: Vec<&str> = rest.split_whitespace().collect();
    let number = |key: &str| {
        let at = words.iter().position(|word| *word == key)?;
        words.get(at + 1)?.parse().ok()
    };
    Some(SpinOption {
        name: name.trim().to_owned(),
        value: number("default")?,
        low: number("min")?,
        high: number("max")?,
    })
}

/// Returns the name of an option as that of a parameter, in capital letters: `PawnMg` is `PAWN_MG`.
/// A name that would not begin with a letter gets an `O` in front. Two options may get one name.
fn identifier(name: &str) -> String {
    let mut found = String::new();
    let mut was_lower = false;
    for c in name.chars() {
        if was_lower && c.is_ascii_uppercase() {
            found.push('_');
        }
        was_lower = c.is_ascii_lowercase();
        let is_plain = c.is_ascii_alphanumeric();
        found.push(if is_plain {
            c.to_ascii_uppercase()
        } else {
            '_'
        });
    }
    if found.starts_with(|c: char| c.is_ascii_uppercase()) {
        found
    } else {
        format!("O{found}")
    }
}

/// Returns the number of a line where a pattern of words has `*`, wherever in the line the pattern
/// begins; `None` if the line does not have the pattern, or no finite number there.
fn number_in(line: &str, pattern: &str) -> Option<f64> {
    let line: Vec<&str> = line.split_whitespace().collect();
    let pattern: Vec<&str> = pattern.split_whitespace().collect();
    let found = |words: &[&str]| {
        let mut number = None;
        for (word, expected) in words.iter().zip(&pattern) {
            match expected.split_once('*') {
                None if word == expected => {}
                None => return None,
                Some((before, behind)) => {
                    let inner = word.strip_prefix(before)?.strip_suffix(behind)?;
                    number = Some(inner.parse().ok().filter(|value: &f64| value.is_finite())?);
                }
            }
        }
        number
    };
    // An empty pattern has no `*`, and so no number; `windows` needs a word at least.
    line.windows(pattern.len().max(1)).find_map(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_where_the_star_is() {
        let line = "Final evaluation       +0.18 (white side) [with scaled NNUE]";
        assert_eq!(
            number_in(line, "Final evaluation * (white side)"),
            Some(0.18)
        );
        assert_eq!(
            number_in("Final evaluation: none (in check)", "Final evaluation: *"),
            None
        );
        let info = "info depth 1 score cp -77 nodes 35";
        assert_eq!(number_in(info, "score cp *"), Some(-77.0));
        assert_eq!(number_in("info score mate 3", "score cp *"), None);
        assert_eq!(number_in("eval=35cp", "eval=*cp"), Some(35.0));
    }

    #[test]
    fn options_are_read_and_named_by_patterns() {
        let line = "option name King Safety type spin default 12 min -5 max 90";
        let option = spin_option(line);
        let found = option.map(|o| (o.name, o.value, o.low, o.high));
        assert_eq!(found, Some(("King Safety".to_owned(), 12, -5, 90)));
        assert!(spin_option("option name Ponder type check default false").is_none());
        let names = ["King Safety", "PawnMg", "1st"].map(identifier);
        assert_eq!(names, ["KING_SAFETY", "PAWN_MG", "O1ST"]);
    }
}
