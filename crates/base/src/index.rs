//! The numbers by which crates refer to weights: one type for each numbering,
//! so that no number of one is taken for a number of another.
//!
//! Inside kernels numbers are bare; what is passed between crates has its type.

/// A type of numbers that index a list.
macro_rules! index {
    ($(#[$doc:meta])* $name:ident($number:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(transparent)]
        pub struct $name(
            /// The number, from 0.
            pub $number,
        );

        impl $name {
            /// Returns the number, to index lists by.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        crate::impl_fmt! { Display for $name, |self, f| self.0.fmt(f) }
    };
}

index! {
    /// A weight, by its place in the layout of the spec: parameter by parameter,
    /// row-major, phases innermost.
    WeightId(usize)
}

index! {
    /// A table entry of the evaluation: two lanes, of which the second has no
    /// weight where the entry is not tapered.
    Slot(u32)
}

index! {
    /// A number that a solver moves, by its place in the solver's vectors.
    VariableId(usize)
}

index! {
    /// One of the two values of a slot: the unit in which traces count.
    LaneId(u32)
}

impl Slot {
    /// Returns the first lane of the slot for `side` 0, the second for 1.
    #[inline]
    pub const fn lane(self, side: u32) -> LaneId {
        LaneId(2 * self.0 + side)
    }
}

impl LaneId {
    /// Returns the slot that the lane belongs to.
    #[inline]
    pub const fn slot(self) -> Slot {
        Slot(self.0 / 2)
    }

    /// Returns which of its slot's lanes it is, 0 or 1.
    #[inline]
    pub const fn side(self) -> usize {
        self.0 as usize % 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_has_two_lanes() {
        for side in 0..2 {
            let lane = Slot(3).lane(side);
            assert_eq!((lane.slot(), lane.side()), (Slot(3), side as usize));
        }
        assert_eq!(Slot(3).lane(1).index(), 7);
        assert_eq!(WeightId(12).to_string(), "12");
    }
}
