//! Stockfish's binpack: chains of positions, one move apart.
//!
//! *Layout*: chunks `BINP`, a 4-byte size (little endian) and so many bytes of
//! chains. A chain is a first entry of 32 bytes (big endian: occupied squares,
//! a nibble a piece, move, score, ply and result, half-move clock), a 2-byte
//! count, and so many further moves with scores in bits. Result and scores are
//! the side to move's; a score of 32002 leaves the position out.
//!
//! *Positions*: all entries, each with the move that was played or preferred.
//! A chain is the part of a game that is in the file, so it counts as a game;
//! its key is a fingerprint of all its bytes, as many chains begin alike.
//! *Rejects* chains from the entry on whose position or move is not legal, and other results; the
//! length of a chain is known only from its moves, so the rest of the chunk is rejected with it.
//! *Ignores* bytes at the end of a chunk that are less than an entry.
//! *Source*: the comments of crate sfbinpack 0.6.5, and comparison with it.

use shakmaty::attacks::{attacks, king_attacks, pawn_attacks};
use shakmaty::{
    Bitboard, CastlingSide, Chess, Color, EnPassantMode, Move, Piece, Position, Role, Square,
};
use tuner_data::in_bytes::{BEYOND_MATE, fault, movers_result, movers_score, truncated};
use tuner_data::{
    Around, Expected, Fault, GameKey, LabelledPosition, RecordEvent, RecordPlace, RecordUnit,
    Records, units,
};

use super::bits::{Bits, signed};
use super::board::{Packed, PackedMoves, ROLES, normal, packed_move, position};
use crate::moves::is_tactical;

const MAGIC: &[u8] = b"BINP";
/// Bytes of a chunk before its chains: [`MAGIC`] and the size.
const HEADER: usize = 8;
/// Bytes of the first entry of a chain.
const ENTRY: usize = Packed::SIZE;

/// Stockfish's binpack; the [module](self) says what is accepted.
pub(crate) const BINPACK: Records<Chess> = Records {
    name: "binpack",
    pattern: "chunks that begin with BINP",
    unit: RecordUnit::Chains,
    takes_stated: false,
    recognises: |first, _| first.starts_with(MAGIC),
    cut,
    count: |bytes| units::count(bytes, end),
    parse: &|bytes, _, to| parse(bytes, to),
};

/// Returns where the last whole chunk ends (`BINP`, a size, and so many bytes); `None` if there is
/// none yet, so that more bytes are needed. If they are eight or more, and do not even begin with a
/// chunk, more of them would not help: their end is returned, and they are rejected together.
fn cut(bytes: &[u8]) -> Option<usize> {
    let no_chunk = bytes.len() >= HEADER && !bytes.starts_with(MAGIC);
    units::cut(bytes, end).or(no_chunk.then_some(bytes.len()))
}

/// Tells `to` the positions of some chunks. A chunk that is not whole is rejected, and so are bytes
/// that do not begin one.
fn parse(bytes: &[u8], to: &mut dyn FnMut(RecordEvent<Chess>)) {
    for (line, (chunk, whole)) in (0..).zip(units::units(bytes, end)) {
        if whole {
            chains(&chunk[HEADER..], line, to);
            continue;
        }
        let fault = if chunk.starts_with(&MAGIC[..chunk.len().min(4)]) {
            truncated(chunk.len(), "whole chunks")
        } else {
            fault("other bytes", "a chunk that begins with BINP")
        };
        to(RecordEvent::Rejected(RecordPlace::new(line, 1), fault));
    }
}

/// Returns where the first chunk ends: `BINP`, 4 bytes of size, and so many bytes. `None` if it is
/// not whole, or the bytes do not begin a chunk.
fn end(bytes: &[u8]) -> Option<usize> {
    let size = bytes.strip_prefix(MAGIC)?.first_chunk::<4>()?;
    let end = u32::from_le_bytes(*size) as usize + HEADER;
    (end <= bytes.len()).then_some(end)
}

