//! Checks mirrors and ties, and resolves both into one list.

use super::Checked;
use crate::diagnostic::{Mistakes, TextPlace};
use crate::layout::Layout;
use crate::parameter::Parameter;
use crate::path::{Selection, resolve};
use crate::raw::{RawMirror, RawParameter, RawSpec, RawTie};
use crate::read::At;
use crate::text::quoted;
use crate::ties::{Refusal, Ties};
use tuner_base::{Tie, WeightId};

/// A mirror along the dimension `axis`, a board in rows of `width`: each entry equals the mirrored
/// one.
pub(super) struct Mirror {
    axis: usize,
    width: usize,
    flip: Flip,
}

/// The parts of a board that a mirror exchanges.
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

    /// The number of the mirrored entry of a board of `rows` rows of `width`. Entries, such as
    /// `place`, are counted row by row from 0.
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

/// The mirrors of a parameter that fit its shape; what is wrong with others is noted.
pub(super) fn mirrors(raw: &RawParameter, parameter: &Parameter) -> Vec<At<Mirror>> {
    let mirrors = raw.mirror.entries().iter().filter_map(|one| {
        let value = mirror(&one.value, parameter)?;
        let place = one.place.clone();
        Some(At { place, value })
    });
    mirrors.collect()
}

/// A mirror, if it fits the shape of its parameter; `None` after noting why it does not.
fn mirror(raw: &RawMirror, parameter: &Parameter) -> Option<Mirror> {
    let axis = dimension(raw.axis.get()?, parameter)?;
    let at = raw.width.get()?;
    let len = parameter.dims[axis].len;
    let width = row(at, len)?;
    let flip = match raw.flip.get() {
        None => Flip::Files,
        Some(name) => name.among("flip", &Flip::NAMED, "name one of them")?,
    };
    if matches!(flip, Flip::Diagonal | Flip::Antidiagonal) && len != width * width {
        let found = format!("a diagonal of {} rows of {width}", len / width);
        let cure = "correct the width, or mirror files or ranks";
        let expected = "as many rows as entries in one";
        return at.place.refuse(found, expected, cure);
    }
    Some(Mirror { axis, width, flip })
}

/// The number of the dimension that an axis names; `None` after noting that there is no such
/// dimension.
pub(super) fn dimension(axis: &At<i64>, parameter: &Parameter) -> Option<usize> {
    let At { place, value } = axis;
    let index = usize::try_from(*value).ok();
    let index = index.filter(|&index| index < parameter.dims.len());
    index.or_else(|| {
        let expected = match parameter.dims.len() {
            0 => "a parameter with a shape".to_owned(),
            count => format!("0 to {}", count - 1),
        };
        place.refuse(format!("axis {value}"), expected, "dimensions count from 0")
    })
}

/// The length of a row, if an axis of `len` entries is made of such rows; `None` after noting that
/// it is not.
pub(super) fn row(width: &At<i64>, len: usize) -> Option<usize> {
    let row = usize::try_from(width.value).ok();
    row.filter(|row| *row >= 2 && len.is_multiple_of(*row))
        .or_else(|| {
            let found = format!("rows of {}", width.value);
            let expected = format!("at least 2 and a divisor of {len}, the length of the axis");
            let cure = "correct the width or the shape";
            width.place.refuse(found, expected, cure)
        })
}

/// The weights that a path names; `None` after noting that there are none. `broken`: whether some
/// parameters had mistakes and are missing, so that unknown paths are not noted.
pub(super) fn resolved<'p>(
    parameters: &'p [Parameter],
    path: &At<String>,
    broken: bool,
) -> Option<Selection<'p>> {
    match resolve(parameters, &path.value) {
        Ok(selection) => return Some(selection),
        Err(error) if broken && error.is_unknown_parameter => {}
        Err(error) => path.place.note(error.found, error.expected, error.cure),
    }
    None
}

/// All mirrors and ties, resolved, with differences in the unit of the spec; empty after noting a
/// chain of ties that cannot be resolved. `broken`: whether some parameters had mistakes and are
/// missing, so that unknown paths are not noted.
pub(super) fn check(
    all: &[Checked],
    layout: &Layout,
    raw: &RawSpec,
    broken: bool,
    mistakes: &Mistakes,
) -> Vec<Tie> {
    let mut ties = Ties::default();
    for one in all {
        for mirror in &one.mirrors {
            mirrored(one, mirror, &mut ties);
        }
    }
    let sections = raw.tie.entries();
    for section in sections {
        let ends = [&section.value.entry, &section.value.to]
            .map(|path| resolved(layout.parameters(), path.get()?, broken));
        if let [Some(entry), Some(to)] = ends {
            tied(section, &entry, &to, layout, &mut ties);
        }
    }
    let mut ties = ties.resolve().unwrap_or_else(|(weight, refusal)| {
        let place = sections.last().map(|section| section.place.clone());
        let place = place.unwrap_or_else(|| mistakes.at(0..0));
        let weight = layout.name(WeightId(weight));
        let pair = [weight, "what it is tied to".to_owned()];
        refused(&place, refusal, pair).unwrap_or_default()
    });
    // The differences are counts of the step until here.
    for tie in &mut ties {
        let step = layout.parameter_of(tie.weight).step;
        tie.difference = step.value(tie.difference as i64);
    }
    ties
}

