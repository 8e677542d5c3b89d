//! The cure of `refused/same_name.rs`.

mod value {
    #[derive(Clone, Copy)]
    pub struct Score(pub i32, pub i32);

    pub const TEMPO: Score = Score(10, 20);

    pub fn middlegame(count: i32) -> i32 {
        TEMPO.0 * count
    }

    #[cfg(feature = "tune")]
    tuner_core::traced!();
}

mod material {
    type Centipawns = i32;

    const MAN: Centipawns = 100;

    pub fn material(count: i32) -> Centipawns {
        MAN * count
    }

    #[cfg(feature = "tune")]
    tuner_core::traced!();
}

fn main() {
    value::middlegame(material::material(2));
}
