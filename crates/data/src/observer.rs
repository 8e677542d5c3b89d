//! The progress of a reading.

use std::ops::ControlFlow;
use std::sync::Arc;

/// How far a reading got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadProgress {
    /// Bytes taken from the inputs, compressed as they stand.
    pub bytes: u64,
    /// Positions read so far.
    pub positions: u64,
    /// How many positions there are; `None` where that is not known.
    pub of: Option<u64>,
}

/// A function that is told now and then how far the reading got.
#[derive(Clone)]
pub struct Observer(Arc<Tell>);

tuner_base::impl_fmt! { Debug for Observer, |self, f| f.write_str("Observer(…)") }

type Tell = dyn Fn(ReadProgress) -> ControlFlow<()> + Send + Sync;

impl Observer {
    /// Makes an observer that calls `tell` about a hundred times a second while data are read, from
    /// the thread that called `read`. If `tell` breaks, the reading ends with
    /// [`InputError::Stopped`](super::InputError::Stopped).
    pub fn new(tell: impl Fn(ReadProgress) -> ControlFlow<()> + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }

    /// Tells the observer's function how far the reading got; [`ControlFlow::Break`] ends the
    /// reading.
    pub fn tell(&self, progress: ReadProgress) -> ControlFlow<()> {
        (self.0)(progress)
    }
}
