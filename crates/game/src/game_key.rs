//! Numbers for games: positions of one game share its result, so splits and
//! standard errors go by game.

use std::hash::Hasher as _;

use fnv::FnvHasher;

/// FNV-1a's offset basis and prime for 64 bits.
///
/// *Source*: Fowler, Noll, Vo, Eastlake, The FNV Non-Cryptographic Hash
/// Algorithm, IETF draft-eastlake-fnv, section 5.
const FNV: (u64, u64) = (0xcbf2_9ce4_8422_2325, 0x0100_0000_01b3);

/// The hash of a game's id.
///
/// FNV-1a, 64 bits, of the id's bytes, so it is the same on every machine and
/// in every version. It decides which games are held out: another value is
/// another split, so neither hash here may ever change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameKey(pub u64);

/// Beginning of the text that is in the place of a game's id, in files that Tuner writes, for a
/// position without a game; 16 hexadecimal digits follow.
const NO_GAME: &str = "position-";

/// Beginning of the id, in files that Tuner writes, of a game that had no id in words; its key
/// follows, as 16 hexadecimal digits.
const KEY: &str = "game-";

impl GameKey {
    /// Returns the text that a file has in the place of a game's id for a position without a game:
    /// `position-` and 16 hexadecimal digits of `key`, by which such positions differ.
    pub fn none(key: u64) -> String {
        format!("{NO_GAME}{key:016x}")
    }

    /// Returns the id that a file has, if Tuner writes it, for a game that had no id in words:
    /// `game-` and the key as 16 hexadecimal digits. [`if_any`](Self::if_any) reads it as this key.
    pub fn id(self) -> String {
        format!("{KEY}{:016x}", self.0)
    }

    /// Returns the key of a game's id: for `game-` and 16 hexadecimal digits, as [`id`](Self::id)
    /// writes it, that number, else the hash of the text. `None` for `position-` and 16 digits,
    /// which files have in the place of an id where there is no game.
    pub fn if_any(id: &str) -> Option<Self> {
        let digits = |prefix| {
            let key = id.strip_prefix(prefix).filter(|key| key.len() == 16)?;
            let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
            let number = u64::from_str_radix(key, 16).ok();
            number.filter(|_| key.bytes().all(is_digit))
        };
        match digits(KEY) {
            Some(key) => Some(Self(key)),
            None => digits(NO_GAME).is_none().then(|| Self::of(id)),
        }
    }

    /// Hashes the id of a game by FNV-1a with 64 bits.
    pub fn of(id: &str) -> Self {
        let mut hash = FnvHasher::default();
        hash.write(id.as_bytes());
        Self(hash.finish())
    }

    /// Hashes the bytes of a whole game, eight at a time, so that equal games have equal keys.
    ///
    /// It is FNV-1a over 64-bit words in place of bytes: first the length of the game, then each
    /// eight bytes, then the rest filled up with zeros. After each word the upper half of the hash
    /// is folded into the lower one, on which the upper half of a word would otherwise have no
    /// effect.
    pub fn of_bytes(game: &[u8]) -> Self {
        let (basis, prime) = FNV;
        let add = |hash: u64, word: u64| {
            let mixed = (hash ^ word).wrapping_mul(prime);
            mixed ^ (mixed >> 32)
        };
        let (words, rest) = game.as_chunks::<8>();
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        let words = words.iter().chain([&last]);
        Self(words.fold(add(basis, game.len() as u64), |hash, word| {
            add(hash, u64::from_le_bytes(*word))
        }))
    }

    /// Returns the key of position number `ordinal` of a data set that knows no games, in which
    /// each position counts as a game of its own.
    pub fn of_position(ordinal: u64) -> Self {
        Self::of(&format!("position {ordinal}"))
    }

    /// Returns the number by which traces know the game: its hash folded to 32 bits.
    ///
    /// It depends on nothing but the id, so a game stays held out when the data grow. Of three data
    /// sets with 50,000 games one has two games with the same number. These count as one game,
    /// which costs a little precision, and no game is ever split.
    pub const fn number(self) -> u32 {
        (self.0 ^ (self.0 >> 32)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_for_no_game_is_read_as_none() {
        assert_eq!(GameKey::if_any(&GameKey::none(5)), None);
        for id in ["position-12", "position-", "foobar"] {
            assert_eq!(GameKey::if_any(id), Some(GameKey::of(id)));
        }
        assert_eq!(GameKey::if_any(&GameKey(5).id()), Some(GameKey(5)));
        for id in ["game-12", "game-00000000000000AB", "00000000000000ab"] {
            assert_eq!(GameKey::if_any(id), Some(GameKey::of(id)));
        }
    }

    #[test]
    fn the_hash_agrees_with_the_published_vectors() {
        assert_eq!(GameKey::of("").0, 0xcbf2_9ce4_8422_2325);
        assert_eq!(GameKey::of("a").0, 0xaf63_dc4c_8601_ec8c);
        assert_eq!(GameKey::of("foobar").0, 0x8594_4171_f739_67e8);
    }

    /// Values of the first release: a change would hold out other games.
    #[test]
    fn the_values_never_change() {
        for (id, key) in [
            ("position 0", 0x5191_2785_a6c2_992a),
            ("https://lichess.org/abcdefgh", 0xce19_e5b1_7dda_ac00),
            ("g.17", 0x68e8_4070_cee5_9494),
            ("♞ 7", 0x46cf_0ea9_8e6b_5db7),
        ] {
            assert_eq!(GameKey::of(id).0, key, "{id}");
        }
        let bytes: Vec<u8> = (0..=255).collect();
        for (game, key) in [
            (&b""[..], 0x6885_3b6a_3912_cca3),
            (b"a", 0x6882_f66a_3914_09d9),
            (b"\0", 0x6883_556a_3914_f44a),
            (b"12345678", 0xe33e_cdbe_3587_0b48),
            (b"1. e4 e5 2. Nf3 Nc6 1/2-1/2", 0x9c92_9aca_ce05_a3e1),
            (&bytes, 0xd5f3_c1a0_2bcc_437b),
        ] {
            assert_eq!(GameKey::of_bytes(game).0, key, "{game:?}");
        }
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
