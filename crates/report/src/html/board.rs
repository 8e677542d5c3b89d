//! Boards of chess and shogi as pictures, from FEN and SFEN.
//!
//! Pieces of chess are outlines drawn here, those of shogi one character each. A text that
//! holds no board is none; nothing of it is drawn.

use std::collections::BTreeMap;

use maud::{Markup, PreEscaped, html};
use tuner_base::joined;
use tuner_engine::examine::{BoardPiece, BoardText};

/// Side of a square, in the unit of the picture.
const SIDE: usize = 20;

/// Outlines of the pieces of chess in a square of 20, and what both games share. They
/// are there once a page, and each piece names one.
const OUTLINES: &str = include_str!("outlines.svg");

/// The outlines of the pieces, which a page with boards holds once.
pub(super) fn outlines() -> Markup {
    PreEscaped(OUTLINES.replace('\n', ""))
}

/// A position that can be drawn.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Board<'t> {
    text: BoardText<'t>,
    /// Pieces in hand of the first player and of the second, in words.
    hands: [String; 2],
}

impl<'t> Board<'t> {
    /// Reads FEN or SFEN; `None` for any other text, and for pieces or hands that the game does not
    /// have.
    pub(super) fn read(text: &'t str) -> Option<Self> {
        let text = BoardText::read(text)?;
        // The letters of pieces as they are, and of those that may be promoted.
        let [plain, promoted] = if text.is_shogi() {
            ["PLNSGBRK", "PLNSBR"]
        } else {
            ["PNBRQK", ""]
        };
        let letters = |piece: &BoardPiece| if piece.promoted { promoted } else { plain };
        let mut pieces = text.squares.iter().flatten();
        let are_known = pieces.all(|piece| letters(piece).contains(piece.letter));
        let hands = hands(text.hands).filter(|_| are_known)?;
        Some(Self { text, hands })
    }

    /// Draws the board as SVG, seen by the first player, with the names of files and ranks.
    pub(super) fn draw(&self) -> Markup {
        let board = &self.text;
        let (side, margin) = (SIDE * board.size, 12);
        let shogi = board.is_shogi();
        let pieces = board.squares.iter().flatten().count();
        let title = format!("A board with {pieces} men, {} to move", board.player());
        let view = format!("0 0 {0} {0}", side + margin);
        html! {
            svg.board.shogi[shogi] viewBox=(view) role="img" aria-label=(title) {
                title { (title) }
                rect.light width=(side) height=(side) {}
                @if shogi { path.lines d=(lines(board.size)) {} } @else { path.dark d=(dark(board.size)) {} }
                @for n in 0..board.size {
                    @let [file, rank] = board.file_and_rank(n);
                    text x=(n * SIDE + SIDE / 2) y=(side + margin - 2) { (file) }
                    text x=(side + margin / 2) y=(n * SIDE + SIDE / 2 + 3) { (rank) }
                }
                @for (number, piece) in board.squares.iter().enumerate() {
                    @if let Some(piece) = piece {
                        (man(*piece, number % board.size * SIDE, number / board.size * SIDE, shogi))
                    }
                }
            }
        }
    }

    /// Says who is to move, and which pieces each player has in hand.
    pub(super) fn words(&self) -> String {
        let mut sentence = format!("{} to move", self.text.player());
        for (who, hand) in self.players().iter().zip(&self.hands) {
            if !hand.is_empty() {
                sentence.extend(["; in hand of ", *who, ": ", hand.as_str()]);
            }
        }
        sentence
    }

    /// The names of both players, the first before the second.
    pub(super) const fn players(&self) -> [&'static str; 2] {
        self.text.players()
    }
}

/// Draws a piece in the square whose upper left corner is at x, y, in the unit of the picture; one
/// of shogi is its character, turned for the second player.
fn man(piece: BoardPiece, x: usize, y: usize, shogi: bool) -> Markup {
    let side = if piece.first { "m1" } else { "m2" };
    if !shogi {
        let outline = format!("#c{}", piece.letter.to_ascii_lowercase());
        return html! { use class=(side) href=(outline) x=(x) y=(y) {} };
    }
    // The second player's pieces look down.
    let (mid, middle) = (x + SIDE / 2, y + SIDE / 2);
    let turned = (!piece.first).then(|| format!("rotate(180 {mid} {middle})"));
    html! {
        use class=(side) href="#sg" x=(x) y=(y) transform=[&turned] {}
        text.man.up[piece.promoted] x=(mid) y=(middle + 4) transform=[&turned] { (kanji(piece.letter, piece.promoted)) }
    }
}

