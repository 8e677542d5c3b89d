//! The page of a loop of play, fit and test.

use std::path::Path;

use maud::{Markup, html};
use serde::Deserialize;
use serde_json::Value;

use crate::digest::finite;
use crate::html::head::pairs;
use crate::html::{Plot, Point, ROWS, axis, cell, contents, headed, left_out, page, table};
use crate::record::{DifferenceRecord, RunRecordError, Word, read_object};
use crate::text;
use crate::words;

/// What `loop.json` says of a loop; every field may be missing.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct LoopRecord {
    /// Whose weights are tuned.
    pub engine: LoopEngineRecord,
    /// How it was begun: an object of options.
    pub options: Value,
    /// Its rounds, in their order.
    pub rounds: Vec<LoopRoundRecord>,
}

/// The engine of a loop.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct LoopEngineRecord {
    /// Its name.
    pub name: String,
}

/// A round as far as it got.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct LoopRoundRecord {
    /// What the fit came to.
    pub fit: Option<LoopFitRecord>,
    /// Whether the weights were kept.
    pub kept: Option<bool>,
    /// Why.
    pub why: String,
    /// The new weights against the best before.
    pub test: Option<LoopMatchRecord>,
    /// The new weights against those of the start, where the test was not.
    pub start: Option<LoopMatchRecord>,
}

/// The fit of a round.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct LoopFitRecord {
    /// Whether the new weights are better on held-out games.
    pub verdict: Word,
    /// E on the held-out games.
    pub held_out: Option<DifferenceRecord>,
    /// Positions fitted.
    pub positions: Option<u64>,
}

/// A match of a round.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct LoopMatchRecord {
    /// The difference in Elo.
    pub elo: Option<f64>,
    /// Half of its 95 % interval.
    pub elo_error: Option<f64>,
    /// Games played.
    pub games: Option<u64>,
    /// Whether the difference is what it is at least, as all games were won.
    #[serde(skip)]
    pub least: bool,
}

impl LoopRecord {
    /// Reads a `loop.json`.
    ///
    /// # Errors
    /// If it cannot be read, or is damaged: with the line and column.
    pub fn read(file: &Path) -> Result<Self, RunRecordError> {
        read_object(file)
    }

    /// What the best weights are worth against those of the start, in words: Elo, its
    /// error, games, or that it is a sum over rounds. `None` where nothing was kept or
    /// measured.
    pub fn against_start(&self) -> Option<String> {
        self.rounds.iter().find(|round| round.kept == Some(true))?;
        self.elo().pop().flatten()?.words(" Elo against the start")
    }

    /// What the best weights after each round are worth against those of the start; the
    /// first entry is the start itself. `None` where it was not measured.
    ///
    /// Where there was no match against the start, or all of it was won, the tests of the
    /// rounds are added up; a test that was all won counts what it shows at least.
    fn elo(&self) -> Vec<Option<LoopMatchRecord>> {
        let mut best = Some(LoopMatchRecord {
            elo: Some(0.0),
            ..LoopMatchRecord::default()
        });
        let mut elo = vec![best.clone()];
        let mut is_start = true;
        for round in &self.rounds {
            if round.kept == Some(true) {
                // The test of the first that is kept is against the start.
                let direct = if is_start { &round.test } else { &round.start };
                let is_bounded = |found: &&LoopMatchRecord| {
                    finite(found.elo).is_some() && finite(found.elo_error).is_some()
                };
                let test = round.test.as_ref().map(LoopMatchRecord::of_winner);
                best = match direct.as_ref().filter(is_bounded) {
                    Some(measured) => Some(measured.clone()),
                    None if is_start => test,
                    None => best.as_ref().zip(test.as_ref()).and_then(sum),
                };
                is_start = false;
            }
            elo.push(best.clone());
        }
        elo
    }
}

/// Two differences, added up; an error where both have one.
fn sum((one, other): (&LoopMatchRecord, &LoopMatchRecord)) -> Option<LoopMatchRecord> {
    let errors = finite(one.elo_error).zip(finite(other.elo_error));
    Some(LoopMatchRecord {
        elo: Some(finite(one.elo)? + finite(other.elo)?),
        elo_error: errors.map(|(a, b)| a.hypot(b)),
        games: None,
        least: one.least || other.least,
    })
}

impl LoopMatchRecord {
    /// The same of weights that won the match. If they won all games, Elo has no bound
    /// above; it is then the least that lets so many be won with a probability of 5 %.
    fn of_winner(&self) -> Self {
        let games = self.games.filter(|&games| games > 0 && self.elo.is_none());
        let Some(games) = games else {
            return self.clone();
        };
        let share = 0.05_f64.powf(1.0 / games as f64);
        Self {
            elo: Some(400.0 * (share / (1.0 - share)).log10()),
            least: true,
            ..self.clone()
        }
    }

    fn words(&self, unit: &str) -> Option<String> {
        let elo = finite(self.elo)?;
        let least = if self.least { "at least " } else { "" };
        let error = finite(self.elo_error).map_or_else(String::new, |e| format!(" ± {e:.0}"));
        let games = self.games.map_or_else(
            || " (rounds added up)".to_owned(),
            |games| format!(" ({games} games)"),
        );
        Some(format!("{least}{elo:+.0}{error}{unit}{games}"))
    }
}

