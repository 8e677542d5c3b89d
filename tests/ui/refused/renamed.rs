//! A weight stays one under every name.

use tuner_core::tunable;

mod weights {
    #[tuner_core::tunable]
    pub const MATERIAL: [i32; 2] = [100, 300];
}

mod prelude {
    pub(crate) use super::weights::MATERIAL as VALUES;
}

mod all {
    pub(crate) use super::prelude::*;
}

use all::*;

#[tunable]
fn squared(count: i32) -> i32 {
    use crate::weights as w;
    w::MATERIAL[0] * w::MATERIAL[1] * count
}

#[tunable]
fn compared(count: i32) -> i32 {
    use crate::prelude::VALUES as Q;
    if Q[0] > 6 { count } else { 0 }
}

#[tunable]
fn globbed(count: i32) -> i32 {
    count * VALUES[0] * crate::prelude::VALUES[1]
}

fn main() {
    squared(2);
    compared(2);
    globbed(2);
}
