//! Filters by what a record tells of its game.

use super::Filter;
use crate::{GameDate, GameTags};

/// Bounds that belong to the range, either of which may be missing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FilterRange<T> {
    /// The least, if there is one.
    pub from: Option<T>,
    /// The most, if there is one.
    pub to: Option<T>,
}

impl<T: PartialOrd> FilterRange<T> {
    /// Tells whether a value is in the range, to which its bounds belong; a missing bound excludes
    /// nothing.
    pub fn contains(&self, value: &T) -> bool {
        let above = self.from.as_ref().is_none_or(|from| value >= from);
        above && self.to.as_ref().is_none_or(|to| value <= to)
    }
}

/// Games that are taken; by default all.
#[derive(Clone, Copy, Debug, Default)]
pub struct GameFilters<'a> {
    /// Both players' least rating.
    pub min_rating: Option<u32>,
    /// A part of the name of one of the players, in any case of ASCII letters.
    pub player: Option<&'a str>,
    /// A part of the event's name, in any case of ASCII letters.
    pub event: Option<&'a str>,
    /// The days on which the games were played.
    pub dates: Option<FilterRange<GameDate>>,
    /// Seconds that a player has for 40 moves.
    pub seconds: Option<FilterRange<f64>>,
}

/// Whether a filter leaves a position out: outer `None` if it is not asked for,
/// inner `None` if the input does not tell.
pub(super) type Judged = Option<Option<bool>>;

impl GameFilters<'_> {
    /// Tells whether a filter of games leaves out a game with these tags: outer `None` if the
    /// filter is not asked for, or is a filter of single positions; inner `None` if the tags do not
    /// tell what it needs.
    pub(super) fn judged(&self, filter: Filter, tags: Option<&GameTags>) -> Judged {
        let nothing = GameTags::default();
        let tags = tags.unwrap_or(&nothing);
        match filter {
            Filter::Rating => (self.min_rating)
                .map(|least| either(tags.ratings.map(|rating| Some(rating? < least)))),
            Filter::Player => self.player.map(|part| {
                let named = |name: &Option<Box<str>>| Some(has(name.as_deref()?, part));
                either(tags.players.each_ref().map(named)).map(|found| !found)
            }),
            Filter::Event => (self.event).map(|part| Some(!has(tags.event.as_deref()?, part))),
            Filter::Date => (self.dates).map(|range| outside(tags.date?, range)),
            Filter::TimeControl => {
                (self.seconds).map(|range| Some(!range.contains(&tags.seconds?)))
            }
            _ => None,
        }
    }
}

/// Tells whether at least one of two statements is true, each `None` if that is not known; `None`
/// if the answer depends on one that is not known.
fn either(of: [Option<bool>; 2]) -> Option<bool> {
    match of {
        [Some(true), _] | [_, Some(true)] => Some(true),
        [Some(false), Some(false)] => Some(false),
        _ => None,
    }
}

/// Tells whether `part` is in `name`, ASCII letters in any case. An empty part is in every name.
fn has(name: &str, part: &str) -> bool {
    let mut windows = name.as_bytes().windows(part.len().max(1));
    part.is_empty() || windows.any(|window| window.eq_ignore_ascii_case(part.as_bytes()))
}

