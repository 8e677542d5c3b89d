//! Scores in comments.

use shakmaty::Color;
use tuner_data::{MATE, Perspective, ScoreUnit, StatedScores};

/// The score of a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Score {
    /// In centipawns, White's view; a mate is [`MATE`] less the plies to it.
    pub(super) value: i32,
    /// Whether it is of the position after the move, and not of the one before.
    pub(super) is_of_next: bool,
    pub(super) spelling: Spelling,
}

/// How an `[%eval]` is written, which tells its unit where it is not stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spelling {
    /// The unit is stated, or it is one that is always the same, as behind `wv=`.
    Plain,
    /// With a point: in pawns.
    Pointed,
    /// A whole number without a depth, taken as centipawns: pawns where others of the game have
    /// a point.
    Whole,
}

/// Reads the score of a comment, as it is `stated` to be; where nothing is stated the way it is
/// written tells view and unit. One behind `wv=` is White's in pawns, whatever is stated.
///
/// `None` for other comments, and for `book`. `next` is who moves next, so that the other player
/// has made the move before the comment; `with_comma` is asked, only where it matters, whether
/// numbers of the game have a comma in the place of the point.
pub(super) fn score(
    comment: &[u8],
    next: Color,
    stated: StatedScores,
    with_comma: impl FnOnce() -> bool,
) -> Option<Score> {
    let text = comment.trim_ascii();
    let perspective = stated.perspective;
    // An engine's score with a depth, such as `+0.30/12`: if nothing is stated, in pawns as the
    // mover sees it. Most comments begin with one and need no search.
    let said = behind_commands(text);
    if matches!(
        said.first(),
        Some(b'+' | b'-' | b'.' | b'0'..=b'9' | b'M' | b'(')
    ) && let Some(number) = of_engine(said, stated.unit.is_some())
    {
        let value = number.centipawns(stated.unit.unwrap_or(ScoreUnit::Pawns));
        let value = of_white(value, next, perspective, Perspective::SideToMove);
        return Some(of_move(value));
    }
    if let Some(rest) = after_eval(text) {
        return of_evaluation(rest, next, stated, with_comma);
    }
    // TCEC's score, such as `wv=0.42`.
    let (number, _) = Number::read(after(text, b"wv=")?, b".,")?;
    Some(of_move(number.centipawns(ScoreUnit::Pawns)))
}

/// Reads the score, such as `0.17`, with which a text begins that follows `[%eval`. It is of the
/// position behind the move, and where nothing is stated White's, in pawns if it has a point, else
/// in centipawns. A whole number with a comma and a depth behind it, as in `30,14`, is of the
/// position before the move; but the comma is a point if `with_comma`, which is asked only then,
/// says that the game writes points so.
///
/// `next` is who moves behind the comment. `None` if it is not a number, or a letter or a second
/// point follows it: an exponent or a unit, which are not read.
fn of_evaluation(
    text: &[u8],
    next: Color,
    stated: StatedScores,
    with_comma: impl FnOnce() -> bool,
) -> Option<Score> {
    let (mut number, after) = Number::read(text, b".")?;
    if matches!(after, [b'.' | b'a'..=b'z' | b'A'..=b'Z', ..]) {
        return None;
    }
    let depth = after.trim_ascii_start().strip_prefix(b",");
    let depth = depth.map(<[u8]>::trim_ascii_start);
    let is_deep = !number.pointed && !number.mate && matches!(depth, Some([b'0'..=b'9', ..]));
    if is_deep && with_comma() {
        (number, _) = Number::read(text, b",")?;
    }
    let is_whole = !number.pointed && !number.mate;
    let usual = if is_whole {
        ScoreUnit::Centipawns
    } else {
        ScoreUnit::Pawns
    };
    let value = number.centipawns(stated.unit.unwrap_or(usual));
    let mut value = of_white(value, next, stated.perspective, Perspective::FirstPlayer);
    if is_whole && is_deep {
        return Some(of_move(value));
    }
    // Mate in n moves counted as 2n plies; it is 2n - 1 if the mating side is to move.
    if number.in_moves && (value > 0) == next.is_white() {
        value = (value + value.signum()).clamp(-MATE, MATE);
    }
    let spelling = match stated.unit {
        None if is_whole => Spelling::Whole,
        None if number.pointed => Spelling::Pointed,
        _ => Spelling::Plain,
    };
    Some(Score {
        value,
        is_of_next: true,
        spelling,
    })
}

