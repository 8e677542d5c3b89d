//! From a row of a file to a row of the trace set.

use std::borrow::Cow;

use tuner_base::LaneId;
use tuner_game::GameKey;
use tuner_protocol::row::read as read_row;
use tuner_trace::{ExpressionValues, Form, Leaf, Step, Trace};

use super::features::{FeatureMap, Target};
use super::units::{Precision, units};
use super::{ImportError, RowPosition, TracePlace};
use crate::{Compactor, RowDraft, RowFault, RowInfo, Suspects, TraceSet};

/// Largest number of a row, in size: sums of squares of such numbers are far from overflow.
const LARGEST: f64 = 1e9;

/// The words for what is expected of a number that may have either sign, and its range.
const FINITE: &str = "a finite number, at most 1e9 in size";
const ANY_SIZE: [f64; 2] = [-LARGEST, LARGEST];

/// The facts, columns of single numbers: name, range, and what is expected, in words.
pub(super) const FACTS: [(&str, [f64; 2], &str); 7] = [
    ("outcome", [0.0, 1.0], "a number from 0 (loss) to 1 (win)"),
    ("constant", ANY_SIZE, FINITE),
    ("phase", ANY_SIZE, FINITE),
    ("eg_scale", ANY_SIZE, FINITE),
    (
        "weight",
        [0.0, LARGEST],
        "a finite number of at least 0, at most 1e9",
    ),
    (
        SEARCH_SCORE,
        [i32::MIN as f64, i32::MAX as f64],
        "an integer of 32 bits",
    ),
    ("score", ANY_SIZE, FINITE),
];

/// The only one of [`FACTS`] that is an integer.
const SEARCH_SCORE: &str = "search_score";

/// Most parameters that are named where a score is wrong.
const TERMS: usize = 10;

/// The game of a row.
#[derive(Clone, Debug)]
pub(super) enum GameId<'a> {
    Number(f64),
    Name(Cow<'a, str>),
}

impl<'a> GameId<'a> {
    /// The game that a word names: by a number if the word is an integer of 32 bits, else by the
    /// word.
    pub(super) fn of(word: impl Into<Cow<'a, str>>) -> Self {
        let word = word.into();
        let number = word.parse::<u32>().map(f64::from);
        number.map_or(Self::Name(word), Self::Number)
    }
}

/// A row as the file has it, not yet checked.
#[derive(Clone, Debug)]
pub(super) struct RawRow<'a> {
    pub(super) place: TracePlace,
    /// The value of each fact, in the order of [`FACTS`]; `None` where the row has none.
    pub(super) facts: [Option<f64>; FACTS.len()],
    pub(super) game: Option<GameId<'a>>,
    pub(super) features: &'a [f64],
    pub(super) coefficients: &'a [f64],
    /// The precision of the coefficients, by their type in the file.
    pub(super) precision: Precision,
    /// Further forms and the steps, as the words of a row that an evaluator answers.
    pub(super) steps: Option<&'a str>,
    /// The row, if the file has lines as an evaluator answers them; features are empty then.
    pub(super) traced: Option<TracedRow<'a>>,
}

/// A row of a position as an evaluator answers it.
#[derive(Clone, Copy, Debug)]
pub(super) struct TracedRow<'a> {
    pub(super) trace: &'a Trace,
    /// Whether its score is seen by the second player, so that it has to be negated.
    pub(super) is_turned: bool,
    pub(super) position: Option<&'a str>,
}

/// Memory that rows are made in, one after another.
#[derive(Debug, Default)]
pub(super) struct RowTools {
    compactor: Compactor,
    draft: RowDraft,
    trace: Trace,
    /// The forms and steps that a row has as words.
    written: Trace,
    /// Coefficients of the features of a row, by their targets: pairs (by the first lane of their
    /// slot), weights in lane 0, weights in lane 1. Those of one list may share a factor.
    parts: [Vec<(LaneId, f64)>; 3],
    values: ExpressionValues,
}

