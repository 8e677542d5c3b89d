//! Scores in comments, as programs write them.
//!
//! | behind the mark of a comment | written by | of the position |
//! |---|---|---|
//! | `* 30 -3334FU` | floodgate, CSA 3 | before the move |
//! | `*評価値=30`, `*詰み=先手勝ち:5手` | ShogiHome, of a player | before the move |
//! | `#評価値=30`, `#形勢[30]` | ShogiHome, K-Shogi, of an analysis | after it |
//! | `*対局 … 評価値 30 …` | ShogiGUI, of a player | before the move |
//! | `*解析 … 評価値 30 読み筋 ▲…` | ShogiGUI and others, of an analysis | where the line begins |
//!
//! All are sente's, in centipawns, but where they are stated to be otherwise. *Mates* are `M5`,
//! `#5`, `mate 5` and `+詰 5`, in plies.

use tuner_data::{MATE, Perspective, ScoreUnit, StatedScores, signed};

use crate::Color;

/// The score of a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Score {
    /// In centipawns; mates as [`MATE`] says.
    pub(super) value: i32,
    /// Whether it is of the position after the move, and not of the one before.
    pub(super) is_of_next: bool,
    /// Whether it is the side to move's, and not sente's.
    pub(super) is_movers: bool,
}

/// A comment that looks as if it had a score that is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unread;

/// What a message says behind the count of comments whose scores are not read.
pub(super) const CURE: &str = "write them as `** 30` or `**評価値=30`, mates as `** M5`, sente's; \
                               with a point, give --score-unit";

/// Plies to a mate of unknown length, and the most that count.
const LONGEST: u32 = 1_000;

/// Reads the score of a line of a comment, which comes without the mark of the comment. These forms
/// are read: `* 30` of floodgate and CSA 3; `*評価値=30` and `*詰み=先手勝ち:5手` of ShogiHome, with `#` in
/// place of `*` if it is of an analysis; `#形勢[30]` and `#指し手[30]`; `*対局 … 評価値 30 …` of ShogiGUI,
/// and `*解析 …` of its analysis.
///
/// `mover` made the last move, `None` before the first, where every score is of the position in
/// which that follows; `stated` is whose view and which unit options state, else sente's in
/// centipawns. `None` for a line without a score; an error for one that seems to have one, in a
/// form that says too little.
pub(super) fn score(
    line: &str,
    mover: Option<Color>,
    stated: StatedScores,
) -> Result<Option<Score>, Unread> {
    let line = narrow(line);
    let line = line.trim_end();
    // Scores of programs have a second mark `*` or `#` behind the one that makes the line a
    // comment.
    let marked = line.strip_prefix(['*', '#']);
    // A line that begins with `*` and no blank, and is not of an analysis, has the score of the
    // player who made the last move, and is of the position before that move.
    let is_player = line.starts_with('*') && !line.starts_with("* ") && !is_analysis(line);
    // What is returned without a score: an error if the comment looks as if it had one.
    let without = |looks: bool| if looks { Err(Unread) } else { Ok(None) };
    let of = |value, is_next: bool| {
        let perspective = stated.perspective.unwrap_or(Perspective::FirstPlayer);
        Ok(Some(Score {
            value,
            is_of_next: is_next || mover.is_none(),
            is_movers: perspective == Perspective::SideToMove,
        }))
    };
    // 評価値 (evaluation) before a number: a score if it is behind a mark, and `=` or the like
    // separates the two. Without a mark the line may look as if it had a score.
    if let Some((before, rest)) = line.split_once("評価値") {
        let value = rest.trim_start_matches(['=', ':', ' ', '\t']);
        let is_separate = value.len() < rest.len();
        if marked.is_none() || !is_separate {
            let looks = is_separate && begins_number(value) || is_judgement(line.trim_start());
            return without(marked.is_none() && looks);
        }
        let Some((value, first)) = evaluation(before, value, stated.unit)? else {
            return Ok(None);
        };
        // The variation behind the score begins with a move of `first`, who is to move in the
        // position that the score is of.
        let is_next = !is_player && first.is_none_or(|first| Some(first) != mover);
        return of(value, is_next);
    }
    let Some(text) = marked else {
        return without(is_judgement(line.trim_start()));
    };
    // A mate, and which side gives it. As the side is named, the score is sente's, whatever options
    // state.
    if let Some(rest) = text.strip_prefix("詰み=") {
        let found = of(mate_of_side(rest)?, !is_player)?;
        return Ok(found.map(|score| Score {
            is_movers: false,
            ..score
        }));
    }
    // A number in brackets: of the position behind the move (形勢) or before it (指し手).
    let bracket = text.strip_prefix("形勢[").map(|rest| (rest, true));
    let bracket = bracket.or_else(|| text.strip_prefix("指し手[").map(|rest| (rest, false)));
    if let Some((rest, is_next)) = bracket.filter(|_| line.starts_with('#')) {
        return match number(rest, stated.unit) {
            Some((value, rest)) if rest.starts_with(']') => of(value, is_next),
            _ => Err(Unread),
        };
    }
    // A number right behind the mark `*`; behind `#` it may be anything.
    let text = text.trim_start();
    if line.starts_with('#') || !begins_number(text) {
        return Ok(None);
    }
    match number(text, stated.unit) {
        Some((value, rest)) if rest.is_empty() || rest.starts_with([' ', '\t']) => of(value, false),
        // A number that begins a sentence, as in `*30手目`, is no score.
        Some((_, rest)) if !rest.starts_with(|c: char| c.is_ascii()) => Ok(None),
        _ => Err(Unread),
    }
}