/// Turns a score into White's view, from the view that is `stated`, or else the `usual` one of such
/// comments. In the view of the side to move it is that of the player who made the move before the
/// comment; `next` is the other, who moves behind it.
fn of_white(value: i32, next: Color, stated: Option<Perspective>, usual: Perspective) -> i32 {
    match stated.unwrap_or(usual) {
        Perspective::SideToMove if next.is_white() => -value,
        _ => value,
    }
}

/// Makes the score, in centipawns as White sees it, of the position before the move that the
/// comment follows. Its unit is certain.
fn of_move(value: i32) -> Score {
    Score {
        value,
        is_of_next: false,
        spelling: Spelling::Plain,
    }
}

/// Returns what follows the commands, such as `[%clk 0:05]`, that a comment begins with; `[%eval
/// …]` is not passed over.
fn behind_commands(comment: &[u8]) -> &[u8] {
    let mut text = comment.trim_ascii_start();
    // `[%eval` and white space would be the first bytes of the text, one more than the word has.
    while text.starts_with(b"[%") && after_eval(&text[..text.len().min(EVAL.len() + 1)]).is_none() {
        let Some(end) = memchr::memchr(b']', text) else {
            break;
        };
        text = text[end + 1..].trim_ascii_start();
    }
    text
}

/// Tells whether a comment of which no score could be read looks as if it had one: a command
/// `[%eval`, a word such as `eval` before a number, or a number that is written as scores are, with
/// a sign, a point, `cp` or a depth.
pub(super) fn looks_scored(comment: &[u8]) -> bool {
    let text = behind_commands(comment);
    if after(text, b"wv=").is_some() || after(text, b"eval=").is_some() {
        return true;
    }
    let has_command = |at| {
        let (word, rest) = comment[at..].split_at_checked(EVAL.len())?;
        Some(word.eq_ignore_ascii_case(EVAL) && !rest.first()?.is_ascii_alphabetic())
    };
    if memchr::memchr_iter(b'[', comment).any(|at| has_command(at) == Some(true)) {
        return true;
    }
    let text = match text {
        [b'(' | b'[', rest @ ..] => rest,
        _ => text,
    };
    let (name, value) = text.split_at(text.iter().take_while(|b| b.is_ascii_alphabetic()).count());
    if NAMES.iter().any(|known| name.eq_ignore_ascii_case(known)) {
        let is_between = |byte: &&u8| matches!(byte, b':' | b'=' | b' ');
        let value = &value[value.iter().take_while(is_between).count()..];
        // As in `score cp 30`, which UCI writes.
        let value = value.strip_prefix(b"cp ").unwrap_or(value);
        return Number::read(value, b".,").is_some();
    }
    // The minus sign or the dash of Unicode, which are never read as signs of a score: a number
    // behind one looks like a score that could not be read.
    let typeset = [&b"\xe2\x88\x92"[..], b"\xe2\x80\x93"];
    let typeset = typeset.iter().find_map(|sign| text.strip_prefix(*sign));
    let Some((number, rest)) = Number::read(typeset.unwrap_or(text), b".,") else {
        return false;
    };
    let is_signed = typeset.is_some() || matches!(text, [b'+' | b'-', ..]);
    // What is behind the number. A number without sign, point or unit may be anything else.
    match rest.trim_ascii_start() {
        // Nothing.
        [] => is_signed && number.pointed || number.mate,
        // A depth, as in `0.30/12`.
        [b'/', b'0'..=b'9', ..] => is_signed || number.pointed || number.mate,
        [b'c', b'p', ..] => true,
        // A depth in brackets, which is not read as a score's depth.
        [b'(', b'0'..=b'9', ..] if is_signed => true,
        // A depth or a time behind a blank, as in `+0.30 12`.
        [b'0'..=b'9', ..] => is_signed && (number.pointed || number.mate),
        // A depth that is set off in another way, as in `0.30 / 12`, `0.30|12` or `0.30 d12`.
        [
            b'/' | b'|' | b'@' | b'd' | b'(',
            b' ' | b'd' | b'0'..=b'9',
            ..,
        ] => number.pointed,
        _ => false,
    }
}

