//! A game as text: PGN, or what its rules write instead.

use std::fmt::Write as _;

use super::game::{End, Played};
use super::player::Score;
use crate::rules::{Game, Rules};

/// What the tags say.
#[derive(Clone, Debug)]
pub struct PgnTags<'a> {
    /// The event.
    pub event: &'a str,
    /// The number of the game.
    pub round: String,
    /// The first player, and the second.
    pub players: [&'a str; 2],
}

/// Longest line of moves.
const WIDTH: usize = 80;

/// Writes a game that is over: `game` as it stands at its end, of which
/// `played` are the last moves, those before them being the opening; in the
/// words of [`Rules::write_record`] if the game has its own, else as PGN.
///
/// Scores are comments as cutechess and fastchess write them: from the side
/// that moved, in pawns, with the nodes.
pub fn pgn<R: Rules>(tags: &PgnTags<'_>, game: &Game<'_, R>, played: &Played<R::Move>) -> String {
    let rules = game.rules();
    if let Some(text) = rules.write_record(game, played.outcome) {
        return text;
    }
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| {
        let value: String = value.replace(['\n', '\r'], " ").replace('\\', "\\\\");
        // Writing to a text cannot fail.
        let _ = writeln!(text, "[{name} \"{}\"]", value.replace('"', "\\\""));
    };
    let [first, second] = tags.players;
    tag("Event", tags.event);
    tag("Site", "?");
    tag("Date", "????.??.??");
    tag("Round", &tags.round);
    tag("White", first);
    tag("Black", second);
    let result = played.outcome.to_string();
    tag("Result", &result);
    let start = rules.describe(game.start());
    if start != rules.describe(&rules.initial()) {
        tag("SetUp", "1");
        tag("FEN", &start);
    }
    tag("PlyCount", &game.moves().len().to_string());
    tag("Termination", &ending(&played.end));
    text.push('\n');
    let mut line = Line::default();
    let mut position = game.start().clone();
    let opening = game.moves().len() - played.plies.len().min(game.moves().len());
    for (ply, &m) in game.moves().iter().enumerate() {
        let white = rules.first_player_to_move(&position);
        // Numbers count from where the game begins, as the tag FEN says.
        let moves = if rules.first_player_to_move(game.start()) {
            ply / 2
        } else {
            ply.div_ceil(2)
        };
        let number = moves + 1;
        if white {
            line.word(&mut text, &format!("{number}."));
        } else if ply == 0 {
            line.word(&mut text, &format!("{number}..."));
        }
        line.word(&mut text, &rules.write_record_move(&position, m));
        if let Some(chosen) = ply.checked_sub(opening).and_then(|i| played.plies.get(i))
            && let Some(score) = chosen.score
        {
            line.word(
                &mut text,
                &format!("{{{} {}}}", in_pawns(score), chosen.nodes),
            );
        }
        rules.play(&mut position, m);
    }
    line.word(&mut text, &result);
    text.push_str("\n\n");
    text
}

fn ending(end: &End) -> String {
    match end {
        End::Fault { first, fault } => {
            let side = if *first { "first" } else { "second" };
            format!("{} of the {side} player", fault.word())
        }
        other => other.to_string(),
    }
}

fn in_pawns(score: Score) -> String {
    match score {
        Score::Centipawns(score) => format!("{:+.2}", f64::from(score) / 100.0),
        Score::Mate(moves) if moves > 0 => format!("+M{moves}"),
        Score::Mate(moves) => format!("-M{}", moves.unsigned_abs()),
    }
}

/// Breaks lines between words.
#[derive(Default)]
struct Line(usize);

impl Line {
    fn word(&mut self, text: &mut String, word: &str) {
        if self.0 > 0 && self.0 + 1 + word.len() > WIDTH {
            text.push('\n');
            self.0 = 0;
        } else if self.0 > 0 {
            text.push(' ');
            self.0 += 1;
        }
        text.push_str(word);
        self.0 += word.len();
    }
}
