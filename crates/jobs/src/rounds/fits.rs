//! The fits of a round.
//!
//! ```text
//! games of the last rounds -> fit-1 -> scored-1 -> fit-2 -> … -> fit
//! ```
//!
//! A search with better weights sees more, so the positions that are fitted are scored
//! anew with what they taught, and fitted once more. Whether the held-out games find it worse
//! is asked of the first fit, as its target does not come from its own weights.

use std::fs;
use std::io::ErrorKind;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use super::steps::{FIT_FLAGS, fit_options, step_words};
use super::{LoopConfig, LoopRun};
use crate::Failure;
use crate::failure::AtPath as _;
use tuner_fit::run::{CHECKPOINT_FILE, named_values, weight_lines};
use tuner_judge::FitVerdict;
use tuner_record::{LoopFit, RunRecord};
use tuner_tournament::GameTable;

/// Factor by which the games of a round count less than those of the next round, as long as their
/// scores are those of the games. Chosen: the weights that gave them are further from those of
/// today.
const FADE: f64 = 0.5;

/// K of each fit of a loop from zero, whose scores have no meaning of their own: what a
/// centipawn is. Fitted anew each round, it would take up what the weights are to grow
/// by, and weights of a fifth of their size round to a fifth of the precision.
pub(super) const K_FROM_ZERO: &str = "1";

/// How many rounds, the last ones, have their games fitted.
const KEEP: u32 = 3;
/// How many rounds have their games fitted as long as a loop from zero climbs: each round then
/// plays far better than the one before, and its games say more.
const KEEP_FROM_ZERO: u32 = 1;

/// The part of the result in the target. Chosen: with more of it rounds from zero gain less,
/// 64 ± 26 Elo in place of 153 ± 26 in the chess example's fifth with 0.6 of it.
pub(super) const LAMBDA: f64 = 0.2;

/// Rounds one after the other, by their numbers from 1.
type Span = RangeInclusive<usize>;

