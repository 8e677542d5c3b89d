//! From a [`Trace`] to a row of the [trace set](crate::TraceSet): leaf numbers
//! become slots, and the two halves of a tapered pair become one segment.

use tuner_base::{LaneId, Slot};
use tuner_trace::Trace;

use crate::share::Sharing;
use crate::slot_sums::SlotSums;
use crate::{RowDraft, Segment};

/// Turns traces into rows for one layout of weights; reuses its buffers.
#[derive(Clone, Debug, Default)]
pub struct Compactor {
    /// By leaf number, its lane: which of the two numbers of which slot it is.
    lanes: Vec<LaneId>,
    /// Halves (terms of one form in one lane) that are not in a segment yet: those of lane 0, those
    /// of lane 1.
    halves: [Vec<Half>; 2],
    wide: Vec<Wide>,
    /// By form of the trace, the sums that it became, as `2·segment + lane`, with the factor of
    /// each. Filled only if the trace has an expression.
    sums: Vec<Vec<(u32, f64)>>,
    sharing: Sharing,
    /// Sums coefficients by slot when two halves are joined.
    joined: SlotSums,
    /// Empty lists, kept for their memory.
    spare_terms: Vec<Vec<(Slot, i16)>>,
    spare_entries: Vec<Vec<(Slot, [i16; 2])>>,
}

/// The terms of one form that lie in one lane.
#[derive(Clone, Debug, Default)]
struct Half {
    form: usize,
    factor: f64,
    terms: Vec<(Slot, i16)>,
}

/// A term whose coefficient is beyond 16 bits.
#[derive(Clone, Copy, Debug)]
struct Wide {
    form: usize,
    factor: f64,
    coefficient: f64,
    lane: LaneId,
}

impl Compactor {
    /// Makes a compactor; `lanes[leaf]` is the lane in which a leaf lives.
    pub fn new(lanes: Vec<LaneId>) -> Self {
        let slots = lanes.iter().map(|lane| lane.slot().index() + 1).max();
        Self {
            joined: SlotSums::new(slots.unwrap_or(0)),
            lanes,
            ..Self::default()
        }
    }

    /// Overwrites `draft` with the row of a trace. The terms of each form are split by lane; one
    /// part of lane 0 and one of lane 1 become a segment, and each coefficient beyond 16 bits one
    /// of its own. The inputs of the expression, forms in the trace, become sums over lanes of
    /// segments.
    ///
    /// *Numerics*: exact, but for the order of sums in an expression. A coefficient beyond
    /// 16 bits becomes a factor.
    ///
    /// # Panics
    /// If a leaf has no lane.
    pub fn draft(&mut self, trace: &Trace, draft: &mut RowDraft) {
        for mut segment in draft.segments.drain(..) {
            segment.entries.clear();
            self.spare_entries.push(segment.entries);
        }
        draft.constant = trace.constant;
        self.split(trace);
        // The longest lists of lanes 0 and 1 are the two ends of the taper, so both are sorted by
        // length.
        for halves in &mut self.halves {
            halves.sort_by_key(|half| half.terms.len());
        }
        loop {
            match (self.halves[0].pop(), self.halves[1].pop()) {
                (None, None) => break,
                (mg, eg) => self.join(mg, eg, draft),
            }
        }
        for wide in std::mem::take(&mut self.wide) {
            // The factor of the segment takes the coefficient, and its one entry counts once; the
            // factor of the other lane stays 0.
            let side = wide.lane.side();
            let mut factors = [0.0; 2];
            factors[side] = wide.factor * wide.coefficient;
            let sum = (2 * draft.segments.len() + side) as u32;
            if let Some(sums) = self.sums.get_mut(wide.form) {
                sums.push((sum, wide.coefficient));
            }
            let mut entries = self.spare_entries.pop().unwrap_or_default();
            entries.push((wide.lane.slot(), [1; 2]));
            draft.segments.push(Segment { factors, entries });
        }
        draft.expression = trace.expression.as_ref().map(|expression| {
            // Input: the number of a form. It becomes the sums over lanes that the form went into.
            let over_sums = expression.with_inputs(|form| self.sums[form as usize].clone());
            self.sharing.shared(&over_sums)
        });
    }

