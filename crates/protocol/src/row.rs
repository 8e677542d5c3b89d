//! Rows as text: how the score of a position depends on the weights.
//!
//! ```text
//! row 42 constant 10 slack 0.5 form 0.25 0:1 3:-2 form 0.75 1:1 4:-2
//! ```
//!
//! says that the score is `10 + 0.25·(w0 − 2·w3) + 0.75·(w1 − 2·w4)`, within 0.5, and that
//! the twin's own score is 42. Words behind the score, each at most once but for `form`,
//! `step`, `literal` and `number`:
//!
//! | words | what | without them |
//! |---|---|---|
//! | `constant X` | the part of the score that no weight explains | 0 |
//! | `slack X` | how far truncating divisions may have taken the score from the sum | 0 |
//! | `rounding X` | rounding of floats, as a part of the size of all terms | 0 |
//! | `overflow` | an operation of the score's type overflowed | none did |
//! | `nodes N` | operations that were recorded | 0 |
//! | `form F W:C …` | the sum of weights W counted C times, a whole number, times the factor F | |
//! | `step …` | a step of what is not linear, see below | linear |
//! | `literal X PLACE`, `number X PLACE` | a plain number joins the score at a place of the source, as a literal or from elsewhere | |
//!
//! Steps are numbered from 0 and refer to earlier ones; the value of the last one is added
//! to the score. `step input K` is the sum of form K (whose factor may be 0), `step value X`
//! a number of the position; then `add A B`, `neg A`, `mul A B`, `div A B`, `min A B`,
//! `max A B`, `abs A`, `power A N`, `powerof A B`, `sqrt A`, `exp A`, `ln A`, `tanh A`; and
//! `guard A negative|positive|zero yes|no`: the evaluation took a branch because step A is
//! so or is not. `slack X` behind a step is what truncation may take from it.
//!
//! A line of a file of rows has words in front of `row`, [`Labels`], and may end with
//! `position TEXT`.

use std::fmt::Write as _;
use std::iter::Peekable;
use std::mem;
use std::str::SplitAsciiWhitespace;

use crate::steps::{NAMES, Operands, RELATIONS, coded, decoded};
use crate::words::{finite, number};
use tuner_base::{escaped_word, interned, unescaped};
use tuner_trace::{Expression, Form, Leaf, Site, Step, Trace};

/// Appends the line of a trace to `to`, from the word `row` on and without its end: the score, then
/// keys with their values, forms with weights and counts, steps, and places where plain numbers
/// joined. What is 0 or not there is not written.
pub fn write(trace: &Trace, to: &mut String) {
    // Writing to a text cannot fail.
    let _ = write!(to, "row {}", trace.score);
    for (key, value) in [
        ("constant", trace.constant),
        ("slack", trace.slack),
        ("rounding", trace.rounding),
    ] {
        if value != 0.0 {
            let _ = write!(to, " {key} {value}");
        }
    }
    if trace.wrapped {
        to.push_str(" overflow");
    }
    if trace.nodes > 0 {
        let _ = write!(to, " nodes {}", trace.nodes);
    }
    for form in &trace.forms {
        let _ = write!(to, " form {}", form.factor);
        for (leaf, count) in &form.terms {
            let _ = write!(to, " {}:{count}", leaf.0);
        }
    }
    if let Some(expression) = &trace.expression {
        for (index, step) in expression.steps.iter().enumerate() {
            write_step(*step, &expression.constants, to);
            if let Some(&slack) = trace.step_slack.get(index)
                && slack != 0.0
            {
                let _ = write!(to, " slack {slack}");
            }
        }
    }
    for (site, value) in &trace.sites {
        let key = if site.literal { "literal" } else { "number" };
        let _ = write!(to, " {key} {value} {}", escaped_word(site.place));
    }
}

