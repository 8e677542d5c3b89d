//! Time for a whole game, and what is left of it.

use std::str::FromStr;
use std::time::Duration;

use super::player::Limit;

/// How much time a side has for a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeControl {
    /// At the start.
    pub base: Duration,
    /// Added after each move.
    pub increment: Duration,
    /// `base` is added again after so many moves of a side; `None` or 0: never.
    pub moves: Option<u32>,
    /// How late a move may be without losing the game: what passing it on takes, and
    /// what the machine does in between.
    pub margin: Duration,
}

/// The time that is left to both sides when one is asked for a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// The first player's time and the second's.
    pub left: [Duration; 2],
    /// Added after each move, of the first player and of the second.
    pub increment: [Duration; 2],
    /// Moves of the side to move before it gets more time; `None`: it never gets more.
    pub moves_to_go: Option<u32>,
    /// How late the move may be.
    pub margin: Duration,
}

/// A day: no game takes longer.
const LONGEST: f64 = 86_400.0;

impl FromStr for TimeControl {
    type Err = String;

    /// Reads `BASE`, `BASE+INCREMENT` or `MOVES/BASE+INCREMENT`, in seconds; the base also as
    /// `MINUTES:SECONDS`, with less than 60 seconds. Base and increment are a day each at most, and
    /// a millisecond together at least, as without time there is no game. The margin is 0.
    fn from_str(text: &str) -> Result<Self, String> {
        let read = || -> Option<Self> {
            let (moves, rest) = match text.split_once('/') {
                Some((moves, rest)) => (Some(moves.parse().ok().filter(|&n| n > 0)?), rest),
                None => (None, text),
            };
            let (base, increment) = rest.split_once('+').unwrap_or((rest, "0"));
            let base = match base.split_once(':') {
                Some((minutes, rest)) => {
                    let minutes: u32 = minutes.parse().ok()?;
                    let rest = seconds(rest).filter(|&rest| rest < 60.0)?;
                    f64::from(minutes) * 60.0 + rest
                }
                None => seconds(base)?,
            };
            let increment = seconds(increment)?;
            let whole = base <= LONGEST && increment <= LONGEST && base + increment >= 0.001;
            whole.then(|| Self {
                base: Duration::from_secs_f64(base),
                increment: Duration::from_secs_f64(increment),
                moves,
                margin: Duration::ZERO,
            })
        };
        read().ok_or_else(|| {
            format!(
                "found {text:?}, expected a time control such as 8+0.08 (seconds and increment), \
                 40/60+0.6 (for each 40 moves) or 5:00+3"
            )
        })
    }
}

/// Reads a number of seconds: digits, perhaps with a point. `None` for any other text, also for
/// such as `1e3`, which a float may be written as.
fn seconds(text: &str) -> Option<f64> {
    let plain = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    text.parse().ok().filter(|_| plain)
}

tuner_base::impl_fmt! {
/// Writes `BASE`, `BASE+INCREMENT` or `MOVES/BASE+INCREMENT` in seconds, without the margin.
Display for TimeControl, |self, f| {
    if let Some(moves) = self.moves {
        write!(f, "{moves}/")?;
    }
    let [base, increment] = [self.base, self.increment].map(|time| time.as_secs_f64());
    write!(f, "{base}")?;
    if increment > 0.0 {
        write!(f, "+{increment}")?;
    }
    Ok(())
} }

/// The clocks of a game, of the first player and the second.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clocks {
    controls: [TimeControl; 2],
    /// Time that is left, and moves that were made.
    left: [Duration; 2],
    moves: [u32; 2],
}

impl Clocks {
    /// Makes the clocks of a game at its start. `controls`: of the first player and the second.
    pub(super) fn new(controls: [TimeControl; 2]) -> Self {
        Self {
            controls,
            // A game without base begins with the first increment on the clock.
            left: controls.map(|control| match control.base {
                Duration::ZERO => control.increment,
                base => base,
            }),
            moves: [0; 2],
        }
    }

    /// Returns the limit that a side (0: the first player) is told before its move: the clocks of
    /// both sides, and how many moves it has to make before its base time is added again, if that
    /// ever happens.
    pub(super) fn limit(&self, side: usize) -> Limit {
        let control = &self.controls[side];
        let period = control.moves.filter(|&period| period > 0);
        let moves_to_go = period.map(|period| period - self.moves[side] % period);
        Limit::Clock(Clock {
            left: self.left,
            increment: self.controls.map(|control| control.increment),
            moves_to_go,
            margin: control.margin,
        })
    }