    /// Splits each form into its terms in lane 0 and in lane 1, put into `halves`, and those whose
    /// coefficients are beyond 16 bits, put into `wide`; what these lists had before is cleared.
    /// `sums`, the sums that a form becomes, gets an empty list for each form if the trace has an
    /// expression, else none at all.
    fn split(&mut self, trace: &Trace) {
        self.halves.iter_mut().for_each(Vec::clear);
        self.wide.clear();
        self.sums.iter_mut().for_each(Vec::clear);
        let has_sums = trace.expression.is_some();
        let forms = if has_sums { trace.forms.len() } else { 0 };
        self.sums.resize_with(forms, Vec::new);
        for (number, form) in trace.forms.iter().enumerate() {
            // The terms of the form in lane 0, and those in lane 1.
            let mut parts = [(); 2].map(|()| self.spare_terms.pop().unwrap_or_default());
            for &(leaf, coefficient) in &form.terms {
                let lane = self.lanes[leaf.index()];
                match i16::try_from(coefficient) {
                    Ok(small) => parts[lane.side()].push((lane.slot(), small)),
                    Err(_) => self.wide.push(Wide {
                        form: number,
                        factor: form.factor,
                        coefficient: coefficient as f64,
                        lane,
                    }),
                }
            }
            for (half, terms) in parts.into_iter().enumerate() {
                if terms.is_empty() {
                    self.spare_terms.push(terms);
                } else {
                    self.halves[half].push(Half {
                        form: number,
                        factor: form.factor,
                        terms,
                    });
                }
            }
        }
    }

    /// Appends one segment to `draft`, of a middlegame half `mg` (terms of a form in lane 0), an
    /// endgame half `eg` (in lane 1), or one of them: a slot counts in each lane as often as the
    /// half of that lane says. Notes in `sums`, for expressions, which lane of which segment each
    /// half's form has become.
    fn join(&mut self, mg: Option<Half>, eg: Option<Half>, draft: &mut RowDraft) {
        let mut entries = self.spare_entries.pop().unwrap_or_default();
        let mut factors = [0.0; 2];
        for (side, half) in [mg, eg].into_iter().enumerate() {
            let Some(mut half) = half else { continue };
            if let Some(sums) = self.sums.get_mut(half.form) {
                sums.push(((2 * draft.segments.len() + side) as u32, 1.0));
            }
            factors[side] = half.factor;
            for (slot, coefficient) in half.terms.drain(..) {
                self.joined.add(slot, side, coefficient, &mut entries);
            }
            self.spare_terms.push(half.terms);
        }
        self.joined.take_into(&mut entries);
        draft.segments.push(Segment { factors, entries });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tuner_trace::{Form, Leaf};

    fn draft(forms: &[(f64, &[(u32, i64)])]) -> RowDraft {
        let forms = forms.iter().map(|&(factor, terms)| Form {
            factor,
            terms: terms.iter().map(|&(leaf, c)| (Leaf(leaf), c)).collect(),
        });
        let trace = Trace {
            constant: 3.0,
            forms: forms.collect(),
            ..Trace::default()
        };
        let mut draft = RowDraft::default();
        Compactor::new((0..20).map(LaneId).collect()).draft(&trace, &mut draft);
        assert!((draft.constant - 3.0).abs() < 1e-12);
        draft
    }

    #[test]
    fn a_tapered_position_is_one_segment() {
        let draft = draft(&[(0.25, &[(4, -1), (0, 2)]), (0.75, &[(1, 2), (5, -1)])]);
        let expected = Segment::same([0.25, 0.75], [(Slot(0), 2), (Slot(2), -1)]);
        assert_eq!(draft.segments, [expected]);
    }

    #[test]
    fn no_more_lists_are_kept_than_a_row_takes() {
        let terms = [(3, 40_000), (4, 1), (5, 2)];
        let form = Form {
            factor: 0.5,
            terms: terms.map(|(leaf, c)| (Leaf(leaf), c)).to_vec(),
        };
        let trace = Trace {
            forms: vec![form],
            ..Trace::default()
        };
        let mut compactor = Compactor::new((0..20).map(LaneId).collect());
        let mut draft = RowDraft::default();
        for _ in 0..100 {
            compactor.draft(&trace, &mut draft);
        }
        let kept = compactor.spare_entries.len() + compactor.spare_terms.len();
        assert!(kept <= 4, "{kept}");
    }

    #[test]
    fn each_half_has_its_own_coefficients() {
        let draft = draft(&[
            (0.25, &[(0, 2), (2, 1)]),
            (0.75, &[(1, 2), (3, 5), (5, 1)]),
            (1.0, &[(6, 1)]),
        ]);
        let all: Vec<_> = draft
            .segments
            .iter()
            .map(|s| (s.factors, s.entries.clone()))
            .collect();
        assert_eq!(
            all,
            [
                (
                    [0.25, 0.75],
                    vec![(Slot(0), [2, 2]), (Slot(1), [1, 5]), (Slot(2), [0, 1])]
                ),
                ([1.0, 0.0], vec![(Slot(3), [1, 0])]),
            ]
        );
    }

    #[test]
    fn a_wide_coefficient_is_stored_exactly() {
        let draft = draft(&[(0.5, &[(3, 40_000)])]);
        assert_eq!(
            draft.segments,
            [Segment {
                factors: [0.0, 20_000.0],
                entries: vec![(Slot(1), [1; 2])]
            }]
        );
    }
}