impl RowTools {
    /// Makes the memory for rows whose leaves have the lanes of a map.
    pub(super) fn new(map: &FeatureMap) -> Self {
        Self {
            compactor: Compactor::new(map.lanes.clone()),
            ..Self::default()
        }
    }
}

/// Builds the trace set, row by row, and part by part.
#[derive(Debug)]
pub(super) struct RowBuilder<'m> {
    map: &'m FeatureMap,
    /// Largest difference between a score and its row that counts as rounding.
    rounding: f64,
    keeps_positions: bool,
    pub(super) traces: TraceSet,
    /// Number of rows whose score was compared, and the largest difference, without sign.
    pub(super) compared: (u64, f64),
    /// Number of rows without steps that have a constant.
    pub(super) with_constant: u64,
    /// Number of rows with a score, but without weights to compare it at.
    pub(super) not_compared: u64,
    /// Whether a row begins with feature 0.
    pub(super) has_first: bool,
    /// Whether games are texts (else numbers), and where the first one is; `None` before that.
    pub(super) named_games: Option<(bool, TracePlace)>,
    /// Sums by parameter that may explain scores which contradict their rows.
    pub(super) suspects: Suspects,
    /// The positions of the rows, if they are kept.
    pub(super) positions: Vec<RowPosition>,
    rows: u64,
}

impl<'m> RowBuilder<'m> {
    /// Begins a set without rows. `map`: the weights that features are; `rounding`: the largest
    /// difference between a row's score in the file and its sum that is not reported, in the unit
    /// of the weights; `keeps_positions`: whether positions are kept beside rows.
    pub(super) fn new(map: &'m FeatureMap, rounding: f64, keeps_positions: bool) -> Self {
        Self {
            traces: TraceSet::new(map.slots),
            map,
            rounding,
            keeps_positions,
            compared: (0, 0.0),
            with_constant: 0,
            not_compared: 0,
            has_first: false,
            named_games: None,
            suspects: Suspects::default(),
            positions: Vec::new(),
            rows: 0,
        }
    }

    /// Appends the rows of the next part. Rows without games become games of their own, numbered
    /// over all parts. A part whose games are texts where those before are numbers, or the reverse,
    /// is reported.
    pub(super) fn append(&mut self, mut part: Self, problems: &mut ImportError) {
        if let Some((is_named, place)) = part.named_games {
            self.one_kind(is_named, place, problems);
        } else {
            // Each row is a game of its own, numbered behind the rows of the parts before.
            let before = self.rows as u32;
            part.traces
                .number_games(|row| before.wrapping_add(row as u32));
        }
        self.traces.append(&part.traces);
        self.compared.0 += part.compared.0;
        self.compared.1 = self.compared.1.max(part.compared.1);
        self.with_constant += part.with_constant;
        self.not_compared += part.not_compared;
        self.has_first |= part.has_first;
        self.suspects.merge(&part.suspects);
        self.positions.append(&mut part.positions);
        self.rows += part.rows;
    }

    /// Notes whether games are texts (`is_named`) or numbers; reports a kind that differs from that
    /// of the first game.
    fn one_kind(&mut self, is_named: bool, place: TracePlace, problems: &mut ImportError) {
        if self.named_games.get_or_insert((is_named, place)).0 != is_named {
            let what = "is a text where others are numbers, or a number where others are texts; \
                        give all games one kind";
            problems.cell(place, "game", what);
        }
    }

