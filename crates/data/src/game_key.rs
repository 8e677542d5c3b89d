//! Numbers for games: positions of one game share its result, so splits and
//! standard errors go by game.

use tuner_base::Fingerprint;

/// The hash of a game's id.
///
/// FNV-1a, 64 bits, of the id's bytes, so it is the same on every machine and
/// in every version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameKey(pub u64);

impl GameKey {
    /// Hashes the id of a game.
    pub fn of(id: &str) -> Self {
        let mut hash = Fingerprint::new();
        hash.bytes(id.as_bytes());
        Self(hash.value())
    }

    /// Hashes the bytes of a whole game, eight at a time, so that equal games
    /// have equal keys.
    pub fn of_bytes(game: &[u8]) -> Self {
        Self(super::report::fingerprint(game))
    }

    /// The key of position number `ordinal` of a data set that knows no games:
    /// a game of its own.
    pub fn of_position(ordinal: u64) -> Self {
        Self::of(&format!("position {ordinal}"))
    }

    /// The number that traces carry: the hash folded to 32 bits.
    ///
    /// It depends on nothing but the id, so a game stays held out when the
    /// data grow. Of 50,000 games one pair in three data sets shares a number:
    /// they count as one game, which costs a little precision and tears
    /// nothing apart.
    pub const fn number(self) -> u32 {
        (self.0 ^ (self.0 >> 32)) as u32
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
    fn a_number_folds_both_halves() {
        assert_eq!(GameKey(0x0000_0001_0000_0002).number(), 3);
        assert_ne!(
            GameKey::of_position(1).number(),
            GameKey::of_position(2).number()
        );
    }
}