/// Returns a page on a loop: one file that loads nothing, without scripts. The pages of
/// its fits are linked where they are, in the folders of the rounds beside it.
pub fn loop_page(record: &LoopRecord) -> String {
    let sections: Vec<(&str, &str, Markup)> = [
        ("elo", "Elo by round", elo(record)),
        ("rounds", "Rounds", rounds(record)),
        ("setup", "How it was begun", setup(record)),
    ]
    .into_iter()
    .filter_map(|(id, title, section)| Some((id, title, section?)))
    .collect();
    let name = text::name(&record.engine.name);
    let headline = headline(record);
    let body = html! {
        header {
            p.over { "Loop of " (name) }
            h1 { (headline) }
        }
        (contents(&sections))
        (headed(&sections))
    };
    page(&format!("Loop of {name}"), &body)
}

fn headline(record: &LoopRecord) -> String {
    let kept = |round: &LoopRoundRecord| round.kept == Some(true);
    let Some(best) = record.rounds.iter().rposition(kept) else {
        return match record.rounds.len() {
            0 => "no rounds".to_owned(),
            rounds => format!(
                "the weights of the start are the best after {}",
                text::counted(rounds, "round")
            ),
        };
    };
    let elo = record.against_start();
    let elo = elo.map_or_else(String::new, |elo| format!(": {elo}"));
    format!(
        "the weights of round {} of {} are the best{elo}",
        best + 1,
        record.rounds.len()
    )
}

/// Elo of the best weights so far.
fn elo(record: &LoopRecord) -> Option<Markup> {
    let elo = record.elo();
    let points: Vec<Point> = (elo.iter())
        .map(|elo| Point {
            new: elo.as_ref().and_then(|elo| finite(elo.elo)),
            reach: elo.as_ref().and_then(|elo| finite(elo.elo_error)),
            old: None,
        })
        .collect();
    let labels: Vec<String> = (0..points.len()).map(|round| round.to_string()).collect();
    let plot = Plot {
        title: "Elo of the best weights against those of the start, by round, with 95 % intervals",
        labels: &labels,
        points: &points,
        joined: false,
        levels: &[0.0],
        axis,
    };
    (points.len() > 1).then(|| {
        html! {
            p.note {
                "The best weights after each round against those of the start, 0, with 95 % intervals. "
                "A round whose weights were not kept leaves the best as they are; where there was no match against the start, or all of it was won, the tests of the rounds are added up; of a test that was all won it is what it shows at least."
            }
            (plot.draw())
        }
    })
}

/// A line a round.
fn rounds(record: &LoopRecord) -> Option<Markup> {
    let dash = || "–".to_owned();
    let elo = |of: &Option<LoopMatchRecord>| of.as_ref().and_then(|elo| elo.words(""));
    let against_start = record.elo();
    let mut is_start = true;
    let rows: Vec<Vec<Markup>> = (record.rounds.iter().enumerate().take(ROWS))
        .map(|(index, round)| {
            let against_start = match round.kept {
                Some(true) => against_start[index + 1].as_ref().and_then(|elo| elo.words("")),
                // The best before it were those of the start.
                _ if is_start => elo(&round.test),
                _ => None,
            };
            is_start &= round.kept != Some(true);
            let test = match &round.test {
                Some(test) if round.kept == Some(true) => test.of_winner().words(""),
                test => elo(test),
            };
            let kept = match round.kept {
                Some(true) => "kept",
                Some(false) => "not kept",
                None => "under way",
            };
            let fit = round.fit.clone().unwrap_or_default();
            let number = (index + 1).to_string();
            let page = format!("round-{number}/fit/report.html");
            vec![
                html! { @if round.fit.is_some() { a href=(page) { (number) } } @else { (number) } },
                html! { b { (kept) } @if !round.why.is_empty() { ": " (text::sentence(&round.why)) } },
                cell(fit.positions.map_or_else(dash, |n| n.to_string())),
                cell(match &round.fit {
                    Some(fit) => words::verdict(fit.verdict),
                    None => "–",
                }),
                cell(fit.held_out.as_ref().and_then(words::numbers).unwrap_or_else(dash)),
                cell(test.unwrap_or_else(dash)),
                cell(against_start.unwrap_or_else(dash)),
            ]
        })
        .collect();
    let columns = [
        "round",
        "weights",
        "positions",
        "by held-out games",
        "held-out E",
        "Elo against the best before",
        "Elo against the start",
    ];
    (!rows.is_empty()).then(|| {
        html! {
            p.note { "The number of a round leads to the page of its fit, with what moved." }
            (table(&columns, &rows))
            (left_out(record.rounds.len(), "rounds", "the first"))
        }
    })
}

fn setup(record: &LoopRecord) -> Option<Markup> {
    let options = record.options.as_object()?;
    let typed: Vec<(String, String)> = (options.iter().take(ROWS))
        .filter_map(|(name, value)| Some((text::name(name), text::sentence(value.as_str()?))))
        .collect();
    let shown: Vec<(&str, String)> = (typed.iter())
        .map(|(name, value)| (name.as_str(), value.clone()))
        .collect();
    (!shown.is_empty()).then(|| pairs(&shown))
}