    /// Checks a row, and appends it to the traces; if anything is wrong with it, reports that and
    /// leaves the row out. `tools`: memory in which the row is made.
    pub(super) fn push(
        &mut self,
        tools: &mut RowTools,
        row: &RawRow<'_>,
        problems: &mut ImportError,
    ) {
        let before = problems.count;
        self.has_first |= row.features.first() == Some(&0.0);
        let info = self.info(row, problems);
        // A row that an evaluator answered is a trace already; any other becomes one in
        // `tools.trace`.
        if let Some(traced) = &row.traced {
            self.check_traced(tools, traced, row.place, problems);
        } else {
            self.fill(tools, row, problems);
            if problems.count == before {
                self.compare(tools, row, problems);
            }
        }
        if problems.count != before {
            return;
        }
        let trace = row.traced.map_or(&tools.trace, |traced| traced.trace);
        self.with_constant += u64::from(trace.expression.is_none() && trace.constant != 0.0);
        tools.compactor.draft(trace, &mut tools.draft);
        if row.traced.is_some_and(|traced| traced.is_turned) {
            tools.draft.turn();
        }
        if let Err(error) = self.traces.push(&tools.draft, &info) {
            problems.at(row.place, error.to_string());
        } else if self.keeps_positions
            && let Some(traced) = row.traced
            && let Some(position) = traced.position
        {
            let (text, score) = (position.to_owned(), traced.trace.score);
            self.positions.push(RowPosition { text, score, info });
        }
    }

    /// Returns the facts about a position that its trace does not hold; reports those that are out
    /// of range. A row without a game becomes one, numbered within this part; without a weight it
    /// counts once; without an outcome it has NaN, which the trace set refuses.
    fn info(&mut self, row: &RawRow<'_>, problems: &mut ImportError) -> RowInfo {
        let mut wrong = |column: &str, what: String| problems.cell(row.place, column, what);
        for ((name, [low, high], expected), value) in FACTS.into_iter().zip(row.facts) {
            if let Some(value) = value
                && (!(low..=high).contains(&value) || name == SEARCH_SCORE && value.fract() != 0.0)
            {
                wrong(name, format!("is {value}; expected {expected}"));
            }
        }
        let game = match &row.game {
            None => self.rows as u32,
            // Keyed as ids of an engine's positions are, so that both hold out the same games.
            Some(GameId::Name(name)) => GameKey::of(name).number(),
            &Some(GameId::Number(game)) => {
                if !(0.0..=f64::from(u32::MAX)).contains(&game) || game.fract() != 0.0 {
                    let expected = "expected an integer from 0 to 4294967295, or a text";
                    wrong("game", format!("is {game}; {expected}"));
                }
                game as u32
            }
        };
        if let Some(game) = &row.game {
            self.one_kind(matches!(game, GameId::Name(_)), row.place, problems);
        }
        self.rows += 1;
        // In the order of `FACTS`: outcome, constant, phase, eg_scale, weight, search_score, score.
        let [outcome, .., weight, search_score, _] = row.facts;
        RowInfo {
            outcome: outcome.unwrap_or(f64::NAN),
            game,
            weight: weight.unwrap_or(1.0),
            search_score: search_score.map(|score| score as i32),
        }
    }

    /// Makes the trace of a row of features in `tools.trace`; reports what is wrong with the row. A
    /// feature that is a pair of weights becomes a term of two forms, by the factors phase and (1 −
    /// phase)·eg_scale, any other one a term of a form with factor 1. Each factor is multiplied by
    /// one of the few numbers of which [`units`] finds the coefficients to be small multiples.
    fn fill(&self, tools: &mut RowTools, row: &RawRow<'_>, problems: &mut ImportError) {
        // In the order of `FACTS`: outcome, constant, phase, eg_scale, weight, search_score, score.
        let [_, constant, phase, scale, .., score] = row.facts;
        let RowTools { trace, parts, .. } = tools;
        // A row without these has a constant of 0, and an `eg_scale` of 1 next to its phase. A
        // score is compared only where the row has one.
        trace.constant = constant.unwrap_or(0.0);
        trace.score = score.unwrap_or(0.0);
        let taper = phase.map(|phase| [phase, (1.0 - phase) * scale.unwrap_or(1.0)]);
        for value in row.coefficients {
            if value.abs() > LARGEST || value.is_nan() {
                let what = format!("is {value}; expected {FINITE}");
                problems.cell(row.place, "coefficient", what);
            }
        }
        let [features, coefficients] = [row.features, row.coefficients];
        if features.len() != coefficients.len() {
            let (found, wanted) = (coefficients.len(), features.len());
            let what =
                format!("has {found} entries, `feature` has {wanted}; expected equal lengths");
            problems.cell(row.place, "coefficient", what);
            return;
        }
        // Pairs, weights in lane 0, weights in lane 1.
        parts.iter_mut().for_each(Vec::clear);
        for (&feature, &coefficient) in features.iter().zip(coefficients) {
            match self.map.target(feature) {
                Some(Target::Pair(slot)) => parts[0].push((LaneId(2 * slot.0), coefficient)),
                Some(Target::Lane(lane)) => parts[1 + lane.side()].push((lane, coefficient)),
                None => {
                    let what = format!("has entry {feature}; expected {}", self.map.expected());
                    problems.cell(row.place, "feature", what);
                }
            }
        }
        let mut forms = 0;
        for (number, part) in parts.iter().enumerate() {
            // Forms of the row before are overwritten, so that their memory is used again.
            for (unit, terms) in units(part, row.precision) {
                let factors = match (number, &taper) {
                    (0, Some(taper)) => &taper[..],
                    _ => &[1.0],
                };
                for (side, factor) in factors.iter().enumerate() {
                    if trace.forms.len() == forms {
                        trace.forms.push(Form::default());
                    }
                    let form = &mut trace.forms[forms];
                    form.factor = factor * unit;
                    form.terms.clear();
                    // Leaves are numbered as lanes; those of a pair are named by the first one.
                    let terms = terms.iter();
                    (form.terms)
                        .extend(terms.map(|&(lane, count)| (Leaf(lane.0 + side as u32), count)));
                    forms += 1;
                }
            }
        }
        trace.forms.truncate(forms);
        self.add_steps(tools, row, problems);
    }

