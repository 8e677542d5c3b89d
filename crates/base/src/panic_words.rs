//! What a panic says, and where.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// Whether a panic of this thread is caught by [`caught`].
    static CATCHING: Cell<bool> = const { Cell::new(false) };
    /// Where the newest panic that is caught happened.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// A panic that was caught.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panicked {
    /// The message.
    pub words: String,
    /// File, line and column, once a program has called [`panics_tell_their_place`].
    pub place: Option<String>,
}

impl Panicked {
    /// Takes the message out of what a panic has left, which was caught by other means than
    /// [`caught`]. Its place is known if that was within a [`caught`] of this thread, in a program
    /// that has called [`panics_tell_their_place`].
    pub fn of(payload: &(dyn Any + Send)) -> Self {
        Self {
            words: words(payload).to_owned(),
            place: PLACE.take(),
        }
    }
}

crate::impl_fmt! { Display for Panicked, |self, f| match &self.place {
    Some(place) => write!(f, "{} ({place})", self.words),
    None => f.write_str(&self.words),
} }

/// Runs a function that may panic, and returns its result. What it was changing when it panicked
/// may be half done.
///
/// # Errors
/// If it panics.
pub fn caught<T>(run: impl FnOnce() -> T) -> Result<T, Panicked> {
    // Calls may be nested: the outer one still catches afterwards.
    let outer = CATCHING.replace(true);
    let outcome = panic::catch_unwind(AssertUnwindSafe(run));
    CATCHING.set(outer);
    outcome.map_err(|panic| Panicked::of(&*panic))
}

/// From now on a panic that [`caught`] catches prints nothing: its message and its place are in
/// [`Panicked`]. Other panics are printed as before. It is for a program to call, as it replaces
/// the hook that a process has for panics.
pub fn panics_tell_their_place() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if CATCHING.get() {
                PLACE.set(panic.location().map(ToString::to_string));
            } else {
                before(panic);
            }
        }));
    });
}

/// Returns the message that a panic has left; `it said nothing` if that is not a text.
fn words(payload: &(dyn Any + Send)) -> &str {
    let words = payload.downcast_ref::<String>().map(String::as_str);
    let words = words.or_else(|| payload.downcast_ref::<&str>().copied());
    words.unwrap_or("it said nothing")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic, reason = "what is tested")]

    use super::*;

    #[test]
    fn a_panic_says_where_once_a_program_asked_for_it() {
        panics_tell_their_place();
        let (line, outcome) = (line!(), caught(|| panic!("too many rooks")));
        let words = outcome.map_or_else(|panic: Panicked| panic.to_string(), |()| String::new());
        let place = format!("panic_words.rs:{line}:");
        let named = words.starts_with("too many rooks (") && words.contains(&place);
        assert!(named, "{words}");
        // The place of one panic is not that of the next.
        assert_eq!(caught(|| 7), Ok(7));
        let inner = caught(|| caught(|| panic!("inner")).is_err());
        assert_eq!(inner, Ok(true));
        assert!(!CATCHING.get() && PLACE.take().is_none());
    }
}
