//! Bits of a binpack's moves, the highest of a byte first.

/// Reads bits; `None` at the end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bits<'a> {
    bytes: &'a [u8],
    /// Bits read so far.
    at: usize,
}

impl<'a> Bits<'a> {
    /// Makes a reader that begins with the highest bit of the first byte.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Returns how many bytes have been read, the last perhaps in part.
    pub(super) fn bytes_read(&self) -> usize {
        self.at.div_ceil(8)
    }

    /// Reads `count` bits, at most eight, the first of them as the highest; `None` at the end.
    fn take(&mut self, count: usize) -> Option<u8> {
        let mut value = 0;
        for _ in 0..count {
            let byte = self.bytes.get(self.at / 8)?;
            value = value << 1 | (byte >> (7 - self.at % 8)) & 1;
            self.at += 1;
        }
        Some(value)
    }

    /// Reads a number below `choices`, in as many bits as the largest such number needs; the bits
    /// may still give one that is not below. `None` at the end.
    pub(super) fn choice(&mut self, choices: usize) -> Option<usize> {
        let largest = choices.saturating_sub(1);
        let bits = usize::BITS - largest.leading_zeros();
        self.take(bits as usize).map(usize::from)
    }

    /// Reads a number of blocks of four bits, the lowest block first. Before the four bits of each
    /// is one that says whether another block follows. `None` at the end, or beyond four blocks.
    pub(super) fn number(&mut self) -> Option<u16> {
        let mut value = 0;
        for shift in [0, 4, 8, 12] {
            let block = u16::from(self.take(5)?);
            value |= (block & 15) << shift;
            if block < 16 {
                return Some(value);
            }
        }
        None
    }
}

/// Returns the signed number that an unsigned one is written for: the lowest bit is the sign, so
/// that 0, 1, 2, 3 are 0, −1, 1, −2.
pub(super) const fn signed(number: u16) -> i16 {
    let half = (number >> 1) as i16;
    if number & 1 == 0 { half } else { !half }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_come_from_the_top() {
        let mut bits = Bits::new(&[0b1011_0001, 0b1000_0000]);
        assert_eq!(bits.take(3), Some(0b101));
        assert_eq!(bits.bytes_read(), 1);
        assert_eq!(bits.choice(1), Some(0));
        assert_eq!(bits.choice(33), Some(0b10_0011));
        assert_eq!((bits.bytes_read(), bits.take(8)), (2, None));
        let mut bits = Bits::new(&[0b1000_1011, 0b1100_0000]);
        assert_eq!(bits.number(), Some(0xf1));
        assert_eq!(Bits::new(&[0xff; 8]).number(), None);
        assert_eq!([0, 1, 2, 3, u16::MAX].map(signed), [0, -1, 1, -2, i16::MIN]);
    }
}