/// Reads the chains of a chunk, which is number `line` of the input, and tells `to` their
/// positions. A chain is a run of positions one move apart: an entry of 32 bytes with the first
/// one, a count of 2 bytes, and so many further moves and scores in bits. The columns of events
/// count the positions of the chunk from 1. Of a chain that cannot be read the positions before the
/// mistake are told; the rest of the chunk is left, as only its moves say where a chain ends. A
/// position without a score had one beyond that of a mate, so that it was not read: how many there
/// are in a whole chain is told behind it. Fewer bytes at the end than a first entry and its count
/// are ignored.
fn chains(chunk: &[u8], line: u64, to: &mut dyn FnMut(RecordEvent<Chess>)) {
    let mut rest = chunk;
    let mut column = 0;
    let mut entries = Vec::new();
    while let Some((entry, after)) = rest.split_first_chunk::<ENTRY>() {
        let Some((count, moves)) = after.split_first_chunk::<2>() else {
            break;
        };
        let mut bits = Bits::new(moves);
        let read = Chain::new(entry).and_then(|mut chain| {
            entries.push(chain.labelled());
            for _ in 0..u16::from_be_bytes(*count) {
                chain.advance(&mut bits)?;
                entries.push(chain.labelled());
            }
            Ok(())
        });
        // The key is of all bytes of the chain, whose end is known only now.
        let (chain, after) = rest.split_at(ENTRY + count.len() + bits.bytes_read());
        let game = Some(GameKey::of_bytes(chain));
        let without_score = entries.iter().filter(|entry| entry.search_score.is_none());
        let without_score = without_score.count() as u64;
        for entry in entries.drain(..) {
            column += 1;
            let place = RecordPlace { line, column };
            let labelled = LabelledPosition { game, ..entry };
            to(RecordEvent::Position(place, labelled));
        }
        if let Err(fault) = read {
            column += 1;
            return to(RecordEvent::Rejected(RecordPlace { line, column }, fault));
        }
        rest = after;
        to(RecordEvent::Unit);
        if without_score > 0 {
            let place = RecordPlace { line, column };
            to(RecordEvent::Unread(
                place,
                without_score,
                BEYOND_MATE.into(),
            ));
        }
    }
}

/// A chain at one of its entries.
struct Chain {
    position: Chess,
    /// The move of this entry, which leads to the next one.
    next: Move,
    /// The score of the position for the side to move, in centipawns.
    score: i16,
    /// The result of the game for White.
    outcome: Expected,
    /// Half-moves before the position.
    ply: u32,
    /// Whether the move that led here captured or promoted; `None` at the first entry.
    last_tactical: Option<bool>,
}

impl Chain {
    /// Reads the first entry of a chain: board, then words of two bytes with the move, the score,
    /// ply (14 bits) and result (2 bits), and the half-move clock. Score and result are written as
    /// unsigned numbers, whose lowest bit is the sign (`signed`). A fault if the result is neither
    /// win, draw nor loss, or position or move are not legal.
    fn new(entry: &[u8; ENTRY]) -> Result<Self, Fault> {
        let packed = Packed::new(entry);
        let mut setup = packed.board(u64::from_be_bytes(packed.occupied), piece)?;
        let (words, _) = packed.rest.as_chunks::<2>();
        let word = |number: usize| u16::from_be_bytes(words[number]);
        let ply_and_result = word(2);
        let ply = u32::from(ply_and_result & 0x3fff);
        setup.halfmoves = u32::from(word(3));
        // The number of the move, which is at least 1, so that there is always one.
        setup.fullmoves = std::num::NonZeroU32::new(ply / 2 + 1).unwrap_or(setup.fullmoves);
        let position = position(&setup)?;
        let white = position.turn().is_white();
        let outcome = movers_result(signed(ply_and_result >> 14), white)?;
        let bits = word(0);
        let next = packed_move(bits, &MOVES, &position)
            .ok_or_else(|| fault(format!("the move {bits:#06x}"), "a legal move"))?;
        Ok(Self {
            position,
            next,
            score: signed(word(1)),
            outcome: outcome.into(),
            ply,
            last_tactical: None,
        })
    }

    /// Plays the move of this position, and reads the next move and score from the bits. The score
    /// is written as its difference to the score before, seen by the other side, in 16 bits that
    /// wrap. A fault if the bits end, or have a number beyond all choices, or the move is not
    /// legal.
    fn advance(&mut self, bits: &mut Bits<'_>) -> Result<(), Fault> {
        let end = || fault("the end of the chunk", "more moves, as the chain says");
        self.last_tactical = Some(is_tactical(self.next));
        self.position.play_unchecked(self.next);
        self.ply += 1;
        self.next = read_move(bits, &self.position).ok_or_else(end)?;
        if !self.position.is_legal(self.next) {
            let found = format!("the move {}", self.next);
            return Err(fault(found, "a legal move"));
        }
        let difference = signed(bits.number().ok_or_else(end)?);
        self.score = self.score.wrapping_neg().wrapping_add(difference);
        Ok(())
    }

    /// Returns the present position of the chain with its labels, but for its game.
    fn labelled(&self) -> LabelledPosition<Chess> {
        LabelledPosition {
            search_score: movers_score(self.score, self.position.turn().is_white()),
            ply: Some(self.ply),
            around: Around {
                last_tactical: self.last_tactical,
                next_tactical: Some(is_tactical(self.next)),
                ..Around::default()
            },
            ..LabelledPosition::new(self.position.clone(), self.outcome)
        }
    }
}

