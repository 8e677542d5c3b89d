//! The rows of a data set, wherever they are.

use std::fmt;

use super::{Token, TraceSet};
use tuner_base::Ranks;
use tuner_parallel as parallel;

/// Rows that are not in memory all at once: a file of blocks, say.
///
/// A block is a [`TraceSet`] of its own, with its own entries and factors, and
/// is read again for every pass. What a pass adds up it adds up in the order of
/// the blocks, so the numbers of blocks and rows decide on the bits, and the
/// threads do not.
pub trait Blocks: fmt::Debug + Sync {
    /// Returns the number of slots, that of every block.
    fn slots(&self) -> usize;

    /// Returns the number of rows of all blocks.
    fn rows(&self) -> usize;

    /// Returns the number of blocks.
    fn count(&self) -> usize;

    /// Returns the distinct entries of all blocks, in any order; the first one
    /// counts for nothing.
    fn tokens(&self) -> &[Token];

    /// Reads a block; `None` if that fails, which [`failure`](Self::failure)
    /// explains from then on.
    fn load(&self, block: usize) -> Option<TraceSet>;

    /// Takes back a block that has been worked on; its memory may serve for the
    /// next one.
    fn done(&self, _block: TraceSet) {}

    /// Returns why a block could not be read, in words for the user, of several such blocks the
    /// first; `None` if all could be read.
    fn failure(&self) -> Option<String>;
}

/// The rows of a fit: those of this process, and where ranks work together those
/// of all of them, each with a part.
///
/// Counts are those of all ranks, so all ranks ask for them alike; what runs over rows
/// runs over those of this rank, and who adds up adds up over [`ranks`](Self::ranks).
#[derive(Clone, Copy, Debug)]
pub struct Traces<'a> {
    place: Place<'a>,
    ranks: Ranks,
}

#[derive(Clone, Copy, Debug)]
enum Place<'a> {
    /// All rows are in memory.
    Whole(&'a TraceSet),
    /// Rows are read block by block.
    Blocks(&'a dyn Blocks),
}

impl<'a> From<&'a TraceSet> for Traces<'a> {
    /// Makes the rows of a process that is alone and has them in memory.
    fn from(set: &'a TraceSet) -> Self {
        Self {
            place: Place::Whole(set),
            ranks: Ranks::default(),
        }
    }
}

impl<'a> From<&'a dyn Blocks> for Traces<'a> {
    /// Makes the rows of a process that is alone and reads them block by block.
    fn from(blocks: &'a dyn Blocks) -> Self {
        Self {
            place: Place::Blocks(blocks),
            ranks: Ranks::default(),
        }
    }
}

/// Blocks in memory at a time, by thread, where what is made of each is small:
/// some wait while the last of a wave is worked on.
pub const AHEAD: usize = 4;

impl<'a> Traces<'a> {
    /// Returns the rows as those of one of several ranks, so that counts are added up over all
    /// ranks.
    #[must_use]
    pub fn among(self, ranks: Ranks) -> Self {
        Self { ranks, ..self }
    }

    /// Returns the processes that have the rows, each a part.
    pub fn ranks(self) -> Ranks {
        self.ranks
    }

