//! The tag `TimeControl`.

/// Moves that times are compared by: what lichess takes for the length of a game.
const MOVES: f64 = 40.0;

/// Reads how many seconds a player has for 40 moves, by the first period:
/// `40/7200`, `300+3`, `40/10+0.1`, `180`, `*60`; `0.1/move` as cutechess writes
/// it. `None` for `?`, `-` and whatever else.
pub(super) fn seconds(text: &str) -> Option<f64> {
    let text = text.trim();
    if let Some(each) = text.strip_suffix("/move") {
        return Some(number(each.trim_end_matches('s'))? * MOVES);
    }
    let mut periods = text.split(':');
    let first = periods.next()?.trim_start_matches('*');
    let (moves, time) = match first.split_once('/') {
        Some((moves, time)) => (number(moves).filter(|moves| *moves > 0.0)?, time),
        // A time for all moves is the last period, so that a colon behind it means minutes and
        // seconds, which are not read.
        None if periods.next().is_some() => return None,
        None => (MOVES, first),
    };
    let (time, increment) = match time.split_once('+') {
        Some((time, increment)) => (time, number(increment)?),
        None => (time, 0.0),
    };
    Some(number(time)? * MOVES / moves + increment * MOVES)
}

/// Reads a number of digits and at most one point; `None` of other text.
fn number(text: &str) -> Option<f64> {
    let is_part = |byte: u8| byte.is_ascii_digit() || byte == b'.';
    let number: f64 = text.parse().ok()?;
    (text.bytes().all(is_part) && number.is_finite()).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_of_forty_moves() {
        for (text, expected) in [
            ("300+3", Some(420.0)),
            ("180", Some(180.0)),
            ("40/7200:20/3600:900+30", Some(7200.0)),
            ("20/60", Some(120.0)),
            ("40/10+0.5", Some(30.0)),
            ("0.5/move", Some(20.0)),
            ("0.50s/move", Some(20.0)),
            ("*60", Some(60.0)),
            ("?", None),
            ("-", None),
            ("", None),
            ("0/60", None),
            ("1:30+2", None),
            ("-5", None),
            ("1e9", None),
            ("inf", None),
            (".", None),
            ("300+", None),
        ] {
            assert_eq!(seconds(text), expected, "{text}");
        }
    }
}