/// Reads the score behind the word 評価値 (evaluation) and its separator, with which `text` begins.
/// Returns it in centipawns, and the side whose sign comes first behind it, ▲ for sente or △ for
/// gote; programs write it before each move of a variation. `before` is the part of the line before
/// the word.
///
/// `None` if the line is of another move than the best one. An error if it is not a number, or if
/// `before` ends with 後手 (gote): a score that is named gote's may be in gote's view or in sente's.
fn evaluation(
    before: &str,
    text: &str,
    unit: Option<ScoreUnit>,
) -> Result<Option<(i32, Option<Color>)>, Unread> {
    if is_further_candidate(before) {
        return Ok(None);
    }
    if before.trim_end_matches(['の', ' ']).ends_with("後手") {
        return Err(Unread);
    }
    let (value, rest) = number(text, unit).ok_or(Unread)?;
    let first = rest.chars().find_map(|sign| match sign {
        '▲' | '☗' => Some(Color::Sente),
        '△' | '☖' => Some(Color::Gote),
        _ => None,
    });
    Ok(Some((value, first)))
}

/// Reads the score of a mate, as sente sees it, of which a text says who gives it and perhaps in
/// how many plies: `先手勝ち:5手` (sente wins) or `後手勝ち` (gote wins). An error if it is neither.
fn mate_of_side(text: &str) -> Result<i32, Unread> {
    let (sign, rest) = match (text.strip_prefix("先手勝ち"), text.strip_prefix("後手勝ち"))
    {
        (Some(rest), _) => (1, rest),
        (_, Some(rest)) => (-1, rest),
        _ => return Err(Unread),
    };
    let plies = rest.strip_prefix(':').and_then(digits);
    Ok(mate(sign, plies.map(|(plies, _)| plies)))
}

/// Returns the score of a mate in so many plies, 32,000 ([`MATE`]) less these, for sente if `sign`
/// is 1, for gote if it is -1. A mate of unknown length (`None`) counts as the longest, 1,000
/// plies.
fn mate(sign: i32, plies: Option<u32>) -> i32 {
    sign * (MATE - plies.unwrap_or(LONGEST).min(LONGEST).cast_signed())
}

/// Replaces wide letters, digits, signs and blanks, and the minus sign, by those of ASCII.
fn narrow(line: &str) -> String {
    let narrow = |c: char| match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        '\u{2212}' => '-',
        '\u{3000}' => ' ',
        _ => c,
    };
    line.chars().map(narrow).collect()
}

/// Tells whether a line of a comment is one that ShogiGUI writes of an analysis, and not of a
/// player.
fn is_analysis(line: &str) -> bool {
    ["*解析", "*検討"].iter().any(|word| line.starts_with(word))
}