/// Words before numbers that are perhaps scores.
const NAMES: [&[u8]; 4] = [b"evaluation", b"eval", b"ev", b"score"];

/// Tells whether the numbers behind `[%eval` in a game have a comma in the place of the decimal
/// point, where it otherwise separates centipawns from a depth. A zero with a sign before the comma
/// shows it, or two digits behind it of which the first is 0, as no depth is written so.
pub(super) fn has_commas(game: &[u8]) -> bool {
    let mut rest = game;
    while let Some(text) = after_eval(rest) {
        let (_, after) = signed(text);
        let end = after.iter().take_while(|byte| byte.is_ascii_digit());
        if let (number, [b',', first @ b'0'..=b'9', second, ..]) = after.split_at(end.count()) {
            let is_signed_zero = number == b"0" && after.len() < text.len();
            if is_signed_zero || *first == b'0' && second.is_ascii_digit() {
                return true;
            }
        }
        rest = text;
    }
    false
}

/// Reads the score that an engine's comment begins with, perhaps behind text in parentheses. `None`
/// unless a depth follows, as in `+0.30/12`, and of a whole number if its unit is not stated
/// (`has_unit`), as a move's number or a result may be written so.
fn of_engine(mut text: &[u8], has_unit: bool) -> Option<Number> {
    if let Some(rest) = text.strip_prefix(b"(") {
        // WinBoard's move, or the principal variation.
        let end = rest.iter().position(|&byte| byte == b')')?;
        text = rest[end + 1..].trim_ascii_start();
    }
    let (number, rest) = Number::read(text, b".,")?;
    // A decimal point and a depth tell a score from other numbers. `1/2-1/2` would be a 1 of depth
    // 2.
    let deep = matches!(rest, [b'/', b'0'..=b'9', ..]);
    let whole = has_unit && !text.starts_with(b"1/2-1/2");
    (deep && (number.pointed || number.mate || whole)).then_some(number)
}

/// Returns what follows the first place of a word, if that is at the start of the comment or behind
/// a space, a line end, a comma or `{`; else `None`.
fn after<'a>(comment: &'a [u8], word: &[u8]) -> Option<&'a [u8]> {
    let at = memchr::memmem::find(comment, word)?;
    let starts = at == 0 || matches!(comment[at - 1], b' ' | b',' | b'\n' | b'\r' | b'{');
    starts.then_some(&comment[at + word.len()..])
}

const EVAL: &[u8] = b"[%eval";

/// Returns what follows the first command `[%eval` and white space, which may be the end of a line;
/// `None` without one.
fn after_eval(comment: &[u8]) -> Option<&[u8]> {
    memchr::memchr_iter(b'[', comment).find_map(|at| {
        let (word, rest) = comment[at..].split_at_checked(EVAL.len())?;
        let value = rest.trim_ascii_start();
        (word.eq_ignore_ascii_case(EVAL) && value.len() < rest.len()).then_some(value)
    })
}

/// A score as it is written.
#[derive(Clone, Copy, Debug)]
struct Number {
    /// Hundredths of the unit that it is written in; a mate is [`MATE`] less the plies, with its
    /// sign.
    hundredths: i32,
    /// Whether it has a decimal point.
    pointed: bool,
    mate: bool,
    /// Whether it is a mate in so many moves, not plies.
    in_moves: bool,
}