/// Ties each entry of a parameter to its mirrored entry, if that is before it, and notes the first
/// two whose initial values differ.
fn mirrored(one: &Checked, mirror: &At<Mirror>, ties: &mut Ties) {
    let Mirror { axis, width, flip } = mirror.value;
    let (len, step) = one.parameter.along(axis);
    let first_weight = one.parameter.first_weight;
    let mut unequal = Vec::new();
    for offset in 0..one.initial.numbers.len() {
        // The number of the entry along the axis; the mirrored entry differs from this one in it
        // alone.
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
    let more = more(unequal.len(), "pairs");
    let found = format!("{} but {}{more}", say(right), say(left));
    let expected = "equal values, because of `mirror`";
    let place = one.initial.place(right);
    place.note(found, expected, "make them equal or take `mirror` out");
}

/// The end of a message that tells the first of `count` things, called `what`: how many more there
/// are; empty if there are none.
fn more(count: usize, what: &str) -> String {
    match count {
        1 => String::new(),
        count => format!(", and {} more such {what}", count - 1),
    }
}

/// Adds a tie of two entries, or of two tables of one shape, weight by weight; `None` if a mistake
/// was noted. Its difference, and the initial values that must agree with it, are counts of the
/// step, of as many decimals on both sides.
fn tied(
    section: &At<RawTie>,
    entry: &Selection<'_>,
    to: &Selection<'_>,
    layout: &Layout,
    ties: &mut Ties,
) -> Option<()> {
    let At { place, value: raw } = section;
    let (left, right) = (entry.shape(), to.shape());
    if left != right {
        let (left, right) = (shape_in_words(&left), shape_in_words(&right));
        let found = format!("a tie of {left} to {right}");
        return place.refuse(found, "the same shape on both sides", "correct the paths");
    }
    let factor = raw.factor.get().map_or(1, |factor| factor.value);
    let [of_entry, of_to] = [entry, to].map(Selection::step);
    if (of_entry.decimals, of_entry.is_float) != (of_to.decimals, of_to.is_float) {
        let found = "a tie of numbers with different decimals";
        let expected = "the same decimals in both steps";
        return place.refuse(found, expected, "correct one `step`");
    }
    let difference = raw
        .difference
        .get()
        .map_or(Some(0), |At { place, value }| {
            value.at(of_entry.decimals).or_else(|| {
                let found = format!("a difference of {}", value.value());
                let expected = format!("a number of {} decimals", of_entry.decimals);
                place.refuse(found, expected, "correct it or the step")
            })
        })?;
    let say = |n: i128| i64::try_from(n).map_or_else(|_| n.to_string(), |c| of_to.text(c));
    if let Some(At { place, .. }) = raw.factor.get().filter(|factor| factor.value == 0) {
        let cure = "to fix a weight, use `frozen`";
        return place.refuse("factor 0", "any other whole number", cure);
    }
    let name = |weight: usize| layout.name(WeightId(weight));
    let initial = |weight: usize| i128::from(layout.initial_counts()[weight]);
    let (mut unequal, mut says_something) = (Vec::new(), false);
    for (weight, other) in entry.weights().zip(to.weights()) {
        match ties.add(weight, other, factor, difference) {
            Ok(new) => says_something |= new,
            Err(refusal) => return refused(place, refusal, [weight, other].map(name)),
        }
        let expected = i128::from(factor) * initial(other) + i128::from(difference);
        if initial(weight) != expected {
            unequal.push((weight, other, expected));
        }
    }
    if let Some(&(weight, other, expected)) = unequal.first() {
        let [start, start_of_other] = [weight, other].map(|weight| say(initial(weight)));
        let ([weight, other], more) = ([weight, other].map(name), more(unequal.len(), "weights"));
        let (expected, difference) = (say(expected), say(difference.into()));
        let found = format!("{weight} starts at {start} and {other} at {start_of_other}{more}");
        let expected = format!("{expected} = {factor} · {start_of_other} + {difference}");
        let cure = "correct the initial values, `factor` or `difference`";
        return place.refuse(found, expected, cure);
    }
    if !says_something {
        let found = "a tie that follows from mirrors and earlier ties (a circle)";
        return place.refuse(found, "a tie that says something new", "take it out");
    }
    Some(())
}

/// Notes why two weights, by their names, cannot be tied; always `None`.
fn refused<T>(place: &TextPlace, refusal: Refusal, [weight, other]: [String; 2]) -> Option<T> {
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
    place.refuse(found, expected, "correct or take out one of the ties")
}

/// A shape in words for a message, such as `2 × 64`.
fn shape_in_words(shape: &[usize]) -> String {
    if shape.is_empty() {
        return "one weight".to_owned();
    }
    let lengths: Vec<String> = shape.iter().map(usize::to_string).collect();
    quoted(&lengths.join(" × "))
}

/// Tells for each weight whether it is frozen, or tied to a frozen one. As each tied weight follows
/// a root, they are found by way of it: first the roots of frozen weights, then all that follow
/// one.
pub(super) fn frozen_together(layout: &Layout, ties: &[Tie]) -> Vec<bool> {
    let mut frozen: Vec<bool> = layout.weight_ids().map(|w| layout.frozen(w)).collect();
    for tie in ties {
        frozen[tie.root.index()] |= frozen[tie.weight.index()];
    }
    for tie in ties {
        frozen[tie.weight.index()] = frozen[tie.root.index()];
    }
    frozen
}
