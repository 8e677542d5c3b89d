//! The `main.rs` of a crate of mutated evaluations without twins: the score of each
//! at the weights of its source, and of the same with other weights.

#![allow(unused, reason = "drawn code has parentheses and variables to spare")]

mod made;

use std::error::Error;
use std::io::{self, BufRead, Write};
use std::panic::catch_unwind;

/// A position, as far as the evaluations look at it.
pub struct Board {
    pub men: [i32; 4],
    pub squares: [usize; 4],
    pub phase: i32,
    pub side: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    std::panic::set_hook(Box::new(|_| {}));
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let numbers: Result<Vec<i64>, _> = line?.split(' ').map(str::parse).collect();
        let numbers = numbers?;
        let board = Board {
            men: std::array::from_fn(|man| numbers[1 + man] as i32),
            squares: std::array::from_fn(|man| numbers[5 + man] as usize),
            phase: numbers[9] as i32,
            side: numbers[10] != 0,
        };
        let both = made::BOTH[numbers[0] as usize];
        let scores = both.map(|evaluate: fn(&Board) -> i32| {
            catch_unwind(std::panic::AssertUnwindSafe(|| evaluate(&board)))
        });
        match scores {
            [Ok(own), Ok(other)] => writeln!(out, "{own} {other}")?,
            _ => writeln!(out, "panics")?,
        }
    }
    Ok(())
}
