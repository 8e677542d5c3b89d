//! Checks mirrors and ties, and resolves both into one list.

use super::Checked;
use crate::diagnostic::Mistakes;
use crate::parameter::Parameter;
use crate::path::{Selection, resolve};
use crate::raw::{RawMirror, RawParameter, RawSpec, RawTie};
use crate::read::At;
use crate::text::quoted;
use crate::ties::{Refusal, Ties};
use tuner_base::Tie;

/// A mirror along one dimension: in rows of `width`, each entry equals the mirrored one.
pub(super) struct Mirror {
    axis: usize,
    width: usize,
    flip: Flip,
}

/// What a mirror exchanges.
#[derive(Clone, Copy)]
enum Flip {
    Files,
    Ranks,
    Diagonal,
    Antidiagonal,
}

impl Flip {
    const NAMED: [(&'static str, Self); 4] = [
        ("files", Self::Files),
        ("ranks", Self::Ranks),
        ("diagonal", Self::Diagonal),
        ("antidiagonal", Self::Antidiagonal),
    ];

    /// The place of the mirrored entry of a board.
    fn partner(self, place: usize, width: usize, rows: usize) -> usize {
        let (rank, file) = (place / width, place % width);
        match self {
            Self::Files => rank * width + (width - 1 - file),
            Self::Ranks => (rows - 1 - rank) * width + file,
            Self::Diagonal => file * width + rank,
            Self::Antidiagonal => (width - 1 - file) * width + (width - 1 - rank),
        }
    }
}

/// The mirrors of a parameter that fit its shape.
pub(super) fn mirrors(
    raw: &RawParameter,
    parameter: &Parameter,
    mistakes: &mut Mistakes,
) -> Vec<At<Mirror>> {
    let mut mirrors = Vec::new();
    for one in raw.mirror.get().into_iter().flat_map(|all| &all.value.0) {
        let value = mirror(&one.value, parameter, mistakes);
        let span = one.span.clone();
        mirrors.extend(value.map(|value| At { span, value }));
    }
    mirrors
}

fn mirror(raw: &RawMirror, parameter: &Parameter, mistakes: &mut Mistakes) -> Option<Mirror> {
    let axis = dimension(raw.axis.get()?, parameter, mistakes)?;
    let at = raw.width.get()?;
    let len = parameter.dims[axis].len;
    let width = row(at, len, mistakes)?;
    let flip = match raw.flip.get() {
        None => Flip::Files,
        Some(name) => name.among("flip", &Flip::NAMED, "name one of them", mistakes)?,
    };
    if matches!(flip, Flip::Diagonal | Flip::Antidiagonal) && len != width * width {
        return mistakes.refuse(
            &at.span,
            format!("a diagonal of {} rows of {width}", len / width),
            "as many rows as entries in one",
            "correct the width, or mirror files or ranks",
        );
    }
    Some(Mirror { axis, width, flip })
}

/// The dimension that an axis names, if there is one.
pub(super) fn dimension(
    axis: &At<i64>,
    parameter: &Parameter,
    mistakes: &mut Mistakes,
) -> Option<usize> {
    let index = usize::try_from(axis.value).ok();
    let index = index.filter(|&index| index < parameter.dims.len());
    if index.is_none() {
        let expected = match parameter.dims.len() {
            0 => "a parameter with a shape".to_owned(),
            count => format!("0 to {}", count - 1),
        };
        let found = format!("axis {}", axis.value);
        mistakes.add(&axis.span, found, expected, "dimensions count from 0");
    }
    index
}

/// The length of a row, if an axis of `len` is made of such rows.
pub(super) fn row(width: &At<i64>, len: usize, mistakes: &mut Mistakes) -> Option<usize> {
    let row = usize::try_from(width.value).ok();
    let row = row.filter(|row| *row >= 2 && len.is_multiple_of(*row));
    if row.is_none() {
        mistakes.add(
            &width.span,
            format!("rows of {}", width.value),
            format!("at least 2 and a divisor of {len}, the length of the axis"),
            "correct the width or the shape",
        );
    }
    row
}

/// The weights that a path names; notes it if there are none. With `broken` some parameters
/// are missing, so paths to unknown ones are passed over: their own mistakes are noted.
pub(super) fn resolved<'p>(
    parameters: &'p [Parameter],
    path: &At<String>,
    broken: bool,
    mistakes: &mut Mistakes,
) -> Option<Selection<'p>> {
    match resolve(parameters, &path.value) {
        Ok(selection) => return Some(selection),
        Err(error) if broken && error.unknown_parameter.is_some() => {}
        Err(error) => mistakes.add(&path.span, error.found, error.expected, error.cure),
    }
    None
}