impl Number {
    /// Reads `+0.30`, `-1.2`, `.25`, `0`, `M5`, `-M5` or `#-3`, with one of `points` as the point;
    /// returns also what follows. A third digit behind the point rounds, others are passed over. A
    /// mate in more than 1,000 plies counts as one in 1,000, and a number that is too large for
    /// `i32` as the largest. `None` of other text, such as `+1.#INF`.
    fn read<'a>(text: &'a [u8], points: &[u8]) -> Option<(Self, &'a [u8])> {
        let (mut sign, mut rest) = signed(text);
        if let [mark @ (b'M' | b'm' | b'#'), after @ ..] = rest {
            let (second, after) = signed(after);
            (sign, rest) = (sign * second, after);
            let (count, rest) = digits(rest)?;
            // cutechess counts plies, lichess moves.
            let in_moves = *mark == b'#';
            let plies = count.saturating_mul(if in_moves { 2 } else { 1 });
            let mate = Self {
                hundredths: sign * (MATE - plies.min(1_000)),
                pointed: false,
                mate: true,
                in_moves,
            };
            return Some((mate, rest));
        }
        let whole = if matches!(rest, [b'.', b'0'..=b'9', ..]) {
            0
        } else {
            let (whole, after) = digits(rest)?;
            rest = after;
            whole
        };
        let mut hundredths = whole.saturating_mul(100);
        let mut pointed = false;
        // A comma without a digit behind it is not a point but separates; a point without one is a
        // mistake.
        if let [point, after @ ..] = rest
            && points.contains(point)
            && (*point == b'.' || after.first().is_some_and(u8::is_ascii_digit))
        {
            let (_, end) = digits(after)?;
            let places = &after[..after.len() - end.len()];
            let digit = |place: usize| places.get(place).map_or(0, |byte| i32::from(byte - b'0'));
            let third = i32::from(digit(2) >= 5);
            hundredths = hundredths.saturating_add(digit(0) * 10 + digit(1) + third);
            (rest, pointed) = (end, true);
        }
        let number = Self {
            hundredths: sign * hundredths,
            pointed,
            mate: false,
            in_moves: false,
        };
        Some((number, rest))
    }

    /// Returns the score in centipawns, if what is written is in this unit; fractions of a
    /// centipawn are rounded. Mates are 32,000 ([`MATE`]) less the plies in either unit. What is
    /// beyond 32,000 counts as that.
    fn centipawns(self, unit: ScoreUnit) -> i32 {
        let value = match unit {
            ScoreUnit::Centipawns if !self.mate => {
                let half = 50 * self.hundredths.signum();
                self.hundredths.saturating_add(half) / 100
            }
            _ => self.hundredths,
        };
        // Some engines write mates as 320 pawns and more.
        value.clamp(-MATE, MATE)
    }
}

/// Takes a sign from the beginning of a text: returns -1 for a minus, 1 for a plus or none, and the
/// text behind the sign.
fn signed(text: &[u8]) -> (i32, &[u8]) {
    match text {
        [b'-', rest @ ..] => (-1, rest),
        [b'+', rest @ ..] => (1, rest),
        _ => (1, text),
    }
}

