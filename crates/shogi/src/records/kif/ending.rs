//! Words that end games.

use super::words::number;
use crate::Color;
use crate::records::game::GameEnd;

/// Reads the word of KIF that is numbered behind the last move and says how the game ended, such as
/// 投了 (resigned); `us` is to move. `None` of words that end no game.
pub(super) fn word(word: &str, us: Color) -> Option<GameEnd> {
    // Resignation, mate; declaration of a win; lost on time, by a forbidden move, by default; won
    // by such; repetition; draws, by impasse or agreement; ends without result.
    Some(match word {
        "投了" | "詰み" | "詰" => GameEnd::won(!us),
        "入玉勝ち" | "入玉宣言勝ち" | "宣言勝ち" => GameEnd::won(us),
        "切れ負け" | "時間切れ" | "Time-up" | "反則負け" | "不戦敗" => {
            GameEnd::forfeited(!us)
        }
        "反則勝ち" | "不戦勝" => GameEnd::forfeited(us),
        "千日手" => GameEnd::Repetition,
        "持将棋" | "引き分け" | "引分け" => GameEnd::drawn(),
        "中断" | "封じ手" | "不詰" | "最大手数" => GameEnd::Unfinished,
        _ => return None,
    })
}

/// The content of the line まで: how many moves there are, and how it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Summary {
    pub(super) moves: u32,
    pub(super) ended: GameEnd,
}

/// Reads the line of KIF that sums the game up, such as まで85手で先手の勝ち (sente wins after 85 moves);
/// `us` is to move. `None` if it does not say how many moves there are, or how the game ended.
pub(super) fn summary(line: &str, us: Color) -> Option<Summary> {
    let (moves, rest) = number(line.strip_prefix("まで")?.trim_start())?;
    let rest = rest.strip_prefix('手')?;
    let rest = rest.strip_prefix('で').unwrap_or(rest);
    let rest = rest.trim_end_matches(['。', ' ', '　']);
    Some(Summary {
        moves,
        ended: how(rest, us)?,
    })
}

/// Reads how a game ended from the last part of the line that sums it up: a word such as 投了
/// (resigned), for which `us` is to move, or which side won or lost, and perhaps that it was on
/// time or by impasse. `None` of other words.
fn how(text: &str, us: Color) -> Option<GameEnd> {
    if let Some(ended) = word(text, us) {
        return Some(ended);
    }
    let late = text.strip_prefix("時間切れにより");
    let text = late.unwrap_or(text);
    let text = text.strip_prefix("入玉により").unwrap_or(text);
    // Sente's names, the second in handicap games, and gote's.
    let sides = [
        ("先手の", Color::Sente),
        ("下手の", Color::Sente),
        ("後手の", Color::Gote),
        ("上手の", Color::Gote),
    ];
    let mut named = sides.iter();
    let (text, side) = named.find_map(|(name, side)| Some((text.strip_prefix(name)?, *side)))?;
    Some(match text {
        "勝ち" | "勝" if late.is_some() => GameEnd::forfeited(side),
        "勝ち" | "勝" | "入玉勝ち" | "入玉宣言勝ち" => GameEnd::won(side),
        "反則勝ち" | "不戦勝" => GameEnd::forfeited(side),
        "反則負け" | "切れ負け" | "時間切れ負け" | "不戦敗" => {
            GameEnd::forfeited(!side)
        }
        _ => return None,
    })
}
