//! The standing of games, and the head of the file of a match.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tuner_tournament::{Sprt, Verdict};

/// The standing after some games. A number that is not known, or is infinite, is `None`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct StandingRecord {
    /// Number of games played.
    pub games: u64,
    /// Games that the first side won, where that is known.
    pub wins: Option<u64>,
    /// Games drawn, where that is known.
    pub draws: Option<u64>,
    /// Games that the first side lost, where that is known.
    pub losses: Option<u64>,
    /// The difference in Elo, above 0 where the first side is stronger.
    pub elo: Option<f64>,
    /// Half the width of the 95 % interval of `elo`.
    pub elo_error: Option<f64>,
    /// The 95 % interval of `elo`; an end that is infinite is `None`.
    pub elo_interval: Option<[Option<f64>; 2]>,
    /// The difference in normalised Elo.
    pub nelo: Option<f64>,
    /// Half the width of the 95 % interval of `nelo`.
    pub nelo_error: Option<f64>,
    /// The probability that the first side is the stronger one.
    pub los: Option<f64>,
    /// The log-likelihood ratio, where there is a test.
    pub llr: Option<f64>,
    /// The log-likelihood ratios at which the test fails and passes.
    pub llr_bounds: Option<(f64, f64)>,
    /// How the test ended, if it has.
    pub verdict: Option<Verdict>,
    /// Pairs by the half points of the first side, 0 to 4, where games are in pairs.
    pub pairs: Option<[u64; 5]>,
    /// Games lost by a fault: by the first side, and by the second.
    pub faults: [u64; 2],
    /// Games lost on time: by the first side, and by the second.
    pub late: [u64; 2],
}

impl StandingRecord {
    /// Returns in words the 95 % interval of `elo`, such as `-12.0 to +4.5`. An end that is
    /// infinite is written `-∞` or `∞`; `None` where it is not known.
    pub fn interval_text(&self) -> Option<String> {
        let [low, high] = self.elo_interval?;
        let or = |end: Option<f64>, infinite: &str| match end {
            Some(end) => format!("{end:+.1}"),
            None => infinite.to_owned(),
        };
        Some(format!("{} to {}", or(low, "-∞"), or(high, "∞")))
    }
}

/// Games of the new weights against those before.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct FastGamesRecord {
    /// The standing of the games.
    #[serde(flatten)]
    pub standing: StandingRecord,
    /// Whether the new weights are surely stronger.
    pub passed: bool,
    /// The standing of the games, in a sentence.
    pub words: String,
}

impl FastGamesRecord {
    /// Tells whether enough games were played: the new weights passed the test, or the test ended
    /// in any way.
    pub fn are_decided(&self) -> bool {
        self.passed || self.standing.verdict.is_some()
    }

    /// Tells whether the new weights are weaker by more than chance: the 95 % interval of the
    /// difference in Elo ends below 0.
    pub fn are_lost(&self) -> bool {
        let interval = self.standing.elo_interval;
        interval.is_some_and(|[_, high]| high.is_some_and(|high| high < 0.0))
    }
}

/// What a term is worth in games: the weights without it, all others fitted again, against those
/// with it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct TermRecord {
    /// The name of the parameter that is left out.
    pub group: String,
    /// What the games say, where they decide.
    pub worth: Option<TermWorth>,
    /// The standing of the weights without it.
    #[serde(flatten)]
    pub standing: StandingRecord,
    /// The time of a node without it, where the engine itself was built and games do not need it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_time: Option<NodeTime>,
}

/// The time of a node without a term, in times of that with it.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct NodeTime {
    /// The median over positions.
    pub ratio: f64,
    /// Its 95 % interval.
    pub interval: [f64; 2],
}

tuner_base::impl_fmt! { Display for NodeTime, |self, f| {
    let [low, high] = self.interval;
    write!(f, "{:.3} ({low:.3} to {high:.3})", self.ratio)
} }

/// What games say of a term, such that of those of which they say it at most 5 % are so by chance,
/// on average.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TermWorth {
    /// Without it the engine is weaker.
    Needed,
    /// Without it the engine is weaker by less than 5 Elo, if at all.
    NotMissed,
}

impl TermRecord {
    /// Returns in words the difference in Elo that leaving the parameter out makes, with its 95 %
    /// interval; `None` where it is not known, such as while no game is over.
    pub fn elo(&self) -> Option<String> {
        let (elo, interval) = (self.standing.elo?, self.standing.interval_text()?);
        Some(format!("{elo:+.1} Elo ({interval})"))
    }
}

impl TermWorth {
    /// What is known of how often such words are wrong, of all terms together.
    pub const OF_ALL: &str = "of the parameters that are said to win games, and of those that could be left out, on \
         average at most 5 % are so by chance (Benjamini-Hochberg); an interval is of one alone";

    /// Says in a few words what games say of a parameter: `None` is that they have not decided.
    pub fn words(worth: Option<TermWorth>) -> &'static str {
        match worth {
            Some(TermWorth::Needed) => "it wins games",
            Some(TermWorth::NotMissed) => "it could be left out",
            None => "not decided",
        }
    }
}

tuner_base::impl_fmt! { Display for TermRecord, |self, f| {
    let (group, games) = (&self.group, self.standing.games);
    let worth = TermWorth::words(self.worth);
    let elo = self.elo().unwrap_or_default();
    write!(f, "without {group}: {elo} in {games} fast games: {worth}")?;
    if let Some(time) = &self.node_time {
        write!(f, "; a node takes {time} of its time")?;
    }
    Ok(())
} }

/// The head of the file of a match, so that its page can be made again.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct MatchHead {
    /// Both sides: the first is the one whose results are counted.
    pub names: [String; 2],
    /// The opponents, where there are several, who play in turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opponents: Vec<String>,
    /// How the match was set up: what, and how.
    pub setup: Vec<(String, String)>,
    /// The test that ends it, if there is one.
    pub sprt: Option<Sprt>,
}

impl MatchHead {
    /// Reads the head of a match out of the JSON object that the first line of its file has; `None`
    /// if that is something else, or the limits of its test contradict each other.
    pub fn of(about: &Value) -> Option<Self> {
        let head = Self::deserialize(about).ok();
        head.filter(|head| head.sprt.is_none_or(|sprt| sprt.check().is_ok()))
    }
}
