//! Checks the prior of a parameter: `prior` and `smooth`.

use super::tie::{dimension, row};
use crate::decimal::Decimal;
use crate::parameter::{Laplace, Parameter, Pool, Smooth};
use crate::raw::{RawAxes, RawAxis, RawParameter};
use crate::read::{At, Field};
use crate::text::{listed, quoted};

/// Largest standard deviation. Chosen: a prior so wide never matters.
const LARGEST: f64 = 1e6;

/// A standard deviation; `None` without one, or after noting one that cannot be used.
pub(super) fn deviation(field: &Field<Decimal>) -> Option<f64> {
    let At { place, value } = field.get()?;
    if value.count > 0 && value.value() <= LARGEST {
        return Some(value.value());
    }
    let found = format!("a standard deviation of {}", value.value());
    let cure = "to fix weights, use `frozen`; for no prior, take the key out";
    place.refuse(found, format!("more than 0, at most {LARGEST}"), cure)
}

/// The prior by distance, not its square, of a parameter; `None` without one, or after noting a
/// mistake.
pub(super) fn laplace(raw: &RawParameter) -> Option<Laplace> {
    let raw = &raw.l1.get()?.value;
    let deviation = deviation(&raw.deviation);
    let ends = [("initial", false), ("zero", true)];
    let to_zero = match raw.toward.get() {
        None => false,
        Some(end) => end.among("an `l1` toward", &ends, "name one of them")?,
    };
    let deviation = deviation?;
    Some(Laplace { deviation, to_zero })
}

/// The smoothness prior of a parameter; `None` without one, or after noting that it does not fit
/// its shape.
pub(super) fn smooth(raw: &RawParameter, parameter: &Parameter) -> Option<Smooth> {
    let At { place, value } = raw.smooth.get()?;
    let deviation = deviation(&value.deviation);
    let axis = value.axis.get()?;
    let axes = axes(axis, parameter)?;
    let width = match (&value.width, axes.as_slice()) {
        (Field::Is(width), [axis]) => Some(row(width, parameter.dims[*axis].len)?),
        (Field::Is(width), _) => {
            let found = "a width next to several axes";
            let expected = "one axis, which holds a board row by row";
            let cure = "take `width` out or name one axis";
            return width.place.refuse(found, expected, cure);
        }
        _ => None,
    };
    let smooth = Smooth {
        deviation: deviation?,
        axes,
        width,
    };
    if smooth.axes.iter().all(|&axis| parameter.dims[axis].len < 2) {
        let found = "no entry with a neighbour";
        let expected = "a dimension of at least 2";
        return place.refuse(found, expected, "name another axis or take `smooth` out");
    }
    Some(smooth)
}

/// The prior that draws entries to their common mean; `None` without one, or after noting that it
/// does not fit the shape.
pub(super) fn pool(raw: &RawParameter, parameter: &Parameter) -> Option<Pool> {
    let At { place, value } = raw.pool.get()?;
    let deviation = match &value.deviation {
        Field::Absent => None,
        given => Some(deviation(given)?),
    };
    let At { place: at, value } = value.axis.get()?;
    let axis = match value {
        RawAxis::Number(number) => {
            let (place, value) = (at.clone(), *number);
            dimension(&At { place, value }, parameter)?
        }
        RawAxis::Name(name) => {
            let mut dims = parameter.dims.iter();
            let found = dims.position(|dim| dim.list() == Some(name));
            let lists = parameter.dims.iter().filter_map(|dim| dim.list());
            let cure = "name it as in `shape`, or count from 0";
            found.or_else(|| at.refuse(format!("axis {}", quoted(name)), listed(lists), cure))?
        }
    };
    if parameter.dims[axis].len < 2 {
        let cure = "name another axis or take `pool` out";
        return place.refuse("a pool of one entry", "a dimension of at least 2", cure);
    }
    if raw.l1.get().is_some() {
        return place.refuse("`pool` next to `l1`", "one of them", "take one out");
    }
    Some(Pool { axis, deviation })
}

/// The numbers of the dimensions that are named; `None` after noting all mistakes in them.
fn axes(axis: &At<RawAxes>, parameter: &Parameter) -> Option<Vec<usize>> {
    let named = &axis.value.0;
    axis.place.mistakes.unless_noted(|| {
        let mut axes = Vec::new();
        for axis in named {
            let index = dimension(axis, parameter);
            if let Some(index) = index.filter(|index| axes.contains(index)) {
                let found = format!("axis {index} twice");
                axis.place
                    .note(found, "each axis once", "take one of them out");
            }
            axes.extend(index);
        }
        if named.is_empty() {
            let cure = "name one, as in `axis = 0`";
            axis.place.note("no axis", "at least one", cure);
        }
        Some(axes)
    })
}
