//! Words and signs of the notations.

use crate::signs::{KANJI, PIECES, WIDE};
use crate::{Color, PieceType, Square};

/// A move as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WrittenMove {
    /// Where to; `None` for 同, where the last move went.
    pub(super) to: Option<Square>,
    pub(super) kind: PieceType,
    pub(super) drop: bool,
    /// Whether the piece promotes: true for 成, false for 不成, `None` if neither is written.
    pub(super) promotes: Option<bool>,
    /// Where from, in KIF.
    pub(super) from: Option<Square>,
    /// The hints that tell pieces apart, in KI2.
    pub(super) hints: Vec<Hint>,
}

/// A word that tells apart the pieces that could make a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hint {
    Right,
    Left,
    /// 直, straight forward.
    Straight,
    /// 上, 行 or 入.
    Forward,
    Sideways,
    Back,
}

/// Reads the Japanese name of a piece with which a text begins, and returns the kind and what
/// follows. `None` if it begins with no such name.
pub(super) fn kind(text: &str) -> Option<(PieceType, &str)> {
    (PIECES.iter()).find_map(|(name, kind)| Some((*kind, text.strip_prefix(name)?)))
}

/// Reads a digit of any width, or a Japanese one; `None` of other signs.
pub(super) fn digit(c: char) -> Option<u8> {
    let among = |digits: &str| digits.chars().position(|digit| digit == c);
    let value = c.to_digit(10).map(|digit| digit as usize);
    let value = value.or_else(|| among(WIDE)).or_else(|| among(KANJI));
    value.map(|digit| digit as u8)
}

/// Reads the number of ASCII or wide digits with which a text begins, and returns it and what
/// follows. `None` if no digit comes first, or it is too large.
pub(super) fn number(text: &str) -> Option<(u32, &str)> {
    let digit = |c: char| digit(c).filter(|_| !KANJI.contains(c));
    let end = text.find(|c| digit(c).is_none()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    let add = |number: u32, c: char| number.checked_mul(10)?.checked_add(u32::from(digit(c)?));
    let number = digits.chars().try_fold(0, add)?;
    (end > 0).then_some((number, rest))
}

/// Reads the count of pieces in hand, in Japanese digits, `十八`, or in others, `18`; empty text
/// means one. `None` if it is no count.
pub(super) fn count(text: &str) -> Option<u8> {
    if text.is_empty() {
        return Some(1);
    }
    match text.strip_prefix('十') {
        Some("") => Some(10),
        Some(rest) => Some(10 + single(rest)?),
        None => single(text).or_else(|| {
            let (number, rest) = number(text)?;
            (rest.is_empty() && number > 0).then(|| u8::try_from(number).ok())?
        }),
    }
}

/// Reads a text of one digit, which is not 0; `None` of other text.
fn single(text: &str) -> Option<u8> {
    let mut chars = text.chars();
    let digit = digit(chars.next()?).filter(|digit| *digit > 0);
    digit.filter(|_| chars.next().is_none())
}

/// Reads a line of KIF that begins with the number of a move, `12 ７六歩(77)`: returns the number and
/// what follows. `None` of other lines.
pub(super) fn numbered(line: &str) -> Option<(u32, &str)> {
    let line = line.trim_start();
    // The line above a diagram, which numbers its files, begins with wide digits.
    let (number, rest) = number(line).filter(|_| line.starts_with(|c: char| c.is_ascii_digit()))?;
    let word = rest.trim_start();
    (word.len() < rest.len() && !word.is_empty()).then_some((number, word))
}

/// Tells whether a sign marks a move of KI2, as ▲ and △ do.
pub(super) const fn is_mark(c: char) -> bool {
    marked(c).is_some()
}

/// Returns whose move a sign such as ▲ or △ before it says it is; `None` of other signs.
pub(super) const fn marked(c: char) -> Option<Color> {
    match c {
        '▲' | '☗' | '▼' => Some(Color::Sente),
        '△' | '☖' | '▽' => Some(Color::Gote),
        _ => None,
    }
}

/// Reads the move of KIF or KI2 with which a text begins: target, piece, then in any order whether
/// it is a drop or promotes, its origin, and hints which piece it is. Returns it and what follows;
/// `None` if the text does not begin with a move.
pub(super) fn written(text: &str) -> Option<(WrittenMove, &str)> {
    let (to, rest) = if let Some(rest) = text.strip_prefix('同') {
        (None, rest.trim_start())
    } else {
        let mut chars = text.chars();
        let square = Square::new(digit(chars.next()?)?, digit(chars.next()?)?)?;
        (Some(square), chars.as_str().trim_start())
    };
    let (kind, mut rest) = kind(rest)?;
    let mut written = WrittenMove {
        to,
        kind,
        drop: false,
        promotes: None,
        from: None,
        hints: Vec::new(),
    };
    loop {
        let mut chars = rest.chars();
        match chars.next() {
            Some('打') => written.drop = true,
            Some('成') => written.promotes = Some(true),
            Some('不') if chars.next() == Some('成') => written.promotes = Some(false),
            Some('生') => written.promotes = Some(false),
            Some('(' | '（') => {
                let origin = (digit(chars.next()?)?, digit(chars.next()?)?);
                if !matches!(chars.next()?, ')' | '）') {
                    return None;
                }
                // Some write a drop as a move from 00.
                match origin {
                    (0, 0) => written.drop = true,
                    (file, rank) => written.from = Some(Square::new(file, rank)?),
                }
            }
            Some(c) if hint(c).is_some() => written.hints.extend(hint(c)),
            _ => return Some((written, rest)),
        }
        rest = chars.as_str();
    }
}

/// Reads a sign, such as 右 (right), that tells apart the pieces that could make a move; `None` of
/// other signs.
const fn hint(c: char) -> Option<Hint> {
    Some(match c {
        '右' => Hint::Right,
        '左' => Hint::Left,
        '直' => Hint::Straight,
        '上' | '行' | '入' => Hint::Forward,
        '寄' => Hint::Sideways,
        '引' => Hint::Back,
        _ => return None,
    })
}
