//! The words of UCI and USI, which are nearly the same.

use std::fmt::Write as _;
use std::str::FromStr;

use tuner_game::rules::{Game, Rules};
use tuner_play::{Limit, Score};

/// A protocol of engines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// Universal Chess Interface.
    #[default]
    Uci,
    /// Universal Shogi Interface.
    Usi,
}

impl Protocol {
    /// Returns the protocol of engines for a game whose notation of positions has this name: USI
    /// for SFEN, else UCI.
    pub fn of_notation(name: &str) -> Self {
        if name == "SFEN" { Self::Usi } else { Self::Uci }
    }

    /// Returns the command that begins the conversation, and the line with which the engine ends
    /// its introduction.
    pub(super) const fn greeting(self) -> (&'static str, &'static str) {
        match self {
            Self::Uci => ("uci", "uciok"),
            Self::Usi => ("usi", "usiok"),
        }
    }

    /// The command that a new game begins with.
    pub(super) const fn new_game(self) -> &'static str {
        match self {
            Self::Uci => "ucinewgame",
            Self::Usi => "usinewgame",
        }
    }

    /// Tells whether an answer to `go` gives up, which UCI has no word for.
    pub(super) fn resigns(self, answer: &str) -> bool {
        self == Self::Usi && answer == "resign"
    }

    /// Returns the command that tells an engine the present position of a game: `position`, the
    /// position that the game began with, and the moves that led from there.
    pub(super) fn position<R: Rules + ?Sized>(self, game: &Game<'_, R>) -> String {
        let word = match self {
            Self::Uci => "fen",
            Self::Usi => "sfen",
        };
        let rules = game.rules();
        let mut text = format!("position {word} {}", rules.describe(game.start()));
        let mut position = game.start().clone();
        for (index, &m) in game.moves().iter().enumerate() {
            text.push_str(if index == 0 { " moves " } else { " " });
            text.push_str(&rules.write_move(&position, m));
            rules.play(&mut position, m);
        }
        text
    }

    /// Returns the command that asks an engine for a move within a limit, times in milliseconds.
    /// USI calls the first player black, where UCI calls it white; the time for one move is
    /// `byoyomi` in USI.
    pub(super) fn go(self, limit: Limit) -> String {
        match (limit, self) {
            (Limit::Nodes(nodes), _) => format!("go nodes {nodes}"),
            (Limit::Depth(depth), _) => format!("go depth {depth}"),
            (Limit::Time(time), Self::Uci) => format!("go movetime {}", time.as_millis()),
            (Limit::Time(time), Self::Usi) => {
                format!("go btime 0 wtime 0 byoyomi {}", time.as_millis())
            }
            (Limit::Clock(clock), _) => {
                let [first, second] = clock.left.map(|left| left.as_millis());
                let [own, other] = clock.increment.map(|add| add.as_millis());
                let (ours, theirs) = match self {
                    Self::Uci => ('w', 'b'),
                    Self::Usi => ('b', 'w'),
                };
                let mut text = format!(
                    "go {ours}time {first} {theirs}time {second} {ours}inc {own} {theirs}inc {other}"
                );
                // USI has no word for the moves until the next time control.
                if let (Some(moves), Self::Uci) = (clock.moves_to_go, self) {
                    let _ = write!(text, " movestogo {moves}");
                }
                text
            }
        }
    }
}

impl FromStr for Protocol {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "uci" => Ok(Self::Uci),
            "usi" => Ok(Self::Usi),
            _ => Err(format!("found protocol {text:?}, expected uci or usi")),
        }
    }
}

/// Score, nodes and depth of a search, as the engine tells of them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    pub(super) score: Option<Score>,
    /// 0 where the engine did not tell.
    pub(super) nodes: u64,
    pub(super) depth: Option<u32>,
}

impl Seen {
    /// Takes a line of the engine: score, nodes and depth that it says after `info` replace those
    /// known; other lines change nothing. Scores that are bounds are left out, and so are those of
    /// a second or later line of play (`multipv`).
    pub(super) fn line(&mut self, line: &str) {
        let mut words = line.split_whitespace();
        if words.next() != Some("info") {
            return;
        }
        let mut score = None;
        let mut bound = false;
        let mut first_line = true;
        while let Some(word) = words.next() {
            match word {
                // Free text follows.
                "string" => return,
                "multipv" => first_line = words.next() == Some("1"),
                "lowerbound" | "upperbound" => bound = true,
                "nodes" => {
                    if let Some(nodes) = words.next().and_then(|text| text.parse().ok()) {
                        self.nodes = nodes;
                    }
                }
                "depth" => {
                    let depth = words.next().and_then(|text| text.parse().ok());
                    self.depth = depth.or(self.depth);
                }
                "score" => {
                    // A mate of USI may be told by its sign alone, without the number of moves.
                    score = match (words.next(), words.next()) {
                        (Some("cp"), Some(text)) => text.parse().ok().map(Score::Centipawns),
                        (Some("mate"), Some("+")) => Some(Score::Mate(1)),
                        (Some("mate"), Some("-")) => Some(Score::Mate(-1)),
                        (Some("mate"), Some(text)) => text.parse().ok().map(Score::Mate),
                        _ => None,
                    };
                }
                // A line of moves ends what is read.
                "pv" => break,
                _ => {}
            }
        }
        if score.is_some() && !bound && first_line {
            self.score = score;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_and_nodes_are_read_and_bounds_are_not() {
        let mut seen = Seen::default();
        seen.line("info depth 3 score cp -12 nodes 400 pv e2e4 score");
        assert_eq!(seen.depth, Some(3));
        assert_eq!(
            (seen.score, seen.nodes),
            (Some(Score::Centipawns(-12)), 400)
        );
        seen.line("info score cp 90 lowerbound nodes 500");
        assert_eq!(
            (seen.score, seen.nodes),
            (Some(Score::Centipawns(-12)), 500)
        );
        seen.line("info multipv 2 score cp 5");
        seen.line("info string score cp 99");
        seen.line("info score cp x nodes -1");
        seen.line("info score");
        assert_eq!(
            (seen.score, seen.nodes),
            (Some(Score::Centipawns(-12)), 500)
        );
        seen.line("info score mate -3");
        assert_eq!(seen.score, Some(Score::Mate(-3)));
        seen.line("info score mate +");
        assert_eq!(seen.score, Some(Score::Mate(1)));
    }

    #[test]
    fn only_shogi_programs_resign() {
        assert!(Protocol::Usi.resigns("resign"));
        assert!(!Protocol::Usi.resigns("win") && !Protocol::Uci.resigns("resign"));
    }

    #[test]
    fn clocks_are_told_with_the_first_player_s_time_first() {
        let ms = std::time::Duration::from_millis;
        let clock = |moves_to_go| {
            Limit::Clock(tuner_play::Clock {
                left: [ms(1500), ms(900)],
                increment: [ms(80), ms(160)],
                moves_to_go,
                margin: ms(20),
            })
        };
        let go = Protocol::Uci.go(clock(Some(7)));
        assert_eq!(go, "go wtime 1500 btime 900 winc 80 binc 160 movestogo 7");
        let go = Protocol::Usi.go(clock(None));
        assert_eq!(go, "go btime 1500 wtime 900 binc 80 winc 160");
    }

    #[test]
    fn protocols_have_names() {
        assert_eq!("usi".parse(), Ok(Protocol::Usi));
        assert!("UCI".parse::<Protocol>().is_err());
    }
}