/// Decodes the four bits of a square in the first entry of a chain; every value is a piece. 0 to 11
/// are pawn to king, of each kind White's first. The others say more, which goes into `setup`: 12
/// is a pawn that may be taken en passant, 13 and 14 are rooks, White's and Black's, that may
/// castle, 15 is the black king if Black is to move.
#[expect(
    clippy::unnecessary_wraps,
    reason = "other formats have nibbles that are no piece"
)]
fn piece(setup: &mut shakmaty::Setup, square: Square, nibble: u8) -> Option<Piece> {
    let colour = Color::from_white(nibble.is_multiple_of(2));
    // What the four bits say goes into `setup`, as far as it is more than the piece.
    Some(match nibble {
        // Pawn to king, of each kind White's first.
        0..=11 => ROLES[usize::from(nibble / 2)].of(colour),
        12 => {
            // A pawn that has just moved two squares, and may be taken en passant: its rank says
            // whose it is.
            let white = square.rank() == shakmaty::Rank::Fourth;
            let back: i32 = if white { -8 } else { 8 };
            setup.ep_square = square.offset(back);
            Role::Pawn.of(Color::from_white(white))
        }
        // A rook that may castle, White's or Black's.
        13 | 14 => {
            setup.castling_rights.add(square);
            Role::Rook.of(Color::from_white(nibble == 13))
        }
        // 15, the black king where Black is to move.
        _ => {
            setup.turn = Color::Black;
            Role::King.of(Color::Black)
        }
    })
}

/// Where the move of a first entry, two bytes, has its parts.
const MOVES: PackedMoves = PackedMoves {
    from: 8,
    to: 2,
    promotion: 0,
    kinds: [2, 3, 1],
};

/// Reads a move from the bits: first which piece of the side to move, then which of its moves, each
/// counted in the order of squares; castling comes behind the steps of the king, to the queen's
/// side first. Moves that leave the king in check are among them: whether the move is legal is left
/// to the caller. `None` at the end of the bits, or if a number is beyond all choices.
fn read_move(bits: &mut Bits<'_>, position: &Chess) -> Option<Move> {
    let board = position.board();
    let us = position.turn();
    let (ours, theirs) = (board.by_color(us), board.by_color(us.other()));
    let from = nth(ours, bits.choice(ours.count())?)?;
    let role = board.role_at(from)?;
    match role {
        Role::Pawn => read_pawn_move(bits, position, from),
        Role::King => {
            let targets = king_attacks(from) & !ours;
            let castles = position.castles();
            let sides = [CastlingSide::QueenSide, CastlingSide::KingSide];
            let rooks = sides.iter().filter_map(|&side| castles.rook(us, side));
            let rooks: Vec<Square> = rooks.collect();
            let choice = bits.choice(targets.count() + rooks.len())?;
            if let Some(to) = nth(targets, choice) {
                return normal(position, from, to, None);
            }
            let rook = *rooks.get(choice - targets.count())?;
            Some(Move::Castle { king: from, rook })
        }
        _ => {
            let targets = attacks(from, role.of(us), ours | theirs) & !ours;
            let to = nth(targets, bits.choice(targets.count())?)?;
            normal(position, from, to, None)
        }
    }
}

/// Reads a move of a pawn: its captures and steps, counted in the order of squares; on the seventh
/// rank, as its side sees it, four for each square, for what the pawn becomes, a knight to a queen.
/// `None` at the end of the bits, or if the number is beyond all choices.
fn read_pawn_move(bits: &mut Bits<'_>, position: &Chess, from: Square) -> Option<Move> {
    let board = position.board();
    let us = position.turn();
    let passant = position.ep_square(EnPassantMode::Legal);
    let theirs = board.by_color(us.other()) | Bitboard::from_iter(passant);
    let mut targets = pawn_attacks(us, from) & theirs;
    let step: i32 = us.fold_wb(8, -8);
    let free = |square: &Square| !board.occupied().contains(*square);
    if let Some(one) = from.offset(step).filter(free) {
        targets.add(one);
        let at_home = from.rank() == us.fold_wb(shakmaty::Rank::Second, shakmaty::Rank::Seventh);
        if let Some(two) = one.offset(step).filter(free)
            && at_home
        {
            targets.add(two);
        }
    }
    if from.rank() == us.fold_wb(shakmaty::Rank::Seventh, shakmaty::Rank::Second) {
        let choice = bits.choice(targets.count() * 4)?;
        let to = nth(targets, choice / 4)?;
        let role = ROLES[choice % 4 + 1];
        return normal(position, from, to, Some(role));
    }
    let to = nth(targets, bits.choice(targets.count())?)?;
    if Some(to) == passant {
        return Some(Move::EnPassant { from, to });
    }
    normal(position, from, to, None)
}

/// Square number `n` of a set, counted from 0; `None` if it has fewer.
fn nth(squares: Bitboard, n: usize) -> Option<Square> {
    squares.into_iter().nth(n)
}
