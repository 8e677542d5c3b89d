//! Checks orders, shapes and sums: `order` of a parameter, and `[[constraint]]`.

use std::collections::BTreeMap;

use super::Checked;
use super::tie::{dimension, resolved, row};
use crate::decimal::Decimal;
use crate::diagnostic::TextPlace;
use crate::layout::Layout;
use crate::parameter::Parameter;
use crate::raw::{RawConstraint, RawOrder, RawParameter, RawSpec};
use crate::read::At;
use crate::spec::Integer;
use crate::text::quoted;
use tuner_base::{Constraint, WeightId};

/// The shape of entries along a dimension.
#[derive(Clone, Copy)]
struct Shape {
    /// Factors of neighbouring entries; the sum of factor times entry is never negative.
    factors: &'static [f64],
    /// How far rounding may take that sum below 0, in steps. For an order it may not at all; for a
    /// shape each entry may be off by a half, and integers have no slope of 0.4 anyway.
    slack: f64,
}

impl Shape {
    /// Makes the shape of an order, such as `increasing`: for entries that follow each other along
    /// a dimension, the sum of `factors` times entries must not be negative. `slack`: how many
    /// steps rounding may take the sum below 0.
    const fn new(factors: &'static [f64], slack: f64) -> Self {
        Self { factors, slack }
    }

