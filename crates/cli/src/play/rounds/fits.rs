//! The fits of a round.
//!
//! ```text
//! games of the last rounds -> fit-1 -> scored-1 -> fit-2 -> … -> fit
//! ```
//!
//! A search with better weights sees more, so the positions that are fitted are scored
//! anew with what they taught, and fitted once more. Positions of rounds before are taken
//! with the last scores that they got.

use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::steps::{FIT_FLAGS, fit_options, step_words};
use super::{LoopRun, read};
use crate::Failure;
use tuner_engine::Plays;
use tuner_fit::run::CHECKPOINT_FILE;
use tuner_play::GameTable;

/// How much less the games of a round count than those of the round after it, as long as
/// their scores are of that round. Chosen: the weights that gave them are further from those
/// of today.
const FADE: f64 = 0.5;

/// K of each fit of a loop from zero, whose scores have no meaning of their own: what a
/// centipawn is. Fitted anew each round, it would take up what the weights are to grow
/// by, and weights of a fifth of their size round to a fifth of the precision.
pub(super) const K_FROM_ZERO: &str = "1";

/// The rounds whose games are fitted. From zero each round plays far better than the one
/// before, and its games say more than those of before, until one wins less than `SETTLED` Elo.
const KEEP: u32 = 3;
const KEEP_FROM_ZERO: u32 = 1;

/// The part of the result in the target. Chosen: with more of it rounds from zero gain less,
/// 64 ± 26 Elo in place of 153 ± 26 in the chess example's fifth with 0.6 of it.
pub(super) const LAMBDA: f64 = 0.2;

/// Rounds one after the other.
type Span = RangeInclusive<usize>;

