//! The cure of `refused/cache.rs`: the twin keeps nothing.

use std::cell::RefCell;
use std::collections::HashMap;
use tuner_core::tunable;

#[path = "../refused/support/plain.rs"]
mod plain;

#[tunable]
#[derive(Clone, Copy)]
pub struct S(i32, i32);

#[tunable]
const ATTACK: i32 = 30;

thread_local! {
    static CACHE: RefCell<HashMap<u64, i32>> = RefCell::default();
}

static mut LAST: [i32; 4] = [0; 4];

#[tunable]
fn evaluate(key: u64, count: i32, slot: &mut plain::Slot) -> i32 {
    let score = ATTACK * count;
    tuner_core::untraced! {
        CACHE.with(|cache| cache.borrow_mut().insert(key, score));
        unsafe { LAST[0] = score };
        slot.score = score;
        slot.score += ATTACK;
    }
    score
}

fn main() {
    evaluate(7, 2, &mut plain::Slot { score: 0 });
}