    const NAMED: [(&'static str, Self); 4] = [
        ("increasing", Self::new(&[-1.0, 1.0], 0.0)),
        ("decreasing", Self::new(&[1.0, -1.0], 0.0)),
        ("convex", Self::new(&[1.0, -2.0, 1.0], 2.0)),
        ("concave", Self::new(&[-1.0, 2.0, -1.0], 2.0)),
    ];
}

/// A constraint, and the place in the spec that declares it.
pub(super) type Placed = (TextPlace, Constraint);

/// Returns what the key `order` of a parameter asks for, such as `increasing` or `convex`, as
/// constraints on sums of its weights, each with the place in the spec of the order that it is
/// from. Orders with a mistake, which is noted, are left out.
pub(super) fn orders(raw: &RawParameter, parameter: &Parameter) -> Vec<Placed> {
    let placed = |one: &At<RawOrder>| {
        let sums = order(&one.value, &one.place, parameter).unwrap_or_default();
        let place = one.place.clone();
        sums.into_iter().map(move |sum| (place.clone(), sum))
    };
    raw.order.entries().iter().flat_map(placed).collect()
}

/// Rewrites the sum of a constraint, `sum`, as a sum over weights that can move. Returns the part
/// of it that is fixed, and the factors of the weights that can move, by their numbers, without
/// factors of 0. Frozen weights are fixed at their `initial` values. A tied weight, which is
/// `factor · root + difference`, counts as its root with that factor, and its difference is fixed.
fn reduced(sum: &Constraint, layout: &Layout, initial: &[f64]) -> (f64, BTreeMap<usize, f64>) {
    let mut fixed = 0.0;
    let mut factors: BTreeMap<usize, f64> = BTreeMap::new();
    for &(weight, factor) in &sum.terms {
        if layout.frozen(weight) {
            fixed += factor * initial[weight.index()];
            continue;
        }
        let tie = layout.ties().iter().find(|tie| tie.weight == weight);
        let (root, by, add) = tie.map_or((weight, 1.0, 0.0), |t| (t.root, t.factor, t.difference));
        fixed += factor * add;
        *factors.entry(root.index()).or_default() += factor * by;
    }
    factors.retain(|_, factor| factor.abs() > 0.0);
    (fixed, factors)
}

/// Notes a mistake at the place of each constraint that no weights within their bounds can satisfy:
/// a sum that is never within its limits, a sum of whole numbers that has no value within them, or
/// one of two constraints on the same sum whose limits exclude each other. `places`: those of the
/// constraints of `layout`, in their order.
pub(super) fn reach(layout: &Layout, places: &[TextPlace], integer: Integer) {
    let initial = layout.initial();
    // The least and largest limit of each sum, of all constraints on it. A sum is known by its
    // weights and the bits of their factors. The `slack` of a constraint is how far rounding may
    // take the sum beyond its limits.
    let mut seen: BTreeMap<Vec<(usize, u64)>, (f64, f64)> = BTreeMap::new();
    for (constraint, place) in layout.constraints().iter().zip(places) {
        let (fixed, factors) = reduced(constraint, layout, &initial);
        // The least and the largest value that the sum can have.
        let (mut least, mut most) = (fixed, fixed);
        for (&weight, &factor) in &factors {
            let (low, high) = limits_of(layout, WeightId(weight), integer);
            least += (factor * low).min(factor * high);
            most += (factor * low).max(factor * high);
        }
        let cure = "widen the limits or the bounds, or free a weight";
        if most < constraint.low - constraint.slack || least > constraint.high + constraint.slack {
            let found = format!("a sum that is never within its limits: it is {least} to {most}");
            place.note(found, "one that weights can have", cure);
            continue;
        }
        let (low, high) = (constraint.low - fixed, constraint.high - fixed);
        // A sum of whole numbers has multiples of `unit`: is the largest one below `high` too
        // small?
        if let Some(unit) = whole_unit(layout, &factors)
            && high >= low
            && (high / unit).floor() * unit < low
        {
            let found =
                format!("a sum that is never within its limits: it comes in steps of {unit}");
            let expected = "one that whole weights can have";
            place.note(found, expected, "change the limits");
            continue;
        }
        let terms = factors.iter().map(|(&w, factor)| (w, factor.to_bits()));
        let earlier = seen.entry(terms.collect());
        let both = earlier.or_insert((f64::NEG_INFINITY, f64::INFINITY));
        *both = (both.0.max(low), both.1.min(high));
        if !factors.is_empty() && both.0 > both.1 + 2.0 * constraint.slack {
            let found = "a sum that another limit of the same sum excludes";
            let expected = "limits that one value satisfies";
            place.note(found, expected, "widen or drop one");
        }
    }
}

/// Returns the least and the largest value of a weight, in the unit of the spec, by its bounds and
/// its type. A float without bounds has limits of a billionth of the largest float, so that a sum
/// of many does not overflow.
fn limits_of(layout: &Layout, weight: WeightId, integer: Integer) -> (f64, f64) {
    let (low, high) = layout.bounds(weight);
    let step = layout.parameter_of(weight).step;
    let (least, most) = if step.is_float {
        (-f64::MAX / 1e9, f64::MAX / 1e9)
    } else {
        let range = integer.range();
        (*range.start() as f64, *range.end() as f64)
    };
    (low.max(least), high.min(most))
}

/// Returns the largest number that a sum of weights is always a multiple of: the greatest common
/// divisor of factor times step over all its weights, by Euclid's algorithm. `factors`: by the
/// numbers of the weights. `None` if a product is not a whole number below 2^53, or there are no
/// weights.
fn whole_unit(layout: &Layout, factors: &BTreeMap<usize, f64>) -> Option<f64> {
    let mut unit = 0_u64;
    for (&weight, factor) in factors {
        let size = (factor * layout.parameter_of(WeightId(weight)).step.size()).abs();
        if size.fract() > 0.0 || size >= (1_u64 << 53) as f64 {
            return None;
        }
        let mut other = size as u64;
        while other > 0 {
            (unit, other) = (other, unit % other);
        }
    }
    (unit > 0).then_some(unit as f64)
}

/// Returns the constraints that an `order` of a parameter stands for: each says that a sum over
/// neighbouring entries along an axis is not negative. `increasing`, with the factors -1 and 1, has
/// one for each two neighbours; `convex`, with 1, -2 and 1, one for each three. With `width`, the
/// axis is a board in rows of so many entries, and neighbours are in one column. `None` after
/// noting a mistake.
fn order(raw: &RawOrder, place: &TextPlace, parameter: &Parameter) -> Option<Vec<Constraint>> {
    let cure = "name one of them";
    let shape = (raw.is.get()?).among("an order that is", &Shape::NAMED, cure);
    let axis = dimension(raw.axis.get()?, parameter)?;
    let (len, step) = parameter.along(axis);
    // Without a width, each entry is a row by itself.
    let width = raw.width.get().map_or(Some(1), |width| row(width, len))?;
    let Shape { factors, slack } = shape?;
    let rows = len / width;
    if rows < factors.len() {
        let found = format!("an order of {rows}");
        let expected = format!("at least {} that follow each other", factors.len());
        return place.refuse(found, expected, "name another axis or take `order` out");
    }
    // Whether enough rows follow that of a weight along the axis, so that a sum can begin there.
    let is_first = |weight: &usize| {
        let place = (weight - parameter.first_weight) / step % len;
        place / width + factors.len() <= rows
    };
    let sums = parameter.weight_range().filter(is_first).map(|first| {
        let follower = |(number, &factor)| (WeightId(first + number * width * step), factor);
        Constraint {
            terms: factors.iter().enumerate().map(follower).collect(),
            low: 0.0,
            high: f64::INFINITY,
            slack: slack * parameter.step.size(),
        }
    });
    Some(sums.collect())
}

/// Returns the constraints of a spec with their places: those of `order` keys of parameters, which
/// were made before, and those of `[[constraint]]` sections. `broken`: whether parameters with
/// mistakes are missing in `all`, so that a path that leads nowhere is not another mistake.
pub(super) fn check(all: &[Checked], layout: &Layout, raw: &RawSpec, broken: bool) -> Vec<Placed> {
    let mut sums: Vec<Placed> = all.iter().flat_map(|one| one.orders.clone()).collect();
    for section in raw.constraint.entries() {
        let sum = sum(section, layout.parameters(), broken);
        sums.extend(sum.map(|sum| (section.place.clone(), sum)));
    }
    sums
}

/// Reads a section `[[constraint]]`: a sum of factors times weights, and its limits. `None` if
/// something is wrong with it, which is noted at its place. A path to a table stands for each of
/// its weights. `broken`: whether parameters with mistakes are missing in `parameters`, so that a
/// path that leads nowhere is passed over.
fn sum(section: &At<RawConstraint>, parameters: &[Parameter], broken: bool) -> Option<Constraint> {
    let raw = &section.value;
    let mut terms: Vec<(WeightId, f64)> = Vec::new();
    let mistakes = &section.place.mistakes;
    let before = mistakes.count();
    for (path, factor) in &raw.sum.get()?.value.0 {
        let Some(selection) = resolved(parameters, path, broken) else {
            continue;
        };
        if factor.value == 0 || factor.value.unsigned_abs() > MOST {
            let cure = "correct it, or take the path out";
            let expected = format!("a whole number up to {MOST}, not 0");
            let found = format!("factor {}", factor.value);
            factor.place.note(found, expected, cure);
            continue;
        }
        // Each weight must be in the sum once only.
        for weight in selection.weights() {
            if terms.iter().any(|term| term.0.index() == weight) {
                let name = quoted(&path.value);
                let found = format!("{name} names a weight that another path names");
                path.place
                    .note(found, "each weight once", "correct the paths");
                break;
            }
            terms.push((WeightId(weight), factor.value as f64));
        }
    }
    // If parameters are missing, an empty sum may come from that.
    let limits = limits(section);
    if terms.is_empty() && mistakes.count() == before && !broken {
        let cure = "name a weight, as in `sum = { \"QUEEN\" = 1, \"ROOK\" = -2 }`";
        let place = &section.place;
        place.note("a sum of nothing", "at least one path", cure);
    }
    let (low, high) = limits?;
    (mistakes.count() == before).then_some(Constraint {
        terms,
        low,
        high,
        slack: 0.0,
    })
}

/// Largest factor of a weight in a sum. Chosen: far beyond any ratio of weights.
const MOST: u64 = 1_000_000;

/// Returns the lower and the upper limit of the sum of a `[[constraint]]`, by `equals`, `at_least`
/// and `at_most`; infinite where there is no such key. `None` after noting a mistake: no limit, or
/// limits that exclude each other.
fn limits(section: &At<RawConstraint>) -> Option<(f64, f64)> {
    let raw = &section.value;
    let number = |at: Option<&At<Decimal>>| at.map(|at| at.value.value());
    let (least, most) = (number(raw.at_least.get()), number(raw.at_most.get()));
    let low = least.unwrap_or(f64::NEG_INFINITY);
    let high = most.unwrap_or(f64::INFINITY);
    let (found, cure) = match (least.or(most), number(raw.equals.get())) {
        (None, Some(equals)) => return Some((equals, equals)),
        (None, None) => ("no limit", "add one of them"),
        (_, None) if low <= high => return Some((low, high)),
        (_, None) => ("a lower limit above the upper one", "swap them"),
        _ => ("`equals` next to another limit", "take one out"),
    };
    let expected = "`equals`, or `at_least`, `at_most` or both";
    section.place.refuse(found, expected, cure)
}
