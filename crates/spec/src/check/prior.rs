//! Checks the prior of a parameter: `prior` and `smooth`.

use super::tie::{dimension, row};
use crate::decimal::Decimal;
use crate::parameter::{Laplace, Parameter, Pool, Smooth};
use crate::raw::{RawAxes, RawAxis, RawParameter};
use crate::read::{At, Field};
use crate::text::{listed, quoted};

/// Largest standard deviation. Chosen: a prior so wide never matters.
const LARGEST: f64 = 1e6;

/// Returns the standard deviation of a prior, in the unit of the weights; `None` if the key is
/// missing, or after noting that the number is not more than 0 and at most [`LARGEST`] (1e6).
pub(super) fn deviation(field: &Field<Decimal>) -> Option<f64> {
    let At { place, value } = field.get()?;
    if value.count > 0 && value.value() <= LARGEST {
        return Some(value.value());
    }
    let found = format!("a standard deviation of {}", value.value());
    let cure = "to fix weights, use `frozen`; for no prior, take the key out";
    place.refuse(found, format!("more than 0, at most {LARGEST}"), cure)
}

/// Returns the Laplace prior of a parameter, by the key `l1`: it penalises the distance of a weight
/// from its initial value or from 0, and not the square of the distance. `None` if there is no such
/// key, or after noting a mistake.
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

/// Returns the smoothness prior of a parameter, by the key `smooth`, which draws neighbouring
/// entries along axes to each other. `None` if there is no such key, or after noting that it does
/// not fit the parameter's shape. With `width`, the axis is a board in rows of so many entries.
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
        // No width, or a wrong one, which was noted.
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

/// Returns the prior that draws the entries along an axis to their common mean, by the key `pool`.
/// The axis is given by its number or by the name of its list of indices. `None` if there is no
/// such key, or after noting that it does not fit the parameter.
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

/// Returns the numbers of the dimensions that the key `axis` of a smoothness prior names, from 0;
/// `None` after noting all mistakes: an axis that is not there, one named twice, or no axis.
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
