//! Results as OpenBench and fastchess write them, to be pasted where people compare such.

use std::fmt::Write as _;
use std::path::Path;

use super::GamesStanding;
use tuner_play::{Limit, Thinking};
use tuner_tournament::{Estimate, Frequencies, Sprt};

/// How a result is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResultFormat {
    /// In words.
    #[default]
    Plain,
    /// The lines that OpenBench shows for commit messages.
    Openbench,
    /// The lines that fastchess prints.
    Fastchess,
}

/// The conditions of the games.
#[derive(Clone, Copy, Debug, Default)]
pub struct MatchConditions<'a> {
    /// Both sides: the first is the one whose results are counted.
    pub names: [&'a str; 2],
    /// How long both think, where that is known.
    pub thinking: Option<Thinking>,
    /// The book of openings, if there was one.
    pub book: Option<&'a Path>,
    /// Options of both engines, name and value.
    pub options: &'a [(String, String)],
}

impl MatchConditions<'_> {
    /// Returns the value of an engine's option, whose name is compared without case; of several the
    /// last counts. `None`: it was not set.
    fn option(&self, name: &str) -> Option<&str> {
        let mut options = self.options.iter().rev();
        options.find_map(|(n, value)| n.eq_ignore_ascii_case(name).then_some(&**value))
    }

    /// Returns the block of lines that OpenBench offers for commit messages: Elo, conditions, the
    /// test's log-likelihood ratio, games, pairs. A line whose facts are not known is left out.
    fn openbench(&self, standing: &GamesStanding, sprt: Option<&Sprt>) -> String {
        let mut text = String::new();
        if let Some(Estimate { value, error }) = standing.counts.elo() {
            let _ = writeln!(text, "Elo   | {value:.2} +- {error:.2} (95%)");
        }
        if let Some(thinking) = self.thinking {
            let kind = if sprt.is_some() { "SPRT" } else { "Conf" };
            let limit = match thinking {
                Thinking::Game(control) => {
                    let moves = control.moves.map(|n| format!("{n}/")).unwrap_or_default();
                    let [base, more] = [control.base, control.increment].map(|t| t.as_secs_f64());
                    format!("{moves}{base:.1}+{more:.2}s")
                }
                Thinking::Move(Limit::Nodes(nodes)) => format!("N={nodes}"),
                Thinking::Move(Limit::Depth(depth)) => format!("D={depth}"),
                Thinking::Move(Limit::Time(time)) => format!("MT={}", time.as_millis()),
                // Does not occur: games by the clock are `Thinking::Game`.
                Thinking::Move(Limit::Clock(_)) => String::new(),
            };
            // Engines search with one thread unless the option says otherwise.
            let threads = self.option("Threads").unwrap_or("1");
            let _ = write!(text, "{kind}  | {limit} Threads={threads}");
            if let Some(hash) = self.option("Hash") {
                let _ = write!(text, " Hash={hash}MB");
            }
            text.push('\n');
        }
        if let Some(sprt) = sprt {
            let _ = writeln!(text, "LLR   | {}", likelihood(standing, sprt));
        }
        let all = standing.number_of_games();
        let _ = match standing.games {
            Some([wins, draws, losses]) => {
                writeln!(text, "Games | N: {all} W: {wins} L: {losses} D: {draws}")
            }
            None => writeln!(text, "Games | N: {all}"),
        };
        if let Some(pairs) = standing.pairs() {
            let _ = writeln!(text, "Penta | {pairs:?}");
        }
        text
    }

    /// Returns the lines that fastchess prints, between two rules: players and conditions, Elo, the
    /// likelihood of superiority with ratios, games, pairs, the test. For what is not known it
    /// prints `nan` or `NULL`.
    fn fastchess(&self, standing: &GamesStanding, sprt: Option<&Sprt>) -> String {
        let mut text = RULE.to_owned();
        // Players and, in brackets, the conditions that are known.
        let [first, second] = self.names;
        let mut about = Vec::new();
        if let Some(thinking) = self.thinking {
            about.push(match thinking {
                Thinking::Game(control) => control.to_string(),
                Thinking::Move(Limit::Nodes(nodes)) => format!("{nodes} nodes"),
                Thinking::Move(Limit::Depth(depth)) => format!("{depth} plies"),
                Thinking::Move(Limit::Time(time)) => format!("{}/move", time.as_secs_f64()),
                // Does not occur: games by the clock are `Thinking::Game`.
                Thinking::Move(Limit::Clock(_)) => "clock".to_owned(),
            });
            about.push(format!("{}t", self.option("Threads").unwrap_or("1")));
            let hash = self.option("Hash");
            about.push(hash.map_or_else(|| "NULL".to_owned(), |hash| format!("{hash}MB")));
        }
        if let Some(name) = self.book.and_then(Path::file_name) {
            about.push(name.to_string_lossy().into_owned());
        }
        let about = if about.is_empty() {
            String::new()
        } else {
            format!(" ({})", about.join(", "))
        };
        let _ = writeln!(text, "Results of {first} vs {second}{about}:");
        // Elo and normalised Elo, each with its 95 % error.
        let both = |estimate: Option<Estimate>| {
            estimate.map_or_else(
                || "nan +/- nan".to_owned(),
                |Estimate { value, error }| format!("{value:.2} +/- {error:.2}"),
            )
        };
        let _ = writeln!(
            text,
            "Elo: {}, nElo: {}",
            both(standing.counts.elo()),
            both(standing.counts.nelo())
        );
        // The likelihood of superiority; the share of even pairs, or of drawn games where pairs are
        // not known; and pairs won by pairs lost. The five counts are of pairs with 0 to 4 half
        // points.
        let los = 100.0 * standing.counts.los().unwrap_or(f64::NAN);
        let _ = write!(text, "LOS: {los:.2} %");
        if let Some([ll, ld, even, wd, ww]) = standing.pairs() {
            let even = 100.0 * even as f64 / standing.counts.total() as f64;
            let ratio = (wd + ww) as f64 / (ll + ld) as f64;
            let _ = write!(text, ", DrawRatio: {even:.2} %, PairsRatio: {ratio:.2}");
        } else if let Some([_, draws, _]) = standing.games {
            let share = 100.0 * draws as f64 / standing.number_of_games() as f64;
            let _ = write!(text, ", DrawRatio: {share:.2} %");
        }
        text.push('\n');
        // Games, and points, of which a win is 1 and a draw ½, as a number and in percent of the
        // games.
        let all = standing.number_of_games();
        let share = standing.counts.moments().map_or(f64::NAN, |(mean, _)| mean);
        let points = share * all as f64;
        let _ = write!(text, "Games: {all}");
        if let Some([wins, draws, losses]) = standing.games {
            let _ = write!(text, ", Wins: {wins}, Losses: {losses}, Draws: {draws}");
        }
        let _ = writeln!(text, ", Points: {points:.1} ({:.2} %)", 100.0 * share);
        if let Some(pairs) = standing.pairs() {
            let _ = writeln!(text, "Ptnml(0-2): {pairs:?}");
        }
        if let Some(sprt) = sprt {
            let _ = writeln!(text, "LLR: {}", likelihood(standing, sprt));
        }
        text + RULE
    }
}

