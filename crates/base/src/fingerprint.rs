//! A 64-bit fingerprint that is the same on every machine and in every version.

use std::hash::Hasher as _;

use twox_hash::XxHash3_64;

/// XXH3, 64 bits, seed 0, of values in an explicit encoding.
///
/// It guards against confusion, not against malice: a different spec gets a
/// different value with all likelihood, but one can be made to collide.
///
/// Each method adds these bytes, and nothing else:
///
/// | method | bytes |
/// |---|---|
/// | `bytes` | as they are, without their number |
/// | `u64`, `i64` | 8, little-endian, two's complement |
/// | `f64` | the 8 of its IEEE 754 bits, little-endian; so −0 is not 0 |
/// | `count` | as `u64`; what a list starts with |
/// | `list` | the count of its numbers, then each as `u64` |
/// | `text` | the count of its UTF-8 bytes, then these |
///
/// A fingerprint that gets into a file starts with a text that names what is
/// encoded and the version of that encoding, as `"spec 1"`, unless the file has
/// a version of its own.
///
/// *Source*: Y. Collet, xxHash fast digest algorithm, specification 0.2.0, XXH3.
#[derive(Clone, Default)]
pub struct Fingerprint(XxHash3_64);

impl Fingerprint {
    /// Begins a fingerprint to which nothing has been added.
    pub fn new() -> Self {
        Self(XxHash3_64::new())
    }

    /// Returns the fingerprint of some bytes at once.
    pub fn of_bytes(bytes: &[u8]) -> u64 {
        XxHash3_64::oneshot(bytes)
    }

    /// Adds bytes as they are, without their number.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    /// Adds a number as 8 bytes, the lowest first.
    pub fn u64(&mut self, number: u64) {
        self.bytes(&number.to_le_bytes());
    }

    /// Adds a number as 8 bytes in two's complement, the lowest first.
    pub fn i64(&mut self, number: i64) {
        self.bytes(&number.to_le_bytes());
    }

    /// Adds a float by the 8 bytes of its bits, the lowest first; so −0 is not 0.
    pub fn f64(&mut self, number: f64) {
        self.u64(number.to_bits());
    }

    /// Adds the length of a list, so that lists in a row cannot run together.
    pub fn count(&mut self, count: usize) {
        self.u64(count as u64);
    }

    /// Adds a list of numbers: its length, then each number as 8 bytes. *Cost*: that of hashing all
    /// bytes at once, as they are put together in runs of 512.
    pub fn list(&mut self, numbers: impl ExactSizeIterator<Item = u64>) {
        self.count(numbers.len());
        let mut bytes = [0; 512];
        let mut filled = 0;
        for number in numbers {
            bytes[filled..filled + 8].copy_from_slice(&number.to_le_bytes());
            filled += 8;
            if filled == bytes.len() {
                self.bytes(&bytes);
                filled = 0;
            }
        }
        self.bytes(&bytes[..filled]);
    }

    /// Adds a text: the number of its bytes, then these.
    pub fn text(&mut self, text: &str) {
        self.count(text.len());
        self.bytes(text.as_bytes());
    }

    /// Returns the fingerprint of all that was added.
    pub fn value(&self) -> u64 {
        self.0.finish()
    }

    /// Returns the fingerprint of all that was added as 16 hexadecimal digits.
    pub fn hex(&self) -> String {
        format!("{:016x}", self.value())
    }
}

crate::impl_fmt! { Debug for Fingerprint, |self, f| write!(f, "Fingerprint({})", self.hex()) }

#[cfg(test)]
mod tests {
    use super::*;

    fn of(add: impl Fn(&mut Fingerprint)) -> u64 {
        let mut fingerprint = Fingerprint::new();
        add(&mut fingerprint);
        fingerprint.value()
    }

    #[test]
    fn agrees_with_the_published_vectors() {
        // xxHash 0.8, `XXH3_64bits`.
        for (text, hash) in [("", 0x2d06_8005_38d3_94c2), ("a", 0xe6c6_32b6_1e96_4e1f)] {
            assert_eq!(of(|to| to.bytes(text.as_bytes())), hash, "{text}");
            assert_eq!(Fingerprint::of_bytes(text.as_bytes()), hash, "{text}");
        }
    }

    #[test]
    fn every_value_adds_its_documented_bytes() {
        let same = |add: &dyn Fn(&mut Fingerprint), bytes: &[u8]| {
            assert_eq!(of(add), Fingerprint::of_bytes(bytes), "{bytes:?}");
        };
        same(
            &|to| to.u64(0x0807_0605_0403_0201),
            &[1, 2, 3, 4, 5, 6, 7, 8],
        );
        same(&|to| to.i64(-2), &[254, 255, 255, 255, 255, 255, 255, 255]);
        same(&|to| to.f64(-1.0), &[0, 0, 0, 0, 0, 0, 240, 191]);
        same(&|to| to.count(3), &[3, 0, 0, 0, 0, 0, 0, 0]);
        same(&|to| to.text("é"), &[2, 0, 0, 0, 0, 0, 0, 0, 0xc3, 0xa9]);
        let mut bytes = vec![200, 0, 0, 0, 0, 0, 0, 0];
        (0..200_u64).for_each(|number| bytes.extend(number.to_le_bytes()));
        same(&|to| to.list((0..200_usize).map(|n| n as u64)), &bytes);
    }

    #[test]
    fn texts_in_a_row_do_not_run_together() {
        let texts = |texts: [&str; 2]| of(|to| texts.iter().for_each(|text| to.text(text)));
        assert_ne!(texts(["ab", "c"]), texts(["a", "bc"]));
    }
}