/// Appends the words of a step: its name, then its operands. `constants`: those of the expression,
/// as a step `value` has its number written in place of the number's place.
fn write_step(step: Step, constants: &[f64], to: &mut String) {
    let (kind, operands, count) = coded(step);
    // Writing to a text cannot fail.
    let _ = write!(to, " step {}", NAMES[usize::from(kind)]);
    let _ = match step {
        Step::Constant(at) => {
            // NaN, which no reader takes, where the expression does not have the number.
            let value = constants.get(at as usize).copied().unwrap_or(f64::NAN);
            write!(to, " {value}")
        }
        Step::Guard(a, relation, holds) => {
            // Always found: the table has all relations.
            let known = RELATIONS.iter().find(|(_, known)| *known == relation);
            let name = known.map_or("", |(name, _)| name);
            write!(to, " {a} {name} {}", if holds { "yes" } else { "no" })
        }
        _ => (operands[..count].iter()).try_for_each(|operand| write!(to, " {operand}")),
    };
}

/// Reads a line that begins with `row` into `trace`, whose content is lost. `weights`: how many the
/// evaluator has.
///
/// # Errors
/// Says what was found and what was expected: a word that does not belong in a row, a number that
/// is not finite, a weight that is not there, a step that refers to none before it.
pub fn read(line: &str, weights: usize, trace: &mut Trace) -> Result<(), String> {
    let mut words = line.split_ascii_whitespace().peekable();
    if words.next() != Some("row") {
        return Err(format!("found {:?}, expected `row SCORE …`", start(line)));
    }
    match words_of_row(line, &mut words, weights, trace)? {
        None => Ok(()),
        // Only lines of a file tell the position; an evaluator was asked about one.
        Some(_) => Err(unknown("position", line)),
    }
}

/// What is known of the position of a row, in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Labels<'l> {
    /// The result for the first player, from 0 to 1 where it is right.
    pub outcome: f64,
    /// `game`: equal words are one game.
    pub game: Option<&'l str>,
    /// `weight`: how often it counts.
    pub weight: Option<f64>,
    /// `search`: the score of a search, for the first player.
    pub search: Option<f64>,
    /// `first` or `second`: who is to move.
    pub first_to_move: Option<bool>,
    /// `position`: its text, the rest of the line.
    pub position: Option<&'l str>,
}

/// Reads a line of a file, `OUTCOME … row SCORE … position TEXT`: the words in front of `row` and
/// the text are returned, the row goes into `trace`, whose content is lost. That the outcome is
/// from 0 to 1 is not checked.
///
/// # Errors
/// If the row cannot be read, or a word in front of it has no field in [`Labels`] or is there
/// twice.
pub fn read_labelled<'l>(
    line: &'l str,
    weights: usize,
    trace: &mut Trace,
) -> Result<Labels<'l>, String> {
    let mut words = line.split_ascii_whitespace().peekable();
    let mut labels = Labels {
        outcome: finite(words.next(), "an outcome from 0 (loss) to 1 (win)")?,
        ..Labels::default()
    };
    loop {
        let key = words.next().unwrap_or_default();
        let is_twice = match key {
            "row" => break,
            "game" => {
                let game = words.next().ok_or("found no word behind `game`")?;
                labels.game.replace(game).is_some()
            }
            "weight" => {
                let weight = not_negative(words.next())?;
                labels.weight.replace(weight).is_some()
            }
            "search" => {
                let score: i32 = number(words.next(), "a whole score of 32 bits")?;
                labels.search.replace(f64::from(score)).is_some()
            }
            "first" | "second" => labels.first_to_move.replace(key == "first").is_some(),
            found => {
                let known = "game, weight, search, first, second or `row SCORE …`";
                return Err(format!("found {found:?}, expected {known}"));
            }
        };
        if is_twice {
            return Err(twice(key));
        }
    }
    labels.position = words_of_row(line, &mut words, weights, trace)?;
    Ok(labels)
}

/// The message about a word, `key`, that does not belong in a line.
pub(crate) fn unknown(key: &str, line: &str) -> String {
    let start = start(line);
    format!("found {key:?} in {start:?}, expected a word of a row")
}

/// The message about a word, `key`, that is there a second time.
pub(crate) fn twice(key: &str) -> String {
    format!("found {key:?} twice, expected it once")
}

