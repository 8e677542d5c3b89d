//! viriformat: games of viridithas, a position and its moves with scores.
//!
//! *Layout* (little endian): 32 bytes of the first position (8 of occupied
//! squares, 16 with a nibble a piece: pawn to king from 0, 6 a rook that may
//! castle, 8 added for Black; a byte with the en passant square, 64 if none,
//! and 128 if Black moves; half-move clock; 2 bytes of move number, 2 of score;
//! result 0, 1, 2 for White; a byte without meaning), then 4 bytes a move: from,
//! to, promotion, kind (castling is king takes rook), and White's score of the
//! position before it; four zeros end the game.
//!
//! *Positions* are those in which a move was played. Half-moves before them
//! are counted by the move number; files whose games all begin with number 0 or
//! 1 behind an opening at random have 0 there, so that `--opening-plies` leaves
//! out moves of the engine. *Rejects* games whose
//! first position is not legal, with moves that are not, other results.
//! *Source*: crate viriformat 3.0.

use shakmaty::{Chess, Color, Move, Piece, Position, Role, Square};
use tuner_data::Outcome;
use tuner_data::{Around, Fault, Found, GameKey, Labelled, MATE, Place, Records, Unit};

use super::{ROLES, board, fault, position, torn};

const HEADER: usize = 32;
const STEP: usize = 4;

/// viriformat; the [module](self) says what is accepted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Viri;

impl Records<Chess> for Viri {
    fn name(&self) -> &'static str {
        "viriformat"
    }

    fn pattern(&self) -> &'static str {
        "32 bytes a game and 4 a move"
    }

    fn unit(&self) -> Unit {
        Unit::Games
    }

    fn recognises(&self, first: &[u8], _: bool) -> bool {
        let Some((game, true)) = games(first).next() else {
            return false;
        };
        read(game).is_ok_and(|(plies, _)| !plies.is_empty())
    }

    fn cut(&self, bytes: &[u8]) -> Option<usize> {
        let whole = games(bytes).filter(|(_, whole)| *whole);
        let end = whole.map(|(game, _)| game.len()).sum();
        (end > 0).then_some(end)
    }

    fn count(&self, bytes: &[u8]) -> u64 {
        games(bytes).count() as u64
    }

    fn parse(&self, bytes: &[u8], to: &mut dyn FnMut(Found<Chess>)) {
        for (line, (game, whole)) in (0..).zip(games(bytes)) {
            if !whole {
                let fault = torn(game.len(), "games that end with four zeros");
                to(Found::Rejected(Place { line, column: 1 }, fault));
                continue;
            }
            match read(game) {
                Ok((plies, outcome)) => tell(game, line, plies, outcome, to),
                Err((column, fault)) => to(Found::Rejected(Place { line, column }, fault)),
            }
        }
    }
}

/// Cuts games; the last may not be whole.
fn games(bytes: &[u8]) -> impl Iterator<Item = (&[u8], bool)> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let steps = rest.get(HEADER..).unwrap_or_default().as_chunks::<STEP>().0;
        let end = steps.iter().position(|step| *step == [0; STEP]);
        let Some(end) = end else {
            return Some((std::mem::take(&mut rest), false));
        };
        let (game, after) = rest.split_at(HEADER + (end + 1) * STEP);
        rest = after;
        Some((game, true))
    })
}

/// A position in which a move was played.
struct Ply {
    position: Chess,
    tactical: bool,
    score: i32,
}

/// Reads a game, or says at which half-move, counted from 1, it is wrong.
fn read(game: &[u8]) -> Result<(Vec<Ply>, Outcome), (u64, Fault)> {
    let (header, moves) = game.split_at(HEADER.min(game.len()));
    let (mut position, outcome) = start(header).map_err(|fault| (1, fault))?;
    let steps = moves.as_chunks::<STEP>().0;
    let mut plies = Vec::with_capacity(steps.len());
    for (number, &[a, b, c, d]) in (1..).zip(steps.iter().take(steps.len().saturating_sub(1))) {
        let bits = u16::from_le_bytes([a, b]);
        let Some(m) = decoded(bits, &position) else {
            let fen = shakmaty::fen::Fen::from_position(&position, shakmaty::EnPassantMode::Legal);
            let found = format!("the move {bits:#06x} in {fen}");
            return Err((number, fault(found, "a legal move")));
        };
        plies.push(Ply {
            position: position.clone(),
            tactical: m.is_capture() || m.is_promotion(),
            score: i32::from(i16::from_le_bytes([c, d])),
        });
        position.play_unchecked(m);
    }
    Ok((plies, outcome))
}

