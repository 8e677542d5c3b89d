//! Tables that come as bytes.

#[tuner_core::tunable]
mod terms {
    pub struct Terms {
        material: [i16; 2],
        tempo: i16,
    }

    static TERMS: Terms = unsafe { std::mem::transmute([100u8, 0, 44, 1, 8, 0]) };

    static MASKS: [u64; 1] = unsafe { std::mem::transmute([0u8; 8]) };

    pub struct Mask {
        bits: u64,
    }

    static MORE: Mask = unsafe { std::mem::transmute([0u8; 8]) };

    const BONUS: i16 = 30;

    pub fn evaluate(role: usize) -> i16 {
        TERMS.material[role] + TERMS.tempo + BONUS * (MASKS[0] | MORE.bits).count_ones() as i16
    }
}

fn main() {
    terms::evaluate(1);
}
