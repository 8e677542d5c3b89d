//! Tables without annotation.

pub const ATTACK: i32 = 30;