    /// Returns the rows of this process if they are all in memory; `None` if they are read block by
    /// block.
    pub fn in_memory(self) -> Option<&'a TraceSet> {
        match self.place {
            Place::Whole(set) => Some(set),
            Place::Blocks(_) => None,
        }
    }

    /// Returns the rows of this process if they are read block by block; `None` if they are in
    /// memory.
    pub fn blocks(self) -> Option<&'a dyn Blocks> {
        match self.place {
            Place::Whole(_) => None,
            Place::Blocks(blocks) => Some(blocks),
        }
    }

    /// Returns the number of slots.
    pub fn slots(self) -> usize {
        match self.place {
            Place::Whole(set) => set.slots(),
            Place::Blocks(blocks) => blocks.slots(),
        }
    }

    /// Returns the number of rows, of all ranks.
    pub fn len(self) -> usize {
        let here = match self.place {
            Place::Whole(set) => set.len(),
            Place::Blocks(blocks) => blocks.rows(),
        };
        self.ranks.total(here as u64) as usize
    }

    /// Tells whether there is no row.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Tells whether rows are read again for every pass.
    pub fn are_streamed(self) -> bool {
        self.in_memory().is_none()
    }

    /// Returns why rows could not be read; `None` as long as all could. Once there is a reason,
    /// nothing that was computed since it arose means anything.
    pub fn failure(self) -> Option<String> {
        self.blocks().and_then(Blocks::failure)
    }

    /// Counts the distinct games of all ranks; 0 where rows could not be read.
    ///
    /// *Cost*: a pass; four bytes a game meanwhile, and more of games whose
    /// positions do not follow each other.
    pub fn games(self) -> usize {
        self.numbers_of_games(|_| true)
            .map_or(0, |games| games.len())
    }

    /// Returns, ascending, the numbers of the games of all ranks for which `counts` is true, each
    /// once. `None` if rows could not be read.
    pub fn numbers_of_games(self, counts: impl Fn(u32) -> bool + Sync) -> Option<Vec<u32>> {
        let of_set = |set: &TraceSet| {
            let all = set.data.games.iter().copied();
            sorted(all.filter(|&game| counts(game)).collect())
        };
        let mut games = Vec::new();
        let read = self.each(AHEAD, of_set, |more| games.extend(more));
        read.then(|| sorted(union(self.ranks, games)))
    }

    /// Adds up, over all ranks, the numbers that `of_set` returns for the parts of the rows. If a
    /// block cannot be read, it and the blocks behind it are left out, and
    /// [`failure`](Self::failure) gives the reason.
    pub fn count(self, of_set: impl Fn(&TraceSet) -> usize + Sync) -> u64 {
        let mut total = 0;
        self.each(AHEAD, of_set, |count| total += count as u64);
        self.ranks.total(total)
    }

    /// Counts the rows of all ranks whose game, by its number, makes `counts` true. *Cost*: a pass
    /// over the games.
    pub fn rows_of(self, counts: impl Fn(u32) -> bool + Sync) -> u64 {
        self.count(|set| set.data.games.iter().filter(|&&game| counts(game)).count())
    }

    /// Counts the rows of all ranks that have a search score. *Cost*: a pass over the search
    /// scores.
    pub fn with_search_score(self) -> u64 {
        self.count(|set| {
            let scores = (0..set.len()).map(|row| set.data.search_scores.get(row));
            // NaN marks a row without one.
            scores.filter(|score| !score.is_nan()).count()
        })
    }

    /// Returns the distinct entries of all rows of this rank; the first one is padding, which
    /// counts for nothing.
    pub fn tokens(self) -> &'a [Token] {
        match self.place {
            Place::Whole(set) => set.tokens(),
            Place::Blocks(blocks) => blocks.tokens(),
        }
    }

    /// Runs `look` on rows that are typical of this rank's: all of them where they are in memory,
    /// else the block in the middle, or a set without rows if there is no block. `None` if the
    /// block cannot be read.
    pub fn example<T>(self, look: impl FnOnce(&TraceSet) -> T) -> Option<T> {
        match self.place {
            Place::Whole(set) => Some(look(set)),
            Place::Blocks(blocks) if blocks.count() == 0 => {
                Some(look(&TraceSet::new(blocks.slots())))
            }
            Place::Blocks(blocks) => blocks.load(blocks.count() / 2).map(|set| look(&set)),
        }
    }

    /// Runs `map` on all rows of this rank, in memory as one set and else block by block and
    /// in parallel, and hands the results to `fold` in their order.
    ///
    /// `ahead`: how many blocks per thread, and so results, are in memory at a
    /// time. It changes nothing else.
    ///
    /// Returns whether all rows could be read; after the first that could not,
    /// nothing is folded any more.
    pub fn each<T: Send>(
        self,
        ahead: usize,
        map: impl Fn(&TraceSet) -> T + Sync,
        mut fold: impl FnMut(T),
    ) -> bool {
        self.each_of(ahead, &map, &mut fold)
    }

    /// Runs `map` on all rows of this rank and hands the results to `fold` in their order, with
    /// `ahead` blocks for each thread in memory at a time; tells whether all rows could be read. It
    /// takes references to functions, so that it is compiled once for each type of result, and not
    /// once for each caller.
    fn each_of<T: Send>(
        self,
        ahead: usize,
        map: &(dyn Fn(&TraceSet) -> T + Sync),
        fold: &mut dyn FnMut(T),
    ) -> bool {
        let blocks = match self.place {
            Place::Whole(set) => {
                fold(map(set));
                return true;
            }
            Place::Blocks(blocks) => blocks,
        };
        let count = blocks.count();
        let wave = ahead.max(1) * parallel::threads();
        // A wave of blocks in parallel, then its results in order.
        for first in (0..count).step_by(wave) {
            let results = parallel::map(first..(first + wave).min(count), |block| {
                let set = blocks.load(block)?;
                let result = map(&set);
                blocks.done(set);
                Some(result)
            });
            for result in results {
                let Some(result) = result else {
                    return false;
                };
                fold(result);
            }
        }
        true
    }
}

/// Returns the numbers of games of all ranks, one rank behind the other, each rank's own without
/// duplicates if there are several ranks. Ranks send each other floats, which hold these numbers
/// exactly.
fn union(ranks: Ranks, games: Vec<u32>) -> Vec<u32> {
    if ranks.is_alone() {
        return games;
    }
    let games: Vec<f64> = sorted(games).into_iter().map(f64::from).collect();
    let all = ranks.gather(&games);
    all.into_iter().flatten().map(|game| game as u32).collect()
}

/// Sorts the numbers of games and drops duplicates.
fn sorted(mut games: Vec<u32>) -> Vec<u32> {
    // Positions of a game mostly follow each other, so that few numbers are left to sort.
    games.dedup();
    games.sort_unstable();
    games.dedup();
    games
}