    /// Adds to the trace in `tools` the forms and steps that a row gives as words, written as in a
    /// row that an evaluator answers; a row without such words gets no steps. The forms come behind
    /// those of the features, so the inputs of the steps, which are numbers of forms, are raised.
    /// The words' constant is added to that of the trace.
    fn add_steps(&self, tools: &mut RowTools, row: &RawRow<'_>, problems: &mut ImportError) {
        let RowTools { trace, written, .. } = tools;
        // A row of features alone is a plain sum: no steps, from which truncation takes nothing.
        trace.expression = None;
        trace.step_slack.clear();
        trace.slack = 0.0;
        let Some(words) = row.steps.filter(|words| !words.trim().is_empty()) else {
            return;
        };
        // `row 0` gives the words a score, which is not used. Any number of weights is allowed:
        // numbers are compared with the features below.
        if let Err(what) = read_row(&format!("row 0 {words}"), usize::MAX, written) {
            problems.cell(row.place, "steps", what);
            return;
        }
        let first = trace.forms.len() as u32;
        for form in &mut written.forms {
            for (leaf, _) in &mut form.terms {
                let number = f64::from(leaf.0);
                if let Some(Target::Lane(lane)) = self.map.target(number) {
                    *leaf = Leaf(lane.0);
                } else {
                    let what = format!("has weight {number}; expected {}", self.map.expected());
                    problems.cell(row.place, "steps", what);
                }
            }
        }
        trace.constant += written.constant;
        trace.slack = written.slack;
        trace.forms.append(&mut written.forms);
        trace.expression = written.expression.take();
        std::mem::swap(&mut trace.step_slack, &mut written.step_slack);
        for step in trace.expression.iter_mut().flat_map(|e| &mut e.steps) {
            if let Step::Input(form) = step {
                *form += first;
            }
        }
    }

