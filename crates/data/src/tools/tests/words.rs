//! A game made for the purpose.

use crate::rules::{Ending, Rules, Seen};
use crate::{Fault, GameKey, PositionNotation};

/// A position is a word, with `+` at its end in check, and as many idle plies
/// as it has letters `i`.
pub(super) struct Words;

impl PositionNotation for Words {
    type Position = String;

    fn name(&self) -> &'static str {
        "WORD"
    }

    fn parse(&self, text: &str) -> Result<String, Fault> {
        Ok(text.to_owned())
    }

    fn describe(&self, position: &String) -> String {
        position.clone()
    }

    fn first_player_to_move(&self, position: &String) -> bool {
        !position.starts_with('b')
    }

    fn pieces(&self, position: &String) -> Option<u32> {
        Some(position.len() as u32)
    }

    fn material(&self, position: &String) -> Option<i32> {
        Some(1_000 * position.len() as i32)
    }
}

impl Rules for Words {
    type Move = u8;

    fn initial(&self) -> String {
        String::new()
    }

    fn legal_moves(&self, _: &String) -> Vec<u8> {
        Vec::new()
    }

    fn play(&self, _: &mut String, _: u8) {}

    fn is_check(&self, position: &String) -> bool {
        position.ends_with('+')
    }

    fn is_tactical(&self, _: &String, _: u8) -> bool {
        false
    }

    fn key(&self, position: &String) -> u64 {
        GameKey::of(position).0
    }

    fn idle_plies(&self, position: &String) -> u32 {
        position.matches('i').count() as u32
    }

    fn ending(&self, _: &String, _: &[Seen]) -> Option<Ending> {
        None
    }

    fn read_move(&self, _: &String, _: &str) -> Option<u8> {
        None
    }

    fn write_move(&self, _: &String, _: u8) -> String {
        String::new()
    }
}
