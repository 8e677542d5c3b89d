//! The distinct lists of steps of a set, packed.
//!
//! Most positions of some evaluations share their list, in others each position has one of
//! its own, of hundreds of steps. So a list is bytes: numbers as in [`steps`](super::steps),
//! seven bits a byte, operands by their distance. A step takes 3 bytes, mostly.

use std::collections::HashMap;
use std::mem::size_of;

use super::steps;
use tuner_base::Fingerprint;
use tuner_trace::Step;

/// Lists of steps by number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shapes {
    bytes: Vec<u8>,
    /// The byte where each list ends.
    ends: Vec<u64>,
    /// By fingerprint, or the next free number behind it: the list. Filled when first needed.
    numbers: HashMap<u64, u32>,
    buffer: Vec<u8>,
}

impl Shapes {
    /// Returns the number of lists of steps.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The list of steps with this number, packed into bytes; empty if there is no such number.
    pub(crate) fn packed(&self, number: u32) -> &[u8] {
        let end = |number: usize| self.ends.get(number).map_or(0, |&end| end as usize);
        let start = (number as usize).checked_sub(1).map_or(0, end);
        let packed = self.bytes.get(start..end(number as usize));
        packed.unwrap_or_default()
    }

    /// Reads the list of steps with this number into `to`, whose content is lost; no steps if there
    /// is no such number.
    pub(crate) fn read(&self, number: u32, to: &mut Vec<Step>) {
        steps::unpack(self.packed(number), to);
    }

    /// Returns the number of a list of steps; a list that is new gets the next one.
    pub(crate) fn number(&mut self, list: &[Step]) -> u32 {
        let mut packed = std::mem::take(&mut self.buffer);
        packed.clear();
        steps::pack(list, &mut packed);
        let number = self.number_packed(&packed);
        self.buffer = packed;
        number
    }

    /// Returns the number of a list of steps packed into bytes; a list that is new gets the next
    /// one. The map by which lists are found is filled first where it is empty: after reading a
    /// file, or after [`shrink`](Self::shrink), which drops it to save memory.
    pub(crate) fn number_packed(&mut self, packed: &[u8]) -> u32 {
        if self.numbers.is_empty() {
            for number in 0..self.ends.len() as u32 {
                // Of equal lists, which a file may have, the first one is found.
                if let Err(key) = self.find(self.packed(number)) {
                    self.numbers.insert(key, number);
                }
            }
        }
        match self.find(packed) {
            Ok(number) => number,
            Err(key) => {
                let number = self.push_packed(packed);
                self.numbers.insert(key, number);
                number
            }
        }
    }

    /// Returns the number of a list of steps packed into bytes. `Err`: there is no such list yet,
    /// and the key under which `numbers` is to have it: its fingerprint, or, where other lists have
    /// that, the next free number behind it.
    fn find(&self, packed: &[u8]) -> Result<u32, u64> {
        let mut key = Fingerprint::of_bytes(packed);
        while let Some(&number) = self.numbers.get(&key) {
            if self.packed(number) == packed {
                return Ok(number);
            }
            key = key.wrapping_add(1);
        }
        Err(key)
    }

    /// Appends a list of steps packed into bytes; returns its number.
    fn push_packed(&mut self, packed: &[u8]) -> u32 {
        self.bytes.extend_from_slice(packed);
        self.ends.push(self.bytes.len() as u64);
        self.ends.len() as u32 - 1
    }

    /// Appends a list of steps, even if an equal one is there: in a file, lists are numbered by
    /// their places.
    #[cfg(feature = "arrow")]
    pub(crate) fn push(&mut self, list: &[Step]) {
        let mut packed = Vec::new();
        steps::pack(list, &mut packed);
        self.push_packed(&packed);
    }

    /// Returns the bytes that are reserved for all lists of steps and for finding them; the buffer
    /// in which a list is packed is not counted.
    pub(crate) fn bytes(&self) -> usize {
        // A cell of the map has a key, a number and a byte of its own.
        let cell = size_of::<(u64, u32)>() + 1;
        self.bytes.capacity() + self.ends.capacity() * 8 + self.numbers.capacity() * cell
    }

    /// Releases memory that is needed only to add lists.
    pub(crate) fn shrink(&mut self) {
        self.numbers = HashMap::new();
        self.buffer = Vec::new();
        self.bytes.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}
