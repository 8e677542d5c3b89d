//! Games of a match or of self-play on several threads and ranks, in their order.

use std::ops::ControlFlow;

use super::parallel::{Batch, Wire, in_order_among};
use tuner_play::{GameRecord, PairRecord, PlayError, PlayerFault};

/// Plays the pairs of these numbers and hands them over in their order.
///
/// `start` makes what a thread plays with, `each` plays a pair. `take` may break off, as
/// [`in_order`](crate::in_order) says, for a test that is decided: then nothing depends on
/// how many pairs were under way.
///
/// # Errors
/// The first error of `start` or `each`, in the order of the pairs; those before it have
/// been taken. Only on the first rank.
pub fn pairs_in_order<S>(
    batch: &Batch,
    start: impl Fn() -> Result<S, PlayError> + Sync,
    each: impl Fn(&mut S, u64) -> Result<PairRecord, PlayError> + Sync,
    take: impl FnMut(Option<(u64, PairRecord)>) -> ControlFlow<()>,
) -> Result<(), PlayError> {
    let wire = Wire {
        write: &|pair: &PairRecord| pair.write().into_bytes(),
        read: &|bytes| read(bytes, PairRecord::read),
        failed: &failed,
    };
    in_order_among(batch, &wire, start, each, take)
}

/// Plays the games of self-play of these numbers and hands them over in their order.
///
/// As [`pairs_in_order`].
///
/// # Errors
/// As there.
pub fn games_in_order<S>(
    batch: &Batch,
    start: impl Fn() -> Result<S, PlayError> + Sync,
    each: impl Fn(&mut S, u64) -> Result<GameRecord, PlayError> + Sync,
    take: impl FnMut(Option<(u64, GameRecord)>) -> ControlFlow<()>,
) -> Result<(), PlayError> {
    let wire = Wire {
        write: &|game: &GameRecord| game.write().into_bytes(),
        read: &|bytes| read(bytes, GameRecord::read),
        failed: &failed,
    };
    in_order_among(batch, &wire, start, each, take)
}

/// Reads what another rank sent.
fn read<T>(bytes: &[u8], read: impl Fn(&str) -> Result<T, String>) -> Result<T, PlayError> {
    let text = std::str::from_utf8(bytes).map_err(|error| error.to_string());
    text.and_then(read).map_err(|words| {
        failed(format!(
            "another rank sent what is no game here ({words}): all ranks need the same program"
        ))
    })
}

fn failed(words: String) -> PlayError {
    PlayError::Player(PlayerFault::Unusable(words))
}