/// Reads the number that a text begins with, or the largest `i32` if it is larger, and returns it
/// and what follows; `None` if no digit comes first.
fn digits(text: &[u8]) -> Option<(i32, &[u8])> {
    let end = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = text[..end].iter().fold(0_i32, |number, byte| {
        (number.saturating_mul(10)).saturating_add(i32::from(byte - b'0'))
    });
    (end > 0).then_some((number, &text[end..]))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn read(comment: &str, stated: StatedScores) -> Option<(bool, i32, Spelling)> {
        // Black has moved, so what is the mover's is turned.
        let found = score(comment.as_bytes(), Color::White, stated, || false)?;
        Some((found.is_of_next, found.value, found.spelling))
    }

    #[test]
    fn scores_are_read_with_their_view() {
        use Spelling::{Plain, Pointed, Whole};
        for (comment, expected) in [
            ("+0.30/12 0.5s", Some((false, -30, Plain))),
            (
                "-0.62/8 0.48s, White wins by adjudication",
                Some((false, 62, Plain)),
            ),
            ("0.00/1 0s", Some((false, 0, Plain))),
            ("+.25/9 1s", Some((false, -25, Plain))),
            ("+12.345/9 1s", Some((false, -1235, Plain))),
            ("+0.30000000000000004/12", Some((false, -30, Plain))),
            ("-99999999999.5/12", Some((false, MATE, Plain))),
            ("M99999999999/12", Some((false, 1000 - MATE, Plain))),
            ("[%eval 0.30000000000000004]", Some((true, 30, Pointed))),
            ("+M12/20 0.1s", Some((false, 12 - MATE, Plain))),
            ("-M3/20", Some((false, MATE - 3, Plain))),
            ("(Bf8-b4+) -0.10/12 3", Some((false, 10, Plain))),
            ("(b1c3) -0.01/8\n 7", Some((false, 1, Plain))),
            (" d=19, wv=0.42, ", Some((false, 42, Plain))),
            (
                "d=35, sd=84, pv=e5 h6, wv=-1.05, R50=50",
                Some((false, -105, Plain)),
            ),
            ("wv=-M7,", Some((false, -MATE + 7, Plain))),
            ("wv=M7,", Some((false, MATE - 7, Plain))),
            ("[%eval 0.17] [%clk 0:05]", Some((true, 17, Pointed))),
            ("[%clk 0:05] [%eval #-3]", Some((true, -MATE + 6, Plain))),
            ("[%eval #3]", Some((true, MATE - 5, Plain))),
            ("[%eval #0]", Some((true, MATE, Plain))),
            ("[%eval\n0.17]", Some((true, 17, Pointed))),
            ("[%EVAL \t .25]", Some((true, 25, Pointed))),
            (
                "(0.20 → 0.31) c5 was best. [%eval 0.31]",
                Some((true, 31, Pointed)),
            ),
            ("2nd best [%eval -0.25]", Some((true, -25, Pointed))),
            ("- a gambit [%eval -0.4]", Some((true, -40, Pointed))),
            (
                "M. Smith liked this [%eval -.3]",
                Some((true, -30, Pointed)),
            ),
            ("[%eval 0.25,20]", Some((true, 25, Pointed))),
            ("[%eval 23,14] [%emt 0:00:27]", Some((false, 23, Plain))),
            ("[%eval -17, 27]", Some((false, -17, Plain))),
            ("[%eval 40000,30]", Some((false, MATE, Plain))),
            ("[%eval -23]", Some((true, -23, Whole))),
            ("[%clk 1:00:00] +0.25/12 5s", Some((false, -25, Plain))),
            (
                "[%emt 0:05][%csl Ga1] (Nf3) M5/9",
                Some((false, 5 - MATE, Plain)),
            ),
            ("[%clk 0:05] [%eval 0.17] +0.3/9", Some((true, 17, Pointed))),
            ("[%clk +0.25/12", None),
            ("[%evaluated 3]", None),
            ("[%eval 1e2]", None),
            ("[%eval 0.3.4]", None),
            ("[%eval 30cp]", None),
            ("book", None),
            ("", None),
            ("0.30", None),
            ("+0.30 pawns", None),
            ("1/2-1/2", None),
            ("99999999999/3", None),
            ("20000000.00/3", Some((false, -MATE, Plain))),
            ("(never closed 0.3/4", None),
            ("+/3", None),
            ("adwv=1.0", None),
            ("+0,30/12", Some((false, -30, Plain))),
            ("wv=-1,05, d=3", Some((false, -105, Plain))),
            ("+30/12", None),
            ("1938.10.11", None),
        ] {
            assert_eq!(
                read(comment, StatedScores::default()),
                expected,
                "{comment}"
            );
        }
    }

    #[test]
    fn a_stated_view_and_unit_count() {
        let view = |perspective| StatedScores {
            perspective: Some(perspective),
            unit: None,
            ..StatedScores::default()
        };
        let white = view(Perspective::FirstPlayer);
        let mover = view(Perspective::SideToMove);
        assert_eq!(read("+0.30/12", white).unwrap().1, 30);
        assert_eq!(read("+0.30/12", mover).unwrap().1, -30);
        assert_eq!(read("[%eval -17,27]", mover).unwrap().1, 17);
        assert_eq!(read("[%eval 0.17]", mover).unwrap().1, -17);
        assert_eq!(read("[%eval #3]", mover).unwrap().1, -MATE + 6);
        assert_eq!(read("wv=0.42", mover).unwrap().1, 42, "White's, as it says");
        let unit = |unit| StatedScores {
            unit: Some(unit),
            ..StatedScores::default()
        };
        let spelled = Spelling::Plain;
        let pawns = unit(ScoreUnit::Pawns);
        assert_eq!(read("[%eval 3]", pawns), Some((true, 300, spelled)));
        assert_eq!(read("[%eval 3,20]", pawns), Some((false, 300, spelled)));
        let centipawns = unit(ScoreUnit::Centipawns);
        assert_eq!(read("[%eval 17.6]", centipawns), Some((true, 18, spelled)));
        assert_eq!(read("-31.0/7", centipawns), Some((false, 31, spelled)));
        let beyond = read("-99999999999/7", centipawns);
        assert_eq!(beyond, Some((false, MATE, spelled)));
        assert_eq!(read("+31/7 n=285", centipawns), Some((false, -31, spelled)));
        assert_eq!(read("-3/7", pawns), Some((false, 300, spelled)));
        assert_eq!(read("3/7", pawns), Some((false, -300, spelled)));
        assert_eq!(read("1/2-1/2 agreed", pawns), None);
    }

    #[test]
    fn a_comma_is_a_point_where_no_depth_can_follow() {
        for (game, comma) in [
            ("1. e4 {[%eval 0,23]} e5 {[%eval 1,17]}", false),
            ("1. e4 {[%eval 0,23]} e5 {[%eval -0,17]}", true),
            ("1. e4 {[%eval 0,23]} e5 {[%eval 1,05]}", true),
            ("1. e4 {[%eval 0.3] so, 05} e5 {-0,17}", false),
        ] {
            assert_eq!(has_commas(game.as_bytes()), comma, "{game}");
        }
        let read = |comment: &str| {
            score(
                comment.as_bytes(),
                Color::White,
                StatedScores::default(),
                || true,
            )
        };
        assert_eq!(read("[%eval 0,23]").unwrap().value, 23);
        assert!(read("[%eval -1,05]").unwrap().is_of_next);
    }

    #[test]
    fn what_looks_like_a_score_is_told() {
        for (comment, looks) in [
            ("+30/12 0.5s", true),
            ("(+0.30/12)", true),
            ("[%eval:0.23]", true),
            ("[%eval \u{2212}0.23]", true),
            ("wv = 0.3", false),
            ("d=3, wv=?", true),
            ("+0.30", true),
            ("+0.30 d12", true),
            ("0.30|d12", true),
            ("0.30 / 12", true),
            ("0.30 (12)", true),
            ("#3/20", true),
            ("(eval: 0.17)", true),
            ("\u{2212}0.30/12 1s", true),
            ("\u{2013}0.30/12", true),
            ("[%clk 0:05] +0.30", true),
            ("[%clk 0:05]", false),
            ("35 cp", true),
            ("-22cp, depth 12", true),
            ("score cp 31 depth 12", true),
            ("+35 (12)", true),
            ("+0.31 12", true),
            ("0.31@12", true),
            ("-#4 20", true),
            ("35 (12) moves", false),
            ("+1 for this", false),
            ("2 (3) Nf3", false),
            ("\u{2013} a gambit", false),
            ("ev=0.23, d=14", true),
            ("Score: +0.3", true),
            ("[%eval 1e2]", true),
            ("0.30", false),
            ("0.5 dollars", false),
            ("M. Smith", false),
            ("Even so 3", false),
            ("score", false),
            ("[%evaluated 3]", false),
            ("[%evp 0,3]", false),
            ("1/2-1/2 was agreed", false),
            ("12/3 1938", false),
            ("+- after 3. e5", false),
        ] {
            assert_eq!(looks_scored(comment.as_bytes()), looks, "{comment}");
        }
    }
}
