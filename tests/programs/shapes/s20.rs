// Rc, Cell, RefCell, Box of a score
pub const S20_A: [i32; 8] = [/*@*/3, /*@*/-5, /*@*/8, /*@*/13, /*@*/21, /*@*/-34, /*@*/55, /*@*/89];
use std::cell::{Cell, RefCell};
use std::rc::Rc;
pub fn evaluate(b: &B) -> i32 {
    let c = Rc::new(Cell::new(S20_A[0])); let d = Rc::clone(&c);
    for &k in &b.s { d.set(d.get() + S20_A[k] * b.m[k]); }
    let old = c.replace(S20_A[1]);
    let r = RefCell::new(vec![S20_A[2]]); r.borrow_mut().push(S20_A[3] * b.m[0]); *r.borrow_mut().last_mut().unwrap() += c.take();
    let mut x = Box::new(S20_A[4]); *x -= b.m[1];
    old + r.borrow().iter().sum::<i32>() + *x
}