impl LoopRun<'_> {
    /// Makes the fits of a round, as often as the options say, until one decides that the new
    /// weights are not kept. What was fitted before an interruption is not fitted again. Of games
    /// that were all drawn there is no fit, and the weights are not kept.
    pub(super) fn fit(&mut self, number: usize) -> Result<(), Failure> {
        let results = GameTable::results_of(Path::new(&self.games(number)))?;
        if let [0, _, 0] = results {
            let round = self.at(number);
            round.kept = Some(false);
            "all games were drawn, so they say nothing of weights".clone_into(&mut round.why);
            return self.save();
        }
        let rounds = self.rounds_fitted(number);
        for pass in self.at(number).fitted..=self.refits() {
            if pass > 0 {
                self.score_anew(number, pass, rounds.clone())?;
            }
            self.fit_once(number, pass, rounds.clone())?;
            self.judge(number, pass)?;
            if self.at(number).kept.is_none() && self.is_unchanged(number, pass)? {
                let round = self.at(number);
                round.kept = Some(false);
                "the games ask for no other weights".clone_into(&mut round.why);
            }
            self.at(number).fitted = pass + 1;
            let is_over = self.at(number).kept.is_some();
            if is_over {
                self.make_last(number, pass)?;
            }
            self.save()?;
            if is_over {
                break;
            }
        }
        Ok(())
    }

    /// Makes fit `pass` of a round, counted from 0, to the games of some rounds: those of older
    /// weights count less, by [`FADE`] a round, unless their positions were scored anew.
    fn fit_once(&mut self, number: usize, pass: u32, rounds: Span) -> Result<(), Failure> {
        let data: Vec<String> = rounds
            .map(|round| {
                let (file, fresh) = self.positions(number, pass, round);
                if fresh {
                    return file;
                }
                format!("{file}:weight={}", FADE.powi((number - round) as i32))
            })
            .collect();
        let data: Vec<&str> = data.iter().map(String::as_str).collect();
        let blank = self.config.from == "zero" && self.state.best_before(number) == 0;
        // Scores of weights that know nothing say nothing.
        let lambda = if blank && pass == 0 {
            1.0
        } else {
            self.config.lambda.unwrap_or(LAMBDA)
        };
        let from = if pass > 0 && (blank || self.is_early(number)) {
            // Far from good weights, a fit starts from the fit before in this round: the best
            // weights are those of an earlier round.
            self.fit_folder(number, pass - 1).join("weights.txt")
        } else {
            PathBuf::from(self.weights(self.state.best_before(number)))
        };
        let folder = self.fit_folder(number, pass);
        let from_to = [from, folder.clone()].map(|path| path.display().to_string());
        let typed = fit_options(self.config, from_to, lambda);
        let mut flags = FIT_FLAGS.to_vec();
        if folder.join(CHECKPOINT_FILE).exists() {
            flags.push("--resume");
        } else {
            // An interrupted fit without a checkpoint begins again, so scores that were made with
            // its weights are removed too.
            for before in [folder, self.scores(number, pass + 1)] {
                remove(&before)?;
            }
        }
        let mut words = step_words(self.config, "fit", &data, &typed, &flags);
        words.extend(self.config.fit.iter().cloned());
        self.step("fit", &words)
    }

    /// Scores the positions of some rounds with the weights of fit `pass - 1` of this round, for
    /// fit `pass`; files that are there already stay.
    fn score_anew(&mut self, number: usize, pass: u32, rounds: Span) -> Result<(), Failure> {
        let weights = self.fit_folder(number, pass - 1).join("weights.txt");
        let folder = self.scores(number, pass);
        fs::create_dir_all(&folder).at(&folder)?;
        for round in rounds {
            let output = self.scored(number, pass, round);
            if output.exists() {
                continue;
            }
            let typed = [
                ("--weights", weights.display().to_string()),
                self.config.thinking(self.config.score_nodes),
                ("--output", output.display().to_string()),
            ];
            let games = self.games(round);
            self.resume("data", &["rescore", &games], &typed)?;
        }
        Ok(())
    }

    /// Takes what fit `pass` of a round has found into the record of the round, and K of the first
    /// fit of the loop into `start.txt`. Weights that the first fit of a round finds worse are not
    /// kept.
    fn judge(&mut self, number: usize, pass: u32) -> Result<(), Failure> {
        let path = self.fit_folder(number, pass).join("summary.json");
        let record = RunRecord::read(&path)?;
        if self.state.k.is_none() {
            // Later fits from these weights keep this K, whatever games they are of.
            let anchor = record.anchor.as_ref();
            let k = anchor.map_or(record.k, |anchor| anchor.k_before);
            self.state.k = Some(k);
            let start = self.weights(0);
            let weights = named_values(Path::new(&start))?.values;
            let weights = weights.iter().map(|(name, value)| (name, *value));
            self.job
                .file(Path::new(&start), &weight_lines(Some(k), weights), "")?;
        }
        let folder = self.fit_name(number, pass);
        let round = self.at(number);
        round.fit = Some(LoopFit {
            folder,
            verdict: record.verdict,
            held_out: record.judgement.held_out,
            positions: record.positions_fitted,
        });
        if pass == 0 && record.verdict == FitVerdict::Worse {
            round.kept = Some(false);
            "worse on the held-out games".clone_into(&mut round.why);
        }
        Ok(())
    }

    /// Tells whether a fit ended at the weights that the round began with.
    fn is_unchanged(&self, number: usize, pass: u32) -> Result<bool, Failure> {
        let new = self.fit_folder(number, pass).join("weights.txt");
        let old = self.weights(self.state.best_before(number));
        Ok(named_values(&new)?.values == named_values(Path::new(&old))?.values)
    }

    /// Gives the folder of a fit after which no other comes the name of the last one, `fit`, where
    /// the weights of a round are looked for.
    fn make_last(&mut self, number: usize, pass: u32) -> Result<(), Failure> {
        let last = self.refits();
        if pass == last {
            return Ok(());
        }
        let [from, to] = [pass, last].map(|pass| self.fit_folder(number, pass));
        remove(&to)?;
        fs::rename(&from, &to).at(&from)?;
        let folder = self.fit_name(number, last);
        if let Some(fit) = &mut self.at(number).fit {
            fit.folder = folder;
        }
        Ok(())
    }

    /// The rounds whose games are fitted in a round: the last ones up to it. Unless the options say
    /// how many, a loop from zero takes those of this round alone while it climbs, and later leaves
    /// out those in which it did, which far weaker weights played.
    fn rounds_fitted(&self, number: usize) -> Span {
        let config = self.config;
        let usual = if self.is_early(number) {
            KEEP_FROM_ZERO
        } else {
            KEEP
        };
        let keep = config.keep.unwrap_or(usual);
        let mut first = (number + 1).saturating_sub(keep as usize).max(1);
        if config.from == "zero" && config.keep.is_none() {
            // Rounds before the loop settled were played by far weaker weights.
            first = first.max(self.settled(number).unwrap_or(number));
        }
        first..=number
    }

    /// How often a round scores its positions anew and fits again after its first fit. It is also
    /// the number of its last fit, counted from 0.
    pub(super) fn refits(&self) -> u32 {
        let usual = u32::from(can_refit(self.config));
        self.config.refits.unwrap_or(usual)
    }

    /// The file of the positions of `round` for fit `pass` of round `number`, and whether they
    /// count in full: either they were scored anew, or the games are those of round `number`.
    fn positions(&self, number: usize, pass: u32, round: usize) -> (String, bool) {
        let scored = if pass > 0 {
            Some(self.scored(number, pass, round))
        } else {
            // For the first fit: the scores of the latest round that scored these positions anew.
            (round..number)
                .rev()
                .map(|by| self.scored(by, self.refits(), round))
                .find(|file| file.exists())
        };
        match scored {
            Some(file) => (file.display().to_string(), true),
            None => (self.games(round), round == number),
        }
    }

    /// The folder of the positions that were scored for fit `pass` of a round; the first fit, 0,
    /// takes the scores of the games.
    fn scores(&self, number: usize, pass: u32) -> PathBuf {
        self.folder(number).join(format!("scored-{pass}"))
    }

    /// The file of the positions of `round`, scored for fit `pass` of round `number`.
    fn scored(&self, number: usize, pass: u32, round: usize) -> PathBuf {
        self.scores(number, pass)
            .join(format!("round-{round}.tsv.zst"))
    }

    /// The folder of fit `pass` of a round, counted from 0.
    fn fit_folder(&self, number: usize, pass: u32) -> PathBuf {
        self.config.folder.join(self.fit_name(number, pass))
    }

    /// The folder of fit `pass` of a round, as seen from that of the loop: fits count from 0 here
    /// and from 1 in names, and that of the last one has no number.
    fn fit_name(&self, number: usize, pass: u32) -> String {
        if pass < self.refits() {
            format!("round-{number}/fit-{}", pass + 1)
        } else {
            format!("round-{number}/fit")
        }
    }
}

/// Tells whether scoring anew changes a fit: positions are scored by searches of their own, and
/// scores are part of the target.
pub(super) fn can_refit(config: &LoopConfig) -> bool {
    config.score_nodes > 0 && config.lambda != Some(1.0)
}

/// Removes a folder, if it is there.
fn remove(folder: &Path) -> Result<(), Failure> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed.at(folder),
    }
}