/// All mirrors and ties, resolved. With `broken` some parameters are missing,
/// so paths to unknown ones are passed over: their own mistakes are noted.
pub(super) fn check(
    all: &[Checked],
    raw: &RawSpec,
    broken: bool,
    mistakes: &mut Mistakes,
) -> Vec<Tie> {
    let mut ties = Ties::default();
    for one in all {
        for mirror in &one.mirrors {
            mirrored(one, mirror, &mut ties, mistakes);
        }
    }
    let parameters: Vec<Parameter> = all.iter().map(|one| one.parameter.clone()).collect();
    let names = Names(all);
    let sections = raw.tie.get().map_or(&[][..], |list| &list.value.0);
    for section in sections {
        let ends = [&section.value.entry, &section.value.to]
            .map(|path| resolved(&parameters, path.get()?, broken, mistakes));
        if let [Some(entry), Some(to)] = ends {
            tied(section, (&entry, &to), &names, &mut ties, mistakes);
        }
    }
    ties.resolve().unwrap_or_else(|(weight, refusal)| {
        let span = sections.last().map_or(0..0, |section| section.span.clone());
        let pair = [names.name(weight), "what it is tied to".to_owned()];
        refused(&span, refusal, pair, mistakes);
        Vec::new()
    })
}

/// Initial values and names of weights before there is a layout.
struct Names<'a>(&'a [Checked]);

impl Names<'_> {
    fn find(&self, weight: usize) -> (&Checked, usize) {
        let is_before = |one: &Checked| one.parameter.first_weight <= weight;
        let one = &self.0[self.0.partition_point(is_before) - 1];
        (one, weight - one.parameter.first_weight)
    }

    fn name(&self, weight: usize) -> String {
        let (one, offset) = self.find(weight);
        one.parameter.weight_name(offset)
    }

    fn initial(&self, weight: usize) -> i64 {
        let (one, offset) = self.find(weight);
        one.initial.numbers[offset]
    }
}

/// Ties each entry to the mirrored one before it.
fn mirrored(one: &Checked, mirror: &At<Mirror>, ties: &mut Ties, mistakes: &mut Mistakes) {
    let Mirror { axis, width, flip } = mirror.value;
    let (len, step) = one.parameter.along(axis);
    let first_weight = one.parameter.first_weight;
    let mut unequal = Vec::new();
    for offset in 0..one.initial.numbers.len() {
        let place = offset / step % len;
        let other = offset + step * flip.partner(place, width, len / width) - step * place;
        if other >= offset {
            continue;
        }
        if one.initial.numbers[offset] != one.initial.numbers[other] {
            unequal.push((other, offset));
        }
        // Mirrors alone cannot contradict anything: all make weights equal.
        let _ = ties.add(first_weight + offset, first_weight + other, 1, 0);
    }
    let Some(&(left, right)) = unequal.first() else {
        return;
    };
    let say = |offset: usize| {
        let name = one.parameter.weight_name(offset);
        let number = one.parameter.step.text(one.initial.numbers[offset]);
        format!("{name} = {number}")
    };
    mistakes.add(
        &one.initial.place(right),
        format!(
            "{} but {}{}",
            say(right),
            say(left),
            more(unequal.len(), "pairs")
        ),
        "equal values, because of `mirror`",
        "make them equal or take `mirror` out",
    );
}

fn more(count: usize, what: &str) -> String {
    match count {
        1 => String::new(),
        count => format!(", and {} more such {what}", count - 1),
    }
}

