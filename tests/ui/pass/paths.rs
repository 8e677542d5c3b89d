//! Functions of one name in several modules, of which one has no twin: a path says
//! which is meant.

mod material {
    pub const BISHOP: i32 = 300;

    pub fn evaluate(count: i32) -> i32 {
        BISHOP * count
    }

    #[cfg(feature = "tune")]
    tuner_core::traced!();
}

mod pawns {
    pub const ISOLATED: i32 = -10;

    pub fn evaluate(count: i32, cache: &mut Vec<u8>) -> i32 {
        cache.push((ISOLATED * count) as u8);
        from_scratch(count)
    }

    pub fn from_scratch(count: i32) -> i32 {
        ISOLATED * count
    }

    #[cfg(feature = "tune")]
    tuner_core::traced!(untraced(evaluate));
}

mod eval {
    use super::{material, pawns};

    pub fn evaluate(count: i32) -> i32 {
        material::evaluate(count) + pawns::from_scratch(count)
    }

    #[cfg(feature = "tune")]
    tuner_core::traced!();
}

fn main() {
    eval::evaluate(2);
    pawns::evaluate(1, &mut Vec::new());
    let _ = eval::__traced::evaluate(2);
}