    /// Takes the time of a move off a side's clock (0: the first player), and adds the increment,
    /// and the base time after each so many moves, if the time control has such periods. The error
    /// is how late the move came, where that is more than the margin; the clock stays as it is
    /// then.
    pub(super) fn spend(&mut self, side: usize, time: Duration) -> Result<(), Duration> {
        let control = &self.controls[side];
        let left = self.left[side];
        if let Some(late) = time.checked_sub(left)
            && late > control.margin
        {
            return Err(late);
        }
        self.moves[side] += 1;
        self.left[side] = left.saturating_sub(time) + control.increment;
        let ends_period = |period: u32| self.moves[side].is_multiple_of(period);
        if control.moves.is_some_and(ends_period) {
            self.left[side] += control.base;
        }
        Ok(())
    }
}

impl Clock {
    /// Returns a time for this move alone, for a player that does not manage its own: an even share
    /// of what is left, and three quarters of the increment, but at most half of what is left. The
    /// share is that of the moves before time is added again, 40 at most, or of 25 moves if none is
    /// ever added; two more are kept in reserve. `first_player`: whether it is the first player's
    /// move.
    pub fn share(&self, first_player: bool) -> Duration {
        let side = usize::from(!first_player);
        let (left, increment) = (self.left[side], self.increment[side]);
        let moves = self.moves_to_go.unwrap_or(25).clamp(1, 40) + 2;
        (left / moves + increment * 3 / 4).min(left / 2)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn time_controls_are_written_as_they_are_read() {
        for (text, base, increment, moves) in [
            ("8+0.08", 8_000, 80, None),
            ("40/60+0.6", 60_000, 600, Some(40)),
            ("10", 10_000, 0, None),
            ("0.5", 500, 0, None),
            ("0+0.1", 0, 100, None),
        ] {
            let control: TimeControl = text.parse().unwrap();
            assert_eq!(control.base.as_millis(), base);
            assert_eq!(control.increment.as_millis(), increment);
            assert_eq!(control.moves, moves);
            assert_eq!(control.to_string(), text);
        }
        let minutes: TimeControl = "5:30+3".parse().unwrap();
        assert_eq!(minutes.to_string(), "330+3");
        for text in [
            "", "+", "0", "0+0", "8+", "-8", "8+-1", "1e3", "inf", "nan", "0/8", "x/8", "5:60",
            "5:", "8+0.08+1", "999999", "8,5", " 8",
        ] {
            assert!(text.parse::<TimeControl>().is_err(), "{text}");
        }
    }

    #[test]
    fn clocks_run_for_who_moves_and_periods_begin_anew() {
        let mut control: TimeControl = "2/1+0.1".parse().unwrap();
        control.margin = Duration::from_millis(20);
        let ms = Duration::from_millis;
        let mut clocks = Clocks::new([control; 2]);
        let told = |clocks: &Clocks, side| match clocks.limit(side) {
            Limit::Clock(clock) => (clock.left.map(|t| t.as_millis()), clock.moves_to_go),
            _ => ([0; 2], None),
        };
        assert_eq!(told(&clocks, 0), ([1000, 1000], Some(2)));
        clocks.spend(0, ms(400)).unwrap();
        assert_eq!(told(&clocks, 1), ([700, 1000], Some(2)));
        assert_eq!(told(&clocks, 0), ([700, 1000], Some(1)));
        // 15 ms late, within the margin: the clock stood at 0.
        clocks.spend(0, ms(715)).unwrap();
        assert_eq!(told(&clocks, 0), ([1100, 1000], Some(2)));
        assert_eq!(clocks.spend(1, ms(1021)), Err(ms(21)));
    }

    #[test]
    fn a_period_of_no_moves_is_none() {
        let control = TimeControl {
            base: Duration::from_secs(1),
            moves: Some(0),
            ..TimeControl::default()
        };
        let mut clocks = Clocks::new([control; 2]);
        clocks.spend(0, Duration::from_millis(100)).unwrap();
        let left = [Duration::from_millis(900), Duration::from_secs(1)];
        assert!(matches!(clocks.limit(0), Limit::Clock(clock)
            if clock.left == left && clock.moves_to_go.is_none()));
    }

    #[test]
    fn a_game_of_increments_alone_can_begin() {
        let mut clocks = Clocks::new(["0+0.1".parse().unwrap(); 2]);
        clocks.spend(0, Duration::from_millis(90)).unwrap();
        assert!(matches!(clocks.limit(0), Limit::Clock(clock)
            if clock.left == [Duration::from_millis(110), Duration::from_millis(100)]
                && clock.share(true) < Duration::from_millis(110)));
    }
}
