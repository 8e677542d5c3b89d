//! A table of weights inside a macro with its own syntax.

use tuner_core::tunable;

macro_rules! table {
    ($($name:ident: $($value:literal)*;)*) => { [$([$($value),*]),*] };
}

#[tunable]
const TABLE: [[i32; 2]; 2] = table! {
    rook: 10 20;
    queen: 30 40;
};

#[tunable]
fn evaluate(role: usize) -> i32 {
    TABLE[role][0]
}

fn main() {
    evaluate(1);
}
