// Result with ?, ok_or_else
pub const R15_A: [i32; 4] = [/*@*/3, /*@*/5, /*@*/7, /*@*/9];
fn r15_read(k: usize) -> Result<i32, String> { R15_A.get(k).copied().ok_or_else(|| format!("none {k}")) }
fn r15_all(b: &B) -> Result<i32, String> { let x = r15_read(b.s[0])?; let y = r15_read(b.s[1]).map(|y| y * 2).or_else(|_| Ok::<i32, String>(R15_A[0]))?; Ok(x * b.m[0] + y) }
pub fn evaluate(b: &B) -> i32 { r15_all(b).unwrap_or(R15_A[3]) }