impl ResultFormat {
    /// Returns the text of a result in this format. `matched`: the conditions of the games;
    /// `standing`: what they came to; `sprt`: the test that they were played for, if there was one.
    pub fn text(
        self,
        matched: &MatchConditions<'_>,
        standing: &GamesStanding,
        sprt: Option<&Sprt>,
    ) -> String {
        match self {
            Self::Plain => standing.words(sprt).join("\n") + "\n",
            Self::Openbench => matched.openbench(standing, sprt),
            Self::Fastchess => matched.fastchess(standing, sprt),
        }
    }
}

/// Returns the text `LLR (fails, passes) [elo0, elo1]`: the log-likelihood ratio of a test, the
/// bounds at which it fails and passes, and its two hypotheses in Elo.
fn likelihood(standing: &GamesStanding, sprt: &Sprt) -> String {
    let (fails, passes) = sprt.bounds();
    let (elo0, elo1) = sprt.hypotheses();
    let llr = sprt.llr(&standing.counts);
    format!("{llr:.2} ({fails:.2}, {passes:.2}) [{elo0:.2}, {elo1:.2}]")
}

const RULE: &str = "--------------------------------------------------\n";

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use tuner_tournament::EloUnit;

    /// A test as OpenBench printed it, in a pull request of an engine:
    /// `TheRealGioviok/Perseus-Engine` #58.
    #[test]
    fn openbench_prints_the_same() {
        let standing = GamesStanding::new(None, &[145, 850, 2205, 948, 176]);
        let sprt = Sprt::new(0.0, 5.0, 0.05, 0.05, EloUnit::Normalised).unwrap();
        let options = [("Hash".to_owned(), "16".to_owned())];
        let matched = MatchConditions {
            thinking: Some(Thinking::Game("8+0.08".parse().unwrap())),
            options: &options,
            ..MatchConditions::default()
        };
        let text = ResultFormat::Openbench.text(&matched, &standing, Some(&sprt));
        assert_eq!(
            text,
            "Elo   | 6.43 +- 4.37 (95%)\n\
             SPRT  | 8.0+0.08s Threads=1 Hash=16MB\n\
             LLR   | 2.96 (-2.94, 2.94) [0.00, 5.00]\n\
             Games | N: 8648\n\
             Penta | [145, 850, 2205, 948, 176]\n"
        );
    }

    #[test]
    fn fastchess_prints_the_same_lines() {
        let standing = GamesStanding::new(Some([259, 182, 139]), &[34, 54, 63, 64, 75]);
        let matched = MatchConditions {
            names: ["new", "old"],
            thinking: Some(Thinking::Move(Limit::Nodes(5000))),
            book: Some(Path::new("a/UHO.epd")),
            options: &[],
        };
        let text = ResultFormat::Fastchess.text(&matched, &standing, None);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[1..6],
            [
                "Results of new vs old (5000 nodes, 1t, NULL, UHO.epd):",
                "Elo: 55.58 +/- 27.65, nElo: 57.94 +/- 28.28",
                "LOS: 100.00 %, DrawRatio: 21.72 %, PairsRatio: 1.58",
                "Games: 580, Wins: 259, Losses: 139, Draws: 182, Points: 336.0 (57.93 %)",
                "Ptnml(0-2): [34, 54, 63, 64, 75]",
            ]
        );
    }
}