fn tied(
    section: &At<RawTie>,
    (entry, to): (&Selection<'_>, &Selection<'_>),
    names: &Names<'_>,
    ties: &mut Ties,
    mistakes: &mut Mistakes,
) {
    let (left, right) = (entry.shape(), to.shape());
    if left != right {
        mistakes.add(
            &section.span,
            format!(
                "a tie of {} to {}",
                shape_in_words(&left),
                shape_in_words(&right)
            ),
            "the same shape on both sides",
            "correct the paths",
        );
        return;
    }
    let raw = &section.value;
    let factor = raw.factor.get().map_or(1, |factor| factor.value);
    let [of_entry, of_to] = [entry, to].map(Selection::step);
    if (of_entry.decimals, of_entry.is_float) != (of_to.decimals, of_to.is_float) {
        mistakes.add(
            &section.span,
            "a tie of numbers with different decimals",
            "the same decimals in both steps",
            "correct one `step`",
        );
        return;
    }
    let difference = match raw.difference.get() {
        None => 0,
        Some(at) => {
            let Some(count) = at.value.at(of_entry.decimals) else {
                let found = format!("a difference of {}", at.value.value());
                let expected = format!("a number of {} decimals", of_entry.decimals);
                mistakes.add(&at.span, found, expected, "correct it or the step");
                return;
            };
            count
        }
    };
    let say =
        |count: i128| i64::try_from(count).map_or_else(|_| count.to_string(), |c| of_to.text(c));
    if let Some(At { span, .. }) = raw.factor.get().filter(|factor| factor.value == 0) {
        let cure = "to fix a weight, use `frozen`";
        mistakes.add(span, "factor 0", "any other whole number", cure);
        return;
    }
    let (mut unequal, mut says_something) = (Vec::new(), false);
    for (weight, other) in entry.weights().zip(to.weights()) {
        match ties.add(weight, other, factor, difference) {
            Ok(new) => says_something |= new,
            Err(refusal) => {
                let pair = [weight, other].map(|weight| names.name(weight));
                refused(&section.span, refusal, pair, mistakes);
                return;
            }
        }
        let wanted = i128::from(factor) * i128::from(names.initial(other)) + i128::from(difference);
        if i128::from(names.initial(weight)) != wanted {
            unequal.push((weight, other, wanted));
        }
    }
    if let Some(&(weight, other, wanted)) = unequal.first() {
        mistakes.add(
            &section.span,
            format!(
                "{} starts at {} and {} at {}{}",
                names.name(weight),
                say(names.initial(weight).into()),
                names.name(other),
                say(names.initial(other).into()),
                more(unequal.len(), "weights"),
            ),
            format!(
                "{} = {factor} · {} + {}",
                say(wanted),
                say(names.initial(other).into()),
                say(difference.into()),
            ),
            "correct the initial values, `factor` or `difference`",
        );
    } else if !says_something {
        mistakes.add(
            &section.span,
            "a tie that follows from mirrors and earlier ties (a circle)",
            "a tie that says something new",
            "take it out",
        );
    }
}

fn refused(
    span: &std::ops::Range<usize>,
    refusal: Refusal,
    [weight, other]: [String; 2],
    mistakes: &mut Mistakes,
) {
    let (found, expected) = match refusal {
        Refusal::Contradiction => (
            format!("{weight} and {other} are tied in another way already"),
            "no contradiction to mirrors and earlier ties",
        ),
        Refusal::Fraction => (
            format!("{weight} cannot follow {other} in whole numbers"),
            "a chain of whole factors",
        ),
        Refusal::Overflow => (
            format!("the chain of ties from {weight} to {other} leads beyond 2^53"),
            "smaller factors and differences",
        ),
    };
    mistakes.add(span, found, expected, "correct or take out one of the ties");
}

/// A shape for a message.
fn shape_in_words(shape: &[usize]) -> String {
    match shape {
        [] => "one weight".to_owned(),
        lengths => {
            let lengths: Vec<String> = lengths.iter().map(usize::to_string).collect();
            quoted(&lengths.join(" × "))
        }
    }
}

/// The same ties with differences in the unit of the spec, not in counts.
pub(super) fn in_units(mut ties: Vec<Tie>, all: &[Checked]) -> Vec<Tie> {
    let names = Names(all);
    for tie in &mut ties {
        let step = names.find(tie.weight.index()).0.parameter.step;
        tie.difference = step.value(tie.difference as i64);
    }
    ties
}

/// Freezes everything that is tied to a frozen weight.
pub(super) fn freeze_together(frozen: &mut [bool], ties: &[Tie]) {
    for tie in ties {
        frozen[tie.root.index()] |= frozen[tie.weight.index()];
    }
    for tie in ties {
        frozen[tie.weight.index()] = frozen[tie.root.index()];
    }
}
