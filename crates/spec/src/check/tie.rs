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

    /// Returns the number of the mirrored entry of entry `place` on a board of `rows` rows of
    /// `width` entries. Entries are counted row by row from 0. Diagonals are of square boards.
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

/// Returns the mirrors of a parameter, by its key `mirror`, with their places in the spec. A mirror
/// that does not fit the parameter's shape is noted and left out.
pub(super) fn mirrors(raw: &RawParameter, parameter: &Parameter) -> Vec<At<Mirror>> {
    let mirrors = raw.mirror.entries().iter().filter_map(|one| {
        let value = mirror(&one.value, parameter)?;
        let place = one.place.clone();
        Some(At { place, value })
    });
    mirrors.collect()
}

/// Returns a mirror of a parameter: the axis that is a board in rows, the length of a row
/// (`width`), and what is mirrored, files without the key `flip`. `None` after noting why it does
/// not fit the parameter's shape.
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

/// Returns the number of the dimension of a parameter that `axis` names, which counts from 0;
/// `None` after noting that there is no such dimension.
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

/// Returns the length of the rows of a board, `width`, that an axis of `len` entries holds row by
/// row; `None` after noting that `len` is not a multiple of it, or that it is below 2.
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

/// Returns the weights that a path such as `PST[pawn]` names; `None` after noting that it names
/// nothing. `broken`: whether parameters with mistakes are missing in `parameters`, so that a path
/// to an unknown parameter is not noted.
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

/// Returns the ties of a spec, from keys `mirror` and sections `[[tie]]`: each says that a weight
/// is `factor · root + difference`, with the difference in the unit of the spec, where the root is
/// a weight that is not tied itself. Empty after noting a chain of ties that cannot be resolved so.
/// `broken`: whether parameters with mistakes are missing in `all`, so that a path to an unknown
/// parameter is not noted.
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
        // A chain may be of several sections; the mistake is noted at the last one of the spec.
        // Without sections all ties are of mirrors, which can always be resolved.
        let place = sections.last().map(|section| section.place.clone());
        let place = place.unwrap_or_else(|| mistakes.at(0..0));
        let weight = layout.name(WeightId(weight));
        let pair = [weight, "what it is tied to".to_owned()];
        // Notes the mistake and returns `None`, so that there are no ties.
        refused(&place, refusal, pair).unwrap_or_default()
    });
    // Until here differences are whole numbers, in units of the last decimal of the step.
    for tie in &mut ties {
        let step = layout.parameter_of(tie.weight).step;
        tie.difference = step.value(tie.difference as i64);
    }
    ties
}

/// Adds the ties of a mirror of a parameter: each entry whose mirrored entry is before it equals
/// that one. Notes a mistake if initial values of such pairs differ, about the first pair.
fn mirrored(one: &Checked, mirror: &At<Mirror>, ties: &mut Ties) {
    let Mirror { axis, width, flip } = mirror.value;
    let (len, step) = one.parameter.along(axis);
    let first_weight = one.parameter.first_weight;
    let mut unequal = Vec::new();
    for offset in 0..one.initial.numbers.len() {
        // `place`: the number of the entry along the mirrored axis. The mirrored entry `other` has
        // another number along this axis, and the same along all others.
        let place = offset / step % len;
        let other = offset + step * flip.partner(place, width, len / width) - step * place;
        if other >= offset {
            continue;
        }
        if one.initial.numbers[offset] != one.initial.numbers[other] {
            unequal.push((other, offset));
        }
        // Factor 1 and difference 0: the weights are equal. Mirrors alone cannot contradict
        // anything.
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

/// Returns the end of a message about the first of `count` things, called `what`, which says how
/// many more there are; empty if `count` is 1.
fn more(count: usize, what: &str) -> String {
    match count {
        1 => String::new(),
        count => format!(", and {} more such {what}", count - 1),
    }
}

/// Adds the ties of a section `[[tie]]`: each weight of `entry` follows the weight of `to` at the
/// same index, as `factor · weight + difference`; both sides are single weights or tables of one
/// shape. `None` after noting a mistake, also if the initial values do not agree with the tie. Both
/// sides have the same number of decimals; difference and initial values are in units of the last
/// one.
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
    // Without the keys the factor is 1 and the difference 0.
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
    // The text of a number in units of the last decimal; one beyond 64 bits stays in these units.
    let say = |n: i128| i64::try_from(n).map_or_else(|_| n.to_string(), |c| of_to.text(c));
    if let Some(At { place, .. }) = raw.factor.get().filter(|factor| factor.value == 0) {
        let cure = "to fix a weight, use `frozen`";
        return place.refuse("factor 0", "any other whole number", cure);
    }
    let name = |weight: usize| layout.name(WeightId(weight));
    let initial = |weight: usize| i128::from(layout.initial_counts()[weight]);
    // Pairs whose initial values do not agree, with the value that the first should have; and
    // whether the tie says something that earlier ones do not.
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

/// Notes at `place` why two weights, given by their names, cannot be tied. Always returns `None`,
/// as the result of the caller.
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

/// Returns a shape, the lengths of its dimensions, in words for a message: `2 × 64` in quotes, or
/// `one weight` if it has no dimensions.
fn shape_in_words(shape: &[usize]) -> String {
    if shape.is_empty() {
        return "one weight".to_owned();
    }
    let lengths: Vec<String> = shape.iter().map(usize::to_string).collect();
    quoted(&lengths.join(" × "))
}

/// Tells for each weight, in their order, whether it is frozen, or tied to a frozen one directly or
/// by way of others. As each tied weight follows one root, it first marks the roots of frozen
/// weights, then all weights that follow a marked root.
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
