//! How a game's positions are written.

use super::{Fault, FeatureCode, FeatureLanguage, LabelledPosition, Records};

/// Returns the letter of a piece, or of a right, of the other player, in notations in which
/// capitals are one player's; other characters as they are.
pub fn of_other_player(letter: char) -> char {
    if letter.is_ascii_uppercase() {
        letter.to_ascii_lowercase()
    } else {
        letter.to_ascii_uppercase()
    }
}

/// Writes a position, as text, and its labels as a record; or says what of it has no place there.
pub type RecordWriter = fn(&LabelledPosition<String>) -> Result<Vec<u8>, String>;

/// How a game's positions are written as text.
pub trait PositionNotation: Sync {
    /// A state of the game.
    type Position: Send + Sync + 'static;

    /// The notation's name in messages, and in lower case the table column
    /// that holds positions: "FEN", "SFEN".
    fn name(&self) -> &'static str;

    /// Returns the letter of the first player, `w` or `b`, in notations that name the players by
    /// these letters; `None` in a game that does not say.
    fn first_letter(&self) -> Option<char> {
        None
    }

    /// Reads a position.
    ///
    /// # Errors
    /// If the text is not a legal position; the fault says which field is wrong.
    fn parse(&self, text: &str) -> Result<Self::Position, Fault>;

    /// Adds the two clocks to the text of a position that lacks them: `idle`, the half-moves
    /// without progress, and `number`, that of the move, as the EPD operations `hmvc` and `fmvn`
    /// give them. `None` if the text has them already, or in a game that writes them otherwise.
    fn with_clocks(&self, _text: &str, _idle: &str, _number: &str) -> Option<String> {
        None
    }

    /// Returns the text of the position in which the players have changed roles: the colours are
    /// swapped and the board is turned round. `None` in a game that does not say.
    fn mirrored(&self, _text: &str) -> Option<String> {
        None
    }

    /// Writes a position so that [`parse`](Self::parse) reads it again.
    fn describe(&self, position: &Self::Position) -> String;

    /// Tells whether it is the first player's turn.
    fn first_player_to_move(&self, position: &Self::Position) -> bool;

    /// Returns how much more material the first player has on the board than the second, in
    /// hundredths of the least piece; `None` in a game that does not say. By it the reader of data
    /// notices results that look flipped.
    fn balance(&self, _position: &Self::Position) -> Option<i32> {
        None
    }

    /// The material of both players on the board, in hundredths of the least piece; `None` in a
    /// game that does not say.
    fn material(&self, _position: &Self::Position) -> Option<i32> {
        None
    }

    /// How many pieces are on the board, kings among them; `None` in a game that
    /// does not say.
    fn pieces(&self, _position: &Self::Position) -> Option<u32> {
        None
    }

    /// Formats of this game that are not one position a line: games, binary
    /// records. The first that [recognises](Records::recognises) an input
    /// reads it.
    fn records(&self) -> &[&Records<Self::Position>] {
        &[]
    }

    /// Returns the function that writes a position as a record of one of the formats of
    /// [`records`](Self::records), by the format's name; `None` for one that is only read.
    fn record_writer(&self, _format: &str) -> Option<RecordWriter> {
        None
    }

    /// Features that an evaluation of the game may have terms for, in words, of a player's own
    /// pieces: "rooks on open files". Empty in a game that knows none.
    fn feature_words(&self) -> Vec<String> {
        Vec::new()
    }

    /// How often each feature of [`feature_words`](Self::feature_words), in their order, counts in
    /// a position: the first player's minus the second player's.
    fn feature_counts(&self, _position: &Self::Position) -> Vec<i16> {
        Vec::new()
    }

    /// Returns functions that count some features, by their numbers among
    /// [`feature_words`](Self::feature_words); `None` in a game that knows no features, or at a
    /// number that none of them has.
    fn feature_code(&self, _features: &[usize], _language: FeatureLanguage) -> Option<FeatureCode> {
        None
    }
}
