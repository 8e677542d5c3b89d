//! Which positions are taken, and why others are not.

use std::cell::LazyCell;

use super::game_filters::{FilterRange, GameFilters, Judged};
use crate::{AnyGame, AnyPosition, MATE, Outcome, Sample};

/// A static score and that of a quiescence search, both the side to move's;
/// `None` if the search gave none.
pub type QuietLook<'a> = dyn Fn(&AnyPosition) -> Option<[i32; 2]> + Sync + 'a;

/// The filters of positions: each field says which positions are left out. By default nothing is.
///
/// Where an input does not tell something that a filter needs (a move, a score, a ply), the
/// position stays in, and is counted.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a filter of its own")]
pub struct Filters<'a> {
    /// Positions with fewer half-moves before them.
    pub opening_plies: Option<u32>,
    /// Positions in check.
    pub in_check: bool,
    /// Positions that a capture or promotion led to.
    pub last_tactical: bool,
    /// Positions in which a capture or promotion was played, or is best.
    pub next_tactical: bool,
    /// Positions whose search score is a mate, or above this, in centipawns.
    pub most_score: Option<i32>,
    /// Positions whose search score says the opposite of the result by so many
    /// centipawns; of a draw, that somebody is better by so many.
    pub against_result: Option<i32>,
    /// Positions after more half-moves without progress.
    pub most_idle: Option<u32>,
    /// Positions with fewer half-moves to the end of the game.
    pub plies_left: Option<u32>,
    /// Positions of games that ended otherwise than by the moves.
    pub forfeits: bool,
    /// Positions whose static score and quiescence score differ by more than
    /// so many centipawns.
    pub quiet: Option<i32>,
    /// Positions whose search score and quiescence score differ by more than so
    /// many centipawns.
    pub against_quiescence: Option<i32>,
    /// Positions in which a move of an opening book was played.
    pub book: bool,
    /// Positions with other numbers of pieces on the board.
    pub pieces: Option<FilterRange<u32>>,
    /// Positions with other material on the board, in hundredths of the least
    /// piece, both players' together.
    pub material: Option<FilterRange<i32>>,
    /// Positions of other games than these.
    pub games: GameFilters<'a>,
}

/// Defines [`Filter`]: each reason with its option and which positions it leaves out.
macro_rules! filters {
    ($($(#[$doc:meta])* $filter:ident $name:literal $which:literal,)*) => {
        /// Why a position is left out; the first reason that holds, in this order.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Filter {
            $($(#[$doc])* $filter,)*
        }

        impl Filter {
            /// All reasons, in their order.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$filter),*];

            /// Returns the name, without dashes, of the option that asks for this filter.
            pub const fn name(self) -> &'static str {
                [$($name),*][self as usize]
            }

            /// Returns which positions this filter leaves out, in words behind "positions".
            const fn which(self) -> &'static str {
                [$($which),*][self as usize]
            }
        }
    };
}

filters! {
    /// Too few half-moves before.
    Opening "opening-plies" "in the opening",
    /// The game ended otherwise than by the moves.
    Forfeit "forfeits" "of games that ended otherwise than by the moves",
    /// A player's rating is too low.
    Rating "min-rating" "of games with a lower rated player",
    /// Neither player is the one asked for.
    Player "player" "of games of other players",
    /// Another event.
    Event "event" "of other events",
    /// Played on another day.
    Date "dates" "of games of other dates",
    /// Played with more or less time.
    TimeControl "time-control" "of games with another time control",
    /// The move played here came from a book.
    Book "book" "in which a book's move was played",
    /// In check.
    Check "in-check" "in check",
    /// A capture or promotion led here.
    LastMove "last-move" "after a capture or promotion",
    /// A capture or promotion was played here, or is best.
    BestMove "best-move" "whose move or best move captures or promotes",
    /// A mate, or a large score.
    Score "max-score" "with a mate or a large score",
    /// The score says the opposite of the result.
    AgainstResult "against-result" "whose score contradicts the result",
    /// Too long without progress.
    Idle "max-idle" "too long without progress",
    /// Too near the end.
    End "plies-left" "too near the end of the game",
    /// Too many or too few pieces.
    Pieces "pieces" "with more or fewer pieces",
    /// Too much or too little material.
    Material "material" "with more or less material",
    /// Static score and quiescence score differ.
    Noisy "quiet" "that are not quiet",
    /// Search score and quiescence score differ.
    AgainstQuiescence "against-quiescence" "whose score differs from the quiescence score",
    /// The position was there before.
    Duplicate "duplicates" "that were there before",
    /// Enough of the game were taken.
    PerGame "per-game" "of games of which enough were taken",
}

/// How many positions were left out, and of how many it could not be said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filtered {
    /// Positions left out, by the number of the filter.
    taken: [u64; Filter::ALL.len()],
    /// Positions that a filter could not judge, as the input does not tell, by the number of the
    /// filter.
    untold: [u64; Filter::ALL.len()],
}

impl Filtered {
    /// Returns how many positions were left out by this filter.
    pub fn by(&self, filter: Filter) -> u64 {
        self.taken[filter as usize]
    }

    /// Returns how many positions were left out by all filters together.
    pub fn total(&self) -> u64 {
        self.taken.iter().sum()
    }