/// Tells whether a line of a comment in no known form seems to have a score: it is a number,
/// perhaps in brackets, or has a word on who is better, or a player, and a number with a sign or a
/// point.
fn is_judgement(line: &str) -> bool {
    let text = line.trim_start_matches(['(', '[']);
    let text = text.trim_end_matches([')', ']', ' ']);
    let (_, number) = signed(text);
    let mut units = ["cp", "点"].iter();
    let bare = units.find_map(|unit| number.strip_suffix(unit));
    let number = bare.unwrap_or(number).trim_end();
    let is_part = |byte: u8| byte.is_ascii_digit() || byte == b'.';
    let is_number = number.starts_with(|c: char| c.is_ascii_digit()) && number.bytes().all(is_part);
    let words = "互角 有利 優勢 勝勢 不利 形勢 評価 先手 後手 ▲ △ ☗ ☖";
    // A sign or a point before a digit, where it is not part of a date or a range.
    let is_signed = |part: &[u8]| {
        (part[1] == b'.' || matches!(part[1], b'+' | b'-') && !part[0].is_ascii_digit())
            && part[2].is_ascii_digit()
    };
    // Three bytes at a time; the blank is in front of a sign with which the line begins.
    is_number
        || words.split(' ').any(|word| line.contains(word))
            && format!(" {line}").as_bytes().windows(3).any(is_signed)
}

/// Tells whether a line is of another move than the best one: if there is a number above 1 behind
/// 候補 (candidate).
fn is_further_candidate(text: &str) -> bool {
    let number = text.split_once("候補").and_then(|(_, rest)| digits(rest));
    number.is_some_and(|(number, _)| number > 1)
}

/// Tells whether text begins like a number or a mate: `30`, `-M5`, `M-5`, `mate 5`, `mate`, `+詰`. 詰
/// (mate) is a usual word, and looks like a score only behind a sign.
fn begins_number(text: &str) -> bool {
    let (_, rest) = signed(text);
    if let Some(rest) = rest.strip_prefix("mate") {
        return rest.is_empty() || rest.starts_with([' ', '+', '-']);
    }
    let rest = (rest.strip_prefix(['M', '#'])).map_or(rest, |rest| signed(rest).1);
    rest.starts_with(|c: char| c.is_ascii_digit())
        || rest.len() < text.len() && rest.starts_with('詰')
}

/// Reads the number or the mate that a text begins with, in centipawns (mates are 32,000, [`MATE`],
/// less the plies), and returns it and what follows. `unit` is what options state; without it
/// numbers are centipawns. Thousands may be apart by commas, as in `1,234`. `None` if it is
/// neither, has a point while no unit is stated, or continues as something else, such as a time.
fn number(text: &str, unit: Option<ScoreUnit>) -> Option<(i32, &str)> {
    let (sign, rest) = signed(text);
    if let Some(rest) = rest.strip_prefix('詰') {
        let rest = rest.strip_prefix('み').unwrap_or(rest).trim_start();
        let (plies, rest) = digits(rest).map_or((None, rest), |(plies, rest)| (Some(plies), rest));
        // Without a sign it is not known whose it is.
        let is_signed = text.starts_with(['+', '-']);
        return is_signed.then(|| (mate(sign, plies), rest));
    }
    let mark = ["M", "#", "mate"];
    if let Some(rest) = mark.iter().find_map(|mark| rest.strip_prefix(mark)) {
        let (second, rest) = signed(rest.trim_start());
        let (plies, rest) = match digits(rest) {
            Some((plies, rest)) => (Some(plies), rest),
            None if rest.is_empty() || rest.starts_with(' ') => (None, rest),
            None => return None,
        };
        return Some((mate(sign * second, plies), rest));
    }
    let (mut whole, mut rest) = digits(rest)?;
    while let Some((thousands, after)) = rest.strip_prefix(',').and_then(digits)
        && rest.len() - after.len() == ",000".len()
    {
        (whole, rest) = (whole.checked_mul(1000)?.checked_add(thousands)?, after);
    }
    let mut value = f64::from(whole);
    if let Some(after) = rest.strip_prefix('.') {
        let end = after.trim_start_matches(|c: char| c.is_ascii_digit());
        // Without a unit a number with a point may be pawns or centipawns.
        unit?;
        value += rest[..rest.len() - end.len()].parse::<f64>().ok()?;
        rest = end;
    }
    if unit == Some(ScoreUnit::Pawns) {
        value *= 100.0;
    }
    if rest.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '%' | '.' | ':')) {
        return None;
    }
    // Some engines write mates as greater numbers.
    let value = value.round().min(f64::from(MATE)) as i32;
    Some((sign * value, rest))
}

/// Reads the number of digits that a text begins with, and returns it and what follows. `None` if
/// no digit comes first, or it is too large.
fn digits(text: &str) -> Option<(u32, &str)> {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = text[..text.len() - rest.len()].parse().ok()?;
    Some((number, rest))
}