impl<E: Plays> LoopRun<'_, E> {
    /// Fits as often as the options say, and takes up what the last fit says.
    pub(super) fn fit(&mut self, number: usize) -> Result<(), Failure> {
        let results = GameTable::results_of(Path::new(&self.games(number)))?;
        if let [0, _, 0] = results {
            let round = self.at(number);
            round.kept = Some(false);
            "all games were drawn, so they say nothing of weights".clone_into(&mut round.why);
            return self.save();
        }
        let rounds = self.rounds_fitted(number);
        for time in self.at(number).fitted..=self.refits() {
            if time > 0 {
                self.score_anew(number, time, rounds.clone())?;
            }
            self.fit_once(number, time, rounds.clone())?;
            self.at(number).fitted = time + 1;
            self.save()?;
        }
        self.judge(number)
    }

    /// One fit of a round, counted from 0, and the rounds whose games it takes.
    fn fit_once(&mut self, number: usize, time: u32, rounds: Span) -> Result<(), Failure> {
        let data: Vec<String> = rounds
            .map(|round| {
                let (file, fresh) = self.positions(number, time, round);
                if fresh {
                    return file;
                }
                format!("{file}:weight={}", FADE.powi((number - round) as i32))
            })
            .collect();
        let data: Vec<&str> = data.iter().map(String::as_str).collect();
        let early = self.is_early(number);
        let blank = self.args.from == "zero" && self.best_before(number) == 0 && time == 0;
        // Scores of weights that know nothing say nothing.
        let lambda = if blank {
            1.0
        } else {
            self.args.lambda.unwrap_or(LAMBDA)
        };
        let from = if early && time > 0 {
            // What it started from was far off, and would hold it back.
            self.fit_folder(number, time - 1).join("weights.txt")
        } else {
            PathBuf::from(self.weights(self.best_before(number)))
        };
        let folder = self.fit_folder(number, time);
        let from_to = [from, folder.clone()].map(|path| path.display().to_string());
        let typed = fit_options(self.args, from_to, lambda);
        let mut flags = FIT_FLAGS.to_vec();
        if folder.join(CHECKPOINT_FILE).exists() {
            flags.push("--resume");
        } else if folder.exists() {
            // It was killed at an end, and nothing says at which.
            fs::remove_dir_all(&folder)
                .map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        self.step("fit", &data, &typed, &flags, &self.args.fit)
    }

    /// The positions of some rounds with scores by the weights of the fit before.
    fn score_anew(&mut self, number: usize, time: u32, rounds: Span) -> Result<(), Failure> {
        let weights = self.fit_folder(number, time - 1).join("weights.txt");
        for round in rounds {
            let output = self.scored(number, time, round);
            if output.exists() {
                continue;
            }
            if let Some(folder) = output.parent() {
                fs::create_dir_all(folder)
                    .map_err(|error| format!("{}: {error}", folder.display()))?;
            }
            let typed = [
                ("--weights", weights.display().to_string()),
                ("--nodes", self.args.score_nodes.to_string()),
                ("--output", output.display().to_string()),
            ];
            let games = self.games(round);
            let words = step_words(
                self.args,
                "data",
                &["rescore", &games],
                &typed,
                &["--resume"],
                &[],
            );
            // Others wait: positions are scored in one process.
            self.run_step(&words, false)?;
        }
        Ok(())
    }

    /// Takes up what the last fit of a round says.
    fn judge(&mut self, number: usize) -> Result<(), Failure> {
        let path = self.folder(number).join("fit").join("summary.json");
        let summary = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let summary: Value =
            serde_json::from_str(&summary).map_err(|e| format!("{}: {e}", path.display()))?;
        let judgement = &summary["judgement"];
        let (new, old) = (self.weights(number), self.weights(self.best_before(number)));
        let same = read(&new)? == read(&old)?;
        // Of an early round the last fit is not from the best ones.
        let comparable = self.refits() == 0 || !self.is_early(number);
        let round = self.at(number);
        round.fit = Some(json!({
            "verdict": judgement["verdict"],
            "held_out": judgement["held_out"],
            "positions": summary["positions_fitted"],
        }));
        if same {
            round.kept = Some(false);
            "the games ask for no other weights".clone_into(&mut round.why);
        } else if comparable && judgement["verdict"] == "worse" {
            round.kept = Some(false);
            "worse on the held-out games".clone_into(&mut round.why);
        }
        self.save()
    }

    /// The rounds whose games are fitted in a round.
    fn rounds_fitted(&self, number: usize) -> Span {
        let args = self.args;
        let usual = if self.is_early(number) {
            KEEP_FROM_ZERO
        } else {
            KEEP
        };
        let keep = args.keep.unwrap_or(usual);
        let mut first = (number + 1).saturating_sub(keep as usize).max(1);
        if args.from == "zero" && args.keep.is_none() {
            // Those of before were played by far weaker weights.
            first = first.max(self.settled(number).unwrap_or(number));
        }
        first..=number
    }

    /// How often a round scores and fits again.
    fn refits(&self) -> u32 {
        if self.args.score_nodes > 0 && self.args.lambda != Some(1.0) {
            self.args.refits
        } else {
            0
        }
    }

    /// Where the positions of a round are that another one fits, the so manyth time, and
    /// whether their scores are of weights that are as good as the best.
    fn positions(&self, number: usize, time: u32, round: usize) -> (String, bool) {
        if time > 0 {
            let file = self.scored(number, time, round);
            return (file.display().to_string(), true);
        }
        let last = (round < number).then(|| self.scored(number - 1, self.refits(), round));
        match last.filter(|file| file.exists()) {
            Some(file) => (file.display().to_string(), true),
            None => (self.games(round), round == number),
        }
    }

    /// The positions of a round that another one has scored anew.
    fn scored(&self, number: usize, time: u32, round: usize) -> PathBuf {
        let folder = self.folder(number).join(format!("scored-{time}"));
        folder.join(format!("round-{round}.tsv.zst"))
    }

    fn fit_folder(&self, number: usize, time: u32) -> PathBuf {
        let name = if time < self.refits() {
            format!("fit-{}", time + 1)
        } else {
            "fit".to_owned()
        };
        self.folder(number).join(name)
    }
}
