//! Numbers that are no weights, by their types: masks in structs, and what is behind a lock.

use crate::support::{assert_derivatives, registry};

#[tuner_core::tunable]
pub mod masks {
    use std::sync::Mutex;
    use std::sync::atomic::AtomicI32;

    #[derive(Clone, Copy)]
    pub struct Mask(pub u64);

    impl Mask {
        pub const fn holds(self, square: u32) -> bool {
            self.0 >> square & 1 == 1
        }
    }

    pub struct Edges {
        pub masks: [Mask; 2],
        pub key: u64,
    }

    pub const EDGES: [Mask; 2] = [Mask(0x81), Mask(0x18)];
    pub const EMPTY: Edges = Edges {
        masks: [Mask(0), Mask(1)],
        key: 3,
    };
    pub static LOCKED: Mutex<i32> = Mutex::new(5);
    pub static COUNTED: AtomicI32 = AtomicI32::new(7);
    pub const EDGE_BONUS: i32 = 9;

    pub fn evaluate(square: u32) -> i32 {
        if EDGES[0].holds(square) {
            EDGE_BONUS * 2
        } else {
            0
        }
    }
}

#[test]
fn masks_are_no_weights() {
    let of_file = |file: &str| file.ends_with("masks.rs");
    let own = registry().parameters.iter();
    let own = own.filter(|item| of_file(item.file)).map(|item| item.name);
    assert_eq!(own.collect::<Vec<_>>(), ["EDGE_BONUS"]);
    assert_derivatives(|| masks::__traced::evaluate(7), &[("EDGE_BONUS0", 2.0)]);
}
