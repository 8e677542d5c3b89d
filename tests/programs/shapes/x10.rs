// a board that has a default and sums up a score of its own, which the evaluation does not ask for
pub const X10_MEN: [i32; 2] = [/*@*/82, /*@*/337];
pub const X10_TEMPO: i32 = /*@*/9;
#[derive(Clone)]
pub struct X10Board { pub men: [i32; 2], pub kept: i64 }
impl Default for X10Board {
    fn default() -> Self { let men = [3, 2]; Self { men, kept: x10_kept(&men) } }
}
fn x10_kept(men: &[i32; 2]) -> i64 { let mut s = 0i64; for i in 0..2 { s += (X10_MEN[i] * men[i]) as i64; } s }
pub fn x10_count(board: &X10Board, man: usize) -> i32 { board.men[man] }
fn x10_total(board: &X10Board) -> i32 { X10_MEN[0] * x10_count(board, 0) + X10_MEN[1] * x10_count(board, 1) }
pub fn evaluate(b: &B) -> i32 { x10_total(&X10Board { men: [b.m[0], b.m[1]], kept: 0 }) + X10_TEMPO + X10Counts::default().0[0] }
#[derive(Default)]
pub struct X10Counts([i32; 2]);
