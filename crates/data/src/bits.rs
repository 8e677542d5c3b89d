//! Bits of binary records, the lowest of a byte first.

/// Reads bits; after the end zeros, so that who reads looks at last how many there were.
#[derive(Clone, Copy, Debug)]
pub struct LowBits<'a> {
    bytes: &'a [u8],
    /// The number of the next bit, from 0.
    at: usize,
}

impl<'a> LowBits<'a> {
    /// Makes a reader that begins with the lowest bit of the first byte.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Returns how many bits have been read, those asked for after the end counted.
    pub const fn read(&self) -> usize {
        self.at
    }

    /// Returns the next eight bits without reading them, the next one as the lowest; behind the end
    /// of the bytes they are zeros.
    pub fn peek(&self) -> u8 {
        let byte = |at: usize| u16::from(self.bytes.get(at).copied().unwrap_or_default());
        let two = byte(self.at / 8) | byte(self.at / 8 + 1) << 8;
        (two >> (self.at % 8)) as u8
    }

    /// Reads `width` bits, at most eight, of which the first is the lowest of the number; behind
    /// the end of the bytes they are zeros.
    pub fn take(&mut self, width: u8) -> u8 {
        let bits = self.peek() & ((1_u16 << width) - 1) as u8;
        self.at += usize::from(width);
        bits
    }

    /// Reads one bit.
    pub fn flag(&mut self) -> bool {
        self.take(1) == 1
    }
}