/// Words of a row that are there at most once, `slack` once more behind each step.
const ONCE: [&str; 5] = ["slack", "constant", "rounding", "overflow", "nodes"];

/// Reads the words behind `row` into `trace`, whose content is lost; returns the text behind the
/// word `position`, `None` if that word is not there. `line`: all of the line; `weights`: how many
/// the evaluator has.
fn words_of_row<'l>(
    line: &'l str,
    words: &mut Peekable<SplitAsciiWhitespace<'l>>,
    weights: usize,
    trace: &mut Trace,
) -> Result<Option<&'l str>, String> {
    // The memory of the old forms is used again.
    let mut forms = mem::take(&mut trace.forms);
    let mut used = 0;
    let mut expression = Expression::default();
    *trace = Trace {
        score: finite(words.next(), "a score")?,
        ..Trace::default()
    };
    let mut position = None;
    let mut found = [false; ONCE.len()];
    while let Some(key) = words.next() {
        if let Some(word) = ONCE.iter().position(|word| *word == key)
            && mem::replace(&mut found[word], true)
        {
            return Err(twice(key));
        }
        match key {
            "constant" => trace.constant = finite(words.next(), "a constant")?,
            // Behind a step it is the step's, in front of all steps the linear part's.
            "slack" => match trace.step_slack.last_mut() {
                Some(slack) => *slack = not_negative(words.next())?,
                None => trace.slack = not_negative(words.next())?,
            },
            "rounding" => trace.rounding = not_negative(words.next())?,
            "overflow" => trace.wrapped = true,
            "nodes" => trace.nodes = number(words.next(), "a number of nodes")?,
            "form" => {
                if used == forms.len() {
                    forms.push(Form::default());
                }
                read_form(words, weights, &mut forms[used])?;
                used += 1;
            }
            "step" => {
                let step = step(words, &mut expression)?;
                expression.steps.push(step);
                trace.step_slack.push(0.0);
                // `slack`, the first of `ONCE`, may be there once more: as that of this step.
                found[0] = false;
            }
            "literal" | "number" => {
                let value = finite(words.next(), "a number")?;
                let place = words.next().and_then(|word| unescaped(word).ok());
                let place =
                    place.ok_or_else(|| format!("found no place behind `{key} {value}`"))?;
                let (place, literal) = (interned(&place), key == "literal");
                let site = Site { place, literal };
                trace.sites.push((site, value));
            }
            "position" => {
                // `key` is a part of `line`, so its address tells where it is: what is behind it is
                // the text.
                let end = key.as_ptr() as usize - line.as_ptr() as usize + key.len();
                position = Some(line[end..].trim());
                break;
            }
            _ => return Err(unknown(key, line)),
        }
    }
    forms.truncate(used);
    trace.forms = forms;
    if !expression.steps.is_empty() {
        check(&expression, trace.forms.len())?;
        trace.expression = Some(expression);
    }
    Ok(position)
}

/// The first 60 characters of a line, for messages.
fn start(line: &str) -> String {
    line.chars().take(60).collect()
}

/// Reads a finite number that is at least 0; `Err` says what was found.
pub(crate) fn not_negative(word: Option<&str>) -> Result<f64, String> {
    let value = finite(word, "a number that is not negative")?;
    if value >= 0.0 {
        Ok(value)
    } else {
        Err(format!(
            "found {value}, expected a number that is not negative"
        ))
    }
}

/// Reads the words behind the word `form` into `form`, whose content is lost: its factor, and its
/// terms, each a weight and how often it counts, `WEIGHT:COUNT`, up to the first word without a
/// colon. `weights`: how many the evaluator has.
fn read_form(
    words: &mut Peekable<SplitAsciiWhitespace<'_>>,
    weights: usize,
    form: &mut Form,
) -> Result<(), String> {
    form.factor = finite(words.next(), "the factor of a form")?;
    form.terms.clear();
    while let Some((weight, count)) = words.peek().and_then(|word| word.split_once(':')) {
        form.terms.push(term(weight, count, weights)?);
        words.next();
    }
    Ok(())
}

