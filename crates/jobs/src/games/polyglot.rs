//! Openings of a Polyglot book, drawn by its weights.
//!
//! A book is entries of 16 bytes, sorted: the key of a position, a move, its weight, and four
//! bytes that are not used, each with the highest byte first. Keys are those of
//! `tuner_chess::Fen`, which are Polyglot's.

use std::collections::HashSet;
use std::path::Path;

use rand::{Rng, RngExt as _};
use tuner_base::Fingerprint;
use tuner_data::AnyGame;
use tuner_play::generator;

/// The stream of random numbers that draws openings; no game has this number.
const DRAWING: u64 = u64::MAX - 1;

/// So many draws in a row without a new opening end the drawing: those that were drawn are then
/// taken for all. Chosen: what is left is drawn in less than one game of some hundred.
const AGAIN: u64 = 1_000;

/// Most openings that are drawn. Chosen: they take some seconds, and no match needs more.
const MOST: u64 = 1 << 18;

/// The beginning of the first line of a text of openings that were drawn from a Polyglot book. The
/// rest of that line is the fingerprint of the book, whatever number of openings is drawn.
pub(super) const HEAD: &str = "# polyglot ";

/// Tells whether a file is a Polyglot book, which is one whose name ends in `.bin`.
pub(super) fn is_polyglot(file: &Path) -> bool {
    file.extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("bin"))
}

struct Book<'b> {
    game: &'b AnyGame,
    entries: &'b [[u8; 16]],
}

/// Returns up to `count` different openings of up to `plies` plies as a text: a first line of
/// `HEAD` (`# polyglot `) and the fingerprint of the book, then an opening a line. There are
/// fewer once `AGAIN` (1000) draws in a row gave known ones, and `MOST` (2¹⁸) at most. Draws
/// follow `seed` alone, so a larger `count` only adds openings at the end. The error is in words,
/// without the name of the file.
pub(super) fn drawn(
    game: &AnyGame,
    bytes: &[u8],
    plies: usize,
    seed: u64,
    count: u64,
) -> Result<String, String> {
    let name = game.name();
    if name != "FEN" {
        return Err(format!(
            "a Polyglot book is of chess, and games begin with {name}; name a file with a position a line"
        ));
    }
    let (entries, rest) = bytes.as_chunks();
    if entries.is_empty() || !rest.is_empty() {
        let found = bytes.len();
        return Err(format!(
            "found {found} bytes, expected entries of 16 each: it is cut off, or no Polyglot book"
        ));
    }
    let book = Book { game, entries };
    if let Some(at) = (1..entries.len()).find(|&at| book.key(at) < book.key(at - 1)) {
        return Err(format!(
            "entry {}: found a key below that of the entry before, expected them in order: it is \
             damaged, or no Polyglot book",
            at + 1
        ));
    }
    let mut rng = generator(seed, DRAWING);
    let mut openings = HashSet::new();
    let mut text = format!("{HEAD}{:016x}\n", Fingerprint::of_bytes(bytes));
    let mut again = 0;
    while (openings.len() as u64) < count.min(MOST) && again < AGAIN {
        let opening = book.opening(plies, &mut rng)?;
        if openings.contains(&opening) {
            again += 1;
            continue;
        }
        again = 0;
        text += &opening;
        text += "\n";
        openings.insert(opening);
    }
    Ok(text)
}

impl Book<'_> {
    /// Returns the first 8 of the 16 bytes of entry `at`, the highest first: Polyglot's hash of the
    /// position that the entry has a move of.
    fn key(&self, at: usize) -> u64 {
        // An entry has 16 bytes, so the first 8 are always there.
        u64::from_be_bytes(*self.entries[at].first_chunk().unwrap_or(&[0; 8]))
    }

    /// Draws an opening: plays moves of the book from the initial position, each with a probability
    /// in proportion to its weight, until the book has none or `plies` are played. Returns the line
    /// `startpos moves …`. Fails if the book has no move of the initial position, or one that is
    /// not legal.
    fn opening(&self, plies: usize, rng: &mut impl Rng) -> Result<String, String> {
        let mut position = self.game.initial();
        let mut moves = String::new();
        for ply in 0..plies {
            let key = self.game.key(&position);
            // Entries are sorted by key, so those of the position are in a row.
            let begin = (self.entries).partition_point(|entry| entry[..8] < key.to_be_bytes()[..]);
            let of_position = (begin..self.entries.len()).take_while(|&at| self.key(at) == key);
            // The move is in bytes 8 and 9 of an entry, its weight in 10 and 11.
            let number = |at: usize, byte: usize| {
                u16::from_be_bytes([self.entries[at][byte], self.entries[at][byte + 1]])
            };
            let weight = |at: usize| u64::from(number(at, 10));
            let all: u64 = of_position.clone().map(weight).sum();
            if all == 0 && ply == 0 {
                return Err(
                    "found no move of the position that games begin with, expected some with a \
                     weight above 0: it is damaged, or no Polyglot book of chess"
                        .to_owned(),
                );
            }
            if all == 0 {
                break;
            }
            // A number below the sum of the weights; the entry in whose share of the sum it falls
            // is drawn.
            let mut left = rng.random_range(0..all);
            let drawn = of_position.into_iter().find(|&at| {
                let is_here = left < weight(at);
                left = left.saturating_sub(weight(at));
                is_here
            });
            // `left` is below the sum of all shares, so an entry is always found.
            let at = drawn.unwrap_or(begin);
            let uci = uci(number(at, 8));
            let m = self.game.read_move(&position, &uci).ok_or_else(|| {
                format!(
                    "entry {}: found {uci}, expected a legal move in {}",
                    at + 1,
                    self.game.describe(&position)
                )
            })?;
            moves += " ";
            moves += &self.game.write_move(&position, m);
            self.game.play(&mut position, m);
        }
        let word = if moves.is_empty() { "" } else { " moves" };
        Ok(format!("startpos{word}{moves}"))
    }
}

/// Returns a Polyglot move as UCI writes it. From the lowest bit, the move has three bits each for
/// the file and the rank that it goes to, then for the file and the rank that it comes from, then
/// for the piece that a pawn becomes: 0 for none, 1 to 4 for knight, bishop, rook and queen. Other
/// numbers become `?`, which is no legal move. A king castles onto its own rook, as Polyglot has
/// it.
fn uci(m: u16) -> String {
    let bits = |shift: u16| (m >> shift & 7) as u8;
    let square = |shift| [(b'a' + bits(shift)).into(), (b'1' + bits(shift + 3)).into()];
    let promoted = [None, Some('n'), Some('b'), Some('r'), Some('q')];
    let promoted = promoted.get(usize::from(bits(12)));
    let promoted = promoted.copied().unwrap_or(Some('?'));
    let squares: [[char; 2]; 2] = [square(6), square(0)];
    squares.into_iter().flatten().chain(promoted).collect()
}
