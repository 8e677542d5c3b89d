//! A 64-bit fingerprint that is the same on every machine and in every version.

/// FNV-1a, 64 bits.
///
/// It guards against confusion, not against malice: a different spec gets a
/// different value with all likelihood, but one can be made to collide.
///
/// Source: Fowler, Noll, Vo, Eastlake, "The FNV Non-Cryptographic Hash
/// Algorithm", IETF draft-eastlake-fnv, section 2 and constants of section 5.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// Begins an empty one.
    pub const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// Adds bytes, as published.
    pub fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = step(self.0, u64::from(byte));
        }
    }

    /// Adds a word in one step, eight times as fast as its bytes, with the
    /// upper half folded in: the upper half of a word would leave no trace in
    /// the lower half of the hash otherwise.
    pub fn word(&mut self, word: u64) {
        let mixed = step(self.0, word);
        self.0 = mixed ^ (mixed >> 32);
    }

    /// Adds a number; the same on 32 and 64 bits.
    pub fn number(&mut self, number: i64) {
        self.bytes(&number.to_le_bytes());
    }

    /// Adds a count.
    pub fn count(&mut self, count: usize) {
        self.number(count as i64);
    }

    /// Adds a text with its length, so that texts in a row cannot run together.
    pub fn text(&mut self, text: &str) {
        self.count(text.len());
        self.bytes(text.as_bytes());
    }

    /// Resumes from a [`value`](Self::value).
    pub const fn from_value(value: u64) -> Self {
        Self(value)
    }

    /// Returns the value.
    pub const fn value(self) -> u64 {
        self.0
    }

    /// Returns 16 hexadecimal digits.
    pub fn hex(self) -> String {
        format!("{:016x}", self.0)
    }
}

const fn step(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(0x0100_0000_01b3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_published_vectors() {
        for (text, hash) in [
            ("", 0xcbf2_9ce4_8422_2325),
            ("a", 0xaf63_dc4c_8601_ec8c),
            ("foobar", 0x8594_4171_f739_67e8),
        ] {
            let mut fingerprint = Fingerprint::new();
            fingerprint.bytes(text.as_bytes());
            assert_eq!(fingerprint.value(), hash, "{text}");
        }
    }

    #[test]
    fn both_halves_of_a_word_reach_the_lower_half() {
        let lower = |word| {
            let mut fingerprint = Fingerprint::new();
            fingerprint.word(word);
            fingerprint.value() as u32
        };
        assert_ne!(lower(1), lower(2));
        assert_ne!(lower(1 << 40), lower(2 << 40));
    }
}
