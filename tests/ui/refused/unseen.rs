//! Calls that lead to production without a name: an `Index` of the author's, an iterator, a
//! path of a trait, one of a type parameter; and a score that nobody follows.

use std::ops::Index;

const TABLE: [i32; 4] = [1, 2, 3, 4];

struct View(usize);

impl Index<usize> for View {
    type Output = i32;

    fn index(&self, at: usize) -> &i32 {
        &TABLE[(self.0 + at) % 4]
    }
}

struct Terms(usize);

impl Iterator for Terms {
    type Item = i32;

    fn next(&mut self) -> Option<i32> {
        self.0 += 1;
        TABLE.get(self.0).copied()
    }
}

trait Worth {
    fn worth(&self) -> i32;
}

trait Least {
    fn least() -> i32;
}

impl Worth for View {
    fn worth(&self) -> i32 {
        TABLE[self.0]
    }
}

impl Least for View {
    fn least() -> i32 {
        TABLE[0]
    }
}

fn least<T: Least>() -> i32 {
    T::least() + TABLE[1]
}

fn worth(of: &dyn Worth) -> i32 {
    of.worth() + TABLE[1]
}

fn terms() -> i32 {
    let mut sum = TABLE[0];
    for term in Terms(0) {
        sum += term;
    }
    sum
}

fn entry(at: usize) -> i32 {
    View(at)[1] + TABLE[2]
}

pub fn evaluate(at: usize) -> i32 {
    Worth::worth(&View(at)) + least::<View>() + worth(&View(at)) + terms() + entry(at)
}

pub fn count() -> i32 {
    TABLE.iter().count() as i32
}

#[cfg(feature = "tune")]
tuner_core::traced!();

fn main() {
    evaluate(1);
    count();
}
