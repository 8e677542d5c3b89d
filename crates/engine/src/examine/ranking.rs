//! The largest of many, some of each game at most.

/// How many a [`Ranking`] keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MostOf {
    /// In all.
    pub all: usize,
    /// Of one game: positions of a game are alike.
    pub game: usize,
}

/// Keeps the items of the largest sizes, of each game at most so many.
///
/// Exactly these, in whatever order they come: sets that are so limited are the
/// independent sets of a matroid, in which giving up the least of what is too many
/// is never a mistake. Of equal sizes the earlier item stays.
#[derive(Clone, Debug)]
pub struct Ranking<T> {
    most: MostOf,
    /// In the order of coming.
    entries: Vec<Ranked<T>>,
}

#[derive(Clone, Debug)]
struct Ranked<T> {
    size: f64,
    game: u32,
    item: T,
}

impl<T> Ranking<T> {
    /// Makes an empty ranking. `most`: how many items it keeps, in all and of one game.
    pub const fn new(most: MostOf) -> Self {
        Self {
            most,
            entries: Vec::new(),
        }
    }

    /// Adds an item of a game, which is kept if its size is among the largest so far, of all and of
    /// its game; `item` is called only then.
    ///
    /// *Cost*: a walk over what is kept.
    pub fn add(&mut self, size: f64, game: u32, item: impl FnOnce() -> T) {
        let of_game = self.entries.iter().filter(|entry| entry.game == game);
        let is_game_full = of_game.count() >= self.most.game;
        if is_game_full || self.entries.len() >= self.most.all {
            // The least gives way, the last of equal ones.
            let places = (0..self.entries.len()).rev();
            let least = places
                .filter(|&place| !is_game_full || self.entries[place].game == game)
                .min_by(|&a, &b| self.entries[a].size.total_cmp(&self.entries[b].size));
            let Some(place) = least.filter(|&place| self.entries[place].size < size) else {
                return;
            };
            self.entries.remove(place);
        }
        let item = item();
        self.entries.push(Ranked { size, game, item });
    }

    /// Adds the items that another ranking kept, which come later.
    pub fn merge(&mut self, other: Self) {
        for Ranked { size, game, item } in other.entries {
            self.add(size, game, || item);
        }
    }

    /// Returns what was kept, the largest first.
    pub fn into_sorted(mut self) -> Vec<T> {
        self.entries.sort_by(|a, b| b.size.total_cmp(&a.size));
        self.entries.into_iter().map(|entry| entry.item).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a sort of everything keeps.
    fn sorted(items: &[(f64, u32)], most: MostOf) -> Vec<(f64, u32)> {
        let mut all = items.to_vec();
        all.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut kept: Vec<(f64, u32)> = Vec::new();
        for item in all {
            let of_game = kept.iter().filter(|other| other.1 == item.1).count();
            if of_game < most.game && kept.len() < most.all {
                kept.push(item);
            }
        }
        kept
    }

    #[test]
    fn a_ranking_keeps_what_a_sort_would() {
        let mut state = 7_u64;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            state >> 33
        };
        for (all, game) in [(5, 1), (5, 2), (12, 3), (1, 1), (0, 2), (4, 9), (300, 2)] {
            let most = MostOf { all, game };
            let items: Vec<(f64, u32)> = (0..200)
                .map(|_| (next() as f64, (next() % 20) as u32))
                .collect();
            let mut ranking = Ranking::new(most);
            for block in items.chunks(17) {
                let mut part = Ranking::new(most);
                for &(size, game) in block {
                    part.add(size, game, || (size, game));
                }
                ranking.merge(part);
            }
            assert_eq!(ranking.into_sorted(), sorted(&items, most), "{most:?}");
        }
    }

    #[test]
    fn of_equal_ones_the_first_stays() {
        let mut ranking = Ranking::new(MostOf { all: 2, game: 1 });
        for (name, game) in [("a", 1), ("b", 1), ("c", 2), ("d", 3)] {
            ranking.add(1.0, game, || name);
        }
        assert_eq!(ranking.into_sorted(), ["a", "c"]);
    }
}
