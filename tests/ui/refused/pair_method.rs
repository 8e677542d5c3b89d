//! Methods of a pair type that the twin cannot copy.

#[tuner_core::tunable]
mod eval {
    #[derive(Clone, Copy)]
    pub struct S(i32, i32);

    impl S {
        fn bits(self) -> u64 {
            (self.0 as u64) << 32 | self.1 as u64
        }

        fn text(self) -> String {
            format!("{}", self.0)
        }
    }

    const PAIR: S = S(12, 34);

    pub fn evaluate(count: i32) -> i32 {
        let key = PAIR.bits() as usize + PAIR.text().len();
        PAIR.0 * count + key as i32
    }
}

fn main() {
    eval::evaluate(1);
}
