//! The program from outside: about the example engines, and by itself.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that says what is wrong by failing"
)]

mod black_box;
mod builds;
mod chess;
mod cli;
mod conversation;
mod conversation_shapes;
mod cpp;
mod data;
mod evaluator;
mod evidence;
mod examples;
mod gauntlets;
mod labels;
mod matches;
mod new;
mod new_shapes;
mod othello;
#[cfg(unix)]
mod pages;
mod resume;
mod schema;
#[cfg(unix)]
mod scripts;
mod shogi;
mod solving;
mod source;
#[cfg(unix)]
mod spsa;
mod support;
mod traces;
mod wrong_rows;
