//! A game as text: PGN, or what its rules write instead.

use std::fmt::Write as _;

use super::clock::TimeControl;
use super::game::{GameEnd, Played};
use super::player::{PlayerFault, Score};
use tuner_game::rules::{Game, GameFile, PlayedGame, PlayedReason, Rules};

/// The values of the tags.
#[derive(Clone, Debug)]
pub(super) struct PgnTags<'a> {
    /// The event.
    pub(super) event: &'a str,
    /// The number of the game.
    pub(super) round: String,
    /// The first player, and the second.
    pub(super) players: [&'a str; 2],
    /// Where clocks run, those of the first player and the second.
    pub(super) controls: [Option<TimeControl>; 2],
}

/// Longest line of moves.
const WIDTH: usize = 80;

/// Returns a tag of a game, without the end of its line: `[Event "a \"match\""]`.
pub fn pgn_tag(name: &str, value: &str) -> String {
    let value = value.replace(['\n', '\r'], " ").replace('\\', "\\\\");
    format!("[{name} \"{}\"]", value.replace('"', "\\\""))
}

/// Writes a game that is over: `game` as it stands at its end, of which
/// `played` are the last moves, those before them being the opening; in the
/// words of [`Rules::write_record`] if the game has its own, else as PGN.
///
/// Scores are comments that begin as those of cutechess and fastchess: from the
/// side that moved, in pawns, mates in plies, a slash and the depth (0 where
/// the player does not tell); then the nodes. `Termination` holds cutechess'
/// words where a player was at fault, so that readers know such games.
pub(super) fn pgn<R: Rules + ?Sized>(
    tags: &PgnTags<'_>,
    game: &Game<'_, R>,
    played: &Played<R::Move>,
) -> String {
    let rules = game.rules();
    if let Some(text) = rules.write_record(game.start(), game.moves(), played.outcome) {
        return text;
    }
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| {
        // Writing to a text cannot fail.
        let _ = writeln!(text, "{}", pgn_tag(name, value));
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
    if let Some(variant) = rules.variant(game.start()) {
        tag("Variant", variant);
    }
    let start = rules.describe(game.start());
    if start != rules.describe(&rules.initial()) {
        tag("SetUp", "1");
        tag("FEN", &start);
    }
    tag("PlyCount", &game.moves().len().to_string());
    // Clocks that differ have two tags, with the names that cutechess gives them.
    let names = match tags.controls {
        [first, second] if first == second => &["TimeControl"][..],
        _ => &["WhiteTimeControl", "BlackTimeControl"],
    };
    for (name, control) in names.iter().zip(tags.controls) {
        if let Some(control) = control {
            tag(name, &control.to_string());
        }
    }
    tag("Termination", &ending(&played.end));
    text.push('\n');
    write_moves(&mut text, game, played, &result);
    text.push_str("\n\n");
    text
}

/// Appends the moves of a game to its PGN text, with their numbers, and behind them the `result`,
/// in lines of at most 80 bytes. `played`: the last moves of `game`; those before them are the
/// opening, and have no comments. A move whose player tells a score has one: `{+0.31/12 n=4567}`
/// with the score from the side that moved, the depth (0 where it is not told) and the nodes; where
/// clocks ran the seconds come before the nodes.
fn write_moves<R: Rules + ?Sized>(
    text: &mut String,
    game: &Game<'_, R>,
    played: &Played<R::Move>,
    result: &str,
) {
    let rules = game.rules();
    let mut line = Line::default();
    let mut position = game.start().clone();
    // Numbers count from where the game begins, as the tag FEN says.
    let before = usize::from(!rules.first_player_to_move(game.start()));
    // How many moves the opening has.
    let opening = game.moves().len() - played.plies.len().min(game.moves().len());
    for (ply, &m) in game.moves().iter().enumerate() {
        let white = rules.first_player_to_move(&position);
        let plies = ply + before;
        let number = plies / 2 + 1;
        if white {
            line.word(text, &format!("{number}."));
        } else if ply == 0 {
            line.word(text, &format!("{number}..."));
        }
        line.word(text, &rules.write_record_move(&position, m));
        if let Some(chosen) = ply.checked_sub(opening).and_then(|i| played.plies.get(i))
            && let Some(score) = chosen.score
        {
            let (score, depth) = (in_pawns(score), chosen.depth.unwrap_or(0));
            // Where clocks ran, seconds as cutechess and fastchess write them.
            let time = chosen.time.map(|t| format!(" {:.3}s,", t.as_secs_f64()));
            let (time, nodes) = (time.unwrap_or_default(), chosen.nodes);
            line.word(text, &format!("{{{score}/{depth}{time} n={nodes}}}"));
        }
        rules.play(&mut position, m);
    }
    line.word(text, result);
}

/// Writes a game that is over as a file of its own: in the notation that programs for people read
/// ([`Rules::write_file`]), or as PGN. `game` is as it is at its end, and `played` are its moves
/// after the opening.
pub(super) fn game_file<R: Rules + ?Sized>(
    tags: &PgnTags<'_>,
    game: &Game<'_, R>,
    played: &Played<R::Move>,
) -> GameFile {
    let reason = match &played.end {
        GameEnd::Rules(reason) => PlayedReason::Rules(*reason),
        GameEnd::Resigned | GameEnd::Adjudicated | GameEnd::TooLong => PlayedReason::Agreed,
        GameEnd::Fault { fault, .. } => match fault {
            PlayerFault::Resigned => PlayedReason::Agreed,
            PlayerFault::Silent(_) | PlayerFault::Late(_) => PlayedReason::Time,
            PlayerFault::Ended(_) | PlayerFault::Unusable(_) | PlayerFault::Illegal(_) => {
                PlayedReason::Forfeit
            }
        },
    };
    let written = game.rules().write_file(&PlayedGame {
        start: game.start(),
        moves: game.moves(),
        players: tags.players,
        outcome: played.outcome,
        reason,
    });
    written.unwrap_or_else(|| GameFile {
        ending: "pgn",
        text: pgn(tags, game, played),
    })
}

/// Returns the value of the PGN tag `Termination`: why the game is over, and where a player was at
/// fault, which one.
fn ending(end: &GameEnd) -> String {
    match end {
        GameEnd::Fault { first, fault } => {
            let side = if *first { "first" } else { "second" };
            let words = match fault {
                PlayerFault::Silent(_) | PlayerFault::Late(_) => "time forfeit",
                PlayerFault::Ended(_) | PlayerFault::Unusable(_) => "abandoned",
                PlayerFault::Illegal(_) => "illegal move",
                PlayerFault::Resigned => "resignation",
            };
            format!("{words} by the {side} player")
        }
        other => other.to_string(),
    }
}

/// Writes a score as comments of PGN have it: in pawns, `+0.31`, or a mate in plies, `+M7`. A
/// player's mate is counted in moves: 2n − 1 plies for a mate in n moves, 2n for being mated.
fn in_pawns(score: Score) -> String {
    match score {
        Score::Centipawns(score) => format!("{:+.2}", f64::from(score) / 100.0),
        Score::Mate(moves) if moves > 0 => format!("+M{}", 2 * i64::from(moves) - 1),
        Score::Mate(moves) => format!("-M{}", 2 * i64::from(moves).abs()),
    }
}

/// Breaks lines between words. The number is the length of the last line, in bytes.
#[derive(Default)]
struct Line(usize);

impl Line {
    /// Appends a word to `text`, behind a space, or in a new line where the last one would be
    /// longer than 80 bytes. `self.0` is the length of the last line.
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
