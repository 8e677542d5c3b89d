const P03_A: [i32; 4] = [/*@*/10, /*@*/20, /*@*/30, /*@*/40];
pub fn evaluate(b: &B) -> i32 {
    let mut s = 0i32;
    for i in 0..4 { s = s.checked_add(P03_A[i].checked_mul(b.m[i]).unwrap()).expect("fits"); }
    s = s.checked_sub(P03_A[0]).unwrap_or(0);
    s.checked_neg().unwrap()
}
