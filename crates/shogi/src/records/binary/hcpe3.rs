//! hcpe3: games of dlshogi, with a score for each move that was searched.
//!
//! *Layout* (little endian): 36 bytes of a game, which are 32 of its first
//! position (that of hcpe), 2 with the number of moves, a byte of result (that of
//! hcpe) and one for the opponent, which is ignored; then for each move 2 bytes
//! of it (as in hcpe), 2 of score, the side to move's, 2 with the number of
//! candidates, and 4 for each of these, which are ignored: a move and its visits.
//!
//! *Positions* are those in which a move was played. A move without candidates
//! was not searched, but drawn or from a book: its score is none, as are those
//! beyond ±32,000. *Games* end by a result, never on time.
//!
//! *Rejects* a game with another result, an invalid first position, or a move that
//! is not legal, with the number of the game and of the move; and what is not a
//! whole game at the end, as is the rest behind damaged numbers of moves or
//! candidates. *Source*: `HuffmanCodedPosAndEval3`, `MoveInfo` and `MoveVisits` of
//! dlshogi (Yamaoka).

use tuner_data::in_bytes::{BEYOND_MATE, fault, movers_score};
use tuner_data::{RecordPlace, RecordUnit, Records, units};

use super::huffman::HCP;
use super::{hcp_move, hcp_result, is_first, position, word};
use crate::Position;
use crate::records::game::{GameEnd, GameSoFar, Rejection, Replay, tell};

const HEADER: usize = 36;
const STEP: usize = 6;
const CANDIDATE: usize = 4;

/// Games of dlshogi; the [module](self) says what is accepted.
pub(crate) const HCPE3: Records<Position> = Records {
    name: "hcpe3",
    pattern: "36 bytes a game, 6 a move and 4 a candidate",
    unit: RecordUnit::Games,
    takes_stated: false,
    // The first game may be longer than what there is of it: its moves decide.
    recognises: |first, _| steps(first).next().is_some() && replay(first, 0).is_ok(),
    cut: |bytes| units::cut(bytes, end),
    count: |bytes| units::count(bytes, end),
    parse: &|bytes, _, to| {
        units::parse(bytes, end, "whole games", to, |game, line, to| {
            tell(replay(game, line), game, to);
        });
    },
};

/// Returns where the first game ends: 36 bytes with the number of moves at byte 32, then 6 bytes
/// for each move, of which the last two count its candidates, and 4 for each candidate. `None` if
/// the game is not whole.
fn end(bytes: &[u8]) -> Option<usize> {
    bytes.get(..HEADER)?;
    let moves = usize::from(word(bytes, 32));
    let mut count = 0;
    let mut end = HEADER;
    for (at, _) in steps(bytes) {
        count += 1;
        end = at + STEP + CANDIDATE * usize::from(word(bytes, at + 4));
    }
    (count == moves && end <= bytes.len()).then_some(end)
}

/// Returns the moves of the first game, 6 bytes each, with the byte where each begins; fewer if the
/// game is not whole. The candidates behind each move, which it counts, are passed over.
fn steps(game: &[u8]) -> impl Iterator<Item = (usize, &[u8; STEP])> {
    let mut at = HEADER;
    (0..word(game, 32)).map_while(move |_| {
        let step = game.get(at..)?.first_chunk::<STEP>()?;
        let begin = at;
        at += STEP + CANDIDATE * usize::from(word(step, 4));
        Some((begin, step))
    })
}

/// Plays a game of hcpe3, which is number `line` of the input: 32 bytes of its first position, 2
/// with the number of moves, the result in byte 34, one that is ignored, then moves with scores of
/// the side to move. A move without candidates was not searched, so it has no score. The score of
/// one that was searched says nothing if it is beyond that of a mate (32,000): it is left out, and
/// counted, but for 32,002, which marks a position to be left out. The rejection is at the move
/// that is wrong, counted from 1; at 1 also if it is the first position or the result.
fn replay(game: &[u8], line: u64) -> Result<GameSoFar, Rejection> {
    let at = |column| RecordPlace::new(line, column);
    let rejection = |column, fault| Rejection(at(column), fault);
    let start = position(game, &HCP).map_err(|fault| rejection(1, fault))?;
    // Callers see to it that the head of 36 bytes is there.
    let result = game.get(34).copied().unwrap_or_default();
    let outcome = hcp_result(result).map_err(|fault| rejection(1, fault))?;
    let (mut replay, mut unread_scores) = (Replay::new(&start), Vec::new());
    for (column, (_, step)) in (1..).zip(steps(game)) {
        let bits = word(step, 0);
        let legal = hcp_move(bits).filter(|m| replay.position().is_legal(*m));
        let Some(played) = legal else {
            let found = format!("the move {bits:#06x} in {}", replay.position());
            return Err(rejection(column, fault(found, "a legal move")));
        };
        let score = movers_score(word(step, 2).cast_signed(), is_first(replay.position()));
        let is_searched = word(step, 4) > 0;
        unread_scores.extend((is_searched && score.is_none()).then(|| at(column)));
        replay.play(played, score.filter(|_| is_searched), at(column));
    }
    let mut game = GameSoFar::whole(replay, GameEnd::of(outcome));
    for place in unread_scores {
        game.unread(place, || BEYOND_MATE.into());
    }
    Ok(game)
}
