// parse into a let, through a Result
pub const R01_A: [i32; 4] = [/*@*/3, /*@*/5, /*@*/7, /*@*/9];
pub struct R01P { v: i32, w: i32 }
impl std::str::FromStr for R01P {
    type Err = std::num::ParseIntError;
    fn from_str(t: &str) -> Result<Self, Self::Err> { let n: usize = t.parse()?; Ok(Self { v: R01_A[n % 4], w: R01_A[(n + 1) % 4] * 2 }) }
}
pub fn evaluate(b: &B) -> i32 {
    let p: R01P = ["0", "1", "2", "3"][b.s[0] % 4].parse().unwrap();
    let Ok(q) = ["0", "1", "x"][b.s[1] % 3].parse::<R01P>() else { return p.v * b.m[0] };
    p.v * b.m[0] + q.w * b.m[1]
}
