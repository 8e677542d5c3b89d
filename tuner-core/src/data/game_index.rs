//! Numbers for games: positions of one game share its result, so splits and
//! standard errors go by game.

use std::collections::HashMap;

/// The hash of a game's id.
///
/// FNV-1a, 64 bits, of the id's bytes, so it is the same on every machine and
/// in every version. Two of a million games collide with a probability of
/// 3·10⁻⁸.
///
/// *Source*: Fowler, Noll, Vo, Eastlake, "The FNV Non-Cryptographic Hash
/// Algorithm", IETF draft-eastlake-fnv, section 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameKey(pub u64);

impl GameKey {
    /// Hashes the id of a game.
    pub fn of(id: &str) -> Self {
        Self(id.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        }))
    }
}

/// Numbers games densely, in the order of their first occurrence.
///
/// Equal ids are one game even in different inputs: to join two games costs a
/// little precision, to tear one apart would leak its result from training
/// into held-out data.
#[derive(Clone, Debug, Default)]
pub struct GameIndex {
    numbers: HashMap<GameKey, u32>,
    games: u32,
}

impl GameIndex {
    /// Makes an index without games.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the number of a game. Without a key each call is a new game.
    ///
    /// # Panics
    /// If there are more than 2³² − 1 games.
    pub fn number(&mut self, key: Option<GameKey>) -> u32 {
        let next = self.games;
        let number = key.map_or(next, |key| *self.numbers.entry(key).or_insert(next));
        if number == next {
            assert!(next < u32::MAX, "more than 2^32 - 1 games");
            self.games += 1;
        }
        number
    }

    /// Returns how many games have been numbered.
    pub fn games(&self) -> u32 {
        self.games
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_agrees_with_the_published_vectors() {
        assert_eq!(GameKey::of("").0, 0xcbf2_9ce4_8422_2325);
        assert_eq!(GameKey::of("a").0, 0xaf63_dc4c_8601_ec8c);
        assert_eq!(GameKey::of("foobar").0, 0x8594_4171_f739_67e8);
    }

    #[test]
    fn numbers_are_dense_and_in_order_of_first_occurrence() {
        let mut index = GameIndex::new();
        let keys = [Some("b"), None, Some("a"), Some("b"), None, Some("a")];
        let numbers = keys.map(|id| index.number(id.map(GameKey::of)));
        assert_eq!(numbers, [0, 1, 2, 0, 3, 2]);
        assert_eq!(index.games(), 4);
    }
}
