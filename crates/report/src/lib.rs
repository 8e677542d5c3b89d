//! The record of a run for a person: a page, the lines that matter most, and two
//! runs next to each other.
//!
//! - [`html()`]: one page of a `tuner_record::RunRecord`, from which nothing else is loaded.
//! - [`terminal()`]: its best 25 lines.
//! - [`compare()`], [`compare_terminal()`]: two runs.
//! - [`match_page()`], [`loop_page()`]: the games of a match, the rounds of a loop,
//!   [`spsa_page()`]: numbers that games moved.
//!
//! Nothing is fitted or judged in this crate: it shows what a record says, the sentences
//! about a judgement in the words of the judge. Start reading at `digest`, which has what
//! pages and lines are made of.

mod compare;
mod digest;
mod html;
mod loop_page;
mod match_page;
mod spsa_page;
mod terminal;
mod text;
mod words;

pub use compare::{compare, compare_terminal};
pub use html::html;
pub use loop_page::loop_page;
pub use match_page::{MatchEnd, MatchRecord, match_page};
pub use spsa_page::{MovedNumber, SpsaRecord, spsa_page};
pub use terminal::{TerminalStyles, terminal, terminal_styled, verdict_lines};
pub use text::{clean, is_acted_on};
