const Q7_A: [i32; 4] = { let t = [/*@*/10, /*@*/20, /*@*/30, /*@*/40]; [t[3], t[2], t[1], t[0]] };
static Q7_U: std::sync::LazyLock<Vec<i32>> = std::sync::LazyLock::new(|| vec![/*@*/7, /*@*/8, /*@*/9, /*@*/11]);
thread_local! { static Q7_L: [i32; 2] = [/*@*/7, /*@*/8]; }
const Q7_B: [i32; 4] = [/*@*/1, /*@*/2, /*@*/3, /*@*/4];
pub fn evaluate(b: &B) -> i32 { let mut s = 0; for i in 0..4 { s += Q7_A[i] * b.m[i] + Q7_B[i] + Q7_U[i] * b.m[i + 1]; } s + Q7_L.with(|l| l[0]) }
