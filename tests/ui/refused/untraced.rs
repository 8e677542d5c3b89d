//! Methods of the score's own type that the evaluation never calls, and one that
//! it calls, which is not to be left out.

#[derive(Clone, Copy)]
pub struct Verdict {
    score: i32,
}

impl Verdict {
    pub fn is_mate(self) -> bool {
        self.score.saturating_abs() > 30_000
    }
}

impl Verdict {
    fn bounded(self) -> Self {
        Self { score: self.score.min(30_000) }
    }
}

impl std::ops::Shl<u8> for Verdict {
    type Output = Self;
    fn shl(self, _: u8) -> Self {
        let score = if self.is_mate() { self.score.signum() } else { 0 };
        Self { score }
    }
}

const MAN: i32 = 100;

pub fn evaluate(men: i32) -> Verdict {
    Verdict { score: MAN * men }.bounded()
}

#[cfg(feature = "tune")]
tuner_core::traced!();

fn main() {
    let _ = evaluate(2) << 1;
}