/// The one character of a piece of shogi, by its letter in capitals as in SFEN; the king's for any
/// letter that is not known.
const fn kanji(letter: char, promoted: bool) -> char {
    match (letter, promoted) {
        ('P', false) => '歩',
        ('P', true) => 'と',
        ('L', false) => '香',
        ('L', true) => '杏',
        ('N', false) => '桂',
        ('N', true) => '圭',
        ('S', false) => '銀',
        ('S', true) => '全',
        ('G', _) => '金',
        ('B', false) => '角',
        ('B', true) => '馬',
        ('R', false) => '飛',
        ('R', true) => '龍',
        _ => '玉',
    }
}

/// Pieces that a hand holds, in the order in which they are named.
const ORDER: &str = "RBGSNLP";

/// The pieces in hand of both players in words, `飛, 2 歩`, from the field of SFEN: letters, capital
/// for the first player, each behind its count where it is more than one, or `-`. `None` for
/// another text.
fn hands(text: &str) -> Option<[String; 2]> {
    let mut held: [BTreeMap<usize, u32>; 2] = [BTreeMap::new(), BTreeMap::new()];
    let mut count = 0;
    for c in text.chars().filter(|_| text != "-") {
        if let Some(digit) = c.to_digit(10) {
            // A record may say anything; no hand has as many pieces as 99.
            count = (10 * count + digit).min(99);
            continue;
        }
        let place = ORDER.find(c.to_ascii_uppercase())?;
        let side = usize::from(!c.is_ascii_uppercase());
        *held[side].entry(place).or_default() += count.max(1);
        count = 0;
    }
    Some(held.map(|hand| {
        let pieces = hand.iter().map(|(&place, &count)| {
            // `false`: pieces in hand are not promoted.
            let piece = kanji(char::from(ORDER.as_bytes()[place]), false);
            match count {
                1 => piece.to_string(),
                _ => format!("{count} {piece}"),
            }
        });
        joined(pieces, ", ")
    }))
}

/// Returns the dark squares of a board, of `size` files and ranks, as the path of an SVG.
fn dark(size: usize) -> String {
    let dark = (0..size * size).filter(|n| (n / size + n % size) % 2 == 1);
    let square = |n: usize| {
        let (x, y) = (n % size * SIDE, n / size * SIDE);
        format!("M{x} {y}h{SIDE}v{SIDE}h-{SIDE}z")
    };
    dark.map(square).collect::<Vec<_>>().concat()
}

/// Returns the lines between the squares of a board, of `size` files and ranks, and around it, as
/// the path of an SVG.
fn lines(size: usize) -> String {
    let side = SIDE * size;
    let both = |n: usize| format!("M{0} 0v{side}M0 {0}h{side}", n * SIDE);
    (0..=size).map(both).collect::<Vec<_>>().concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_are_read_and_drawn() {
        let chess = Board::read("6k1/8/8/3N4/8/8/8/K7 b - - 0 1");
        let drawn = chess.map(|b| (b.words(), b.draw().into_string()));
        let (words, drawn) = drawn.unwrap_or_default();
        assert_eq!(words, "Black to move");
        // The knight on d5, White's.
        assert!(
            drawn.contains(r##"<use class="m1" href="#cn" x="60" y="60">"##),
            "{drawn}"
        );
        assert_eq!(drawn.matches("<use").count(), 3);
        let shogi = Board::read("4k4/9/3+P5/9/9/9/9/9/4K4 w 2Gp 7");
        let drawn = shogi.map(|b| (b.words(), b.draw().into_string()));
        let (words, drawn) = drawn.unwrap_or_default();
        assert_eq!(
            words,
            "Gote to move; in hand of Sente: 2 金; in hand of Gote: 歩"
        );
        assert!(
            drawn.contains(">と</text>") && drawn.contains("rotate(180 90 10)"),
            "{drawn}"
        );
    }

    #[test]
    fn what_is_no_board_is_not_drawn() {
        let nine = "9/9/9/9/9/9/9/9/9";
        for text in [
            "",
            "<script>alert(1)</script>",
            "8/8/8/8/8/8/8/8",
            "8/8/8/8/8/8/8/7 w",
            "8/8/8/8/8/8/8/9 w",
            "8/8/8/8/8/8/8/7X w",
            "8/8/8/8/8/8/8/7+P w",
            "8/8/8/8/8/8/8/8 <b>",
            &format!("{nine} b <b>"),
            &format!("{nine} b 2+P"),
            "9/9/9/9/9/9/9/9/8+G b -",
            "9/9/9/9/9/9/9/9/8+ b -",
        ] {
            assert_eq!(Board::read(text), None, "{text}");
        }
        assert!(Board::read(&format!("{nine} b 99999999999999999999p")).is_some());
        assert!(Board::read(&format!("{nine} b -")).is_some());
    }
}
