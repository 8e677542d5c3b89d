//! Results that are drawn with the expectation that known weights give them.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::evaluation::Evaluation;
use crate::session::{EvaluationError, Scored};
use tuner_base::Fingerprint;
use tuner_data::{Perspective, Sample, SampleLocation};
use tuner_model::Sigmoid;

/// A result for each position: won or lost, with the expectation that some weights give it.
#[derive(Clone, Debug)]
pub struct DrawnResults {
    /// The weights, by their numbers in the evaluator.
    pub values: Vec<f64>,
    /// The expectation of a score.
    pub sigmoid: Sigmoid,
    /// Seed of the draws.
    pub seed: u64,
}

impl DrawnResults {
    /// Returns a drawn result, 1 or 0 for the first player, for each position, or the evaluator's
    /// reason why it has no score. `positions`: the texts of the positions `read`.
    pub(crate) fn of(
        &self,
        evaluation: &Evaluation,
        positions: &[String],
        read: &[Sample],
    ) -> Result<Vec<Result<f64, String>>, EvaluationError> {
        let mut session = evaluation.session()?;
        session.at(&self.values)?;
        let side_to_move = evaluation.perspective() == Perspective::SideToMove;
        let scores = session.scores(positions)?.into_iter().zip(read);
        let result = |(found, read): (Scored, &Sample)| {
            let (score, first_to_move) = found?;
            let turned = side_to_move && !first_to_move;
            let score = if turned { -score.value } else { score.value };
            Ok(self.drawn(score, read.location))
        };
        Ok(scores.map(result).collect())
    }

    /// Draws the result, 1 or 0, of a position with this score for the first player. The draw
    /// depends on the seed, the place and the score alone, so it is the same in any order.
    fn drawn(&self, score: f64, place: SampleLocation) -> f64 {
        // Positions of a game may share the place; their scores tell them apart.
        let mut hash = Fingerprint::new();
        hash.list([self.seed, place.input.into(), place.line, score.to_bits()].into_iter());
        let mut rng = ChaCha8Rng::seed_from_u64(hash.value());
        f64::from(u8::from(
            rng.random::<f64>() < self.sigmoid.expectation(score),
        ))
    }
}
