//! The bytes of a score.

mod eval {
    use tuner_core::tunable;

    #[tunable]
    const MOBILITY: [i32; 4] = [-20, -10, 0, 10];

    union Bits {
        score: i32,
        bits: u32,
    }

    #[tunable]
    fn evaluate(moves: usize, men: i32) -> i32 {
        let table: [u32; 4] = unsafe { std::mem::transmute(MOBILITY) };
        let score = MOBILITY[moves] * men;
        let bytes = i32::from_ne_bytes(score.to_ne_bytes());
        let bits = Bits { score };
        let first = &MOBILITY as *const [i32; 4];
        score + table[moves] as i32 + bytes + unsafe { bits.bits as i32 + (*first)[0] }
    }
}

fn main() {
    tuner_core::registry!();
}
