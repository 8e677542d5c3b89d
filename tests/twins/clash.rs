//! Two units with a weight of the same name; one is reached through a glob of
//! a module that re-exports it.

use crate::support::assert_derivatives;

mod first {
    pub(crate) mod values {
        #[tuner_core::tunable]
        pub(crate) const CLASH: i32 = 11;
    }
    pub(crate) use values::*;
}

mod second {
    #[tuner_core::tunable]
    pub(crate) const CLASH: i32 = 5;

    #[tuner_core::tunable]
    pub(crate) fn evaluate(count: i32) -> i32 {
        CLASH * count
    }
}

mod third {
    use super::first::*;

    #[tuner_core::tunable]
    pub(crate) fn evaluate(count: i32) -> i32 {
        CLASH * count
    }
}

#[test]
fn each_use_is_of_its_own_weight() {
    let (first, _, _) = crate::support::derivatives(|| third::__traced::evaluate(3));
    let (second, _, _) = crate::support::derivatives(|| second::__traced::evaluate(3));
    assert!((first - 33.0).abs() < 1e-12 && (second - 15.0).abs() < 1e-12);
    assert_derivatives(|| third::__traced::evaluate(3), &[("CLASH0", 3.0)]);
    assert_derivatives(|| second::__traced::evaluate(3), &[("CLASH0", 3.0)]);
}