/// Reads a term of a form: the number of a weight, which must be below `weights`, and how often it
/// counts, a whole number.
fn term(weight: &str, count: &str, weights: usize) -> Result<(Leaf, i64), String> {
    let leaf: u32 = number(Some(weight), "the number of a weight")?;
    if leaf as usize >= weights {
        return Err(format!("found weight {leaf}, expected one below {weights}"));
    }
    Ok((Leaf(leaf), number(Some(count), "a whole number of times")?))
}

/// Operands that are words of a line.
struct WordOperands<'i, I>(&'i mut I);

impl<'w, I: Iterator<Item = &'w str>> Operands for WordOperands<'_, I> {
    type Error = String;

    /// Reads the next word as a whole number that `T` has; `Err` says what was found.
    fn operand<T: TryFrom<i64>>(&mut self) -> Result<T, String> {
        let what = "the number of a step, or a whole exponent";
        let found: i64 = number(self.0.next(), what)?;
        T::try_from(found).map_err(|_| format!("found {found}, expected {what}"))
    }
}

/// Reads the words of a step, behind the word `step`, and returns it; the caller appends it to the
/// expression. The number of a step `value` is appended to the expression's constants at once.
pub(crate) fn step<'w>(
    words: &mut impl Iterator<Item = &'w str>,
    expression: &mut Expression,
) -> Result<Step, String> {
    let name = words.next().unwrap_or_default();
    // A number and a guard have words of their own; any other step has its name and operands.
    match name {
        "value" => {
            expression.constants.push(finite(words.next(), "a number")?);
            Ok(Step::Constant(expression.constants.len() as u32 - 1))
        }
        "guard" => {
            let of = WordOperands(words).operand()?;
            let name = words.next().unwrap_or_default();
            let relation = RELATIONS.iter().find(|(known, _)| *known == name);
            let (_, relation) = relation
                .ok_or_else(|| format!("found {name:?}, expected negative, positive or zero"))?;
            match words.next().unwrap_or_default() {
                "yes" => Ok(Step::Guard(of, *relation, true)),
                "no" => Ok(Step::Guard(of, *relation, false)),
                found => Err(format!("found {found:?}, expected yes or no")),
            }
        }
        name => {
            let unknown = || format!("found step {name:?}, expected one such as `input` or `mul`");
            let kind = NAMES.iter().position(|known| *known == name);
            let kind = kind.ok_or_else(unknown)?;
            decoded(kind as u8, &mut WordOperands(words))?.ok_or_else(unknown)
        }
    }
}

