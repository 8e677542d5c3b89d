//! Weights and functions under other names.

use crate::support::{assert_derivatives, registry};

mod prelude {
    pub(crate) use super::term as part;
    pub(crate) use crate::weights::PLAIN as RENAMED;
}

mod all {
    pub(crate) use super::prelude::*;
}

use all::*;

#[tuner_core::tunable]
pub(crate) fn term(count: i32) -> i32 {
    RENAMED * count
}

#[tuner_core::tunable]
fn evaluate(count: i32) -> i32 {
    use crate::weights as w;
    use crate::weights::PLAIN as Q;
    let mut score = w::PLAIN * count + Q;
    score += prelude::RENAMED * 3;
    score += part(2) + crate::renamed::all::part(1);
    score += {
        use crate::renamed::all::*;
        [RENAMED, w::PLAIN].iter().sum::<i32>()
    };
    score
}

#[test]
fn a_weight_is_one_under_every_name() {
    assert_derivatives(|| __traced::evaluate(7), &[("PLAIN0", 16.0)]);
}

#[test]
fn a_file_that_no_module_names_is_none_of_the_crates() {
    let names: Vec<_> = registry().parameters.iter().map(|p| p.name).collect();
    assert!(!names.contains(&"STRAY"), "{names:?}");
    assert!(
        std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("twins/stray.rs")
            .is_file()
    );
}

#[test]
fn a_file_is_found_by_its_path() {
    assert_derivatives(
        || crate::elsewhere::__traced::evaluate(2),
        &[("MOVED0", 2.0)],
    );
}