/// Tells whether a date is outside a range; `None` if one of the days that it
/// may be is inside and another is not.
fn outside(date: GameDate, range: FilterRange<GameDate>) -> Option<bool> {
    let days = FilterRange {
        from: range.from.map(GameDate::first_day),
        to: range.to.map(GameDate::last_day),
    };
    let (first, last) = (date.first_day(), date.last_day());
    let never = days.from.is_some_and(|from| last < from) || days.to.is_some_and(|to| first > to);
    let always = days.contains(&first) && days.contains(&last);
    (never || always).then_some(never)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn tags() -> GameTags {
        GameTags {
            players: [Some("Stockfish 16".into()), Some("Lc0".into())],
            ratings: [Some(3500), Some(3400)],
            event: Some("TCEC Season 25".into()),
            date: GameDate::parse("2023.10.??"),
            seconds: Some(360.0),
        }
    }

    fn judge(filters: GameFilters<'_>, tags: &GameTags) -> Option<bool> {
        let all = Filter::ALL.into_iter();
        let mut asked = all.filter_map(|filter| filters.judged(filter, Some(tags)));
        let found = asked.next().unwrap();
        assert!(asked.next().is_none(), "one filter at a time");
        found
    }

    #[test]
    fn ratings_are_those_of_both() {
        let by = |least, ratings| {
            let filters = GameFilters {
                min_rating: Some(least),
                ..GameFilters::default()
            };
            judge(filters, &GameTags { ratings, ..tags() })
        };
        assert_eq!(by(3400, [Some(3500), Some(3400)]), Some(false));
        assert_eq!(by(3401, [Some(3500), Some(3400)]), Some(true));
        assert_eq!(by(3401, [None, Some(3400)]), Some(true));
        assert_eq!(by(3401, [Some(3500), None]), None);
        assert_eq!(by(1, [None, None]), None);
    }

    #[test]
    fn names_are_found_in_parts() {
        let by = |part, players| {
            let filters = GameFilters {
                player: Some(part),
                ..GameFilters::default()
            };
            judge(filters, &GameTags { players, ..tags() })
        };
        assert_eq!(by("stockfish", tags().players), Some(false));
        assert_eq!(by("LC0", tags().players), Some(false));
        assert_eq!(by("komodo", tags().players), Some(true));
        assert_eq!(by("a name longer than each", tags().players), Some(true));
        assert_eq!(by("komodo", [None, Some("Lc0".into())]), None);
        assert_eq!(by("lc0", [None, Some("Lc0".into())]), Some(false));
        let event = |part, event: Option<&str>| {
            let filters = GameFilters {
                event: Some(part),
                ..GameFilters::default()
            };
            let event = event.map(Box::from);
            judge(filters, &GameTags { event, ..tags() })
        };
        assert_eq!(event("tcec", Some("TCEC Season 25")), Some(false));
        assert_eq!(event("ccrl", Some("TCEC Season 25")), Some(true));
        assert_eq!(event("ccrl", None), None);
    }

    #[test]
    fn days_that_are_not_told_are_judged_where_all_agree() {
        let by = |from: &str, to: &str, date: &str| {
            let dates = FilterRange {
                from: GameDate::parse(from),
                to: GameDate::parse(to),
            };
            let filters = GameFilters {
                dates: Some(dates),
                ..GameFilters::default()
            };
            let date = GameDate::parse(date);
            judge(filters, &GameTags { date, ..tags() })
        };
        assert_eq!(by("2023", "2023", "2023.10.??"), Some(false));
        assert_eq!(by("2023.10.31", "", "2023.10.??"), None);
        assert_eq!(by("2023.11", "", "2023.10.??"), Some(true));
        assert_eq!(by("", "2023.09", "2023.10.??"), Some(true));
        assert_eq!(by("", "2023.10", "2023.10.05"), Some(false));
        assert_eq!(by("2023", "", ""), None);
        assert_eq!(by("2023.10.05", "2023.10.06", "2023.10.??"), None);
    }

    #[test]
    fn times_are_in_the_range_or_not() {
        let by = |from, to, seconds| {
            let range = FilterRange { from, to };
            let filters = GameFilters {
                seconds: Some(range),
                ..GameFilters::default()
            };
            judge(filters, &GameTags { seconds, ..tags() })
        };
        assert_eq!(by(Some(360.0), Some(360.0), Some(360.0)), Some(false));
        assert_eq!(by(Some(361.0), None, Some(360.0)), Some(true));
        assert_eq!(by(None, Some(359.0), Some(360.0)), Some(true));
        assert_eq!(by(None, Some(359.0), None), None);
    }
}
