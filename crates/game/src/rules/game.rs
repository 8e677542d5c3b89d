//! A game in progress.

use super::{Ending, Rules, Seen};

/// A position, with what came before it.
#[derive(Debug)]
pub struct Game<'r, R: Rules + ?Sized> {
    rules: &'r R,
    start: R::Position,
    position: R::Position,
    moves: Vec<R::Move>,
    before: Vec<Seen>,
}

impl<R: Rules + ?Sized> Clone for Game<'_, R> {
    /// Clones the game, also where rules of type `R` cannot be cloned: they are borrowed.
    fn clone(&self) -> Self {
        Self {
            rules: self.rules,
            start: self.start.clone(),
            position: self.position.clone(),
            moves: self.moves.clone(),
            before: self.before.clone(),
        }
    }
}

impl<'r, R: Rules + ?Sized> Game<'r, R> {
    /// Begins a game at the position `start`, without any move.
    pub fn new(rules: &'r R, start: R::Position) -> Self {
        Self {
            rules,
            position: start.clone(),
            start,
            moves: Vec::new(),
            before: Vec::new(),
        }
    }

    /// The rules that it is played by.
    pub fn rules(&self) -> &'r R {
        self.rules
    }

    /// The position that it began with.
    pub fn start(&self) -> &R::Position {
        &self.start
    }

    /// The position now.
    pub fn position(&self) -> &R::Position {
        &self.position
    }

    /// The moves played, oldest first.
    pub fn moves(&self) -> &[R::Move] {
        &self.moves
    }

    /// Returns the positions before the present one, oldest first, each as far as a rule about
    /// repetitions needs it: its key, and whether it was a check.
    pub fn before(&self) -> &[Seen] {
        &self.before
    }

    /// Plays a legal move, and notes the position before it, by its key and whether it was a check,
    /// for rules about repetitions.
    pub fn play(&mut self, m: R::Move) {
        self.before.push(Seen {
            key: self.rules.key(&self.position),
            check: self.rules.is_check(&self.position),
        });
        self.moves.push(m);
        self.rules.play(&mut self.position, m);
    }

    /// Returns how the rules end the game in the present position, repetitions counted; `None` if
    /// it continues.
    pub fn ending(&self) -> Option<Ending> {
        self.rules.ending(&self.position, &self.before)
    }
}
