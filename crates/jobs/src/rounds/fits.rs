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
use crate::Result;
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
    /// Makes the fits of round `number`: the first to the scores of its games, and each further one
    /// after its positions were scored anew with the weights of the fit before, as often as the
    /// options say. It ends early where a fit decides that the new weights are not kept. Fits that
    /// were done before an interruption are not repeated. If all games were drawn, nothing is
    /// fitted, and the weights are not kept.
    pub(super) fn fit(&mut self, number: usize) -> Result<()> {
        let results = GameTable::results_of(Path::new(&self.games(number)))?;
        // Games that the first player won, drew and lost.
        if let [0, _, 0] = results {
            let round = self.at(number);
            round.kept = Some(false);
            "all games were drawn, so they say nothing of weights".clone_into(&mut round.why);
            return self.save();
        }
        // `fitted`: how many fits of the round are done; `refits`: the number of the last one.
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
            // Once it is decided whether the weights are kept, the round makes no further fit.
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

    /// Makes fit `pass` of round `number`, counted from 0, to the games of the rounds `rounds`.
    /// Games of earlier rounds count less, by the factor [`FADE`] (½) a round, unless their
    /// positions were scored anew.
    fn fit_once(&mut self, number: usize, pass: u32, rounds: Span) -> Result<()> {
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
        // `blank`: all games so far were played with weights that are 0. Their scores say nothing,
        // so that the target is the result alone (lambda 1) until they are scored anew.
        let blank = self.config.from == "zero" && self.state.best_before(number) == 0;
        let lambda = if blank && pass == 0 {
            1.0
        } else {
            self.config.lambda.unwrap_or(LAMBDA)
        };
        let from = if pass > 0 && (blank || self.is_early(number)) {
            // As long as a loop from zero is far from good weights, a further fit of a round starts
            // from the fit before it: its weights are nearer to good ones than the best weights
            // that were kept, which are of an earlier round.
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

    /// Scores the positions of the rounds `rounds` with the weights of fit `pass - 1` of round
    /// `number`, for its fit `pass`, by `data rescore`. Files that are there already were done
    /// before an interruption, and stay.
    fn score_anew(&mut self, number: usize, pass: u32, rounds: Span) -> Result<()> {
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

    /// Copies what fit `pass` of round `number` found from its summary into the record of the
    /// round. After the first fit of the loop, also writes its scaling constant K into `start.txt`.
    /// If the first fit of a round finds its weights worse on the held-out games, they are not
    /// kept.
    fn judge(&mut self, number: usize, pass: u32) -> Result<()> {
        let path = self.fit_folder(number, pass).join("summary.json");
        let record = RunRecord::read(&path)?;
        if self.state.k.is_none() {
            // Later fits that begin with the weights of the start read K from that file and keep
            // it, whatever games they are of. If a fit was rescaled to keep another K (`anchor`),
            // it is the K before that.
            let anchor = record.anchor.as_ref();
            let k = anchor.map_or(record.k, |anchor| anchor.k_before);
            self.state.k = Some(k);
            let start = self.weights(0);
            let weights = named_values(Path::new(&start))?.values;
            let weights = weights.iter().map(|(name, value)| (name, *value));
            // `""`: the message of an error needs no further words.
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

    /// Tells whether fit `pass` of round `number` ended at the weights that the round began with,
    /// the best ones before it.
    fn is_unchanged(&self, number: usize, pass: u32) -> Result<bool> {
        let new = self.fit_folder(number, pass).join("weights.txt");
        let old = self.weights(self.state.best_before(number));
        Ok(named_values(&new)?.values == named_values(Path::new(&old))?.values)
    }

    /// Renames the folder of fit `pass`, after which the round makes no other, to `fit`, where the
    /// weights of a round are looked for; does nothing if it has this name.
    fn make_last(&mut self, number: usize, pass: u32) -> Result<()> {
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

    /// Returns the rounds whose games are fitted in round `number`: the last ones up to it, as many
    /// as the options say, or else [`KEEP`] (3). Without that option a loop from zero takes the
    /// games of this round alone as long as each round wins much, and later leaves out the games of
    /// these early rounds, which far weaker weights played.
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
            // `settled`: the first round that did not win much.
            first = first.max(self.settled(number).unwrap_or(number));
        }
        first..=number
    }

    /// Returns how often a round scores its positions anew and fits again after its first fit: as
    /// the options say, or else once, or never where new scores would change nothing. It is also
    /// the number of the last fit of a round, counted from 0.
    pub(super) fn refits(&self) -> u32 {
        let usual = u32::from(can_refit(self.config));
        self.config.refits.unwrap_or(usual)
    }

    /// Returns the file with the positions of `round` for fit `pass` of round `number`, and whether
    /// they count in full: they do if they were scored anew, or are of round `number` itself.
    fn positions(&self, number: usize, pass: u32, round: usize) -> (String, bool) {
        let scored = if pass > 0 {
            Some(self.scored(number, pass, round))
        } else {
            // The first fit takes the scores of the latest earlier round that scored these
            // positions anew, if any did.
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

    /// Returns the folder of the positions that are scored anew for fit `pass` of round `number`,
    /// `scored-1` and so on. The first fit, 0, has none: it takes the scores of the games.
    fn scores(&self, number: usize, pass: u32) -> PathBuf {
        self.folder(number).join(format!("scored-{pass}"))
    }

    /// Returns the file of the positions of `round` that are scored anew for fit `pass` of round
    /// `number`.
    fn scored(&self, number: usize, pass: u32, round: usize) -> PathBuf {
        self.scores(number, pass)
            .join(format!("round-{round}.tsv.zst"))
    }

    /// Returns the path of the folder of fit `pass` of round `number`; fits count from 0, rounds
    /// from 1.
    fn fit_folder(&self, number: usize, pass: u32) -> PathBuf {
        self.config.folder.join(self.fit_name(number, pass))
    }

    /// Returns the folder of fit `pass` of round `number`, relative to the folder of the loop, such
    /// as `round-2/fit-1`. `pass` counts from 0, and names count from 1; the last fit of a round is
    /// `fit`, without a number.
    fn fit_name(&self, number: usize, pass: u32) -> String {
        if pass < self.refits() {
            format!("round-{number}/fit-{}", pass + 1)
        } else {
            format!("round-{number}/fit")
        }
    }
}

/// Tells whether a fit would change if its positions were scored anew: if positions are scored by
/// searches of their own, and scores are a part of the target (lambda is not 1).
pub(super) fn can_refit(config: &LoopConfig) -> bool {
    config.score_nodes > 0 && config.lambda != Some(1.0)
}

/// Removes a folder with all that is in it; does nothing if it is not there.
fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed.at(folder),
    }
}
