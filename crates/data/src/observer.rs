//! Progress of a reading.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How far a reading got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Bytes taken from the inputs, compressed as they stand.
    pub bytes: u64,
    /// Positions read so far.
    pub positions: u64,
}

/// A function that is told now and then how far the reading got.
#[derive(Clone)]
pub struct Observer(Arc<Tell>);

type Tell = dyn Fn(Progress) -> ControlFlow<()> + Send + Sync;

impl Observer {
    /// Wraps a function. It is called about a hundred times a second, from the
    /// thread that called `read`; if it breaks, the reading ends with
    /// [`InputError::Stopped`](super::InputError::Stopped).
    pub fn new(tell: impl Fn(Progress) -> ControlFlow<()> + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }

    /// Tells another observer, if there is one, and ends the reading once `stop`
    /// is set.
    pub fn until(other: Option<Self>, stop: Arc<AtomicBool>) -> Self {
        Self::new(move |progress| {
            if stop.load(Ordering::Relaxed) {
                return ControlFlow::Break(());
            }
            other
                .as_ref()
                .map_or(ControlFlow::Continue(()), |other| other.tell(progress))
        })
    }

    pub(super) fn tell(&self, progress: Progress) -> ControlFlow<()> {
        (self.0)(progress)
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Observer(…)")
    }
}
