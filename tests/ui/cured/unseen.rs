//! The cures of `refused/unseen.rs`: methods that are called by their names.

const TABLE: [i32; 4] = [1, 2, 3, 4];

struct View(usize);

impl View {
    fn at(&self, at: usize) -> i32 {
        TABLE[(self.0 + at) % 4]
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

fn worth(of: &View) -> i32 {
    of.worth() + TABLE[1]
}

fn term(at: usize) -> Option<i32> {
    TABLE.get(at).copied()
}

fn terms() -> i32 {
    let (mut sum, mut at) = (TABLE[0], 1);
    while let Some(term) = term(at) {
        sum += term;
        at += 1;
    }
    sum
}

fn entry(at: usize) -> i32 {
    View(at).at(1) + TABLE[2]
}

pub fn evaluate(at: usize) -> i32 {
    View(at).worth() + View::least() + worth(&View(at)) + terms() + entry(at)
}

pub fn count() -> i32 {
    TABLE.iter().count() as i32
}

#[cfg(feature = "tune")]
tuner_core::traced!(untraced(count));

fn main() {
    assert_eq!(evaluate(1), 2 + 1 + 4 + 10 + 6);
    count();
}
