// saturating, checked and converted numbers near the limits of their types
const P18_A: [i8; 8] = [/*@*/60, /*@*/50, /*@*/-70, /*@*/40, /*@*/-90, /*@*/30, /*@*/20, /*@*/64];
fn sum(b: &B) -> i8 {
    let mut s = 0i8;
    for &i in &b.s { s = s.saturating_add(P18_A[i]); }
    s.saturating_mul(2).saturating_sub(1)
}
pub fn evaluate(b: &B) -> i32 {
    let x = P18_A[b.s[0]].checked_add(P18_A[b.s[1]]).unwrap_or(i8::MIN);
    let y = i8::try_from(i32::from(P18_A[b.s[2]]) + i32::from(P18_A[b.s[3]])).unwrap_or(i8::MAX);
    let z: Result<i8, _> = (P18_A[b.s[1]] as i16 * 2).try_into();
    let n = b.s.iter().fold(0, |a, &i| i8::saturating_add(a, P18_A[i]));
    let (t, over) = P18_A[b.s[2]].overflowing_sub(P18_A[b.s[1]]);
    i32::from(sum(b)) * 3 + i32::from(x) + i32::from(y) * 2 + z.map_or(7, i32::from) + n as i32 + if over { 5 } else { i32::from(t) } + i32::from(P18_A[7].saturating_neg())
}
