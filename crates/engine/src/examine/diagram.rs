//! Boards of positions, read from FEN and SFEN, and drawn with letters.

use std::fmt::Write as _;

/// A piece on a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardPiece {
    /// The capital letter.
    pub letter: char,
    /// Whether `+` is before it.
    pub promoted: bool,
    /// Whether it is the first player's, whose letters are capitals.
    pub first: bool,
}

tuner_base::impl_fmt! {
/// Writes a piece as FEN and SFEN do: its letter, small for the second player, behind `+` if
/// promoted.
Display for BoardPiece, |self, f| {
    let plus = if self.promoted { "+" } else { "" };
    if self.first {
        return write!(f, "{plus}{}", self.letter);
    }
    write!(f, "{plus}{}", self.letter.to_ascii_lowercase())
} }

/// The board of a position in FEN or SFEN: with 8 ranks of chess, with 9 of shogi.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardText<'t> {
    /// Files and ranks.
    pub size: usize,
    /// Row by row from the top; `None` for an empty square.
    pub squares: Vec<Option<BoardPiece>>,
    /// Whether the first player is to move.
    pub first_to_move: bool,
    /// The field of pieces in hand; empty in chess.
    pub hands: &'t str,
}

impl<'t> BoardText<'t> {
    /// Reads FEN or SFEN; `None` of any other text.
    pub fn read(text: &'t str) -> Option<Self> {
        let mut fields = text.split_whitespace();
        // No board has more than nine rows, so ten are enough to refuse a longer text.
        let rows: Vec<&str> = fields.next()?.split('/').take(10).collect();
        let size = rows.len();
        let rows = rows.into_iter().map(|row| squares(row, size));
        let squares: Vec<_> = rows.collect::<Option<_>>()?;
        // White begins in chess, and is `w`; in shogi `b` does.
        let first_to_move = match (fields.next()?, size) {
            ("w", 8) | ("b", 9) => true,
            ("b", 8) | ("w", 9) => false,
            _ => return None,
        };
        Some(Self {
            size,
            squares: squares.concat(),
            first_to_move,
            hands: fields.next().filter(|_| size == 9).unwrap_or_default(),
        })
    }

    /// Tells whether the board is one of shogi, of nine files and ranks.
    pub const fn is_shogi(&self) -> bool {
        self.size == 9
    }

    /// Returns the names of both players of the game, the first player's before the second's.
    pub const fn players(&self) -> [&'static str; 2] {
        if self.is_shogi() {
            ["Sente", "Gote"]
        } else {
            ["White", "Black"]
        }
    }

    /// Returns the name of the player to move.
    pub const fn player(&self) -> &'static str {
        self.players()[if self.first_to_move { 0 } else { 1 }]
    }

    /// The names of the `n`th file from the left and of the `n`th rank from the top, counted from
    /// 0; a number beyond the board counts as the last one.
    pub fn file_and_rank(&self, n: usize) -> [String; 2] {
        let n = n.min(self.size.saturating_sub(1));
        let letter = char::from(b'a' + n as u8).to_string();
        let number = (self.size - n).to_string();
        if self.is_shogi() {
            [number, letter]
        } else {
            [letter, number]
        }
    }
}

/// The squares of a row of FEN or SFEN; `None` where they are not `size`, or not pieces.
fn squares(row: &str, size: usize) -> Option<Vec<Option<BoardPiece>>> {
    let (mut squares, mut promoted) = (Vec::new(), false);
    for c in row.chars() {
        match c.to_digit(10) {
            Some(empty) if !promoted => squares.extend((0..empty).map(|_| None)),
            None if c == '+' && !promoted => promoted = true,
            None if c.is_ascii_alphabetic() => squares.push(Some(BoardPiece {
                letter: c.to_ascii_uppercase(),
                promoted: std::mem::take(&mut promoted),
                first: c.is_ascii_uppercase(),
            })),
            _ => return None,
        }
    }
    (squares.len() == size && !promoted).then_some(squares)
}

/// Draws the board of a position in FEN or SFEN; `None` of a text that holds none.
///
/// Chess from White's side, shogi from sente's, with the files and ranks of its
/// moves, hands and side to move below. Capitals are the first player's, `+` is a
/// promoted piece.
pub fn diagram(text: &str) -> Option<String> {
    let board = BoardText::read(text)?;
    let width = if board.is_shogi() { 3 } else { 2 };
    let mut drawn = String::new();
    let mut files = " ".to_owned();
    for (number, row) in board.squares.chunks(board.size).enumerate() {
        let [file, rank] = board.file_and_rank(number);
        drawn.push_str(&rank);
        for square in row {
            let cell = square.map_or_else(|| ".".to_owned(), |piece| piece.to_string());
            // Writing into a string cannot fail.
            let _ = write!(drawn, "{cell:>width$}");
        }
        drawn.push('\n');
        let _ = write!(files, "{file:>width$}");
    }
    let _ = write!(drawn, "{files}\n{} to move", board.player());
    if !matches!(board.hands, "" | "-") {
        let _ = write!(drawn, ", in hand {}", board.hands);
    }
    drawn.push('\n');
    Some(drawn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chess_is_drawn_from_the_first_rank_up() {
        let drawn = diagram("6k1/8/8/3N4/8/8/8/K7 w - - 0 1").unwrap_or_default();
        let lines: Vec<&str> = drawn.lines().collect();
        assert_eq!(lines[0], "8 . . . . . . k .");
        assert_eq!(lines[3], "5 . . . N . . . .");
        assert_eq!(lines[8], "  a b c d e f g h");
        assert_eq!(lines[9], "White to move");
    }

    #[test]
    fn shogi_is_drawn_with_promotions_and_hands() {
        let text = "4k4/9/3+P5/9/9/9/9/9/4K4 w 2Gp 7";
        let drawn = diagram(text).unwrap_or_default();
        let lines: Vec<&str> = drawn.lines().collect();
        assert_eq!(lines[2], "c  .  .  . +P  .  .  .  .  .");
        assert_eq!(lines[9], "   9  8  7  6  5  4  3  2  1");
        assert_eq!(lines[10], "Gote to move, in hand 2Gp");
    }

    #[test]
    fn a_number_beyond_the_board_is_that_of_the_last_file_and_rank() {
        let board = BoardText::read("8/8/8/8/8/8/8/8 w");
        let names = board.map(|board| board.file_and_rank(9));
        assert_eq!(names, Some(["h", "1"].map(str::to_owned)));
    }

    #[test]
    fn what_is_no_board_is_not_drawn() {
        for text in ["", "hello", "8/8 w", "8/8/8/8/8/8/8/7 w", "8/8/8/8/8/8/8/8"] {
            assert_eq!(diagram(text), None, "{text}");
        }
    }
}