fn start(header: &[u8]) -> Result<(Chess, Outcome), Fault> {
    let [occupied, first, second, rest] = header.as_chunks::<8>().0 else {
        return Err(torn(header.len(), "32 bytes of a position"));
    };
    let mut nibbles = [0; 16];
    nibbles[..8].copy_from_slice(first);
    nibbles[8..].copy_from_slice(second);
    let mut setup = board(
        u64::from_le_bytes(*occupied),
        &nibbles,
        |setup, square, nibble| {
            let colour = if nibble < 8 {
                Color::White
            } else {
                Color::Black
            };
            let role = match nibble & 7 {
                6 => {
                    setup.castling_rights.add(square);
                    Role::Rook
                }
                code => *ROLES.get(usize::from(code))?,
            };
            Some(Piece {
                color: colour,
                role,
            })
        },
    )?;
    let [turn, halfmoves, low, high, _, _, result, _] = *rest;
    setup.turn = if turn < 128 {
        Color::White
    } else {
        Color::Black
    };
    setup.ep_square = match turn & 127 {
        64 => None,
        number => {
            let square = Square::try_from(number).ok();
            if square.is_none() {
                let found = format!("the en passant square {number}");
                return Err(fault(found, "a square, or 64"));
            }
            square
        }
    };
    setup.halfmoves = u32::from(halfmoves);
    let fullmoves = u32::from(u16::from_le_bytes([low, high])).max(1);
    setup.fullmoves = std::num::NonZeroU32::new(fullmoves).unwrap_or(setup.fullmoves);
    let outcome = match result {
        0 => Outcome::Loss,
        1 => Outcome::Draw,
        2 => Outcome::Win,
        _ => return Err(fault(format!("the result {result}"), "0, 1 or 2")),
    };
    Ok((position(&setup)?, outcome))
}

/// The legal move that bits stand for.
fn decoded(bits: u16, position: &Chess) -> Option<Move> {
    let square = |shift: u16| Square::try_from(((bits >> shift) & 63) as u8).ok();
    let (from, to) = (square(0)?, square(6)?);
    let promotion = ROLES.get(usize::from((bits >> 12) & 3) + 1).copied();
    let role = position.board().role_at(from)?;
    let m = match bits >> 14 {
        0b10 => Move::Castle {
            king: from,
            rook: to,
        },
        0b01 => Move::EnPassant { from, to },
        kind => Move::Normal {
            role,
            from,
            capture: position.board().role_at(to),
            to,
            promotion: promotion.filter(|_| kind == 0b11),
        },
    };
    position.is_legal(m).then_some(m)
}

fn tell(
    game: &[u8],
    line: u64,
    plies: Vec<Ply>,
    outcome: Outcome,
    to: &mut dyn FnMut(Found<Chess>),
) {
    let key = GameKey::of_bytes(game);
    let count = plies.len() as u32;
    let mut last_tactical = None;
    for (number, ply) in (0..).zip(plies) {
        let moves = ply.position.fullmoves().get() - 1;
        let around = Around {
            last_tactical,
            next_tactical: Some(ply.tactical),
            plies_left: Some(count - number),
            forfeit: Some(false),
        };
        last_tactical = Some(ply.tactical);
        let black = u32::from(ply.position.turn().is_black());
        let labelled = Labelled {
            outcome: outcome.into(),
            search_score: (ply.score.abs() <= MATE).then_some(ply.score),
            game: Some(key),
            ply: Some(moves * 2 + black),
            around,
            position: ply.position,
        };
        let column = u64::from(number) + 1;
        to(Found::Position(Place { line, column }, labelled));
    }
    to(Found::Unit);
}
