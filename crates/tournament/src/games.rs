//! Games of a match or of self-play on several threads and ranks, in their order.

use std::ops::ControlFlow;

use super::parallel::{Batch, Wire, in_order_among};
use tuner_play::{GameText, PlayError, PlayerFault};

/// Plays the games or pairs of these numbers and hands them over in their order.
///
/// `start` makes what a thread plays with, `each` plays one. `take` may break off, as
/// [`in_order`](crate::in_order) says, for a test that is decided: then nothing depends on
/// how many were under way.
///
/// # Errors
/// The first error of `start` or `each`, in the order of the games; those before it have
/// been taken. Only on the first rank.
pub fn games_in_order<S, T: GameText>(
    batch: &Batch,
    start: impl Fn() -> Result<S, PlayError> + Sync,
    each: impl Fn(&mut S, u64) -> Result<T, PlayError> + Sync,
    take: impl FnMut(Option<(u64, T)>) -> ControlFlow<()>,
) -> Result<(), PlayError> {
    let failed = |words| PlayError::Player(PlayerFault::Unusable(words));
    let wire = Wire {
        write: &|game: &T| game.write().into_bytes(),
        read: &|bytes| {
            let text = std::str::from_utf8(bytes).map_err(|error| error.to_string());
            text.and_then(T::read).map_err(|words| {
                failed(format!(
                    "another rank sent what is no game here ({words}): all ranks need the same \
                     program"
                ))
            })
        },
        failed: &failed,
    };
    in_order_among(batch, &wire, start, each, take)
}
