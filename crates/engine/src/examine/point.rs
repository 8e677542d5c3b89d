//! The score of one position at certain weights, and how it changes with them.

use tuner_base::LaneId;
use tuner_rows::{RowDraft, Segment};
use tuner_trace::ExpressionValues;

/// The row of a position at certain weights; a buffer to be reused.
#[derive(Clone, Debug, Default)]
pub struct TracePoint {
    pub(super) draft: RowDraft,
    score: f64,
    /// By segment of the row, which is a sum of weights with factors of its own, two sums: over the
    /// weights of lane 0 (middlegame) and of lane 1 (endgame).
    sums: Vec<f64>,
    /// The derivatives of the score by each of `sums`.
    slopes: Vec<f64>,
    evaluation: ExpressionValues,
}

/// One entry of a row, at the point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointTerm {
    /// The lane of the weight: its place among the values that rows are scored with.
    pub lane: LaneId,
    /// How much the score changes with the weight by this entry; a weight may have
    /// several.
    pub derivative: f64,
}

impl TracePoint {
    /// Computes the score of the row, and its derivatives by the sums of each segment, at weights
    /// by lane. Where the score is not linear in the weights, the value and the derivatives of its
    /// expression there are added.
    pub(super) fn linearise(&mut self, lanes: &[f64]) {
        self.sums.clear();
        self.slopes.clear();
        let mut score = self.draft.constant;
        for segment in &self.draft.segments {
            let sums = segment.sums(lanes);
            score += segment.factors[0] * sums[0] + segment.factors[1] * sums[1];
            self.sums.extend(sums);
            self.slopes.extend(segment.factors);
        }
        if let Some(expression) = &self.draft.expression {
            let (steps, constants) = (&expression.steps, &expression.constants);
            score += self.evaluation.value(steps, constants, &self.sums);
            self.evaluation.add_slopes(steps, &mut self.slopes);
        }
        self.score = score;
    }

    /// Returns the score, seen by the first player, without the truncation of
    /// integer divisions.
    pub const fn score(&self) -> f64 {
        self.score
    }

    /// Returns the part of the score that no weight explains.
    pub const fn constant(&self) -> f64 {
        self.draft.constant
    }

    /// Iterates over the entries of the row by which the score changes.
    pub fn terms(&self) -> impl Iterator<Item = PointTerm> + '_ {
        // By segment the slopes of its two sums, over lane 0 and over lane 1.
        let (slopes, _) = self.slopes.as_chunks::<2>();
        let segments = self.draft.segments.iter().zip(slopes);
        segments
            .flat_map(|(segment, slopes)| {
                let entries = segment.entries.iter();
                entries.flat_map(move |&(slot, counts)| {
                    (0..2).map(move |side| PointTerm {
                        lane: LaneId(2 * slot.0 + side as u32),
                        derivative: slopes[side] * f64::from(counts[side]),
                    })
                })
            })
            .filter(|term| term.derivative.abs() > 0.0)
    }

    /// Returns how much the score changes with the weight of a lane: the sum over its entries; 0 if
    /// the position does not read it.
    pub fn derivative(&self, lane: LaneId) -> f64 {
        let of_lane = self.terms().filter(|term| term.lane == lane);
        of_lane.map(|term| term.derivative).sum()
    }

    /// Returns how much a value of the middlegame and one of the endgame count in the score: its
    /// slopes by the two sums of a segment, over lane 0 and over lane 1. The segment is the largest
    /// that has entries in both lanes; `None` if no segment has. Others of the same entries, as
    /// where each phase is scaled by itself, count with it.
    pub(super) fn taper(&self) -> Option<[f64; 2]> {
        let has = |lane: usize, of: &Segment| of.entries.iter().any(|e| e.1[lane] != 0);
        let segment = self.largest(|segment| has(0, segment) && has(1, segment))?;
        let (all, slopes) = (&self.draft.segments, self.slopes.as_chunks::<2>().0);
        let alike = (all.iter().zip(slopes)).filter(|(of, _)| of.entries == all[segment].entries);
        Some(alike.fold([0.0; 2], |sum, (_, of)| [sum[0] + of[0], sum[1] + of[1]]))
    }

    /// Returns the number of the segment in which the evaluation adds up most of its terms, and for
    /// each of its lanes, middlegame and endgame, the count there of a term that the first player
    /// has once: 1, or −1 where the sum is the second player's; 0 in a lane without terms.
    ///
    /// It is the segment of most entries: among those that count the same in both lanes, as tapered
    /// terms do; else among those with a term in lane 1, which only tapered terms have; else among
    /// all. `None` where each term has a segment of its own, as those of an evaluator that only
    /// scores.
    pub(super) fn main_sum(&self) -> Option<(usize, [i16; 2])> {
        let is_tapered = |segment: &Segment| segment.entries.iter().all(|e| e.1[0] == e.1[1]);
        let has_second = |segment: &Segment| segment.entries.iter().any(|e| e.1[1] != 0);
        let (segment, lanes) = if let Some(both) = self.largest(is_tapered) {
            (both, [1, 1])
        } else if let Some(second) = self.largest(has_second) {
            (second, [0, 1])
        } else {
            (self.largest(|_| true)?, [1, 0])
        };
        let segments = &self.draft.segments;
        // A sum of many terms has at least as many entries as the row has segments.
        if segments[segment].entries.len() < segments.len() {
            return None;
        }
        // Where it is the second player's turn the sum may be that player's.
        let slopes = self.slopes.as_chunks::<2>().0[segment];
        let [mg, eg] = lanes.map(f64::from);
        let sign = if mg * slopes[0] + eg * slopes[1] < 0.0 {
            -1
        } else {
            1
        };
        Some((segment, lanes.map(|lane| sign * lane)))
    }

    /// Returns the number of the row's segment of most entries, among those for which `is_one` is
    /// true; `None` if it is true for no segment.
    fn largest(&self, is_one: impl Fn(&Segment) -> bool) -> Option<usize> {
        let segments = self.draft.segments.iter().enumerate();
        let segments = segments.filter(|(_, segment)| is_one(segment));
        let largest = segments.max_by_key(|(_, segment)| segment.entries.len());
        largest.map(|(number, _)| number)
    }
}
