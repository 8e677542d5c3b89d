//! `POSITION c9 "1-0";`

use crate::Fault;
use crate::field::{self, Fields, POSITION, at_end, described, fault, outcome};

const OPERATION: &str = "an operation such as c9 \"1-0\"; after the position";

/// The results of games, which pgn-extract writes into another comment, without quotation marks.
const GAMES: [&str; 3] = ["1-0", "0-1", "1/2-1/2"];

/// The operations that hold results: c9 in zurichess' files and those made
/// after them, c2 in others.
const RESULTS: [&str; 2] = ["c9", "c2"];

/// Cuts a line of EPD: the position up to the first operation, and the operations that are known.
/// The result is that of `c9` or `c2`, else the first that is in another comment; where there is
/// neither, there must be a score, `ce`, which is the mover's. `hmvc` and `fmvn` are the clocks;
/// where only one is there, the other is 0 half-moves or move 1.
pub(super) fn fields(line: &str) -> Result<Fields<'_>, Fault> {
    let text = line.trim_ascii_end();
    let start = (text.match_indices(' ')).find(|(at, _)| is_operation(&text[at + 1..]));
    let Some((start, _)) = start else {
        // A line that begins with an operation has no position.
        if is_operation(text) {
            return Err(fault(line, &text[..0], POSITION));
        }
        return Err(at_end(line, "the end of the line", OPERATION));
    };
    let position = field::position(line, text[..start].trim_ascii())?;
    let mut found: Option<(&str, &str)> = None;
    let [mut idle, mut number, mut comment, mut scored] = [None; 4];
    let mut rest = &text[start..];
    while !rest.trim_ascii_start().is_empty() {
        let (operation, after) = operation(line, rest)?;
        let (opcode, operand) = operation;
        if RESULTS.contains(&opcode) {
            if let Some((other, _)) = found {
                let words = format!("a second result, {opcode} after {other}");
                return Err(described(line, opcode, words, "one result"));
            }
            found = Some((opcode, operand));
        }
        match opcode {
            "c0" | "c1" | "c3" | "c4" | "c5" if GAMES.contains(&operand) => {
                comment = comment.or(Some(operand));
            }
            // A score may be there twice if it is the same.
            "ce" if scored.is_some_and(|other| other != operand) => {
                return Err(described(line, opcode, "a second score", "one score"));
            }
            "ce" => scored = Some(operand),
            "hmvc" => idle = idle.or(Some(operand)),
            "fmvn" => number = number.or(Some(operand)),
            _ => {}
        }
        rest = after;
    }
    let mut fields = match found.map(|(_, operand)| operand).or(comment) {
        Some(operand) => Fields::new(position, operand, outcome(line, operand)?),
        None if scored.is_some() => Fields::unlabelled(position),
        None => return Err(at_end(line, "no c9 and no c2", OPERATION)),
    };
    if let Some(operand) = scored {
        fields.score = Some(field::score(line, operand)?);
    }
    fields.score_of_mover = true;
    let clocks =
        (idle.is_some() || number.is_some()).then(|| [idle.unwrap_or("0"), number.unwrap_or("1")]);
    Ok(Fields { clocks, ..fields })
}

/// Tells whether a line has an EPD operation, such as `bm e4`, behind a space.
pub(super) fn has_operations(line: &str) -> bool {
    line.match_indices(' ')
        .any(|(at, _)| is_operation(&line[at + 1..]))
}

/// The opcodes of the EPD standard (Edwards, "PGN Specification", section 16),
/// and those that test programs added; with them positions end.
const OPCODES: &str = " acd acn acs am bm c0 c1 c2 c3 c4 c5 c6 c7 c8 c9 ce dm draw_accept \
    draw_claim draw_offer draw_reject eco fmvn hmvc id nic noop pm ptp pv rc resign sm sv tcgs \
    tcri tcsi v0 v1 v2 v3 v4 v5 v6 v7 v8 v9 D1 D2 D3 D4 D5 D6 ";

/// Tells whether a text begins with a known EPD operation, such as `bm e4`.
fn is_operation(text: &str) -> bool {
    let opcode = text.split([' ', ';']).next().unwrap_or(text);
    let rest = &text[opcode.len()..];
    let known = !opcode.is_empty() && OPCODES.contains(&format!(" {opcode} "));
    // `c3` and `c6` may also be the en passant square of the position, which is why only a
    // quotation mark behind makes an operation of them.
    known && (!matches!(opcode, "c3" | "c6") || rest.trim_ascii_start().starts_with('"'))
}

/// Tells whether a word may be an opcode: a letter, and at most 14 letters, digits and `_`.
fn is_opcode(word: &str) -> bool {
    let of = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    word.len() <= 15 && word.bytes().all(of) && word.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// Takes one EPD operation, up to its semicolon, from `text`, a slice of `line`: returns opcode and
/// operand, the latter without quotation marks, and what follows the semicolon. Of several operands
/// the first is returned.
///
/// The last semicolon may be missing: so it is in the last lines of zurichess' quiet-labeled.epd.
fn operation<'a>(line: &str, text: &'a str) -> Result<((&'a str, &'a str), &'a str), Fault> {
    let text = text.trim_ascii_start();
    let opcode = text.split([' ', ';', '"']).next().unwrap_or(text);
    if opcode.is_empty() {
        return Err(fault(line, text, "the end of the line, or an operation"));
    }
    if !is_opcode(opcode) {
        return Err(Fault {
            cure: ONE_A_LINE.into(),
            ..fault(line, opcode, "the end of the line, or an operation")
        });
    }
    let operand = text[opcode.len()..].trim_ascii_start();
    let Some(quoted) = operand.strip_prefix('"') else {
        let (operand, after) = operand.split_once(';').unwrap_or((operand, ""));
        if RESULTS.contains(&opcode) {
            return Err(fault(line, operand, "a result in quotation marks"));
        }
        no_second(line, operand)?;
        return Ok(((opcode, operand.trim_ascii_end()), after));
    };
    let Some((operand, rest)) = quoted.split_once('"') else {
        let found = "an operand without closing quotation mark";
        return Err(described(line, quoted, found, OPERATION));
    };
    let rest = rest.trim_ascii_start();
    match rest.strip_prefix(';') {
        Some(after) => Ok(((opcode, operand), after)),
        None if rest.is_empty() => Ok(((opcode, operand), rest)),
        None if RESULTS.contains(&opcode) => Err(fault(line, rest, "a semicolon after the result")),
        // The operation has several operands; further ones, up to its semicolon, are passed over.
        None => {
            let (more, after) = rest.split_once(';').unwrap_or((rest, ""));
            no_second(line, more)?;
            Ok(((opcode, operand), after))
        }
    }
}

/// Fails if a word of `operands`, a slice of `line`, looks like a board, as it has seven slashes or
/// more. A line end is missing then, and the position of the next line follows.
fn no_second(line: &str, operands: &str) -> Result<(), Fault> {
    let mut words = operands.split_ascii_whitespace();
    let Some(board) = words.find(|word| word.matches('/').count() >= BOARD) else {
        return Ok(());
    };
    let expected = "the end of the line, or an operation";
    Err(Fault {
        cure: ONE_A_LINE.into(),
        ..described(line, board, "a second position", expected)
    })
}

/// Slashes between the ranks of a board, at least.
const BOARD: usize = 7;
const ONE_A_LINE: &str = "one position a line: put what follows into a line of its own";
