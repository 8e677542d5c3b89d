//! Consts of impl blocks that cannot be weights.

mod traced {
    pub const SAFETY_LIMIT: i32 = 4;
    pub struct Safety;
    pub struct Of<const SIDE: usize>;
    pub trait Scored {
        const VALUE: i32;
    }

    impl Safety {
        #[tuner_core::tunable]
        pub const LIMIT: i32 = 5;
    }

    impl<const SIDE: usize> Of<SIDE> {
        #[tuner_core::tunable]
        pub const ATTACK: i32 = 6;
    }

    impl Scored for Safety {
        #[tuner_core::tunable]
        const VALUE: i32 = 7;
    }

    pub fn evaluate() -> i32 {
        SAFETY_LIMIT + Safety::LIMIT + Of::<1>::ATTACK + Safety::VALUE
    }

    #[cfg(feature = "tune")]
    tuner_core::traced!();
}

mod marked {
    pub struct Men;

    impl Men {
        #[tuner_core::tunable]
        pub const KNIGHT: i32 = 300;
    }

    #[tuner_core::tunable]
    pub const TEMPO: i32 = 10;
}

fn main() {
    traced::evaluate();
    let _ = marked::Men::KNIGHT + marked::TEMPO;
}
