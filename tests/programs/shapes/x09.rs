// traced(untraced(x09_text))
// what a score is turned into that is none, by a method without twin
#[derive(Clone, Copy)]
pub struct X09Score(i32);
impl X09Score { fn x09_text(self) -> String { format!("cp {}", self.0) } }
impl From<X09Score> for String { fn from(score: X09Score) -> Self { score.x09_text() } }
impl From<i32> for X09Score { fn from(score: i32) -> Self { Self(score) } }
impl std::ops::Add for X09Score { type Output = Self; fn add(self, o: Self) -> Self { Self(self.0 + o.0) } }
pub const X09_MAN: i32 = /*@*/31;
pub const X09_TEMPO: X09Score = X09Score(/*@*/9);
pub fn x09_told(b: &B) -> String { String::from(X09Score(b.m[0])) }
pub fn evaluate(b: &B) -> i32 { (X09Score::from(X09_MAN * b.m[0]) + X09_TEMPO).0 }
