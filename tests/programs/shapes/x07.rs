// a method of a trait that reads weights for one type, and is of plain numbers for others, here
// and in a module without twin
pub trait X07Value { fn x07_value(&self, twice: bool) -> i32; fn x07_name(&self) -> &str { "" } }
#[derive(Clone, Copy)]
pub enum X07Piece { Pawn, Queen }
impl X07Value for X07Piece {
    fn x07_value(&self, twice: bool) -> i32 {
        match self { X07Piece::Pawn => 1 + i32::from(twice), X07Piece::Queen => 9 }
    }
}
pub mod x07_plain {
    pub struct Square(pub usize);
    impl super::X07Value for Square { fn x07_value(&self, _: bool) -> i32 { self.0 as i32 % 3 } }
}
pub struct X07Board<'a>(pub &'a B);
pub const X07_TEMPO: i32 = /*@*/12;
pub const X07_MEN: [i32; 2] = [/*@*/100, /*@*/310];
impl X07Value for X07Board<'_> {
    fn x07_value(&self, twice: bool) -> i32 {
        let mut sum = X07_MEN[0] * self.0.m[0] + X07_MEN[1] * self.0.m[1];
        for piece in &[X07Piece::Pawn, X07Piece::Queen] {
            sum += piece.x07_value(twice) + X07_TEMPO * i32::from(twice);
        }
        let squares = self.0.s.iter().map(|s| x07_plain::Square(*s));
        sum + squares.map(|square| square.x07_value(false)).sum::<i32>()
    }
}
pub fn evaluate(b: &B) -> i32 { X07Board(b).x07_value(b.side) + X07Piece::Pawn.x07_value(true) }
