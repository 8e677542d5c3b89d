//! How games are going, and what a match has come to.

use std::time::Instant;

use indicatif::ProgressBar;
use serde_json::{Value, json};

use super::super::progress::spinner;
use tuner_play::Tally;
use tuner_play::{Estimate, Sprt, Verdict};

/// Games on a terminal: how many a second, and the time left.
pub(super) struct Progress {
    bar: ProgressBar,
    all: u64,
    before: u64,
    started: Instant,
}

impl Progress {
    pub(super) fn new(visible: bool, all: u64, before: u64) -> Self {
        Self {
            bar: spinner(visible),
            all,
            before,
            started: Instant::now(),
        }
    }

    pub(super) fn games(&self, done: u64, more: impl FnOnce() -> String) {
        let seconds = self.started.elapsed().as_secs_f64();
        let speed = done.saturating_sub(self.before) as f64 / seconds.max(1e-3);
        let left = self.all.saturating_sub(done) as f64 / speed.max(1e-9);
        self.bar.set_message(format!(
            "{done} of {} games, {speed:.2} a second, {left:.0} s left{}",
            self.all,
            more()
        ));
    }

    pub(super) fn done(&self) {
        self.bar.finish_and_clear();
    }
}

/// The result of a match in words, a few lines.
pub(super) fn words(tally: &Tally, sprt: Option<&Sprt>) -> Vec<String> {
    let [wins, draws, losses] = tally.games;
    let mut lines = vec![format!(
        "{} games: {wins} won, {draws} drawn, {losses} lost; pairs by half points {:?}",
        wins + draws + losses,
        tally.pairs.0
    )];
    let mut strength = Vec::new();
    if let (Some(elo), Some(interval)) = (tally.pairs.elo(), tally.pairs.interval()) {
        strength.push(elo_words(elo, interval));
    }
    if let Some(nelo) = tally.pairs.nelo() {
        strength.push(format!("normalised {:.1} ± {:.1}", nelo.value, nelo.error));
    }
    if let Some(los) = tally.pairs.los() {
        strength.push(format!("stronger with {:.2} %", 100.0 * los));
    }
    if !strength.is_empty() {
        lines.push(strength.join(", "));
    }
    if let Some(sprt) = sprt {
        let llr = sprt.llr(&tally.pairs);
        let (fails, passes) = sprt.bounds();
        let (elo0, elo1) = sprt.hypotheses();
        let verdict = match sprt.verdict(llr) {
            Some(Verdict::Passed) => "passed",
            Some(Verdict::Failed) => "failed",
            None => "undecided",
        };
        lines.push(format!(
            "LLR {llr:.2} ({fails:.2}, {passes:.2}) of [{elo0}, {elo1}]: {verdict}"
        ));
    }
    if tally.faults != [0, 0] {
        let [first, second] = tally.faults;
        lines.push(format!(
            "lost by silence, a crash or an illegal move: {first} by the first, {second} by the second"
        ));
    }
    lines
}

pub(super) fn elo_words(elo: Estimate, (low, high): (f64, f64)) -> String {
    if elo.error.is_finite() {
        return format!("Elo {:.1} ± {:.1} (95 %)", elo.value, elo.error);
    }
    let value = if elo.value.is_finite() {
        format!("Elo {:.1}", elo.value)
    } else {
        let all = if elo.value > 0.0 { "won" } else { "lost" };
        format!("Elo unbounded, as all was {all}")
    };
    match (low.is_finite(), high.is_finite()) {
        (true, true) => format!("{value}, from {low:.1} to {high:.1} (95 %)"),
        (true, false) => format!("{value}, at least {low:.1} (95 %)"),
        (false, true) => format!("{value}, at most {high:.1} (95 %)"),
        (false, false) => format!("{value}, too few pairs for an interval"),
    }
}

/// The same for scripts. What cannot be told, or is infinite, is null.
pub(super) fn json(tally: &Tally, sprt: Option<&Sprt>) -> Value {
    let [wins, draws, losses] = tally.games;
    let (elo, nelo) = (tally.pairs.elo(), tally.pairs.nelo());
    let llr = sprt.map(|sprt| sprt.llr(&tally.pairs));
    let verdict = sprt.zip(llr).and_then(|(sprt, llr)| sprt.verdict(llr));
    json!({
        "games": wins + draws + losses,
        "wins": wins,
        "draws": draws,
        "losses": losses,
        "elo": elo.map(|elo| elo.value),
        "elo_error": elo.map(|elo| elo.error),
        "elo_interval": tally.pairs.interval(),
        "nelo": nelo.map(|nelo| nelo.value),
        "nelo_error": nelo.map(|nelo| nelo.error),
        "los": tally.pairs.los(),
        "llr": llr,
        "llr_bounds": sprt.map(Sprt::bounds),
        "verdict": verdict.map(|verdict| match verdict {
            Verdict::Passed => "passed",
            Verdict::Failed => "failed",
        }),
        "pairs": tally.pairs.0,
        "faults": tally.faults,
    })
}
