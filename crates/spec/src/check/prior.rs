//! Checks the prior of a parameter: `prior` and `smooth`.

use super::tie::{dimension, row};
use crate::decimal::Decimal;
use crate::diagnostic::Mistakes;
use crate::parameter::{Laplace, Parameter, Smooth};
use crate::raw::{RawAxes, RawParameter};
use crate::read::{At, Field};

/// Largest deviation. Chosen: next to it no data are weak.
const LARGEST: f64 = 1e6;

/// A standard deviation, if it is one.
pub(super) fn deviation(field: &Field<Decimal>, mistakes: &mut Mistakes) -> Option<f64> {
    let At { span, value } = field.get()?;
    if value.count > 0 && value.value() <= LARGEST {
        return Some(value.value());
    }
    mistakes.refuse(
        span,
        format!("a standard deviation of {}", value.value()),
        format!("more than 0, at most {LARGEST}"),
        "to fix weights, use `frozen`; for no prior, take the key out",
    )
}

/// The prior by distance of a parameter, if it has one.
pub(super) fn laplace(raw: &RawParameter, mistakes: &mut Mistakes) -> Option<Laplace> {
    let raw = &raw.l1.get()?.value;
    let deviation = deviation(&raw.deviation, mistakes);
    let ends = [("initial", false), ("zero", true)];
    let to_zero = match raw.toward.get() {
        None => false,
        Some(end) => end.among("an `l1` toward", &ends, "name one of them", mistakes)?,
    };
    Some(Laplace {
        deviation: deviation?,
        to_zero,
    })
}

/// The neighbours of a parameter, if they are said and fit its shape.
pub(super) fn smooth(
    raw: &RawParameter,
    parameter: &Parameter,
    mistakes: &mut Mistakes,
) -> Option<Smooth> {
    let At { span, value } = raw.smooth.get()?;
    let deviation = deviation(&value.deviation, mistakes);
    let axis = value.axis.get()?;
    let axes = axes(axis, parameter, mistakes)?;
    let width = match (&value.width, axes.as_slice()) {
        (Field::Is(width), [axis]) => Some(row(width, parameter.dims[*axis].len, mistakes)?),
        (Field::Is(width), _) => {
            return mistakes.refuse(
                &width.span,
                "a width next to several axes".to_owned(),
                "one axis, which holds a board row by row",
                "take `width` out or name one axis",
            );
        }
        _ => None,
    };
    let smooth = Smooth {
        deviation: deviation?,
        axes,
        width,
    };
    if smooth.axes.iter().all(|&axis| parameter.dims[axis].len < 2) {
        return mistakes.refuse(
            span,
            "no entry with a neighbour".to_owned(),
            "a dimension of at least 2",
            "name another axis or take `smooth` out",
        );
    }
    Some(smooth)
}

/// The dimensions that are named; all mistakes in them are noted.
fn axes(axis: &At<RawAxes>, parameter: &Parameter, mistakes: &mut Mistakes) -> Option<Vec<usize>> {
    let named = &axis.value.0;
    let mut axes = Vec::new();
    let before = mistakes.count();
    for axis in named {
        let Some(index) = dimension(axis, parameter, mistakes) else {
            continue;
        };
        if axes.contains(&index) {
            let found = format!("axis {index} twice");
            mistakes.add(&axis.span, found, "each axis once", "take one of them out");
        }
        axes.push(index);
    }
    if named.is_empty() {
        let cure = "name one, as in `axis = 0`";
        mistakes.add(&axis.span, "no axis".to_owned(), "at least one", cure);
    }
    (mistakes.count() == before).then_some(axes)
}
