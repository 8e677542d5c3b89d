//! How games are going, and what a match has come to.

use std::fmt::Write as _;
use std::time::Instant;

use crate::Job;
use tuner_record::StandingRecord;
use tuner_tournament::{Frequencies, Sprt, Tally, Verdict, is_even};

/// Says how far games are: how many a second, and the time left.
pub(crate) struct GamesProgress<'a> {
    job: &'a Job,
    /// Games in all, those of an interrupted run included.
    all: u64,
    /// Games of the interrupted run.
    before: u64,
    started: Instant,
}

impl<'a> GamesProgress<'a> {
    /// Makes the progress of some games and begins to count their time. `all`: games in all;
    /// `before`: how many of them an interrupted run has played.
    pub(crate) fn new(job: &'a Job, all: u64, before: u64) -> Self {
        Self {
            job,
            all,
            before,
            started: Instant::now(),
        }
    }

    /// Shows, in the line of status, how far the games are after `done` of them, those of an
    /// interrupted run included: speed and time left. `more` is what is said behind it.
    pub(crate) fn games(&self, done: u64, more: impl FnOnce() -> String) {
        let seconds = self.started.elapsed().as_secs_f64();
        // The small constants only avoid divisions by 0.
        let speed = done.saturating_sub(self.before) as f64 / seconds.max(1e-3);
        let left = self.all.saturating_sub(done) as f64 / speed.max(1e-9);
        self.job.status(&format!(
            "{done} of {} games, {speed:.2} a second, {left:.0} s left{}",
            self.all,
            more()
        ));
    }

    /// Shows, in the line of status, how far a sequential test is after `done` games. It ends once
    /// its log-likelihood ratio `llr` is at a bound, or all games are played. The time left
    /// supposes that the ratio changes as fast as it did so far.
    pub(crate) fn test(&self, done: u64, llr: f64, test: &Sprt) {
        let (fails, passes) = test.bounds();
        let bound = if llr < 0.0 { fails } else { passes };
        let needed = (done as f64 * bound / llr).clamp(done as f64, self.all as f64);
        // 0 divided by 0, as before the first game: all games may be needed.
        let needed = if needed.is_nan() {
            self.all as f64
        } else {
            needed
        };
        let speed = done as f64 / self.started.elapsed().as_secs_f64().max(1e-3);
        let left = (needed - done as f64) / speed.max(1e-9);
        self.job.status(&format!(
            "{done} fast games, LLR {llr:.2} of {bound:.2}, about {left:.0} s left"
        ));
    }
}

/// The standing after some games, counted by pairs or one by one.
#[derive(Clone, Debug)]
pub struct GamesStanding {
    /// Won, drawn, lost, where that is known.
    pub games: Option<[u64; 3]>,
    /// Pairs by their half points, 0 to 4, or single games lost, drawn, won.
    pub counts: Vec<u64>,
    /// Games lost by a fault, by the side whose results are counted and by the other one; `late`:
    /// how many of them were lost on time.
    faults: [u64; 2],
    late: [u64; 2],
}

impl From<&Tally> for GamesStanding {
    /// Takes the results of a match, counted by pairs, and its faults.
    fn from(tally: &Tally) -> Self {
        Self {
            games: Some(tally.games),
            counts: tally.pairs.0.to_vec(),
            faults: tally.faults,
            late: tally.late,
        }
    }
}

impl GamesStanding {
    /// Makes a standing without faults. `games`: won, drawn, lost, `None` if not known; `counts`:
    /// five counts of pairs by their half points, 0 to 4, or three of single games lost, drawn,
    /// won.
    pub fn new(games: Option<[u64; 3]>, counts: &[u64]) -> Self {
        Self {
            games,
            counts: counts.to_vec(),
            faults: [0; 2],
            late: [0; 2],
        }
    }

    /// Returns how many pairs have 0, 1, 2, 3 and 4 half points; `None` where single games are
    /// counted.
    pub fn pairs(&self) -> Option<[u64; 5]> {
        self.counts.as_slice().try_into().ok()
    }

    /// Returns how many games there are: two for each pair that is counted.
    pub fn number_of_games(&self) -> u64 {
        self.counts.total() * u64::from(self.counts.games_of_entry())
    }