/// Fails if a step of the expression refers to a form that is not below `forms`, to a constant that
/// is not there, or to a step that is not before it.
pub(crate) fn check(expression: &Expression, forms: usize) -> Result<(), String> {
    let numbers = expression.constants.len();
    for (number, &step) in expression.steps.iter().enumerate() {
        let refused = match step {
            Step::Input(form) if form as usize >= forms => Some(("form", form)),
            Step::Constant(at) if at as usize >= numbers => Some(("number", at)),
            step => {
                let mut later = None;
                step.each_operand(|operand| {
                    let is_later = operand as usize >= number;
                    later = later.or(is_later.then_some(("step", operand)));
                });
                later
            }
        };
        if let Some((what, found)) = refused {
            let found = format!("step {number} refers to {what} {found}");
            return Err(found + ", expected an earlier one");
        }
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests {
    #![allow(clippy::unwrap_used)] // a failing test may end with a panic

    use proptest::prelude::*;

    use super::*;
    use tuner_trace::{NonlinearOp, Relation};

    /// A trace with some of everything.
    pub(crate) fn everything() -> Trace {
        use NonlinearOp as Op;
        let mut steps = vec![
            Step::Input(0),
            Step::Input(1),
            Step::Constant(0),
            Step::Constant(1),
        ];
        for op in [
            Op::Mul(0, 1),
            Op::Div(0, 1),
            Op::Min(2, 3),
            Op::Max(1, 2),
            Op::Abs(0),
            Op::Power(1, -3),
            Op::PowerOf(0, 2),
            Op::Sqrt(3),
            Op::Exp(0),
            Op::Ln(3),
            Op::Tanh(1),
        ] {
            steps.push(Step::Nonlinear(op));
        }
        steps.push(Step::Add(4, 5));
        steps.push(Step::Guard(4, Relation::Negative, true));
        steps.push(Step::Guard(5, Relation::Positive, false));
        steps.push(Step::Guard(6, Relation::Zero, false));
        steps.push(Step::Neg(15));
        let mut step_slack = vec![0.0; steps.len()];
        step_slack[4] = 0.75;
        Trace {
            score: -42.0,
            constant: 1.0 / 3.0,
            sites: vec![
                (
                    Site {
                        place: interned("src/my eval.rs:3: `x`"),
                        literal: true,
                    },
                    4.0,
                ),
                (
                    Site {
                        place: interned("src/eval.rs:9"),
                        literal: false,
                    },
                    -0.5,
                ),
            ],
            forms: vec![
                Form {
                    factor: 0.25,
                    terms: vec![(Leaf(0), 1), (Leaf(700), -70_000)],
                },
                Form {
                    factor: 0.0,
                    terms: vec![(Leaf(3), 1)],
                },
                Form {
                    factor: -1e-9,
                    terms: Vec::new(),
                },
            ],
            expression: Some(Expression {
                steps,
                constants: vec![0.1, 3e8],
            }),
            step_slack,
            slack: 0.958_333_333_333_333_3,
            rounding: 1e-12,
            wrapped: true,
            nodes: 317,
        }
    }

    #[test]
    fn a_row_is_read_as_it_is_written() {
        let (trace, mut read) = (everything(), Trace::default());
        let mut line = String::new();
        write(&trace, &mut line);
        super::read(&line, 701, &mut read).unwrap();
        assert_eq!(read, trace);
        super::read("row 5 constant 5", 0, &mut read).unwrap();
        assert_eq!(
            read,
            Trace {
                score: 5.0,
                constant: 5.0,
                ..Trace::default()
            }
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (line, part) in [
            ("23", "`row SCORE"),
            ("row nan", "a score"),
            ("row 1 form 1 9:1", "weight 9"),
            ("row 1 form 1 0:0.5", "whole"),
            ("row 1 form inf 0:1", "factor"),
            ("row 1 slack -1", "not negative"),
            ("row 1 step add 0 1", "step 0 refers to step 0"),
            ("row 1 step input 0", "form 0"),
            ("row 1 step frobnicate 0", "frobnicate"),
            (
                "row 1 form 1 0:1 step input 0 step guard 0 odd yes",
                "negative, positive",
            ),
            ("row 1 form 1 0:1 step input 0 step mul 0 4", "step 4"),
            (
                "row 1 form 1 0:1 step input 0 step guard 0 zero maybe",
                "found \"maybe\", expected yes or no",
            ),
            ("row 1 colour", "colour"),
            ("row 1 constant 1 constant 2", "\"constant\" twice"),
            ("row 1 overflow overflow", "\"overflow\" twice"),
            ("row 1 slack 1 slack 1", "\"slack\" twice"),
            ("row 1 literal 3", "no place"),
        ] {
            let message = super::read(line, 2, &mut Trace::default())
                .err()
                .unwrap_or_default();
            assert!(message.contains(part), "{line}: {message}");
        }
    }

    proptest! {
        #[test]
        fn changed_rows_are_refused_or_read(at in 0_usize..400, with in any::<u8>()) {
            let mut line = String::new();
            write(&everything(), &mut line);
            let mut bytes = line.into_bytes();
            let at = at % bytes.len();
            bytes[at] = with;
            let line = String::from_utf8_lossy(&bytes);
            let mut trace = Trace::default();
            if super::read(&line, 701, &mut trace).is_ok() {
                let known = vec![1.0; 701];
                trace.score_at(&known, &mut tuner_trace::ExpressionValues::default());
            }
        }
    }
}