    /// Counts a position that is left out by this filter.
    pub(super) fn count(&mut self, filter: Filter) {
        self.taken[filter as usize] += 1;
    }

    /// Adds the counts of another part of the data.
    pub(super) fn join(&mut self, part: &Self) {
        for number in 0..Filter::ALL.len() {
            self.taken[number] += part.taken[number];
            self.untold[number] += part.untold[number];
        }
    }

    /// Returns sentences on each filter: how many positions it left out, if any, and how many it
    /// could not judge, if any, because the input does not tell what it needs.
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        for filter in Filter::ALL {
            let (taken, untold) = (self.by(filter), self.untold[filter as usize]);
            let (name, which) = (filter.name(), filter.which());
            if taken > 0 {
                words.push(format!("{taken} positions {which} left out"));
            }
            if untold > 0 {
                words.push(format!(
                    "{untold} positions not judged by --{name} because the input does not tell"
                ));
            }
        }
        words
    }
}

impl Filters<'_> {
    /// Returns the first filter that leaves a position out, if there is one; the caller counts it.
    /// Filters that cannot judge the position are counted in `filtered`. Those of duplicates and of
    /// the number of positions a game are left to the caller, as they depend on other positions.
    /// `look` gives static score and quiescence score; it is called at most once, where filters
    /// need these.
    pub(super) fn reason(
        &self,
        rules: &AnyGame,
        look: Option<&QuietLook<'_>>,
        sample: &Sample,
        filtered: &mut Filtered,
    ) -> Option<Filter> {
        // Two filters need the quiescence search; it runs once for both, and only if an earlier
        // filter has not left the position out.
        let look = || look.and_then(|look| look(&sample.labelled.position));
        let looked = LazyCell::new(look);
        for filter in Filter::ALL {
            // Outer `None`: the filter is not asked for; inner `None`: the position does not tell
            // what the filter needs.
            match self.judged(filter, rules, sample, &|| *looked) {
                Some(Some(true)) => return Some(filter),
                Some(None) => filtered.untold[filter as usize] += 1,
                _ => {}
            }
        }
        None
    }

    /// Tells whether a filter leaves a position out: outer `None` if the filter is not asked for,
    /// inner `None` if the input does not tell what it needs. `looked` gives the static score and
    /// the quiescence score, both the side to move's.
    fn judged(
        &self,
        filter: Filter,
        rules: &AnyGame,
        sample: &Sample,
        looked: &dyn Fn() -> Option<[i32; 2]>,
    ) -> Judged {
        let (position, around) = (&sample.labelled.position, &sample.labelled.around);
        let (ply, score) = (sample.labelled.ply, sample.labelled.search_score);
        let differ = |a: i32, b: i32, most: i32| a.abs_diff(b) > most.unsigned_abs();
        match filter {
            Filter::Opening => (self.opening_plies).map(|least| ply.map(|ply| ply < least)),
            Filter::Forfeit => self.forfeits.then_some(around.forfeit),
            Filter::Book => self.book.then_some(around.book),
            Filter::Check => self.in_check.then(|| Some(rules.is_check(position))),
            // Where the rest of the game is known and no last move is, this is the first position:
            // it is taken.
            Filter::LastMove => (self.last_tactical)
                .then(|| around.last_tactical.or(around.plies_left.map(|_| false))),
            Filter::BestMove => self.next_tactical.then_some(around.next_tactical),
            Filter::Score => (self.most_score).map(|most| Some(large(score?, most))),
            Filter::AgainstResult => {
                (self.against_result).map(|margin| against(sample, score?, margin))
            }
            Filter::Idle => (self.most_idle).map(|most| Some(rules.idle_plies(position) > most)),
            Filter::End => (self.plies_left).map(|least| Some(around.plies_left? < least)),
            Filter::Pieces => {
                (self.pieces).map(|range| Some(!range.contains(&rules.pieces(position)?)))
            }
            Filter::Material => {
                (self.material).map(|range| Some(!range.contains(&rules.material(position)?)))
            }
            Filter::Noisy => (self.quiet)
                .map(|most| looked().map(|[still, searched]| differ(still, searched, most))),
            Filter::AgainstQuiescence => (self.against_quiescence).map(|most| {
                // The data's scores are the first player's.
                let first = rules.first_player_to_move(position);
                let score = if first { score? } else { -score? };
                Some(differ(score, looked()?[1], most))
            }),
            // Filters of duplicates and of positions per game depend on the positions that were
            // taken before, and are judged later.
            Filter::Duplicate | Filter::PerGame => None,
            of_game => (self.games).judged(of_game, sample.labelled.tags.as_deref()),
        }
    }
}

/// Tells whether the size of a score is above `most` centipawns, or the score is a mate within a
/// thousand half-moves.
const fn large(score: i32, most: i32) -> bool {
    score.unsigned_abs() > most.unsigned_abs() || score.unsigned_abs() >= (MATE - 1_000) as u32
}

/// Tells whether the first player's score says the opposite of the result by `margin` centipawns or
/// more; of a draw, that somebody is better by as much. `None` if the result is a probability.
fn against(sample: &Sample, score: i32, margin: i32) -> Option<bool> {
    Some(match sample.labelled.outcome.outcome()? {
        Outcome::Win => score <= -margin,
        Outcome::Draw => score.abs() >= margin,
        Outcome::Loss => score >= margin,
    })
}
