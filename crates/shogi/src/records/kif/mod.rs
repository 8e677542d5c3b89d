//! Games in the Japanese notations KIF and KI2.
//!
//! *Accepts* one game a file, in UTF-8 or Shift_JIS (Microsoft's cp932); start
//! positions by name (手合割) or as a diagram with hands and side to move;
//! moves of KIF with their origin, `７六歩(77)`, and of KI2 without,
//! `▲７六歩 △３四歩`, with 打, 成, 不成 and the words that tell pieces apart (右
//! 左 直 上 行 寄 引 入); promoted pieces by one sign or two; digits of any
//! width; comments `*`, bookmarks `&`, lines `#`; any heads `…：…`.
//!
//! *Positions* are those in which a move was played, of the main line alone:
//! from the first 変化 on nothing is read. A game's key is a fingerprint of its
//! bytes up to there.
//!
//! *Results* are those of the word behind the last move, or of the line まで…:
//!
//! | word | result |
//! |---|---|
//! | 投了, 詰み | the side to move lost |
//! | 入玉勝ち | the side to move won, by declaration |
//! | 切れ負け, Time-up, 反則負け, 不戦敗 | the side to move lost, a forfeit |
//! | 反則勝ち, 不戦勝 | the side to move won, a forfeit |
//! | 千日手 | a draw; if it was perpetual check, the rules say who lost |
//! | 持将棋, 引き分け | a draw |
//! | 中断, 封じ手, 不詰 | none: counted, no position read |
//! | まで…手で先手の勝ち | as it says |
//! | nothing | none, unless the side to move is mated |
//!
//! Where both are there they must agree, and まで must count the moves. An
//! illegal last move is not played if 反則 says that the side that made it lost.
//! Problems, in which sente has no king, are not games: they count as games
//! without result, and their moves are not tried.
//!
//! *Rejects* with the place: moves that are not legal or could be several,
//! moves with a number that does not follow, unknown lines, endings and
//! handicaps, diagrams that are not a position, a second game, bytes of neither
//! encoding.
//!
//! *Scores* come from comments, as [`score`](super::score) says.
//!
//! *Ignores* the number of moves above a diagram (plies count from there),
//! names, times, and other comments.

mod ending;
mod head;
mod reader;
mod resolve;
mod text;
mod words;

use tuner_data::{RecordUnit, Records, lines};

use crate::Position;
pub(super) use text::Text;

/// Games in KIF; the [module](self) says what is accepted.
pub(crate) const KIF: Records<Position> = Records {
    name: "kif",
    pattern: "lines 手合割：平手 and 1 ７六歩(77)",
    unit: RecordUnit::Games,
    takes_stated: true,
    recognises: |first, _| matches!(dialect(first), Some(Dialect::Kif | Dialect::Either)),
    cut: |_| None,
    count: lines::count,
    parse: &reader::read,
};

/// Games in KI2, which are read as those in KIF; it gives the format its name.
pub(crate) const KI2: Records<Position> = Records {
    name: "ki2",
    pattern: "▲７六歩 △３四歩",
    recognises: |first, _| dialect(first) == Some(Dialect::Ki2),
    ..KIF
};

/// The notation that a text looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    Kif,
    Ki2,
    /// Either: only heads that both notations have were found.
    Either,
}

/// Recognises whether a text is in KIF or KI2 by its first line that is a move or is the title
/// above the moves, else by fields before the moves, which both have; `None` if it is of neither
/// notation, or cannot be decoded.
fn dialect(first: &[u8]) -> Option<Dialect> {
    let mut heads = false;
    for (_, line) in text::Text::new(first).lines() {
        let line = line.ok()?;
        let line = line.trim();
        if line.starts_with(words::is_mark) {
            return Some(Dialect::Ki2);
        }
        if line.starts_with("手数--") || words::numbered(line).is_some() {
            return Some(Dialect::Kif);
        }
        heads |= line.starts_with("#KIF") || head::is_known(line);
    }
    heads.then_some(Dialect::Either)
}

#[cfg(test)]
mod tests;
