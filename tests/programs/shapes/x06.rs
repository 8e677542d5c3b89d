// a list among other arguments of a constructor holds the weights of its table
#[derive(Clone, Copy)]
pub struct X06Score(i16);
#[derive(Clone, Copy)]
pub struct X06Of<T>([T; 4]);
#[derive(Clone, Copy)]
pub struct X06Table(X06Of<X06Score>);
#[derive(Clone, Copy)]
pub enum X06Man { Pawn, Knight }
pub const X06_MEN: [i32; 2] = [/*@*/82, /*@*/337];
pub const X06_FIRST: X06Table = X06Table::new(X06Man::Pawn, X06_MEN, [/*@*/7, /*@*/-3, /*@*/12, /*@*/5]);
pub const X06_OTHER: X06Table = X06Table::new(X06Man::Knight, X06_MEN, [/*@*/17, /*@*/31, /*@*/-22, /*@*/9]);
impl X06Table {
    const fn new(man: X06Man, men: [i32; 2], table: [i32; 4]) -> Self {
        let mut turned = [X06Score(0); 4];
        let mut i = 0;
        while i < 4 {
            turned[i] = X06Score((table[i ^ 2] + men[man as usize]) as i16);
            i += 1;
        }
        Self(X06Of(turned))
    }
    pub const fn at(&self, square: usize) -> X06Score {
        self.0.0[square]
    }
}
pub fn evaluate(b: &B) -> i32 {
    let of = |man: usize| if man % 2 == 0 { &X06_FIRST } else { &X06_OTHER };
    of(b.s[0]).at(b.s[1] % 4).0 as i32 * b.m[0] + of(b.s[2]).at(b.s[3] % 4).0 as i32 * b.m[1]
}
