// a type that a text is read as
pub const M03_A: [i32; 4] = [/*@*/3, /*@*/5, /*@*/7, /*@*/9];
pub struct M03P(i32);
impl std::str::FromStr for M03P {
    type Err = ();
    fn from_str(t: &str) -> Result<M03P, ()> { Ok(M03P(M03_A[t.len() % 4])) }
}
pub fn evaluate(b: &B) -> i32 { "abc"[..b.s[0] % 4].parse::<M03P>().map_or(0, |p| p.0) * b.m[0] }
