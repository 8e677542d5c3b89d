//! A game as KIF writes it.

use std::fmt::Write as _;

use tuner_game::Outcome;
use tuner_game::rules::{EndReason, PlayedGame, PlayedReason};

use crate::handicaps;
use crate::signs::{KANJI, WIDE, name, sign};
use crate::{Color, Hand, Move, Position, Setup, Square};

/// Writes a game that is over in KIF, in UTF-8, with its start by name or as a diagram, so that
/// this library and others read it again.
///
/// An end that KIF has a word for, such as a resignation, gets a line of its own behind the last
/// move. If a side has won, but for repetitions, a last line that begins with まで says which.
pub(crate) fn write(played: &PlayedGame<'_, Position, Move>) -> String {
    let mut text = "#KIF version=2.0 encoding=UTF-8\n".to_owned();
    start(&mut text, played.start);
    for (side, player) in [("先手", played.players[0]), ("後手", played.players[1])] {
        let player = player.replace(char::is_control, " ");
        line(&mut text, &format!("{side}：{player}"));
    }
    line(&mut text, "手数----指手---------消費時間--");
    let mut position = *played.start;
    let mut last = None;
    for (number, &m) in played.moves.iter().enumerate() {
        let words = in_words(&position, m, last);
        let number = number + 1;
        line(&mut text, &format!("{number:4} {words}   ( 0:00/00:00:00)"));
        last = Some(m.to());
        position.play(m);
    }
    end(&mut text, played, position.turn());
    text
}

/// Appends words and a line end to a text.
fn line(text: &mut String, words: &str) {
    // Writing to a text cannot fail.
    let _ = writeln!(text, "{words}");
}

/// Appends the start of a game to a text of KIF: its name, if it is the usual one or a handicap,
/// else the hands, a diagram and the side to move.
fn start(text: &mut String, position: &Position) {
    if let Some(name) = handicaps::name(&Setup::from(position)) {
        return line(text, &format!("手合割：{name}"));
    }
    let in_hand = |side, color| format!("{side}の持駒：{}", hand(position.hand(color)));
    line(text, &in_hand("後手", Color::Gote));
    line(text, "  ９ ８ ７ ６ ５ ４ ３ ２ １");
    line(text, "+---------------------------+");
    let cell = |square| match position.piece_at(square) {
        None => " ・".to_owned(),
        Some(piece) => format!("{}{}", [" ", "v"][piece.color.index()], sign(piece.kind)),
    };
    for rank in 1..=9 {
        let cells = (1..=9).rev().filter_map(|file| Square::new(file, rank));
        let cells: String = cells.map(cell).collect();
        line(text, &format!("|{cells}|{}", nth(KANJI, rank)));
    }
    line(text, "+---------------------------+");
    line(text, &in_hand("先手", Color::Sente));
    line(text, ["先手番", "後手番"][position.turn().index()]);
}

/// Writes the pieces in hand in Japanese, each kind with its count if there are several, with wide
/// blanks between: `飛二　歩十八`, or `なし` (none).
fn hand(hand: Hand) -> String {
    let words = hand.pieces().map(|(kind, count)| {
        let ten = if count >= 10 { "十" } else { "" };
        let ones = match count % 10 {
            0 => String::new(),
            1 if count == 1 => String::new(),
            ones => nth(KANJI, ones).to_string(),
        };
        format!("{}{ten}{ones}", sign(kind))
    });
    let words: Vec<String> = words.collect();
    if words.is_empty() {
        return "なし".to_owned();
    }
    words.join("　")
}

/// Returns a move as KIF writes it: square, piece, `成` if it promotes, and in brackets the file and
/// rank that it comes from, as in `７六歩(77)` and `２二角成(88)`. A drop is `５五角打`. To the square `last`,
/// to which the move before went, it is `同　歩(76)`, with a wide blank.
fn in_words(position: &Position, m: Move, last: Option<Square>) -> String {
    let to = m.to();
    let square = if last == Some(to) {
        "同　".to_owned()
    } else {
        let signs = [nth(WIDE, to.file()), nth(KANJI, to.rank())];
        signs.iter().collect()
    };
    // A legal move always has a piece.
    let piece = m.dropped().or_else(|| position.moved(m)).map_or("", name);
    match m.from() {
        None => format!("{square}{piece}打"),
        Some(from) => {
            let promotes = if m.promotes() { "成" } else { "" };
            let (file, rank) = (from.file(), from.rank());
            format!("{square}{piece}{promotes}({file}{rank})")
        }
    }
}

/// Returns the sign of a digit from 0 to 9, of which `digits` are the ten signs; `?` of a greater
/// number.
fn nth(digits: &str, digit: u8) -> char {
    digits.chars().nth(usize::from(digit)).unwrap_or('?')
}

/// Appends to a text of KIF the word that ends the game, numbered behind the last move, and a line
/// that begins with まで and says after how many moves which side won. `us` would be to move. Of
/// draws and repetitions the word says all, and there is no such line. There is no word where a
/// side lost on time, gave up or was adjudicated a loss although it was not its turn: KIF has none.
fn end(text: &mut String, played: &PlayedGame<'_, Position, Move>, us: Color) {
    let moves = played.moves.len();
    let winner = match played.outcome {
        Outcome::Win => Some(Color::Sente),
        Outcome::Draw => None,
        Outcome::Loss => Some(Color::Gote),
    };
    let we_lost = winner == Some(!us);
    // Mate; declaration of a win by impasse; repetition; draw by impasse, which is taken for every
    // other draw; lost on time; lost by a forbidden move; won by that of the other; resignation,
    // which is taken for every other loss of the side to move.
    let word = match (played.reason, winner) {
        (PlayedReason::Rules(EndReason::CHECKMATE), _) => Some("詰み"),
        (PlayedReason::Rules(EndReason::IMPASSE), _) => Some("入玉勝ち"),
        (PlayedReason::Rules(EndReason::REPETITION | EndReason::PERPETUAL_CHECK), _) => {
            Some("千日手")
        }
        (_, None) => Some("持将棋"),
        (PlayedReason::Time, _) if we_lost => Some("切れ負け"),
        (PlayedReason::Forfeit, _) if we_lost => Some("反則負け"),
        (PlayedReason::Forfeit, _) => Some("反則勝ち"),
        _ if we_lost => Some("投了"),
        _ => None,
    };
    if let Some(word) = word {
        line(text, &format!("{:4} {word}   ( 0:00/00:00:00)", moves + 1));
    }
    let side = match winner {
        Some(Color::Sente) => "先手",
        Some(Color::Gote) => "後手",
        None => return,
    };
    let won = match word {
        Some("千日手") => return,
        Some("入玉勝ち") => "入玉勝ち",
        Some("反則負け" | "反則勝ち") => "反則勝ち",
        // The other side's time ran out.
        _ if played.reason == PlayedReason::Time => {
            return line(text, &format!("まで{moves}手で時間切れにより{side}の勝ち"));
        }
        _ => "勝ち",
    };
    line(text, &format!("まで{moves}手で{side}の{won}"));
}