    /// Returns lines on what the games came to: first the counts, then Elo and the probability of
    /// being stronger, then the test (`sprt`) if there is one, then faults of both sides if there
    /// are some.
    pub fn words(&self, sprt: Option<&Sprt>) -> Vec<String> {
        let all = self.number_of_games();
        let mut first = format!("{all} games");
        if let Some([wins, draws, losses]) = self.games {
            let _ = write!(first, ": {wins} won, {draws} drawn, {losses} lost");
        }
        if let Some(pairs) = self.pairs() {
            let _ = write!(first, "; pairs by half points {pairs:?}");
        }
        let mut lines = vec![first];
        let mut strength = Vec::new();
        strength.extend(self.elo_words());
        if let Some(nelo) = self.counts.nelo() {
            strength.push(format!("normalised {:.1} ± {:.1}", nelo.value, nelo.error));
        }
        if let Some(los) = self.counts.los() {
            strength.push(format!("stronger with {:.2} %", 100.0 * los));
        }
        if !strength.is_empty() {
            lines.push(strength.join(", "));
        }
        if let Some(sprt) = sprt {
            let llr = sprt.llr(&self.counts);
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
        // "The first" is the side whose results are counted.
        let [first, second] = self.late;
        if first + second > 0 {
            lines.push(format!(
                "lost on time: {first} by the first, {second} by the second"
            ));
        }
        let [first, second] = [0, 1].map(|side: usize| self.faults[side] - self.late[side]);
        if first + second > 0 {
            lines.push(format!(
                "lost by silence, a crash or an illegal move: {first} by the first, {second} by the second"
            ));
        }
        lines
    }

    /// Returns the lines of a table: a line of heads, then a line for each opponent with its games
    /// won, drawn and lost, and Elo; no lines for a single opponent.
    pub fn table(opponents: &[(String, Self)]) -> Vec<String> {
        if opponents.len() < 2 {
            return Vec::new();
        }
        let wide = opponents.iter().map(|(name, _)| name.chars().count()).max();
        let wide = wide.unwrap_or(0).max("against".len());
        let row = |name: &str, counts: [&str; 4], elo: &str| {
            let [games, won, drawn, lost] = counts;
            format!("{name:wide$} {games:>7} {won:>6} {drawn:>6} {lost:>6}  {elo}")
        };
        let mut lines = vec![row("against", ["games", "won", "drawn", "lost"], "Elo")];
        for (name, standing) in opponents {
            // Opponents of a match have counts of games; if these were unknown, 0 would be shown.
            let [won, drawn, lost] = standing.games.unwrap_or_default().map(|n| n.to_string());
            let games = standing.number_of_games().to_string();
            let elo = standing.elo_words().unwrap_or_default();
            let elo = elo.strip_prefix("Elo ").unwrap_or(&elo);
            lines.push(row(name, [&games, &won, &drawn, &lost], elo));
        }
        lines
    }

    /// Returns Elo with its 95 % interval, in words. It is written as a number ± half the width
    /// where the number is about in the middle of the interval, else with both ends of the
    /// interval, or with the end that is finite. `None` without games.
    pub(crate) fn elo_words(&self) -> Option<String> {
        let (elo, (low, high)) = self.counts.elo().zip(self.counts.interval())?;
        if elo.error.is_finite() && is_even(elo.value, low, high) {
            return Some(format!("Elo {:.1} ± {:.1} (95 %)", elo.value, elo.error));
        }
        let value = if elo.value.is_finite() {
            format!("Elo {:.1}", elo.value)
        } else {
            let all = if elo.value > 0.0 { "won" } else { "lost" };
            format!("Elo unbounded, as all was {all}")
        };
        Some(match (low.is_finite(), high.is_finite()) {
            (true, true) => format!("{value}, from {low:.1} to {high:.1} (95 %)"),
            (true, false) => format!("{value}, at least {low:.1} (95 %)"),
            (false, true) => format!("{value}, at most {high:.1} (95 %)"),
            (false, false) => format!("{value}, too few pairs for an interval"),
        })
    }

    /// Returns the numbers of this standing for scripts and records; those that are not finite are
    /// left out. `sprt`: the test that the games are judged by, if there is one.
    pub fn record(&self, sprt: Option<&Sprt>) -> StandingRecord {
        let finite = |number: f64| Some(number).filter(|number| number.is_finite());
        let (elo, nelo) = (self.counts.elo(), self.counts.nelo());
        let interval = self.counts.interval();
        let llr = sprt.map(|sprt| sprt.llr(&self.counts));
        StandingRecord {
            games: self.number_of_games(),
            wins: self.games.map(|[wins, ..]| wins),
            draws: self.games.map(|[_, draws, _]| draws),
            losses: self.games.map(|[.., losses]| losses),
            elo: elo.and_then(|elo| finite(elo.value)),
            elo_error: elo.and_then(|elo| finite(elo.error)),
            elo_interval: interval.map(|(low, high)| [low, high].map(finite)),
            nelo: nelo.and_then(|nelo| finite(nelo.value)),
            nelo_error: nelo.and_then(|nelo| finite(nelo.error)),
            los: self.counts.los(),
            llr,
            llr_bounds: sprt.map(Sprt::bounds),
            verdict: sprt.zip(llr).and_then(|(sprt, llr)| sprt.verdict(llr)),
            pairs: self.pairs(),
            faults: self.faults,
            late: self.late,
        }
    }
}
