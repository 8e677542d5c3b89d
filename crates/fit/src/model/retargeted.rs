//! Streamed rows with blended targets and shared weights.

use super::sample_weighting::{Totals, totals};
use super::{Part, PassError, SampleWeighting, TargetBlend};
use tuner_rows::{Blocks, Token, TraceSet};

/// Blocks of which every row is changed as it is read: they are not in memory,
/// so they cannot be changed once for all.
#[derive(Debug)]
pub struct Retargeted<'a> {
    blocks: &'a dyn Blocks,
    mix: Option<TargetBlend>,
    weighing: SampleWeighting,
    /// The weight of each game; a game may be in several blocks.
    totals: Totals,
}

impl<'a> Retargeted<'a> {
    /// Mixes targets, if there is something to mix, and shares weights.
    ///
    /// *Cost*: a pass where weights are shared, and some bytes a game.
    ///
    /// # Errors
    /// If rows cannot be read.
    pub fn new(
        blocks: &'a dyn Blocks,
        mix: Option<TargetBlend>,
        weighing: SampleWeighting,
    ) -> Result<Self, PassError> {
        let totals = if weighing == SampleWeighting::Positions {
            Totals::new()
        } else {
            totals(blocks.into(), Part::All)?
        };
        Ok(Self {
            blocks,
            mix,
            weighing,
            totals,
        })
    }
}

impl Blocks for Retargeted<'_> {
    fn slots(&self) -> usize {
        self.blocks.slots()
    }

    fn rows(&self) -> usize {
        self.blocks.rows()
    }

    fn count(&self) -> usize {
        self.blocks.count()
    }

    fn tokens(&self) -> &[Token] {
        self.blocks.tokens()
    }

    fn load(&self, block: usize) -> Option<TraceSet> {
        let mut set = self.blocks.load(block)?;
        if let Some(mix) = self.mix {
            mix.apply(&mut set);
        }
        if self.weighing != SampleWeighting::Positions {
            self.weighing.share(&mut set, &self.totals);
        }
        Some(set)
    }

    fn done(&self, block: TraceSet) {
        self.blocks.done(block);
    }

    fn failure(&self) -> Option<String> {
        self.blocks.failure()
    }
}