    /// Compares the row's trace at the initial weights with the score that the file gives for the
    /// row, where there are both; reports a difference that rounding does not explain. A row with
    /// steps is evaluated even without a score (NaN then), as its guards, the branches that it
    /// took, must hold there.
    fn compare(&mut self, tools: &mut RowTools, row: &RawRow<'_>, problems: &mut ImportError) {
        let [.., score] = row.facts;
        let Some(initial) = &self.map.initial else {
            self.not_compared += u64::from(score.is_some());
            return;
        };
        let (trace, values) = (&tools.trace, &mut tools.values);
        let is_nonlinear = trace.expression.is_some();
        let Some(score) = score.or(is_nonlinear.then_some(f64::NAN)) else {
            return;
        };
        let found = trace.score_at(initial, values);
        if found.contradicts_branch || !found.score.is_finite() {
            let what = "contradict the spec's initial weights: a guard does not hold there, or the \
                        score is not finite; correct them";
            problems.cell(row.place, "steps", what);
            return;
        }
        let traced = found.score;
        if score.is_nan() {
            return;
        }
        let difference = (traced - score).abs();
        self.compared = (self.compared.0 + 1, self.compared.1.max(difference));
        // What floats lose in a sum is not a mistake.
        let lost = 1e-9 * (1.0 + score.abs());
        if difference > self.rounding + lost + found.bound {
            let terms = self.note_mismatch(trace, score - traced, values);
            let what = format!(
                "is {score}, and the row gives {traced:.3} at the spec's initial weights; expected \
                 a difference of at most {}: correct the coefficients, or the weights at which the \
                 score is computed (docs/traces.md, `tuner.rounding`){terms}",
                self.rounding
            );
            problems.cell(row.place, "score", what);
        }
    }

    /// Checks a row that an evaluator answered at the weights which the head of the file lists: the
    /// size of its numbers, overflow, its score against its sum, and its guards, the branches that
    /// it took. Reports the first thing that is wrong.
    fn check_traced(
        &mut self,
        tools: &mut RowTools,
        row: &TracedRow<'_>,
        place: TracePlace,
        problems: &mut ImportError,
    ) {
        let trace = row.trace;
        let large = |value: &f64| value.abs() > LARGEST;
        let of_forms = trace.forms.iter().flat_map(|form| {
            let counts = form.terms.iter().map(|&(_, count)| count as f64);
            counts.chain([form.factor])
        });
        if let Some(value) = of_forms.chain([trace.constant, trace.score]).find(large) {
            problems.at(place, format!("found {value}, expected {FINITE}"));
            return;
        }
        if trace.wrapped {
            let what = "says `overflow`: its score is not that of the weights; use a wider type";
            problems.at(place, what);
            return;
        }
        // The values of the weights that the head lists.
        let values = self.map.initial.as_deref().unwrap_or_default();
        let fault = RowFault::of(trace, values, &mut tools.values);
        let found = trace.score_at(values, &mut tools.values).score;
        let difference = (found - trace.score).abs();
        self.compared = (self.compared.0 + 1, self.compared.1.max(difference));
        match fault {
            None => {}
            Some(RowFault::Sum { residual, bound }) => {
                let terms = self.note_mismatch(trace, trace.score - found, &mut tools.values);
                let what = format!(
                    "gives score {}, and its sum is {found:.3} at the weights of the head; \
                     expected a difference of at most {bound:.1e}, not {residual:.3e}: correct the \
                     row, its slack, or the values of the weights{terms}",
                    trace.score
                );
                problems.at(place, what);
            }
            Some(fault @ RowFault::Branch) => problems.at(place, fault.words()),
        }
    }

    /// Notes what may explain that the score of a row is off. `difference`: the score that the file
    /// gives less the sum of the row's terms at the values in `FeatureMap::initial`, in the unit of
    /// the score. Returns in words the largest shares of parameters in the score, at most ten;
    /// empty, and nothing is noted, where no values are known or the difference is not finite.
    fn note_mismatch(
        &mut self,
        trace: &Trace,
        difference: f64,
        evaluated: &mut ExpressionValues,
    ) -> String {
        let (Some(initial), true) = (&self.map.initial, difference.is_finite()) else {
            return String::new();
        };
        let owner = |leaf: Leaf| self.map.owners[leaf.index()];
        let shares = (self.suspects).note(trace, initial, evaluated, difference, owner);
        let terms = shares.iter().take(TERMS).map(|(parameter, share)| {
            // A weight that belongs to no parameter is listed without a name.
            let name = self.map.parameters.get(parameter).map_or("", |name| name);
            format!("{name} {share:+.1}")
        });
        format!(" (terms: {})", terms.collect::<Vec<_>>().join(", "))
    }
}
